import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// What the edges of a search cost: a plan for each edge of the pattern, each table and, where it matters, each direction.
struct PathCosts {
  /// The edges of a table that may be walked, with what they cost.
  struct Entry {
    var rows: LogicalPlan
    var position: PlanColumn
    var value: BoundExpression
    var range: SourceRange
    /// The edges' table, where what they cost does not depend on the direction.
    var edge: Int?
  }
  private var entries: [Entry] = []

  mutating func add(_ entry: Entry) -> Int {
    let same = entries.firstIndex { known in
      known.edge != nil && known.edge == entry.edge && known.range == entry.range
    }
    if let same { return same }
    entries.append(entry)
    return entries.count - 1
  }

  /// The type in which costs are added up, exactly as far as it can be; nil if nothing costs anything.
  var type: LogicalType? {
    if entries.isEmpty { return nil }
    let types = entries.map(\.value.type)
    if types.allSatisfy(\.isInteger) { return .bigint }
    return types.allSatisfy { $0.isInteger || $0 == .numeric } ? .numeric : .double
  }

  /// For each entry the positions of edges, and what it costs to walk them, all in one type.
  ///
  /// - Throws: 42804 for what is no number.
  func plans(_ session: BindingSession) throws(SQLError) -> [LogicalPlan] {
    guard let type else { return [] }
    var plans: [LogicalPlan] = []
    for entry in entries {
      let isNumber = entry.value.type.isNumeric && entry.value.type != .oid
      guard isNumber,
        let value = try session.coerce(entry.value, to: ColumnType(type), at: entry.range)
      else {
        throw SQLError(
          .datatypeMismatch,
          "argument of COST must be a number, not type \(entry.value.type.name)", at: entry.range)
      }
      let column = session.makeColumn("cost", type)
      plans.append(
        .project(
          entry.rows,
          [
            ProjectedColumn(entry.position, entry.position.reference),
            ProjectedColumn(column, value),
          ]))
    }
    return plans
  }
}

extension PathBuilder {
  /// The entry of `costs` for an edge of the pattern that is of a certain table, walked in one direction.
  ///
  /// Only edges that meet the conditions on them are asked what they cost.
  ///
  /// - Throws: 0A000 for a cost that depends on more than the edge and its ends.
  mutating func cost(
    of hop: HopPattern, _ filters: HopFilters, _ edge: Int, isReversed: Bool
  ) throws(SQLError) -> Int? {
    guard let cost = hop.edge.cost else { return nil }
    let joined = try join(hop, edge, isReversed: isReversed)
    let conditions = try bound(filters.edge + filters.hop, in: joined.scope)
    joined.scope.clause = .pathCost
    var value: BoundExpression
    do throws(SQLError) {
      value = try session.bind(cost, in: joined.scope)
    } catch  where error.state == .undefinedTable {
      throw SQLError.unsupported(
        "a cost of anything but the edge and the vertices at its ends", at: cost.range
      )
      .hinted("COST can use the columns of these only, by the names that the pattern gives them.")
    }
    try session.requireNoLeftovers(of: joined.scope)
    if value.type == .unknown {
      value =
        try session.coerce(value, to: ColumnType(.double), at: cost.range)
        ?? value
    }
    let used = value.columnsWithSubqueries
    let ofEnds = joined.plan.outputIDs.subtracting(ColumnSet(joined.edge.columns.map(\.id)))
    let isOfEdge = filters.hop.isEmpty && used.isDisjoint(with: ofEnds)
    let rows: LogicalPlan =
      isOfEdge
      ? .scan(joined.edge.scan).filtered(conditions)
      : joined.plan.filtered(joined.holding + conditions)
    return costs.add(
      PathCosts.Entry(
        rows: rows, position: joined.edge.position, value: value, range: cost.range,
        edge: isOfEdge ? edge : nil))
  }
}
