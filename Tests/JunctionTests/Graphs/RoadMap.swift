import Diagnostics
import Junction

/// A small graph of roads with lengths as tables, and what a brute force has to know of it.
struct RoadMap {
  let count: Int
  /// The length of the road from one place to another, where there is one; roads to where they begin among them.
  let roads: [[Int]: Double]
  let connection: Connection

  /// A random graph of up to 7 places; `acyclic` has roads from lesser to greater ones alone.
  init(seed: Int, acyclic: Bool = false, zeros: Bool = true) throws {
    var random = RepeatableNumbers(seed)
    let count = random.next(8)
    var roads: [[Int]: Double] = [:]
    for _ in 0..<(count > 0 ? random.next(3 * count + 1) : 0) {
      let (from, to) = (random.next(count), random.next(count))
      if acyclic && from >= to { continue }
      roads[[from, to]] = Double(random.next(5) + (zeros ? 0 : 1))
    }
    try self.init(count: count, roads: roads, deletes: seed % 3 == 0)
  }

  /// Places 0 ..< `count` and the roads between them; beside them may have been places that are deleted.
  init(count: Int, roads: [[Int]: Double], deletes: Bool = false) throws {
    (self.count, self.roads) = (count, roads)
    connection = Database().connect()
    let places = (0..<count).flatMap { deletes ? [-$0 - 1, $0] : [$0] }
    var script = """
      CREATE TABLE place (id int PRIMARY KEY);
      CREATE TABLE road (a int REFERENCES place, b int REFERENCES place, w float8, PRIMARY KEY (a, b));
      """
    if !places.isEmpty {
      script += "INSERT INTO place VALUES \(places.map { "(\($0))" }.joined(separator: ", "));"
    }
    if !roads.isEmpty {
      let rows = roads.map { "(\($0.key[0]), \($0.key[1]), \($0.value))" }.sorted()
      script += "INSERT INTO road VALUES \(rows.joined(separator: ", "));"
    }
    try connection.execute(script + "DELETE FROM place WHERE id < 0")
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

  /// The length of the road from one place to another, or the shorter one of both directions; infinite where there is none.
  func length(_ from: Int, _ to: Int, isDirected: Bool = true) -> Double {
    let there = roads[[from, to]] ?? .infinity
    return isDirected ? there : min(there, roads[[to, from]] ?? .infinity)
  }

  /// All ways from one place to another that come to no place twice, with their lengths.
  func ways(
    from: Int, to: Int, isDirected: Bool = true, isCounted: Bool = false
  ) -> [(places: [Int], length: Double)] {
    var found: [(places: [Int], length: Double)] = []
    var open: [(places: [Int], length: Double)] = [([from], 0)]
    while let (places, length) = open.popLast() {
      let last = places[places.count - 1]
      if last == to {
        found.append((places, length))
        continue
      }
      for next in 0..<count where !places.contains(next) {
        let step = self.length(last, next, isDirected: isDirected)
        if step < .infinity { open.append((places + [next], length + (isCounted ? 1 : step))) }
      }
    }
    return found
  }

  /// The ways of least length.
  func shortest(
    from: Int, to: Int, isDirected: Bool = true, isCounted: Bool = false
  ) -> [(places: [Int], length: Double)] {
    let all = ways(from: from, to: to, isDirected: isDirected, isCounted: isCounted)
    let least = all.map(\.length).min()
    return all.filter { $0.length == least }
  }

  /// How many parts of some places hang together, of roads that meet a condition.
  func partCount(_ places: [Int], _ isUsed: (Int, Int) -> Bool = { _, _ in true }) -> Int {
    var left = Set(places)
    var count = 0
    while let start = left.popFirst() {
      count += 1
      var open = [start]
      while let place = open.popLast() {
        for next in left
        where length(place, next, isDirected: false) < .infinity && isUsed(place, next) {
          left.remove(next)
          open.append(next)
        }
      }
    }
    return count
  }
}
