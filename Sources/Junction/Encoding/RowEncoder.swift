import Columnar
import Diagnostics

/// The columns of a table that rows are put into, one after another.
///
/// As in decoding, properties come in the same order for each row, so a name is compared rather than searched for.
final class RowColumns {
  /// A property that has come, and the column that it goes to.
  private struct Guess {
    let name: String
    /// The writer of the column, which `writers` holds.
    let column: UncountedReference<ColumnWriter>
    var type: ObjectIdentifier?
    var slot: AnyObject?
  }

  private let table: String
  private let names: [String]
  private let types: [LogicalType]
  private var guesses: [Guess] = []
  private var next = 0
  /// The columns that have had a value, in the order in which they came.
  private var writers: [ColumnWriter] = []
  private var writerOfColumn: [Int?]
  /// How many rows the unfinished chunk has.
  private var rowCount = 0
  /// Containers of JSON columns that the row in hand still fills.
  private var open: [(column: ColumnWriter, part: JSONTextEncoder.Part)] = []
  /// The columns of chunks that are full; a later chunk may have more.
  private var chunks: [(columns: [Vector], count: Int)] = []

  init(_ table: String, _ columns: [ResultColumn]) {
    self.table = table
    names = columns.map(\.name)
    types = columns.map(\.type)
    writerOfColumn = Array(repeating: nil, count: columns.count)
  }

  fileprivate func beginRow() { next = 0 }

  fileprivate func endRow() throws {
    for (column, part) in open { try column.append(part) }
    open = []
    rowCount += 1
    for writer in writers where writer.count < rowCount { try writer.appendNull() }
    if let writer = writers.first(where: { $0.count > rowCount }) {
      throw SQLError(.duplicateColumn, "column \"\(writer.name)\" specified more than once")
    }
    if rowCount == Vector.pageCapacity { endChunk() }
  }

  private func endChunk() {
    if rowCount > 0 { chunks.append((writers.map { $0.take() }, rowCount)) }
    rowCount = 0
  }

  /// The rows, with the names of their columns; a property that came late is NULL in the rows before.
  func finish() -> (names: [String], chunks: [DataChunk]) {
    endChunk()
    let complete = chunks.map { chunk in
      DataChunk(
        writers.indices.map { index in
          index < chunk.columns.count
            ? chunk.columns[index] : .null(writers[index].type, count: chunk.count)
        }, count: chunk.count)
    }
    return (writers.map(\.name), complete)
  }

  @inline(__always)
  fileprivate func place(_ name: String) throws(SQLError) -> Int {
    if next < guesses.count, guesses[next].name == name {
      defer { next += 1 }
      return next
    }
    return try search(name)
  }

  private func search(_ name: String) throws(SQLError) -> Int {
    if let known = guesses.firstIndex(where: { $0.name == name }) {
      next = known + 1
      return known
    }
    guard let column = try ColumnNames.index(of: name, in: names) else {
      var error = SQLError.noColumn(name, among: names)
      error.message = "column \"\(name)\" of relation \"\(table)\" does not exist"
      throw error
    }
    guesses.append(
      Guess(name: name, column: UncountedReference(writers[try writer(ofColumn: column)])))
    next = guesses.count
    return guesses.count - 1
  }

  /// The place of a column's writer, which is made for the first of its values.
  private func writer(ofColumn column: Int) throws(SQLError) -> Int {
    if let known = writerOfColumn[column] { return known }
    let made = ColumnWriter(names[column], types[column])
    for _ in 0..<rowCount { try made.appendNull() }
    writers.append(made)
    writerOfColumn[column] = writers.count - 1
    return writers.count - 1
  }

  /// Adds a row of values, each with the place of its column in the table.
  ///
  /// - Throws: 22P02 and others for a value that its column does not take.
  func append(_ row: [(column: Int, value: SQLValue)]) throws {
    for (column, value) in row {
      let writer = writers[try writer(ofColumn: column)]
      do throws(SQLError) { try writer.append(value) } catch {
        throw error.inColumn(writer.name)
      }
    }
    try endRow()
  }

  /// Lets `body` add the value of a property to its column.
  @inline(__always)
  fileprivate func write(
    _ key: some CodingKey, _ body: (ColumnWriter) throws -> Void
  ) throws {
    try guesses[try place(key.stringValue)].column.withObject { (writer) throws in
      do { try body(writer) } catch { throw SQLError(encoding: error).inColumn(writer.name) }
    }
  }

  fileprivate func write<Value: Encodable>(_ value: Value, _ key: some CodingKey) throws {
    let place = try place(key.stringValue)
    let slot: EncodingSlot<Value>
    if let known = guesses[place].slot, guesses[place].type == ObjectIdentifier(Value.self) {
      // The identifier says that the slot is one of this type.
      slot = unsafe unsafeDowncast(known, to: EncodingSlot<Value>.self)
    } else {
      slot = .make()
      guesses[place].slot = slot
      guesses[place].type = ObjectIdentifier(Value.self)
    }
    try guesses[place].column.withObject { (writer) throws in
      do { try slot.write(value, to: writer) } catch {
        throw SQLError(encoding: error).inColumn(writer.name)
      }
    }
  }

