import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// The first rows of a table from a number on, or down from it, where they stand in the order of a column: a page of a list that goes
/// on where the last one ended.
///
/// One run at a time uses it.
final class RangeAccess {
  /// The number.
  let key: PointKey
  private let table: TableDefinition
  private let columns: TableColumns
  /// The column's index in the table.
  private let column: Int
  private let isUpwards: Bool
  /// Whether the number itself is not wanted.
  private let isStrict: Bool
  /// Whether that and the order of rows is all that is asked of them.
  let meetsAll: Bool
  private var opened: (store: TableStore, stamp: UInt64, readers: ColumnReaders)?

  /// More rows than this are left to a pipeline, and so are those that more rows have to be looked at for.
  private static let wantedMax = 1024
  private static let lookedAtMax = 4096
  /// Rows that those that do not meet other conditions may take the places of.
  private static let spare = 32

  /// nil where the rows are not wanted by a column of whole numbers that `conditions`, which are all asked of the rows, hold against a
  /// known number.
  init?(_ scan: TableScan, where conditions: [BoundExpression], by order: PointOrder) {
    guard let place = order.places.first, let direction = order.orders.first,
      scan.columns.indices.contains(place), scan.columns[place].index >= 0,
      scan.columns[place].column.type.isInteger
    else { return nil }
    let column = scan.columns[place].column
    let isUpwards = !direction.descending
    let starts = conditions.map { $0.start(of: column, isUpwards: isUpwards, orAt: false) }
    guard let place = starts.firstIndex(where: { $0 != nil }),
      let key = starts[place].flatMap(PointKey.init)
    else { return nil }
    self.key = key
    isStrict = conditions[place].isStrict
    if case .comparison = conditions[place] {
      meetsAll = conditions.count == 1
    } else {
      meetsAll = false
    }
    self.isUpwards = isUpwards
    self.column = scan.columns[place].index
    table = scan.table
    columns = TableColumns(scan.columns)
  }

  /// Rows among which the first `wanted` are that `kept` lets through, in any order; nil where they are left to a pipeline.
  ///
  /// - Throws: what `kept` throws; 57014, 53200.
  func rows(
    from number: Int64, wanted: Int, in tables: any TableSource,
    _ kept: (DataChunk) throws(SQLError) -> DataChunk
  ) throws(SQLError) -> DataChunk? {
    if wanted > Self.wantedMax { return nil }
    let (start, isBeyond) =
      isStrict ? number.addingReportingOverflow(isUpwards ? 1 : -1) : (number, false)
    if isBeyond { return nil }
    let (store, readers) = try open(tables)
    // Rows that equal ones take the places of come with them.
    var count = wanted + (meetsAll ? 0 : Self.spare)
    while count <= Self.lookedAtMax {
      guard
        let found = store.stretch(
          from: start, isUpwards: isUpwards, by: column, atLeast: count),
        found.positions.count <= 2 * Self.lookedAtMax
      else { return nil }
      let rows = store.livePositions(ofPagesIn: found.positions)
      let all = DataChunk(
        readers.gather(rows.positions, count: rows.count), count: rows.count)
      let chunk = try kept(all)
      if chunk.count >= wanted || found.isLast { return chunk }
      // As many as are likely to hold the rest, if those that follow are like those that were looked at.
      count = min(max(2 * count, wanted * count * 5 / (4 * max(chunk.count, 1))), 8 * count)
    }
    return nil
  }

  private func open(
    _ tables: any TableSource
  ) throws(SQLError) -> (TableStore, ColumnReaders) {
    let store = try tables.unnotedTable(table.id)
    if let opened, opened.store === store, opened.stamp == store.stamp {
      return (store, opened.readers)
    }
    let readers = try ColumnReaders(columns, of: store)
    opened = (store, store.stamp, readers)
    return (store, readers)
  }
}

extension BoundExpression {
  /// The known value from which on values of a column may meet the condition, upwards or downwards; nil where it does not say.
  ///
  /// With `orAt` an equality counts too, as it does beside others that go on from there.
  fileprivate func start(
    of column: PlanColumn, isUpwards: Bool, orAt: Bool
  ) -> BoundExpression? {
    if case .or(let list) = self {
      let starts = list.map { $0.start(of: column, isUpwards: isUpwards, orAt: true) }
      guard let first = starts.first, let first else { return nil }
      return starts.allSatisfy { $0?.isSameKnown(as: first) ?? false } ? first : nil
    }
    if case .and(let list) = self {
      return list.lazy.compactMap {
        $0.start(of: column, isUpwards: isUpwards, orAt: orAt)
      }.first
    }
    guard case .comparison(var comparison, var left, var right) = self else { return nil }
    if left.isKnown {
      (left, right) = (right, left)
      comparison = comparison.commuted
    }
    guard left.asColumn == column.id, right.isKnown, right.type == column.type else { return nil }
    switch comparison {
    case .greater, .greaterOrEqual: return isUpwards ? right : nil
    case .less, .lessOrEqual: return isUpwards ? nil : right
    case .equal: return orAt ? right : nil
    case .notEqual: return nil
    }
  }
}

extension BoundExpression {
  /// Whether both are one parameter, or one number.
  fileprivate func isSameKnown(as other: BoundExpression) -> Bool {
    if case .parameter(let one, _) = self, case .parameter(let two, _) = other { return one == two }
    if let one = wholeNumber, let two = other.wholeNumber { return one == two }
    return false
  }

  /// Whether the condition is a comparison that equal values do not meet.
  fileprivate var isStrict: Bool {
    guard case .comparison(let comparison, _, _) = self else { return false }
    return comparison == .greater || comparison == .less
  }
}

extension TableStore {
  /// The rows of a range of positions, of any pages, that are not deleted.
  fileprivate func livePositions(ofPagesIn range: Range<Int>) -> SelectionVector {
    let kept = Buffer<UInt32>(uninitialized: max(range.count, 1))
    var (count, start) = (0, range.lowerBound)
    while start < range.upperBound {
      let end = min(range.upperBound, (start / Self.pageCapacity + 1) * Self.pageCapacity)
      let part = livePositions(in: start..<end)
      kept.copy(part.positions, count: part.count, to: count)
      count += part.count
      start = end
    }
    return SelectionVector(kept, count: count)
  }
}
