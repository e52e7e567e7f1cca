import Testing

@testable import Columnar

/// Groups of one whole-number key, against a dictionary.
@Suite struct DirectIndexTests {
  @Test("one key finds its group wherever its range lies and however it grows", arguments: 0..<60)
  func findsGroups(seed: Int) throws {
    var random = SplitMix(state: UInt64(seed) &* 77 &+ 5)
    let type: LogicalType = [.smallint, .integer, .bigint][seed % 3]
    let (least, greatest): (Int64, Int64) =
      switch type {
      case .smallint: (Int64(Int16.min), Int64(Int16.max))
      case .integer: (Int64(Int32.min), Int64(Int32.max))
      default: (.min, .max)
      }
    // At an end of what the type holds, around zero, or anywhere.
    let anywhere = Int64.random(in: least...greatest, using: &random)
    let middles: [Int64] = [least, greatest, 0, 9999, anywhere]
    let middle = middles[Int(random.next() % 5)]
    let table = GroupTable(types: [type])
    var known: [Int64?: UInt32] = [:]
    var width: Int64 = 3
    for round in 0..<12 {
      let count = Int.random(in: 1...2048, using: &random)
      width = min(width * Int64.random(in: 1...6, using: &random), 40_000)
      let hasNulls = round % 3 == 1
      let keys = (0..<count).map { _ -> Int64? in
        if hasNulls && random.next() % 5 == 0 { return nil }
        let (sum, overflow) = middle.addingReportingOverflow(
          Int64.random(in: -width...width, using: &random))
        return overflow ? middle : min(max(sum, least), greatest)
      }
      let column = Vector(type, keys.map { Self.value($0, type) })
      let found = try table.find([column], count: count)
      for row in 0..<count { #expect(found[row] == known[keys[row]] ?? .max) }
      let groups = try table.findOrInsert([column], count: count)
      for row in 0..<count {
        if known[keys[row]] == nil { known[keys[row]] = UInt32(known.count) }
        #expect(groups[row] == known[keys[row]])
      }
      #expect(table.groupCount == known.count)
    }
  }

  private static func value(_ number: Int64?, _ type: LogicalType) -> Value {
    guard let number else { return .null }
    switch type {
    case .smallint: return .int16(Int16(number))
    case .integer: return .int32(Int32(number))
    default: return .int64(number)
    }
  }
}
