import Columnar
import Testing

@testable import Storage

@Suite("A column that rises with the positions of its rows")
struct RisingColumnTests {
  private static let count = 5000

  private static func table(_ type: LogicalType, _ value: (Int) -> Value) -> TableStore {
    let writer = TableWriter(TableStore(types: [type]))
    for start in stride(from: 0, to: count, by: TableStore.pageCapacity) {
      let values = (start..<min(count, start + TableStore.pageCapacity)).map(value)
      writer.load(DataChunk([Vector(type, values)], count: values.count))
    }
    writer.finishLoading()
    return writer.freeze()
  }

  @Test("is one of whole numbers with gaps, in each width")
  func rises() throws {
    #expect(try Self.rises(Self.table(.integer) { .int32(Int32(3 * $0 - 700)) }))
    #expect(try Self.rises(Self.table(.bigint) { .int64(Int64($0) << 40) }))
    #expect(try Self.rises(Self.table(.smallint) { .int16(Int16($0 + $0 / 7)) }))
  }

  @Test(
    "is none where one value is no greater than the one before",
    arguments: [1, 700, 2048, 4096, 4999])
  func falls(_ place: Int) throws {
    #expect(try !Self.rises(Self.table(.bigint) { .int64(Int64($0 == place ? $0 - 1 : $0) * 2) }))
  }

  @Test("is none where one is NULL, nor is one of texts")
  func others() throws {
    #expect(try !Self.rises(Self.table(.integer) { $0 == 2500 ? .null : .int32(Int32($0)) }))
    #expect(try !Self.rises(Self.table(.text) { .text(Array("\(10_000 + $0)".utf8)) }))
  }

  @Test("is known anew in the next version, deleted rows included")
  func changes() throws {
    let table = Self.table(.integer) { .int32(Int32(2 * $0)) }
    #expect(try Self.rises(table))
    let writer = TableWriter(table)
    writer.delete(Buffer([UInt32(40)]), count: 1)
    let next = writer.freeze()
    #expect(try Self.rises(next))
    let last = TableWriter(next)
    last.load(DataChunk([Vector(.integer, [.int32(7)])], count: 1))
    last.finishLoading()
    #expect(try !Self.rises(last.freeze()))
    #expect(try Self.rises(next))
  }

  private static func rises(_ table: TableStore) throws -> Bool {
    let first = try table.orders.rises(0, of: table)
    #expect(try table.orders.rises(0, of: table) == first)
    return first
  }
}
