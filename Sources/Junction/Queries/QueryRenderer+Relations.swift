import Catalog
import Diagnostics

/// How relations are asked for: by sets of keys. What is written within a set names no table outside of it, so that a table may
/// come up at any level.
extension QueryRenderer {
  /// That rows of the table are reached from a row over relations, one after another.
  mutating func writeReached(
    _ path: LinkPath, _ table: Table, _ isNegated: Bool = false
  ) throws(SQLError) {
    guard let last = path.hops.last else { return writer.write("false") }
    let route = try RelationRoute.of(last, view)
    // A child without a parent is linked with nobody.
    let isUnknown =
      isNegated
      && (route.toColumns.contains { !route.to.definition.columns[$0].isNotNull }
        || path.hops.count > 1 || route.relationship.isToOne)
    if isUnknown { writer.write("coalesce(") }
    writer.writeRow(table.spelled(route.toColumns))
    try writeNeighbours(route, path)
    if isUnknown { writer.write(", false)") }
  }

  /// `= values`, or `IN (…)`: the keys of the rows at the end of a path.
  private mutating func writeNeighbours(
    _ route: RelationRoute, _ path: LinkPath
  ) throws(SQLError) {
    guard let junction = route.junction else {
      // The rows themselves have the key of the row that it leads from, or are named by it.
      return try writeNear(route, path)
    }
    let alias = alias()
    writer.write(" IN (SELECT ")
    writer.write(junction.spelled(route.farColumns, of: alias).joined(separator: ", "))
    writer.write(" FROM \(junction.spelledName) AS \(alias) WHERE ")
    writer.writeRow(junction.spelled(route.nearColumns, of: alias))
    try writeNear(route, path)
    writer.write(")")
  }

  /// `= values`, or `IN (…)`: the keys of the rows before the last relation of a path.
  private mutating func writeNear(_ route: RelationRoute, _ path: LinkPath) throws(SQLError) {
    guard path.hops.count > 1 else {
      writer.write(" = ")
      return writer.bindRow(
        try path.start.values(
          ofColumns: route.fromColumns, view, orNull: route.relationship.isToOne))
    }
    let before = LinkPath(start: path.start, hops: path.hops.dropLast())
    let table = Table(route.from)
    writer.write(" IN (SELECT ")
    writer.write(table.spelled(route.fromColumns).joined(separator: ", "))
    writer.write(" FROM \(table.from) WHERE ")
    try writeReached(before, table)
    writer.write(")")
  }

  /// The rows that belong to a row beside those of the junction table, up to further conditions.
  mutating func writeJoin(
    _ path: LinkPath, _ table: Table, _ list: String?
  ) throws(SQLError) {
    guard let hop = path.hops.first, let link = hop.link else {
      throw .internal("links of a relation without a junction")
    }
    let route = try RelationRoute.of(hop, view)
    let links = try link.layout(view)
    let alias = alias()
    let all = links.list(alias + ".") + ", " + table.layout.list(table.alias + ".")
    writer.write("SELECT \(list ?? all) FROM \(links.name) AS \(alias) JOIN \(table.from) ON ")
    let ends = zip(
      links.definition.spelled(route.farColumns, of: alias), table.spelled(route.toColumns))
    writer.write(ends.map { "\($0) = \($1)" }.joined(separator: " AND "))
    writer.write(" WHERE ")
    writer.writeRow(links.definition.spelled(route.nearColumns, of: alias))
    writer.write(" = ")
    writer.bindRow(try path.start.values(ofColumns: route.fromColumns, view))
  }

  /// That rows of the junction table lead from a row, and to another one.
  mutating func writeLinks(
    _ path: LinkPath, _ row: RowStart?, _ table: Table
  ) throws(SQLError) {
    guard let hop = path.hops.first else { return writer.write("false") }
    let route = try RelationRoute.of(hop, view)
    writer.writeRow(table.spelled(route.nearColumns))
    writer.write(" = ")
    writer.bindRow(try path.start.values(ofColumns: route.fromColumns, view))
    guard let row else { return }
    writer.write(" AND ")
    writer.writeRow(table.spelled(route.farColumns))
    writer.write(" = ")
    writer.bindRow(try row.values(ofColumns: route.toColumns, view))
  }

  /// Whether a row may be linked by NULL, so that nothing is known of it.
  func mayBeUnknown(_ declaration: RelationDeclaration) throws(SQLError) -> Bool {
    let route = try RelationRoute.of(declaration, view)
    return route.fromColumns.contains { !route.from.definition.columns[$0].isNotNull }
  }

  /// That some rows belong to a row, which meet a condition if there is one.
  mutating func writeHasRelated(
    _ declaration: RelationDeclaration, _ condition: ConditionTree?, _ table: Table
  ) throws(SQLError) {
    let route = try RelationRoute.of(declaration, view)
    try writeOwners(route, table) { (renderer, partner) throws(SQLError) in
      guard let condition else { return false }
      let other = Table(route.to)
      if let partner {
        renderer.writer.writeRow(partner)
        renderer.writer.write(" IN (SELECT ")
        renderer.writer.write(other.spelled(route.toColumns).joined(separator: ", "))
        renderer.writer.write(" FROM \(other.from) WHERE ")
      }
      try renderer.write(condition, other, isNegated: false)
      if partner != nil { renderer.writer.write(")" as String) }
      return true
    }
  }

