import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// A graph that an algorithm runs over, and how its vertices come out.
struct BoundGraph {
  var call: GraphCall
  /// The columns of a vertex' key, as they come out.
  var key: [(name: String, type: LogicalType)]
  /// Whether the table of a vertex comes out before its key.
  var hasKinds: Bool
  /// The type of a vertex as an argument; nil where keys of several types do not say which vertex they mean.
  var vertexType: LogicalType?

  /// The types of the keys of one column that vertices have, each once.
  var keyTypes: [LogicalType] {
    guard case .tables(let vertices, _) = call.shape else { return vertexType.map { [$0] } ?? [] }
    var types: [LogicalType] = []
    for key in vertices.map(\.key) where key.count == 1 && !types.contains(key[0].column.type) {
      types.append(key[0].column.type)
    }
    return types
  }

  /// The columns of an algorithm's result: those of its vertices, and its own.
  func columns(_ signature: GraphSignature, _ session: BindingSession) -> [PlanColumn] {
    var columns: [PlanColumn] = []
    for vertex in signature.vertices {
      // "id" alone, or with what tells one vertex of a row from another before it.
      let prefix = vertex == "id" ? "" : String(vertex.dropLast(2))
      if hasKinds { columns.append(session.makeColumn("\(prefix)kind", .text)) }
      for part in key { columns.append(session.makeColumn(prefix + part.name, part.type)) }
    }
    for result in signature.results {
      switch result.kind {
      case .value(let type): columns.append(session.makeColumn(result.name, type))
      case .vertex: columns.append(session.makeColumn(result.name, vertexType ?? .text))
      case .path:
        columns.append(session.makeColumn(result.name, .array(vertexType ?? .text)))
      }
    }
    return columns
  }
}

extension BoundGraph {
  /// Lets only vertices of the table with a name come out.
  ///
  /// - Throws: 22023 for a graph that has no tables, 42P01 for a name that none of them has.
  mutating func restrict(
    to name: String, at range: SourceRange, _ session: BindingSession
  ) throws(SQLError) {
    guard case .tables(let vertices, _) = call.shape else {
      throw SQLError(
        .invalidParameterValue, "the vertices of a query's graph are of no table", at: range,
        hint: "Leave \"of\" out, or choose among the rows that come out.")
    }
    guard let table = vertices.firstIndex(where: { $0.name == name }) else {
      throw SQLError(
        .undefinedTable, "no vertices of the graph are of \"\(name)\"", at: range,
        hint: session.nearest(to: name, among: vertices.map(\.name)).map {
          "Perhaps you meant \"\($0)\"."
        })
    }
    self = BoundGraph(call, [vertices[table]])
    call.table = table
  }
}

extension BindingSession {
  /// The graph that an argument means.
  ///
  /// - Throws: 42P01, 42809, 42703, 42804, 22023.
  func bindGraph(
    _ argument: Expression, weight: (name: String, range: SourceRange)?,
    columns: [(name: String, range: SourceRange)], isDirected: Bool, _ function: GraphFunction,
    in scope: Scope
  ) throws(SQLError) -> BoundGraph {
    if case .subquery(let query) = argument.kind {
      if let column = columns.first {
        throw SQLError(
          .invalidParameterValue, "the vertices of a query have no column \"\(column.name)\"",
          at: column.range, hint: "Make a junction table or a property graph of its rows.")
      }
      if let weight {
        throw SQLError(
          .invalidParameterValue, "a query gives the weight as its third column",
          at: weight.range)
      }
      return try bindPairs(query, isDirected: isDirected, function, at: argument.range, in: scope)
    }
    let text = try constantText(argument, "graph", in: scope)
    let graph = try GraphNameResolver(session: self).graph(text, at: argument.range, in: scope)
    return try bindTables(
      graph, named: text, weight: weight, columns: columns, isDirected: isDirected, function,
      in: scope)
  }

  private func bindPairs(
    _ query: SelectStatement, isDirected: Bool, _ function: GraphFunction, at range: SourceRange,
    in scope: Scope
  ) throws(SQLError) -> BoundGraph {
    let bound = try bindSubquery(query, in: scope)
    guard (2...3).contains(bound.columns.count) else {
      throw SQLError(
        .datatypeMismatch, "a graph's query must give two columns, or three with weights",
        at: range)
    }
    let takesWeight = function.signature.takesWeight
    if bound.columns.count == 3 && !takesWeight {
      throw SQLError(
        .datatypeMismatch, "\(function.rawValue) takes no weights, so its query must give pairs",
        at: range)
    }
    var projected: [ProjectedColumn] = []
    let key = try commonType(
      of: bound.columns.prefix(2).map(\.type), for: "the graph's query", at: [range, range])
    for (index, column) in bound.columns.enumerated() {
      let type = index < 2 ? key : .double
      let source = BoundExpression.column(column.id, column.type)
      guard let value = try coerce(source, to: ColumnType(type), .assignment, at: range) else {
        throw SQLError(
          .datatypeMismatch, "a weight must be a number, not of type \(column.type.name)",
          at: range)
      }
      projected.append(ProjectedColumn(makeColumn(column.name, type), value))
    }
    let call = GraphCall(
      function: function, shape: .pairs(key, hasWeights: projected.count == 3),
      isDirected: isDirected, plans: [.project(bound.plan, projected)])
    guard call.plans[0].freeColumns.isEmpty else {
      throw SQLError.unsupported("a graph's query that uses columns from outside", at: range)
    }
    return BoundGraph(call: call, key: [("id", key)], hasKinds: false, vertexType: key)
  }

