import Columnar
import Diagnostics
import Planning
import Storage
import Synchronization

/// What a query for least and greatest values alone has found so far.
///
/// Pages that hold nothing beyond it are passed over: of a file that says its bounds, most are never read, and none where all
/// bounds are values of rows.
final class ExtremeSearch: Sendable {
  private struct Goal: Sendable {
    /// The column's index in its table.
    let column: Int
    let isGreatest: Bool
    let type: LogicalType
  }
  private let goals: [Goal]
  /// Whether all rows of the table are asked, so that a value that a row has counts without the row being read.
  private let asksAllRows: Bool
  /// For each goal the best that some worker has found, NULL at first.
  private let found: Mutex<[Value]>

  /// nil for an aggregate that asks for anything else.
  init?(_ node: AggregateNode) {
    guard node.seeksExtremes, case .scan(let scan) = node.input.node else { return nil }
    var goals: [Goal] = []
    for item in node.aggregates {
      guard let id = item.call.arguments[0].asColumn,
        let column = scan.columns.first(where: { $0.column.id == id }), column.index >= 0
      else { return nil }
      goals.append(
        Goal(
          column: column.index, isGreatest: item.call.name == "max",
          type: item.call.arguments[0].type))
    }
    self.goals = goals
    asksAllRows = scan.filters.isEmpty
    found = Mutex(goals.map { _ in .null })
  }

  /// Forgets the last run, and says whether rows of a table have to be looked at.
  ///
  /// Where a file says the bounds of its parts, they are looked at here at once rather than by each page.
  func start(_ table: TableStore) -> Bool {
    found.withLock { $0 = goals.map { _ in .null } }
    guard let streamed = table.streamed, table.pageCount > 0 else { return true }
    return mayHold(
      goals.map { streamed.bounds(ofColumn: $0.column, pages: 0..<table.pageCount) })
  }

  /// The order in which pages are best taken, as none is of use behind one that is not; nil where bounds do not tell, or several
  /// values are sought.
  func order(of table: TableStore) -> PageOrder? {
    // Bounds that are no values never say that a page is of no use.
    guard goals.count == 1, let goal = goals.first, table.pageCount > 0,
      table.bounds(ofPage: 0, column: goal.column) != nil
    else { return nil }
    return table.pageOrder(by: goal.column, SortOrder(descending: goal.isGreatest))
  }

  /// Notes what a worker has found, a value for each goal.
  func note(_ values: [Value]) {
    found.withLock { found in
      for index in goals.indices
      where Self.isBeyond(values[index], found[index], goals[index].isGreatest) {
        found[index] = values[index]
      }
    }
  }

  /// Whether a page may hold a value beyond what was found.
  func mayHold(page: Int, of table: TableStore) -> Bool {
    mayHold(goals.map { table.bounds(ofPage: page, column: $0.column) })
  }

  private func mayHold(_ bounds: [[PageBounds]?]) -> Bool {
    if asksAllRows { note(zip(goals, bounds).map(Self.reached)) }
    let found = found.withLock { $0 }
    for ((goal, parts), best) in zip(zip(goals, bounds), found) {
      guard let parts else { return true }
      for bounds in parts where bounds.hasValues {
        if case .null = best { return true }
        guard let bound = goal.isGreatest ? bounds.maximum : bounds.minimum,
          !Self.isBeyond(bound, best, goal.isGreatest)
        else { return true }
      }
    }
    return false
  }

  /// The best of the bounds that rows have.
  private static func reached(_ goal: Goal, _ parts: [PageBounds]?) -> Value {
    var best = Value.null
    for bounds in parts ?? [] {
      let (bound, isReached) =
        goal.isGreatest
        ? (bounds.maximum, bounds.isMaximumReached) : (bounds.minimum, bounds.isMinimumReached)
      if isReached, let bound, isBeyond(bound, best, goal.isGreatest) { best = bound }
    }
    return best
  }

  /// Gives the aggregates what was found without rows being read.
  func complete(_ states: [AggregateState]) throws(SQLError) {
    for ((goal, best), state) in zip(zip(goals, found.withLock { $0 }), states) {
      let value = Vector(constant: best, type: goal.type, count: 1).flattened()
      try state.update(
        AggregateItem.Input(arguments: [value], keys: [], rows: nil, count: 1), groups: nil)
    }
  }

  /// Whether a value is greater, or less, than another; values that are not of one kind may be.
  static func isBeyond(_ value: Value, _ other: Value, _ isGreater: Bool) -> Bool {
    let order: Int
    switch (value, other) {
    case (.null, _): return false
    case (.int16(let a), .int16(let b)): order = ValueOrder.compare(a, b)
    case (.int32(let a), .int32(let b)): order = ValueOrder.compare(a, b)
    case (.int64(let a), .int64(let b)): order = ValueOrder.compare(a, b)
    case (.numeric(let a), .numeric(let b)): order = ValueOrder.compare(a, b)
    case (.text(let a), .text(let b)):
      order = a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    case (.int16, _), (.int32, _), (.int64, _), (.numeric, _), (.text, _), (.boolean, _),
      (.float, _),
      (.double, _), (.interval, _), (.uuid, _), (.list, _), (.record, _):
      return true
    }
    return isGreater ? order > 0 : order < 0
  }
}

extension AggregateNode {
  /// Whether nothing is asked but least and greatest values of columns of a scan, whose order is that of their bytes or numbers.
  var seeksExtremes: Bool {
    guard keys.isEmpty, groupingSets == nil, partial == nil, !aggregates.isEmpty,
      case .scan = input.node
    else { return false }
    return aggregates.allSatisfy { item in
      let call = item.call
      return (call.name == "min" || call.name == "max") && call.filter == nil
        && call.arguments.count == 1 && call.arguments[0].asColumn != nil
        && call.arguments[0].type.hasPlainBounds
    }
  }
}

extension LogicalType {
  /// Whether bounds of pages, as values, are bounds of what min and max find.
  fileprivate var hasPlainBounds: Bool {
    switch self {
    case .smallint, .integer, .bigint, .numeric, .text, .varchar, .date, .timestamp, .timestamptz,
      .time:
      true
    case .boolean, .real, .double, .character, .name, .bytea, .timetz, .interval, .bit, .varbit,
      .uuid, .oid, .json, .jsonb, .array, .record, .enumeration, .unknown, .void:
      false
    }
  }
}
