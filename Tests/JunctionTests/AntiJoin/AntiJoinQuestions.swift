/// Rows of `t` and `u`, and questions about which of one have no match in the other, in every spelling.
struct AntiJoinQuestions {
  let t: [NaiveRow]
  let u: [NaiveRow]
  /// The columns compared.
  let keys: [(t: Int, u: Int)]
  /// A further condition for a match, over both rows.
  let extra: NaiveCondition?

  private var equality: NaiveCondition {
    .all(keys.map { .compare("=", .t($0.t), .u($0.u)) })
  }

  private var condition: NaiveCondition { extra.map { .all([equality, $0]) } ?? equality }

  private var names: [String] { NaiveTerm.columns }

  private var ofT: String {
    let list = keys.map { "t.\(names[$0.t])" }.joined(separator: ", ")
    return keys.count == 1 ? list : "(\(list))"
  }

  private var ofU: String { keys.map { "u.\(names[$0.u])" }.joined(separator: ", ") }

  private var subquery: String {
    "(SELECT \(ofU) FROM u\(extra.map { " WHERE \($0.sql)" } ?? ""))"
  }

  private func matches(_ t: NaiveRow, _ condition: NaiveCondition) -> [NaiveRow] {
    u.filter { condition.truth(t, $0) == true }
  }

  private func candidates(_ t: NaiveRow) -> [NaiveRow] {
    extra.map { matches(t, $0) } ?? u
  }

  /// `keys IN (SELECT …)`.
  private func isIn(_ t: NaiveRow) -> Bool? {
    Truth.any(candidates(t).map { equality.truth(t, $0) })
  }

  private var unmatched: [NaiveRow] { t.filter { matches($0, condition).isEmpty } }

  private var matched: [NaiveRow] { t.filter { !matches($0, condition).isEmpty } }

  /// All questions.
  func all(_ random: inout GraphRandom) -> [NaiveQuestion] {
    membership(&random) + existence(&random) + joins(&random) + differences(&random)
      + values(&random)
  }

  // MARK: NOT IN and ALL

  private func membership(_ random: inout GraphRandom) -> [NaiveQuestion] {
    let notIn = t.filter { Truth.not(isIn($0)) == true }
    var found = [
      NaiveQuestion("SELECT * FROM t WHERE \(ofT) NOT IN \(subquery)", notIn),
      NaiveQuestion("SELECT * FROM t WHERE NOT (\(ofT) IN \(subquery))", notIn),
      NaiveQuestion(
        "SELECT * FROM t WHERE \(ofT) IN \(subquery)", t.filter { isIn($0) == true }),
      NaiveQuestion(
        "SELECT * FROM t WHERE \(ofT) <> ALL \(subquery) AND t.c IS NOT NULL",
        notIn.filter { $0[2] != nil }),
      NaiveQuestion(
        "SELECT * FROM t WHERE (\(ofT) IN \(subquery)) IS NOT TRUE",
        t.filter { isIn($0) != true }),
      NaiveQuestion(
        "SELECT * FROM t WHERE (\(ofT) NOT IN \(subquery)) IS UNKNOWN",
        t.filter { isIn($0) == nil }),
      NaiveQuestion(
        "SELECT * FROM t WHERE t.c = \(AntiJoinDatabase.mark(1)) OR \(ofT) NOT IN \(subquery)",
        t.filter {
          Truth.any([NaiveCondition.compare("=", $0[2], 1), Truth.not(isIn($0))]) == true
        }),
    ]
    let comparison = random.pick(["=", "<>", "<", "<=", ">", ">="])
    if keys.count == 1, let key = keys.first {
      func compared(_ row: NaiveRow) -> [Bool?] {
        candidates(row).map { NaiveCondition.compare(comparison, row[key.t], $0[key.u]) }
      }
      let all = t.filter { Truth.all(compared($0)) == true }
      let any = t.filter { Truth.any(compared($0)) == true }
      found += [
        NaiveQuestion("SELECT * FROM t WHERE \(ofT) \(comparison) ALL \(subquery)", all),
        NaiveQuestion("SELECT * FROM t WHERE \(ofT) \(comparison) ALL (ARRAY\(subquery))", all),
        NaiveQuestion("SELECT * FROM t WHERE \(ofT) \(comparison) ANY \(subquery)", any),
        NaiveQuestion("SELECT * FROM t WHERE \(ofT) \(comparison) ANY (ARRAY\(subquery))", any),
        NaiveQuestion(
          "SELECT * FROM t WHERE NOT \(ofT) \(comparison) ALL \(subquery)",
          t.filter { Truth.all(compared($0)) == false }),
      ]
    }
    return found
  }

