import SimulatedDisk

/// Makes queries of all shapes over a world, such that their answers do not depend on any order.
struct QueryMaker {
  /// A column as a query refers to it.
  struct Column: Hashable {
    let text: String
    let type: HuntType
  }

  /// A query and the columns that it gives.
  struct Query {
    let text: String
    let columns: [Column]
  }

  var random: SimulationRandom
  let world: World
  private var aliasCount = 0
  /// The shape of the last query.
  var shape = ""

  init(_ random: SimulationRandom, _ world: World) {
    self.random = random
    self.world = world
  }

  mutating func alias() -> String {
    aliasCount += 1
    return "a\(aliasCount)"
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { random.within(range) }

  mutating func literal(_ type: HuntType) -> String {
    type.typed(random.below(random.chance(80) ? 5 : 14))
  }

  // MARK: Sources

  /// A FROM clause and the columns that it offers.
  mutating func source(_ depth: Int) -> (text: String, columns: [Column]) {
    let roll = random.below(100)
    if depth <= 0 || roll < 20 { return tableSource() }
    switch roll {
    case 20..<36: return walk()
    case 36..<46:
      let query = query(depth - 1, isSimple: true)
      let name = alias()
      return (
        "(\(query.text)) \(name)",
        query.columns.map { Column(text: "\(name).\($0.text)", type: $0.type) }
      )
    case 46..<50: return values()
    case 50..<58: return lateral(depth)
    default: return joined(depth)
    }
  }

  private mutating func tableSource() -> (text: String, columns: [Column]) {
    let table = random.pick(world.tables)
    let name = alias()
    return ("\(table.name) \(name)", columns(of: table, name))
  }

  func columns(of table: HuntTable, _ alias: String) -> [Column] {
    table.columns.map { Column(text: "\(alias).\($0.name)", type: $0.type) }
  }

  /// A table joined with those that its foreign keys name.
  private mutating func walk() -> (text: String, columns: [Column]) {
    let links = world.tables.filter { !$0.references.isEmpty }
    guard let table = links.randomElement(using: &random) else { return tableSource() }
    let name = alias()
    var text = "\(table.name) \(name)"
    var all = columns(of: table, name)
    for reference in table.references where random.chance(85) {
      guard let target = world.tables.first(where: { $0.name == reference.table }) else { continue }
      let other = alias()
      let kind = random.pick(["JOIN", "JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
      let condition = zip(target.key, reference.columns).map { "\(other).\($0) = \(name).\($1)" }
      text +=
        " \(kind) \(target.name) \(other) ON \(matched(kind, condition.joined(separator: " AND ")))"
      all += columns(of: target, other)
    }
    return (text, all)
  }

  private mutating func values() -> (text: String, columns: [Column]) {
    let types = (0..<2).map { _ in random.pick([HuntType.integer, .text, .date]) }
    let rows = (0..<3).map { row in
      "("
        + types.map { row > 0 && random.chance(15) ? "NULL" : literal($0) }.joined(separator: ", ")
        + ")"
    }
    let name = alias()
    let columns = types.enumerated().map { Column(text: "\(name).y\($0)", type: $1) }
    return ("(VALUES \(rows.joined(separator: ", "))) \(name)(y0, y1)", columns)
  }

  private mutating func lateral(_ depth: Int) -> (text: String, columns: [Column]) {
    let left = source(depth - 1)
    let inner = source(0)
    let condition = correlation(inner.columns, left.columns, 1)
    let name = alias()
    let picked = random.sample(inner.columns, 2)
    let isOuter = random.chance(50)
    let body: String
    var types: [HuntType]
    if random.chance(40) {
      let measured = picked[0]
      let hasExtremes = measured.type.hasExtremes
      body =
        "SELECT count(*) AS z0, \(hasExtremes ? "max" : "count")(\(measured.text)) AS z1 FROM \(inner.text)\(condition)"
      types = [.bigint, hasExtremes ? measured.type : .bigint]
    } else {
      let list = picked.enumerated().map { "\($1.text) AS z\($0)" }.joined(separator: ", ")
      let order = picked.indices.map { "\($0 + 1)" }.joined(separator: ", ")
      body =
        "SELECT \(list) FROM \(inner.text)\(condition) ORDER BY \(order) LIMIT \(number(1...3))"
      types = picked.map(\.type)
    }
    // Padding is lost where a blank-padded text is one of several types' greatest.
    types = types.map { $0 == .character ? .character : $0 }
    let kind = isOuter ? "LEFT JOIN LATERAL" : "CROSS JOIN LATERAL"
    return (
      "\(left.text) \(kind) (\(body)) \(name)\(isOuter ? " ON true" : "")",
      left.columns + types.enumerated().map { Column(text: "\(name).z\($0)", type: $1) }
    )
  }

  private mutating func joined(_ depth: Int) -> (text: String, columns: [Column]) {
    let left = source(depth - 1)
    var right = source(random.chance(50) ? depth - 1 : 0)
    if right.text.contains(" JOIN ") && !right.text.hasPrefix("(") {
      right.text = "(\(right.text))"
    }
    let pairs = left.columns.flatMap { one in
      right.columns.filter { $0.type == one.type }.map { (one, $0) }
    }
    let all = left.columns + right.columns
    let kind = random.pick([
      "JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN",
    ])
    if kind == "CROSS JOIN" || pairs.isEmpty {
      return ("\(left.text) CROSS JOIN \(right.text)", all)
    }
    // Often on two columns, as they come packed into one.
    var condition = random.sample(pairs, random.pick([1, 1, 2, 2, 3]))
      .map { "\($0.0.text) = \($0.1.text)" }.joined(separator: " AND ")
    if kind == "FULL JOIN" {
      if random.chance(20) {
        condition += " AND \(predicate(random.pick([left.columns, right.columns]), 0))"
      }
    } else if random.chance(35) {
      let scope = random.chance(50) ? all : random.pick([left.columns, right.columns])
      condition +=
        " \(random.pick(["AND", "AND", "AND", "OR"])) \(predicate(scope, random.chance(30) ? 1 : 0))"
    }
    return ("\(left.text) \(kind) \(right.text) ON \(matched(kind, condition))", all)
  }

  /// A condition of a join in the form in which it can be asked in two ways; a full join has but one.
  private func matched(_ kind: String, _ condition: String) -> String {
    kind == "FULL JOIN" ? condition : "\(OracleQuestion.mark)(\(condition))"
  }

  /// The WHERE clause of a subquery that looks at the rows around it.
  mutating func correlation(_ inner: [Column], _ outer: [Column], _ depth: Int) -> String {
    var parts: [String] = []
    for _ in 0..<random.pick([1, 1, 2]) {
      let pairs = inner.flatMap { one in outer.filter { $0.type == one.type }.map { (one, $0) } }
      if let pair = pairs.randomElement(using: &random), random.chance(85) {
        let sign = random.pick(["=", "=", "=", "=", "<", "<>", "IS NOT DISTINCT FROM"])
        parts.append("\(pair.0.text) \(sign) \(pair.1.text)")
      } else {
        parts.append(predicate(inner + (random.chance(50) ? outer : []), depth - 1))
      }
    }
    return " WHERE " + parts.joined(separator: " AND ")
  }
}
