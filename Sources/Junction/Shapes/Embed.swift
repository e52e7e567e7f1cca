import Catalog
import Diagnostics
import SQLSyntax

/// What a query gives of each row beside its columns.
struct Embed: Sendable, Hashable {
  indirect enum Content: Sendable, Hashable {
    case rows(RelationDeclaration, QueryTree)
    case row(RelationDeclaration, QueryTree)
    /// Rows with those of the junction table.
    case linked(RelationDeclaration, QueryTree)
    case count(RelationDeclaration)
    /// The row of the junction table that leads to the row.
    case link
    /// How many rows belong to the row and to the one that a path starts from.
    case sharedCount(LinkPath)
    /// These rows.
    case sharedRows(LinkPath, QueryTree)
  }

  /// The name of its column.
  let name: String
  let content: Content
}

extension QueryRenderer {
  /// Writes the columns of a row, and what is given beside them; `link` is the junction table that leads to the row, if
  /// there is one.
  mutating func writeList(
    _ tree: QueryTree, _ table: Table, link: String? = nil
  ) throws(SQLError) {
    var embeds = tree.embeds
    var columns = table.layout.columns.map(\.name)
    if let shape = tree.shape {
      let resolved = try ShapeResolution(try shape.get(), tree.root, table.layout, view)
      (columns, embeds) = (resolved.columns, resolved.embeds)
    }
    writer.write(columns.map { "\(table.alias).\($0)" }.joined(separator: ", "))
    for (number, embed) in embeds.enumerated() {
      if number > 0 || !columns.isEmpty { writer.write(", ") }
      try write(embed, table, link)
      writer.write(" AS \(SQLPrinter.quoted(embed.name))")
    }
    if columns.isEmpty, embeds.isEmpty { writer.write("1") }
  }

  private mutating func write(
    _ embed: Embed, _ table: Table, _ link: String?
  ) throws(SQLError) {
    switch embed.content {
    case .count(let declaration): try writeCount(declaration, table)
    case .link: writer.write(link ?? "NULL")
    case .sharedCount(let path): try writeSharedCount(path, table)
    case .sharedRows(let path, var tree):
      guard let hop = path.hops.last else { return writer.write("NULL") }
      tree.conditions.append(.reached(path))
      try write(Embed(name: embed.name, content: .rows(hop, tree)), table, link)
    case .rows(let declaration, let tree):
      writer.write("ARRAY(SELECT \"+row\" FROM (")
      try writeRelated(declaration, tree, of: table)
      writer.write(") AS \"+row\")")
    case .linked(let declaration, let tree):
      writer.write("ARRAY(SELECT \"+row\" FROM (")
      try writeRelated(declaration, tree, of: table, showsLinks: true)
      writer.write(") AS \"+row\")")
    case .row(let declaration, var tree):
      tree.limit = 1
      writer.write("(SELECT \"+row\" FROM (")
      try writeRelated(declaration, tree, of: table)
      writer.write(") AS \"+row\")")
    }
  }

  /// The rows that belong to a row of an outer query.
  private mutating func writeRelated(
    _ declaration: RelationDeclaration, _ tree: QueryTree, of outer: Table,
    showsLinks: Bool = false
  ) throws(SQLError) {
    let route = try RelationRoute.of(declaration, view)
    let table = Table(try tree.root.layout(view), within: outer)
    let owner = outer.spelled(route.fromColumns)
    writer.write("SELECT ")
    guard let junction = route.junction else {
      try writeList(tree, table)
      writer.write(" FROM \(table.from) WHERE ")
      writer.writeRow(table.spelled(route.toColumns))
      writer.write(" = ")
      writer.writeRow(owner)
      return try writeRest(tree, table, order: route.orderColumn.map { "\(table.alias).\($0)" })
    }
    let alias = alias()
    if showsLinks {
      writer.write("\(alias) AS link, \(table.alias) AS \"row\"")
    } else {
      try writeList(tree, table, link: alias)
    }
    writer.write(" FROM \(junction.spelledName) AS \(alias) JOIN \(table.from) ON ")
    let ends = zip(
      junction.spelled(route.farColumns, of: alias), table.spelled(route.toColumns))
    writer.write(ends.map { "\($0) = \($1)" }.joined(separator: " AND "))
    writer.write(" WHERE ")
    writer.writeRow(junction.spelled(route.nearColumns, of: alias))
    writer.write(" = ")
    writer.writeRow(owner)
    try writeRest(tree, table, order: route.orderColumn.map { "\(alias).\($0)" })
  }

  /// The conditions, orders and limits of an inner query.
  private mutating func writeRest(
    _ tree: QueryTree, _ table: Table, order: String?
  ) throws(SQLError) {
    try writeConditions(tree, table, behind: " AND ")
    var tree = tree
    if tree.orders.isEmpty, let order { tree.orders = [.sql(SQL(raw: order))] }
    tree.ordersByKey = !table.layout.key.isEmpty
    try writeOrders(tree, table)
    writeLimit(tree)
  }
}
