/// Sources and divisors with links between them: who is linked with all, which pairs are not linked, who is not reached.
struct LinkQuestions {
  /// Rows of `s` and `c`: a key and a number.
  let sources: [NaiveRow]
  let divisors: [NaiveRow]
  /// Rows of `e`: the keys of a source and of a divisor, and a number.
  let links: [NaiveRow]

  private static let filters: [(sql: String, holds: @Sendable (Int?) -> Bool)] = [
    ("true", { _ in true }), ("n = 1", { $0 == 1 }), ("n IS NULL", { $0 == nil }),
    ("n > 0", { ($0 ?? 0) > 0 }), ("n < 0", { ($0 ?? 0) < 0 }),
  ]

  private func areLinked(_ source: Int?, _ divisor: Int?, _ links: [NaiveRow]) -> Bool {
    guard let source, let divisor else { return false }
    return links.contains { $0[0] == source && $0[1] == divisor }
  }

  func all(_ random: inout GraphRandom) -> [NaiveQuestion] {
    division(&random) + divisionByNumber(&random) + pairs(&random) + reached(&random)
  }

  // MARK: Division

  private func division(_ random: inout GraphRandom) -> [NaiveQuestion] {
    let ofDivisors = random.pick(Self.filters)
    let ofLinks = random.pick(Self.filters)
    let links = links.filter { ofLinks.holds($0[2]) }
    let divisors = divisors.filter { ofDivisors.holds($0[1]) }
    let complete = sources.filter { source in
      divisors.allSatisfy { areLinked(source[0], $0[0], links) }
    }
    let divisor = "c.\(ofDivisors.sql)".replacing("c.true", with: "true")
    let link = "e.\(ofLinks.sql)".replacing("e.true", with: "true")
    let isLinked = "SELECT 1 FROM e WHERE e.s = s.id AND e.c = c.id AND \(link)"
    let taken = "SELECT e.c FROM e WHERE e.s = s.id AND \(link)"
    let start = "SELECT s.* FROM s WHERE NOT EXISTS"
    var found = [
      NaiveQuestion(
        "\(start) (SELECT 1 FROM c WHERE \(divisor) AND NOT EXISTS (\(isLinked)))", complete),
      NaiveQuestion(
        "\(start) (SELECT id FROM c WHERE \(divisor) EXCEPT \(taken))", complete),
      NaiveQuestion(
        "\(start) (SELECT 1 FROM c WHERE \(divisor) AND c.id NOT IN (\(taken) AND e.c IS NOT NULL))",
        complete),
      NaiveQuestion(
        "SELECT s.* FROM s WHERE s.id > 1 AND NOT EXISTS (SELECT FROM (SELECT * FROM c WHERE "
          + "\(divisor)) AS d WHERE NOT EXISTS (SELECT 1 FROM e WHERE e.c = d.id AND s.id = e.s "
          + "AND \(link)))", complete.filter { ($0[0] ?? 0) > 1 }),
      NaiveQuestion(
        "SELECT s.id, NOT EXISTS (SELECT 1 FROM c WHERE \(divisor) AND NOT EXISTS (\(isLinked))) "
          + "FROM s",
        texts: sources.map { source in
          "\(NaiveQuestion.text([source[0]]))|\(Truth.text(complete.contains(source)))"
        }),
      NaiveQuestion(
        "\(start) (SELECT 1 FROM c WHERE \(divisor) AND EXISTS (\(isLinked)))",
        sources.filter { source in
          !divisors.contains { areLinked(source[0], $0[0], links) }
        }),
    ]
    // By counting, which finds nobody where there are no divisors.
    let counted = sources.filter { source in
      !divisors.isEmpty && complete.contains(source)
    }
    found.append(
      NaiveQuestion(
        "SELECT e.s FROM e WHERE \(link) AND e.s IS NOT NULL AND e.c IN (SELECT id FROM c WHERE "
          + "\(divisor)) GROUP BY e.s HAVING count(DISTINCT e.c) = (SELECT count(*) FROM c WHERE "
          + "\(divisor))", counted.map { [$0[0]] }))
    return found
  }

  /// By a column that is no key: it may be NULL, and the same in several rows.
  private func divisionByNumber(_ random: inout GraphRandom) -> [NaiveQuestion] {
    func isLinked(_ source: NaiveRow, _ number: Int?) -> Bool {
      links.contains {
        $0[0] != nil && $0[0] == source[0] && $0[2] != nil && $0[2] == number
      }
    }
    let numbers = divisors.map { $0[1] }
    return [
      NaiveQuestion(
        "SELECT s.* FROM s WHERE NOT EXISTS (SELECT 1 FROM c WHERE NOT EXISTS "
          + "(SELECT 1 FROM e WHERE e.s = s.id AND e.n = c.n))",
        sources.filter { source in numbers.allSatisfy { isLinked(source, $0) } }),
      NaiveQuestion(
        "SELECT s.* FROM s WHERE NOT EXISTS (SELECT n FROM c EXCEPT "
          + "SELECT n FROM e WHERE e.s = s.id)",
        sources.filter { source in
          let own = links.filter { $0[0] != nil && $0[0] == source[0] }.map { $0[2] }
          return numbers.allSatisfy { own.contains($0) }
        }),
      NaiveQuestion(
        "SELECT s.* FROM s WHERE NOT EXISTS (SELECT 1 FROM c WHERE NOT EXISTS "
          + "(SELECT 1 FROM e WHERE e.n = s.n AND e.c = c.id))",
        sources.filter { source in
          divisors.allSatisfy { divisor in
            links.contains {
              $0[2] != nil && $0[2] == source[1] && $0[1] != nil && $0[1] == divisor[0]
            }
          }
        }),
    ]
  }

