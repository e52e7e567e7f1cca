import Catalog
import Diagnostics
import Planning
import SQLSyntax

/// A graph algorithm over the links of a relation, asked in SQL.
struct GraphQuestion {
  private enum Argument {
    case value(SQLValue)
    case vertices([RowStart], isList: Bool)
    case column(PropertyReference, isOfTarget: Bool)
  }
  private let function: GraphFunction
  private let edges: GraphEdges
  private let isDirected: Bool?
  /// Whether only rows that links lead from come out.
  private let isOfFrom: Bool
  private var arguments: [(name: String, value: Argument)] = []

  init(
    _ function: GraphFunction, _ edges: GraphEdges, directed: Bool? = nil, isOfFrom: Bool = false
  ) {
    self.function = function
    self.edges = edges
    self.isOfFrom = isOfFrom
    isDirected = directed
  }

  /// Adds an argument; none for nil.
  mutating func add(_ name: String, _ value: (some SQLValueConvertible)?) {
    if let value { arguments.append((name, .value(value.sqlValue))) }
  }

  /// Adds a vertex.
  mutating func add(_ name: String, row: some Record) {
    arguments.append((name, .vertices([RowStart(row)], isList: false)))
  }

  /// Adds a list of vertices; none for nil.
  mutating func add(_ name: String, rows: [some Record]?) {
    guard let rows else { return }
    arguments.append((name, .vertices(rows.map { RowStart($0) }, isList: true)))
  }

  /// Adds a column of the vertices that edges lead from, or of those that they lead to.
  mutating func add<R: Record>(
    _ name: String, column: PartialKeyPath<R>, isOfTarget: Bool = false
  ) {
    arguments.append((name, .column(PropertyReference(column), isOfTarget: isOfTarget)))
  }

  // MARK: Statements

  /// The call as an entry of FROM.
  private func call(_ view: CatalogView) throws(SQLError) -> SQL {
    let route = try RelationRoute.of(edges.declaration, view)
    var sql = SQL(raw: "\(function.rawValue)(\(Self.quoted(try GraphEdges.name(of: route, view)))")
    for (name, value) in arguments {
      sql.write(", \(name) => ")
      switch value {
      case .value(let value): sql.bind(value)
      case .vertices(let rows, let isList):
        try Self.write(rows, isList: isList, of: route.from, view, to: &sql)
      case .column(let property, let isOfTarget):
        let layout = isOfTarget ? route.to : route.from
        let place = layout.columns[try property.place(in: layout)].index
        sql.write(Self.quoted(layout.definition.columns[place].name))
      }
    }
    if let weight = try edges.weightColumn(view) { sql.write(", weight => \(Self.quoted(weight))") }
    if let isDirected { sql.write(", directed => \(isDirected)") }
    if isOfFrom { sql.write(", of => \(Self.quoted(route.from.definition.name.name))") }
    sql.write(")")
    return sql
  }

