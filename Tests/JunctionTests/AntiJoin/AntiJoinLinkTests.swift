import Testing

/// Random junction tables between random sources and divisors.
@Suite("Anti-joins along random links")
struct AntiJoinLinkTests {
  private static let laneCount = 4
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
      let questions = try Self.questions(&random, in: &database)
      for _ in 0..<Self.trials {
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
    AntiJoinCases.report("links, lane \(lane): \(checked) checked")
  }

  /// Three tables: links are a junction by key, one without a key whose ends may be NULL, or rows without foreign keys.
  private static func questions(
    _ random: inout GraphRandom, in database: inout AntiJoinDatabase
  ) throws -> LinkQuestions {
    func number(_ random: inout GraphRandom) -> Int? { random.chance(25) ? nil : random.below(3) }
    func rows(_ random: inout GraphRandom) -> [NaiveRow] {
      (0..<6).filter { _ in random.chance(60) }.map { [$0, number(&random)] }.shuffled(
        using: &random)
    }
    let (sources, divisors) = (rows(&random), rows(&random))
    let form = random.below(3)
    let density = random.pick([10, 50, 90, 100])
    var links: [NaiveRow] = []
    for source in sources {
      for divisor in divisors {
        let times = random.chance(density) ? (form > 0 && random.chance(20) ? 2 : 1) : 0
        for _ in 0..<times { links.append([source[0], divisor[0], number(&random)]) }
      }
    }
    if form > 0 {
      for _ in 0..<random.below(3) {
        links.append([nil, divisors.first?[0] ?? nil, number(&random)])
        links.append([sources.first?[0] ?? nil, nil, number(&random)])
      }
    }
    if form == 2 { links.append([77, 78, 1]) }
    links.shuffle(using: &random)
    try database.run("CREATE TABLE s (id int PRIMARY KEY, n int)")
    try database.run("CREATE TABLE c (id int PRIMARY KEY, n int)")
    let columns =
      switch form {
      case 0: "s int REFERENCES s, c int REFERENCES c, n int, PRIMARY KEY (s, c)"
      case 1: "s int REFERENCES s, c int REFERENCES c, n int"
      default: "s int, c int, n int"
      }
    try database.run("CREATE TABLE e (\(columns))")
    try database.insert(sources, into: "s")
    try database.insert(divisors, into: "c")
    try database.insert(links, into: "e")
    return LinkQuestions(sources: sources, divisors: divisors, links: links)
  }
}
