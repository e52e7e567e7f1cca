import Diagnostics
import Junction
import Testing

/// How graphs hang together, against taking edges and vertices away.
@Suite("A graph falls apart")
struct GraphConnectionTests {
  static let seeds = 0..<100

  /// Each pair of neighbours once, the lesser first.
  private func pairs(_ map: RoadMap) -> [[Int]] {
    Set(map.roads.keys.filter { $0[0] != $0[1] }.map { $0.sorted() })
      .sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func integers(_ map: RoadMap, _ sql: String) throws -> [[Int]] {
    try map.numbers(sql).map { $0.map { Int($0) } }
  }

  @Test("without its bridges and joints alone", arguments: seeds)
  func bridges(_ seed: Int) throws {
    let map = try RoadMap(seed: seed)
    let all = Array(0..<map.count)
    let bridges = pairs(map).filter { pair in
      map.partCount(all) { Set([$0, $1]) != Set(pair) } > map.partCount(all)
    }
    #expect(try integers(map, "SELECT id, other_id FROM bridges('road')") == bridges)
    let joints = all.filter { joint in
      map.partCount(all.filter { $0 != joint }) > map.partCount(all)
    }
    #expect(try integers(map, "SELECT id FROM articulation_points('road')") == joints.map { [$0] })
  }

  @Test("into parts of which no vertex holds two together", arguments: seeds)
  func biconnected(_ seed: Int) throws {
    let map = try RoadMap(seed: seed)
    let rows = try integers(
      map, "SELECT id, other_id, component FROM biconnected_components('road')")
    #expect(rows.map { Array($0.prefix(2)) } == pairs(map))
    // Two edges belong together if and only if, without any one vertex, those of their ends that are left hang together.
    for one in rows {
      for other in rows {
        let ends = Set(one.prefix(2) + other.prefix(2))
        let belong = (0..<map.count).allSatisfy { joint in
          let left = (0..<map.count).filter { $0 != joint }
          let parts = ends.subtracting([joint]).map { end in
            left.filter { map.isJoined(end, $0, without: joint) }
          }
          return parts.allSatisfy { $0 == parts[0] }
        }
        #expect((one[2] == other[2]) == (belong || one == other), "\(one) \(other)")
      }
    }
  }

  @Test("in no topological order", arguments: seeds)
  func order(_ seed: Int) throws {
    let map = try RoadMap(seed: seed, acyclic: true)
    let rows = try integers(map, "SELECT id, position FROM topological_order('road')")
    let positions = Dictionary(rows.map { ($0[0], $0[1]) }) { one, _ in one }
    #expect(positions.values.sorted() == Array(1..<map.count + 1))
    for road in map.roads.keys {
      #expect((positions[road[0]] ?? 0) < (positions[road[1]] ?? 0))
    }
    let kept = map.roads.keys.filter { road in
      map.ways(from: road[0], to: road[1]).allSatisfy { $0.places.count == 2 }
    }
    let reduced = try integers(map, "SELECT id, other_id FROM transitive_reduction('road')")
    #expect(reduced == kept.sorted { $0.lexicographicallyPrecedes($1) })
  }

  @Test(
    "never, where there is a cycle to name",
    arguments: ["topological_order", "transitive_reduction"])
  func cycles(_ function: String) throws {
    let map = try RoadMap(
      count: 5, roads: [[0, 1]: 1, [1, 2]: 1, [2, 3]: 1, [3, 1]: 1, [3, 4]: 1])
    do throws(SQLError) {
      _ = try map.connection.query("SELECT * FROM \(function)('road')")
      Issue.record("a cycle has an order")
    } catch {
      #expect(error.state == .invalidParameterValue)
      let cycle = error.message.split(separator: ": ").last.map(String.init) ?? ""
      #expect(
        ["1 → 2 → 3 → 1", "2 → 3 → 1 → 2", "3 → 1 → 2 → 3"].contains(cycle), "\(error.message)")
    }
  }

  @Test("in no deeper a search than memory has room for")
  func chain() throws {
    let connection = Database().connect()
    try connection.execute(
      "CREATE TABLE link AS SELECT i a, i + 1 b FROM generate_series(1, 20000) i")
    for (call, count) in [("bridges", 20000), ("articulation_points", 19999)] {
      let rows = try connection.query("SELECT count(*) FROM \(call)((SELECT a, b FROM link))")
      #expect(try rows.map { try $0[0, as: Int.self] } == [count])
    }
  }
}

extension RoadMap {
  /// Whether one place can be reached from another, whichever way roads lead, past a third one.
  fileprivate func isJoined(_ one: Int, _ other: Int, without joint: Int) -> Bool {
    let places = (0..<count).filter { $0 != joint }
    var (seen, open) = (Set([one]), [one])
    while let place = open.popLast() {
      for next in places
      where !seen.contains(next) && length(place, next, isDirected: false) < .infinity {
        seen.insert(next)
        open.append(next)
      }
    }
    return seen.contains(other)
  }
}
