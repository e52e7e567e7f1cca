package import Catalog
import Columnar
import SQLSyntax

/// The statements that make the objects of a catalog.
package struct DefinitionText {
  let catalog: CatalogSnapshot
  /// Whether names that are found without their schema are written without it.
  private let leavesOutSchemas: Bool

  package init(_ catalog: CatalogSnapshot, leavingOutSchemas leavesOutSchemas: Bool = false) {
    self.catalog = catalog
    self.leavesOutSchemas = leavesOutSchemas
  }

  /// A name with its schema.
  func name(_ name: ObjectName) -> String {
    leavesOutSchemas ? shortName(name) : fullName(name)
  }

  private func fullName(_ name: ObjectName) -> String {
    SQLPrinter.quoted(name.schema) + "." + SQLPrinter.quoted(name.name)
  }

  /// A name with its schema, unless that is the one looked in without being named.
  func shortName(_ name: ObjectName) -> String {
    name.schema == "public" || name.schema == "pg_temp"
      ? SQLPrinter.quoted(name.name) : fullName(name)
  }

  /// The names of columns with commas between.
  func columns(_ columns: [Int], of table: TableDefinition) -> String {
    columns.map { SQLPrinter.quoted(table.columns[$0].name) }.joined(separator: ", ")
  }

  // MARK: Types

  /// A type as a statement names it.
  func type(_ type: ColumnType, domain: ObjectID? = nil) -> String {
    if let domain, let definition = catalog.types[domain] { return name(definition.name) }
    if case .array(let element) = type.type {
      return self.type(ColumnType(element, type.modifier)) + "[]"
    }
    if case .character = type.type, type.modifier == .none { return "bpchar" }
    if case .enumeration(let enumeration) = type.type {
      return definedName(enumeration.name) { kind in
        if case .enumeration(let defined) = kind { defined == enumeration } else { false }
      }
    }
    if case .record(let record) = type.type {
      guard let recordName = record.name else { return type.name }
      if let table = catalog.tables.values.first(where: { $0.name.name == recordName }) {
        return name(table.name)
      }
      return definedName(recordName) { kind in
        if case .composite(let defined) = kind { defined == record } else { false }
      }
    }
    return type.name
  }

  private func definedName(
    _ plain: String, where isDefinition: (TypeDefinition.Kind) -> Bool
  ) -> String {
    let found = catalog.types.values.sorted { $0.id < $1.id }
      .first { $0.name.name == plain && isDefinition($0.kind) }
    return found.map { name($0.name) } ?? SQLPrinter.quoted(plain)
  }

  func statement(of type: TypeDefinition) -> String {
    switch type.kind {
    case .enumeration(let enumeration):
      let labels = enumeration.labels.map(SQLPrinter.quotedString).joined(separator: ", ")
      return "CREATE TYPE \(name(type.name)) AS ENUM (\(labels));"
    case .composite(let record):
      let fields = record.fields.map {
        "\(SQLPrinter.quoted($0.name)) \(self.type(ColumnType($0.type)))"
      }
      return "CREATE TYPE \(name(type.name)) AS (\(fields.joined(separator: ", ")));"
    case .domain(let base, let isNotNull, let value, let checks):
      var text = "CREATE DOMAIN \(name(type.name)) AS \(self.type(base))"
      text += collation(base.collation, base)
      if let value { text += " DEFAULT \(SQLPrinter.text(of: value))" }
      if isNotNull { text += " NOT NULL" }
      for check in checks { text += " " + constraint(check) }
      return text + ";"
    }
  }

  /// ` COLLATE "x"`, where a collation is said or the database has one of its own.
  private func collation(
    _ own: Collation?, _ type: ColumnType, _ domain: ObjectID? = nil
  ) -> String {
    let isOfDatabase = type.type.isCollatable && type.type != .name && domain == nil
    guard let shown = own ?? (isOfDatabase ? catalog.defaultCollation : nil) else { return "" }
    return " COLLATE " + SQLPrinter.quoted(shown.name)
  }

  func constraint(_ check: CheckConstraint) -> String {
    "CONSTRAINT \(SQLPrinter.quoted(check.name)) CHECK (\(SQLPrinter.text(of: check.expression)))"
  }

  // MARK: Sequences

  func statement(of sequence: SequenceDefinition) -> String {
    "CREATE SEQUENCE \(name(sequence.name)) AS \(sequence.type.name) \(options(of: sequence));"
  }

  private func options(of sequence: SequenceDefinition) -> String {
    "START WITH \(sequence.start) INCREMENT BY \(sequence.increment)"
      + " MINVALUE \(sequence.minimum) MAXVALUE \(sequence.maximum) CACHE 1"
      + (sequence.cycles ? " CYCLE" : "")
  }

  /// The statement that gives a sequence to the column that owns it; nil if none does.
  func ownership(of sequence: SequenceDefinition) -> String? {
    guard let owner = sequence.owner, let table = catalog.tables[owner.table],
      owner.column < table.columns.count
    else { return nil }
    let column = SQLPrinter.quoted(table.columns[owner.column].name)
    return "ALTER SEQUENCE \(name(sequence.name)) OWNED BY \(name(table.name)).\(column);"
  }

  // MARK: Tables

  func statement(of table: TableDefinition) -> String {
    let parents = table.parents.compactMap { catalog.tables[$0] }
    // A column that a parent got later stands behind the child's own, where INHERITS would not put it.
    let isInOrder = Self.columnOrder(of: table, under: parents) == table.columns.map(\.name)
    let inherited = Set(isInOrder ? parents.flatMap(\.checks).map(\.name) : [])
    let parts =
      table.columns.map(definition)
      + table.checks.filter { !inherited.contains($0.name) && !isOfDomain($0, table) }
      .map(constraint)
    var text = "CREATE TABLE \(name(table.name)) ("
    text += parts.isEmpty ? ")" : "\n    \(parts.joined(separator: ",\n    "))\n)"
    let names = parents.map { name($0.name) }
    if isInOrder, !parents.isEmpty { text += " INHERITS (\(names.joined(separator: ", ")))" }
    text += ";"
    if !isInOrder {
      for parent in names { text += "\nALTER TABLE \(name(table.name)) INHERIT \(parent);" }
    }
    return text
  }

  /// The order that columns have in a table that is made with its parents.
  private static func columnOrder(
    of table: TableDefinition, under parents: [TableDefinition]
  ) -> [String] {
    var names: [String] = []
    for column in parents.flatMap(\.columns) + table.columns where !names.contains(column.name) {
      names.append(column.name)
    }
    return names
  }

  /// Whether a check came to the table with a column's domain, and will again.
  func isOfDomain(_ check: CheckConstraint, _ table: TableDefinition) -> Bool {
    let condition = SQLPrinter.text(of: check.expression)
    return table.columns.contains { column in
      guard let domain = column.domain.flatMap({ catalog.types[$0] }).flatMap(Domain.init) else {
        return false
      }
      let name = SQLPrinter.quoted(column.name)
      return domain.checks.contains { own in
        check.name.hasPrefix(own.name)
          && StatementWords.replacing("value", by: name, in: SQLPrinter.text(of: own.expression))
            == condition
      }
    }
  }

  /// The type of a column with its collation, where that is said.
  func typeText(of column: TableColumn) -> String {
    type(column.columnType, domain: column.domain)
      + collation(catalog.ownCollation(of: column), column.columnType, column.domain)
  }

  /// A column as CREATE TABLE and ADD COLUMN write it.
  func definition(of column: TableColumn) -> String {
    var text = SQLPrinter.quoted(column.name) + " " + typeText(of: column)
    if let generated = column.generated {
      text += " GENERATED ALWAYS AS (\(SQLPrinter.text(of: generated))) STORED"
    } else if let identity = column.identity, let options = identityOptions(of: column) {
      text += " GENERATED \(identity == .always ? "ALWAYS" : "BY DEFAULT") AS IDENTITY"
      text += " (\(options))"
    } else {
      text += defaultText(of: column).map { " DEFAULT \($0)" } ?? ""
    }
    return column.isNotNull ? text + " NOT NULL" : text
  }

  /// The sequence of an identity column, as its options say it; nil for another column.
  func identityOptions(of column: TableColumn) -> String? {
    guard column.identity != nil, case .sequence(let id) = column.defaultValue,
      let sequence = catalog.sequences[id]
    else { return nil }
    return "SEQUENCE NAME \(name(sequence.name)) \(options(of: sequence))"
  }

  /// What a column's default is written as.
  func defaultText(of column: TableColumn) -> String? {
    switch column.defaultValue {
    case .expression(let expression): return SQLPrinter.text(of: expression)
    case .sequence(let id):
      guard let sequence = catalog.sequences[id] else { return nil }
      return "nextval(\(SQLPrinter.quotedString(name(sequence.name)))::regclass)"
    case nil: return nil
    }
  }

  // MARK: Keys and indexes

  func statement(of key: KeyConstraint, _ table: TableDefinition) -> String {
    let keyColumns = columns(key.columns, of: table)
    let nulls = key.nullsNotDistinct ? " NULLS NOT DISTINCT" : ""
    if key.isIndexOnly {
      return "CREATE UNIQUE INDEX \(SQLPrinter.quoted(key.name)) ON \(name(table.name))"
        + " (\(keyColumns))\(nulls);"
    }
    return "ALTER TABLE ONLY \(name(table.name)) ADD CONSTRAINT \(SQLPrinter.quoted(key.name)) "
      + (key.isPrimary ? "PRIMARY KEY" : "UNIQUE\(nulls)") + " (\(keyColumns))"
      + deferral(key.deferral) + ";"
  }

  func statement(of index: IndexDefinition, _ table: TableDefinition) -> String {
    let keys = index.keys.enumerated().map { place, key in
      let collation = index.collationText(place)
      return switch key {
      case .column(let column, let isDescending):
        SQLPrinter.quoted(table.columns[column].name) + collation + (isDescending ? " DESC" : "")
      case .expression(let expression, let isDescending):
        "(\(SQLPrinter.text(of: expression)))" + collation + (isDescending ? " DESC" : "")
      }
    }
    return "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(SQLPrinter.quoted(index.name))"
      + " ON \(name(table.name)) (\(keys.joined(separator: ", ")))"
      + (index.predicate.map { " WHERE \(SQLPrinter.text(of: $0))" } ?? "") + ";"
  }

  func statement(of key: ForeignKeyConstraint, _ table: TableDefinition) -> String {
    "ALTER TABLE ONLY \(name(table.name)) ADD CONSTRAINT \(SQLPrinter.quoted(key.name)) "
      + clause(of: key, table) + (key.isValidated || !key.isEnforced ? "" : " NOT VALID") + ";"
  }

  func statement(of cardinality: CardinalityConstraint, _ table: TableDefinition) -> String {
    "ALTER TABLE ONLY \(name(table.name)) ADD CONSTRAINT \(SQLPrinter.quoted(cardinality.name)) "
      + clause(of: cardinality, table) + ";"
  }

  /// `CARDINALITY (…) BETWEEN … AND …`.
  package func clause(of cardinality: CardinalityConstraint, _ table: TableDefinition) -> String {
    "CARDINALITY (\(columns(cardinality.columns, of: table))) \(cardinality.boundsText)"
  }

  /// The statements for the constraints of a table that PostgreSQL 15 does not have.
  func ownConstraints(of table: TableDefinition) -> [String] {
    table.foreignKeys.filter { !$0.isEnforced }.map { statement(of: $0, table) }
      + table.cardinalities.map { statement(of: $0, table) }
  }

  /// `FOREIGN KEY (…) REFERENCES …` with what follows.
  package func clause(of key: ForeignKeyConstraint, _ table: TableDefinition) -> String {
    guard let parent = catalog.tables[key.parent] else { return "FOREIGN KEY" }
    return "FOREIGN KEY (\(columns(key.columns, of: table))) REFERENCES \(name(parent.name))"
      + "(\(columns(key.parentColumns, of: parent)))" + (key.isMatchFull ? " MATCH FULL" : "")
      + action("UPDATE", key.onUpdate, key, table) + action("DELETE", key.onDelete, key, table)
      + deferral(key.deferral) + (key.isEnforced ? "" : " NOT ENFORCED")
  }

  private func action(
    _ event: String, _ action: ReferentialAction, _ key: ForeignKeyConstraint,
    _ table: TableDefinition
  ) -> String {
    func some(_ some: [Int]) -> String {
      some == key.columns || some.isEmpty ? "" : " (\(columns(some, of: table)))"
    }
    switch action {
    case .noAction: return ""
    case .restrict: return " ON \(event) RESTRICT"
    case .cascade: return " ON \(event) CASCADE"
    case .setNull(let columns): return " ON \(event) SET NULL\(some(columns))"
    case .setDefault(let columns): return " ON \(event) SET DEFAULT\(some(columns))"
    }
  }

  /// ` DEFERRABLE` and the like, with a blank before.
  package func deferral(_ deferral: ConstraintDeferral) -> String {
    (deferral.isDeferrable ? " DEFERRABLE" : "")
      + (deferral.isInitiallyDeferred ? " INITIALLY DEFERRED" : "")
  }
}
