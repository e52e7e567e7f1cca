import Diagnostics
import Parquet

/// The row groups of parquet files of the same columns, as the rows of one table.
///
/// - Invariant: none is empty; each begins where the one before it ends.
struct ParquetRowGroups: Sendable {
  struct Group: Sendable {
    fileprivate let file: Int
    /// Its place in the file.
    fileprivate let group: Int
    let rows: Range<Int>
  }

  private let files: [ParquetFile]
  let all: [Group]

  init(_ files: [ParquetFile]) {
    self.files = files
    var groups: [Group] = []
    var start = 0
    for (place, file) in files.enumerated() {
      for (index, group) in file.rowGroups.enumerated() where group.rowCount > 0 {
        let (end, overflow) = start.addingReportingOverflow(group.rowCount)
        groups.append(
          Group(file: place, group: index, rows: start..<(overflow ? Int.max : end)))
        start = overflow ? Int.max : end
      }
    }
    all = groups
  }

  var rowCount: Int { all.last?.rows.upperBound ?? 0 }

  /// The row group that a row stands in.
  ///
  /// - Precondition: there is such a row.
  /// - Complexity: O(log *n*).
  func index(ofRow row: Int) -> Int {
    var (low, high) = (0, all.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if all[middle].rows.lowerBound <= row { low = middle } else { high = middle }
    }
    return low
  }

  private func place(of column: ParquetColumn, in group: Group) -> Int? {
    files[group.file].columns.firstIndex { $0.name == column.name }
  }

  /// What reads a column of a row group from its first row on.
  ///
  /// - Throws: 22P04 and 0A000 where the column chunk cannot be read.
  func reader(
    of column: ParquetColumn, in group: Group
  ) throws(SQLError) -> ParquetColumnReader {
    let file = files[group.file]
    guard let place = place(of: column, in: group) else {
      throw .internal("file \"\(file.name)\" has no column \"\(column.name)\"")
    }
    return try file.reader(ofColumn: place, inRowGroup: group.group)
  }

  /// What the file says of a column's values in a row group.
  func statistics(of column: ParquetColumn, in group: Group) -> ParquetStatistics {
    guard let place = place(of: column, in: group) else { return .none }
    return files[group.file].statistics(ofColumn: place, inRowGroup: group.group)
  }

  /// How many rows are NULL as far as the files say.
  func nullCount(of column: ParquetColumn) -> Int {
    all.reduce(0) { $0 + (statistics(of: column, in: $1).nullCount ?? 0) }
  }
}
