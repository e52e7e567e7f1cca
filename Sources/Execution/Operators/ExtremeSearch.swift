import Columnar
import Planning
import Storage
import Synchronization

/// What a query for least and greatest values alone has found so far.
///
/// Pages that hold nothing beyond it are passed over: of a file that says its bounds, most are never read.
final class ExtremeSearch: Sendable {
  private struct Goal: Sendable {
    /// The column's index in its table.
    let column: Int
    let isGreatest: Bool
  }
  private let goals: [Goal]
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
      goals.append(Goal(column: column.index, isGreatest: item.call.name == "max"))
    }
    self.goals = goals
    found = Mutex(goals.map { _ in .null })
  }

  /// Forgets the last run.
  func start() { found.withLock { $0 = goals.map { _ in .null } } }

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
    let found = found.withLock { $0 }
    for (goal, best) in zip(goals, found) {
      guard let parts = table.bounds(ofPage: page, column: goal.column) else { return true }
      for bounds in parts where bounds.hasValues {
        if case .null = best { return true }
        guard let bound = goal.isGreatest ? bounds.maximum : bounds.minimum,
          !Self.isBeyond(bound, best, goal.isGreatest)
        else { return true }
      }
    }
    return false
  }

  /// Whether a value is greater, or less, than another; values that are not of one kind may be.
  private static func isBeyond(_ value: Value, _ other: Value, _ isGreater: Bool) -> Bool {
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
