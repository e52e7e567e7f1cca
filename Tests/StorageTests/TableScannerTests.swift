import Columnar
import Testing

@testable import Storage

@Suite("Pages that are scanned together")
struct TableScannerTests {
  private static let types: [LogicalType] = [.integer, .numeric, .text, .bigint]

  /// A row's values: some are NULL, some numbers take more digits or bytes than those of other pages, some texts are long.
  private static func row(_ row: Int) -> [Value] {
    let text = row % 5 == 0 ? "a text of more than twelve bytes \(row)" : "t\(row)"
    return [
      row % 11 == 3 && row / 2048 % 3 != 1 ? .null : .int32(Int32(row)),
      .numeric(
        Numeric(
          coefficient: Int128(row % 90) * (row / 2048 == 9 ? 1000 : 1),
          scale: row / 2048 == 12 ? 2 : 1)),
      row % 7 == 0 ? .null : .text(Array(text.utf8)),
      .int64(Int64(row) << 33),
    ]
  }

  private static func loaded(_ count: Int) -> TableWriter {
    let writer = TableWriter(TableStore(types: types))
    for start in stride(from: 0, to: count, by: 2048) {
      let rows = (start..<min(count, start + 2048)).map(Self.row)
      writer.load(
        DataChunk(
          types.indices.map { column in Vector(types[column], rows.map { $0[column] }) },
          count: rows.count))
    }
    writer.finishLoading()
    return writer
  }

  /// The rows of pages with those that stand behind them, and behind how many pages some stand.
  private static func check(_ table: TableStore, columns: [Int]) -> Int {
    let scanner = TableScanner(table, columns: columns, types: columns.map { types[$0] })
    var found = 0
    for page in 0..<table.pageCount {
      let (chunk, pageCount) = scanner.scan(pages: page..<min(table.pageCount, page + 4))
      found += pageCount > 1 ? 1 : 0
      let parts = (page..<(page + pageCount)).map { scanner.scan(page: $0) }
      #expect(chunk.count == parts.reduce(0) { $0 + $1.count })
      // Few rows of the middle of a page, and all near the ends of two.
      let rows = (0..<chunk.count).filter { $0 % 61 == 0 || ($0 + 8) % 2048 < 16 }
      for column in columns.indices {
        let wanted = rows.map { row in
          "\(parts[row / 2048].columns[column].value(at: row % 2048))"
        }
        #expect(
          pageCount == 1 || rows.map { "\(chunk.columns[column].value(at: $0))" } == wanted,
          "column \(column) of \(pageCount) pages from \(page) on")
      }
    }
    return found
  }

  @Test(
    "give the rows of one and then those of the next",
    arguments: [[0], [1], [2], [3], [0, 1, 2, 3]])
  func rows(columns: [Int]) {
    let table = Self.loaded(2048 * 20 + 700).freeze()
    let found = Self.check(table, columns: columns)
    #expect(found >= (columns.count == 1 ? 4 : 2), "\(found) pages")
  }

  @Test("are apart where a row of one was changed or deleted")
  func changed() throws {
    let writer = Self.loaded(2048 * 20)
    let before = Self.check(writer.freeze(), columns: [0])
    let other = TableWriter(writer.freeze())
    for page in 0..<20 where page % 4 == 1 {
      try other.update(
        Buffer([UInt32(page * 2048 + 5)]), count: 1, columns: [0],
        to: [Vector(.integer, [.int32(-1)])])
    }
    #expect(Self.check(other.freeze(), columns: [0]) < before)
    let third = TableWriter(writer.freeze())
    third.delete(Buffer([UInt32(10 * 2048 + 70)]), count: 1)
    let deleted = Self.check(third.freeze(), columns: [0])
    #expect(deleted < before && deleted > 0, "\(deleted) of \(before)")
  }
}
