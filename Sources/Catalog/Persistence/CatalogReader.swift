import Columnar
import Diagnostics
import Durability
import SQLSyntax

/// Takes the parts of a catalog out of bytes, of which nothing is believed.
///
/// All functions throw XX001 for bytes that are no catalog's. What refers to other objects is only looked at when
/// everything has been read: see `CatalogSnapshot.checkConsistency()`.
struct CatalogReader {
  private(set) var bytes: ByteReader
  /// The table of types, and how high each of them is.
  private var types: [LogicalType] = []
  private var heights: [Int] = []

  /// The number of the layout; see `CatalogFormat`.
  let format: UInt32

  init(_ bytes: ByteReader, format: UInt32) {
    self.bytes = bytes
    self.format = format
  }

  func damage(_ reason: String) -> SQLError { bytes.damage(reason) }

  // MARK: Types

  /// Takes the table of types, to which all further types lead.
  mutating func readTypes() throws(SQLError) {
    var known: Set<[UInt8]> = []
    for _ in 0..<(try bytes.count(ofElements: 1)) {
      var entry = bytes
      let tag = try bytes.byte()
      let type: LogicalType
      var height = 1
      switch TypeTag(rawValue: tag) {
      case .record?:
        let name = try optional { reader throws(SQLError) in try reader.text() }
        let fields = try list { reader throws(SQLError) in
          let name = try reader.text()
          let (type, own) = try reader.typeWithHeight()
          height = max(height, own + 1)
          return RecordType.Field(name, type)
        }
        type = .record(RecordType(name: name, fields: fields))
      case .enumeration?:
        let name = try text()
        let labels = try list { reader throws(SQLError) in try reader.text() }
        type = .enumeration(EnumerationType(name: name, labels: labels))
      case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
        .character, .name, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
        .varbit, .uuid, .json, .jsonb, .oid, .unknown, .void, .array, nil:
        throw damage("\(tag) is no tag in the table of types")
      }
      guard height <= CatalogFormat.typeHeightMax else { throw tooDeep() }
      let own = try entry.raw(bytes.offset - entry.offset)
      guard known.insert((0..<own.count).map { own[$0] }).inserted else {
        throw damage("a type is there twice")
      }
      types.append(type)
      heights.append(height)
    }
  }

  private func tooDeep() -> SQLError {
    damage("a type is more than \(CatalogFormat.typeHeightMax) types deep")
  }

  private mutating func typeWithHeight() throws(SQLError) -> (LogicalType, height: Int) {
    var arrayCount = 0
    var tag = try bytes.byte()
    while tag == TypeTag.array.rawValue {
      arrayCount += 1
      guard arrayCount <= CatalogFormat.typeHeightMax else { throw tooDeep() }
      tag = try bytes.byte()
    }
    guard let known = TypeTag(rawValue: tag) else { throw damage("\(tag) is no type's tag") }
    var height = 1
    var type: LogicalType
    switch known {
    case .record, .enumeration:
      let place = try bytes.count()
      guard place < types.count else { throw damage("there is no type \(place)") }
      type = types[place]
      height = heights[place]
      switch type {
      case .record where known == .record: break
      case .enumeration where known == .enumeration: break
      case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
        .character, .name, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
        .varbit, .uuid, .json, .jsonb, .oid, .array, .record, .enumeration, .unknown, .void:
        throw damage("type \(place) is of another kind")
      }
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
      .varbit, .uuid, .json, .jsonb, .oid, .array, .unknown, .void:
      type = Self.plainType(known)
    }
    for _ in 0..<arrayCount { type = .array(type) }
    return (type, height + arrayCount)
  }

  private static func plainType(_ tag: TypeTag) -> LogicalType {
    switch tag {
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
    case .void: .void
    case .unknown, .array, .record, .enumeration: .unknown
    }
  }

  mutating func type() throws(SQLError) -> LogicalType { try typeWithHeight().0 }

