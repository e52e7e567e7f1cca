import Columnar
import Testing

@testable import Parquet

@Suite("Metadata in Thrift's compact protocol")
struct ThriftTests {
  @Test("what is written is read again")
  func roundTrip() throws {
    var writer = CompactWriter()
    writer.structure { writer in
      writer.int32(1, -5)
      writer.text(4, "name")
      writer.list(30, [1, 2, 3]) { $0.int64(2, $1) }
      writer.bool(31, true)
    }
    let bytes = Buffer(writer.bytes)
    var reader = CompactReader(bytes, 0..<bytes.count)
    var seen: [String] = []
    try reader.structure { (reader, id, type) throws(Damage) in
      switch (id, type) {
      case (1, .int32): seen.append("\(try reader.int32())")
      case (4, .binary): seen.append(try reader.text())
      case (31, .yes): seen.append("yes")
      default: return false
      }
      return type != .yes
    }
    #expect(seen == ["-5", "name", "yes"])
    #expect(reader.position == bytes.count)
  }
}
