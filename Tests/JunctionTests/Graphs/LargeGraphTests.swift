import Junction
import Testing

@Suite("Algorithms over a graph that workers share")
struct LargeGraphTests {
  /// Links of all kinds: at random, with repeated ones, both ways and loops; a clique; and a chain, of which one vertex comes away at a time.
  private static let graph = """
    CREATE TABLE node (id int PRIMARY KEY); INSERT INTO node SELECT generate_series(0, 39999);
    CREATE TABLE edge (a int REFERENCES node, b int REFERENCES node);
    INSERT INTO edge SELECT i::bigint * i % 30011, i::bigint * 7919 % 29989 FROM generate_series(1, 90000) i;
    INSERT INTO edge SELECT b, a FROM edge WHERE a % 5 = 0;
    INSERT INTO edge SELECT i * 97, j * 97 FROM generate_series(1, 60) i, generate_series(1, 60) j WHERE i < j;
    INSERT INTO edge SELECT i, i + 1 FROM generate_series(31000, 39998) i
    """

  @Test("give core numbers as taking away one vertex after the other does")
  func peeled() throws {
    let (database, edges) = try Self.made()
    let expected = Self.cores(40000, edges)
    #expect((expected.max() ?? 0) >= 59)
    try expect("core", "core_numbers('edge')", expected, database)
  }

  @Test("give strong components as two searches in depth do", arguments: [false, true])
  func components(reversed: Bool) throws {
    let (database, edges) = try Self.made()
    let expected = Self.components(40000, edges)
    // One is of many vertices, and there are smaller ones beside it.
    #expect((expected.reduce(into: [:]) { $0[$1, default: 0] += 1 }.values.max() ?? 0) > 5000)
    #expect((expected.max() ?? 0) > 5000)
    let edge = reversed ? "(SELECT b, a FROM edge)" : "'edge'"
    if reversed {
      // Of pairs of a query only those vertices come that have edges.
      let found = try database.fetchAll(
        Int.self, SQL(raw: "SELECT id FROM strong_components(\(edge)) ORDER BY id"))
      let own = try database.fetchAll(
        Int.self, SQL(raw: "SELECT component FROM strong_components(\(edge)) ORDER BY id"))
      #expect(Self.numbered(own) == Self.numbered(found.map { expected[$0] }))
    } else {
      try expect("component", "strong_components(\(edge))", expected.map { $0 + 1 }, database)
    }
  }

  private static func made() throws -> (Database, [(Int, Int)]) {
    let database = Database()
    try database.execute(SQL(raw: graph))
    let edges = try database.connect().query("SELECT a, b FROM edge").map {
      (try $0[0, as: Int.self], try $0[1, as: Int.self])
    }
    return (database, edges)
  }

  private func expect(
    _ column: String, _ call: String, _ expected: [Int], _ database: Database
  ) throws {
    for threads in [0, 1] {
      let connection = database.connect()
      if threads > 0 { try connection.execute(SQL(raw: "SET threads = \(threads)")) }
      let found = try connection.fetchAll(
        Int.self, SQL(raw: "SELECT \(column) FROM \(call) ORDER BY id"))
      #expect(found == expected, "with \(threads) threads")
    }
  }

  /// Groups by the order in which they come first.
  private static func numbered(_ groups: [Int]) -> [Int] {
    var numbers: [Int: Int] = [:]
    return groups.map { group in
      let number = numbers[group] ?? numbers.count
      numbers[group] = number
      return number
    }
  }

  /// By the algorithm of Sharir and Kosaraju.
  private static func components(_ count: Int, _ edges: [(Int, Int)]) -> [Int] {
    var (out, into) = (
      Array(repeating: [Int](), count: count), Array(repeating: [Int](), count: count)
    )
    for (one, other) in edges {
      out[one].append(other)
      into[other].append(one)
    }
    var order: [Int] = []
    _ = search(0..<count, out) { order.append($0) }
    let groups = search(order.reversed(), into) { _ in }
    return numbered(groups)
  }

  /// Goes through all vertices in depth; gives the first vertex of the search that has come to each.
  private static func search(
    _ starts: some Sequence<Int>, _ lists: [[Int]], _ leave: (Int) -> Void
  ) -> [Int] {
    var groups = Array(repeating: -1, count: lists.count)
    for start in starts where groups[start] < 0 {
      groups[start] = start
      var path = [(vertex: start, next: 0)]
      while let (vertex, next) = path.last {
        if next == lists[vertex].count {
          path.removeLast()
          leave(vertex)
          continue
        }
        path[path.count - 1].next += 1
        let target = lists[vertex][next]
        if groups[target] < 0 {
          groups[target] = start
          path.append((target, 0))
        }
      }
    }
    return groups
  }

  private static func cores(_ count: Int, _ edges: [(Int, Int)]) -> [Int] {
    var neighbours = Array(repeating: Set<Int>(), count: count)
    for (one, other) in edges where one != other {
      neighbours[one].insert(other)
      neighbours[other].insert(one)
    }
    var degrees = neighbours.map(\.count)
    var cores = Array(repeating: -1, count: count)
    var (core, left) = (0, count)
    while left > 0 {
      var waiting = (0..<count).filter { cores[$0] < 0 && degrees[$0] <= core }
      if waiting.isEmpty { core += 1 }
      while let vertex = waiting.popLast() {
        if cores[vertex] >= 0 { continue }
        cores[vertex] = core
        left -= 1
        for neighbour in neighbours[vertex] where cores[neighbour] < 0 {
          degrees[neighbour] -= 1
          if degrees[neighbour] <= core { waiting.append(neighbour) }
        }
      }
    }
    return cores
  }
}
