import Catalog
import Planning

/// What keeps Citus from running a query where the tables stand on several machines.
///
/// It goes by what Citus' planner asks of a query. All of it may be had on one machine: where every distributed table is held to one
/// value of its distribution column. Otherwise tables have to be joined by those columns; a subquery that is not is run by itself
/// first, unless it uses columns of the query around it; recursion and grouping sets are for one machine only.
struct CitusLimits {
  /// A distributed table of a query.
  private struct Relation {
    let name: String
    /// The columns by which it stands, or stands once more, and the table beside whose rows it stands then.
    let places: [(column: ColumnID, beside: ObjectID)]
    /// All of its columns.
    let columns: [ColumnID]
  }
  private let placement: Placement
  private var classes = ColumnClasses()

  init(_ plan: LogicalPlan, _ placement: Placement) {
    self.placement = placement
    classes.collect(plan)
  }

  /// Why Citus does not run a query, of which this is the plan before unnesting; nil if it does.
  ///
  /// With `makesRounds` whoever asks makes recursions round by round.
  static func objection(
    to plan: LogicalPlan, _ placement: Placement, makesRounds: Bool
  ) -> String? {
    let limits = CitusLimits(plan, placement)
    let all = limits.allRelations(in: plan)
    if all.isEmpty || limits.areOnOneMachine(all) { return nil }
    return limits.objection(to: plan, outer: [], makesRounds)
  }

  // MARK: Tables

  private func relation(_ scan: ScanPlan) -> Relation? {
    guard case .distributed(let column, let with)? = placement.places[scan.table.id] else {
      return nil
    }
    var places = [(index: column, beside: with ?? scan.table.id)]
    places += placement.copies.filter { $0.table.id == scan.table.id }
      .map { ($0.column, $0.parent) }
    return Relation(
      name: scan.table.name.name,
      places: places.compactMap { place in
        scan.columns.first { $0.index == place.index }.map { ($0.column.id, place.beside) }
      }, columns: scan.columns.map(\.column.id))
  }

  /// The distributed tables of a query, those of all subqueries included.
  private func allRelations(in plan: LogicalPlan) -> [Relation] {
    var found: [Relation] = []
    if case .scan(let scan) = plan, let relation = relation(scan) { found.append(relation) }
    plan.forEachInput { found += allRelations(in: $0) }
    for subquery in plan.ownSubqueries { found += allRelations(in: subquery.plan) }
    return found
  }

  /// The distributed tables that a query itself joins.
  private func ownRelations(in part: QueryPart) -> [Relation] {
    var found: [Relation] = []
    if case .scan(let scan) = part.plan, let relation = relation(scan) { found.append(relation) }
    for input in part.inputs where !input.isQuery { found += ownRelations(in: input) }
    return found
  }

  private func areOnOneMachine(_ relations: [Relation]) -> Bool {
    guard let first = relations.first else { return true }
    return first.places.contains { place in
      guard let value = classes.constant(of: place.column) else { return false }
      return relations.allSatisfy { relation in
        relation.places.contains {
          $0.beside == place.beside && classes.constant(of: $0.column) == value
        }
      }
    }
  }

  /// Whether rows that belong together stand on one machine, as their distribution columns are equal.
  private func areBeside(_ one: Relation, _ other: Relation) -> Bool {
    one.places.contains { place in
      other.places.contains {
        $0.beside == place.beside && classes.areEqual($0.column, place.column)
      }
    }
  }

  // MARK: Queries

  /// As above, for a query within others whose distributed tables are `outer`.
  private func objection(
    to plan: LogicalPlan, outer: [Relation], _ makesRounds: Bool
  ) -> String? {
    let part = QueryPart(plan)
    let own = ownRelations(in: part)
    if let found = objection(joining: own, in: part) { return found }
    return objection(within: part, own, outer, makesRounds)
  }

  /// What keeps the tables of one FROM from being joined.
  private func objection(joining own: [Relation], in part: QueryPart) -> String? {
    let (group, strangers) = gathered(own, by: areBeside)
    guard let stranger = strangers.first else { return nil }
    // Tables that are joined by nothing but equal columns are joined by moving rows.
    if part.hasPlainJoinsOnly, gathered(own, by: haveEqualColumns).strangers.isEmpty { return nil }
    return
      "\(group[0].name) and \(stranger.name) are joined, but not by what they are distributed by"
  }

  private func haveEqualColumns(_ one: Relation, _ other: Relation) -> Bool {
    one.columns.contains { column in other.columns.contains { classes.areEqual(column, $0) } }
  }

  /// The tables that hang together with the first, and those that do not.
  private func gathered(
    _ own: [Relation], by belong: (Relation, Relation) -> Bool
  ) -> (group: [Relation], strangers: [Relation]) {
    var group = Array(own.prefix(1))
    var rest = Array(own.dropFirst())
    while let next = rest.firstIndex(where: { one in group.contains { belong($0, one) } }) {
      group.append(rest.remove(at: next))
    }
    return (group, rest)
  }