  // MARK: EXISTS and counts

  private func existence(_ random: inout GraphRandom) -> [NaiveQuestion] {
    let text = condition.sql
    let either = NaiveCondition.any(
      keys.map { .compare("=", .t($0.t), .u($0.u)) } + [.random(&random)])
    let own = random.below(3)
    let least = "SELECT * FROM t WHERE (SELECT count(u.\(names[own])) FROM u WHERE \(text))"
    func counted(_ row: NaiveRow) -> Int {
      matches(row, condition).count { $0[own] != nil }
    }
    return [
      NaiveQuestion("SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE \(text))", unmatched),
      NaiveQuestion("SELECT * FROM t WHERE EXISTS (SELECT FROM u WHERE \(text))", matched),
      NaiveQuestion(
        "SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE \(either.sql))",
        t.filter { matches($0, either).isEmpty }),
      NaiveQuestion(
        "SELECT * FROM t WHERE (SELECT count(*) FROM u WHERE \(text)) = 0", unmatched),
      NaiveQuestion(
        "SELECT * FROM t WHERE 0 < (SELECT count(*) FROM u WHERE \(text))", matched),
      NaiveQuestion("\(least) < 1", t.filter { counted($0) < 1 }),
      NaiveQuestion("\(least) >= 1", t.filter { counted($0) >= 1 }),
      NaiveQuestion("\(least) > 1", t.filter { counted($0) > 1 }),
      NaiveQuestion(
        "SELECT * FROM t WHERE t.b IS NULL OR NOT EXISTS (SELECT 1 FROM u WHERE \(text))",
        t.filter { $0[1] == nil || matches($0, condition).isEmpty }),
    ]
  }

  // MARK: Joins

