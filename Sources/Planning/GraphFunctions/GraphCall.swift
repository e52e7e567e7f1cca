package import Catalog
package import Columnar

/// A call of a graph algorithm: what it runs over.
package struct GraphCall: Sendable {
  package var function: GraphFunction
  package var shape: GraphShape
  /// Whether edges are walked as they are written, and not both ways.
  package var isDirected: Bool
  /// The arguments that are names, as they were given: they are no values of the call.
  package var names: [(argument: String, name: String)] = []
  /// Numbers of vertices that the algorithm is given: for each, the entries of the plans that give a table's
  /// positions and values, and nil for tables that have none.
  package var columns: [[Int?]] = []
  /// Which columns of the result nobody uses, by place: they need not be made.
  package var unused: Set<Int> = []
  /// The vertex table that all vertices of the result and the arguments are of; nil if they may be of any.
  package var table: Int?
  /// What is read before the algorithm runs: pairs, weights, and edges that no index leads along.
  package var plans: [LogicalPlan]

  package init(
    function: GraphFunction, shape: GraphShape, isDirected: Bool, plans: [LogicalPlan]
  ) {
    self.function = function
    self.shape = shape
    self.isDirected = isDirected
    self.plans = plans
  }
}

/// Where the vertices and edges of a graph are.
package enum GraphShape: Sendable {
  /// A table whose rows are vertices.
  package struct Vertices: Sendable {
    package var table: TableDefinition
    /// What tells the vertices of several tables apart.
    package var name: String
    /// The columns that tell its rows apart.
    package var key: [ScanPlan.Column]

    package init(table: TableDefinition, name: String, key: [ScanPlan.Column]) {
      self.table = table
      self.name = name
      self.key = key
    }
  }

  /// A table whose rows are edges, and the ways along them.
  package struct Edges: Sendable {
    package var table: TableDefinition
    package var forth: PathHop
    package var back: PathHop
    /// The entry of the call's plans that gives each edge's position and weight.
    package var weights: Int?

    package init(table: TableDefinition, forth: PathHop, back: PathHop, weights: Int?) {
      self.table = table
      self.forth = forth
      self.back = back
      self.weights = weights
    }
  }

  /// Rows of tables; links without an index are those of the call's plans that hops name.
  case tables([Vertices], [Edges])
  /// Pairs of values, and their weights if there is a third column: the call's first plan.
  ///
  /// The vertices are the values that are not NULL; a pair with a NULL is no edge.
  case pairs(LogicalType, hasWeights: Bool)
}

extension GraphCall {
  /// About how many vertices there are; nil for the values of a query.
  func vertexCount(_ statistics: StatisticsSource) -> Double? {
    guard case .tables(let vertices, _) = shape else { return nil }
    return vertices.reduce(0) { $0 + (statistics($1.table.id)?.rowCount ?? 0) }
  }

  /// What EXPLAIN calls the graph.
  package var graphName: String {
    guard case .tables(_, let edges) = shape else { return "pairs of a query" }
    return edges.map(\.table.name.name).joined(separator: ", ")
  }

  /// Along which edges the algorithm walks, and how they are found.
  package var walks: String {
    guard case .tables(let vertices, let edges) = shape else {
      return (isDirected ? "as written" : "both ways") + ", in lists made for the run"
    }
    return edges.map { edge in
      let (from, to) = (vertices[edge.forth.from].name, vertices[edge.forth.to].name)
      let how: String
      switch edge.forth.access {
      case .junction: how = "by index"
      case .toParent, .toChildren:
        how = "by index to children, in lists made for the run to parents"
      case .link: how = "in lists made for the run"
      }
      return "\(from) \(isDirected ? "->" : "--") \(to), \(how)"
    }.joined(separator: "; ")
  }
}
