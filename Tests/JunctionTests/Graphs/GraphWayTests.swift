import Diagnostics
import Junction
import Testing

/// Ways, trees, flows and matchings, against trying all of them.
@Suite("A way through a graph")
struct GraphWayTests {
  static let seeds = 0..<60

  /// A row with the cost and the places of a way.
  private struct Way {
    var number: Int
    var cost: Double
    var places: [Int]
  }

  private func ways(_ map: RoadMap, _ sql: String) throws -> [Way] {
    try map.connection.query(sql).map { row in
      Way(
        number: try row[0, as: Int.self], cost: try row[1, as: Double.self],
        places: try row[2, as: [Int].self])
    }
  }

  @Test("to one target is the cheapest of all", arguments: seeds)
  func targets(_ seed: Int) throws {
    let map = try RoadMap(seed: seed)
    if map.count < 2 { return }
    for function in ["dijkstra", "delta_stepping"] {
      let target = function == "dijkstra" ? ", target => ARRAY[1, 77, 2]" : ""
      let rows = try ways(
        map, "SELECT id, cost, path FROM \(function)('road', 0, weight => 'w'\(target)) ORDER BY id"
      )
      let targets = target.isEmpty ? Array(0..<map.count) : [1, 2]
      let expected = targets.filter { $0 < map.count }.compactMap { target in
        map.shortest(from: 0, to: target).first.map { [Double(target), $0.length] }
      }
      #expect(rows.map { [Double($0.number), $0.cost] } == expected, "\(function)")
      for way in rows {
        #expect(way.places.first == 0 && way.places.last == way.number)
        let length = zip(way.places, way.places.dropFirst()).reduce(0) {
          $0 + map.length($1.0, $1.1)
        }
        #expect(length == way.cost)
      }
    }
  }

  @Test("by coordinates of any unit is no dearer", arguments: seeds)
  func coordinates(_ seed: Int) throws {
    let map = try RoadMap(seed: seed, zeros: seed % 2 == 0)
    if map.count < 2 { return }
    try map.connection.execute(
      """
      ALTER TABLE place ADD COLUMN x int, ADD COLUMN y float8;
      UPDATE place SET x = id * 31 % 7 * 1000, y = id * 17 % 11 * 500
      """)
    for isDirected in [true, false] {
      let found = try ways(
        map,
        """
        SELECT id, cost, path
        FROM a_star('road', 0, 1, 'x', y => 'y', weight => 'w', directed => \(isDirected))
        """)
      let shortest = map.shortest(from: 0, to: 1, isDirected: isDirected)
      #expect(found.map(\.cost) == shortest.prefix(1).map(\.length))
      for way in found {
        #expect(way.number == 1 && shortest.contains { $0.places == way.places })
      }
    }
  }

