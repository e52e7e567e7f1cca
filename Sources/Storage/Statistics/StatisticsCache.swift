import Columnar
import Synchronization

/// Column statistics that were made for some version of a table, kept for the versions after it.
///
/// Planning asks for them again and again, and bringing the sketches of all row groups together takes
/// longer than planning a point query.
final class StatisticsCache: Sendable {
  private struct Entry {
    var rowCount: Int
    var statistics: ColumnStatistics
  }
  private let entries = Mutex<[Int: Entry]>([:])
  private let skews = Mutex<[Int: (rowCount: Int, skew: Double)]>([:])
  private let samples = Mutex<[UInt64: (stamp: UInt64, sample: TableSample?)]>([:])

  /// So many samples are kept of a table before all are forgotten.
  private static let sampleMax = 256

  /// What is known of a column, made anew by `make` once an eighth of the rows has come or gone.
  func statistics(
    ofColumn index: Int, rowCount: Int, make: () -> ColumnStatistics
  ) -> ColumnStatistics {
    let known = entries.withLock { $0[index] }
    if let known, abs(known.rowCount - rowCount) <= known.rowCount / 8 { return known.statistics }
    let entry = Entry(rowCount: rowCount, statistics: make())
    entries.withLock { $0[index] = entry }
    return entry.statistics
  }

  /// The skew of a column, made anew as its statistics are.
  func skew(ofColumn index: Int, rowCount: Int, make: () -> Double) -> Double {
    let known = skews.withLock { $0[index] }
    if let known, abs(known.rowCount - rowCount) <= known.rowCount / 8 { return known.skew }
    let skew = make()
    skews.withLock { $0[index] = (rowCount, skew) }
    return skew
  }

  /// What a sample has shown of the store with a stamp, made by `make` if it is not known.
  ///
  /// - Invariant: a sample is given only of the very rows that it was taken of, as no two states of any tables have one stamp.
  func sample(
    _ condition: UInt64, stamp: UInt64, make: () -> TableSample?
  ) -> TableSample? {
    if let known = samples.withLock({ $0[condition] }), known.stamp == stamp { return known.sample }
    let sample = make()
    samples.withLock { samples in
      if samples.count >= Self.sampleMax { samples = [:] }
      samples[condition] = (stamp, sample)
    }
    return sample
  }

  /// Notes statistics of some columns, one for each.
  func seed(_ statistics: [ColumnStatistics], rowCount: Int) {
    entries.withLock { entries in
      for (index, known) in statistics.enumerated() {
        entries[index] = Entry(rowCount: rowCount, statistics: known)
      }
    }
  }
}

/// How many of some rows of a table met a condition.
package struct TableSample: Sendable {
  package var met: Int
  package var count: Int

  package init(met: Int, of count: Int) {
    self.met = met
    self.count = count
  }
}

extension TableStore {
  /// What a sample of the rows of this version has shown of a condition, which a number stands for; `make` takes it.
  ///
  /// - Complexity: O(1), unless nobody has asked before.
  package func sample(_ condition: UInt64, make: () -> TableSample?) -> TableSample? {
    statisticsCache.sample(condition, stamp: stamp, make: make)
  }

  /// Statistics of a column, of this version or one of about as many rows.
  ///
  /// - Complexity: O(1), unless the number of rows has changed.
  package func recentStatistics(ofColumn index: Int) -> ColumnStatistics {
    statisticsCache.statistics(ofColumn: index, rowCount: liveRowCount) {
      statistics(ofColumn: index)
    }
  }

  /// How many times as many rows have the value of some row in a foreign key's column as have a value on average.
  ///
  /// It is 1 for other columns. That is how much longer the lists are that edges lead to than those of the index on average.
  ///
  /// - Complexity: O(1), unless the number of rows has changed; then O(parents), of which at most some 100,000 are asked.
  package func recentSkew(ofColumn index: Int) -> Double {
    guard let reference = outline.referenceColumns.firstIndex(of: index) else { return 1 }
    return statisticsCache.skew(ofColumn: index, rowCount: liveRowCount) {
      edges(from: reference).skew
    }
  }
}
