import Columnar

/// Calls of one function, operator, cast or aggregate.
struct FunctionBench {
  private let callable: Callable
  private let types: [LogicalType]
  private let seed: UInt64
  private let asker = Asker()
  private var known: Set<String> = []
  /// Calls with constants that gave a value, and what.
  private var good: [(arguments: [String], text: String)] = []
  /// Calls with constants that failed, and how.
  private var bad: [(arguments: [String], state: String)] = []
  private static let mood = "CREATE TYPE mood AS ENUM ('sad', 'glad')"

  init(_ callable: Callable, _ types: [LogicalType], seed: UInt64) {
    self.callable = callable
    self.types = types
    self.seed = seed
    asker.run(Self.mood)
  }

  private mutating func note(
    _ kind: String, _ script: [String], _ detail: String, _ tally: inout HuntTally
  ) {
    tally.count(kind)
    guard known.insert(kind).inserted else { return }
    let needsMood = script.contains { $0.contains("mood") }
    tally.findings.append(
      Finding(
        FunctionHunt.name, seed: seed, kind: "\(kind): \(callable.kind) \(callable.name)",
        script: (needsMood ? [Self.mood] : []) + script, detail: detail))
  }

  /// Looks at an answer by itself and beside PostgreSQL's.
  private mutating func check(_ sql: String, _ answer: Answer, _ tally: inout HuntTally) {
    tally.cases += 1
    if answer.isInternal { note("internal error", [sql], asker.lastMessage, &tally) }
    if answer == .error("57014") { note("does not end", [sql], "after 5 s", &tally) }
    guard let peer = SharedPeer.peer, callable.isPure, !answer.isTimeout else { return }
    let wanted = peer.answer(sql)
    if wanted == .error("42883") || wanted == .error("42704") || wanted.isTimeout { return }
    guard let kind = answer.difference(from: wanted) else { return }
    note("PostgreSQL, \(kind)", [sql], answer.comparison(with: wanted), &tally)
  }

  // MARK: Constants

  mutating func constants(_ combinations: [[String]], _ tally: inout HuntTally) {
    for arguments in combinations {
      let sql = "SELECT (\(callable.text(arguments)))::text"
      let answer = asker.answer(sql)
      check(sql, answer, &tally)
      switch answer {
      case .rows(let rows): if let text = rows.first { good.append((arguments, text)) }
      case .error(let state): bad.append((arguments, state))
      }
    }
    if good.isEmpty { tally.count("gave no value") }
  }

  // MARK: Columns

  private var names: [String] { types.indices.map { "a\($0)" } }

