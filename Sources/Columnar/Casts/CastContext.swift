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
  switch (source, target) {
  case (.unknown, _): return .implicit
  case (_, .unknown), (.void, _), (_, .void): return nil
  case (.array(let from), .array(let to)): return castContext(from: from, to: to)
  case (.record(let from), .record(let to)):
    return from.fields.count == to.fields.count ? (from.name == nil ? .assignment : .explicit) : nil
  default: break
  }
  if source.isString && target.isString { return stringCast(source, target) }
  if let context = namedCast(source, target) { return context }
  // What has no cast of its own goes through its text.
  if target.isString { return .assignment }
  if source.isString { return .explicit }
  return nil
}

private func stringCast(_ source: LogicalType, _ target: LogicalType) -> CastContext {
  source == .name && (target == .varchar || target == .character) ? .assignment : .implicit
}

/// The casts that `pg_cast` lists for the types of the engine, other than those between strings.
private func namedCast(_ source: LogicalType, _ target: LogicalType) -> CastContext? {
  switch (source, target) {
  case (.smallint, .integer), (.smallint, .bigint), (.smallint, .real), (.smallint, .double),
    (.smallint, .numeric), (.smallint, .oid), (.integer, .bigint), (.integer, .real),
    (.integer, .double), (.integer, .numeric), (.integer, .oid), (.bigint, .real),
    (.bigint, .double), (.bigint, .numeric), (.bigint, .oid), (.real, .double),
    (.numeric, .real), (.numeric, .double), (.date, .timestamp), (.date, .timestamptz),
    (.timestamp, .timestamptz), (.time, .interval), (.time, .timetz), (.bit, .varbit),
    (.varbit, .bit):
    .implicit
  case (.integer, .smallint), (.bigint, .smallint), (.bigint, .integer), (.real, .smallint),
    (.real, .integer), (.real, .bigint), (.real, .numeric), (.double, .smallint),
    (.double, .integer), (.double, .bigint), (.double, .numeric), (.double, .real),
    (.numeric, .smallint), (.numeric, .integer), (.numeric, .bigint), (.oid, .integer),
    (.oid, .bigint), (.timestamp, .date), (.timestamp, .time), (.timestamptz, .date),
    (.timestamptz, .time), (.timestamptz, .timestamp), (.interval, .time), (.json, .jsonb),
    (.jsonb, .json), (.timetz, .time), (.timestamptz, .timetz):
    .assignment
  case (.integer, .boolean), (.boolean, .integer), (.jsonb, .boolean), (.jsonb, .smallint),
    (.jsonb, .integer), (.jsonb, .bigint), (.jsonb, .real), (.jsonb, .double),
    (.jsonb, .numeric), (.integer, .bit), (.bigint, .bit), (.bit, .integer), (.bit, .bigint):
    .explicit
  default: nil
  }
}
