import Testing

/// Random rows with NULLs, and each way to ask for those without a match.
@Suite("Anti-joins over random tables")
struct AntiJoinPropertyTests {
  private static let laneCount = 4
  /// Sets of keys and conditions tried over the same rows.
  private static let trials = 4

  @Test(
    "give what going over all pairs gives",
    arguments: 0..<(AntiJoinCases.seed == nil ? laneCount : 1))
  func naive(_ lane: Int) throws {
    let wanted = AntiJoinCases.count(usually: 400) / Self.laneCount
    var (checked, failed, number) = (0, 0, 0)
    while checked < wanted {
      let seed = AntiJoinCases.seed ?? UInt64(lane * 1_000_000 + number)
      number += 1
      var random = GraphRandom(state: seed)
      var database = AntiJoinDatabase()
      database.holdsTexts = random.chance(40)
      let t = try Self.table("t", &random, in: &database)
      let u = try Self.table("u", &random, in: &database)
      for _ in 0..<Self.trials {
        let keys = (0..<(random.chance(65) ? 1 : 2)).map { _ in
          (t: random.below(3), u: random.below(3))
        }
        let extra: NaiveCondition? = random.chance(60) ? .random(&random) : nil
        let questions = AntiJoinQuestions(t: t, u: u, keys: keys, extra: extra)
        for question in questions.all(&random) {
          checked += 1
          guard let fault = database.fault(question) else { continue }
          failed += 1
          Issue.record("seed \(seed): \(fault)")
          if failed > 3 { return }
        }
      }
      if AntiJoinCases.seed != nil { break }
    }
    AntiJoinCases.report("anti-joins, lane \(lane): \(checked) checked")
  }

  /// A table of three numbers or texts, at times with a key, an index or columns that take no NULL.
  private static func table(
    _ name: String, _ random: inout GraphRandom, in database: inout AntiJoinDatabase
  ) throws -> [NaiveRow] {
    let notNull = (0..<3).map { _ in random.chance(25) }
    let domain = random.pick([2, 4, 4, 9])
    var rows = (0..<random.pick([0, 1, 3, 6, 9, 12])).map { _ in
      notNull.map { $0 || random.chance(70) ? random.below(domain) : nil }
    }
    let hasKey = random.chance(30)
    if hasKey {
      var seen: Set<Int> = []
      rows = rows.filter { row in row[0].map { seen.insert($0).inserted } ?? false }
    }
    let columns = zip(NaiveTerm.columns, notNull).enumerated().map { index, column in
      "\(column.0) \(database.typeName)\(index == 0 && hasKey ? " PRIMARY KEY" : column.1 ? " NOT NULL" : "")"
    }
    try database.run("CREATE TABLE \(name) (\(columns.joined(separator: ", ")))")
    if random.chance(30) {
      try database.run("CREATE INDEX ON \(name) (\(random.pick(NaiveTerm.columns)))")
    }
    try database.insert(rows, into: name)
    return rows
  }
}
