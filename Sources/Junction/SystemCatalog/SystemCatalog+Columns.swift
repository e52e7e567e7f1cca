import Catalog
import Columnar
import SQLSyntax

extension SystemCatalog {
  /// The rows of `information_schema.columns`.
  var columnRows: [[Value]] {
    tables.filter { $0.materialized == nil }.flatMap { table in
      table.columns.enumerated().map { place, column in
        row(table.name, place, column.name, column.columnType, of: column)
      }
    }
      + views.flatMap { view in
        zip(view.columnNames, view.columnTypes).enumerated().map { place, column in
          row(view.name, place, column.0, column.1, of: nil)
        }
      }
  }

  private func row(
    _ relation: ObjectName, _ place: Int, _ name: String, _ type: ColumnType,
    of column: TableColumn?
  ) -> [Value] {
    let domain = column?.domain.flatMap { catalog.types[$0] }
    let collation =
      type.type.isCollatable ? type.collation ?? (type.type == .name ? .bytes : nil) : nil
    let hasCollation = collation.map { $0 != .standard } ?? false
    return Self.place(relation) + [
      .string(name), .number(place + 1),
      .text(column?.generated == nil ? column.flatMap(defaultText) : nil),
      .yes(column?.isNotNull != true), .string(dataType(type.type)),
    ] + lengths(type) + [
      Self.precision(of: type), radix(type.type), scale(type), secondDigits(type),
      intervalFields(type), .null, .null, .null, .null,
      hasCollation ? .string(Self.database) : .null, hasCollation ? .string("pg_catalog") : .null,
      hasCollation ? .text(collation?.name) : .null,
    ] + (domain.map { Self.place($0.name) } ?? [.null, .null, .null]) + [
      .string(Self.database), .string(definition(of: type.type)?.name.schema ?? "pg_catalog"),
      .string(self.name(of: type.type)), .null, .null, .null, .null, .string(String(place + 1)),
      .yes(false),
    ] + identity(of: column) + [
      .string(column?.generated == nil ? "NEVER" : "ALWAYS"),
      .text(column?.generated.map { SQLPrinter.text(of: $0) }), .yes(column != nil),
    ]
  }

  private func dataType(_ type: LogicalType) -> String {
    if type.element != nil { return "ARRAY" }
    return builtin(type) == nil ? "USER-DEFINED" : type.name
  }

  /// The most characters, and bytes.
  private func lengths(_ type: ColumnType) -> [Value] {
    var length: Int32?
    if case .length(let characters) = type.modifier { length = characters }
    switch type.type {
    case .varchar, .character, .text:
      let bytes = length.map { Int64($0) * 4 } ?? 1 << 30
      return [length.map(Value.int32) ?? .null, .int32(Int32(clamping: bytes))]
    case .bit, .varbit: return [length.map(Value.int32) ?? .null, .null]
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .name, .bytea, .date,
      .time, .timetz, .timestamp, .timestamptz, .interval, .uuid, .json, .jsonb, .oid, .array,
      .record, .enumeration, .unknown, .void:
      return [.null, .null]
    }
  }

  static func precision(of type: ColumnType) -> Value {
    switch type.type {
    case .smallint: return .int32(16)
    case .integer: return .int32(32)
    case .bigint: return .int32(64)
    case .real: return .int32(24)
    case .double: return .int32(53)
    case .numeric:
      if case .numeric(let precision, _) = type.modifier { return .int32(precision) }
      return .null
    case .boolean, .text, .varchar, .character, .name, .bytea, .date, .time, .timetz, .timestamp,
      .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb, .oid, .array, .record,
      .enumeration, .unknown, .void:
      return .null
    }
  }

  private func radix(_ type: LogicalType) -> Value {
    if type == .numeric { return .int32(10) }
    return type.isInteger || type == .real || type == .double ? .int32(2) : .null
  }

  private func scale(_ type: ColumnType) -> Value {
    if case .numeric(_, let scale) = type.modifier { return .int32(scale) }
    return type.type.isInteger ? .int32(0) : .null
  }

  private func secondDigits(_ type: ColumnType) -> Value {
    switch type.type {
    case .date: return .int32(0)
    case .time, .timetz, .timestamp, .timestamptz, .interval:
      switch type.modifier {
      case .precision(let digits): return .int32(digits)
      case .interval(_, let digits): return .int32(digits ?? 6)
      case .none, .length, .numeric: return .int32(6)
      }
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .bit, .varbit, .uuid, .json, .jsonb, .oid, .array, .record,
      .enumeration, .unknown, .void:
      return .null
    }
  }

  private func intervalFields(_ type: ColumnType) -> Value {
    guard case .interval(let range, _) = type.modifier else { return .null }
    return .string(range.name.uppercased())
  }

  /// Whether a column is an identity, and what its sequence does.
  private func identity(of column: TableColumn?) -> [Value] {
    guard let column, let identity = column.identity, let sequence = sequence(of: column) else {
      return [.yes(false), .null, .null, .null, .null, .null, .yes(false)]
    }
    let numbers = [sequence.start, sequence.increment, sequence.maximum, sequence.minimum]
    return [.yes(true), .string(identity == .always ? "ALWAYS" : "BY DEFAULT")]
      + numbers.map { .string(String($0)) } + [.yes(sequence.cycles)]
  }
}
