import Catalog
import Diagnostics

/// How relations become foreign keys and junction tables.
extension SchemaDesign {
  /// A relation at the place where it is looked at.
  struct Place {
    let name: String
    let declaration: RelationDeclaration
    let from: Int
    let to: Int
    let record: String
    /// `Student.courses`.
    var words: String { "\(record).\(name)" }
  }

  mutating func addRelations() throws(SQLError) {
    for record in records {
      for relation in record.relations {
        guard let to = self.record(of: relation.declaration.to) else { continue }
        let place = Place(
          name: relation.name, declaration: relation.declaration, from: record.table, to: to.table,
          record: record.source.typeName)
        if try adopt(place) { continue }
        switch relation.declaration.kind {
        case .one: try addOne(place)
        case .many: try addMany(place)
        case .through: try addJunction(place, named: linkTable(place) ?? "")
        }
      }
    }
  }

  // MARK: Relationships of the catalog

  /// Takes the names of the relationship that the catalog has; false if it has none.
  private mutating func adopt(_ place: Place) throws(SQLError) -> Bool {
    guard let from = existing(tables[place.from].name), let to = existing(tables[place.to].name)
    else { return false }
    let named = place.declaration.through ?? linkTable(place)
    let table = named.flatMap { existing($0) }
    if named != nil, table == nil { return false }
    let candidates = RelationRoute.candidates(
      for: place.declaration, from: from, to: to, through: table?.id, view.catalog)
    guard let found = candidates.first else { return false }
    if candidates.count > 1 {
      throw RelationRoute.severalFit(
        candidates, place.declaration, (from.name.name, place.record),
        (to.name.name, place.declaration.to.typeName), view.catalog)
    }
    func names(_ columns: [Int], _ id: ObjectID) -> [String] {
      columns.compactMap { view.catalog.tables[id]?.columns[$0].name }
    }
    switch found.route {
    case .toParent(let key):
      try refer(place, child: place.from, parent: place.to, names(key.columns, key.child))
    case .toChildren(let key):
      try refer(place, child: place.to, parent: place.from, names(key.columns, key.child))
    case .throughJunction(let near, let far):
      guard let junction = view.catalog.tables[near.child] else { return false }
      let name = named ?? name(of: junction)
      try link(
        place, through: name, near: names(near.columns, near.child),
        far: names(far.columns, far.child))
    }
    return true
  }

  /// The name by which a table is found again.
  private func name(of table: TableDefinition) -> String {
    existing(table.name.name)?.id == table.id
      ? table.name.name : table.name.schema + "." + table.name.name
  }

  // MARK: To one

  private mutating func addOne(_ place: Place) throws(SQLError) {
    let key = try key(of: place.to, for: place)
    if let column = place.declaration.column {
      let isBackward =
        tables[place.from].column(column) == nil && tables[place.to].column(column) != nil
      if isBackward {
        return try refer(place, child: place.to, parent: place.from, [column])
      }
      try check(key, column, place)
      return try refer(place, child: place.from, parent: place.to, [column])
    }
    if let columns = forwardColumns(place.from, place.name, place.to) {
      return try refer(place, child: place.from, parent: place.to, columns)
    }
    if let columns = backwardColumns(place) {
      return try refer(place, child: place.to, parent: place.from, columns)
    }
    let prefix = ColumnNames.snakeCase(place.name)
    try refer(place, child: place.from, parent: place.to, key.map { "\(prefix)_\($0)" })
  }

  /// The columns of a record that are named after a relation, or after the table that it leads to.
  private func forwardColumns(_ from: Int, _ name: String, _ to: Int) -> [String]? {
    let key = tables[to].key
    if key.isEmpty { return nil }
    return [ColumnNames.snakeCase(name), tables[to].plainName].lazy
      .map { prefix in key.map { "\(prefix)_\($0)" } }
      .first { tables[from].has($0) }
  }

  /// The columns of the record that a relation leads to that refer back.
  private func backwardColumns(_ place: Place) -> [String]? {
    for inverse in inverses(of: place, kinds: [.one]) {
      if let column = inverse.declaration.column { return [column] }
      if let columns = forwardColumns(place.to, inverse.name, place.from) { return columns }
      // The other side was looked at first, and its columns were made.
      let made = tables[place.from].key.map { "\(ColumnNames.snakeCase(inverse.name))_\($0)" }
      let isMade = tables[place.to].references.contains {
        $0.columns == made && $0.parent == tables[place.from].name
      }
      if isMade { return made }
    }
    let key = tables[place.from].key
    let columns = key.map { "\(tables[place.from].plainName)_\($0)" }
    return !key.isEmpty && tables[place.to].has(columns) ? columns : nil
  }

