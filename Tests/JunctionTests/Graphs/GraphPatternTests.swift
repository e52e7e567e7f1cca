import Diagnostics
import Junction
import Testing

/// Algorithms about pairs, groups and small patterns, against trying everything.
@Suite("A graph algorithm over random graphs")
struct GraphPatternTests {
  static let seeds = 0..<100

  private func isNear(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 1e-9 }

  private typealias Measure =
    @Sendable (_ graph: AcquaintanceGraph, _ one: Int, _ other: Int, Set<Int>) ->
    Double

  private static let measures: [(name: String, measure: Measure)] = [
    ("jaccard", { Double($3.count) / Double($0.around[$1].union($0.around[$2]).count) }),
    (
      "cosine",
      { Double($3.count) / Double($0.around[$1].count * $0.around[$2].count).squareRoot() }
    ),
    ("overlap", { Double($3.count) / Double(min($0.around[$1].count, $0.around[$2].count)) }),
  ]

  @Test("finds all pairs with a neighbour in common and how alike they are", arguments: seeds)
  func likeness(_ seed: Int) throws {
    let graph = try AcquaintanceGraph(seed: seed)
    for (name, measure) in Self.measures {
      var expected: [[Int]: [Double]] = [:]
      for one in 0..<graph.count {
        for other in 0..<graph.count where one != other {
          let common = graph.around[one].intersection(graph.around[other])
          if common.isEmpty { continue }
          expected[[one, other]] = [measure(graph, one, other, common), Double(common.count)]
        }
      }
      let rows = try graph.numbers("SELECT id, other_id, similarity, common FROM \(name)('knows')")
      #expect(rows.count == expected.count, "\(name)")
      for row in rows {
        let pair = expected[[Int(row[0]), Int(row[1])]] ?? []
        #expect(pair.count == 2 && isNear(row[2], pair[0]) && row[3] == pair[1], "\(name) \(row)")
      }
      let source = graph.count / 2
      let best = try graph.numbers(
        "SELECT other_id, similarity FROM \(name)('knows', source => \(source), top => 2, min => 0.3)"
      )
      let wanted = expected.filter { $0.key[0] == source && $0.value[0] >= 0.3 }
        .map { [Double($0.key[1]), $0.value[0]] }
        .sorted { ($1[1], $0[0]) < ($0[1], $1[0]) }
      #expect(best.count == min(2, wanted.count), "\(name)")
      #expect(zip(best, wanted).allSatisfy { isNear($0[1], $1[1]) }, "\(name)")
    }
  }