  /// That the key of a row is among those to which some rows belong.
  ///
  /// `body` writes the condition on these, and says whether there was one; it gets the columns that name them, nil where they are
  /// the rows of the set themselves.
  private mutating func writeOwners(
    _ route: RelationRoute, _ table: Table,
    _ body: (inout QueryRenderer, [String]?) throws(SQLError) -> Bool
  ) throws(SQLError) {
    let set = SetOfLinks(route, route.junction.map { ($0, alias()) })
    writer.writeRow(table.spelled(route.fromColumns))
    writer.write(" IN (SELECT \(set.near.joined(separator: ", ")) FROM \(set.from)")
    writer.write(" WHERE ")
    if try !body(&self, set.far) { writer.write("true") }
    writer.write(set.nearIsPresent)
    writer.write(")")
  }

  /// The table in which links stand: the junction, or the table that it leads to.
  private struct SetOfLinks {
    let from: String
    let near: [String]
    /// nil where the rows are those that it leads to.
    let far: [String]?
    /// That a link names a row, where it need not; else nothing.
    let nearIsPresent: String

    init(_ route: RelationRoute, _ junction: (table: TableDefinition, alias: String)?) {
      if let (table, alias) = junction {
        from = "\(table.spelledName) AS \(alias)"
        near = table.spelled(route.nearColumns, of: alias)
        far = table.spelled(route.farColumns, of: alias)
      } else {
        let table = Table(route.to)
        from = table.from
        near = table.spelled(route.nearColumns)
        far = nil
      }
      let links = route.junction ?? route.to.definition
      nearIsPresent = zip(route.nearColumns, near)
        .filter { !links.columns[$0.0].isNotNull }.map { " AND \($0.1) IS NOT NULL" }.joined()
    }
  }

  /// That certain rows belong to a row.
  mutating func writeContains(
    _ declaration: RelationDeclaration, _ rows: [RowStart], _ table: Table
  ) throws(SQLError) {
    if rows.isEmpty { return writer.write("true") }
    let route = try RelationRoute.of(declaration, view)
    var seen: Set<[SQLValue]> = []
    var keys: [[SQLValue]] = []
    for row in rows {
      let key = try row.values(
        ofColumns: route.junction == nil ? route.nearColumns : route.toColumns, view,
        orNull: route.junction == nil)
      if seen.insert(key).inserted { keys.append(key) }
    }
    guard let junction = route.junction else {
      // Each of them belongs to one row.
      if keys.count > 1 { return writer.write("false") }
      writer.writeRow(table.spelled(route.fromColumns))
      writer.write(" = ")
      return writer.bindRow(keys[0])
    }
    let set = SetOfLinks(route, (junction, alias()))
    let far = set.far ?? []
    writer.writeRow(table.spelled(route.fromColumns))
    writer.write(" IN (SELECT \(set.near.joined(separator: ", ")) FROM \(set.from) WHERE ")
    writer.writeRow(far)
    writer.write(" IN (")
    for (index, key) in keys.enumerated() {
      if index > 0 { writer.write(", ") }
      writer.bindRow(key)
    }
    writer.write(")" + set.nearIsPresent)
    if keys.count > 1 {
      writer.write(" GROUP BY \(set.near.joined(separator: ", ")) HAVING count(DISTINCT ")
      writer.writeRow(far)
      writer.write(") = \(keys.count)")
    }
    writer.write(")")
  }

  /// How many rows belong to a row, each counted once.
  mutating func writeCount(
    _ declaration: RelationDeclaration, _ table: Table
  ) throws(SQLError) {
    let route = try RelationRoute.of(declaration, view)
    let alias = alias()
    let links = route.junction ?? route.to.definition
    let near = links.spelled(route.nearColumns, of: alias)
    writer.write("(SELECT count(")
    let isOnce =
      route.junction?.isAlwaysUnique(route.nearColumns + route.farColumns) ?? true
    if isOnce {
      writer.write("*")
    } else {
      writer.write("DISTINCT ")
      writer.writeRow(links.spelled(route.farColumns, of: alias))
    }
    writer.write(") FROM \(links.spelledName) AS \(alias) WHERE ")
    writer.writeRow(near)
    writer.write(" = ")
    writer.writeRow(table.spelled(route.fromColumns))
    writer.write(")")
  }

  /// The place of a row in the order that the last relation of a path keeps.
  mutating func writeOrder(of path: LinkPath, _ table: Table) throws(SQLError) {
    guard let last = path.hops.last else { return writer.write("1") }
    let route = try RelationRoute.of(last, view)
    guard let order = route.orderColumn else { return writer.write("NULL") }
    guard let junction = route.junction else { return writer.write("\(table.alias).\(order)") }
    let alias = alias()
    writer.write("(SELECT min(\(alias).\(order)) FROM \(junction.spelledName) AS \(alias) WHERE ")
    writer.writeRow(junction.spelled(route.farColumns, of: alias))
    writer.write(" = ")
    writer.writeRow(table.spelled(route.toColumns))
    writer.write(" AND ")
    writer.writeRow(junction.spelled(route.nearColumns, of: alias))
    writer.write(" = ")
    writer.bindRow(try path.start.values(ofColumns: route.fromColumns, view))
    writer.write(")")
  }
}