  /// An encoder of a part of the row that is filled bit by bit; it goes to its column when the row ends.
  fileprivate func part(_ key: some CodingKey) -> JSONTextEncoder {
    let part = JSONTextEncoder.Part()
    if let place = try? place(key.stringValue) {
      guesses[place].column.withObject { open.append(($0, part)) }
    }
    return JSONTextEncoder(part)
  }
}

/// Encodes values into the columns of a table, one row after another.
final class RowEncoder: Encoder {
  private let columns: RowColumns
  /// The container that was handed out last, for the type of its keys.
  private var container: (key: ObjectIdentifier, object: AnyObject)?
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ columns: RowColumns) { self.columns = columns }

  /// Adds a row.
  ///
  /// - Throws: 42703 for a property without a column, 22P02 and others for a value that the column does not take.
  func append(_ row: some Encodable) throws {
    columns.beginRow()
    try row.encode(to: self)
    try columns.endRow()
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    let key = ObjectIdentifier(type)
    if let container, container.key == key {
      // The identifier says that the keys are of this type.
      return unsafe unsafeDowncast(container.object, to: KeptContainer<Key>.self).container
    }
    let made = KeptContainer(KeyedEncodingContainer(RowContainer<Key>(columns)))
    container = (key, made)
    return made.container
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { NoRowContainer(self) }
  func singleValueContainer() -> any SingleValueEncodingContainer { NoRowContainer(self) }
}

/// Keeps a container, which has an object of its own that need not be made for each row.
private final class KeptContainer<Key: CodingKey> {
  let container: KeyedEncodingContainer<Key>
  init(_ container: KeyedEncodingContainer<Key>) { self.container = container }
}

extension SQLError {
  /// What an error that came out of an encoder says.
  init(encoding error: any Error) {
    if let error = error as? SQLError {
      self = error
    } else if case .invalidValue(_, let context)? = error as? EncodingError {
      self.init(.invalidParameterValue, context.debugDescription)
    } else {
      self.init(.invalidParameterValue, "\(error)")
    }
  }
}

/// The properties of a row.
private struct RowContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let row: RowColumns
  var codingPath: [any CodingKey] { [] }

  init(_ row: RowColumns) { self.row = row }

  func encodeNil(forKey key: Key) throws { try row.write(key) { try $0.appendNull() } }
  func encode(_ value: String, forKey key: Key) throws {
    try row.write(key) { try $0.append(value) }
  }
  func encode(_ value: Double, forKey key: Key) throws {
    try row.write(key) { try $0.append(value) }
  }
  func encode(_ value: Int, forKey key: Key) throws {
    try row.write(key) { try $0.append(Int64(value)) }
  }
  func encode(_ value: Int8, forKey key: Key) throws {
    try row.write(key) { try $0.append(Int64(value)) }
  }
  func encode(_ value: Int16, forKey key: Key) throws {
    try row.write(key) { try $0.append(Int64(value)) }
  }
  func encode(_ value: Int32, forKey key: Key) throws {
    try row.write(key) { try $0.append(Int64(value)) }
  }
  func encode(_ value: Int64, forKey key: Key) throws {
    try row.write(key) { try $0.append(value) }
  }
  func encode(_ value: UInt8, forKey key: Key) throws {
    try row.write(key) { try $0.append(Int64(value)) }
  }
  func encode(_ value: UInt16, forKey key: Key) throws {
    try row.write(key) { try $0.append(Int64(value)) }
  }
  func encode(_ value: UInt32, forKey key: Key) throws {
    try row.write(key) { try $0.append(Int64(value)) }
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try row.write(value, key)
  }

  func encodeIfPresent(_ value: String?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
  }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
  }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
  }
  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { row.part(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    row.part(key).unkeyedContainer()
  }

  /// The row itself: a superclass has its properties beside those of its subclass.
  func superEncoder() -> any Encoder { RowEncoder(row) }

  func superEncoder(forKey key: Key) -> any Encoder { row.part(key) }
}

/// Refuses what has no properties.
private struct NoRowContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
  private let row: RowEncoder
  var codingPath: [any CodingKey] { [] }
  var count: Int { 0 }

  init(_ row: RowEncoder) { self.row = row }

  private static var refusal: SQLError {
    SQLError(
      .datatypeMismatch, "a row is a value with properties",
      hint: "Insert columns by append(_:to:).")
  }

  func encodeNil() throws { throw Self.refusal }
  func encode<Value: Encodable>(_ value: Value) throws {
    // Optionals and wrappers hand on what they hold.
    if value is any SQLValueConvertible { throw Self.refusal }
    try value.encode(to: row)
  }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> { row.container(keyedBy: type) }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { row }
}
