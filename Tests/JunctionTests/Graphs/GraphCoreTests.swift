import Junction
import Testing

@Suite("Core numbers of a graph that workers share")
struct GraphCoreTests {
  /// Links of all kinds: at random, with repeated ones, both ways and loops; a clique; and a chain, of which one vertex comes away at a time.
  private static let graph = """
    CREATE TABLE node (id int PRIMARY KEY); INSERT INTO node SELECT generate_series(0, 39999);
    CREATE TABLE edge (a int REFERENCES node, b int REFERENCES node);
    INSERT INTO edge SELECT i::bigint * i % 30011, i::bigint * 7919 % 29989 FROM generate_series(1, 90000) i;
    INSERT INTO edge SELECT b, a FROM edge WHERE a % 5 = 0;
    INSERT INTO edge SELECT i * 97, j * 97 FROM generate_series(1, 60) i, generate_series(1, 60) j WHERE i < j;
    INSERT INTO edge SELECT i, i + 1 FROM generate_series(31000, 39998) i
    """

  @Test("are those of taking away one vertex after the other, for any number of workers")
  func peeled() throws {
    let database = Database()
    try database.execute(SQL(raw: Self.graph))
    let edges = try database.connect().query("SELECT a, b FROM edge").map {
      (try $0[0, as: Int.self], try $0[1, as: Int.self])
    }
    let expected = Self.cores(40000, edges)
    #expect((expected.max() ?? 0) >= 59)
    for threads in [0, 1] {
      let connection = database.connect()
      if threads > 0 { try connection.execute(SQL(raw: "SET threads = \(threads)")) }
      let found = try connection.fetchAll(
        Int.self, "SELECT core FROM core_numbers('edge') ORDER BY id")
      #expect(found == expected, "with \(threads) threads")
    }
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