  /// Keys of vertices.
  private static func write(
    _ rows: [RowStart], isList: Bool, of layout: RecordLayout, _ view: CatalogView,
    to sql: inout SQL
  ) throws(SQLError) {
    let key = layout.definition.graphKey(view.catalog)
    if isList { sql.write("ARRAY[") }
    for (place, row) in rows.enumerated() {
      if place > 0 { sql.write(", ") }
      if key.count > 1 { sql.write("ROW(") }
      for (index, value) in try row.values(ofColumns: key, view).enumerated() {
        if index > 0 { sql.write(", ") }
        sql.bind(value)
        sql.write("::\(layout.definition.typeName(ofColumn: key[index]))")
      }
      if key.count > 1 { sql.write(")") }
    }
    guard isList else { return }
    sql.write("]")
    if key.count == 1 { sql.write("::\(layout.definition.typeName(ofColumn: key[0]))[]") }
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  /// What an algorithm gives, with the rows of its vertices: `sides` are the records that the columns of their keys with some
  /// prefix stand for.
  private func select(
    _ sides: [Side], _ values: [String], order: String, _ view: CatalogView
  ) throws(SQLError) -> SQL {
    let route = try RelationRoute.of(edges.declaration, view)
    let columns = sides.map { $0.layout.list("\($0.alias).") } + values.map { "g.\($0)" }
    var sql = SQL(raw: "SELECT \(columns.joined(separator: ", ")) FROM ")
    sql = sql + (try call(view))
    sql.write(" AS g")
    for side in sides {
      sql.write(try side.join(isTyped: isOfFrom || route.hasOneKeyType(view.catalog), view))
    }
    let keys = sides.flatMap { side in
      side.layout.definition.spelled(
        side.layout.definition.graphKey(view.catalog), of: side.alias)
    }
    sql.write(" ORDER BY \((order.isEmpty ? keys : [order] + keys).joined(separator: ", "))")
    return sql
  }

  /// The rows of one end of what an algorithm gives.
  private struct Side {
    let alias: String
    let prefix: String
    let layout: RecordLayout

    /// - Throws: 0A000 where a key of several columns is not known by its type.
    func join(isTyped: Bool, _ view: CatalogView) throws(SQLError) -> String {
      let table = layout.definition
      let key = table.graphKey(view.catalog)
      let own = table.spelled(key, of: alias)
      var conditions: [String] = []
      for (column, place) in zip(own, key) {
        let name = key.count == 1 ? "id" : table.columns[place].name
        let given = "g.\(SQLPrinter.quoted(prefix + name))"
        if !isTyped, key.count > 1 {
          throw SQLError.unsupported(
            "a graph between tables with keys of different columns, as that of \(table.name.name)")
        }
        conditions.append("\(isTyped ? column : "\(column)::text") = \(given)")
      }
      return " JOIN \(table.spelledName) AS \(alias) ON \(conditions.joined(separator: " AND "))"
    }
  }

  private func side<R: Record>(
    _ type: R.Type, _ alias: String, _ prefix: String, _ view: CatalogView
  ) throws(SQLError) -> Side {
    Side(alias: alias, prefix: prefix, layout: try RecordTable<R>.of(view).layout)
  }

  // MARK: Answers

  /// Rows with some values, in an order of the values and then of the key.
  func rows<R: Record>(
    _ type: R.Type, _ values: [String], order: String, _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> GraphAnswer<R, R> {
    let view = try CatalogView.of(db)
    let side = try side(R.self, "t", "", view)
    let result = try db.query(try select([side], values, order: order, view))
    return try GraphAnswer(result, width: side.layout.columns.count)
  }

  /// Pairs of rows with some values.
  func pairs<R: Record, S: Record>(
    _ type: R.Type, _ otherType: S.Type, _ values: [String], order: String,
    _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> GraphAnswer<R, S> {
    let view = try CatalogView.of(db)
    let sides = [try side(R.self, "t", "", view), try side(S.self, "u", "other_", view)]
    let result = try db.query(try select(sides, values, order: order, view))
    return try GraphAnswer(
      result, width: sides[0].layout.columns.count, otherWidth: sides[1].layout.columns.count)
  }

  /// Ways in the order of a column, and then of the key of their vertex if they have one, with the value of each.
  func ways<R: Record>(
    _ type: R.Type, value: String, order: String, byKey: Bool = true,
    _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [Way<R>] {
    let view = try CatalogView.of(db)
    let layout = try RecordTable<R>.of(view).layout
    let table = layout.definition
    let key = table.graphKey(view.catalog)
    let names = key.count == 1 ? ["id"] : table.spelled(key)
    let orders = byKey ? [order] + names : [order]
    var sql = SQL(
      raw: "SELECT \(layout.list("t.")), w.n, w.value FROM (SELECT row_number() OVER (ORDER BY "
        + "\(orders.joined(separator: ", "))) AS n, \(value)::float8 AS value, path FROM ")
    sql = sql + (try call(view))
    // A key of several columns is a row, which comes out as its columns.
    let parts = key.indices.map { "k\($0)" }
    let conditions = zip(table.spelled(key, of: "t"), parts).map { "\($0) = s.\($1)" }
    sql.write(
      ") AS w CROSS JOIN LATERAL unnest(w.path) WITH ORDINALITY AS s "
        + "(\((parts + ["o"]).joined(separator: ", "))) JOIN \(table.spelledName) AS t ON "
        + "\(conditions.joined(separator: " AND ")) ORDER BY w.n, s.o")
    let answer = try GraphAnswer<R, R>(try db.query(sql), width: layout.columns.count)
    var ways: [Way<R>] = []
    var last: Int?
    for ((row, number), cost) in zip(
      zip(answer.rows, try answer.values(Int.self, 0)), try answer.values(Double.self, 1))
    {
      if number != last { ways.append(Way(cost: cost, path: [])) }
      last = number
      ways[ways.count - 1].path.append(row)
    }
    return ways
  }

  /// What is said of no row.
  func values<T: Decodable & Sendable>(
    _ type: T.Type, _ columns: String, _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [T] {
    let view = try CatalogView.of(db)
    var sql = SQL(raw: "SELECT \(columns) FROM ")
    sql = sql + (try call(view))
    return try db.query(sql).decode(T.self)
  }
}

/// The rows that an algorithm is about, and what it says of them.
struct GraphAnswer<Row: Record, Other: Record> {
  let rows: [Row]
  let others: [Other]
  private let values: ResultSet

  init(_ result: ResultSet, width: Int, otherWidth: Int = 0) throws(SQLError) {
    rows = try result.keeping(columns: 0..<width).decode(Row.self)
    let end = width + otherWidth
    others =
      otherWidth == 0 ? [] : try result.keeping(columns: width..<end).decode(Other.self)
    values = result.keeping(columns: end..<result.columns.count)
  }

  /// The values of a column beside the rows.
  func values<T: SQLValueConvertible>(_ type: T.Type, _ place: Int) throws(SQLError) -> [T] {
    try values.keeping(columns: place..<(place + 1)).decode(T.self)
  }
}

extension RelationRoute {
  /// Whether the keys of both tables are of the same types.
  fileprivate func hasOneKeyType(_ catalog: CatalogSnapshot) -> Bool {
    let types = [from.definition, to.definition].map { table in
      table.graphKey(catalog).map { table.columns[$0].type }
    }
    return types[0] == types[1]
  }
}

extension GraphQuestion {
  func ranks<R: Record, Value: SQLValueConvertible>(
    _ value: String, isRising: Bool = false, _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [Ranked<R, Value>] {
    let answer = try rows(R.self, [value], order: "g.\(value)\(isRising ? "" : " DESC")", db)
    return zip(answer.rows, try answer.values(Value.self, 0)).map { Ranked(row: $0, value: $1) }
  }

  func groups<R: Record>(
    _ value: String, _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [Grouped<R>] {
    let answer = try rows(R.self, [value], order: "g.\(value)", db)
    return zip(answer.rows, try answer.values(Int.self, 0)).map { Grouped(row: $0, group: $1) }
  }

  func pairs<R: Record, S: Record>(
    _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [RowPair<R, S>] {
    let answer = try pairs(R.self, S.self, [], order: "", db)
    return zip(answer.rows, answer.others).map { RowPair(row: $0, other: $1) }
  }

  func rankedPairs<R: Record, Value: SQLValueConvertible>(
    _ value: String, order: String = "", _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [RankedPair<R, Value>] {
    let answer = try pairs(R.self, R.self, [value], order: order, db)
    return zip(zip(answer.rows, answer.others), try answer.values(Value.self, 0)).map {
      RankedPair(row: $0.0, other: $0.1, value: $1)
    }
  }
}
