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
}
