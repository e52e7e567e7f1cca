import Testing

@testable import Columnar

@Suite("Groups that are expected")
struct ExpectedGroupsTests {
  @Test("are numbered as any others, in bounded room", arguments: [0, 100, 20_000, 1 << 30])
  func numbers(expected: Int) throws {
    let table = GroupTable(types: [.bigint])
    table.expectedCount = expected
    let count = 9000
    for start in stride(from: 0, to: count, by: 1000) {
      // Far apart, so that they are no places in an array.
      let keys = Vector(.bigint, (start..<(start + 1000)).map { .int64(Int64($0) << 32) })
      let groups = try table.findOrInsert([keys], count: 1000)
      for row in 0..<1000 { #expect(Int(groups[row]) == start + row) }
    }
    #expect(table.groupCount == count)
    #expect(table.byteCount < 64 << 20)
  }

  @Test(
    "have an array of places from the first few rows on, where there may be so many",
    arguments: [true, false])
  func places(_ isPair: Bool) throws {
    func keys(_ start: Int) -> [Vector] {
      // So few rows far apart would not pay for an array by themselves.
      let numbers = (start..<(start + 1000)).map { $0 * 7919 % 200_000 }
      let one = Vector(.integer, Buffer(numbers.map { Int32($0) }), count: 1000)
      if !isPair { return [one] }
      return [Vector(.integer, Buffer(numbers.map { Int32($0 % 4) }), count: 1000), one]
    }
    func table(expected: Int) throws -> (GroupTable, firstBytes: Int) {
      let table = GroupTable(types: isPair ? [.integer, .integer] : [.integer])
      table.expectedCount = expected
      var firstBytes = 0
      for start in stride(from: 0, to: 40_000, by: 1000) {
        let groups = try table.findOrInsert(keys(start), count: 1000)
        for row in 0..<1000 { #expect(Int(groups[row]) == start + row) }
        if start == 0 { firstBytes = table.byteCount }
      }
      return (table, firstBytes)
    }
    let span = isPair ? 5 * 200_000 : 200_000
    let known = try table(expected: 250_000)
    let unknown = try table(expected: 0)
    #expect(known.firstBytes >= 3 * span && unknown.firstBytes < span)
    #expect(known.0.groupCount == unknown.0.groupCount && known.0.byteCount < 12 << 20)
  }
}
