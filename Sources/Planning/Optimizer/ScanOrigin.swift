import Catalog
import Columnar
import Synchronization

/// A table as one scan reads it: what the columns have in common that come from there.
package final class ScanOrigin: Sendable {
  /// The first column that the scan gives, which stands for it.
  package let scan: ColumnID
  /// The number of rows that the scan gives.
  package let rows: Double
  /// Whether the scan has conditions, so that statistics of the whole table say too much of its columns.
  package let isFiltered: Bool
  private let sample: @Sendable ([Int]) -> Double?
  /// What samples have said, by the columns: an aggregation asks for the same ones of each part of its input.
  private let known = Mutex<[[Int]: Double?]>([:])

  /// A scan of which `sample` says about how many combinations columns of the table have in its rows.
  init(
    _ scan: ColumnID, rows: Double, isFiltered: Bool = false,
    sample: @escaping @Sendable ([Int]) -> Double? = { _ in nil }
  ) {
    self.scan = scan
    self.rows = rows
    self.isFiltered = isFiltered
    self.sample = sample
  }

  /// About how many combinations columns of the table have in these rows, by a sample.
  func combinations(_ columns: [Int]) -> Double? {
    if let known = known.withLock({ $0[columns] }) { return known }
    let found = sample(columns)
    known.withLock { $0[columns] = .some(found) }
    return found
  }
}

/// A column of a table, and how its values come in the table's rows.
package final class StoredColumn: Sendable {
  let table: ObjectID
  /// Its index in the table.
  let index: Int
  /// How many times as many rows have the value of some row as have a value on average; nil for as many.
  private let frequency: (@Sendable () -> Double)?
  private let share: (@Sendable (Value) -> Double?)?

  /// Which share of all its values' range those of rows that stand together have on average: small where they rise or fall with the rows.
  package let span: Double

  /// Whether the values are codes, which are numbered from 0 on.
  package let isCoded: Bool

  /// How many rows the table has.
  let rowCount: Double

  init(
    _ table: ObjectID, _ index: Int, _ known: ColumnStatistics?, rowCount: Double, isCoded: Bool
  ) {
    self.table = table
    self.rowCount = rowCount
    self.index = index
    self.isCoded = isCoded
    span = known?.span ?? 1
    frequency = known?.skew
    share = isCoded ? nil : known?.share
  }

  var skew: Double { frequency?() ?? 1 }

  /// The share of the table's rows that have a value, where an index tells.
  func share(of value: Value) -> Double? { share?(value) }

  func isSame(as other: StoredColumn) -> Bool { isOfTable(of: other) && index == other.index }

  func isOfTable(of other: StoredColumn) -> Bool { table == other.table }
}
