import Catalog
import Diagnostics
import SQLSyntax

/// Writes queries as SQL, with what the catalog knows of their relations.
struct QueryRenderer {
  let view: CatalogView
  var writer = SQLWriter()
  /// How many names of junction tables have been given.
  private var aliasCount = 0

  init(_ view: CatalogView) { self.view = view }

  /// A name that no other table of the statement has: names of a program's own do not begin with a plus.
  mutating func alias() -> String {
    aliasCount += 1
    return "\"+link_\(aliasCount)\""
  }

  /// A table of the statement under the name by which its columns are written.
  struct Table {
    let layout: RecordLayout
    let alias: String

    /// The names of the tables around it.
    private let outer: [String]

    /// A table within a query over another one, if there is one: its name is not taken again.
    init(_ layout: RecordLayout, within other: Table? = nil) {
      self.layout = layout
      outer = other.map { $0.outer + [$0.alias] } ?? []
      var name = SQLPrinter.quoted(layout.definition.name.name)
      var number = 1
      while outer.contains(name) {
        number += 1
        name = SQLPrinter.quoted("\(layout.definition.name.name)_\(number)")
      }
      alias = name
    }

    /// The table as FROM has it.
    var from: String { "\(layout.name) AS \(alias)" }

    func spelled(_ columns: [Int]) -> [String] { layout.definition.spelled(columns, of: alias) }
  }

  /// The whole query; `list` is what it gives of each row, all columns of the record unless it is said.
  static func select(
    _ tree: QueryTree, _ view: CatalogView, list: String? = nil
  ) throws(SQLError) -> SQL {
    guard list == nil, let (path, isNegated) = tree.onlyPath, let hop = path.hops.first else {
      return try rendered(tree, view, list)
    }
    // The most frequent questions of all: what belongs to a row, and what does not.
    let route = try RelationRoute.of(hop, view)
    let values = try path.start.values(of: route)
    if tree.isUnordered {
      let text = try route.text(isNegated ? .others : .list) { () throws(SQLError) in
        try rendered(tree, view, nil).text
      }
      return SQL(raw: text, values)
    }
    guard let form = RelatedForm(tree, path, isNegated: isNegated) else {
      return try rendered(tree, view, nil)
    }
    return try route.statement(form, values) { () throws(SQLError) in
      try rendered(tree, view, nil)
    }
  }

  private static func rendered(
    _ tree: QueryTree, _ view: CatalogView, _ list: String?
  ) throws(SQLError) -> SQL {
    var renderer = QueryRenderer(view)
    let table = Table(try tree.root.layout(view))
    if let links = tree.links {
      try renderer.writeJoin(links, table, list)
    } else {
      renderer.writer.write("SELECT ")
      if let list {
        renderer.writer.write(list)
      } else if tree.reach != nil {
        renderer.writeReachedList(table)
      } else {
        try renderer.writeList(tree, table)
      }
      renderer.writer.write(" FROM ")
      if let reach = tree.reach {
        try renderer.writeReach(reach, table)
      } else {
        renderer.writer.write(table.from)
      }
    }
    try renderer.writeConditions(tree, table, behind: tree.links == nil ? " WHERE " : " AND ")
    try renderer.writeOrders(tree, table)
    renderer.writeLimit(tree)
    return renderer.writer.sql
  }

  mutating func writeLimit(_ tree: QueryTree) {
    if let limit = tree.limit { writer.write(" LIMIT \(limit)") }
    if tree.offset > 0 { writer.write(" OFFSET \(tree.offset)") }
  }

  /// The number of its rows.
  static func count(_ tree: QueryTree, _ view: CatalogView) throws(SQLError) -> SQL {
    if tree.limit == nil, tree.offset == 0 {
      if tree.isUnordered, let (path, isNegated) = tree.onlyPath, !isNegated,
        let hop = path.hops.first
      {
        let route = try RelationRoute.of(hop, view)
        let text = try route.text(.count) { () throws(SQLError) in
          try rendered(tree, view, "count(*)").text
        }
        return SQL(raw: text, try path.start.values(of: route))
      }
      var plain = tree
      plain.orders = []
      plain.ordersByKey = false
      return try select(plain, view, list: "count(*)")
    }
    return try "SELECT count(*) FROM (" + select(tree, view, list: "1") + ") AS rows"
  }

  /// A DELETE of its rows, or an UPDATE, up to its condition: `head` is what comes before.
  static func change(
    _ head: SQL, _ tree: QueryTree, _ view: CatalogView
  ) throws(SQLError) -> SQL {
    var renderer = QueryRenderer(view)
    renderer.writer.write(head)
    let table = Table(try tree.root.layout(view))
    if tree.limit == nil, tree.offset == 0 {
      try renderer.writeConditions(tree, table, behind: " WHERE ")
      return renderer.writer.sql
    }
    // What is limited is found first.
    let key = table.spelled(try table.layout.keyOrFail.map { table.layout.columns[$0].index })
    renderer.writer.write(" WHERE ")
    renderer.writer.writeRow(key)
    renderer.writer.write(" IN (")
    renderer.writer.write(try select(tree, view, list: key.joined(separator: ", ")))
    renderer.writer.write(")")
    return renderer.writer.sql
  }

  /// The conditions, the first of them behind `word`.
  mutating func writeConditions(
    _ tree: QueryTree, _ table: Table, behind word: String
  ) throws(SQLError) {
    for (index, condition) in tree.conditions.enumerated() {
      writer.write(index == 0 ? word : " AND ")
      try write(condition, table, isNegated: false)
    }
  }

  mutating func writeOrders(_ tree: QueryTree, _ table: Table) throws(SQLError) {
    for (index, order) in tree.orders.enumerated() {
      writer.write(index == 0 ? " ORDER BY " : ", ")
      switch order {
      case .column(let column, let direction):
        try write(column, table)
        if direction == .descending { writer.write(" DESC") }
      case .sql(let sql): writer.write(try sql.resolved(view, within: table))
      case .links(let path): try writeOrder(of: path, table)
      }
    }
    guard tree.ordersByKey else { return }
    let key = try table.layout.keyOrFail.map { table.alias + "." + table.layout.columns[$0].name }
    writer.write(tree.orders.isEmpty ? " ORDER BY " : ", ")
    writer.write(key.joined(separator: ", "))
  }

  /// A value of a row.
  mutating func write(_ column: ColumnTree, _ table: Table) throws(SQLError) {
    switch column {
    case .property(let property):
      let place = try property.place(in: table.layout)
      writer.write(table.alias + "." + table.layout.columns[place].name)
    case .count(let declaration): try writeCount(declaration, table)
    }
  }
}
