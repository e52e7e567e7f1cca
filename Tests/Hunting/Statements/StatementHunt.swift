import Junction
import SimulatedDisk

/// A stream of statements, errors allowed: the process goes on, no rule of the engine's own is broken, and what is
/// stored stays whole.
package struct StatementHunt: HuntPart {
  package static let name = "statements"
  package var statementCount = 500

  /// A statement may take so long, and three times as long until it has noticed that it does.
  private static let limitMilliseconds = 1000

  package init() {}

  package func round(_ seed: UInt64, _ tally: inout HuntTally) {
    var maker = StatementMaker(SimulationRandom(seed: seed &* 6_700_417 &+ 3))
    // A recursion that a mutation has made endless costs no more than this.
    let asker = Asker(timeoutMilliseconds: Self.limitMilliseconds)
    var script: [String] = []
    var failed = 0
    for _ in 0..<statementCount {
      // A transaction that has failed is not kept for long, as it refuses everything.
      let hasFailed = asker.connection.transactionStatus == .failed
      let sql = hasFailed && maker.random.chance(50) ? "ROLLBACK" : maker.statement()
      script.append(sql)
      let start = ContinuousClock.now
      guard let state = asker.run(sql) else { continue }
      failed += 1
      if state == "57014" { tally.count("ended by their limit of time") }
      let isLate = ContinuousClock.now - start > .milliseconds(3 * Self.limitMilliseconds)
      if state == "XX000" || state == "XX001" || state == "57014" && isLate {
        note(state, asker.lastMessage, seed, script, &tally)
        if state != "57014" { break }
      }
    }
    tally.cases += script.count
    tally.count("failed", failed)
    asker.run("ROLLBACK")
    if let damage = Self.damage(asker) {
      note("VERIFY", damage, seed, script + ["ROLLBACK", "VERIFY"], &tally)
    }
  }

  private static func damage(_ asker: Asker) -> String? {
    guard case .rows(let rows) = asker.answer("VERIFY") else { return asker.lastMessage }
    return rows.first { !$0.contains("00000") }
  }

  private func note(
    _ kind: String, _ detail: String, _ seed: UInt64, _ script: [String], _ tally: inout HuntTally
  ) {
    func shows(_ list: [String]) -> Bool {
      let asker = Asker()
      var last: String?
      for statement in list { last = asker.run(statement) }
      return kind == "VERIFY" ? Self.damage(asker) != nil : last == kind
    }
    var least = script
    if kind != "57014", let last = script.last {
      var reducer = Reducer(seconds: 15, checks: 600)
      let start = reducer.reduce(Array(script.dropLast())) { shows($0 + [last]) }
      least = start + [kind == "VERIFY" ? last : reducer.reduce(sql: last) { shows(start + [$0]) }]
    } else {
      least = Array(script.suffix(1))
    }
    tally.findings.append(
      Finding(
        Self.name, seed: seed, kind: "\(kind): \(detail.prefix(60))", script: least, detail: detail)
    )
  }
}
