import Columnar
import Diagnostics
import Testing

@testable import Parquet

@Suite("Damaged files")
struct MutationTests {
  /// Reads all that a file lets be read, a bounded number of rows of each column.
  ///
  /// - Throws: only what is none of the errors that a damaged file may bring about.
  private func readAll(_ bytes: [UInt8]) throws {
    do {
      let file = try ParquetFile(bytes)
      for column in file.columns.indices {
        for group in file.rowGroups.indices {
          _ = file.statistics(ofColumn: column, inRowGroup: group)
          do {
            let reader = try file.reader(ofColumn: column, inRowGroup: group)
            var rows = 0
            while reader.rowsLeft > 0 && rows < 200 {
              let vector = try reader.read(min(16, reader.rowsLeft))
              rows += vector.count
              for row in 0..<vector.count { _ = vector.value(at: row) }
            }
          } catch { try check(error) }
        }
      }
    } catch { try check(error) }
  }

  private func check(_ error: any Error) throws {
    guard let error = error as? SQLError else { throw error }
    #expect(!error.message.isEmpty)
    #expect(error.state != .internalError && error.state != .outOfMemory, "\(error.message)")
  }

  @Test(
    "a file with flipped bits, other bytes or parts left out ends in an error or in values",
    arguments: [
      "arrow-none", "arrow-v2", "arrow-zstd", "arrow-delta", "arrow-lz4", "arrow-gzip", "duckdb",
      "polars",
    ])
  func mutations(_ name: String) throws {
    let original = try Files.bytes(name)
    // One statement may hold so little that a claim believed would end it.
    let context = EvaluationContext(
      transactionTime: 0, statementTime: 0,
      memory: MemoryBudget(MemoryLimit(byteCount: 64 << 20)))
    try RunningStatement.within(context) {
      for seed in 0..<300 {
        var random = Seeded(UInt64(seed))
        var bytes = original
        if Int.random(in: 0..<5, using: &random) == 0 {
          let start = Int.random(in: 0..<bytes.count, using: &random)
          let length = Int.random(in: 1...64, using: &random)
          bytes.removeSubrange(start..<min(start + length, bytes.count))
        }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          // The footer decides most, and is as long as the rest.
          let place = Int.random(in: 0..<bytes.count, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
          case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
          case 2: bytes[place] = 0xFF
          default: bytes[place] &+= 1
          }
        }
        try readAll(bytes)
      }
    }
  }

  @Test("a file that is cut off anywhere is refused")
  func cuts() throws {
    let original = try Files.bytes("duckdb")
    for length in stride(from: 0, to: original.count, by: 13) {
      #expect(throws: SQLError.self) { try ParquetFile(Array(original[..<length])) }
    }
  }

  @Test(
    "a page that says it unpacks to far more than its bytes can hold is refused before memory is asked for"
  )
  func claims() throws {
    let bytes = Buffer<UInt8>(zeroed: 100)
    for compression in [Compression.snappy, .gzip, .lz4Raw, .lz4, .zstandard] {
      #expect(throws: Damage.self) {
        try PageUnpacking.unpack(bytes, 0..<20, to: 1 << 29, by: compression)
      }
      #expect(throws: Damage.self) {
        try PageUnpacking.unpack(bytes, 0..<20, to: 1 << 31, by: compression)
      }
    }
  }

  @Test("an error says where in the file the damage is")
  func places() throws {
    var bytes = try Files.bytes("arrow-snappy")
    // The first page of the first column stands behind the mark.
    for place in 30..<40 { bytes[place] = 0xFF }
    let file = try ParquetFile(bytes)
    let error = #expect(throws: SQLError.self) { try file.texts(0) }
    #expect(error?.message.hasPrefix("parquet file \"memory\" is damaged: ") == true)
    #expect(error?.message.contains("column \"b\", row group 0, page 0") == true)
  }
}