  /// Relations of the record that a relation leads to that lead back.
  private func inverses(
    of place: Place, kinds: Set<RelationDeclaration.Kind>
  ) -> [(name: String, declaration: RelationDeclaration)] {
    records.filter { $0.table == place.to }.flatMap(\.relations).filter { relation in
      kinds.contains(relation.declaration.kind)
        && record(of: relation.declaration.to)?.table == place.from
        && !(place.from == place.to && relation.name == place.name)
    }
  }

  // MARK: To many

  private mutating func addMany(_ place: Place) throws(SQLError) {
    let (through, column) = (place.declaration.through, place.declaration.column)
    if let through, through != tables[place.to].name {
      return try addJunction(place, named: through)
    }
    if let column, through != nil || tables[place.to].column(column) != nil {
      try check(try key(of: place.from, for: place), column, place)
      return try refer(place, child: place.to, parent: place.from, [column])
    }
    if try addChildren(place) { return }
    if through != nil {
      let columns = try key(of: place.from, for: place).map {
        "\(tables[place.from].plainName)_\($0)"
      }
      return try refer(place, child: place.to, parent: place.from, columns)
    }
    let links = Set(linkTables(between: place.from, place.to))
    if links.count > 1 { throw Self.severalJunctions(place, links.sorted()) }
    let own = [tables[place.from].plainName, tables[place.to].plainName].sorted()
    try addJunction(place, named: links.first ?? own.joined(separator: "_"))
  }

  /// Whether the rows that a relation leads to refer back themselves.
  private mutating func addChildren(_ place: Place) throws(SQLError) -> Bool {
    let inverses = inverses(of: place, kinds: [.one])
    if let columns = backwardColumns(place) {
      if inverses.count > 1 { throw Self.severalReferences(place, inverses.map(\.name)) }
      try refer(place, child: place.to, parent: place.from, columns)
      return true
    }
    guard let inverse = inverses.first else { return false }
    if inverses.count > 1 { throw Self.severalReferences(place, inverses.map(\.name)) }
    let prefix = ColumnNames.snakeCase(inverse.name)
    let columns = try key(of: place.from, for: place).map { "\(prefix)_\($0)" }
    try refer(place, child: place.to, parent: place.from, columns)
    return true
  }

  // MARK: Junction tables

  /// The table of the record for a relation's links.
  private func linkTable(_ place: Place) -> String? {
    place.declaration.link.flatMap { record(of: $0) }.map { tables[$0.table].name }
  }

  /// The tables of records for links between two tables.
  private func linkTables(between one: Int, _ other: Int) -> [String] {
    records.flatMap { record in
      record.relations.compactMap { relation -> String? in
        guard let link = relation.declaration.link.flatMap({ self.record(of: $0) }),
          let to = self.record(of: relation.declaration.to),
          [one, other].sorted() == [record.table, to.table].sorted()
        else { return nil }
        return tables[link.table].name
      }
    }
  }

  private mutating func addJunction(_ place: Place, named name: String) throws(SQLError) {
    let (nearKey, farKey) = (try key(of: place.from, for: place), try key(of: place.to, for: place))
    func columns(_ table: Int, _ key: [String], _ said: String?) throws(SQLError) -> [String] {
      guard let said else { return key.map { "\(tables[table].plainName)_\($0)" } }
      try check(key, said, place)
      return [said]
    }
    let near = try columns(place.from, nearKey, place.declaration.column)
    let inverse = inverses(of: place, kinds: [.many, .through]).first { relation in
      let own =
        relation.declaration.through
        ?? relation.declaration.link.flatMap {
          self.record(of: $0)
        }.map { tables[$0.table].name }
      return (own == nil || own == name) && relation.declaration.column != nil
        && relation.declaration.column != place.declaration.column
    }
    let far = try columns(place.to, farKey, inverse?.declaration.column)
    if near == far { throw Self.sameColumns(place, near) }
    try link(place, through: name, near: near, far: far)
  }
}
