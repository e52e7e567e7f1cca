import Columnar
import Diagnostics

/// The named columns of rows, or the fields of records, of which one row after another is read.
///
/// The properties of a type are asked for in the same order for each row. So the order in which they were asked for in the first
/// row is kept, and one name is compared where it would have to be searched for.
final class NamedFields {
  /// A name that was asked for: the column that it means, and how its values are read.
  private struct Guess {
    let name: String
    let column: Int
    /// The column of the chunk at hand, which `columns` holds.
    var cells: UncountedReference<CellColumn>
    var type: ObjectIdentifier?
    var slot: AnyObject?
  }

  /// The names of all columns, for a search.
  private(set) lazy var names = results.map(\.name)
  private let results: [ResultColumn]
  private var columns: [CellColumn]
  // Each access of these ends before anything else is run, so none has to be watched.
  @exclusivity(unchecked) fileprivate private(set) var row = 0
  @exclusivity(unchecked) private var guesses: [Guess] = []
  /// The guess that comes next.
  @exclusivity(unchecked) private var next = 0

  init(_ names: [String], _ columns: [CellColumn]) {
    results = []
    self.columns = columns
    self.names = names
  }

  /// The columns of a result, before its first chunk; the names that will be asked for if they are known.
  init(_ columns: [ResultColumn], in order: FieldOrder?) {
    results = columns
    self.columns = []
    guard let order else { return }
    unsafe guesses = order.fields.map {
      Guess(name: $0.name, column: $0.column, cells: UncountedReference(nil))
    }
  }

  /// The names that were asked for, and their columns.
  var order: FieldOrder {
    unsafe FieldOrder(results, guesses.map { FieldOrder.Field(name: $0.name, column: $0.column) })
  }

  /// Goes on to the columns of another chunk.
  func replace(_ columns: [CellColumn]) {
    self.columns = columns
    for place in unsafe guesses.indices {
      unsafe guesses[place].cells = UncountedReference(columns[guesses[place].column])
    }
  }

  /// Goes to a row.
  func begin(_ row: Int) {
    unsafe self.row = row
    unsafe next = 0
  }

  /// The place of a name's column, or nil.
  @inline(__always)
  fileprivate func find(_ name: String) throws(SQLError) -> Int? {
    let place = unsafe next
    if unsafe place < guesses.count && guesses[place].name == name {
      unsafe next = place + 1
      return place
    }
    return try search(name)
  }

  private func search(_ name: String) throws(SQLError) -> Int? {
    if let known = unsafe guesses.firstIndex(where: { $0.name == name }) {
      unsafe next = known + 1
      return known
    }
    guard let column = try ColumnNames.index(of: name, in: names) else { return nil }
    let place = unsafe guesses.count
    unsafe guesses.append(
      Guess(name: name, column: column, cells: UncountedReference(columns[column])))
    unsafe next = place + 1
    return place
  }

  /// The place of a name's column, which is going to be asked for again.
  fileprivate func peek(_ name: String) throws(SQLError) -> Int? {
    guard let place = try find(name) else { return nil }
    unsafe next = place
    return place
  }

  fileprivate func place(_ name: String) throws(SQLError) -> Int {
    if let place = try find(name) { return place }
    throw .noColumn(name, among: names)
  }

  /// The column of a place; the fields hold it.
  @inline(__always)
  fileprivate func cells(_ place: Int) -> UncountedReference<CellColumn> {
    unsafe guesses[place].cells
  }

  fileprivate func isNull(_ place: Int) -> Bool {
    cells(place).withObject { unsafe $0.isNull(row) } ?? true
  }

  fileprivate func isAbsent(_ place: Int) -> Bool {
    cells(place).withObject { unsafe $0.isAbsent(row) } ?? true
  }

  /// A decoder of a single value.
  fileprivate func decoder(_ place: Int) -> CellDecoder {
    unsafe CellDecoder(columns[guesses[place].column], row)
  }

