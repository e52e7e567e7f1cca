import Columnar
import Diagnostics
import Storage

/// The parents of the rows of a row group, by one foreign key.
///
/// Page by page there is a byte, and behind it
///
/// | byte | holds |
/// | --- | --- |
/// | 0 | a number (4): positions are the values of the foreign key's column less it |
/// | 1 | the positions as `PackedNumbers`, -1 for none |
enum ParentSection {
  static func write(_ pages: [ParentContents], rows: [Int]) -> SectionWriter {
    var writer = ByteWriter()
    for (page, count) in zip(pages, rows) {
      switch page {
      case .shifted(let bias):
        writer.append(byte: 0)
        writer.append(half: bias)
      case .positions(let positions):
        writer.append(byte: 1)
        let numbers = Buffer<Int64>(uninitialized: max(1, count))
        for row in 0..<count { numbers[row] = positions[row] == .max ? -1 : Int64(positions[row]) }
        PackedNumbers.write(numbers, count: count, into: &writer)
      }
    }
    var section = SectionWriter(capacity: writer.count)
    section.append(writer.bytes)
    return section
  }

  static func read(
    _ bytes: Buffer<UInt8>, rows: [Int], _ arena: OpeningArena
  ) throws(SQLError) -> [ParentContents] {
    var reader = ByteReader(bytes, count: bytes.count)
    var pages: [ParentContents] = []
    pages.reserveCapacity(rows.count)
    for count in rows {
      if try !reader.flag() {
        pages.append(.shifted(try reader.half()))
        continue
      }
      let numbers = try PackedNumbers.read(count, from: &reader)
      // Rows that are added find no room behind the last one.
      let positions = arena.take(count * 4).buffer(of: UInt32.self)
      for row in 0..<count {
        guard numbers[row] >= -1, numbers[row] < Int64(UInt32.max) else {
          throw reader.damage("a position is out of range")
        }
        positions[row] = UInt32(truncatingIfNeeded: numbers[row])
      }
      pages.append(.positions(positions))
    }
    try reader.finish()
    return pages
  }
}
