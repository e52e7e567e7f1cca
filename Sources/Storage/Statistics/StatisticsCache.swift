package import Columnar
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
  let samples = SampleCache<TableSample?>()
  let combinations = SampleCache<Double?>()
  let columns = SampleCache<Buffer<UInt32>?>()

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

  /// Notes statistics of some columns, one for each.
  func seed(_ statistics: [ColumnStatistics], rowCount: Int) {
    entries.withLock { entries in
      for (index, known) in statistics.enumerated() {
        entries[index] = Entry(rowCount: rowCount, statistics: known)
      }
    }
  }
}

/// What samples of the rows of a table have shown, by a number for what was asked.
///
/// - Invariant: an answer is given only of the very rows that it was found in, as no two states of any tables have one stamp.
final class SampleCache<Answer: Sendable>: Sendable {
  private let answers = Mutex<[UInt64: (stamp: UInt64, answer: Answer)]>([:])

  /// So many answers are kept of a table before all are forgotten.
  private static var answerMax: Int { 256 }

  /// What is known of the store with a stamp, found by `make` if nobody has asked before.
  func answer(_ question: UInt64, stamp: UInt64, make: () -> Answer) -> Answer {
    if let known = answers.withLock({ $0[question] }), known.stamp == stamp { return known.answer }
    let answer = make()
    answers.withLock { answers in
      if answers.count >= Self.answerMax { answers = [:] }
      answers[question] = (stamp, answer)
    }
    return answer
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
    statisticsCache.samples.answer(condition, stamp: stamp, make: make)
  }

  /// About how many combinations some columns' values make in some rows of this version, which a number stands for.
  ///
  /// - Complexity: O(1), unless nobody has asked before.
  package func combinations(_ question: UInt64, make: () -> Double?) -> Double? {
    statisticsCache.combinations.answer(question, stamp: stamp, make: make)
  }

  /// The values of a column in a sample of the rows of this version, as numbers of different ones; `make` takes it, 16 KB.
  ///
  /// - Complexity: O(1), unless nobody has asked before.
  package func sampledValues(
    ofColumn index: Int, make: () -> Buffer<UInt32>?
  ) -> Buffer<UInt32>? {
    statisticsCache.columns.answer(UInt64(index), stamp: stamp, make: make)
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
