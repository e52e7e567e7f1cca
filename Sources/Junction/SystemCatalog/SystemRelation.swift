import Catalog
import Columnar
import Planning

/// A relation of `pg_catalog` or `information_schema`: what its columns are, and how its rows come from a catalog.
struct SystemRelation: Sendable {
  let columns: [(name: String, type: ColumnType)]
  let rows: @Sendable (SystemCatalog) -> [[Value]]

  /// - Parameters:
  ///   - columns: `name type` for each column, with commas between.
  ///   - rows: The rows, whose values are in the order of the columns; those that are left out at the end are NULL.
  init(_ columns: String, _ rows: @escaping @Sendable (SystemCatalog) -> [[Value]]) {
    self.columns = columns.split(separator: ",").map { column in
      let words = column.split(separator: " ").map(String.init)
      return (words[0], ColumnType(Self.types[words.count > 1 ? words[1] : "text"] ?? .text))
    }
    self.rows = rows
  }

  private static let types: [String: LogicalType] = [
    "bool": .boolean, "int2": .smallint, "int4": .integer, "oid": .oid, "name": .name,
    "text": .text, "float4": .real, "int8": .bigint, "int2[]": .array(.smallint),
    "oid[]": .array(.oid), "text[]": .array(.text), "varchar": .varchar,
  ]

  /// All relations, by schema and name.
  private static let all: [String: [String: SystemRelation]] = [
    "pg_catalog": SystemCatalog.relations.merging(SystemCatalog.types) { first, _ in first },
    "information_schema": SystemCatalog.informationSchema,
  ]

  /// A relation with its rows; without a schema one of the search path, or else of `pg_catalog`.
  static func relation(
    in catalog: CatalogSnapshot, schema: String?, _ name: String, searchPath: [String]
  ) -> VirtualRelation? {
    for schema in schema.map({ [$0] }) ?? searchPath + ["pg_catalog"] {
      guard let relation = all[schema]?[name] else { continue }
      let width = relation.columns.count
      return VirtualRelation(
        schema: schema, columns: relation.columns,
        rows: relation.rows(SystemCatalog(catalog)).map { row in
          row + Array(repeating: .null, count: max(0, width - row.count))
        })
    }
    return nil
  }
}

extension Value {
  static func oid(_ number: UInt32) -> Value { .int64(Int64(number)) }

  static func oid(_ id: ObjectID) -> Value { .oid(id.number) }

  static func text(_ text: String?) -> Value { text.map(Value.string) ?? .null }

  static func yes(_ flag: Bool) -> Value { .string(flag ? "YES" : "NO") }

  static func number(_ number: Int) -> Value { .int32(Int32(clamping: number)) }

  /// The numbers of columns, which count from 1.
  static func places(_ columns: [Int]) -> Value {
    .list(columns.map { .int16(Int16(clamping: $0 + 1)) })
  }
}
