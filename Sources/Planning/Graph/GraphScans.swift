import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Scans of the tables of elements.
extension GraphBinding {
  /// A scan that stands for a vertex or an edge.
  struct PositionedScan {
    var scan: ScanPlan
    /// The table's columns.
    var columns: [PlanColumn]
    /// The position of the row.
    var position: PlanColumn
  }

  func table(of element: PropertyGraphDefinition.Element) throws(SQLError) -> TableDefinition {
    guard let table = session.catalog.tables[element.table] else {
      throw SQLError.internal("a graph is over a table that is not there")
    }
    return table
  }

  func scan(
    of element: PropertyGraphDefinition.Element, alias: String? = nil
  ) throws(SQLError) -> PositionedScan {
    var (scan, columns) = session.makeScan(try table(of: element), alias: alias)
    let position = session.makeColumn("position", .integer)
    scan.columns.append(ScanPlan.Column(position, index: ScanPlan.positionIndex))
    return PositionedScan(scan: scan, columns: columns, position: position)
  }

  /// What holds an edge to the vertex at one of its ends.
  func conditions(
    holding edge: PositionedScan, at end: PropertyGraphDefinition.End, _ vertex: PositionedScan
  ) throws(SQLError) -> [BoundExpression] {
    if end.columns.isEmpty {
      if edge.position == vertex.position { return [] }
      return [.comparison(.equal, edge.position.reference, vertex.position.reference)]
    }
    // The edge may be the row of the vertex and lead to it as well, which a loop alone does.
    if edge.position == vertex.position, end.columns == end.vertexColumns { return [] }
    var conditions: [BoundExpression] = []
    for (one, other) in zip(end.columns, end.vertexColumns) {
      conditions.append(
        try session.compare(
          .equal, Operator("="), (edge.columns[one].reference, .none),
          (vertex.columns[other].reference, .none)))
    }
    return conditions
  }

  /// What a mode asks of the elements of a path of which all are scanned, each with its entry in the graph.
  func conditions(
    _ mode: PathPrefix.Mode, vertices: [(table: Int, scan: PositionedScan)],
    edges: [(table: Int, scan: PositionedScan)]
  ) -> [BoundExpression] {
    if mode == .walk { return [] }
    let elements = mode == .trail ? edges : vertices
    var conditions: [BoundExpression] = []
    for (last, element) in elements.enumerated() {
      for first in 0..<last where elements[first].table == element.table {
        // A simple path may end where it began.
        if mode == .simple, first == 0, last == elements.count - 1 { continue }
        conditions.append(
          .comparison(
            .notEqual, elements[first].scan.position.reference, element.scan.position.reference))
      }
    }
    return conditions
  }
}
