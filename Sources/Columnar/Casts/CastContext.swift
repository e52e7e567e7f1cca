/// Where a cast may happen without being written.
package enum CastContext: Int, Comparable, Sendable {
  /// Anywhere in an expression.
  case implicit
  /// Where a value is stored into a column.
  case assignment
  /// Only by `CAST` or `::`.
  case explicit

  package static func < (left: CastContext, right: CastContext) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// The most generous place in which PostgreSQL casts `source` to `target`; nil where there is no such cast.
package func castContext(from source: LogicalType, to target: LogicalType) -> CastContext? {
  if source == target { return .implicit }
  if source == .unknown { return .implicit }
  if target == .unknown || source == .void || target == .void { return nil }
  if case (.array(let from), .array(let to)) = (source, target) {
    return castContext(from: from, to: to)
  }
  if case (.record(let from), .record(let to)) = (source, target) {
    return from.fields.count == to.fields.count ? (from.name == nil ? .assignment : .explicit) : nil
  }
  if source.isString && target.isString { return stringCast(source, target) }
  if let context = namedCasts[source]?.context(to: target) { return context }
  // What has no cast of its own goes through its text.
  if target.isString { return .assignment }
  if source.isString { return .explicit }
  return nil
}

private func stringCast(_ source: LogicalType, _ target: LogicalType) -> CastContext {
  source == .name && (target == .varchar || target == .character) ? .assignment : .implicit
}

/// The casts of one type by the place that they may happen in.
private struct NamedCasts {
  var implicit: [LogicalType] = []
  var assignment: [LogicalType] = []
  var explicit: [LogicalType] = []

  func context(to target: LogicalType) -> CastContext? {
    if implicit.contains(target) { return .implicit }
    if assignment.contains(target) { return .assignment }
    return explicit.contains(target) ? .explicit : nil
  }
}

/// The casts that `pg_cast` lists for the types of the engine, other than those between strings.
private let namedCasts: [LogicalType: NamedCasts] = [
  .boolean: NamedCasts(explicit: [.integer]),
  .smallint: NamedCasts(implicit: [.integer, .bigint, .real, .double, .numeric, .oid]),
  .integer: NamedCasts(
    implicit: [.bigint, .real, .double, .numeric, .oid], assignment: [.smallint],
    explicit: [.boolean, .bit]),
  .bigint: NamedCasts(
    implicit: [.real, .double, .numeric, .oid], assignment: [.smallint, .integer],
    explicit: [.bit]),
  .real: NamedCasts(implicit: [.double], assignment: [.smallint, .integer, .bigint, .numeric]),
  .double: NamedCasts(assignment: [.smallint, .integer, .bigint, .numeric, .real]),
  .numeric: NamedCasts(implicit: [.real, .double], assignment: [.smallint, .integer, .bigint]),
  .oid: NamedCasts(assignment: [.integer, .bigint]),
  .date: NamedCasts(implicit: [.timestamp, .timestamptz]),
  .time: NamedCasts(implicit: [.interval, .timetz]),
  .timetz: NamedCasts(assignment: [.time]),
  .timestamp: NamedCasts(implicit: [.timestamptz], assignment: [.date, .time]),
  .timestamptz: NamedCasts(assignment: [.date, .time, .timestamp, .timetz]),
  .interval: NamedCasts(assignment: [.time]),
  .bit: NamedCasts(implicit: [.varbit], explicit: [.integer, .bigint]),
  .varbit: NamedCasts(implicit: [.bit]),
  .json: NamedCasts(assignment: [.jsonb]),
  .jsonb: NamedCasts(
    assignment: [.json],
    explicit: [.boolean, .smallint, .integer, .bigint, .real, .double, .numeric]),
]