  private func joins(_ random: inout GraphRandom) -> [NaiveQuestion] {
    let text = condition.sql
    let tested = random.below(3)
    let column = "u.\(names[tested])"
    // Rows of a LEFT JOIN where a column of the right side is NULL: no match, or one that has a NULL there.
    let outer = t.flatMap { row -> [NaiveRow] in
      let found = matches(row, condition)
      return found.isEmpty ? [row] : found.filter { $0[tested] == nil }.map { _ in row }
    }
    func unmatchedBy(_ condition: NaiveCondition) -> [NaiveRow] {
      t.flatMap { row -> [NaiveRow] in
        let found = matches(row, condition)
        return found.isEmpty ? [row] : found.filter { $0[tested] == nil }.map { _ in row }
      }
    }
    // Of a FULL JOIN, rows of `u` without a match come too, with NULLs for `t`.
    let alone = u.filter { row in
      row[tested] == nil && !t.contains { equality.truth($0, row) == true }
    }
    var found = [
      NaiveQuestion("SELECT t.* FROM t LEFT JOIN u ON \(text) WHERE \(column) IS NULL", outer),
      NaiveQuestion("SELECT t.* FROM u RIGHT JOIN t ON \(text) WHERE \(column) IS NULL", outer),
      NaiveQuestion(
        "SELECT t.* FROM t FULL JOIN u ON \(equality.sql) WHERE \(column) IS NULL",
        unmatchedBy(equality) + alone.map { _ in [nil, nil, nil] }),
      NaiveQuestion("SELECT * FROM t LEFT ANTI JOIN u ON \(text)", unmatched),
      NaiveQuestion("SELECT * FROM t LEFT SEMI JOIN u ON \(text)", matched),
      NaiveQuestion(
        "SELECT x.* FROM t AS x ANTI JOIN (SELECT * FROM u) AS y ON "
          + text.replacing("t.", with: "x.").replacing("u.", with: "y."), unmatched),
    ]
    let same = Set(keys.map(\.t)).sorted()
    let using = NaiveCondition.all(same.map { .compare("=", .t($0), .u($0)) })
    let rest = [0, 1, 2].filter { !same.contains($0) }
    func merged(_ rows: [NaiveRow]) -> [NaiveRow] {
      rows.map { row in (same + rest).map { row[$0] } }
    }
    let list = same.map { names[$0] }.joined(separator: ", ")
    let natural = NaiveCondition.all([0, 1, 2].map { .compare("=", .t($0), .u($0)) })
    found += [
      NaiveQuestion(
        "SELECT * FROM t AS t ANTI JOIN u USING (\(list))",
        merged(t.filter { matches($0, using).isEmpty })),
      NaiveQuestion(
        "SELECT * FROM t AS t SEMI JOIN u USING (\(list))",
        merged(t.filter { !matches($0, using).isEmpty })),
      NaiveQuestion(
        "SELECT * FROM t NATURAL ANTI JOIN u", t.filter { matches($0, natural).isEmpty }),
    ]
    return found
  }

  // MARK: Set operations

  private func differences(_ random: inout GraphRandom) -> [NaiveQuestion] {
    let own = NaiveCondition.random(&random, ofT: false)
    let left = t.map { row in keys.map { row[$0.t] } }
    let right = u.filter { own.truth([], $0) == true }.map { row in keys.map { row[$0.u] } }
    let columns = keys.map { names[$0.t] }.joined(separator: ", ")
    let (one, two) = ("SELECT \(columns) FROM t", "SELECT \(ofU) FROM u WHERE \(own.sql)")
    var rest = right
    let difference = left.filter { row in
      guard let place = rest.firstIndex(of: row) else { return true }
      rest.remove(at: place)
      return false
    }
    rest = right
    let intersection = left.filter { row in
      guard let place = rest.firstIndex(of: row) else { return false }
      rest.remove(at: place)
      return true
    }
    let different = Array(Set(left))
    return [
      NaiveQuestion("\(one) EXCEPT \(two)", different.filter { !right.contains($0) }),
      NaiveQuestion("\(one) EXCEPT ALL \(two)", difference),
      NaiveQuestion("\(one) INTERSECT \(two)", different.filter { right.contains($0) }),
      NaiveQuestion("\(one) INTERSECT ALL \(two)", intersection),
      NaiveQuestion(
        "SELECT DISTINCT \(columns) FROM t EXCEPT ALL \(two)",
        different.filter { !right.contains($0) }),
    ]
  }

  // MARK: Values

  private func values(_ random: inout GraphRandom) -> [NaiveQuestion] {
    func marked(_ sql: String, _ truth: (NaiveRow) -> Bool?) -> NaiveQuestion {
      NaiveQuestion(
        "SELECT t.*, \(sql) FROM t",
        texts: t.map { NaiveQuestion.text($0) + "|" + Truth.text(truth($0)) })
    }
    return [
      marked("\(ofT) NOT IN \(subquery)") { Truth.not(isIn($0)) },
      marked("NOT EXISTS (SELECT 1 FROM u WHERE \(condition.sql))") {
        matches($0, condition).isEmpty
      },
      marked("CASE WHEN t.a IS NULL THEN NULL ELSE \(ofT) NOT IN \(subquery) END") {
        $0[0] == nil ? nil : Truth.not(isIn($0))
      },
    ]
  }
}
