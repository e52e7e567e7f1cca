package import Catalog

/// What a query has read of stored tables, by which it is known of a change that it may have another answer.
///
/// Too much in it is always allowed, too little never. Positions are those of the version that was read.
package struct ReadSet: Sendable {
  package var tables: [ObjectID: TableReads] = [:]

  package init() {}
}

/// What a query has read of one table.
package struct TableReads: Sendable {
  /// Some rows, and the columns that were read of them.
  package struct Rows: Sendable {
    package var positions: [UInt32] = []
    package var columns = ColumnMask.none

    package init() {}
  }

  /// What is read of all rows; nil where it is known which rows are read.
  package var whole: ColumnMask?
  /// Rows found by themselves; that they are gone counts as a change.
  package var rows = Rows()
  /// By reference, the parents all of whose rows in this table are read.
  package var edges: [Int: Rows] = [:]
  /// By the columns of a key, the hashes of values for which rows are looked up.
  package var keys: [[Int]: Set<UInt64>] = [:]
  /// Conditions: rows that meet them are read.
  package var scans: [ScanRead] = []

  package init() {}

  /// Notes that all rows are read; what else is known then says nothing more.
  mutating func readAll(_ columns: ColumnMask) {
    var columns = columns.union(whole ?? .none).union(rows.columns)
    for (_, parents) in edges { columns.formUnion(parents.columns) }
    for scan in scans { columns.formUnion(scan.columns) }
    for (key, _) in keys { columns.formUnion(ColumnMask(key)) }
    self = TableReads()
    whole = columns
  }
}
