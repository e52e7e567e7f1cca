import Testing

@testable import Columnar

@Suite("Exact numbers as keys are whole ones while their digits are alike, and numbers in any case")
struct DecimalKeysTests {
  private static let types: [[LogicalType]] = [
    [.numeric], [.integer, .numeric], [.numeric, .smallint, .numeric], [.numeric, .text],
    [.numeric, .numeric, .bigint, .boolean, .numeric],
  ]

  /// Rows, and the same as columns: exact numbers have one scale, in the small form or not, or now and then several.
  private struct Chunk {
    var rows: [[Value]]
    var columns: [Vector]

    init(_ types: [LogicalType], _ count: Int, mixes: Bool, _ generator: inout SplitMix) {
      let isSmall = generator.next() % 2 == 0
      let span = generator.next() % 3 == 0 ? 1 << 40 : 30
      rows = (0..<count).map { _ in
        types.map { type in
          if generator.next() % 11 == 0 { return .null }
          let number = Int64(generator.next() % UInt64(span)) - 9
          switch type {
          case .boolean: return .boolean(number % 2 == 0)
          case .smallint: return .int16(Int16(number % 50))
          case .bigint: return .int64(number)
          case .text: return .text(Array("t\(number % 20)".utf8))
          case .numeric: return .numeric(Self.numeric(number, mixes, &generator))
          default: return .int32(Int32(truncatingIfNeeded: number % 1000))
          }
        }
      }
      let rows = rows
      columns = types.indices.map { place in
        let wide = Vector(types[place], rows.map { $0[place] })
        return isSmall && types[place] == .numeric ? wide.narrowed(count: count) ?? wide : wide
      }
    }

    private static func numeric(
      _ number: Int64, _ mixes: Bool, _ generator: inout SplitMix
    ) -> Numeric {
      if !mixes { return Numeric(coefficient: Int128(number), scale: 2) }
      switch generator.next() % 5 {
      case 0: return Numeric(coefficient: Int128(number) * 1000, scale: 5)
      case 1: return Numeric(coefficient: Int128(number) << 70, scale: 2)
      case 2: return Numeric.nan
      default: return Numeric(coefficient: Int128(number), scale: 1)
      }
    }
  }

  /// What equal rows have in common.
  private static func spelled(_ row: [Value]) -> [String] {
    row.map { value in
      guard case .numeric(let number) = value else { return "\(value)" }
      return "\(number.canonical)"
    }
  }

  private static func spelled(_ chunks: [DataChunk]) -> [[String]] {
    chunks.flatMap { chunk in
      (0..<chunk.count).map { row in spelled(chunk.columns.map { $0.value(at: row) }) }
    }
  }

  @Test("equal rows are of one group, and only those", arguments: 0..<30)
  func groups(seed: Int) throws {
    var generator = SplitMix(state: UInt64(seed) &+ 77)
    let types = Self.types[seed % Self.types.count]
    let (table, other) = (GroupTable(types: types), GroupTable(types: types))
    var known: [[String]: UInt32] = [:]
    let mixedFrom = seed % 3 == 0 ? 12 : 4
    for round in 0..<12 {
      let chunk = Chunk(types, 300, mixes: round >= mixedFrom, &generator)
      let count = chunk.rows.count
      let sought = try table.find(chunk.columns, count: count)
      for (row, values) in chunk.rows.enumerated() {
        #expect(sought[row] == known[Self.spelled(values)] ?? .max)
      }
      let groups = try table.findOrInsert(chunk.columns, count: count)
      for (row, values) in chunk.rows.enumerated() {
        let expected = known[Self.spelled(values)] ?? UInt32(known.count)
        known[Self.spelled(values)] = expected
        #expect(groups[row] == expected)
      }
      if round % 2 == 0 { _ = try other.findOrInsert(chunk.columns, count: count) }
    }
    #expect(table.groupCount == known.count)
    let mapping = try other.merge(table)
    #expect(other.groupCount == known.count)
    let (mine, theirs) = (table.keys(0..<known.count), other.keys(0..<known.count))
    for group in 0..<known.count {
      let row = mine.map { $0.value(at: group) }
      #expect(known[Self.spelled(row)] == UInt32(group))
      let mapped = Int(mapping[group])
      #expect(Self.spelled(row) == Self.spelled(theirs.map { $0.value(at: mapped) }))
    }
  }

  @Test("a set of them has each once, and finds it again", arguments: 0..<30)
  func sets(seed: Int) throws {
    var generator = SplitMix(state: UInt64(seed) &+ 177)
    let types = Self.types[seed % Self.types.count]
    let (set, other) = (DistinctSet(types: types), DistinctSet(types: types))
    var known: Set<[String]> = []
    let mixedFrom = seed % 3 == 0 ? 12 : 4
    for round in 0..<12 {
      let chunk = Chunk(types, 300, mixes: round >= mixedFrom, &generator)
      let count = chunk.rows.count
      if types.count == 1 {
        let present = chunk.rows.indices.filter { row in
          let isNull = Self.spelled(chunk.rows[row]) == Self.spelled([.null])
          return !isNull && known.contains(Self.spelled(chunk.rows[row]))
        }
        let found = try set.rows(of: chunk.columns[0], count: count, in: true)
        #expect((0..<found.count).map { Int(found.positions[$0]) } == present)
      }
      let fresh = try set.insertNew(chunk.columns, count: count)
      let expected = chunk.rows.indices.filter {
        known.insert(Self.spelled(chunk.rows[$0])).inserted
      }
      #expect((0..<fresh.count).map { Int(fresh.positions[$0]) } == expected)
    }
    let more = Chunk(types, 500, mixes: seed % 4 == 3, &generator)
    _ = try other.insertNew(more.columns, count: 500)
    known.formUnion(more.rows.map(Self.spelled))
    try set.formUnion(other)
    let all = Self.spelled(try set.chunks())
    #expect(all.count == known.count && Set(all) == known && set.count == known.count)
    try other.formUnion(set)
    #expect(Set(Self.spelled(try other.chunks())) == known && other.count == known.count)
  }
}
