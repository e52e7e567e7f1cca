import Columnar
import Testing

@testable import Parquet

@Suite("Metadata in Thrift's compact protocol")
struct ThriftTests {
  private func reader(_ bytes: [UInt8]) -> CompactReader {
    CompactReader(Buffer(bytes), 0..<bytes.count)
  }

  @Test("what is written is read again, and fields that nobody knows are passed over")
  func roundTrip() throws {
    var writer = CompactWriter()
    writer.structure { writer in
      writer.int32(1, -5)
      writer.text(4, "name")
      writer.list(30, [1, 2, 3]) { $0.int64(2, $1) }
      writer.bool(31, true)
      writer.structure(32) { $0.numbers(1, [Int32](repeating: 7, count: 20)) }
      writer.int64(33, Int64.min)
    }
    var seen: [String] = []
    var reader = reader(writer.bytes)
    try reader.structure { (reader, id, type) throws(Damage) in
      switch (id, type) {
      case (1, .int32): seen.append("\(try reader.int32())")
      case (4, .binary): seen.append(try reader.text())
      case (33, .int64): seen.append("\(try reader.int64())")
      default:
        if type == .yes { seen.append("yes") }
        return false
      }
      return true
    }
    #expect(seen == ["-5", "name", "yes", "\(Int64.min)"])
    #expect(reader.position == writer.bytes.count)
  }

  @Test("an empty list may say nothing of its elements, as fastparquet writes it")
  func emptyList() throws {
    // Field 1 is the list, field 2 the number 1.
    var reader = reader([0x19, 0x00, 0x16, 0x02, 0x00])
    var seen: [Int] = []
    try reader.structure { (reader, id, type) throws(Damage) in
      guard type == .list else {
        seen.append(Int(try reader.int64()))
        return true
      }
      let elements = try reader.list(atMost: 10) { (_) throws(Damage) in 0 }
      #expect(elements.isEmpty)
      return true
    }
    #expect(seen == [1])
    var skipped = self.reader([0x19, 0x00, 0x16, 0x02, 0x00])
    try skipped.structure { (_, _, _) throws(Damage) in false }
    #expect(skipped.position == 5)
  }

  @Test("structures nested without end are refused")
  func depth() {
    var reader = reader([UInt8](repeating: 0x1C, count: 10_000))
    #expect(throws: Damage.self) {
      try reader.structure { (_, _, _) throws(Damage) in false }
    }
    // Lists of lists.
    var lists = self.reader([0x19] + [UInt8](repeating: 0x19, count: 10_000))
    #expect(throws: Damage.self) {
      try lists.structure { (_, _, _) throws(Damage) in false }
    }
  }

  @Test("lists and texts that claim more than there is are refused")
  func claims() {
    // A list of 2^35 structures; a text of 2^35 bytes; a number without end.
    for bytes: [UInt8] in [
      [0x19, 0xFC, 0x80, 0x80, 0x80, 0x80, 0x80, 1], [0x18, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
      [0x16] + [UInt8](repeating: 0xFF, count: 20), [0x1B, 0x80, 0x80, 0x80, 0x80, 0x10, 0x88],
    ] {
      var reader = reader(bytes)
      #expect(throws: Damage.self) {
        try reader.structure { (_, _, _) throws(Damage) in false }
      }
    }
  }
}
