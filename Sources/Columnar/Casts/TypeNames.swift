/// What `resolveTypeName` says of a name.
package enum TypeNameResolution: Sendable, Hashable {
  case type(ColumnType)
  /// A type that PostgreSQL has and the engine does not: 0A000.
  case unsupported
}

/// The type of a SQL name with the numbers of its modifier.
///
/// `name` is the name in its parts, in lower case; a schema other than `pg_catalog` is not looked into. Arrays,
/// enumerations, tables and the serial names are the caller's matter.
/// - Returns: nil for a name of no built-in type (the caller looks further, or says 42704).
package func resolveTypeName(_ name: [String], modifiers: [Int] = []) -> TypeNameResolution? {
  guard let last = name.last, name.count == 1 || name[name.count - 2] == "pg_catalog" else {
    return nil
  }
  if last.hasPrefix("_"), case .type(let element)? = resolveTypeName([String(last.dropFirst())]) {
    return .type(ColumnType(.array(element.type)))
  }
  if unsupportedTypeNames.contains(last) { return .unsupported }
  guard let type = logicalType(named: last, modifiers) else { return nil }
  return .type(ColumnType(type, modifier(of: type, last, modifiers)))
}

private let unsupportedTypeNames: Set<String> = [
  "money", "inet", "cidr", "macaddr", "macaddr8", "xml", "point", "line", "lseg", "box", "path",
  "polygon", "circle", "tsvector",
  "tsquery", "int4range", "int8range", "numrange", "tsrange", "tstzrange", "daterange", "pg_lsn",
  "jsonpath",
]

private func logicalType(named name: String, _ modifiers: [Int]) -> LogicalType? {
  switch name {
  case "bool", "boolean": return .boolean
  case "int2", "smallint": return .smallint
  case "int4", "int", "integer": return .integer
  case "int8", "bigint": return .bigint
  case "float4", "real": return .real
  case "float8", "double precision": return .double
  case "float": return modifiers.first.map { $0 <= 24 } ?? false ? .real : .double
  case "numeric", "decimal", "dec": return .numeric
  case "text": return .text
  case "varchar", "character varying", "char varying", "nvarchar": return .varchar
  case "bpchar", "char", "character", "nchar": return .character
  case "name": return .name
  case "bytea": return .bytea
  case "date": return .date
  case "time", "time without time zone": return .time
  case "timetz", "time with time zone": return .timetz
  case "bit": return .bit
  case "varbit", "bit varying": return .varbit
  case "timestamp", "timestamp without time zone": return .timestamp
  case "timestamptz", "timestamp with time zone": return .timestamptz
  case "interval": return .interval
  case "uuid": return .uuid
  case "json": return .json
  case "jsonb": return .jsonb
  case "oid", "xid", "cid": return .oid
  case "regclass", "regtype", "regproc", "regprocedure", "regnamespace", "regrole", "cstring":
    return .text
  case "unknown": return .unknown
  case "void": return .void
  default: return nil
  }
}

private func modifier(of type: LogicalType, _ name: String, _ numbers: [Int]) -> TypeModifier {
  guard let first = numbers.first else {
    // `char` alone is `char(1)`; PostgreSQL's own name bpchar has no length.
    let isSingle = type == .bit || type == .character && name != "bpchar"
    return isSingle ? .length(1) : .none
  }
  switch type {
  case .numeric:
    let scale = numbers.count > 1 ? numbers[1] : 0
    return .numeric(precision: Int32(clamping: first), scale: Int32(clamping: scale))
  case .varchar, .character, .bit, .varbit: return .length(Int32(clamping: first))
  case .time, .timetz, .timestamp, .timestamptz, .interval:
    return .precision(Int32(clamping: min(first, 6)))
  case .boolean, .smallint, .integer, .bigint, .real, .double, .text, .name, .bytea, .date, .uuid,
    .json, .jsonb, .oid, .array, .record, .enumeration, .unknown, .void:
    return .none
  }
}
