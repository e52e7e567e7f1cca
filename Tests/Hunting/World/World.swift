import Diagnostics

/// A column of a table.
package struct HuntColumn: Sendable {
  package var name: String
  package var type: HuntType
  package var isNotNull = false
  /// The part of an entity's key that its values are taken from: columns of one domain are joined with each other.
  package var domain: String?
  /// The most bytes that its texts have: keys on one side of a join may be short where those on the other are not.
  package var textBytesMost = 40

  package init(_ name: String, _ type: HuntType, isNotNull: Bool = false, domain: String? = nil) {
    self.name = name
    self.type = type
    self.isNotNull = isNotNull
    self.domain = domain
  }
}

/// A foreign key.
package struct HuntReference: Sendable {
  package var columns: [String]
  package var table: String
  /// `ON DELETE …` and the like, or nothing.
  package var actions: String

  package init(_ columns: [String], _ table: String, _ actions: String = "") {
    self.columns = columns
    self.table = table
    self.actions = actions
  }
}

/// A table with its rows, which are literals.
package struct HuntTable: Sendable {
  package var name: String
  package var columns: [HuntColumn] = []
  package var key: [String] = []
  package var uniques: [[String]] = []
  package var references: [HuntReference] = []
  package var indexes: [[String]] = []
  package var rows: [[String]] = []
  /// A query that gives more rows.
  package var fill: String?

  package init(_ name: String) { self.name = name }

  package func column(_ name: String) -> HuntColumn? { columns.first { $0.name == name } }

  var statements: [String] {
    var parts = columns.map { "\($0.name) \($0.type.sql)\($0.isNotNull ? " NOT NULL" : "")" }
    func list(_ names: [String]) -> String { names.joined(separator: ", ") }
    if !key.isEmpty { parts.append("PRIMARY KEY (\(list(key)))") }
    parts += uniques.map { "UNIQUE (\(list($0)))" }
    parts += references.map {
      "FOREIGN KEY (\(list($0.columns))) REFERENCES \($0.table)\($0.actions.isEmpty ? "" : " " + $0.actions)"
    }
    var statements = ["CREATE TABLE \(name) (\(parts.joined(separator: ", ")))"]
    statements += indexes.map { "CREATE INDEX ON \(name) (\(list($0)))" }
    for start in stride(from: 0, to: rows.count, by: 500) {
      let some = rows[start..<min(start + 500, rows.count)].map { "(\(list($0)))" }
      statements.append("INSERT INTO \(name) VALUES \(some.joined(separator: ", "))")
    }
    if let fill { statements.append("INSERT INTO \(name) \(fill)") }
    return statements
  }

  /// The table without a column, and without what needs it.
  func without(column index: Int) -> HuntTable {
    var table = self
    let name = columns[index].name
    // What fills it gives all columns.
    if let fill {
      table.fill =
        "SELECT \(columns.indices.filter { $0 != index }.map { "f\($0)" }.joined(separator: ", ")) FROM (\(fill)) f(\(columns.indices.map { "f\($0)" }.joined(separator: ", ")))"
    }
    table.columns.remove(at: index)
    for row in table.rows.indices { table.rows[row].remove(at: index) }
    table.key.removeAll { $0 == name }
    table.uniques.removeAll { $0.contains(name) }
    table.references.removeAll { $0.columns.contains(name) }
    table.indexes.removeAll { $0.contains(name) }
    return table
  }
}

/// Tables with keys that refer to each other, and changes that were made to them.
package struct World: Sendable {
  package var tables: [HuntTable] = []
  package var changes: [String] = []

  package init() {}

  /// What makes the world.
  package var script: [String] { tables.flatMap(\.statements) + changes }

  /// What makes copies of its tables without keys in a schema of their own.
  package var copies: [String] {
    ["CREATE SCHEMA plain"]
      + tables.map { "CREATE TABLE plain.\($0.name) AS SELECT * FROM public.\($0.name)" }
  }

  /// Makes the world.
  @discardableResult
  package func build(_ asker: Asker) -> Int {
    script.reduce(0) { asker.run($1) == nil ? $0 : $0 + 1 }
  }

  package func build(_ peer: any Answering) {
    for statement in script { _ = peer.answer(statement) }
  }

  /// Makes the world smaller as long as `shows` holds.
  func reduced(_ reducer: inout Reducer, _ shows: (World) -> Bool) -> World {
    var world = self
    world.changes = reducer.reduce(changes) {
      var fewer = world
      fewer.changes = $0
      return shows(fewer)
    }
    world.tables = reducer.reduce(world.tables) {
      var fewer = world
      fewer.tables = $0
      return shows(fewer)
    }
    for index in world.tables.indices { world.reduceTable(index, &reducer, shows) }
    return world
  }

  private mutating func reduceTable(
    _ index: Int, _ reducer: inout Reducer, _ shows: (World) -> Bool
  ) {
    let base = self
    var table = tables[index]
    func holds(_ changed: HuntTable) -> Bool {
      var world = base
      world.tables[index] = changed
      return shows(world)
    }
    func lessened<T>(_ part: WritableKeyPath<HuntTable, [T]>, _ list: [T], _ table: HuntTable)
      -> HuntTable
    {
      var changed = table
      changed[keyPath: part] = list
      return changed
    }
    let start = table
    table.rows = reducer.reduce(table.rows) { holds(lessened(\.rows, $0, start)) }
    var now = table
    table.references = reducer.reduce(now.references) { holds(lessened(\.references, $0, now)) }
    now = table
    table.uniques = reducer.reduce(now.uniques) { holds(lessened(\.uniques, $0, now)) }
    now = table
    table.indexes = reducer.reduce(now.indexes) { holds(lessened(\.indexes, $0, now)) }
    now = table
    if !now.key.isEmpty, holds(lessened(\.key, [], now)) { table.key = [] }
    var column = table.columns.count - 1
    while column >= 0, table.columns.count > 1 {
      let fewer = table.without(column: column)
      if holds(fewer) { table = fewer }
      column -= 1
    }
    tables[index] = table
  }
}
