import Columnar
import Diagnostics
import Synchronization

/// The texts of the fields of some records: made column by column, and put together row by row.
///
/// A loop over one column looks at its type once, and nothing is allocated or counted for a value.
struct FieldTexts {
  private let rowCount: Int
  private var texts: ByteBuilder
  /// Where each text ends, a column's behind those of the one before.
  private var ends: [Int] = []

  init(rowCount: Int, columnCount: Int) {
    self.rowCount = rowCount
    texts = ByteBuilder(capacity: rowCount * columnCount * 32)
    ends.reserveCapacity(rowCount * columnCount)
  }

  /// Adds the texts of the next column.
  ///
  /// - Throws: what `append` throws.
  mutating func addColumn<Failure: Error>(
    _ append: (_ row: Int, inout ByteBuilder) throws(Failure) -> Void
  ) throws(Failure) {
    for row in 0..<rowCount {
      try append(row, &texts)
      ends.append(texts.count)
    }
  }

  /// The records, with what stands before each field and behind each record.
  func records(before prefixes: [[UInt8]], end: [UInt8]) -> [UInt8] {
    // One buffer of all marks, so that no reference is counted for a field.
    let marks = Buffer(prefixes.flatMap { $0 } + end)
    var markEnds: [Int] = []
    for prefix in prefixes { markEnds.append((markEnds.last ?? 0) + prefix.count) }
    let lastMark = markEnds.last ?? 0
    var records = ByteBuilder(capacity: texts.count + rowCount * marks.count)
    let bytes = texts.bytes
    let markBytes = marks.bytes(0..<marks.count)
    // Text bytes do not keep the buffer alive that they point into.
    defer { withExtendedLifetime(marks) {} }
    for row in 0..<rowCount {
      var place = row
      var mark = 0
      for markEnd in markEnds {
        records.append(markBytes.slice(mark..<markEnd))
        let start = place == 0 ? 0 : ends[place - 1]
        records.append(bytes.slice(start..<ends[place]))
        place += rowCount
        mark = markEnd
      }
      records.append(markBytes.slice(lastMark..<marks.count))
    }
    return records.bytes.array
  }
}

extension ResultSet {
  /// Makes the text of each chunk by `body`, on several threads, and gives the texts to `write` in their order.
  ///
  /// - Throws: what the closures throw, 57014.
  func writeChunks(
    by body: @escaping @Sendable (DataChunk) throws(SQLError) -> [UInt8],
    to write: ([UInt8]) throws(SQLError) -> Void
  ) throws(SQLError) {
    // So many at once that threads seldom wait, and few enough to take little memory.
    let step = parallelWidth * 4
    for first in stride(from: 0, to: chunks.count, by: step) {
      let part = Array(chunks[first...].prefix(step))
      let texts = Mutex([[UInt8]](repeating: [], count: part.count))
      try parallelForThrowing(tasks: part.count) { (task) throws(SQLError) in
        let text = try body(part[task])
        texts.withLock { $0[task] = text }
      }
      for text in texts.withLock({ $0 }) { try write(text) }
    }
  }
}
