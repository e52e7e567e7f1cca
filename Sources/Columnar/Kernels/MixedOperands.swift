import Diagnostics

/// Brings two operands of different width to the wider type before a kernel that wants them alike.
package enum MixedOperands {
  /// The wider of two numeric types.
  package static func wider(_ left: LogicalType, _ right: LogicalType) -> LogicalType {
    rank(left) >= rank(right) ? left : right
  }

  private static func rank(_ type: LogicalType) -> Int {
    switch type {
    case .smallint, .date: 0
    case .integer: 1
    case .bigint, .timestamp, .timestamptz: 2
    case .real: 3
    case .boolean, .double, .numeric, .text, .varchar, .character, .name, .bytea, .time, .timetz,
      .interval, .bit, .varbit, .uuid, .json, .jsonb, .oid, .array, .record, .enumeration, .unknown,
      .void:
      4
    }
  }

  /// `kernel` over operands widened to the wider of the two types.
  package static func kernel(
    _ left: LogicalType, _ right: LogicalType, _ kernel: @escaping ScalarKernel
  ) -> ScalarKernel {
    let type = wider(left, right)
    return {
      (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      try kernel(arguments.map { widen($0, to: type) }, count, context)
    }
  }

  /// A whole number or a `real` in a wider type; a date as the timestamp of its midnight.
  ///
  /// - Complexity: O(*n*).
  package static func widen(_ vector: Vector, to type: LogicalType) -> Vector {
    let rows = vector.form == .constant ? 1 : vector.count
    switch (vector.type.physical, type.physical) {
    case (.int16, .int32): return convert(vector, rows, type, Int16.self) { Int32($0) }
    case (.int16, .int64): return convert(vector, rows, type, Int16.self) { Int64($0) }
    case (.int32, .int64) where vector.type == .date:
      return convert(vector, rows, type, Int32.self) { midnight($0) }
    case (.int32, .int64): return convert(vector, rows, type, Int32.self) { Int64($0) }
    case (.int16, .double): return convert(vector, rows, type, Int16.self) { Double($0) }
    case (.int32, .double): return convert(vector, rows, type, Int32.self) { Double($0) }
    case (.int64, .double): return convert(vector, rows, type, Int64.self) { Double($0) }
    case (.float, .double): return convert(vector, rows, type, Float.self) { Double($0) }
    case (.bool, _), (.int16, _), (.int32, _), (.int64, _), (.float, _), (.double, _),
      (.numeric, _), (.interval, _), (.uuid, _), (.text, _), (.list, _), (.record, _):
      return vector
    }
  }

  /// The infinite dates become the infinite timestamps.
  @inline(__always)
  private static func midnight(_ date: Int32) -> Int64 {
    if date == .max { return .max }
    if date == .min { return .min }
    return Int64(date) &* 86_400_000_000
  }

  @inline(__always)
  private static func convert<From: BitwiseCopyable, To: BitwiseCopyable>(
    _ vector: Vector, _ rows: Int, _ type: LogicalType, _ from: From.Type, _ body: (From) -> To
  ) -> Vector {
    let vector = vector.normalized()
    let values = vector.values(from)
    let result = Buffer<To>(uninitialized: rows)
    for row in 0..<rows { result[row] = body(values[row]) }
    return Vector(
      type: type, count: vector.count, form: vector.form, storage: result.block,
      validity: vector.validity)
  }
}
