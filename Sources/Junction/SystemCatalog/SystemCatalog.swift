import Catalog
import Columnar
import Execution
import SQLSyntax

/// A catalog as `pg_catalog` and `information_schema` show it.
///
/// What has no number of its own gets one here: keys, indices and checks above all others, by table and place, so that they are the
/// same in all relations of one state of the catalog.
struct SystemCatalog {
  let catalog: CatalogSnapshot
  let text: DefinitionText
  let tables: [TableDefinition]
  let views: [ViewDefinition]
  private let firstNumbers: [ObjectID: UInt32]

  static let owner: UInt32 = 10
  static let database = "junction"
  private static let schemaNumbers: [String: UInt32] = [
    "pg_catalog": 11, "public": 2200, "information_schema": 13183,
  ]

  init(_ catalog: CatalogSnapshot) {
    self.catalog = catalog
    text = DefinitionText(catalog, leavingOutSchemas: true)
    tables = catalog.tables.values.sorted { $0.id < $1.id }
    views = catalog.views.values.sorted { $0.id < $1.id }
    var next: UInt32 = 1 << 31
    var numbers: [ObjectID: UInt32] = [:]
    for table in tables {
      numbers[table.id] = next
      // A key has a constraint and an index; a table has types of its row and of arrays of it.
      next &+= UInt32(
        table.keys.count * 2 + table.indexes.count + table.foreignKeys.count + table.checks.count
          + table.columns.count + table.cardinalities.count + 2)
    }
    firstNumbers = numbers
  }

  /// What has a number beside that of its table.
  enum Part {
    case rowType, rowArray, keyIndex(Int), index(Int), key(Int), foreignKey(Int), check(Int)
    case defaultValue(Int), cardinality(Int)
  }

  func number(_ part: Part, of table: TableDefinition) -> UInt32 {
    var place = 0
    let counts = [
      2, table.keys.count, table.indexes.count, table.keys.count, table.foreignKeys.count,
      table.checks.count, table.columns.count,
    ]
    func behind(_ parts: Int, _ index: Int) { place = counts.prefix(parts).reduce(index, +) }
    switch part {
    case .rowType: place = 0
    case .rowArray: place = 1
    case .keyIndex(let index): behind(1, index)
    case .index(let index): behind(2, index)
    case .key(let index): behind(3, index)
    case .foreignKey(let index): behind(4, index)
    case .check(let index): behind(5, index)
    case .defaultValue(let index): behind(6, index)
    case .cardinality(let index): behind(7, index)
    }
    return (firstNumbers[table.id] ?? 0) &+ UInt32(place)
  }

  func number(ofSchema name: String) -> UInt32 {
    if let known = Self.schemaNumbers[name] { return known }
    let others = catalog.schemas.filter { Self.schemaNumbers[$0] == nil }.sorted()
    return 13184 &+ UInt32(others.firstIndex(of: name) ?? others.count)
  }

  /// What the default of a column is written as; nil for an identity, and for none.
  func defaultText(of column: TableColumn) -> String? {
    if let generated = column.generated { return SQLPrinter.text(of: generated) }
    guard column.identity == nil, let own = text.defaultText(of: column) else { return nil }
    let domain = column.domain.flatMap { catalog.types[$0] }.flatMap(Domain.init)
    return own == domain?.defaultValue.map { SQLPrinter.text(of: $0) } ? nil : own
  }

  /// The sequence that an identity takes its values from.
  func sequence(of column: TableColumn) -> SequenceDefinition? {
    guard column.identity != nil, case .sequence(let id) = column.defaultValue else { return nil }
    return catalog.sequences[id]
  }

  /// The key that a foreign key refers to.
  func key(of foreignKey: ForeignKeyConstraint) -> (table: TableDefinition, index: Int)? {
    guard let parent = catalog.tables[foreignKey.parent] else { return nil }
    let wanted = Set(foreignKey.parentColumns)
    let fitting = parent.keys.indices.filter { Set(parent.keys[$0].columns) == wanted }
    return (fitting.first { parent.keys[$0].isPrimary } ?? fitting.first).map { (parent, $0) }
  }
}

/// A constraint of a table, in whatever form it is kept.
struct SystemConstraint {
  enum Kind {
    case key(KeyConstraint)
    case foreignKey(ForeignKeyConstraint)
    case check(CheckConstraint)
    case cardinality(CardinalityConstraint)
  }
  var table: TableDefinition
  var number: UInt32
  var name: String
  var kind: Kind
  /// The index that keeps the key, or that of the key that is referred to.
  var index: UInt32 = 0

  /// The columns of the table that it is about.
  var columns: [Int] {
    switch kind {
    case .key(let key): key.columns
    case .foreignKey(let key): key.columns
    case .cardinality(let cardinality): cardinality.columns
    case .check(let check):
      check.expression.columnNames.compactMap { table.column(named: $0.name) }
        .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
  }

  var isEnforced: Bool {
    switch kind {
    case .foreignKey(let key): key.isEnforced
    case .key, .check, .cardinality: true
    }
  }

  var deferral: ConstraintDeferral {
    switch kind {
    case .key(let key): key.deferral
    case .foreignKey(let key): key.deferral
    case .check: ConstraintDeferral()
    case .cardinality: ConstraintDeferral(isDeferrable: true, isInitiallyDeferred: true)
    }
  }
}

extension SystemCatalog {
  /// The constraints of all tables.
  var constraints: [SystemConstraint] {
    tables.flatMap { table in
      table.keys.indices.filter { !table.keys[$0].isIndexOnly }.map { place in
        let key = table.keys[place]
        return SystemConstraint(
          table: table, number: number(.key(place), of: table), name: key.name, kind: .key(key),
          index: number(.keyIndex(place), of: table))
      }
        + table.foreignKeys.enumerated().map { place, key in
          SystemConstraint(
            table: table, number: number(.foreignKey(place), of: table), name: key.name,
            kind: .foreignKey(key),
            index: self.key(of: key).map { number(.keyIndex($0.index), of: $0.table) } ?? 0)
        }
        + table.checks.enumerated().filter { !text.isOfDomain($1, table) }.map { place, check in
          SystemConstraint(
            table: table, number: number(.check(place), of: table), name: check.name,
            kind: .check(check))
        }
        + table.cardinalities.enumerated().map { place, cardinality in
          SystemConstraint(
            table: table, number: number(.cardinality(place), of: table), name: cardinality.name,
            kind: .cardinality(cardinality))
        }
    }
  }
}
