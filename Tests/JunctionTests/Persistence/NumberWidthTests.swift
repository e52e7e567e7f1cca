import Diagnostics
import Durability
import SimulatedDisk
import Testing

@testable import Junction

/// Exact numbers stand on pages in as few bytes as those of the page need.
@Suite("Exact numbers of any size in a stored column")
struct NumberWidthTests {
  /// A number with two digits behind the point, small or large as `kind` says; NULL now and then.
  private static func number(_ kind: Int, _ random: inout RepeatableNumbers) -> String {
    if random.next(12) == 0 { return "NULL" }
    let digits = [2, 2, 4, 7, 12, 20, 25][min(kind, random.next(7))]
    var text = random.next(2) == 0 ? "-" : ""
    for _ in 0..<digits { text += "\(random.next(10))" }
    // More digits behind the point than the others have, once in a while.
    return text + (kind > 5 && random.next(20) == 0 ? ".123" : ".25")
  }

  @Test("are what was written, after changes and when read again", arguments: 0..<6)
  func changes(_ seed: Int) throws {
    var random = RepeatableNumbers(seed &+ 40)
    var disk = SimulatedDisk()
    var database = try Database(path: "d.junction", on: disk, DatabaseOptions())
    var connection = database.connect()
    try connection.execute(
      "CREATE TABLE t (id int PRIMARY KEY, n numeric); CREATE TABLE known (id int PRIMARY KEY, n text)"
    )
    var next = 1
    func run(_ statements: String) throws { try connection.execute(statements) }
    func check() throws {
      let wrong = try connection.query(
        """
        SELECT id, t.n, k.n FROM t FULL JOIN known k USING (id)
        WHERE t.n IS DISTINCT FROM k.n::numeric OR t.n::text IS DISTINCT FROM k.n::numeric::text
        """
      ).map { $0.line }
      #expect(wrong.isEmpty)
      let sums = try connection.query(
        """
        SELECT (SELECT row(sum(n), min(n), max(n), count(DISTINCT n), count(*) FILTER (WHERE n > 327.67))::text FROM t),
          (SELECT row(sum(n::numeric), min(n::numeric), max(n::numeric), count(DISTINCT n::numeric), count(*) FILTER (WHERE n::numeric > 327.67))::text FROM known)
        """)
      for row in sums { #expect("\(row.values[0])" == "\(row.values[1])") }
    }
    for round in 0..<10 {
      let kind = min(6, round * (seed % 3 + 1) / 3)
      switch random.next(4) {
      case 0:
        let count = 1 + random.next(2500)
        let rows = (0..<count).map { "(\(next + $0), \(Self.number(kind, &random)))" }
        next += count
        try run("INSERT INTO t VALUES \(rows.joined(separator: ", "))")
        try run(
          "INSERT INTO known SELECT id, n::text FROM t WHERE id >= \(next - count)")
      case 1:
        for _ in 0..<20 {
          let number = Self.number(kind, &random)
          try run("INSERT INTO t VALUES (\(next), \(number))")
          try run("INSERT INTO known VALUES (\(next), (\(number))::numeric::text)")
          next += 1
        }
      case 2:
        let (number, part) = (Self.number(kind, &random), 2 + random.next(400))
        try run("UPDATE t SET n = \(number) WHERE id % \(part) = 1")
        try run("UPDATE known SET n = (\(number))::numeric::text WHERE id % \(part) = 1")
      default:
        try run(
          "DELETE FROM t WHERE id % 97 = \(round); DELETE FROM known WHERE id % 97 = \(round)")
      }
      if random.next(3) == 0 { try run("CHECKPOINT") }
      if random.next(3) == 0 {
        disk = SimulatedDisk(disk.state.crash(seed: UInt64(round)))
        database = try Database(path: "d.junction", on: disk, DatabaseOptions())
        connection = database.connect()
      }
      try check()
    }
  }
}
