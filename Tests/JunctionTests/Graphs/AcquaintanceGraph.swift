import Diagnostics
import Junction

/// A small graph as tables, and what a brute force has to know of it.
struct AcquaintanceGraph {
  let count: Int
  /// Ordered pairs, each once; loops among them.
  let edges: Set<[Int]>
  /// The vertices at the other ends of each vertex' edges, without itself.
  let around: [Set<Int>]
  let connection: Connection

  /// A random graph of up to 13 vertices.
  init(seed: Int) throws {
    var random = RepeatableNumbers(seed)
    let count = random.next(14)
    var edges: Set<[Int]> = []
    for _ in 0..<(count > 0 ? random.next(4 * count + 1) : 0) {
      edges.insert([random.next(count), random.next(count)])
    }
    try self.init(count: count, edges: edges, deletes: seed % 3 == 0)
  }

  /// Persons 0 ..< `count` and who knows whom; between them may have stood persons who are deleted.
  init(count: Int, edges: Set<[Int]>, deletes: Bool = false) throws {
    (self.count, self.edges) = (count, edges)
    var around = Array(repeating: Set<Int>(), count: count)
    for edge in edges where edge[0] != edge[1] {
      around[edge[0]].insert(edge[1])
      around[edge[1]].insert(edge[0])
    }
    self.around = around
    connection = Database().connect()
    let persons = (0..<count).flatMap { deletes ? [$0, -$0 - 1] : [$0] }
    var script = """
      CREATE TABLE person (id int PRIMARY KEY);
      CREATE TABLE knows (a int REFERENCES person, b int REFERENCES person, w float8 DEFAULT 1,
        PRIMARY KEY (a, b));
      """
    if !persons.isEmpty {
      script += "INSERT INTO person VALUES \(persons.map { "(\($0))" }.joined(separator: ", "));"
    }
    if !edges.isEmpty {
      let rows = edges.map { "(\($0[0]), \($0[1]))" }.sorted().joined(separator: ", ")
      script += "INSERT INTO knows VALUES \(rows);"
    }
    try connection.execute(script + "DELETE FROM person WHERE id < 0")
  }

  /// The rows of a query whose columns are numbers.
  func numbers(_ sql: String) throws -> [[Double]] {
    try connection.query(sql).map { row in
      (0..<row.values.count).map { place in
        if case .double(let number) = row[place] { return number }
        return row[place].integer.map(Double.init) ?? .nan
      }
    }
  }

  /// How many pairs of some vertices are neighbours.
  func edgeCount(within vertices: Set<Int>) -> Int {
    vertices.reduce(0) { $0 + around[$1].intersection(vertices).count } / 2
  }

  /// The modularity of communities.
  func modularity(_ communities: [Int: Int]) -> Double {
    var (degrees, inside, total) = ([Int: Double](), 0.0, 0.0)
    for one in 0..<count {
      let loops = edges.contains([one, one]) ? 2.0 : 0
      degrees[communities[one] ?? -1, default: 0] += Double(around[one].count) + loops
      total += Double(around[one].count) + loops
      inside += loops
      inside += Double(around[one].count { communities[$0] == communities[one] })
    }
    if total == 0 { return 0 }
    return inside / total - degrees.values.reduce(0) { $0 + $1 / total * ($1 / total) }
  }
}
