import Testing

@testable import Columnar

@Suite("A grid numbers combinations of whole numbers, whatever their width")
struct KeyGridTests {
  private static let types: [[LogicalType]] = [
    [.integer, .integer], [.smallint, .integer], [.bigint, .integer, .boolean],
    [.bigint, .bigint], [.date, .smallint, .integer, .bigint],
  ]

  /// Numbers near one end of their type's range, or near zero.
  private static func number(_ type: LogicalType, near anchor: Int, _ step: Int64) -> Value {
    func around<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
      let start = [Number.min, .max, 0][anchor]
      return start &+ Number(truncatingIfNeeded: anchor == 1 ? -step : step)
    }
    return switch type {
    case .boolean: .boolean(step % 2 == 0)
    case .smallint: .int16(around(Int16.self))
    case .bigint: .int64(around(Int64.self))
    default: .int32(around(Int32.self))
    }
  }

  @Test("groups are those of a dictionary, also at the ends of ranges", arguments: 0..<30)
  func groups(seed: Int) throws {
    var generator = SplitMix(state: UInt64(seed))
    let types = Self.types[seed % Self.types.count]
    let anchors = types.map { _ in Int(generator.next() % 3) }
    let table = GroupTable(types: types)
    var known: [[String]: UInt32] = [:]
    for round in 0..<20 {
      // Now and then from anywhere, so that ranges grow too wide, and keys are looked for outside of them.
      let isWild = seed % 3 == 0 && round > 10
      let rows = (0..<Int(1 + generator.next() % 500)).map { _ in
        types.enumerated().map { place, type -> Value in
          if generator.next() % 11 == 0 { return .null }
          let anchor = isWild ? Int(generator.next() % 3) : anchors[place]
          return Self.number(type, near: anchor, Int64(generator.next() % 30))
        }
      }
      let columns = types.indices.map { place in Vector(types[place], rows.map { $0[place] }) }
      let spelled = rows.map { $0.map { "\($0)" } }
      let found = try table.find(columns, count: rows.count)
      for row in rows.indices { #expect(found[row] == known[spelled[row]] ?? .max) }
      let groups = try table.findOrInsert(columns, count: rows.count)
      for row in rows.indices {
        let group = known[spelled[row]] ?? UInt32(known.count)
        known[spelled[row]] = group
        #expect(groups[row] == group)
      }
    }
    #expect(table.groupCount == known.count)
  }
}
