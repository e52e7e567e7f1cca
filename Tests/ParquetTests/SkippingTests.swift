import Columnar
import Diagnostics
import Testing

@testable import Parquet

@Suite("Rows of a parquet file that are passed over")
struct SkippingTests {
  private static let names = [
    "arrow-delta", "arrow-gzip", "arrow-int96", "arrow-lz4", "arrow-none", "arrow-pages",
    "arrow-plain", "arrow-snappy", "arrow-v2", "arrow-zstd", "duckdb-v2", "duckdb", "polars",
  ]

  private func texts(_ vector: Vector) -> [String?] {
    let formatter = TextFormatter()
    return (0..<vector.count).map { row in
      guard vector.isValid(row) else { return nil }
      var text = ByteBuilder()
      formatter.append(row, of: vector, to: &text)
      return text.bytes.string
    }
  }

  @Test("leave all others as they are, in every encoding", arguments: names)
  func skipping(_ name: String) throws {
    let file = try Files.open(name)
    var random = Seeded(5)
    for column in file.columns.indices {
      let all = try file.texts(column, step: 1000)
      for most in [3, 40, 700] {
        var start = 0
        for group in file.rowGroups.indices {
          let reader = try file.reader(ofColumn: column, inRowGroup: group)
          while reader.rowsLeft > 0 {
            let count = min(Int.random(in: 1...most, using: &random), reader.rowsLeft)
            if Bool.random(using: &random) {
              try reader.skip(count)
            } else {
              let found = texts(try reader.read(count))
              #expect(
                found == Array(all[start..<(start + count)]),
                "column \(file.columns[column].name), rows \(start) to \(start + count)")
            }
            start += count
          }
        }
        #expect(start == all.count)
      }
    }
  }

  @Test("are no matter to others who read the same pages", arguments: names)
  func sharing(_ name: String) throws {
    let bytes = try Files.bytes(name)
    let shared = SharedPages(leastByteCount: 1)
    let file = try ParquetFile(
      FileBytes(Buffer(bytes), count: bytes.count, name: "memory", sharedPages: shared))
    let plain = try Files.open(name)
    for column in file.columns.indices {
      let all = try plain.texts(column, step: 1000)
      var start = 0
      for group in file.rowGroups.indices {
        let readers = try (0..<3).map { _ in
          try file.reader(ofColumn: column, inRowGroup: group)
        }
        // The second is ahead of the first, and the third behind.
        try readers[1].skip(min(50, readers[1].rowsLeft))
        while readers[2].rowsLeft > 0 {
          for reader in readers where reader.rowsLeft > 0 {
            let end = start + file.rowGroups[group].rowCount
            let row = end - reader.rowsLeft
            let wanted = reader === readers[2] ? 11 : 30
            let count = min(wanted, reader.rowsLeft)
            let found = texts(try reader.read(count))
            #expect(found == Array(all[row..<(row + count)]), "rows from \(row) on")
          }
        }
        start += file.rowGroups[group].rowCount
      }
    }
  }
}