  /// A table of combinations of arguments, `k` their number.
  private func tableScript(_ name: String, _ rows: [[String]], _ expected: [String]) -> [String] {
    let columns = zip(names, types).map {
      "\($0) \($1 == .character ? "bpchar" : FunctionHunt.name($1))"
    }
    let list = rows.enumerated().map { index, row in
      "(\(index), \((row + ["'\(expected[index].replacing("'", with: "''"))'"]).joined(separator: ", ")))"
    }
    return [
      "CREATE TABLE \(name) (k integer, \((columns + ["e text"]).joined(separator: ", ")))",
      "INSERT INTO \(name) VALUES \(list.joined(separator: ", "))",
    ]
  }

  /// Asks for the same values through columns, in vectors of all widths, filtered and beside constants.
  mutating func columns(_ widths: [Int], _ tally: inout HuntTally) {
    // A row without columns, and types that are no type of a column, have constants only.
    guard !types.isEmpty, types.allSatisfy({ if case .record = $0 { false } else { true } }) else {
      return
    }
    failures(&tally)
    guard !good.isEmpty else { return }
    let build = tableScript("c", good.map(\.arguments), good.map(\.text))
    for statement in build where asker.run(statement) != nil {
      return tally.count("no table of arguments")
    }
    let call = "coalesce((\(callable.text(names)))::text, '\\N')"
    for width in widths {
      let fill =
        "CREATE TABLE v\(width) AS SELECT i, c.* FROM generate_series(0, \(width - 1)) i JOIN c ON c.k = i % \(good.count) ORDER BY i"
      guard asker.run(fill) == nil else { continue }
      for condition in ["", " WHERE i % 3 = 0", " WHERE i % 64 < 2 OR k = 1"] {
        let sql =
          "SELECT i, f, e FROM (SELECT i, e, \(call) AS f FROM v\(width)\(condition)) q WHERE f IS DISTINCT FROM e ORDER BY i LIMIT 3"
        expectNothing(sql, build + [fill], &tally)
      }
      asker.run("DROP TABLE v\(width)")
    }
    guard types.count > 1 else { return }
    for (number, row) in good.enumerated().prefix(12) {
      for place in types.indices {
        var mixed = names
        mixed[place] = row.arguments[place]
        let sql =
          "SELECT k, f, e FROM (SELECT k, e, coalesce((\(callable.text(mixed)))::text, '\\N') AS f FROM c WHERE k = \(number)) q WHERE f IS DISTINCT FROM e"
        expectNothing(sql, build, &tally)
      }
    }
  }

  private mutating func expectNothing(_ sql: String, _ script: [String], _ tally: inout HuntTally) {
    tally.cases += 1
    let answer = asker.answer(sql)
    if answer == .rows([]) || answer.isTimeout { return }
    let detail: String
    switch answer {
    case .rows(let rows): detail = "columns and constants differ: \(rows)"
    case .error(let state): detail = "columns: \(state) \(asker.lastMessage)"
    }
    note("columns", script + [sql], String(detail.prefix(600)), &tally)
  }

  /// A call that fails with constants fails with columns in the same way.
  private mutating func failures(_ tally: inout HuntTally) {
    guard !bad.isEmpty else { return }
    let build = tableScript("b", bad.map(\.arguments), bad.map(\.state))
    guard build.allSatisfy({ asker.run($0) == nil }) else {
      return tally.count("no table of arguments")
    }
    for (number, row) in bad.enumerated() where row.state != "57014" && row.state != "53200" {
      tally.cases += 1
      let sql = "SELECT (\(callable.text(names)))::text FROM b WHERE k = \(number)"
      let answer = asker.answer(sql)
      guard answer != .error(row.state), !answer.isTimeout else { continue }
      note("failing columns", build + [sql], "\(answer) for \(row.state)", &tally)
    }
  }

  // MARK: Aggregates and rows

  mutating func aggregate(_ combinations: [[String]], _ tally: inout HuntTally) {
    let build = tableScript("c", combinations, combinations.map { _ in "" })
    guard !types.isEmpty, build.allSatisfy({ asker.run($0) == nil }) else {
      return tally.count("no table of arguments")
    }
    if let peer = SharedPeer.peer {
      for statement in ["DROP TABLE IF EXISTS c"] + build { _ = peer.answer(statement) }
    }
    let call = callable.text(names)
    for count in [0, 1, 2, 3, 5, combinations.count] {
      // The first few alone, as one extreme value may hide all others.
      for start in stride(from: 0, to: max(combinations.count - count, 1), by: max(count, 4)) {
        let condition = "FROM c WHERE k >= \(start) AND k < \(start + count)"
        let sql = "SELECT (\(call))::text \(condition)"
        let whole = asker.answer(sql)
        check(sql, whole, &tally)
        guard !callable.isOrderedSet, count > 0 else { continue }
        let grouped = "SELECT (\(call))::text \(condition) GROUP BY k < 0"
        let filtered =
          "SELECT (\(call) FILTER (WHERE k < \(start + count)))::text FROM c WHERE k >= \(start)"
        for other in [grouped, filtered] {
          tally.cases += 1
          let answer = asker.answer(other)
          guard answer != whole, !answer.isTimeout, !whole.isTimeout else { continue }
          note("aggregate", build + [sql, other], answer.comparison(with: whole), &tally)
        }
      }
    }
  }

  mutating func rows(_ combinations: [[String]], _ tally: inout HuntTally) {
    for arguments in combinations {
      let sql = "SELECT * FROM \(callable.text(arguments)) LIMIT 50"
      check(sql, asker.answer(sql), &tally)
    }
  }
}
