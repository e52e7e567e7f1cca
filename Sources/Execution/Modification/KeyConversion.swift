import Columnar
import Diagnostics

/// Brings the values of a foreign key into the type of the key that they refer to.
enum KeyConversion {
  /// The vector under another type of the same physical form.
  ///
  /// - Throws: XX000 if the form differs: the binder has cast every value to its column's type.
  static func retyped(_ vector: Vector, _ type: LogicalType) throws(SQLError) -> Vector {
    if vector.type == type { return vector }
    guard vector.type.physical == type.physical else {
      throw .internal("a value of type \(vector.type.name) came to a column of \(type.name)")
    }
    return vector.retyped(type)
  }

  /// The values as values of `type`; NULL where `type` has none that is equal.
  ///
  /// - Complexity: O(1) if the physical types agree, else O(*n*).
  static func comparable(_ vector: Vector, _ type: LogicalType) throws(SQLError) -> Vector {
    if vector.type == type { return vector }
    if vector.type.physical == type.physical, vector.type.physical != .text || type.isString {
      return vector.type == .character || type == .character
        ? try padded(vector, type) : vector.retyped(type)
    }
    var builder = VectorBuilder(type, capacity: vector.count)
    for row in 0..<vector.count {
      builder.append(convert(vector.value(at: row), to: type) ?? .null)
    }
    return builder.finish()
  }

  /// `character` compares without trailing spaces, other strings with them.
  private static func padded(_ vector: Vector, _ type: LogicalType) throws(SQLError) -> Vector {
    guard vector.type == .character else { return vector.retyped(type) }
    var builder = VectorBuilder(type, capacity: vector.count)
    for row in 0..<vector.count {
      guard case .text(var bytes) = vector.value(at: row) else {
        builder.appendNull()
        continue
      }
      while bytes.last == 0x20 { bytes.removeLast() }
      builder.append(.text(bytes))
    }
    return builder.finish()
  }

  private static func convert(_ value: Value, to type: LogicalType) -> Value? {
    let whole: Int64
    switch value {
    case .int16(let number): whole = Int64(number)
    case .int32(let number): whole = Int64(number)
    case .int64(let number): whole = number
    case .float(let number) where type == .double: return .double(Double(number))
    case .null, .boolean, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      return nil
    }
    switch type.physical {
    case .int16: return Int16(exactly: whole).map { .int16($0) }
    case .int32: return Int32(exactly: whole).map { .int32($0) }
    case .int64: return .int64(whole)
    case .numeric: return .numeric(Numeric(coefficient: Int128(whole), scale: 0))
    case .double: return Double(exactly: whole).map { .double($0) }
    case .float: return Float(exactly: whole).map { .float($0) }
    case .bool, .interval, .uuid, .text, .list, .record: return nil
    }
  }
}
