import Columnar

/// PostgreSQL's families of types, within which a common type is looked for.
enum TypeCategory {
  case boolean, numeric, string, bitString, dateTime, timeSpan, array, composite, enumeration, user,
    unknown
  case pseudo
}

extension LogicalType {
  /// The family of the type.
  var category: TypeCategory {
    switch self {
    case .boolean: .boolean
    case .smallint, .integer, .bigint, .real, .double, .numeric, .oid: .numeric
    case .text, .varchar, .character, .name: .string
    case .date, .time, .timetz, .timestamp, .timestamptz: .dateTime
    case .bit, .varbit: .bitString
    case .interval: .timeSpan
    case .array: .array
    case .record: .composite
    case .enumeration: .enumeration
    case .uuid, .json, .jsonb, .bytea: .user
    case .unknown: .unknown
    case .void: .pseudo
    }
  }

  /// Whether the type is the one its family prefers.
  var isPreferred: Bool {
    switch self {
    case .boolean, .double, .oid, .text, .timestamptz, .interval, .varbit: true
    case .smallint, .integer, .bigint, .real, .numeric, .varchar, .character, .name, .bytea, .date,
      .time, .timetz, .timestamp, .bit, .uuid, .json, .jsonb, .array, .record, .enumeration,
      .unknown, .void:
      false
    }
  }
}
