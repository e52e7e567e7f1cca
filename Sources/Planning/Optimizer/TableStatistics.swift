package import Catalog
package import Columnar
import Synchronization

/// What is known of the values of a column.
package struct ColumnStatistics: Sendable {
  /// A guess of the number of different values, which may be made when it is asked for.
  package var distinctCount: Double? { count() }
  private let count: @Sendable () -> Double?
  /// The share of rows that are NULL, 0 to 1.
  package var nullFraction: Double
  package var minimum: Value?
  package var maximum: Value?
  /// How many times as many rows have the value of some row as have a value on average.
  ///
  /// It is 1 where all values are as frequent, and counted when it is asked for.
  package var skew: @Sendable () -> Double
  /// Which share of all between the bounds lies between those of a group of rows that stand together, on average.
  package var span: Double
  /// Whether the rows stand in about the order of the column, or in the opposite one, so that the first of them are in few pages.
  package var isInOrder: @Sendable () -> Bool
  /// The share of rows that have a value, 0 to 1, where an index tells at once; nil where none does.
  package var share: @Sendable (Value) -> Double?

  package init(
    distinctCount: @escaping @autoclosure @Sendable () -> Double? = nil, nullFraction: Double = 0,
    minimum: Value? = nil,
    maximum: Value? = nil, span: Double = 1, skew: @escaping @Sendable () -> Double = { 1 },
    isInOrder: @escaping @Sendable () -> Bool = { false },
    share: @escaping @Sendable (Value) -> Double? = { _ in nil }
  ) {
    count = distinctCount
    self.nullFraction = nullFraction
    self.minimum = minimum
    self.maximum = maximum
    self.skew = skew
    self.isInOrder = isInOrder
    self.span = span
    self.share = share
  }
}

/// What is known of the rows of a table.
package struct TableStatistics: Sendable {
  /// The number of live rows, exact.
  package var rowCount: Double
  private let find: @Sendable (Int) -> ColumnStatistics?
  private let look: @Sendable (ScanPlan, _ largest: Double) -> SampledShare?
  private let combine: @Sendable (ScanPlan, [Int]) -> Double?

  /// Statistics with one entry for each column of the table, or none.
  package init(rowCount: Double, columns: [ColumnStatistics] = []) {
    self.init(rowCount: rowCount) { columns.indices.contains($0) ? columns[$0] : nil }
  }

  /// Statistics that are made for a column when it is asked for.
  ///
  /// `sample` looks at some rows of the table for those that meet the conditions of a scan, given the rows of the largest table
  /// of the statement, `combinations` for how many combinations the values of some columns make in them.
  package init(
    rowCount: Double,
    sample: @escaping @Sendable (ScanPlan, Double) -> SampledShare? = { _, _ in nil },
    combinations: @escaping @Sendable (ScanPlan, [Int]) -> Double? = { _, _ in nil },
    column: @escaping @Sendable (Int) -> ColumnStatistics?
  ) {
    self.rowCount = rowCount
    look = sample
    combine = combinations
    find = column
  }

  /// How many rows of a sample meet the conditions of a scan of the table; nil where nobody has looked.
  ///
  /// `largest` is the number of rows of the largest table that the statement reads: what is guessed of a small one decides how
  /// that is read.
  package func sampled(_ scan: ScanPlan, beside largest: Double) -> SampledShare? {
    look(scan, largest)
  }

  /// About how many combinations the values of columns, by their indices in the table, make in the rows of a scan; nil where
  /// nobody has looked.
  package func combinations(_ scan: ScanPlan, _ columns: [Int]) -> Double? {
    combine(scan, columns)
  }

  /// What is known of the column at an index of the table.
  package func column(_ index: Int) -> ColumnStatistics? { find(index) }
}

/// How many rows of a sample met some conditions.
package struct SampledShare: Sendable {
  package var met: Int
  package var count: Int

  package init(met: Int, of count: Int) {
    self.met = met
    self.count = count
  }

  /// A guess of a share, as near to it as the sample allows.
  ///
  /// Two standard deviations around what was seen hold the share in 19 of 20 cases (a binomial distribution, with two cases
  /// more of either kind, as Agresti and Coull have it); where few rows were met, the guess may be much nearer than that.
  package func nearest(to guess: Double) -> Double {
    let trials = Double(count) + 4
    let middle = (Double(met) + 2) / trials
    let width = 2 * (middle * (1 - middle) / trials).squareRoot()
    let least = met == 0 ? 0 : max(middle - width, 0.5 * Double(met) / Double(max(count, 1)))
    return min(max(guess, least), middle + width)
  }
}

/// Where the planning of one statement asks for statistics.
///
/// Rules ask for the same tables and the same rows of scans again and again: what was said is kept until the statement is planned.
package final class StatisticsSource: Sendable {
  private let find: @Sendable (ObjectID) -> TableStatistics?
  private let tables = Mutex<[ObjectID: TableStatistics?]>([:])
  /// Profiles by the scan, which is kept as well, so that no other one has its identity.
  private let scans = Mutex<[ObjectIdentifier: (scan: ScanPlan, profile: RelationProfile)]>([:])
  private let largest = Mutex(0.0)

  package init(_ find: @escaping @Sendable (ObjectID) -> TableStatistics?) { self.find = find }

  /// What is known of a table.
  package func callAsFunction(_ table: ObjectID) -> TableStatistics? {
    if let known = tables.withLock({ $0[table] }) { return known }
    let found = find(table)
    tables.withLock { $0[table] = .some(found) }
    return found
  }

  /// The rows of the largest table among those of `noteTables`.
  var largestRowCount: Double { largest.withLock { $0 } }

  /// Takes note of the tables that a statement reads, before anything is guessed of their rows.
  func noteTables(of plan: LogicalPlan) {
    if case .scan(let scan) = plan, let count = self(scan.table.id)?.rowCount {
      largest.withLock { $0 = max($0, count) }
    }
    plan.forEachInput(noteTables)
  }

  /// What is guessed of the rows of a scan.
  package func profile(of scan: ScanPlan) -> RelationProfile {
    if let known = scans.withLock({ $0[scan.identity]?.profile }) { return known }
    let profile = RelationProfile.scanned(scan, self)
    scans.withLock { $0[scan.identity] = (scan, profile) }
    return profile
  }
}
