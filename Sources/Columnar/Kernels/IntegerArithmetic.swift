import Diagnostics

/// Arithmetic of whole numbers.
///
/// Both operands are of the result's type.
///
/// Sums are computed for all rows at once, with the overflow bits of all rows OR-ed; only if one is set are
/// the rows looked at, because NULL rows may hold anything.
package enum IntegerArithmetic {
  /// The operations of two operands.
  package enum Operation: Sendable {
    case add, subtract, multiply, divide, remainder
    case bitAnd, bitOr, bitXor, shiftLeft, shiftRight
  }

  /// The operation as a kernel for operands of `type`.
  package static func kernel(_ operation: Operation, _ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      if RowLoop.isNull(arguments) { return .null(type, count: count) }
      switch type {
      case .smallint: return try compute(operation, arguments, count, type, Int16.self)
      case .integer: return try compute(operation, arguments, count, type, Int32.self)
      case .boolean, .bigint, .real, .double, .numeric, .text, .varchar, .character, .name, .bytea,
        .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .json,
        .jsonb, .oid, .array, .record, .enumeration, .unknown, .void:
        return try compute(operation, arguments, count, type, Int64.self)
      }
    }
  }

  /// The error of a result that does not fit.
  static func overflow(_ type: LogicalType) -> SQLError {
    SQLError(.numericOutOfRange, "\(type.name) out of range")
  }

  static let divisionByZero = SQLError(.divisionByZero, "division by zero")

  @inline(__always)
  private static func compute<Number: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ operation: Operation, _ arguments: [Vector], _ count: Int, _ type: LogicalType,
    _ number: Number.Type
  ) throws(SQLError) -> Vector {
    switch operation {
    case .add:
      var bits: Number = 0
      let sum = RowLoop.map(arguments, count, type, number, number) { (a, b) -> Number in
        let sum = a &+ b
        bits |= (a ^ sum) & (b ^ sum)
        return sum
      }
      if bits < 0 {
        try locate(arguments, count, type, number) { $0.addingReportingOverflow($1).overflow }
      }
      return sum
    case .subtract:
      var bits: Number = 0
      let difference = RowLoop.map(arguments, count, type, number, number) { (a, b) -> Number in
        let difference = a &- b
        bits |= (a ^ b) & (a ^ difference)
        return difference
      }
      if bits < 0 {
        try locate(arguments, count, type, number) { $0.subtractingReportingOverflow($1).overflow }
      }
      return difference
    case .multiply:
      var overflows = false
      let product = RowLoop.map(arguments, count, type, number, number) { (a, b) -> Number in
        let (product, overflow) = a.multipliedReportingOverflow(by: b)
        overflows = overflows || overflow
        return product
      }
      if overflows {
        try locate(arguments, count, type, number) {
          $0.multipliedReportingOverflow(by: $1).overflow
        }
      }
      return product
    case .divide:
      if let quotients = divided(arguments, count, type, number, { $0.quotient($1) }) {
        return quotients
      }
      return try RowLoop.mapValid(arguments, count, type, number, number) {
        (a, b) throws(SQLError) -> Number in
        if b == 0 { throw divisionByZero }
        let (quotient, overflow) = a.dividedReportingOverflow(by: b)
        if overflow { throw self.overflow(type) }
        return quotient
      }
    case .remainder:
      if let rests = divided(arguments, count, type, number, { $0.remainder($1) }) { return rests }
      return try RowLoop.mapValid(arguments, count, type, number, number) {
        (a, b) throws(SQLError) -> Number in
        if b == 0 { throw divisionByZero }
        // The least number divided by -1 overflows, its remainder is 0 all the same.
        return b == -1 ? 0 : a % b
      }
    case .bitAnd: return RowLoop.map(arguments, count, type, number, number) { $0 & $1 }
    case .bitOr: return RowLoop.map(arguments, count, type, number, number) { $0 | $1 }
    case .bitXor: return RowLoop.map(arguments, count, type, number, number) { $0 ^ $1 }
    case .shiftLeft, .shiftRight: return shift(operation, arguments, count, type, number)
    }
  }

  /// The rows divided by a constant, with which nothing can go wrong; nil for other divisors and dividends.
  @inline(__always)
  private static func divided<Number: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ arguments: [Vector], _ count: Int, _ type: LogicalType, _ number: Number.Type,
    _ operation: (Reciprocal, Number) -> Number
  ) -> Vector? {
    guard arguments[1].form == .constant,
      let reciprocal = Reciprocal(Operand(arguments[1], number)[0])
    else { return nil }
    var magnitudes: Number.Magnitude = 0
    let results = RowLoop.map([arguments[0]], count, type, number) { (dividend) -> Number in
      magnitudes |= dividend.magnitude
      return operation(reciprocal, dividend)
    }
    // NULL rows may hold anything, and are taken for numbers here: then the rows are divided one by one.
    return UInt64(magnitudes) <= Reciprocal.dividendLimit ? results : nil
  }

  /// Shifts by an `integer`, of which only the low bits count, as the machine takes them.
  @inline(__always)
  private static func shift<Number: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ operation: Operation, _ arguments: [Vector], _ count: Int, _ type: LogicalType,
    _ number: Number.Type
  ) -> Vector {
    // A smallint is shifted as a 32-bit number, so that shifts of 16 and more empty it.
    if case .shiftLeft = operation {
      return RowLoop.map(arguments, count, type, number, Int32.self) { (a, b) -> Number in
        Number.bitWidth == 16
          ? Number(truncatingIfNeeded: Int32(truncatingIfNeeded: a) &<< b)
          : a &<< Number(truncatingIfNeeded: b)
      }
    }
    return RowLoop.map(arguments, count, type, number, Int32.self) { (a, b) -> Number in
      Number.bitWidth == 16
        ? Number(truncatingIfNeeded: Int32(truncatingIfNeeded: a) &>> b)
        : a &>> Number(truncatingIfNeeded: b)
    }
  }

  /// Throws if a row that is present overflows.
  @inline(__always)
  private static func locate<Number: BitwiseCopyable>(
    _ arguments: [Vector], _ count: Int, _ type: LogicalType, _ number: Number.Type,
    _ overflows: (Number, Number) -> Bool
  ) throws(SQLError) {
    let validity = RowLoop.validity(arguments, count)
    let left = Operand(arguments[0], number)
    let right = Operand(arguments[1], number)
    for row in 0..<count where validity.isValid(row) && overflows(left[row], right[row]) {
      throw overflow(type)
    }
  }

  /// The operations of one operand.
  package enum UnaryOperation: Sendable { case negate, plus, absolute, bitNot, sign }

  /// The operation as a kernel for an operand of `type`.
  package static func kernel(_ operation: UnaryOperation, _ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      switch type {
      case .smallint: return try compute(operation, arguments, count, type, Int16.self)
      case .integer: return try compute(operation, arguments, count, type, Int32.self)
      case .boolean, .bigint, .real, .double, .numeric, .text, .varchar, .character, .name, .bytea,
        .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .json,
        .jsonb, .oid, .array, .record, .enumeration, .unknown, .void:
        return try compute(operation, arguments, count, type, Int64.self)
      }
    }
  }

  @inline(__always)
  private static func compute<Number: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ operation: UnaryOperation, _ arguments: [Vector], _ count: Int, _ type: LogicalType,
    _ number: Number.Type
  ) throws(SQLError) -> Vector {
    switch operation {
    case .plus: return arguments[0].retyped(type)
    case .bitNot: return RowLoop.map(arguments, count, type, number) { ~$0 }
    case .sign: return RowLoop.map(arguments, count, type, number) { $0.signum() }
    case .negate:
      return try RowLoop.mapValid(arguments, count, type, number) {
        (a) throws(SQLError) -> Number in
        if a == Number.min { throw overflow(type) }
        return 0 &- a
      }
    case .absolute:
      return try RowLoop.mapValid(arguments, count, type, number) {
        (a) throws(SQLError) -> Number in
        if a == Number.min { throw overflow(type) }
        return a < 0 ? 0 &- a : a
      }
    }
  }
}
