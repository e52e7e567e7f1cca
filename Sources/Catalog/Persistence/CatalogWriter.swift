import Columnar
import Durability
import SQLSyntax

/// Puts the parts of a catalog into bytes, and gathers the records and enumerations that they mention in a table.
///
/// See `CatalogFormat` for what stands where.
struct CatalogWriter {
  /// The catalog's parts, which stand behind the table of types.
  private(set) var bytes = ByteWriter(capacity: 4096)
  /// The entries of the table of types.
  private var entries: [[UInt8]] = []
  /// The places in the table of objects that have been met.
  private var objects: [ObjectIdentifier: Int] = [:]
  /// The places in the table by what stands there.
  private var places: [[UInt8]: Int] = [:]

  // MARK: Types

  /// A type in a form that can be written: how many arrays are around what is at its heart.
  private struct TypeForm {
    var arrayCount = 0
    var tag: TypeTag
    var place: Int?

    func append(to bytes: inout ByteWriter) {
      for _ in 0..<arrayCount { bytes.append(byte: TypeTag.array.rawValue) }
      bytes.append(byte: tag.rawValue)
      if let place { bytes.append(count: place) }
    }
  }

  private mutating func form(of type: LogicalType) -> TypeForm {
    var heart = type
    var arrayCount = 0
    while case .array(let element) = heart {
      heart = element
      arrayCount += 1
    }
    if case .record(let record) = heart {
      return TypeForm(arrayCount: arrayCount, tag: .record, place: place(of: record))
    }
    if case .enumeration(let type) = heart {
      return TypeForm(arrayCount: arrayCount, tag: .enumeration, place: place(of: type))
    }
    return TypeForm(arrayCount: arrayCount, tag: Self.plainTag(of: heart))
  }

  private static func plainTag(of type: LogicalType) -> TypeTag {
    switch type {
    case .boolean: .boolean
    case .smallint: .smallint
    case .integer: .integer
    case .bigint: .bigint
    case .real: .real
    case .double: .double
    case .numeric: .numeric
    case .text: .text
    case .varchar: .varchar
    case .character: .character
    case .name: .name
    case .bytea: .bytea
    case .date: .date
    case .time: .time
    case .timetz: .timetz
    case .timestamp: .timestamp
    case .timestamptz: .timestamptz
    case .interval: .interval
    case .bit: .bit
    case .varbit: .varbit
    case .uuid: .uuid
    case .json: .json
    case .jsonb: .jsonb
    case .oid: .oid
    case .unknown: .unknown
    case .void: .void
    case .array: .array
    case .record: .record
    case .enumeration: .enumeration
    }
  }

  private mutating func place(of record: RecordType) -> Int {
    if let place = objects[ObjectIdentifier(record)] { return place }
    let forms = record.fields.map { form(of: $0.type) }
    var entry = ByteWriter()
    entry.append(byte: TypeTag.record.rawValue)
    entry.append(optional: record.name) { $0.append(text: $1) }
    entry.append(count: record.fields.count)
    for (field, form) in zip(record.fields, forms) {
      entry.append(text: field.name)
      form.append(to: &entry)
    }
    return place(of: ObjectIdentifier(record), entry.bytes)
  }

  private mutating func place(of type: EnumerationType) -> Int {
    if let place = objects[ObjectIdentifier(type)] { return place }
    var entry = ByteWriter()
    entry.append(byte: TypeTag.enumeration.rawValue)
    entry.append(text: type.name)
    entry.append(list: type.labels) { $0.append(text: $1) }
    return place(of: ObjectIdentifier(type), entry.bytes)
  }

  /// The place of an entry, which equal objects share.
  private mutating func place(of object: ObjectIdentifier, _ entry: [UInt8]) -> Int {
    let place = places[entry] ?? entries.count
    if place == entries.count {
      entries.append(entry)
      places[entry] = place
    }
    objects[object] = place
    return place
  }

  /// The table of all types that have been written.
  func writeTypes(into bytes: inout ByteWriter) {
    bytes.append(count: entries.count)
    for entry in entries { bytes.append(raw: entry.span) }
  }

  mutating func write(_ type: LogicalType) { form(of: type).append(to: &bytes) }

  mutating func write(_ record: RecordType) { write(LogicalType.record(record)) }

  mutating func write(_ type: ColumnType) {
    write(type.type)
    switch type.modifier {
    case .none: write(tag: 0)
    case .length(let length):
      write(tag: 1)
      bytes.append(half: UInt32(bitPattern: length))
    case .numeric(let precision, let scale):
      write(tag: 2)
      bytes.append(half: UInt32(bitPattern: precision))
      bytes.append(half: UInt32(bitPattern: scale))
    case .precision(let digits):
      write(tag: 3)
      bytes.append(half: UInt32(bitPattern: digits))
    case .interval(let range, let precision):
      write(tag: 4)
      bytes.append(half: UInt32(bitPattern: precision ?? -1))
      write(tag: range.rawValue)
    }
    write(type.collation)
  }

  mutating func write(_ collation: Collation?) {
    write(optional: collation) { $0.write($1.name) }
  }

  // MARK: Pieces

  mutating func write(tag: UInt8) { bytes.append(byte: tag) }

  mutating func write(_ flag: Bool) { bytes.append(flag: flag) }

  mutating func write(_ number: Int64) { bytes.append(number: number) }

  mutating func write(_ text: String) { bytes.append(text: text) }

  mutating func write(_ id: ObjectID) { bytes.append(count: Int(id.number)) }

  mutating func write(_ name: ObjectName) {
    write(name.schema)
    write(name.name)
  }

  /// A column's place, or another number that counts from 0.
  mutating func write(place: Int) { bytes.append(count: place) }

  mutating func write(places: [Int]) { write(list: places) { $0.write(place: $1) } }

  mutating func write(ids: Set<ObjectID>) { write(list: ids.sorted()) { $0.write($1) } }

  mutating func write(_ expression: Expression) { write(SQLPrinter.text(of: expression)) }

  mutating func write(_ query: SelectStatement) { write(SQLPrinter.text(of: query)) }

  mutating func write<Value>(
    optional value: Value?, _ body: (inout CatalogWriter, Value) -> Void
  ) {
    write(value != nil)
    if let value { body(&self, value) }
  }

  mutating func write<Elements: Collection>(
    list elements: Elements, _ body: (inout CatalogWriter, Elements.Element) -> Void
  ) {
    bytes.append(count: elements.count)
    for element in elements { body(&self, element) }
  }
}
