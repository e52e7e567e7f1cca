import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Conditions on elements of a repeated part that are further apart than an edge and its ends.
extension PathBuilder {
  /// - Throws: 0A000 for one that holds a subquery, 54001 for too many combinations of tables.
  func roundConditions(
    _ filters: [(filter: Expression, reach: FilterReach)], _ shape: PathShape
  ) throws(SQLError) -> [RoundCondition] {
    var conditions: [RoundCondition] = []
    for (filter, reach) in filters {
      var variants: [RoundCondition.Variant] = []
      for tables in try combinations(of: reach, shape) {
        variants.append(try variant(filter, tables, shape))
      }
      conditions.append(RoundCondition(variants: variants))
    }
    return conditions
  }

  private typealias Choice = (place: RoundPlace, table: Int)

  /// Every way to choose tables for the elements that a condition uses.
  private func combinations(
    of reach: FilterReach, _ shape: PathShape
  ) throws(SQLError) -> [[Choice]] {
    var found: [[Choice]] = [[]]
    let places =
      reach.sites.sorted().map(RoundPlace.vertex) + reach.links.sorted().map(RoundPlace.edge)
    for place in places {
      let (patterns, isEdge) = shape.element(at: place)
      let candidates = try binding.candidates(for: patterns, isEdge: isEdge)
      found = found.flatMap { known in candidates.map { known + [(place, $0)] } }
      if found.count > GraphBinding.assignmentLimit { throw GraphBinding.tooManyAssignments() }
    }
    return found
  }

  /// A condition bound for elements of certain tables.
  private func variant(
    _ filter: Expression, _ tables: [Choice], _ shape: PathShape
  ) throws(SQLError) -> RoundCondition.Variant {
    var named: [NamedRows] = []
    var scans: [(choice: Choice, scan: ScanPlan)] = []
    for choice in tables {
      let (patterns, isEdge) = shape.element(at: choice.place)
      let element = (isEdge ? graph.edges : graph.vertices)[choice.table]
      let (scan, columns) = session.makeScan(try binding.table(of: element), alias: nil)
      scans.append((choice, scan))
      named.append((patterns, element, columns, isEdge))
    }
    let bound = try session.bindBoolean(filter, for: "WHERE", in: try scope(named))
    if bound.containsSubquery {
      throw SQLError.unsupported(
        "a subquery in a condition on several elements of a path that is searched", at: filter.range
      )
      .hinted("Compute it in a query around and use its column.")
    }
    let used = bound.columns
    return RoundCondition.Variant(
      elements: scans.map { (choice, scan) in
        RoundCondition.Element(
          place: choice.place, table: choice.table,
          columns: scan.columns.filter { used.contains($0.column.id) })
      }, expression: bound)
  }
}

extension PathShape {
  /// The patterns of an element of single edges in a row.
  fileprivate func element(at place: RoundPlace) -> (patterns: [ElementPattern], isEdge: Bool) {
    switch place {
    case .vertex(let index): return (sites[index], false)
    case .edge(let index):
      guard case .edge(let element, _) = links[index] else { return ([], true) }
      return ([element], true)
    }
  }
}
