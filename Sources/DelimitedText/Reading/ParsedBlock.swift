package import Columnar

/// What one block gave.
package struct ParsedBlock: Sendable {
  /// The number of the block in its file.
  package let index: Int
  /// The rows, as columns, 2,048 at a time.
  package let chunks: [DataChunk]
  /// The number of rows in `chunks`.
  package let rowCount: Int
  /// The number of records, rejected ones included, blank ones not.
  package let recordCount: Int
  package let rejects: [RejectedRecord]
  /// Whether an end marker was met, so that what follows is not data.
  package let isEnd: Bool
  /// Where each row's record starts, in bytes from `offset`.
  let rowOffsets: RecordOffsets
  /// The line of each row; nil if row *i* stands on line `firstLine + i`.
  package let rowLines: Buffer<UInt32>?
  package let offset: Int
  package let firstLine: Int

  /// The same without its rows: what is needed to name lines later.
  package var withoutRows: ParsedBlock {
    ParsedBlock(
      index: index, chunks: [], rowCount: rowCount, recordCount: recordCount, rejects: [],
      isEnd: isEnd, rowOffsets: rowOffsets, rowLines: rowLines, offset: offset,
      firstLine: firstLine)
  }

  /// The line and byte at which each of `rows` starts.
  ///
  /// - Precondition: `rows` do not fall.
  /// - Complexity: O(*n*) in the rows of the block.
  package func places(of rows: [Int]) -> [(line: Int, offset: Int)] {
    var cursor = RecordOffsets.Cursor()
    return rows.map { row in
      (
        rowLines.map { Int($0[row]) } ?? firstLine + row,
        offset + rowOffsets.start(of: row, from: &cursor)
      )
    }
  }
}

/// Where the records of a block start; kept as long as the load, so in a byte a record where that is enough.
struct RecordOffsets: Sendable {
  private let first: UInt32
  /// From each start to the next.
  private let lengths: Buffer<UInt8>?
  /// The starts, where some record is longer than a byte can say.
  private let starts: Buffer<UInt32>?

  /// - Precondition: `starts` rises.
  init(_ starts: Buffer<UInt32>, count: Int) {
    first = count == 0 ? 0 : starts[0]
    let lengths = Buffer<UInt8>(uninitialized: max(count - 1, 0))
    var all: UInt32 = 0
    for row in 0..<lengths.count {
      let length = starts[row &+ 1] &- starts[row]
      all |= length
      lengths[row] = UInt8(truncatingIfNeeded: length)
    }
    self.lengths = all < 256 ? lengths : nil
    self.starts = all < 256 ? nil : starts
  }

  /// Records one behind another, each with its length but the last.
  init(first: Int, lengths: Buffer<UInt8>) {
    self.first = UInt32(truncatingIfNeeded: first)
    self.lengths = lengths
    starts = nil
  }

  /// A row, and where its record starts.
  struct Cursor {
    fileprivate var row = 0
    fileprivate var distance = 0
  }

  /// Where record `row` starts, from what `cursor` knows of one before it.
  ///
  /// - Complexity: O(distance from the row asked for last).
  func start(of row: Int, from cursor: inout Cursor) -> Int {
    if let starts { return Int(starts[row]) }
    if let lengths {
      while cursor.row < row {
        cursor.distance &+= Int(lengths[cursor.row])
        cursor.row &+= 1
      }
    }
    return Int(first) &+ cursor.distance
  }
}
