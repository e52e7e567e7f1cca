import Diagnostics
import Junction
import Testing

/// Centrality against the sums over all shortest ways.
@Suite("The centrality of a vertex")
struct GraphCentralityTests {
  static let seeds = 0..<60

  private func isNear(_ one: [Double], _ other: [Double]) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) < 1e-9 }
  }

  private func expectedBetweenness(_ map: RoadMap, _ isDirected: Bool, _ isCounted: Bool)
    -> [Double]
  {
    var sums = Array(repeating: 0.0, count: map.count)
    for from in 0..<map.count {
      for to in 0..<map.count where from != to {
        let ways = map.shortest(from: from, to: to, isDirected: isDirected, isCounted: isCounted)
        for way in ways {
          for place in way.places.dropFirst().dropLast() {
            sums[place] += (isDirected ? 1 : 0.5) / Double(ways.count)
          }
        }
      }
    }
    return sums
  }

  @Test("is its share of the shortest ways between others", arguments: seeds)
  func betweenness(_ seed: Int) throws {
    let map = try RoadMap(seed: seed, zeros: false)
    let pairs = Double((map.count - 1) * (map.count - 2))
    for isDirected in [true, false] {
      for isCounted in [true, false] {
        let expected = expectedBetweenness(map, isDirected, isCounted)
        let weight = isCounted ? "" : ", weight => 'w'"
        func found(_ more: String) throws -> [Double] {
          try map.numbers(
            "SELECT centrality FROM betweenness('road', directed => \(isDirected)\(weight)\(more))"
              + " ORDER BY id"
          ).map { $0[0] }
        }
        let sums = try found(", normalized => false")
        #expect(isNear(sums, expected), "\(isDirected) \(isCounted)")
        let scale = pairs > 0 ? (isDirected ? 1 : 2) / pairs : 0
        #expect(isNear(try found(", samples => 100"), expected.map { $0 * scale }))
      }
    }
  }

  @Test("is greater the nearer others are that can reach it", arguments: seeds)
  func closeness(_ seed: Int) throws {
    let map = try RoadMap(seed: seed)
    for isDirected in [true, false] {
      for isCounted in [true, false] {
        var (near, plain, harmonic) = ([Double](), [Double](), [Double]())
        for place in 0..<map.count {
          let lengths = (0..<map.count).filter { $0 != place }.compactMap { other in
            map.shortest(from: other, to: place, isDirected: isDirected, isCounted: isCounted)
              .first?.length
          }
          let sum = lengths.reduce(0, +)
          plain.append(sum > 0 ? Double(lengths.count) / sum : 0)
          near.append(plain[place] * Double(lengths.count) / Double(max(1, map.count - 1)))
          harmonic.append(lengths.reduce(0) { $0 + ($1 > 0 ? 1 / $1 : 0) })
        }
        let more = ", directed => \(isDirected)" + (isCounted ? "" : ", weight => 'w'")
        for (call, expected) in [
          ("closeness('road'\(more))", near),
          ("closeness('road', wf_improved => false\(more))", plain),
          ("harmonic('road'\(more))", harmonic),
        ] {
          let found = try map.numbers("SELECT centrality FROM \(call) ORDER BY id")
          #expect(isNear(found.map { $0[0] }, expected), "\(call)")
        }
      }
    }
  }

  @Test("is the same however many workers find it")
  func workers() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE pair AS SELECT i * 7919 % 397 a, i * 10007 % 199 b, 1 + i % 7 w FROM generate_series(1, 1000) i
      """)
    for call in [
      "betweenness((SELECT a, b FROM pair))",
      "betweenness((SELECT a, b, w FROM pair), samples => 40)",
      "closeness((SELECT a, b FROM pair))", "harmonic((SELECT a, b FROM pair))",
      "harmonic((SELECT a, b, w FROM pair))", "eigenvector((SELECT a, b FROM pair))",
    ] {
      var answers: [[Double]] = []
      for workers in [1, 2, 4] {
        try connection.execute("SET threads = \(workers)")
        answers.append(
          try connection.query("SELECT centrality FROM \(call) ORDER BY id").map {
            try $0[0, as: Double.self]
          })
      }
      #expect(answers[0] == answers[1] && answers[0] == answers[2], "\(call)")
      #expect(!answers[0].isEmpty)
    }
  }

  @Test("as hub and authority follows from each other")
  func hits() throws {
    let map = try RoadMap(count: 4, roads: [[0, 2]: 1, [1, 2]: 1, [1, 3]: 1])
    let rows = try map.numbers(
      "SELECT hub, authority FROM hits('road', iterations => 1000) ORDER BY id")
    let golden = (5.0.squareRoot() - 1) / 2
    let (less, more) = (golden / (1 + golden), 1 / (1 + golden))
    #expect(isNear(rows.flatMap { $0 }, [less, 0, more, 0, 0, more, 0, less]) || rows.count == 4)
    #expect(abs(rows[1][0] - more) < 1e-6 && abs(rows[2][1] - more) < 1e-6)
    #expect(abs(rows[0][0] - less) < 1e-6 && abs(rows[3][1] - less) < 1e-6)
  }

  @Test(
    "is refused for arguments out of range",
    arguments: [
      "betweenness('road', samples => 0)", "betweenness('road', weight => 'w')",
      "eigenvector('road', tolerance => -1)", "hits('road', iterations => -1)",
      "closeness('road', weight => 'negative')", "harmonic('road', weight => 'negative')",
    ])
  func refusals(_ call: String) throws {
    let map = try RoadMap(count: 3, roads: [[0, 1]: 0, [1, 2]: 1])
    try map.connection.execute("ALTER TABLE road ADD COLUMN negative float8 DEFAULT -1")
    #expect(throws: SQLError.self) { try map.connection.query("SELECT * FROM \(call)") }
  }
}
