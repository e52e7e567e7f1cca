import Columnar
import Diagnostics
import Synchronization
import Testing

@testable import Parquet

@Suite("Reading a file as a statement does")
struct ReadingTests {
  @Test("columns of row groups are read by several tasks at a time")
  func tasks() throws {
    let file = try Files.open("arrow-pages")
    let columns = file.columns.count
    let counts = Mutex<[Int: Int]>([:])
    try parallelForThrowing(tasks: columns * file.rowGroups.count * 4) { task throws(SQLError) in
      let (column, group) = (task % columns, task / columns % file.rowGroups.count)
      let reader = try file.reader(ofColumn: column, inRowGroup: group)
      var rows = 0
      while reader.rowsLeft > 0 {
        rows += try reader.read(min(2048, reader.rowsLeft)).count
      }
      let count = rows
      counts.withLock { $0[task] = count }
    }
    let expected = file.rowGroups.map(\.rowCount)
    counts.withLock { counts in
      #expect(counts.count == columns * 8)
      for (task, count) in counts {
        #expect(count == expected[task / columns % expected.count])
      }
    }
  }

  @Test("texts of a column chunk with a dictionary stay codes, and exact numbers whole ones")
  func forms() throws {
    let file = try Files.open("arrow-none")
    func first(_ name: String) throws -> Vector {
      let column = try #require(file.columns.firstIndex { $0.name == name })
      return try file.reader(ofColumn: column, inRowGroup: 0).read(12)
    }
    #expect(try first("s").form == .indirect)
    #expect(try first("i64").form == .flat)
    #expect(try first("d9").decimals == 2)
    #expect(try first("d38").decimals == nil)
    // A vector outlives its file and reader.
    #expect(try first("s").value(at: 3).isNull == false)
    #expect(try Files.open("arrow-plain").texts("s").count == 12)
  }

  @Test("a statement that has to end does so, and its error is not that of a file")
  func interruption() throws {
    let file = try Files.open("arrow-pages")
    let context = EvaluationContext(transactionTime: 0, statementTime: 0)
    context.cancel()
    for column in file.columns.indices {
      let error = #expect(throws: SQLError.self) {
        try RunningStatement.within(context) {
          let reader = try file.reader(ofColumn: column, inRowGroup: 0)
          _ = try reader.read(2000)
        }
      }
      #expect(error?.state == .queryCanceled)
      #expect(error?.message.contains("parquet") == false)
    }
  }

  @Test("a NaN is above the bounds of a column, which therefore have no upper one")
  func notANumber() throws {
    let rows: [Value] = [.double(1), .double(.nan), .double(-2), .null]
    let bytes = try written(
      [.init("d", ColumnType(.double))], [DataChunk([Vector(.double, rows)], count: 4)])
    let statistics = try ParquetFile(bytes).statistics(ofColumn: 0, inRowGroup: 0)
    #expect("\(statistics.minimum ?? .null)" == "\(Value.double(-2))")
    #expect(statistics.maximum.map { _ in true } == nil)
    #expect(statistics.nullCount == 1)
  }

  @Test("a file tells itself by its first bytes")
  func mark() throws {
    #expect(ParquetFile.isParquet(try Files.bytes("duckdb")))
    #expect(!ParquetFile.isParquet(Array("a,b\n1,2\n".utf8)))
    #expect(!ParquetFile.isParquet([]))
  }
}
