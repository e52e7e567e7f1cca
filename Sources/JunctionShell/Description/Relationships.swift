import Catalog

/// What foreign keys say about how tables belong together.
struct Relationships {
  let catalog: CatalogSnapshot

  /// The two foreign keys that make a table a junction: together they are a key of it.
  func junction(_ table: TableDefinition) -> (ForeignKeyConstraint, ForeignKeyConstraint)? {
    for (index, first) in table.foreignKeys.enumerated() {
      for second in table.foreignKeys.dropFirst(index + 1)
      where table.isKey(first.columns + second.columns) {
        return (first, second)
      }
    }
    return nil
  }

  /// One line for each relationship of a table: to parents, from children, and through junctions.
  func lines(for table: TableDefinition) -> [String] {
    var lines: [String] = []
    let name = displayName(table.name)
    for key in table.foreignKeys.sorted(by: { $0.name < $1.name }) {
      guard let parent = catalog.tables[key.parent] else { continue }
      let columns = columnList(table, key.columns)
      lines.append("\(name) -> \(displayName(parent.name)) (\(columns))")
    }
    let incoming = catalog.foreignKeys(to: table.id).sorted { $0.key.name < $1.key.name }
    for (child, _, key) in incoming where junction(child) == nil {
      lines.append(
        "\(name) <- \(displayName(child.name)) (\(columnList(child, key.columns)))")
    }
    if let line = junctionLine(table) { lines.append(line) }
    for (child, _, key) in incoming {
      guard let (first, second) = junction(child), key.name == first.name || key.name == second.name
      else { continue }
      let other = key.name == first.name ? second : first
      guard let far = catalog.tables[other.parent] else { continue }
      lines.append(
        "\(name) <-> \(displayName(far.name)) through \(displayName(child.name))")
    }
    return lines
  }

  /// `student <-> course through enrols_in`; nil for a table that is no junction.
  func junctionLine(_ table: TableDefinition) -> String? {
    guard let (first, second) = junction(table), let left = catalog.tables[first.parent],
      let right = catalog.tables[second.parent]
    else { return nil }
    return
      "\(displayName(left.name)) <-> \(displayName(right.name)) through \(displayName(table.name))"
  }
}

/// The name as it is written in a statement, with its schema unless that is searched anyway.
func displayName(_ name: ObjectName) -> String {
  name.schema == "public" || name.schema == "pg_temp"
    ? quotedName(name.name) : quotedName(name.schema) + "." + quotedName(name.name)
}

/// Names of columns with commas.
func columnList(_ table: TableDefinition, _ columns: [Int]) -> String {
  columns.map { quotedName(table.columns[$0].name) }.joined(separator: ", ")
}