  fileprivate func error(_ error: any Error, at place: Int) -> SQLError {
    unsafe SQLError(decoding: error).inColumn(names[guesses[place].column])
  }

  /// The way in which values of a type are read, which was found in an earlier row, or is found now.
  @inline(__always)
  fileprivate func slot<Value: Decodable>(_ type: Value.Type, _ place: Int) -> ValueSlot<Value> {
    if unsafe guesses[place].type == ObjectIdentifier(type),
      let slot = unsafe guesses[place].slot
    {
      // The identifier says that the slot is one of this type.
      return unsafe unsafeDowncast(slot, to: ValueSlot<Value>.self)
    }
    let slot = ValueSlot<Value>.make()
    unsafe guesses[place].slot = slot
    unsafe guesses[place].type = ObjectIdentifier(type)
    return slot
  }

  /// Whether the row is nothing but a NULL.
  fileprivate var isNull: Bool { unsafe columns.count == 1 && columns[0].isNull(row) }

  /// A decoder of the first column.
  fileprivate func firstDecoder() throws(SQLError) -> CellDecoder {
    guard let first = columns.first else {
      throw SQLError(.datatypeMismatch, "the result has no column")
    }
    return unsafe CellDecoder(first, row)
  }
}

/// Decodes rows of named columns, or the fields of records, one row after another.
final class FieldsDecoder: Decoder {
  let fields: NamedFields
  /// The container that was handed out last, and the type of its keys.
  private var last: (keys: ObjectIdentifier, container: KeptContainer)?
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ fields: NamedFields) { self.fields = fields }

  /// The value of a row.
  func decode<Value: Decodable>(_ type: Value.Type, row: Int) throws -> Value {
    fields.begin(row)
    return try Value(from: self)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let keys = ObjectIdentifier(type)
    if let last, last.keys == keys { return last.container.opened() }
    let container = KeyedDecodingContainer(FieldsContainer<Key>(fields))
    if let kept = KeptContainer(container) { last = (keys, kept) }
    return container
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw SQLError(.datatypeMismatch, "a row is not an array")
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    RowValueContainer(self)
  }
}

/// A container whose type is not looked up again: it has an object of its own, which need not be made for each row, and to look up a
/// generic type takes as long as to make one.
///
/// - Invariant: it is opened as the type that it was made of. A container is one reference; where it is not, it is not kept.
private struct KeptContainer {
  private let reference: AnyObject

  init?<Key>(_ container: KeyedDecodingContainer<Key>) {
    guard MemoryLayout<KeyedDecodingContainer<Key>>.size == MemoryLayout<AnyObject>.size else {
      return nil
    }
    reference = unsafe unsafeBitCast(container, to: AnyObject.self)
  }

  func opened<Key>() -> KeyedDecodingContainer<Key> {
    unsafe unsafeBitCast(reference, to: KeyedDecodingContainer<Key>.self)
  }
}

