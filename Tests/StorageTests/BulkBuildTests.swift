import Columnar
import Testing

@testable import Storage

@Suite("Indexes that are built over many rows at once")
struct BulkBuildTests {
  /// What is other than a row of numbers that each are one greater than the one before.
  enum Oddity: CaseIterable {
    case none, hole, null, deleted, repeated, swapped, last
  }

  private static func vector(_ type: LogicalType, _ numbers: [Int64?]) -> Vector {
    Vector(
      type,
      numbers.map { number in
        guard let number else { return .null }
        switch type {
        case .smallint: return .int16(Int16(truncatingIfNeeded: number))
        case .integer: return .int32(Int32(truncatingIfNeeded: number))
        default: return .int64(number)
        }
      })
  }

  @Test(
    "find each number of a key where it stands", arguments: Oddity.allCases,
    [LogicalType.smallint, .integer, .bigint])
  func keys(_ oddity: Oddity, _ type: LogicalType) throws {
    for (count, first) in [(1, 0), (2048, 1), (2049, -5), (9000, 20_000)] as [(Int, Int64)] {
      var numbers: [Int64?] = (0..<count).map { first + Int64($0) }
      let place = count / 2
      switch oddity {
      case .none, .deleted: break
      case .hole: for row in place..<count { numbers[row]? += 2 }
      case .null: numbers[place] = nil
      case .repeated: numbers[place] = numbers[place / 2]
      case .swapped: numbers.swapAt(place, count - 1)
      case .last: numbers[count - 1]? += 300
      }
      let layout = TableLayout(keys: [.init(columns: [0], isUnique: true)])
      let writer = TableWriter(TableStore(types: [type], layout: layout))
      for start in stride(from: 0, to: count, by: 2048) {
        let part = Array(numbers[start..<min(start + 2048, count)])
        writer.load(DataChunk([Self.vector(type, part)], count: part.count))
      }
      writer.finishLoading()
      if oddity == .deleted { writer.delete(Buffer([UInt32(place)]), count: 1) }
      if oddity == .repeated && place > 0 {
        let conflict = KeyConflict(
          constraint: .key(0), row: UInt32(place), existing: UInt32(place / 2))
        #expect(throws: conflict) { try writer.rebuildKeys() }
        continue
      }
      try writer.rebuildKeys()
      let table = writer.freeze()
      table.checkInvariants()
      var wanted: [Int64: UInt32] = [:]
      for (row, number) in numbers.enumerated() where oddity != .deleted || row != place {
        if let number { wanted[number] = UInt32(row) }
      }
      let probes = Array((first - 3)...(first + Int64(count) + 310))
      let found = table.keys[0].lookup(
        [Vector(.bigint, Buffer(probes), count: probes.count)], count: probes.count, in: table)
      for (place, probe) in probes.enumerated() {
        let single = table.keys[0].lookup(probe, in: table)
        if found[place] == wanted[probe] ?? .max && single == found[place] { continue }
        Issue.record("\(probe) of \(count) rows is found at \(found[place]) and \(single)")
      }
      #expect(table.keys[0].rowCount == wanted.count)
    }
  }

  @Test("refuse small numbers that begin again")
  func wrapping() {
    let layout = TableLayout(keys: [.init(columns: [0], isUnique: true)])
    let writer = TableWriter(TableStore(types: [.smallint], layout: layout))
    for start in stride(from: 0, to: 1 << 17, by: 2048) {
      let part = (start..<(start + 2048)).map { Optional(Int64($0)) }
      writer.load(DataChunk([Self.vector(.smallint, part)], count: part.count))
    }
    writer.finishLoading()
    #expect(throws: KeyConflict(constraint: .key(0), row: 65_536, existing: 0)) {
      try writer.rebuildKeys()
    }
  }

  /// The order in which edges are given.
  enum EdgeOrder: CaseIterable { case sorted, bySource, byTarget, none }

  @Test(
    "hold the edges that are given, in any order and with gaps", arguments: EdgeOrder.allCases,
    [0, 1, 5])
  func edges(_ order: EdgeOrder, _ gapCount: Int) throws {
    // The second is long enough for several threads.
    for count in [3, 500, 70_000] {
      var generator = SeededGenerator(seed: UInt64(count + gapCount))
      var pairs = (0..<count).map { _ in
        (source: UInt32(generator.below(300)), target: UInt32(generator.below(40)))
      }
      switch order {
      case .sorted: pairs.sort { $0 < $1 }
      case .bySource: pairs.sort { $0.source < $1.source }
      case .byTarget: pairs.sort { $0.target < $1.target }
      case .none: break
      }
      // Also at both ends.
      let gaps = (0..<gapCount).map { $0 == 0 ? 0 : $0 == 1 ? count - 1 : generator.below(count) }
      for gap in gaps { pairs[gap].source = TableStore.noRow }
      var expected: [UInt32: [(UInt32, UInt32)]] = [:]
      for (row, pair) in pairs.enumerated() where pair.source != TableStore.noRow {
        expected[pair.source, default: []].append((pair.target, UInt32(row)))
      }
      var index = AdjacencyIndex(hasEdgeRows: true)
      let list = EdgeList(
        sources: Buffer(pairs.map(\.source)), targets: Buffer(pairs.map(\.target)), count: count,
        hasRisingTargets: order == .byTarget)
      let built = try index.build(list, isUnique: false, wantsOrdered: true, epoch: .next())
      let edgeCount = count - Set(gaps).count
      #expect(index.edgeCount == edgeCount && built.conflict == nil)
      AdjacencyExpectation(edges: expected, sourceCount: 310).check(index, limit: 999, "\(count)")
      // And the other way out of the first.
      guard let ordered = built.ordered else {
        #expect(edgeCount == 0)
        continue
      }
      var reversed: [UInt32: [(UInt32, UInt32)]] = [:]
      for (source, edges) in expected {
        for (target, row) in edges { reversed[target, default: []].append((source, row)) }
      }
      var other = AdjacencyIndex(hasEdgeRows: true)
      _ = try other.build(ordered.reversed, isUnique: false, epoch: .next())
      AdjacencyExpectation(edges: reversed, sourceCount: 50).check(other, limit: 999, "\(count)")
    }
  }
}
