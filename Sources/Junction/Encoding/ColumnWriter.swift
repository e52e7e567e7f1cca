import Columnar
import Diagnostics

/// Puts one column of new rows together, in the type of a table's column.
///
/// What the modifier of the type says, such as the 10 of `varchar(10)`, is left to the load.
final class ColumnWriter {
  let name: String
  let type: LogicalType
  private let kind: CellColumn.Kind
  /// Room for numbers of the kinds that come most often, each at its own width.
  private var room: Buffer<Int64>?
  /// The same room, which is written to without being counted.
  private var numbers = PagePointer<Int64>.none
  private var validity = ValidityMask.allValid
  private var numberCount = 0
  /// What keeps values of all other kinds.
  private var builder: VectorBuilder
  private let holdsNumbers: Bool
  private let isPlainText: Bool
  private static var capacity: Int { Vector.pageCapacity }

  init(_ name: String, _ type: LogicalType) {
    self.name = name
    self.type = type
    kind = CellColumn.kind(of: type)
    holdsNumbers = kind == .int32 || kind == .int64 || kind == .double
    isPlainText = type == .text || type == .varchar
    builder = VectorBuilder(type, capacity: holdsNumbers ? 1 : 16)
    makeRoom()
  }

  private func makeRoom() {
    guard holdsNumbers else { return }
    let buffer = Buffer<Int64>(zeroed: Self.capacity)
    room = buffer
    numbers = PagePointer(buffer)
    validity = .allValid
    numberCount = 0
  }

  /// How many values there are.
  var count: Int { holdsNumbers ? numberCount : builder.count }

  /// Whether the column takes any value, as JSON.
  var isJSON: Bool { kind == .json }

  /// What was put together; the next value is the first of another vector.
  func take() -> Vector {
    guard let room else {
      let vector = builder.finish()
      builder = VectorBuilder(type, capacity: vector.count)
      return vector
    }
    defer { makeRoom() }
    return Vector(type: type, count: numberCount, storage: room.block, validity: validity)
  }

  /// The place of the next number.
  ///
  /// - Throws: 42701 where a chunk is full, since a row has one value for a column.
  @inline(__always)
  private func nextPlace() throws(SQLError) -> Int {
    guard numberCount < Self.capacity else {
      throw SQLError(.duplicateColumn, "column \"\(name)\" specified more than once")
    }
    numberCount += 1
    return numberCount - 1
  }

  /// - Throws: 42701 as of a number.
  func appendNull() throws(SQLError) {
    if holdsNumbers {
      validity.setNull(try nextPlace(), count: Self.capacity)
    } else {
      builder.appendNull()
    }
  }

  @inline(__always)
  private func store<Number: BitwiseCopyable>(_ number: Number) throws(SQLError) {
    numbers.bound(to: Number.self).store(number, at: try nextPlace())
  }

  /// - Throws: 22003 where the number does not fit, 22P02 where the column takes no number.
  func append(_ number: Int64) throws(SQLError) {
    if kind == .int32, let narrow = Int32(exactly: number) {
      try store(narrow)
    } else if kind == .int64, type == .bigint {
      try store(number)
    } else if isJSON {
      try append(json: number.description)
    } else {
      try append(engine: .integer(number))
    }
  }

  /// - Throws: 22P02 where the column takes no number.
  func append(_ number: Double) throws(SQLError) {
    if kind == .double {
      try store(number)
    } else if isJSON, number.isFinite {
      try append(json: number.description)
    } else {
      try append(engine: .double(number))
    }
  }

  /// A text; of a JSON column one that is JSON.
  ///
  /// - Throws: 22021 for a text with a zero byte; 22P02 where the text spells no value of the column's type.
  func append(_ text: String) throws(SQLError) {
    if isPlainText {
      try text.checkNoZero()
      builder.append(text)
    } else {
      try append(engine: .text(text))
    }
  }

  /// - Throws: 22003 or 22P02 where it is no value of the column's type.
  func append(_ value: SQLValue) throws(SQLError) {
    if case .text(let text) = value, isPlainText {
      try append(text)
    } else if case .null = value {
      try appendNull()
    } else {
      try append(engine: value)
    }
  }

  /// Adds a value that has to be brought into the engine's form.
  private func append(engine value: SQLValue) throws(SQLError) {
    let value = try value.engineValue(as: type)
    guard holdsNumbers else { return builder.append(value) }
    if kind == .int32, case .int32(let number) = value {
      try store(number)
    } else if kind == .int64, case .int64(let number) = value {
      try store(number)
    } else if kind == .double, case .double(let number) = value {
      try store(number)
    } else {
      try appendNull()
    }
  }

  func append(json text: String) throws(SQLError) { try append(.json(text)) }

  /// What has encoded itself.
  ///
  /// - Throws: 42804 for an object in a column that holds no JSON; as `append(_:)`.
  func append(_ part: JSONTextEncoder.Part) throws(SQLError) {
    if isJSON {
      try append(json: part.text)
    } else {
      try append(try part.value(for: name))
    }
  }
}

extension JSONTextEncoder.Part {
  /// What it is as the value of a column.
  ///
  /// - Throws: 42804 for an object.
  func value(for column: String) throws(SQLError) -> SQLValue {
    switch content {
    case .raw("null"): return .null
    case .raw(let text), .text(let text): return .text(text)
    case .array(let elements):
      var values: [SQLValue] = []
      for element in elements { values.append(try element.value(for: column)) }
      return .array(values)
    case .object:
      throw SQLError(
        .datatypeMismatch, "a value of several parts does not go into the column",
        hint: "A column of type jsonb takes it.")
    }
  }
}

/// How values of one Swift type go into one column; found once for each property and insert.
class EncodingSlot<Value> {
  /// Adds the value.
  func write(_ value: Value, to column: ColumnWriter) throws {
    throw SQLError.internal("a slot without a way to write \(Value.self)")
  }

  /// The way in which values of a type are written.
  static func make() -> EncodingSlot<Value> where Value: Encodable {
    func open<Convertible: SQLValueConvertible>(_ type: Convertible.Type) -> AnyObject {
      ConvertibleEncodingSlot<Convertible>()
    }
    if let type = Value.self as? any SQLValueConvertible.Type,
      let slot = open(type) as? EncodingSlot<Value>
    {
      return slot
    }
    return PartEncodingSlot<Value>()
  }
}

/// Writes what stands in one column.
private final class ConvertibleEncodingSlot<Value: SQLValueConvertible>: EncodingSlot<Value> {
  private let isJSON = Value.sqlType.name == "jsonb" || Value.self == String.self

  override func write(_ value: Value, to column: ColumnWriter) throws {
    if column.isJSON, !isJSON {
      try column.append(json: try JSONTextEncoder.text(of: value))
    } else {
      try column.append(value.sqlValue)
    }
  }
}

/// Writes what encodes itself.
private final class PartEncodingSlot<Value: Encodable>: EncodingSlot<Value> {
  override func write(_ value: Value, to column: ColumnWriter) throws {
    try column.append(try JSONTextEncoder.part(of: value))
  }
}
