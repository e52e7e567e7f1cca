import Columnar
import Diagnostics
import Parquet
import Synchronization

/// Reads a column's rows one behind another, from one row group to the next.
///
/// One thread at a time uses a cursor.
final class ParquetCursor: Sendable {
  private struct State {
    /// nil once the cursor has come to rows that another one reads.
    var reader: ParquetColumnReader?
    /// The row group that is being read.
    var group: Int
  }
  private let state: Mutex<State>
  private let column: ParquetColumn
  private let groups: ParquetRowGroups

  /// A cursor at the first row of a row group.
  ///
  /// - Throws: 22P04 and 0A000 where the column chunk cannot be read.
  init(
    _ column: ParquetColumn, _ groups: ParquetRowGroups, group: Int
  ) throws(SQLError) {
    self.column = column
    self.groups = groups
    state = Mutex(
      State(reader: try groups.reader(of: column, in: groups.all[group]), group: group))
  }

  /// Whether rows can be read on.
  var isOpen: Bool { state.withLock { $0.reader != nil } }

  /// Passes over rows of the row group.
  ///
  /// - Throws: 22P04 and others for what cannot be read.
  func skip(_ count: Int) throws(SQLError) {
    try state.withLock { (state) throws(SQLError) in try state.reader?.skip(count) }
  }

  /// The next rows, with those at the end that `head` gives of a row group which begins among them and has more.
  ///
  /// - Throws: 22P04 and others for what cannot be read; then the cursor is of no use any more.
  func read(
    _ count: Int, head: (_ group: Int, _ count: Int) throws(SQLError) -> Vector
  ) throws(SQLError) -> [Vector] {
    try state.withLock { (state) throws(SQLError) in
      var parts: [Vector] = []
      var left = count
      while left > 0, let reader = state.reader {
        let length = min(left, reader.rowsLeft)
        if length > 0 { parts.append(try reader.read(length)) }
        left -= length
        if left == 0 { break }
        state.group += 1
        let next = groups.all[state.group]
        if next.rows.count > left {
          parts.append(try head(state.group, left))
          state.reader = nil
          break
        }
        state.reader = try groups.reader(of: column, in: next)
      }
      return parts
    }
  }
}

/// The first rows of a row group, where they stand on a page with the last of the row group before.
///
/// Two threads come to them, often at the same time: the one that reads the row group before, and the one that reads this one from
/// its first whole page on. Whoever is first unpacks them for both, as that may mean unpacking all of the row group.
final class RowGroupHead: Sendable {
  private let rows = Mutex<Vector?>(nil)

  /// The rows: those that are left here, or what `read` gives.
  func take(_ read: () throws(SQLError) -> Vector) throws(SQLError) -> Vector {
    try rows.withLock { (rows) throws(SQLError) in
      guard let left = rows else { return try read() }
      rows = nil
      return left
    }
  }

  /// A cursor behind the rows: one that waits there, or a new one that has read the rows that it leaves here.
  func cursor(
    _ find: () throws(SQLError) -> (ParquetCursor, rows: Vector?)
  ) throws(SQLError) -> ParquetCursor {
    try rows.withLock { (rows) throws(SQLError) in
      let (cursor, left) = try find()
      if let left { rows = left }
      return cursor
    }
  }
}
