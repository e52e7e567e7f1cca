import Columnar
import Storage
import Testing

@testable import Durability

@Suite("The record of one row")
struct RowRecordTests {
  private static let types: [LogicalType] = [
    .boolean, .smallint, .integer, .bigint, .real, .double, .uuid, .text, .date, .timestamp, .bytea,
  ]

  private static func value(
    _ type: LogicalType, _ random: inout SystemRandomNumberGenerator
  ) -> Value {
    if Int.random(in: 0..<5, using: &random) == 0 { return .null }
    let number = Int64.random(in: .min ... .max, using: &random)
    switch type.physical {
    case .bool: return .boolean(number > 0)
    case .int16: return .int16(Int16(truncatingIfNeeded: number))
    case .int32: return .int32(Int32(truncatingIfNeeded: number))
    case .int64: return .int64(number)
    case .float: return .float(Float(number))
    case .double: return .double(Double(bitPattern: UInt64(bitPattern: number)))
    case .uuid:
      return .uuid(UUIDValue(high: UInt64(bitPattern: number), low: UInt64.random(in: 0...9)))
    default:
      return .text(
        [UInt8](repeating: 0x61, count: [0, 3, 12, 13, 300].randomElement(using: &random) ?? 0))
    }
  }

  @Test("has the same bytes as that of a version with the row", arguments: 0..<20)
  func sameBytes(_ round: Int) throws {
    var random = SystemRandomNumberGenerator()
    let layout = TableLayout(
      references: [.init(columns: [2]), .init(columns: [3])],
      junctions: [.init(from: 0, to: 1, isUnique: false)])
    var table = TableStore(types: Self.types, layout: layout)
    for row in 0..<40 {
      let image = RowImage(columnCount: Self.types.count)
      for (column, type) in Self.types.enumerated() {
        image.set(column, Self.value(type, &random))
      }
      let parents = Buffer<UInt32>([
        row % 7 == 0 ? TableStore.noRow : UInt32(row), UInt32.random(in: 0..<9, using: &random),
      ])
      var own = ByteWriter()
      TableRecord.write(image, parents: parents, behind: table, into: &own)
      let next = table.ownCopy(home: 0)
      RowWriter(next).append(image, parents: parents)
      var usual = ByteWriter()
      TableRecord.write(
        RowChanges(appended: table.rowCount..<next.rowCount), of: next, into: &usual)
      #expect(own.bytes == usual.bytes, "row \(row)")
      table = next
    }
  }
}
