import Columnar
package import Planning

/// Grouping and aggregation; outputs keys, aggregates, groupings.
package struct AggregateNode: Sendable {
  package var input: PhysicalPlan
  package var keys: [ProjectedColumn]
  package var aggregates: [AggregatePlan.Item]
  package var groupingSets: [[Int]]?
  package var groupings: [(column: PlanColumn, keys: [Int])]
  /// The key by which rows come in clusters.
  ///
  /// Rows with the same value come one behind another, in one worker; groups are handed on cluster by cluster.
  package var clusterKey: Int?
  /// Groups made first, of which those of `keys` are made; then `keys` are over the outputs of `completion`.
  package var partial: PartialGroups?
  /// Keys that others determine: rows that are equal in all of those are equal in the key.
  package var dependencies: [KeyDependency] = []

  /// Columns of the input that are never NULL.
  package var present: ColumnSet = []

  /// The aggregates that are computed from groups made first, and how many rows these stand for.
  var weighted: [BoundExpression] {
    guard let parts = partial?.parts else { return [] }
    return zip(aggregates, parts).filter { $1.contains(where: \.isWeight) }
      .map { .aggregate($0.0.call) }
  }

  /// What is looked at for each group made first rather than for each row.
  var asked: [BoundExpression] { (partial?.parts.conditions ?? []) + weighted }

  /// The aggregates that are computed from rows of the input.
  var calls: [AggregateCall] { partial?.calls ?? aggregates.map(\.call) }

  package init(
    input: PhysicalPlan, keys: [ProjectedColumn], aggregates: [AggregatePlan.Item],
    groupingSets: [[Int]]?, groupings: [(column: PlanColumn, keys: [Int])]
  ) {
    self.input = input
    self.keys = keys
    self.aggregates = aggregates
    self.groupingSets = groupingSets
    self.groupings = groupings
  }

  /// Whether rows are counted, and nothing else is asked of them.
  var readsNothing: Bool {
    keys.isEmpty && partial == nil
      && aggregates.allSatisfy { item in
        item.call.arguments.isEmpty && item.call.filter == nil && item.call.orderBy.isEmpty
      }
  }

  /// For each of `calls` the place of one whose states hold all that it needs: a sum holds how many values it is of, and an average
  /// is made of both.
  var leaders: [Int?] {
    if calls.count < 2 || clusterKey != nil { return Array(repeating: nil, count: calls.count) }
    let values = calls.map { SharedValues($0, present) }
    var (sums, all) = (FirstPlaces(), FirstPlaces())
    for (place, own) in values.enumerated() {
      guard let own else { continue }
      if own.isSum { sums.note(own, at: place) }
      all.note(own, at: place)
    }
    return values.enumerated().map { place, own in
      guard let own, let leader = sums.holding(own) ?? all.holding(own), leader != place
      else { return nil }
      return leader
    }
  }
}

/// The first places of states by what they hold.
private struct FirstPlaces {
  private var ofValues: [SharedValues.Rows: Int] = [:]
  /// Of states that hold something of each row, by the condition on rows.
  private var ofRows: [String: Int] = [:]

  mutating func note(_ values: SharedValues, at place: Int) {
    if ofValues[values.rows] == nil { ofValues[values.rows] = place }
    if values.isEveryRow, ofRows[values.rows.filter] == nil { ofRows[values.rows.filter] = place }
  }

  /// The first place of states that hold what these values ask for.
  func holding(_ values: SharedValues) -> Int? {
    let same = ofValues[values.rows]
    guard !values.isSum, values.isEveryRow, let other = ofRows[values.rows.filter] else {
      return same
    }
    return same.map { min($0, other) } ?? other
  }
}

extension AggregateNode {
  /// Takes note of what is known of NULLs in the input, where it says that some aggregates are of the same values.
  mutating func notePresent(in input: LogicalPlan) {
    guard calls.count > 1, calls.contains(where: { $0.name == "count" }) else { return }
    present = input.notNullColumns
  }

  /// The aggregates that are made of the states of others.
  var followers: [BoundExpression] {
    zip(calls, leaders).filter { $1 != nil }.map { .aggregate($0.0) }
  }
}

/// The values that `count`, `sum` or `avg` is of, or an aggregate of how values spread, or how pairs of them hang together.
private struct SharedValues {
  /// What is the same for aggregates of the same values.
  struct Rows: Hashable {
    let argument: String
    /// What is the same for aggregates of the same rows.
    let filter: String
  }

  /// Whether the states hold more than how many values there are.
  let isSum: Bool
  let rows: Rows
  /// Whether every row has a value.
  let isEveryRow: Bool

  /// nil for other aggregates, and for sums whose states hold nothing else.
  init?(_ call: AggregateCall, _ present: ColumnSet) {
    guard !call.isDistinct, call.orderBy.isEmpty, BoundExpression.aggregate(call).isRepeatable
    else { return nil }
    if let family = Self.families[call.name] {
      isSum = true
      isEveryRow = false
      rows = Rows(
        argument: ([family] + call.arguments.map(\.signature)).joined(separator: " "),
        filter: call.filter?.signature ?? "")
      return
    }
    guard ["count", "sum", "avg"].contains(call.name), call.arguments.count < 2 else { return nil }
    let argument = call.arguments.first
    isSum = call.name != "count"
    if isSum {
      // A `bigint` sum of those is one of counts, which holds no count of its own.
      guard let type = argument?.type, type.isInteger || type == .numeric,
        type != .bigint || call.type != .bigint
      else { return nil }
    }
    rows = Rows(
      argument: argument?.signature ?? "", filter: call.filter?.signature ?? "")
    isEveryRow = argument?.isNeverNull(present) ?? true
  }

  /// Aggregates whose states are of one kind.
  private static let families: [String: String] = {
    let spread = ["stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop"]
    let pairs = [
      "corr", "covar_pop", "covar_samp", "regr_avgx", "regr_avgy", "regr_count", "regr_intercept",
      "regr_r2", "regr_slope", "regr_sxx", "regr_sxy", "regr_syy",
    ]
    var families: [String: String] = [:]
    for name in spread { families[name] = "spread of" }
    for name in pairs { families[name] = "pairs of" }
    return families
  }()
}
