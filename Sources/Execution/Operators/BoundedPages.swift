import Columnar
import Planning
import Storage

/// The pages of a table of which only the first rows by a column are wanted.
struct BoundedPages {
  /// The column's index in its table.
  private let column: Int
  private let bound: SharedSortBound

  /// nil where all rows are wanted.
  init?(_ columns: [ScanPlan.Column], _ members: [ConjunctiveFilter.Member]) {
    for member in members {
      guard let bound = member.filter.bound else { continue }
      self.bound = bound
      column = columns[member.column].index
      return
    }
    return nil
  }

  /// The order in which pages are best taken; nil where that makes no difference.
  func order(of table: TableStore) -> PageOrder? { table.pageOrder(by: column, bound.order) }

  /// Whether a page may have a row that does not come behind the bound.
  func mayHold(page: Int, of table: TableStore) -> Bool {
    guard let found = bound.current else { return true }
    let (last, type) = (found.last, table.types[column])
    let isBefore: ZoneComparison = bound.order.descending ? .greaterOrEqual : .lessOrEqual
    guard !last.isNull, let probe = ZoneProbe(isBefore, last, type: type),
      let null = ZoneProbe(.isNull, .null, type: type)
    else { return true }
    return table.mayContain(page: page, column: column, probe)
      || bound.order.nullsFirst && table.mayContain(page: page, column: column, null)
  }
}
