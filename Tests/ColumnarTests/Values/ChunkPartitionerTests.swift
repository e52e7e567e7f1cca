import Columnar
import Testing

@Suite("Rows dealt out to partitions")
struct ChunkPartitionerTests {
  private static let types: [LogicalType] = [
    .boolean, .smallint, .integer, .bigint, .numeric, .text, .uuid, .double,
  ]

  private static func value(_ type: LogicalType, _ number: Int) -> Value {
    if number % 11 == 3 { return .null }
    return switch type.physical {
    case .bool: .boolean(number % 2 == 0)
    case .int16: .int16(Int16(number % 1000))
    case .int32: .int32(Int32(number))
    case .int64: .int64(Int64(number))
    case .numeric: .numeric(Numeric(coefficient: Int128(number), scale: 2))
    case .uuid: .uuid(UUIDValue(high: UInt64(number), low: 7))
    case .double: .double(Double(number) / 4)
    case .float, .interval, .text, .list, .record:
      .text(Array((number % 2 == 0 ? "short" : "a text that is long \(number)").utf8))
    }
  }

  @Test("are all there, each in its partition and in order", arguments: [2, 16, 256])
  func deals(count: Int) {
    let partitioner = ChunkPartitioner(count: count)
    var expected = Array(repeating: [[String]](), count: count)
    var number = 0
    for round in 0..<40 {
      let length = round % 5 == 0 ? 2048 : round * 13 % 300
      var rows: [[Value]] = []
      let partitions = Buffer<UInt8>(uninitialized: max(1, length))
      for row in 0..<length {
        number += 1
        rows.append(Self.types.map { Self.value($0, number) })
        partitions[row] = UInt8((number * number + row / 7) % count)
      }
      var columns: [Vector] = []
      for (place, type) in Self.types.enumerated() {
        var vector = Vector(type, rows.map { $0[place] })
        // As scans hand them on: by positions, as one value, and as whole numbers with decimals.
        if round % 3 == 1, length > 0 {
          let order = Buffer<UInt32>(uninitialized: length)
          for row in 0..<length { order[row] = UInt32(length - 1 - row) }
          vector = vector.gathered(order, count: length)
        } else if round % 7 == 2, length > 0 {
          vector = Vector(constant: rows[0][place], type: type, count: length)
        } else if round % 4 == 3, type == .numeric {
          let numbers = Buffer<Int64>(uninitialized: max(1, length))
          for row in 0..<length { numbers[row] = Int64(number + row) }
          vector = Vector(decimals: 2, numbers, count: length)
        }
        columns.append(vector)
      }
      let chunk = DataChunk(columns, count: length)
      for row in 0..<length {
        expected[Int(partitions[row])].append(columns.map { "\($0.value(at: row))" })
      }
      partitioner.add(chunk, to: partitions)
    }
    for partition in 0..<count {
      var found: [[String]] = []
      for chunk in partitioner.takeChunks(of: partition) {
        #expect(chunk.count <= Vector.chunkCapacity)
        for row in 0..<chunk.count { found.append(chunk.columns.map { "\($0.value(at: row))" }) }
      }
      #expect(found == expected[partition])
      #expect(partitioner.takeChunks(of: partition).isEmpty)
    }
  }
}
