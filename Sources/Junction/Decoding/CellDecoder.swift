import Diagnostics

/// Decodes what is in one cell: a single value, the elements of an array, the fields of a record, or JSON.
struct CellDecoder: Decoder, SingleValueDecodingContainer {
  private let column: CellColumn
  private let row: Int
  private var isNull: Bool { column.isNull(row) }
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ column: CellColumn, _ row: Int) {
    self.column = column
    self.row = row
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    if column.kind == .json, !isNull { return try json().container(keyedBy: type) }
    guard column.kind == .record, !isNull, let fields = column.makeFields() else {
      throw misfit("a value of several parts")
    }
    fields.fields.begin(column.fieldRow(row))
    return try fields.container(keyedBy: type)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    if column.kind == .json, !isNull { return try json().unkeyedContainer() }
    guard let (elements, range) = column.elements(row) else { throw misfit("an array") }
    return ElementsContainer(elements, range)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try column.read(Bool.self, row) }
  func decode(_ type: String.Type) throws -> String { try column.read(String.self, row) }
  func decode(_ type: Double.Type) throws -> Double { try column.read(Double.self, row) }
  func decode(_ type: Float.Type) throws -> Float { try column.read(Float.self, row) }
  func decode(_ type: Int.Type) throws -> Int { try column.read(Int.self, row) }
  func decode(_ type: Int8.Type) throws -> Int8 { try narrow(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try column.read(Int16.self, row) }
  func decode(_ type: Int32.Type) throws -> Int32 { try column.read(Int32.self, row) }
  func decode(_ type: Int64.Type) throws -> Int64 { try column.read(Int64.self, row) }
  func decode(_ type: UInt.Type) throws -> UInt { try narrow(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try column.read(UInt8.self, row) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try narrow(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try narrow(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try narrow(type) }

  /// The value of any type.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let type = type as? any SQLValueConvertible.Type,
      let value = try column.read(type, row) as? Value
    {
      return value
    }
    do { return try decodeParts(type) } catch {
      throw foundationError(type) ?? error
    }
  }

  /// What to say of a type of Foundation that does not decode without its product; nil for other types.
  func foundationError(_ type: Any.Type) -> SQLError? {
    SQLError.foundationType(type, column.value(row).kindName)
  }

  /// The value of a type that does not stand in one column.
  func decodeParts<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if isNull, !(type is any AbsentDecodable.Type) {
      throw SQLError.misfit(.null, type)
    }
    switch column.kind {
    case .json where !isNull: return try json().decode(type)
    case .record where !isNull:
      if let fields = column.fields {
        return try fields.decode(type, row: column.fieldRow(row))
      }
    case .boolean, .int16, .int32, .int64, .float, .double, .text, .json, .list, .record, .other:
      break
    }
    return try Value(from: self)
  }

  /// A number of a type that no column is made for.
  private func narrow<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    let number = try column.read(Int64.self, row)
    guard let exact = Number(exactly: number) else { throw SQLError.outOfRange(number, type) }
    return exact
  }

  private func json() throws -> JSONNodeDecoder {
    do throws(JSONReader.Failure) {
      return JSONNodeDecoder(try JSONNode(column.textBytes(row) ?? []))
    } catch {
      throw SQLError(.datatypeMismatch, "the text is no JSON from byte \(error.offset) on")
    }
  }

  private func misfit(_ wanted: String) -> SQLError {
    let kind = isNull ? "NULL" : "a value of type \(column.typeName)"
    return SQLError(.datatypeMismatch, "\(kind) is not \(wanted)")
  }
}

/// A type that decodes from NULL.
private protocol AbsentDecodable {}
extension Optional: AbsentDecodable {}

/// The elements of an array.
private struct ElementsContainer: UnkeyedDecodingContainer {
  private let elements: CellColumn
  private let range: Range<Int>
  private(set) var currentIndex = 0
  var codingPath: [any CodingKey] { [] }

  init(_ elements: CellColumn, _ range: Range<Int>) {
    self.elements = elements
    self.range = range
  }

  var count: Int? { range.count }
  var isAtEnd: Bool { currentIndex >= range.count }

  private func current() throws -> CellDecoder {
    guard !isAtEnd else {
      throw SQLError(.datatypeMismatch, "the array has only \(range.count) elements")
    }
    return CellDecoder(elements, range.lowerBound + currentIndex)
  }

  private mutating func next<Result>(_ body: (CellDecoder) throws -> Result) throws -> Result {
    do {
      let result = try body(try current())
      currentIndex += 1
      return result
    } catch {
      throw SQLError(decoding: error).inside("[\(currentIndex)]")
    }
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, elements.isNull(range.lowerBound + currentIndex) else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next { try $0.decode(type) }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { try next { try $0.container(keyedBy: type) } }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
