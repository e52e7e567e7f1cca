import Testing

@testable import Columnar

@Suite("A distinct set keeps each row once, whatever it is made of inside")
struct DistinctSetTests {
  private static let types: [[LogicalType]] = [
    [.integer], [.bigint, .smallint], [.integer, .boolean, .date],
    [.integer, .integer, .smallint, .bigint],
    [.integer, .text],
  ]

  /// Rows whose keys come from a range that moves, so that sets grow, and grow too wide.
  private static func rows(
    _ types: [LogicalType], _ count: Int, from start: Int64, span: UInt64,
    _ generator: inout SplitMix
  ) -> [[Value]] {
    (0..<count).map { _ in
      types.enumerated().map { place, type in
        if generator.next() % 13 == 0 { return .null }
        let width = place == 0 ? span : min(span, 40)
        let number = start * (place == 0 ? 1 : 0) + Int64(generator.next() % width) - 7
        return switch type {
        case .boolean: .boolean(number % 2 == 0)
        case .smallint: .int16(Int16(number % 1000))
        case .bigint: .int64(number)
        case .text: .text(Array("t\(number)".utf8))
        default: .int32(Int32(number))
        }
      }
    }
  }

  private static func columns(_ rows: [[Value]], _ types: [LogicalType]) -> [Vector] {
    types.indices.map { place in Vector(types[place], rows.map { $0[place] }) }
  }

  private static func spelled(_ row: [Value]) -> [String] { row.map { "\($0)" } }

  private static func contents(_ set: DistinctSet) throws -> [[String]] {
    let all = try contents(of: set.chunks())
    // Those that workers read side by side are the same, in the same order.
    if let count = set.pieceCount {
      let pieces = try (0..<count).flatMap { try set.chunks(ofPiece: $0) }
      #expect(try contents(of: pieces) == all)
    }
    return all
  }

  private static func contents(of chunks: [DataChunk]) throws -> [[String]] {
    chunks.flatMap { chunk in
      (0..<chunk.count).map { row in chunk.columns.map { "\($0.value(at: row))" } }
    }
  }

  @Test("new rows are told from known ones, and all come out once", arguments: 0..<20)
  func rows(seed: Int) throws {
    var generator = SplitMix(state: UInt64(seed))
    let types = Self.types[seed % Self.types.count]
    let set = DistinctSet(types: types, expectedCount: [0, 50, 200_000][seed % 3])
    var known: Set<[String]> = []
    let spans: [UInt64] = [10, 300, 5000, 1 << 24]
    for round in 0..<30 {
      let span = spans[Int(generator.next() % UInt64(seed % 4 + 1))]
      let start = Int64(round) * Int64(generator.next() % 500) * (seed % 2 == 0 ? 1 : -1)
      let rows = Self.rows(
        types, Int(generator.next() % 700), from: start, span: span, &generator)
      let fresh = try set.insertNew(Self.columns(rows, types), count: rows.count)
      let expected = rows.indices.filter { known.insert(Self.spelled(rows[$0])).inserted }
      #expect((0..<fresh.count).map { Int(fresh.positions[$0]) } == expected)
    }
    #expect(set.count == known.count)
    let all = try Self.contents(set)
    #expect(all.count == known.count)
    #expect(Set(all) == known)
  }

  @Test("a union has the rows of both", arguments: 0..<20)
  func union(seed: Int) throws {
    var generator = SplitMix(state: UInt64(seed) &+ 1000)
    let types = Self.types[seed % Self.types.count]
    let spans: [UInt64] = [5, 900, 1 << 24]
    var known: Set<[String]> = []
    let sets = (0..<3).map { _ in DistinctSet(types: types) }
    for set in sets {
      let span = spans[Int(generator.next() % UInt64(seed % 3 + 1))]
      let rows = Self.rows(
        types, Int(generator.next() % 3000), from: Int64(generator.next() % 3) * 400, span: span,
        &generator)
      _ = try set.insertNew(Self.columns(rows, types), count: rows.count)
      known.formUnion(rows.map(Self.spelled))
    }
    try sets[0].formUnion(sets[1])
    try sets[0].formUnion(sets[2])
    #expect(sets[0].count == known.count)
    #expect(Set(try Self.contents(sets[0])) == known)
  }
}
