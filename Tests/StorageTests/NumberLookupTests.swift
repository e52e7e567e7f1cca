import Columnar
import Testing

@testable import Storage

@Suite("Look-ups of whole numbers")
struct NumberLookupTests {
  /// The value of a number in a type; nil where it has none.
  private static func value(_ number: Int64, _ type: LogicalType) -> Value? {
    if type == .smallint { return Int16(exactly: number).map(Value.int16) }
    if type == .integer { return Int32(exactly: number).map(Value.int32) }
    return .int64(number)
  }

  private static func table(_ type: LogicalType, _ numbers: [Int64]) throws -> TableStore {
    let layout = TableLayout(keys: [.init(columns: [0], isUnique: true)])
    let writer = TableWriter(TableStore(types: [type], layout: layout))
    let keys = Vector(type, numbers.compactMap { value($0, type) })
    try writer.append(
      DataChunk([keys], count: numbers.count), parents: [], maintainingIndexes: false)
    try writer.rebuildIndexes()
    return writer.freeze()
  }

  @Test(
    "A chunk finds what its numbers find one by one, at the ends of each type too",
    arguments: [LogicalType.smallint, .integer, .bigint],
    [Int64(1), -40, Int64(Int16.max) - 99, Int64(Int32.max) - 99, Int64.max - 99, Int64.min])
  func chunks(type: LogicalType, first: Int64) throws {
    let rows = (0..<100).map { first + $0 }
    guard rows.allSatisfy({ Self.value($0, type) != nil }) else { return }
    // Rows in another order are no serial ones.
    for numbers in [rows, rows.reversed(), Array(rows[50...] + rows[..<50])] {
      let store = try Self.table(type, numbers)
      let inside = numbers.map { Self.value($0, type) ?? .null }
      let strange = [first, first &- 1, first &+ 100, 0, -1, .min, .max, first &+ (1 << 32)]
      let outside = strange.compactMap { Self.value($0, type) }
      for values in [inside, inside + outside, [.null] + inside, outside, [.null]] {
        let found = store.keys[0].lookup(
          [Vector(type, values)], count: values.count, in: store)
        for (row, value) in values.enumerated() {
          let wanted = value.asNumber.map { store.keys[0].lookup($0, in: store) }
          #expect(found[row] == wanted ?? TableStore.noRow, "\(value)")
        }
        let pairs = store.keys[0].pairs([Vector(type, values)], count: values.count, in: store)
        let there = values.indices.filter { row in
          values[row].asNumber.map { store.keys[0].lookup($0, in: store) != TableStore.noRow }
            ?? false
        }
        #expect((0..<pairs.count).map { Int(pairs.rows[$0]) } == there)
      }
    }
  }
}

extension Value {
  fileprivate var asNumber: Int64? {
    switch self {
    case .int16(let value): Int64(value)
    case .int32(let value): Int64(value)
    case .int64(let value): value
    case .null, .boolean, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: nil
    }
  }
}
