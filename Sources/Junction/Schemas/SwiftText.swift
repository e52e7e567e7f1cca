import Catalog
import Columnar
import SQLSyntax

/// The record types of a catalog's tables, as Swift.
///
/// Each has its columns, told one by one, so that names need not be found; an initializer that reads them in their order; and the
/// relations that the catalog has, with delete rules and counts where `Schema` would not make the same without them.
struct SwiftText {
  let catalog: CatalogSnapshot
  private let text: DefinitionText
  /// Tables, without the record of migrations.
  let tables: [TableDefinition]
  private let enumerations: [TypeDefinition]
  /// The names of types, by the identities of tables and enumerations.
  private var typeNames: [ObjectID: String] = [:]

  init(_ catalog: CatalogSnapshot) {
    let pieces = CatalogPieces(catalog)
    self.catalog = catalog
    text = pieces.text
    tables = pieces.tables.sorted { $0.id < $1.id }
    enumerations = catalog.types.values.sorted { $0.id < $1.id }
      .filter { if case .enumeration = $0.kind { true } else { false } }
    var taken: Set<String> = []
    for table in tables {
      typeNames[table.id] = SwiftNames.free(SwiftNames.type(table.name.name), &taken)
    }
    for type in enumerations {
      typeNames[type.id] = SwiftNames.free(SwiftNames.type(type.name.name), &taken)
    }
  }

  /// All of it.
  var source: String {
    let parts = enumerations.map(enumeration) + tables.map(record)
    return (["import Junction"] + parts).joined(separator: "\n\n") + "\n"
  }

  func typeName(_ id: ObjectID) -> String { typeNames[id] ?? "" }

  /// A name as a statement would find it without its schema, or with it.
  func plainName(_ name: ObjectName) -> String {
    name.schema == "public" ? name.name : "\(name.schema).\(name.name)"
  }

  // MARK: Enumerations

  private func enumeration(_ type: TypeDefinition) -> String {
    guard case .enumeration(let enumeration) = type.kind else { return "" }
    let name = typeName(type.id)
    var taken: Set<String> = []
    var lines = ["enum \(name): String, Codable, CaseIterable, SQLValueConvertible {"]
    for label in enumeration.labels {
      let property = SwiftNames.free(SwiftNames.property(label), &taken)
      let value = property == label ? "" : " = \(SwiftNames.literal(label))"
      lines.append("  case \(SwiftNames.quoted(property))\(value)")
    }
    if ColumnNames.snakeCase(name) != type.name.name {
      lines.append("")
      lines.append(
        "  static var sqlType: SQLType { SQLType(\(SwiftNames.literal(SchemaNames.quoted(plainName(type.name))))) }"
      )
    }
    return (lines + ["}"]).joined(separator: "\n")
  }

  // MARK: Records

  /// A column's property.
  struct Property {
    let column: String
    let name: String
    let type: String
    let value: String?
    let options: [String]
  }

  private func record(_ table: TableDefinition) -> String {
    let name = typeName(table.id)
    let properties = properties(of: table)
    var lines = ["struct \(name): Record, Hashable {"]
    lines += properties.map { property in
      "  var \(SwiftNames.quoted(property.name)): \(property.type)"
        + (property.value.map { " = \($0)" } ?? "")
    }
    let relations = relations(of: table, taken: properties.map(\.name))
    if !relations.isEmpty {
      lines += ["", "  struct Relations: Sendable {"] + relations.map { "    " + $0 }
      lines += ["  }", "  static let relations = Relations()"]
    }
    let plain = plainName(table.name)
    lines.append("")
    if ColumnNames.snakeCase(name) != plain {
      lines.append("  static let table = \(SwiftNames.literal(plain))")
    }
    lines.append("  static let columns = ColumnMap<Self> {")
    lines += properties.map { property in
      let options = property.options.map { ", ." + $0 }.joined()
      return
        "    ColumnMapping(\(SwiftNames.literal(property.column)), \\.\(SwiftNames.quoted(property.name))\(options))"
    }
    lines += ["  }"] + codingKeys(properties) + ["}", "", "extension \(name): RowDecodable {"]
    lines.append("  init(row: inout RowReader) throws(SQLError) {")
    lines += properties.map {
      "    \($0.name == "row" ? "self.row" : SwiftNames.quoted($0.name)) = try row.next()"
    }
    return (lines + ["  }", "}"]).joined(separator: "\n")
  }

  /// Coding keys, where the names of columns are not found by those of properties.
  private func codingKeys(_ properties: [Property]) -> [String] {
    let isFound = properties.allSatisfy {
      $0.name == $0.column || ColumnNames.snakeCase($0.name) == $0.column
    }
    if isFound { return [] }
    return ["  enum CodingKeys: String, CodingKey {"]
      + properties.map {
        "    case \(SwiftNames.quoted($0.name))"
          + ($0.name == $0.column ? "" : " = \(SwiftNames.literal($0.column))")
      } + ["  }"]
  }

  private func properties(of table: TableDefinition) -> [Property] {
    // A property without a column there is nothing to be decoded from.
    var taken: Set<String> = []
    return table.columns.enumerated().map { index, column in
      var options: [String] = []
      if table.primaryKey?.columns.contains(index) == true { options.append("primaryKey") }
      if table.keys.contains(where: { !$0.isPrimary && $0.columns == [index] }) {
        options.append("unique")
      }
      if column.generated != nil || column.identity == .always { options.append("generated") }
      let value = column.isNotNull ? literal(column) : nil
      let isMade =
        column.generated != nil || column.identity != nil
        || (column.defaultValue != nil && value == nil)
      let isOptional = isMade || !column.isNotNull
      return Property(
        column: column.name, name: SwiftNames.free(SwiftNames.property(column.name), &taken),
        type: swiftType(column.type) + (isOptional ? "?" : ""), value: value, options: options)
    }
  }

  /// A default that Swift writes alike.
  private func literal(_ column: TableColumn) -> String? {
    guard column.generated == nil, column.identity == nil,
      case .expression(let expression)? = column.defaultValue
    else { return nil }
    let text = SQLPrinter.text(of: expression)
    switch column.type {
    case .boolean: return ["true", "false"].contains(text) ? text : nil
    case .smallint, .integer, .bigint: return Int(text).map(String.init)
    case .text, .varchar:
      let inner = text.dropFirst().dropLast()
      let isPlain = text.count >= 2 && text.first == "'" && text.last == "'" && !inner.contains("'")
      return isPlain ? SwiftNames.literal(String(inner)) : nil
    case .real, .double, .numeric, .character, .name, .bytea, .date, .time, .timetz, .timestamp,
      .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb, .oid, .array, .record,
      .enumeration, .unknown, .void:
      return nil
    }
  }

  private func swiftType(_ type: LogicalType) -> String {
    switch type {
    case .boolean: "Bool"
    case .smallint, .integer, .bigint, .oid: "Int"
    case .real: "Float"
    case .double: "Double"
    case .numeric: "SQLNumeric"
    case .bytea: "[UInt8]"
    case .date: "SQLDate"
    case .time: "SQLTime"
    case .timestamp, .timestamptz: "SQLTimestamp"
    case .interval: "SQLInterval"
    case .uuid: "SQLUUID"
    case .array(let element): "[\(swiftType(element))]"
    case .enumeration(let enumeration):
      enumerations.first {
        if case .enumeration(let own) = $0.kind { own == enumeration } else { false }
      }.map { typeName($0.id) } ?? "String"
    case .text, .varchar, .character, .name, .timetz, .bit, .varbit, .json, .jsonb, .record,
      .unknown, .void:
      "String"
    }
  }
}
