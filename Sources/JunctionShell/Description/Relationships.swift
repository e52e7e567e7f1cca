import Catalog

/// What foreign keys say about how tables belong together, in lines of text.
struct Relationships {
  let catalog: CatalogSnapshot

  /// One line for each relationship of a table: to parents, from children, and through junctions.
  ///
  /// A junction's rows are not listed as children of its parents: they are what the last lines stand for.
  func lines(for table: TableDefinition) -> [String] {
    var parents: [String] = []
    var children: [String] = []
    var partners: [String] = []
    let name = displayName(table.name)
    for relationship in catalog.relationships(of: table.id) {
      guard let target = catalog.tables[relationship.target] else { continue }
      let isSingle = relationship.cardinality == .oneToOne
      switch relationship.route {
      case .toParent(let link):
        let columns = columnList(table, link.columns)
        parents.append("\(name) \(isSingle ? "--" : "->") \(displayName(target.name)) (\(columns))")
      case .toChildren(let link):
        let pairs = catalog.junctionPairs(of: target)
        if pairs.contains(where: { $0.first == link || $0.second == link }) { continue }
        let columns = columnList(target, link.columns)
        children.append(
          "\(name) \(isSingle ? "--" : "<-") \(displayName(target.name)) (\(columns))")
      case .throughJunction(let near, _):
        guard let junction = catalog.tables[near.child] else { continue }
        partners.append(
          "\(name) <-> \(displayName(target.name)) through \(displayName(junction.name))")
      }
    }
    return parents + children + junctionLines(table) + partners
  }

  /// `student <-> course through enrols_in`, for each pair that a table links; none if it is no junction.
  func junctionLines(_ table: TableDefinition) -> [String] {
    catalog.junctionPairs(of: table).compactMap { first, second in
      guard let left = catalog.tables[first.parent], let right = catalog.tables[second.parent]
      else { return nil }
      return
        "\(displayName(left.name)) <-> \(displayName(right.name)) "
        + "through \(displayName(table.name))"
    }
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