  mutating func recordType() throws(SQLError) -> RecordType {
    guard case .record(let record) = try type() else { throw damage("a type is no record") }
    return record
  }

  /// - Throws: XX001; 0A000 for a collation that this machine does not know.
  mutating func collation() throws(SQLError) -> Collation? {
    guard format >= CatalogFormat.collations, try flag() else { return nil }
    let name = try text()
    guard let collation = Collation.named(name) else {
      throw SQLError(
        .featureNotSupported, "the database uses collation \"\(name)\", which is not known here",
        hint: "Open it with a program whose library of Unicode knows the language.")
    }
    return collation
  }

  mutating func columnType() throws(SQLError) -> ColumnType {
    var type = try modifiedType()
    type.collation = try collation()
    return type
  }

  private mutating func modifiedType() throws(SQLError) -> ColumnType {
    let type = try type()
    switch try bytes.byte() {
    case 0: return ColumnType(type)
    case 1: return ColumnType(type, .length(Int32(bitPattern: try bytes.half())))
    case 2:
      let precision = Int32(bitPattern: try bytes.half())
      return ColumnType(
        type, .numeric(precision: precision, scale: Int32(bitPattern: try bytes.half())))
    case 3: return ColumnType(type, .precision(Int32(bitPattern: try bytes.half())))
    case 4:
      let digits = Int32(bitPattern: try bytes.half())
      guard let range = IntervalRange(rawValue: try bytes.byte()) else {
        throw damage("an interval has unknown fields")
      }
      return ColumnType(type, .interval(range, precision: digits < 0 ? nil : digits))
    case let tag: throw damage("\(tag) is no modifier's tag")
    }
  }

  // MARK: Pieces

  mutating func tag() throws(SQLError) -> UInt8 { try bytes.byte() }

  mutating func flag() throws(SQLError) -> Bool { try bytes.flag() }

  mutating func number() throws(SQLError) -> Int64 { try bytes.number() }

  mutating func text() throws(SQLError) -> String { try bytes.text() }

  mutating func id() throws(SQLError) -> ObjectID {
    guard let number = UInt32(exactly: try bytes.count()) else {
      throw damage("an object's number is too great")
    }
    return ObjectID(number)
  }

  mutating func name() throws(SQLError) -> ObjectName {
    let schema = try text()
    return ObjectName(schema: schema, try text())
  }

  mutating func place() throws(SQLError) -> Int { try bytes.count() }

  mutating func places() throws(SQLError) -> [Int] {
    try list { reader throws(SQLError) in try reader.place() }
  }

  mutating func ids() throws(SQLError) -> Set<ObjectID> {
    Set(try list { reader throws(SQLError) in try reader.id() })
  }

  mutating func expression() throws(SQLError) -> Expression {
    let sql = try text()
    do throws(SQLError) {
      return try parseExpression(sql)
    } catch {
      throw damage("an expression is no SQL (\(error.message))")
    }
  }

  mutating func query() throws(SQLError) -> SelectStatement {
    let sql = try text()
    let statement: Statement
    do throws(SQLError) {
      statement = try parseStatement(sql).statement
    } catch {
      throw damage("a query is no SQL (\(error.message))")
    }
    guard case .select(let query) = statement else { throw damage("a statement is no query") }
    return query
  }

  mutating func optional<Value>(
    _ body: (inout CatalogReader) throws(SQLError) -> Value
  ) throws(SQLError) -> Value? {
    try flag() ? try body(&self) : nil
  }

  mutating func list<Element>(
    _ body: (inout CatalogReader) throws(SQLError) -> Element
  ) throws(SQLError) -> [Element] {
    let count = try bytes.count(ofElements: 1)
    var elements: [Element] = []
    elements.reserveCapacity(min(count, 64))
    for _ in 0..<count { elements.append(try body(&self)) }
    return elements
  }
}