  @Test("is one of the k cheapest", arguments: seeds)
  func several(_ seed: Int) throws {
    let map = try RoadMap(seed: seed)
    if map.count < 2 { return }
    for isDirected in [true, false] {
      let rows = try ways(
        map,
        """
        SELECT number, cost, path
        FROM k_shortest_paths('road', 0, 1, 9, weight => 'w', directed => \(isDirected))
        """)
      let all = map.ways(from: 0, to: 1, isDirected: isDirected)
      #expect(rows.map(\.cost) == Array(all.map(\.length).sorted().prefix(9)))
      #expect(rows.map(\.number) == rows.indices.map { $0 + 1 })
      for way in rows { #expect(all.contains { $0.places == way.places }) }
      #expect(Set(rows.map(\.places)).count == rows.count)
    }
  }

  @Test("is found for all pairs", arguments: seeds)
  func pairs(_ seed: Int) throws {
    let map = try RoadMap(seed: seed)
    for isCounted in [true, false] {
      let weight = isCounted ? "" : ", weight => 'w'"
      var expected: [[Double]] = []
      for from in 0..<map.count {
        for to in 0..<map.count {
          let way = map.shortest(from: from, to: to, isCounted: isCounted).first
          if let way { expected.append([Double(from), Double(to), way.length]) }
        }
      }
      let found = try map.numbers(
        "SELECT id, other_id, cost FROM all_pairs_shortest_paths('road'\(weight))")
      #expect(found == expected)
    }
  }

  @Test("is cut where least can flow", arguments: seeds)
  func flows(_ seed: Int) throws {
    let map = try RoadMap(seed: seed)
    if map.count < 2 { return }
    for isDirected in [true, false] {
      // The least capacity over all sets of places with the source and without the target.
      var least = Double.infinity
      for set in 0..<1 << map.count where set & 1 == 1 && set & 2 == 0 {
        var sum = 0.0
        for (road, length) in map.roads {
          let (from, to) = (set >> road[0] & 1, set >> road[1] & 1)
          if from > to || (!isDirected && from != to) { sum += length }
        }
        least = min(least, sum)
      }
      let more = "0, 1, weight => 'w', directed => \(isDirected)"
      let flows = try map.numbers(
        "SELECT id, other_id, flow, capacity FROM max_flow('road', \(more))")
      var net = Array(repeating: 0.0, count: map.count)
      for row in flows {
        net[Int(row[0])] += row[2]
        net[Int(row[1])] -= row[2]
        #expect(row[2] > 0 && row[2] <= row[3])
      }
      #expect(net[0] == least && net[1] == -least && net.dropFirst(2).allSatisfy { $0 == 0 })
      let cut = try map.numbers("SELECT capacity FROM min_cut('road', \(more))")
      #expect(cut.reduce(0) { $0 + $1[0] } == least)
    }
  }

  @Test("is part of the lightest forest", arguments: seeds)
  func forests(_ seed: Int) throws {
    let map = try RoadMap(seed: seed)
    // Kruskal's: by rising weight, those that join what does not hang together yet.
    var sets = Array(0..<map.count)
    var expected: [Double] = []
    for (road, length) in map.roads.sorted(by: { $0.value < $1.value })
    where sets[road[0]] != sets[road[1]] {
      let (one, other) = (sets[road[0]], sets[road[1]])
      sets = sets.map { $0 == one ? other : $0 }
      expected.append(length)
    }
    let rows = try map.numbers(
      "SELECT id, other_id, weight FROM spanning_forest('road', weight => 'w')")
    #expect(rows.map { $0[2] }.sorted() == expected)
    for row in rows {
      #expect(map.length(Int(row[0]), Int(row[1]), isDirected: false) == row[2])
    }
    let all = Array(0..<map.count)
    let used = Set(rows.map { Set([Int($0[0]), Int($0[1])]) })
    #expect(map.partCount(all) { used.contains([$0, $1]) } == map.partCount(all))
  }

  @Test("joins as many pairs as can be", arguments: seeds)
  func matchings(_ seed: Int) throws {
    var random = RepeatableNumbers(seed)
    let (left, right) = (1 + random.next(5), 1 + random.next(4))
    var roads: [[Int]: Double] = [:]
    for _ in 0..<random.next(12) { roads[[random.next(left), left + random.next(right)]] = 1 }
    let map = try RoadMap(count: left + right, roads: roads)
    let own = (0..<right).map { _ in random.next(4) }
    try map.connection.execute("ALTER TABLE place ADD COLUMN seats int")
    for (place, seats) in own.enumerated() {
      try map.connection.execute("UPDATE place SET seats = \(seats) WHERE id = \(left + place)")
    }
    for (argument, capacities) in [
      ("capacity => 1", Array(repeating: 1, count: right)),
      ("capacity => 2", Array(repeating: 2, count: right)), ("capacities => 'seats'", own),
    ] {
      func most(_ place: Int, _ seats: [Int]) -> Int {
        if place == left { return 0 }
        var best = most(place + 1, seats)
        for other in 0..<right where roads[[place, left + other]] != nil && seats[other] > 0 {
          var fewer = seats
          fewer[other] -= 1
          best = max(best, 1 + most(place + 1, fewer))
        }
        return best
      }
      let rows = try map.numbers(
        "SELECT id, other_id FROM matching('road', \(argument))"
      )
      .map { $0.map { Int($0) } }
      #expect(rows.count == most(0, capacities))
      #expect(rows.allSatisfy { roads[$0] != nil } && Set(rows.map { $0[0] }).count == rows.count)
      for other in 0..<right {
        #expect(rows.count { $0[1] == left + other } <= capacities[other])
      }
    }
  }

  @Test(
    "names the place whose capacity it cannot take",
    arguments: [("NULL", SQLState.nullNotAllowed), ("-1", .invalidParameterValue)])
  func capacities(capacity: String, state: SQLState) throws {
    let map = try RoadMap(count: 5, roads: [[0, 2]: 1, [1, 2]: 1, [1, 3]: 1])
    try map.connection.execute(
      SQL(
        raw: """
          ALTER TABLE place ADD COLUMN seats numeric;
          UPDATE place SET seats = CASE id WHEN 2 THEN 1.5 WHEN 3 THEN \(capacity) END
          """))
    let call = "SELECT count(*) FROM matching('road', capacities => 'seats')"
    let error = #expect(throws: SQLError.self) { _ = try map.numbers(call) }
    #expect(error?.state == state && error?.detail == "It is that of 3.")
    try map.connection.execute("UPDATE place SET seats = 'Infinity' WHERE id = 3")
    #expect(try map.numbers(call) == [[2]])
  }

  @Test("is the same by buckets of any width, in a graph for several workers")
  func buckets() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE road AS SELECT i * 7919 % 5003 a, i % 6007 * 65537 % 5003 b, (i * 31 % 1009) / 10.0 w
      FROM generate_series(1, 30000) i
      """)
    func rows(_ call: String) throws -> [[Double]] {
      try connection.query("SELECT id, cost FROM \(call) ORDER BY id").map {
        [Double(try $0[0, as: Int.self]), try $0[1, as: Double.self]]
      }
    }
    let graph = "(SELECT a, b, w FROM road), 1"
    let expected = try rows("dijkstra(\(graph))")
    #expect(expected.count > 4_000)
    for more in ["", ", delta => 0.5", ", delta => 1e6"] {
      #expect(try rows("delta_stepping(\(graph)\(more))") == expected)
    }
    let near = try rows("delta_stepping(\(graph), max_cost => 60)")
    #expect(near == expected.filter { $0[1] <= 60 })
  }

  @Test(
    "is refused where it has no meaning",
    arguments: [
      ("delta_stepping('road', 0, weight => 'less')", SQLState.invalidParameterValue),
      ("delta_stepping('road', 0, delta => 0)", .invalidParameterValue),
      ("a_star('road', 0, 1, x => 'x', y => 'none')", .undefinedColumn),
      ("a_star('road', 0, 1, x => 'x')", .undefinedFunction),
      ("a_star('road', 0, 1, x => 'x', y => 'note')", .datatypeMismatch),
      ("a_star('road', 0, 1, x => 'x', y => 'x')", .nullNotAllowed),
      ("a_star((SELECT 1, 2), 1, 2, x => 'x', y => 'y')", .invalidParameterValue),
      ("k_shortest_paths('road', 0, 1, 0)", .invalidParameterValue),
      ("k_shortest_paths('road', 0, 1, 2, weight => 'less')", .invalidParameterValue),
      ("max_flow('road', 0, 0)", .invalidParameterValue),
      ("max_flow('road', 0, 1, weight => 'endless')", .invalidParameterValue),
      ("min_cut('road', 0, 1, weight => 'less')", .invalidParameterValue),
      ("matching('road')", .invalidParameterValue),
      ("matching('road', capacity => -1)", .invalidParameterValue),
      ("matching('road', capacities => 'x')", .invalidParameterValue),
      ("matching('road', 1, 'x')", .invalidParameterValue),
      ("matching('road', capacities => 'seats')", .undefinedColumn),
      ("matching((SELECT 1, 2), capacities => 'x')", .invalidParameterValue),
      (
        "all_pairs_shortest_paths((SELECT i, i + 1 FROM generate_series(1, 5000) i))",
        .programLimitExceeded
      ),
    ])
  func refusals(_ call: String, _ state: SQLState) throws {
    let map = try RoadMap(count: 3, roads: [[0, 1]: 1, [1, 2]: 1, [2, 0]: 1])
    try map.connection.execute(
      """
      ALTER TABLE place ADD COLUMN x int, ADD COLUMN note text;
      ALTER TABLE road ADD COLUMN less float8 DEFAULT -1;
      ALTER TABLE road ADD COLUMN endless float8 DEFAULT 'infinity'
      """)
    do throws(SQLError) {
      _ = try map.connection.query("SELECT * FROM \(call)")
      Issue.record("\(call) has an answer")
    } catch {
      #expect(error.state == state, "\(error.message)")
    }
  }
}