  /// Whether rows have to be moved between machines for a join, which Citus does if it is told to.
  static func movesRows(_ plan: LogicalPlan, _ placement: Placement) -> Bool {
    let limits = CitusLimits(plan, placement)
    let own = limits.ownRelations(in: QueryPart(plan))
    return !limits.gathered(own, by: limits.areBeside).strangers.isEmpty
  }

  private func objection(
    within part: QueryPart, _ own: [Relation], _ outer: [Relation], _ makesRounds: Bool
  ) -> String? {
    let plan = part.plan
    switch plan {
    case .recursive where !makesRounds && !allRelations(in: plan).isEmpty:
      return "a recursion is for the rows of one machine"
    case .aggregate(let aggregate)
    where (aggregate.groupingSets != nil || !aggregate.groupings.isEmpty)
      && !allRelations(in: plan).isEmpty:
      return "grouping sets are for the rows of one machine"
    case .join(let join) where join.isLateral:
      if let found = objection(correlated: join.right, own, outer, "a lateral query") {
        return found
      }
    case .scan, .values, .filter, .project, .projectSet, .join, .path, .aggregate, .window, .sort,
      .limit, .distinct, .setOperation, .recursive, .workingTable, .commonReference, .withCommon,
      .tableFunction, .modify:
      break
    }
    for subquery in plan.ownSubqueries {
      if let found = objection(correlated: subquery.plan, own, outer, "a subquery") {
        return found
      }
      if let found = objection(to: subquery.plan, outer: own + outer, makesRounds) { return found }
    }
    for input in part.inputs {
      let found =
        input.isQuery
        ? objection(to: input.plan, outer: own + outer, makesRounds)
        : objection(within: input, own, outer, makesRounds)
      if let found { return found }
    }
    return nil
  }

  /// What keeps a query from being run for each row of those around it whose columns it uses.
  private func objection(
    correlated plan: LogicalPlan, _ own: [Relation], _ outer: [Relation], _ what: String
  ) -> String? {
    let inner = allRelations(in: plan)
    guard let first = inner.first, !plan.freeColumns.isEmpty else { return nil }
    if own.isEmpty && outer.isEmpty {
      return
        "\(what) about \(first.name) uses columns of a query over tables that are not distributed"
    }
    let stranger = inner.first { one in !(own + outer).contains { areBeside($0, one) } }
    return stranger.map {
      "\(what) about \($0.name) uses columns of the query around it, but not what it is distributed by"
    }
  }
}

/// An operator of a query, and whether a join is above it.
private struct QueryPart {
  let plan: LogicalPlan
  var isBelowJoin = false
  /// Whether it is a query of its own, and not a part of the one above.
  var isQuery = false

  init(_ plan: LogicalPlan) { self.plan = plan }

  private init(_ plan: LogicalPlan, isBelowJoin: Bool, isQuery: Bool) {
    self.plan = plan
    self.isBelowJoin = isBelowJoin
    self.isQuery = isQuery || isBelowJoin && Self.standsAlone(plan)
  }

  var inputs: [QueryPart] {
    var found: [QueryPart] = []
    let isJoin = if case .join = plan { true } else { false }
    plan.forEachInput { input in
      let isQuery =
        switch plan {
        case .setOperation, .recursive: true
        case .withCommon: found.isEmpty
        case .scan, .values, .filter, .project, .projectSet, .join, .path, .aggregate, .window,
          .sort, .limit, .distinct, .workingTable, .commonReference, .tableFunction, .modify:
          false
        }
      found.append(QueryPart(input, isBelowJoin: isBelowJoin || isJoin, isQuery: isQuery))
    }
    return found
  }

  /// Whether a query in FROM is computed before it is joined.
  private static func standsAlone(_ plan: LogicalPlan) -> Bool {
    switch plan {
    case .aggregate, .window, .limit, .distinct, .setOperation, .recursive, .projectSet,
      .withCommon:
      true
    case .scan, .values, .filter, .project, .join, .path, .sort, .workingTable, .commonReference,
      .tableFunction, .modify:
      false
    }
  }

  /// Whether its tables are joined by nothing but inner joins, without subqueries.
  var hasPlainJoinsOnly: Bool {
    if !plan.ownSubqueries.isEmpty { return false }
    if case .join(let join) = plan {
      guard case .inner = join.kind, !join.isLateral else { return false }
    }
    return inputs.allSatisfy { !$0.isQuery && $0.hasPlainJoinsOnly }
  }
}

extension LogicalPlan {
  /// The subqueries in the operator's own expressions, but not those within them.
  fileprivate var ownSubqueries: [BoundSubquery] {
    var found: [BoundSubquery] = []
    for expression in expressions {
      _ = expression.contains { part in
        if case .subquery(let subquery) = part { found.append(subquery) }
        return false
      }
    }
    return found
  }
}
