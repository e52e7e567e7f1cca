import Catalog
import Diagnostics
import SQLSyntax

/// How rows over any number of hops are asked for: by the shortest paths of a graph.
extension QueryRenderer {
  /// The columns of a row that is reached, its hops, and for each column its values in the rows of the path.
  mutating func writeReachedList(_ table: Table) {
    let columns = table.layout.columns.map(\.name)
    writer.write(columns.map { "\(table.alias).\($0)" }.joined(separator: ", "))
    writer.write(", \(Self.hops)")
    for (place, column) in columns.enumerated() {
      writer.write(", \(Self.path(place)) AS \(column)")
    }
  }

  /// What stands behind FROM under the name of the table.
  mutating func writeReach(_ reach: Reach, _ table: Table) throws(SQLError) {
    let route = try RelationRoute.of(reach.relation, view)
    guard let hop = try hop(route), reach.hopsMax > 0, reach.hopsMin <= reach.hopsMax else {
      return writeNothingReached(table)
    }
    let columns = table.layout.columns.map(\.name)
    let (key, values) = try keyOfStart(reach, table)
    let vertex = try label(table.layout.definition)
    writer.write("GRAPH_TABLE (* MATCH p = ANY SHORTEST (a IS \(vertex) WHERE ")
    writeIsRow("a", key, values)
    writer.write(") ((x IS \(vertex))\(hop.pattern)(y IS \(vertex))){1,\(reach.hopsMax)} ")
    writer.write("(b IS \(vertex) WHERE NOT (")
    writeIsRow("b", key, values)
    writer.write(")) COLUMNS (path_length(p) / \(hop.edges) AS \(Self.hops)")
    for (place, column) in columns.enumerated() {
      writer.write(", b.\(column) AS \(column), y.\(column) AS \(Self.path(place))")
    }
    writer.write(")) AS \(table.alias)")
    if reach.hopsMin > 1 {
      // Least are the hops of all ways, not of those that are long enough.
      writer.write(" WHERE \(Self.hops) >= \(reach.hopsMin)")
    }
  }

  private static var hops: String { SQLPrinter.quoted(Reach.hopsName) }
  private static func path(_ place: Int) -> String {
    SQLPrinter.quoted(Reach.pathName(place))
  }

  /// The columns of the key, and their values in the row where it starts.
  private func keyOfStart(
    _ reach: Reach, _ table: Table
  ) throws(SQLError) -> (columns: [String], values: [SQLValue]) {
    let key = try table.layout.keyOrFail.map { table.layout.columns[$0] }
    return (key.map(\.name), try reach.start.values(ofColumns: key.map(\.index), view))
  }

  private mutating func writeIsRow(_ variable: String, _ key: [String], _ values: [SQLValue]) {
    for (place, (column, value)) in zip(key, values).enumerated() {
      writer.write("\(place == 0 ? "" : " AND ")\(variable).\(column) = ")
      writer.bind(value)
    }
  }

  /// No rows, with the columns that reached ones have.
  private mutating func writeNothingReached(_ table: Table) {
    let columns = table.layout.columns.map(\.name)
    writer.write("(SELECT \(columns.joined(separator: ", ")), 0 AS \(Self.hops)")
    for (place, column) in columns.enumerated() {
      writer.write(", ARRAY[\(column)] AS \(Self.path(place))")
    }
    writer.write(" FROM \(table.layout.name) WHERE false) AS \(table.alias)")
  }

  /// One hop as a part of a path pattern.
  private struct Hop {
    let pattern: String
    let edges: Int
  }

  /// Over a relation and back, or of a table to itself along it; nil where what belongs to a row belongs to no other.
  private func hop(_ route: RelationRoute) throws(SQLError) -> Hop? {
    let isOfItself = route.from.definition.id == route.to.definition.id
    switch route.relationship.route {
    case .toParent: return nil
    case .toChildren(let key):
      if !isOfItself { return nil }
      return Hop(pattern: "<-[IS \(SQLPrinter.quoted(key.name))]-", edges: 1)
    case .throughJunction(let near, let far):
      guard let junction = route.junction else { return nil }
      let links = try Links(near, far, of: junction, label(junction), view.catalog)
      if isOfItself { return Hop(pattern: links.there, edges: links.edges) }
      let vertex = try label(route.to.definition)
      return Hop(
        pattern: "\(links.there)(IS \(vertex))\(links.back)", edges: 2 * links.edges)
    }
  }

  /// The way through a junction table in a path pattern.
  private struct Links {
    let there: String
    let back: String
    let edges: Int

    init(
      _ near: ForeignKeyLink, _ far: ForeignKeyLink, of junction: TableDefinition, _ label: String,
      _ catalog: CatalogSnapshot
    ) {
      let pairs = catalog.junctionPairs(of: junction)
      let name = junction.name.name
      let isEdge =
        pairs.count == 1
        && !catalog.tables.values.contains { $0.foreignKeys.contains { $0.name == name } }
      guard isEdge else {
        // The row of the junction is a vertex as well, from which its foreign keys lead.
        let (one, other) = (SQLPrinter.quoted(near.name), SQLPrinter.quoted(far.name))
        there = "<-[IS \(one)]-(IS \(label))-[IS \(other)]->"
        back = "<-[IS \(other)]-(IS \(label))-[IS \(one)]->"
        edges = 2
        return
      }
      let (along, against) = ("-[IS \(label)]->", "<-[IS \(label)]-")
      (there, back) = pairs[0].first == near ? (along, against) : (against, along)
      edges = 1
    }
  }

  /// The name by which the graph of all relationships has a table.
  ///
  /// - Throws: 0A000 for a table beside which another one has the name.
  private func label(_ table: TableDefinition) throws(SQLError) -> String {
    let name = table.name.name
    if view.catalog.tables.values.contains(where: { $0.name.name == name && $0.id != table.id }) {
      throw SQLError.unsupported(
        "reaching rows of table \"\(name)\", as tables of other schemas have its name")
    }
    return SQLPrinter.quoted(name)
  }
}