/// The columns of a row by the names of properties.
private struct FieldsContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let fields: NamedFields
  var codingPath: [any CodingKey] { [] }

  init(_ fields: NamedFields) { self.fields = fields }

  var allKeys: [Key] { fields.names.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { (try? fields.peek(key.stringValue)) ?? nil != nil }

  @inline(__always)
  private func read<Value: SQLValueConvertible>(_ type: Value.Type, _ key: Key) throws -> Value {
    let place = try fields.place(key.stringValue)
    do throws(SQLError) {
      return try fields.cells(place).read(type, unsafe fields.row)
    } catch {
      throw fields.error(error, at: place)
    }
  }

  /// The value of a property that may be missing: nil for NULL, and where there is no column for it.
  @inline(__always)
  private func readIfPresent<Value: SQLValueConvertible>(
    _ type: Value.Type, _ key: Key
  ) throws -> Value? {
    guard let place = try fields.find(key.stringValue) else { return nil }
    if fields.isNull(place) { return nil }
    do throws(SQLError) {
      return try fields.cells(place).read(type, unsafe fields.row)
    } catch {
      throw fields.error(error, at: place)
    }
  }

  private func decoder(_ key: Key) throws -> CellDecoder {
    fields.decoder(try fields.place(key.stringValue))
  }

  private func narrow<Value>(_ key: Key, _ body: (CellDecoder) throws -> Value) throws -> Value {
    let place = try fields.place(key.stringValue)
    do {
      return try body(fields.decoder(place))
    } catch {
      throw fields.error(error, at: place)
    }
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    guard let place = try fields.peek(key.stringValue) else {
      throw SQLError.noColumn(key.stringValue, among: fields.names)
    }
    return fields.isAbsent(place)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try read(type, key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try read(type, key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try read(type, key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try read(type, key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try read(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try read(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try read(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try read(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try read(type, key) }

  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try narrow(key) { try $0.decode(type) }
  }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try narrow(key) { try $0.decode(type) }
  }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try narrow(key) { try $0.decode(type) }
  }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try narrow(key) { try $0.decode(type) }
  }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try narrow(key) { try $0.decode(type) }
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let place = try fields.place(key.stringValue)
    do {
      return try fields.slot(type, place).read(fields.cells(place), unsafe fields.row)
    } catch {
      throw fields.error(error, at: place)
    }
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try readIfPresent(type, key)
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try readIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try readIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try readIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try readIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try readIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try readIfPresent(type, key)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let place = try fields.find(key.stringValue) else { return nil }
    if fields.isAbsent(place) { return nil }
    do {
      return try fields.slot(type, place).read(fields.cells(place), unsafe fields.row)
    } catch {
      throw fields.error(error, at: place)
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try narrow(key) { try $0.container(keyedBy: type) }
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try narrow(key) { try $0.unkeyedContainer() }
  }

  /// The row itself: a superclass has its properties beside those of its subclass.
  func superDecoder() throws -> any Decoder { FieldsDecoder(fields) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

/// A row of which a single value is wanted: its first column, or what decodes from the whole row.
private struct RowValueContainer: SingleValueDecodingContainer {
  private let decoder: FieldsDecoder
  private var fields: NamedFields { decoder.fields }
  var codingPath: [any CodingKey] { [] }

  init(_ decoder: FieldsDecoder) { self.decoder = decoder }

  private func first<Value>(_ body: (CellDecoder) throws -> Value) throws -> Value {
    let decoder = try fields.firstDecoder()
    do {
      return try body(decoder)
    } catch {
      throw SQLError(decoding: error).inColumn(fields.names[0])
    }
  }

  func decodeNil() -> Bool { fields.isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try first { try $0.decode(type) } }
  func decode(_ type: String.Type) throws -> String { try first { try $0.decode(type) } }
  func decode(_ type: Double.Type) throws -> Double { try first { try $0.decode(type) } }
  func decode(_ type: Float.Type) throws -> Float { try first { try $0.decode(type) } }
  func decode(_ type: Int.Type) throws -> Int { try first { try $0.decode(type) } }
  func decode(_ type: Int8.Type) throws -> Int8 { try first { try $0.decode(type) } }
  func decode(_ type: Int16.Type) throws -> Int16 { try first { try $0.decode(type) } }
  func decode(_ type: Int32.Type) throws -> Int32 { try first { try $0.decode(type) } }
  func decode(_ type: Int64.Type) throws -> Int64 { try first { try $0.decode(type) } }
  func decode(_ type: UInt.Type) throws -> UInt { try first { try $0.decode(type) } }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try first { try $0.decode(type) } }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try first { try $0.decode(type) } }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try first { try $0.decode(type) } }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try first { try $0.decode(type) } }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if type is any SQLValueConvertible.Type { return try first { try $0.decode(type) } }
    return try Value(from: decoder)
  }
}
