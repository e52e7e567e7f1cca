import Columnar
import Testing

@testable import Storage

@Suite("Values gathered from a column")
struct ColumnGatheringTests {
  /// A column of more than two pages, of which the second has no NULL.
  private static func column(_ type: LogicalType) -> (column: ColumnStore, values: [Value]) {
    let epoch = Epoch.next()
    var column = ColumnStore(type)
    var values: [Value] = []
    for start in stride(from: 0, to: 5000, by: 500) {
      let part = (start..<(start + 500)).map { row -> Value in
        if row / 2048 != 1 && row * 7919 % 13 < 5 { return .null }
        return type == .numeric
          ? .numeric(Numeric(coefficient: Int128(row % 700), scale: 1)) : .int32(Int32(row))
      }
      let vector = Vector(type, part)
      var (from, row) = (0, start)
      while from < 500 {
        let count = min(500 - from, 2048 - row % 2048)
        column.append(vector, from: from, count: count, at: row, epoch: epoch)
        from += count
        row += count
      }
      values += part
    }
    return (column, values)
  }

  @Test(
    "are those of the rows, whether these stand one behind another or not",
    arguments: [LogicalType.integer, .numeric], [0, 1, 63, 64, 700, 2000, 2047, 2048, 4000])
  func runs(_ type: LogicalType, _ first: Int) {
    let (column, values) = Self.column(type)
    for count in [1, 63, 64, 65, 130, 900] where first + count <= values.count {
      for step in [1, 3] where first + step * count <= values.count {
        let rows = (0..<count).map { first + $0 * step }
        let found = column.gather(Buffer(rows.map { UInt32($0) }), count: count)
        #expect(
          (0..<count).map { "\(found.value(at: $0))" } == rows.map { "\(values[$0])" },
          "\(count) rows from \(first), \(step) apart")
      }
    }
  }
}
