/// How the values of a type are written as JSON, settled once for a whole query.
///
/// - Invariant: `children` holds the element's shape of an array, and a shape for each field of a record.
final class JSONShape: Sendable {
  /// What is written for a value of the type.
  enum Form: UInt8, Sendable {
    case boolean, int16, int32, int64, float, double, numeric
    case date, timestamp, timestamptz
    /// Text to be escaped, and text of any other type, which holds nothing to escape.
    case text, plainText
    case label, bytes
    case json, jsonb
    case array, record
  }

  let form: Form
  let children: [JSONShape]
  /// The names of a record's fields as JSON strings, or an enumeration's labels as plain text.
  let names: [Buffer<UInt8>]
  /// The fields in the order in which a jsonb object holds them, each name once.
  let sortedFields: [Int]

  init(_ type: LogicalType) {
    form = Self.form(of: type)
    switch type {
    case .array(let element):
      children = [JSONShape(element)]
      names = []
      sortedFields = []
    case .record(let record):
      children = record.fields.map { JSONShape($0.type) }
      names = record.fields.map { Self.quoted($0.name) }
      sortedFields = Self.sorted(record.fields.map { Array($0.name.utf8) })
    case .enumeration(let enumeration):
      children = []
      names = enumeration.labels.map { Buffer(Array($0.utf8)) }
      sortedFields = []
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
      .varbit, .uuid, .json, .jsonb, .oid, .unknown, .void:
      children = []
      names = []
      sortedFields = []
    }
  }

  private static func form(of type: LogicalType) -> Form {
    switch type {
    case .boolean: .boolean
    case .smallint: .int16
    case .integer: .int32
    case .bigint: .int64
    case .real: .float
    case .double: .double
    case .numeric: .numeric
    case .date: .date
    case .timestamp: .timestamp
    case .timestamptz: .timestamptz
    case .text, .varchar, .character, .name, .unknown, .void: .text
    case .time, .timetz, .interval, .uuid, .oid, .bit, .varbit: .plainText
    case .bytea: .bytes
    case .enumeration: .label
    case .json: .json
    case .jsonb: .jsonb
    case .array: .array
    case .record: .record
    }
  }

  private static func quoted(_ name: String) -> Buffer<UInt8> {
    let plain = Buffer(Array(name.utf8))
    var builder = ByteBuilder()
    withExtendedLifetime(plain) {
      JSONText.append(quoting: plain.bytes(0..<plain.count), to: &builder)
    }
    return Buffer(builder.array)
  }

  /// The places of `keys` in the order of jsonb; of equal keys only the last.
  private static func sorted(_ keys: [[UInt8]]) -> [Int] {
    let order = keys.indices.sorted { left, right in
      let order = JSONCursor.keyOrder(keys[left], keys[right])
      return order != 0 ? order < 0 : left < right
    }
    return order.indices.filter { index in
      index + 1 == order.count || keys[order[index]] != keys[order[index + 1]]
    }.map { order[$0] }
  }

  /// Whether the values are objects, arrays or JSON, which can be no key of an object.
  var isNested: Bool { form == .json || form == .jsonb || isCompound }

  /// Whether the values are arrays or records, which `json_agg` puts on lines of their own.
  var isCompound: Bool { form == .array || form == .record }
}