  private func bindTables(
    _ graph: PropertyGraphDefinition, named name: String,
    weight: (name: String, range: SourceRange)?, columns: [(name: String, range: SourceRange)],
    isDirected: Bool, _ function: GraphFunction, in scope: Scope
  ) throws(SQLError) -> BoundGraph {
    let binding = GraphBinding(self, graph, named: name, in: scope)
    var vertices: [GraphShape.Vertices] = []
    for element in graph.vertices {
      let table = try binding.table(of: element)
      dependencies.insert(table.id)
      let key = element.key.map { index in
        ScanPlan.Column(
          makeColumn(table.columns[index].name, table.columns[index].columnType), index: index)
      }
      vertices.append(GraphShape.Vertices(table: table, name: element.name, key: key))
    }
    var links = EdgeLinks()
    var edges: [GraphShape.Edges] = []
    for index in graph.edges.indices {
      guard let (from, to) = binding.ends(index, isReversed: false) else { continue }
      func hop(_ isReversed: Bool) throws(SQLError) -> PathHop {
        PathHop(
          access: try links.access(index, isReversed: isReversed, in: binding), edge: index,
          from: isReversed ? to : from, to: isReversed ? from : to, condition: nil,
          skipsLoops: false)
      }
      let table = try binding.table(of: graph.edges[index])
      dependencies.insert(table.id)
      edges.append(
        GraphShape.Edges(table: table, forth: try hop(false), back: try hop(true), weights: nil))
    }
    var plans = links.plans
    if let weight {
      for index in edges.indices {
        edges[index].weights = plans.count
        plans.append(try weights(weight, of: graph.edges[index], binding))
      }
    }
    var numbers: [[Int?]] = []
    for column in columns {
      numbers.append(try self.numbers(column, of: graph.vertices, binding, &plans))
    }
    var call = GraphCall(
      function: function, shape: .tables(vertices, edges), isDirected: isDirected, plans: plans)
    call.columns = numbers
    return BoundGraph(call, vertices)
  }

  /// The positions and weights of an edge table's rows.
  private func weights(
    _ weight: (name: String, range: SourceRange), of edge: PropertyGraphDefinition.Element,
    _ binding: GraphBinding
  ) throws(SQLError) -> LogicalPlan {
    if let plan = try numbers(weight, of: edge, binding, called: "a weight") { return plan }
    throw missing(weight, "edges of \"\(edge.name)\"", edge.properties.map(\.name))
  }

  /// The plans for the positions and numbers of the rows of vertex tables, as far as they have the column.
  private func numbers(
    _ column: (name: String, range: SourceRange), of vertices: [PropertyGraphDefinition.Element],
    _ binding: GraphBinding, _ plans: inout [LogicalPlan]
  ) throws(SQLError) -> [Int?] {
    var places: [Int?] = []
    for element in vertices {
      let plan = try numbers(column, of: element, binding, called: "a column of numbers")
      places.append(plan.map { _ in plans.count })
      if let plan { plans.append(plan) }
    }
    if places.contains(where: { $0 != nil }) { return places }
    throw missing(column, "vertices", vertices.flatMap { $0.properties.map(\.name) })
  }

  /// The positions of a table's rows, and a column as numbers; nil if there is no such column.
  private func numbers(
    _ column: (name: String, range: SourceRange), of element: PropertyGraphDefinition.Element,
    _ binding: GraphBinding, called what: String
  ) throws(SQLError) -> LogicalPlan? {
    let scan = try binding.scan(of: element)
    guard let property = element.properties.first(where: { $0.name == column.name }),
      let value = try binding.value(property, of: element, scan.columns)
    else { return nil }
    guard let number = try coerce(value, to: ColumnType(.double), .assignment, at: column.range)
    else {
      throw SQLError(
        .datatypeMismatch,
        "\(what) must be a number, and \"\(column.name)\" is of type \(value.type.name)",
        at: column.range)
    }
    return .project(
      .scan(scan.scan),
      [
        ProjectedColumn(scan.position, scan.position.reference),
        ProjectedColumn(makeColumn(column.name, .double), number),
      ])
  }

  private func missing(
    _ column: (name: String, range: SourceRange), _ whose: String, _ names: [String]
  ) -> SQLError {
    SQLError(
      .undefinedColumn, "\(whose) have no column \"\(column.name)\"", at: column.range,
      hint: nearest(to: column.name, among: names).map { "Perhaps you meant \"\($0)\"." })
  }
}

extension BoundGraph {
  /// A graph of tables: how its vertices come out follows from their keys.
  ///
  /// A key of one column is called `id`; a key of several gives its own columns. Where tables differ, the table comes
  /// out too, and keys of different types are texts.
  fileprivate init(_ call: GraphCall, _ vertices: [GraphShape.Vertices]) {
    self.call = call
    hasKinds = vertices.count > 1
    let types = vertices.map { $0.key.map(\.column.type) }
    guard let first = vertices.first, types.allSatisfy({ $0 == types[0] }) else {
      key = [("id", .text)]
      vertexType = nil
      return
    }
    if first.key.count == 1 {
      key = [("id", types[0][0])]
      vertexType = types[0][0]
      return
    }
    let columns = first.key.map { ($0.column.name, $0.column.type) }
    key = columns
    vertexType = .record(
      RecordType(name: nil, fields: columns.map { RecordType.Field($0.0, $0.1) }))
  }
}