  @Test("counts cycles of four and numbers trusses", arguments: seeds)
  func patterns(_ seed: Int) throws {
    let graph = try AcquaintanceGraph(seed: seed)
    var cycles = Array(repeating: 0.0, count: graph.count)
    for one in 0..<graph.count {
      for other in 0..<one {
        let common = Double(graph.around[one].intersection(graph.around[other]).count)
        cycles[one] += common * (common - 1) / 2
        cycles[other] += common * (common - 1) / 2
      }
    }
    let found = try graph.numbers("SELECT cycles FROM four_cycles('knows') ORDER BY id")
    #expect(found == cycles.map { [$0] })

    var trusses: [Set<Int>: Double] = [:]
    var left = Set(graph.edges.map { Set($0) }.filter { $0.count == 2 })
    var order = 2.0
    while !left.isEmpty {
      let weak = left.filter { edge in
        let triangles = (0..<graph.count).count { third in
          !edge.contains(third) && edge.allSatisfy { left.contains([third, $0]) }
        }
        return Double(triangles) < order - 1
      }
      for edge in weak { trusses[edge] = order }
      left.subtract(weak)
      if weak.isEmpty { order += 1 }
    }
    let rows = try graph.numbers("SELECT id, other_id, truss FROM truss_numbers('knows')")
    #expect(rows.count == trusses.count)
    for row in rows { #expect(trusses[[Int(row[0]), Int(row[1])]] == row[2]) }
  }

  @Test("counts all kinds of three vertices, and the ways between neighbours", arguments: seeds)
  func directions(_ seed: Int) throws {
    let graph = try AcquaintanceGraph(seed: seed)
    var open = 0
    var whole = 0
    var connected = 0
    for one in 0..<graph.count {
      for other in 0..<one {
        for third in 0..<other {
          let count = graph.edgeCount(within: [one, other, third])
          if count > 1 { connected += 1 }
          if count == 2 { open += 1 }
          if count == 3 { whole += 1 }
        }
      }
    }
    let counts = try graph.numbers("SELECT count FROM motifs('knows', directed => false)")
    #expect(counts == [[Double(open)], [Double(whole)]])
    let all = try graph.numbers(
      "SELECT sum(count)::bigint, count(*), min(count) FROM motifs('knows')")
    #expect(all[0][0] == Double(connected) && all[0][1] == 13 && all[0][2] >= 0)
    let shares = try graph.numbers(
      "SELECT coefficient FROM clustering('knows', directed => true) ORDER BY id")
    for (vertex, share) in shares.enumerated() {
      let around = graph.around[vertex]
      let ways = graph.edges.count {
        $0[0] != $0[1] && around.contains($0[0]) && around.contains($0[1])
      }
      let pairs = around.count * (around.count - 1)
      #expect(isNear(share[0], pairs > 0 ? Double(ways) / Double(pairs) : 0))
    }
  }

  @Test("finds communities that no single move makes better", arguments: seeds)
  func communities(_ seed: Int) throws {
    let graph = try AcquaintanceGraph(seed: seed)
    for name in ["louvain", "leiden"] {
      let rows = try graph.numbers(
        "SELECT id, community, modularity FROM \(name)('knows', seed => \(seed))")
      var communities: [Int: Int] = [:]
      for row in rows { communities[Int(row[0])] = Int(row[1]) }
      #expect(communities.count == graph.count && rows.count == graph.count)
      let own = graph.modularity(communities)
      #expect(rows.allSatisfy { isNear($0[2], own) }, "\(name): \(own)")
      // Communities are moved as wholes last: none of two makes a better one.
      let numbers = Set(communities.values)
      for one in numbers {
        for other in numbers where other < one {
          let joined = communities.mapValues { $0 == one ? other : $0 }
          #expect(graph.modularity(joined) <= own + 1e-9, "\(name)")
        }
      }
      if name == "leiden" {
        for number in numbers {
          let members = Set(communities.filter { $0.value == number }.keys)
          #expect(isConnected(members, graph))
        }
      }
    }
  }

  private func isConnected(_ members: Set<Int>, _ graph: AcquaintanceGraph) -> Bool {
    guard let first = members.first else { return true }
    var seen: Set<Int> = [first]
    var pending = [first]
    while let next = pending.popLast() {
      for other in graph.around[next].intersection(members) where seen.insert(other).inserted {
        pending.append(other)
      }
    }
    return seen == members
  }

  @Test("walks along edges, as often and as far as asked for", arguments: seeds)
  func walks(_ seed: Int) throws {
    let graph = try AcquaintanceGraph(seed: seed)
    for name in [
      "random_walks('knows', length => 4, walks => 2",
      "node2vec_walks('knows', length => 4, walks => 2, p => 0.1, q => 3",
    ] {
      let sql = "SELECT id, walk, array_to_string(path, ',') FROM \(name), seed => \(seed)) w"
      let rows = try graph.connection.query(sql).map { row in
        (row[0].integer, row[1].integer, row[2].text ?? "")
      }
      #expect(rows.count == 2 * graph.count)
      for (id, walk, path) in rows {
        let nodes = path.split { "[], ".contains($0) }.compactMap { Int($0) }
        #expect(nodes.first.map(Int64.init) == id && (walk == 1 || walk == 2))
        #expect(zip(nodes, nodes.dropFirst()).allSatisfy { graph.edges.contains([$0, $1]) })
        if nodes.count < 5, let last = nodes.last {
          #expect(!graph.edges.contains { $0[0] == last })
        }
      }
      let again = try graph.connection.query(sql).map { $0[2].text ?? "" }
      #expect(again == rows.map(\.2))
    }
  }
}
