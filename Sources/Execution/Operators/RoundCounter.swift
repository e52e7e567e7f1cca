import Columnar
import Diagnostics
import Planning

/// Counts the rounds of a closure, and says whether another follows.
///
/// As `ClosureSource`, whose thread alone uses it.
final class RoundCounter {
  private let count: RoundCount
  private let comparisons: [(ComparisonOperator, Int64)]?
  private let filter: ConjunctiveFilter
  /// The value of the column in the rows of the last round.
  private(set) var value: Int64

  /// `filter` has the conditions, over the column alone.
  init(_ count: RoundCount, _ filter: ConjunctiveFilter) {
    self.count = count
    self.filter = filter
    comparisons = count.comparisons
    value = count.first
  }

  var place: Int { count.place }

  /// Whether it is known without a run if another round follows.
  var isShort: Bool { comparisons != nil }

  func start() { value = count.first }

  /// Whether the rows of the last round are walked on from, where that is known without a run.
  var goesOnShort: Bool { comparisons?.allSatisfy { $0.0.holds(value, $0.1) } ?? false }

  /// Whether the rows of the last round are walked on from.
  func goesOn(_ context: ExecutionContext) throws(SQLError) -> Bool {
    if comparisons != nil { return goesOnShort }
    var chunk = DataChunk([column(count: 1)], count: 1)
    return try filter.select(&chunk, context).map { $0.count > 0 } ?? true
  }

  /// Goes over to the next round, which has rows.
  ///
  /// - Returns: true.
  /// - Throws: 22003 where the column's type has no value for it.
  func next() throws(SQLError) -> Bool {
    guard let next = count.next(after: value) else {
      throw SQLError(.numericOutOfRange, "\(count.column.type.name) out of range")
    }
    value = next
    return true
  }

  /// The column for some rows of the last round.
  func column(count rows: Int) -> Vector {
    let type = count.column.type
    let constant: Value =
      switch type.physical {
      case .int16: .int16(Int16(truncatingIfNeeded: value))
      case .int32: .int32(Int32(truncatingIfNeeded: value))
      case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
        .int64(value)
      }
    return Vector(constant: constant, type: type, count: rows)
  }
}
