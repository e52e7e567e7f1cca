import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Arithmetic of floating point numbers, with PostgreSQL's checks: a result that is infinite or zero only
/// because it did not fit is an error.
package enum FloatArithmetic {
  /// The operations of two operands.
  package enum Operation: Sendable { case add, subtract, multiply, divide }

  static let overflow = SQLError(.numericOutOfRange, "value out of range: overflow")
  static let underflow = SQLError(.numericOutOfRange, "value out of range: underflow")

  /// The operation as a kernel for operands of `type`, real or double precision.
  package static func kernel(_ operation: Operation, _ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      if RowLoop.isNull(arguments) { return .null(type, count: count) }
      if type == .real { return try compute(operation, arguments, count, type, Float.self) }
      return try compute(operation, arguments, count, type, Double.self)
    }
  }

  @inline(__always)
  private static func compute<Number: BinaryFloatingPoint & BitwiseCopyable>(
    _ operation: Operation, _ arguments: [Vector], _ count: Int, _ type: LogicalType,
    _ number: Number.Type
  ) throws(SQLError) -> Vector {
    var suspicious = false
    let result: Vector
    switch operation {
    case .add:
      result = RowLoop.map(arguments, count, type, number, number) { (a, b) -> Number in
        let result = a + b
        suspicious = suspicious || !(result - result == 0)
        return result
      }
    case .subtract:
      result = RowLoop.map(arguments, count, type, number, number) { (a, b) -> Number in
        let result = a - b
        suspicious = suspicious || !(result - result == 0)
        return result
      }
    case .multiply:
      result = RowLoop.map(arguments, count, type, number, number) { (a, b) -> Number in
        let result = a * b
        suspicious = suspicious || !(result - result == 0) || result == 0
        return result
      }
    case .divide:
      result = RowLoop.map(arguments, count, type, number, number) { (a, b) -> Number in
        let result = a / b
        suspicious = suspicious || !(result - result == 0) || result == 0
        return result
      }
    }
    if suspicious { try check(operation, arguments, count, number) }
    return result
  }

  /// Throws if a row that is present overflows, underflows or divides by zero.
  @inline(__always)
  private static func check<Number: BinaryFloatingPoint & BitwiseCopyable>(
    _ operation: Operation, _ arguments: [Vector], _ count: Int, _ number: Number.Type
  ) throws(SQLError) {
    let validity = RowLoop.validity(arguments, count)
    let left = Operand(arguments[0], number)
    let right = Operand(arguments[1], number)
    for row in 0..<count where validity.isValid(row) {
      let a = left[row]
      let b = right[row]
      let result: Number
      switch operation {
      case .add: result = a + b
      case .subtract: result = a - b
      case .multiply: result = a * b
      case .divide:
        if b == 0 && !a.isNaN { throw IntegerArithmetic.divisionByZero }
        result = a / b
      }
      if result.isInfinite && !a.isInfinite && !b.isInfinite { throw overflow }
      if operation == .multiply && result == 0 && a != 0 && b != 0 { throw underflow }
      if operation == .divide && result == 0 && a != 0 && !b.isInfinite { throw underflow }
    }
  }

  /// A function of one double, computed for the rows that are present.
  @inline(__always)
  static func map(
    _ arguments: [Vector], _ count: Int, _ body: (Double) throws(SQLError) -> Double
  ) throws(SQLError) -> Vector {
    try RowLoop.mapValid(arguments, count, .double, Double.self, body)
  }

  /// `base ^ exponent` of double precision.
  package static let power: ScalarKernel = {
    (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
    try RowLoop.mapValid(arguments, count, .double, Double.self, Double.self) {
      (a, b) throws(SQLError) -> Double in try raise(a, b)
    }
  }

  /// One number to the power of another.
  ///
  /// - Throws: 2201F, 22003.
  static func raise(_ base: Double, _ exponent: Double) throws(SQLError) -> Double {
    if base == 0 && exponent < 0 {
      throw SQLError(
        .invalidArgumentForPower, "zero raised to a negative power is undefined")
    }
    if base < 0 && exponent.isFinite && exponent.rounded(.towardZero) != exponent {
      throw SQLError(
        .invalidArgumentForPower,
        "a negative number raised to a non-integer power yields a complex result")
    }
    let result = pow(base, exponent)
    if result.isInfinite && base.isFinite && exponent.isFinite { throw overflow }
    if result == 0 && base != 0 && base.isFinite && exponent.isFinite { throw underflow }
    return result
  }

  /// The operations of one operand.
  package enum UnaryOperation: Sendable { case negate, plus, absolute, sign }

  /// The operation as a kernel for an operand of `type`.
  package static func kernel(_ operation: UnaryOperation, _ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      if type == .real { return compute(operation, arguments, count, type, Float.self) }
      return compute(operation, arguments, count, type, Double.self)
    }
  }

  @inline(__always)
  private static func compute<Number: BinaryFloatingPoint & BitwiseCopyable>(
    _ operation: UnaryOperation, _ arguments: [Vector], _ count: Int, _ type: LogicalType,
    _ number: Number.Type
  ) -> Vector {
    switch operation {
    case .plus: arguments[0].retyped(type)
    case .negate: RowLoop.map(arguments, count, type, number) { -$0 }
    case .absolute: RowLoop.map(arguments, count, type, number) { $0.magnitude }
    case .sign:
      RowLoop.map(arguments, count, type, number) { value -> Number in
        value > 0 ? 1 : value < 0 ? -1 : 0
      }
    }
  }
}
