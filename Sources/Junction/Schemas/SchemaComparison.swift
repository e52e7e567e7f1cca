import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// What a catalog lacks of the tables that records ask for.
///
/// Types come first, then tables, columns, keys, foreign keys and counts, each of all tables, so that the statements can be run in
/// their order: a foreign key of a new table is written with it if what it refers to is there by then, else behind all tables.
struct SchemaComparison {
  let design: SchemaDesign
  let view: CatalogView
  let text: DefinitionText
  private(set) var differences: [SchemaDifference] = []
  /// The foreign keys that were written with their tables, by the places of both.
  private var written: Set<[Int]> = []
  private var made: Set<String> = []

  init(_ design: SchemaDesign, _ view: CatalogView) {
    self.design = design
    self.view = view
    text = DefinitionText(view.catalog, leavingOutSchemas: true)
  }

  mutating func compare() {
    compareTypes()
    for place in order { compareTable(place) }
    for table in design.tables {
      guard let actual = design.existing(table.name) else { continue }
      for column in table.columns { compare(column, table, actual) }
    }
    for table in design.tables {
      guard let actual = design.existing(table.name) else { continue }
      compareKeys(table, actual)
    }
    for (place, table) in design.tables.enumerated() {
      for (number, reference) in table.references.enumerated()
      where !written.contains([place, number]) {
        compare(reference, table, design.existing(table.name))
      }
    }
  }

  mutating func note(_ words: String, _ statements: String...) {
    differences.append(SchemaDifference(words, statements))
  }

  mutating func note(_ words: String, _ statements: [String]) {
    differences.append(SchemaDifference(words, statements))
  }

  // MARK: Types

  private mutating func compareTypes() {
    var seen: Set<String> = []
    for table in design.tables {
      let actual = design.existing(table.name)
      for column in table.columns {
        guard let labels = column.type.labels else { continue }
        let name = column.type.name
        // A column of texts holds them as well.
        if let index = actual?.column(named: column.name), let held = actual?.columns[index],
          column.type.fits(held, view.catalog), !isEnumeration(held, name)
        {
          continue
        }
        if seen.insert(name).inserted { compareType(name, labels) }
      }
    }
  }

  private func isEnumeration(_ column: TableColumn, _ name: String) -> Bool {
    if case .enumeration(let enumeration) = column.type { return enumeration.name == name }
    return false
  }

  private mutating func compareType(_ name: String, _ labels: [String]) {
    let quoted = SchemaNames.quoted(name)
    let found = view.catalog.type(schema: nil, named: name, searchPath: view.searchPath)
    guard let found else {
      let list = labels.map(SQLPrinter.quotedString).joined(separator: ", ")
      return note(
        "type \"\(name)\" is missing: make it", "CREATE TYPE \(quoted) AS ENUM (\(list));")
    }
    guard case .enumeration(let enumeration) = found.kind else { return }
    for label in labels where !enumeration.labels.contains(label) {
      let value = SQLPrinter.quotedString(label)
      note(
        "type \"\(name)\" lacks the label \(value): add it",
        "ALTER TYPE \(quoted) ADD VALUE \(value);")
    }
  }

  // MARK: Tables

  /// Tables, each behind those that it refers to as far as that goes.
  private var order: [Int] {
    var left = Array(design.tables.indices)
    var result: [Int] = []
    while !left.isEmpty {
      let open = Set(left.map { design.tables[$0].name })
      let next =
        left.firstIndex { place in
          let table = design.tables[place]
          return table.references.allSatisfy {
            $0.parent == table.name || !open.contains($0.parent)
          }
        } ?? 0
      result.append(left.remove(at: next))
    }
    return result
  }

  private mutating func compareTable(_ place: Int) {
    let table = design.tables[place]
    if design.existing(table.name) != nil { return }
    made.insert(table.name)
    var references: [SchemaReference] = []
    for (number, reference) in table.references.enumerated() where isReady(reference) {
      written.insert([place, number])
      references.append(reference)
    }
    let parts = table.name.split(separator: ".").map(String.init)
    var statements: [String] = []
    if parts.count > 1, !view.catalog.schemas.contains(parts[0]) {
      statements.append("CREATE SCHEMA IF NOT EXISTS \(SQLPrinter.quoted(parts[0]));")
    }
    note(
      "table \"\(table.name)\" is missing: make it"
        + (table.record.map { " for record \($0)" } ?? " as a junction table"),
      statements + [SchemaStatements.create(table, references)])
  }

  /// Whether the table that is referred to is there with its key before anything is altered.
  private func isReady(_ reference: SchemaReference) -> Bool {
    if made.contains(reference.parent) { return true }
    guard let parent = design.existing(reference.parent) else { return false }
    let columns = reference.parentColumns.compactMap { parent.column(named: $0) }
    return columns.count == reference.parentColumns.count && parent.isKey(columns)
  }

  // MARK: Keys

  private mutating func compareKeys(_ table: SchemaTable, _ actual: TableDefinition) {
    let name = SchemaNames.quoted(table.name)
    func hasKey(_ columns: [String]) -> Bool {
      let places = columns.compactMap { actual.column(named: $0) }
      return places.count == columns.count && actual.isKey(places)
    }
    let isReferred = design.tables.contains {
      $0.references.contains { $0.parent == table.name }
    }
    let isWanted = table.isKeySaid || isReferred || actual.primaryKey == nil
    if !table.key.isEmpty, isWanted, !hasKey(table.key) {
      let list = SchemaNames.list(table.key)
      let kind = actual.primaryKey == nil ? "PRIMARY KEY" : "UNIQUE"
      note(
        "table \"\(table.name)\" has no key over \(list): add one",
        "ALTER TABLE \(name) ADD \(kind) (\(list));")
    }
    for columns in table.uniques where !hasKey(columns) {
      let list = SchemaNames.list(columns)
      note(
        "table \"\(table.name)\" may have several rows of the same \(list): make it unique",
        "ALTER TABLE \(name) ADD UNIQUE (\(list));")
    }
  }
}
