/// How whole numbers stand for values, in the same order.
enum NumberForm: Equatable {
  /// Numbers, days, times, truth values: their own bits.
  case whole
  /// Exact numbers, with so many digits behind the point.
  case decimals(Int16)
  /// Floating numbers: their bits, those of negative numbers turned over. NaN is the greatest, and minus zero comes right
  /// before zero.
  case floating

  /// The form of the first values of a type; nil where there is none.
  static func first(for type: LogicalType) -> NumberForm? {
    switch type {
    case .boolean, .smallint, .integer, .bigint, .oid, .date, .time, .timestamp, .timestamptz:
      .whole
    case .numeric: .decimals(0)
    case .real, .double: .floating
    case .text, .varchar, .character, .name, .bytea, .timetz, .interval, .bit, .varbit, .uuid,
      .json,
      .jsonb, .array, .record, .enumeration, .unknown, .void:
      nil
    }
  }

  /// The numbers of a flat vector's values, with their form; nil where exact numbers do not fit one.
  ///
  /// What stands at a NULL is of no meaning; NULLs alone take the form of what came before.
  static func numbers(
    of vector: Vector, count: Int, before: NumberForm?
  ) -> (Buffer<Int64>, NumberForm)? {
    switch first(for: vector.type) {
    case nil: return nil
    case .whole:
      let result = Buffer<Int64>(uninitialized: max(count, 1))
      KeyPacking.widen(vector, count, into: result)
      return (result, .whole)
    case .decimals:
      var scale: Int16 = 0
      if case .decimals(let known) = before { scale = known }
      guard let small = vector.narrowed(count: count, otherwise: scale),
        let decimals = small.decimals
      else { return nil }
      return (small.scaledValues, .decimals(decimals))
    case .floating:
      let result = Buffer<Int64>(uninitialized: max(count, 1))
      if vector.type == .real {
        let values = vector.values(Float.self)
        for row in 0..<count { result[row] = number(of: Double(values[row])) }
      } else {
        let values = vector.values(Double.self)
        for row in 0..<count { result[row] = number(of: values[row]) }
      }
      return (result, .floating)
    }
  }

  /// The number that is that of the zero before zero.
  static let minusZero: Int64 = -1

  /// The number that stands for a floating one.
  @inline(__always)
  static func number(of value: Double) -> Int64 {
    if value.isNaN { return Int64(bitPattern: Double.nan.bitPattern) }
    let bits = Int64(bitPattern: value.bitPattern)
    return bits >= 0 ? bits : bits ^ .max
  }

  /// The value of a number as a floating one.
  func double(_ number: Int64) -> Double {
    switch self {
    case .whole: Double(number)
    case .decimals(let scale): Numeric(coefficient: Int128(number), scale: scale).double
    case .floating: Double(bitPattern: UInt64(bitPattern: number >= 0 ? number : number ^ .max))
    }
  }

  /// The values of numbers, as a flat vector of the type that they came from.
  func values(
    _ numbers: Buffer<Int64>, of type: LogicalType, count: Int,
    validity: ValidityMask = .allValid
  ) -> Vector {
    func converted<Element: BitwiseCopyable>(_ convert: (Int64) -> Element) -> Vector {
      let result = Buffer<Element>(uninitialized: max(count, 1))
      for row in 0..<count { result[row] = convert(numbers[row]) }
      return Vector(type, result, count: count, validity: validity)
    }
    switch self {
    case .decimals(let scale):
      return converted { Numeric(coefficient: Int128($0), scale: scale) }
    case .floating:
      return type == .real ? converted { Float(double($0)) } : converted { double($0) }
    case .whole:
      switch type.physical {
      case .bool: return converted { UInt8(truncatingIfNeeded: $0) }
      case .int16: return converted { Int16(truncatingIfNeeded: $0) }
      case .int32: return converted { Int32(truncatingIfNeeded: $0) }
      case .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
        return converted { $0 }
      }
    }
  }
}