  // MARK: Pairs

  private func pairs(_ random: inout GraphRandom) -> [NaiveQuestion] {
    let (ofSources, ofDivisors) = (random.pick(Self.filters), random.pick(Self.filters))
    let ofLinks = random.chance(70) ? Self.filters[0] : random.pick(Self.filters)
    let links = links.filter { ofLinks.holds($0[2]) }
    var unlinked: [NaiveRow] = []
    for source in sources where ofSources.holds(source[1]) {
      for divisor in divisors where ofDivisors.holds(divisor[1]) {
        if !areLinked(source[0], divisor[0], links) { unlinked.append([source[0], divisor[0]]) }
      }
    }
    let rows = "s.\(ofSources.sql) AND c.\(ofDivisors.sql)".replacing("s.true", with: "true")
      .replacing("c.true", with: "true")
    let link = "e.\(ofLinks.sql)".replacing("e.true", with: "true")
    let joined = "e.s = s.id AND e.c = c.id AND \(link)"
    let start = "FROM s CROSS JOIN c WHERE \(rows) AND NOT EXISTS (SELECT 1 FROM e WHERE \(joined))"
    return [
      NaiveQuestion("SELECT s.id, c.id \(start)", unlinked),
      NaiveQuestion("SELECT count(*) \(start)", [[unlinked.count]]),
      NaiveQuestion(
        "SELECT count(*) + 1, count(*) \(start)", [[unlinked.count + 1, unlinked.count]]),
      NaiveQuestion(
        "SELECT s.id, c.id FROM s CROSS JOIN c LEFT JOIN e ON \(joined) WHERE \(rows) AND e.s IS NULL",
        unlinked),
      NaiveQuestion(
        "SELECT s.id, c.id FROM s CROSS JOIN c WHERE \(rows) EXCEPT SELECT e.s, e.c FROM e WHERE \(link)",
        unlinked),
      NaiveQuestion(
        "SELECT s.id, c.id FROM s, c LEFT ANTI JOIN e ON false WHERE \(rows) AND (s.id, c.id) NOT IN "
          + "(SELECT e.s, e.c FROM e WHERE \(link) AND e.s IS NOT NULL AND e.c IS NOT NULL)",
        unlinked),
      NaiveQuestion(
        "SELECT s.id, count(*) \(start) GROUP BY s.id",
        Dictionary(grouping: unlinked, by: { $0[0] }).map { [$0.key, $0.value.count] }),
    ]
  }

  // MARK: Hops

  private func reached(_ random: inout GraphRandom) -> [NaiveQuestion] {
    let first = random.below(5)
    let near = Set(links.filter { $0[0] == first }.compactMap { $0[1] })
    let far = Set(links.filter { $0[1].map(near.contains) ?? false }.compactMap { $0[0] })
    let further = Set(links.filter { $0[0].map(far.contains) ?? false }.compactMap { $0[1] })
    let hops = "FROM e e1 JOIN e e2 ON e2.c = e1.c WHERE e1.s = \(first)"
    let unreached = sources.filter { !far.contains($0[0] ?? -1) }
    return [
      NaiveQuestion(
        "SELECT * FROM s WHERE NOT EXISTS (SELECT 1 \(hops) AND e2.s = s.id)", unreached),
      NaiveQuestion(
        "SELECT * FROM s WHERE id NOT IN (SELECT e2.s \(hops) AND e2.s IS NOT NULL)", unreached),
      NaiveQuestion(
        "SELECT count(*) FROM s WHERE id NOT IN (SELECT e2.s \(hops) AND e2.s IS NOT NULL)",
        [[unreached.count]]),
      NaiveQuestion(
        "SELECT * FROM c WHERE c.id NOT IN (SELECT e3.c FROM e e1 JOIN e e2 ON e2.c = e1.c JOIN e e3 "
          + "ON e3.s = e2.s WHERE e1.s = \(first) AND e3.c IS NOT NULL)",
        divisors.filter { !further.contains($0[0] ?? -1) }),
      NaiveQuestion(
        "SELECT * FROM s WHERE NOT EXISTS (SELECT 1 FROM e WHERE e.s = s.id)",
        sources.filter { source in !links.contains { $0[0] == source[0] } }),
      NaiveQuestion(
        "SELECT count(*) FROM c WHERE NOT EXISTS (SELECT 1 FROM e WHERE e.c = c.id)",
        [[divisors.count { row in !links.contains { $0[1] == row[0] } }]]),
    ]
  }
}
