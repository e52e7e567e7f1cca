import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// How the edges of a graph are found; those that no index leads along are gathered by plans.
struct EdgeLinks {
  /// The positions of such edges' rows and of both their ends.
  private(set) var plans: [LogicalPlan] = []
  private var numbers: [Int: Int] = [:]

  /// How the edges of a table are found in one direction: by an index where a foreign key has one.
  ///
  /// - Throws: XX000.
  mutating func access(
    _ edge: Int, isReversed: Bool, in binding: GraphBinding
  ) throws(SQLError) -> PathHop.Access {
    let graph = binding.graph
    let element = graph.edges[edge]
    let table = try binding.table(of: element)
    guard let ends = element.ends else { throw SQLError.internal("an edge without ends") }
    let source = foreignKey(ends.source, of: table, in: graph)
    let destination = foreignKey(ends.destination, of: table, in: graph)
    if let destination, ends.source.isRow(of: table, in: graph) {
      return isReversed ? .toChildren(destination) : .toParent(destination)
    }
    if let source, ends.destination.isRow(of: table, in: graph) {
      return isReversed ? .toParent(source) : .toChildren(source)
    }
    if let source, let destination, source != destination {
      return isReversed
        ? .junction(from: destination, to: source) : .junction(from: source, to: destination)
    }
    let number = numbers[edge] ?? plans.count
    if numbers[edge] == nil {
      numbers[edge] = number
      plans.append(try link(element, ends, in: binding))
    }
    return .link(number, isReversed: isReversed)
  }

  /// The foreign key that an end of an edge follows, if every edge has that end.
  private func foreignKey(
    _ end: PropertyGraphDefinition.End, of table: TableDefinition,
    in graph: PropertyGraphDefinition
  ) -> Int? {
    let pairs = Set(zip(end.columns, end.vertexColumns).map { [$0, $1] })
    let parent = graph.vertices[end.vertex].table
    return table.foreignKeys.firstIndex { key in
      key.parent == parent && key.alwaysHasParent && key.columns.count == end.columns.count
        && Set(zip(key.columns, key.parentColumns).map { [$0, $1] }) == pairs
    }
  }

  /// The positions of an edge table's rows and of both their ends.
  private func link(
    _ element: PropertyGraphDefinition.Element,
    _ ends: (source: PropertyGraphDefinition.End, destination: PropertyGraphDefinition.End),
    in binding: GraphBinding
  ) throws(SQLError) -> LogicalPlan {
    let edge = try binding.scan(of: element)
    var plan = LogicalPlan.scan(edge.scan)
    var conditions: [BoundExpression] = []
    var positions = [edge.position]
    for end in [ends.source, ends.destination] {
      let vertex = try binding.scan(of: binding.graph.vertices[end.vertex])
      plan = .join(JoinPlan(.inner, plan, .scan(vertex.scan), on: []))
      positions.append(vertex.position)
      conditions += try binding.conditions(holding: edge, at: end, vertex)
    }
    return .project(
      .filter(plan, conditions), positions.map { ProjectedColumn($0, $0.reference) })
  }
}
