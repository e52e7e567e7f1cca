import Catalog
import SQLSyntax

/// The texts of statements for tables that records ask for.
enum SchemaStatements {
  /// `CREATE TABLE …` with those of its foreign keys that can be made at once.
  static func create(_ table: SchemaTable, _ references: [SchemaReference]) -> String {
    var parts: [String] = []
    var rest = references
    for one in table.columns {
      var part = column(one, isKey: table.key.contains(one.name))
      if table.key == [one.name] { part += " PRIMARY KEY" }
      if table.uniques.contains([one.name]) { part += " UNIQUE" }
      if let index = rest.firstIndex(where: { $0.columns == [one.name] }) {
        part += " " + clause(rest.remove(at: index), table)
      }
      parts.append(part)
    }
    if table.key.count > 1 { parts.append("PRIMARY KEY (\(SchemaNames.list(table.key)))") }
    for columns in table.uniques where columns.count > 1 {
      parts.append("UNIQUE (\(SchemaNames.list(columns)))")
    }
    parts += rest.map { foreignKey($0, table) }
    parts += references.compactMap { reference in
      reference.count.map { count($0.value, reference) }
    }
    let list = parts.isEmpty ? "" : "\n  " + parts.joined(separator: ",\n  ") + "\n"
    return "CREATE TABLE \(SchemaNames.quoted(table.name)) (\(list));"
  }

  /// A column with its type and default, without keys.
  static func column(_ column: SchemaColumn, isKey: Bool) -> String {
    var type = type(column.type)
    var more = ""
    switch column.source {
    case .none: break
    case .serial:
      let serials = ["smallint": "smallserial", "integer": "serial", "bigint": "bigserial"]
      type = serials[column.type.name] ?? type
    case .identity: more = " GENERATED ALWAYS AS IDENTITY"
    case .expression(let expression): more = " DEFAULT \(expression)"
    }
    if column.isNullable == false, !isKey { more += " NOT NULL" }
    return "\(SQLPrinter.quoted(column.name)) \(type)\(more)"
  }

  /// A type as a statement writes it: the name of one that was made for it may need quotes.
  static func type(_ type: SchemaType) -> String {
    type.labels == nil ? type.name : SchemaNames.quoted(type.name)
  }

  /// `FOREIGN KEY (…) REFERENCES …`.
  static func foreignKey(_ reference: SchemaReference, _ table: SchemaTable) -> String {
    "FOREIGN KEY (\(SchemaNames.list(reference.columns))) \(clause(reference, table))"
  }

  private static func clause(_ reference: SchemaReference, _ table: SchemaTable) -> String {
    "REFERENCES \(SchemaNames.quoted(reference.parent)) (\(SchemaNames.list(reference.parentColumns)))"
      + action(reference, table)
  }

  /// What happens to the rows that refer, where nothing is said: links go, references become NULL where they may.
  private static func action(_ reference: SchemaReference, _ table: SchemaTable) -> String {
    let takesNull = reference.columns.allSatisfy {
      table.column($0)?.isNullable != false && !table.key.contains($0)
    }
    switch reference.rule?.value {
    case nil where reference.isLink: return " ON DELETE CASCADE"
    case nil: return takesNull ? " ON DELETE SET NULL" : ""
    case .nullify: return reference.isLink ? " ON DELETE CASCADE" : " ON DELETE SET NULL"
    case .cascade: return " ON DELETE CASCADE"
    case .deny: return " ON DELETE RESTRICT"
    case .noAction: return " NOT ENFORCED"
    }
  }

  /// Whether a foreign key does what a rule says.
  static func keeps(_ rule: DeleteRule, _ key: ForeignKeyConstraint, isLink: Bool) -> Bool {
    if !key.isEnforced { return rule == .noAction }
    switch (rule, key.onDelete) {
    case (.nullify, .setNull): return !isLink
    case (.nullify, .cascade): return isLink
    case (.cascade, .cascade), (.deny, .restrict), (.deny, .noAction): return true
    case (.nullify, _), (.cascade, _), (.deny, _), (.noAction, _): return false
    }
  }

  /// `CARDINALITY (…) BETWEEN … AND …`.
  static func count(_ count: ClosedRange<Int>, _ reference: SchemaReference) -> String {
    "CARDINALITY (\(SchemaNames.list(reference.columns))) BETWEEN \(count.lowerBound) AND \(count.upperBound)"
  }

  /// `1 to 8`.
  static func words(_ count: ClosedRange<Int>) -> String {
    count.lowerBound == count.upperBound
      ? "\(count.lowerBound)" : "\(count.lowerBound) to \(count.upperBound)"
  }
}
