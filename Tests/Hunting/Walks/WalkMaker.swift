import SimulatedDisk

/// Makes questions that follow foreign keys from table to table.
struct WalkMaker {
  /// Columns of a table that name an entity's row, in the order of its key.
  struct End: Hashable {
    let table: String
    let columns: [String]
    let entity: String
  }

  /// A table in the FROM clause.
  struct Source {
    let alias: String
    let table: HuntTable
  }

  var random: SimulationRandom
  let world: World
  private let ends: [End]
  /// Which shape the last question had.
  private(set) var shape = ""

  init(_ random: SimulationRandom, _ world: World) {
    self.random = random
    self.world = world
    ends = world.tables.flatMap { table in
      let own =
        table.name.hasPrefix("e")
        ? [End(table: table.name, columns: table.key, entity: table.name)] : []
      return own
        + table.references.map { End(table: table.name, columns: $0.columns, entity: $0.table) }
    }
  }

  // MARK: Parts

  private func table(_ name: String) -> HuntTable {
    world.tables.first { $0.name == name } ?? world.tables[0]
  }

  /// Whether columns of two ends may be compared.
  private func fits(_ left: End, _ right: End) -> Bool {
    func types(_ end: End) -> [HuntType?] { end.columns.map { table(end.table).column($0)?.type } }
    return left.entity == right.entity || types(left) == types(right)
  }

  private func equality(_ left: Source, _ one: End, _ right: Source, _ other: End) -> String {
    zip(one.columns, other.columns).map { "\(left.alias).\($0) = \(right.alias).\($1)" }
      .joined(separator: " AND ")
  }

  private func endsOf(_ table: HuntTable) -> [End] { ends.filter { $0.table == table.name } }

  private mutating func partner(of end: End) -> End {
    let same = ends.filter { $0.entity == end.entity }
    let wide = ends.filter { fits($0, end) }
    return random.pick(random.chance(85) ? same : wide)
  }

  private mutating func number() -> String { "\(random.below(4))" }

  private mutating func literal(_ column: HuntColumn) -> String {
    column.type.typed(random.below(random.pick([4, 12])))
  }

  private func numbers(_ table: HuntTable) -> [String] {
    table.columns.filter { $0.type.isWhole && $0.domain == nil }.map(\.name)
  }

  /// A chain of joins, and what it joins.
  private mutating func joins(_ prefix: String, from first: End, most: Int) -> (String, [Source]) {
    var sources = [Source(alias: prefix + "0", table: table(first.table))]
    var text = "\(first.table) \(prefix)0"
    for index in 1..<max(random.within(1...most), 1) + 1 where index < most {
      let left = random.pick(sources)
      guard let end = endsOf(left.table).randomElement(using: &random) else { continue }
      let other = partner(of: end)
      let right = Source(alias: "\(prefix)\(index)", table: table(other.table))
      let kind = random.pick(["JOIN", "JOIN", "JOIN", "JOIN", "LEFT JOIN"])
      var condition = equality(left, end, right, other)
      if random.chance(15) {
        let column = random.pick(right.table.columns)
        condition += " AND \(right.alias).\(column.name) \(random.pick(["IS NOT NULL", "IS NULL"]))"
      } else if random.chance(10), let name = numbers(right.table).randomElement(using: &random) {
        condition += " AND \(right.alias).\(name) \(random.pick(["=", "<", "<>"])) \(number())"
      }
      text += " \(kind) \(other.table) \(right.alias) ON \(condition)"
      sources.append(right)
    }
    return (text, sources)
  }

  /// A subquery that gives an end's columns.
  private mutating func subquery(_ end: End, most: Int) -> String {
    let other = partner(of: end)
    let (text, sources) = joins("z", from: other, most: most)
    let list = other.columns.map { "z0.\($0)" }.joined(separator: ", ")
    return "SELECT \(list) FROM \(text)" + filter(sources, depth: 0)
  }

  mutating func condition(_ sources: [Source], depth: Int) -> String {
    let source = random.pick(sources)
    let (alias, table) = (source.alias, source.table)
    let column = random.pick(table.columns)
    switch random.below(depth > 0 ? 12 : 6) {
    case 0, 1:
      guard let name = numbers(table).randomElement(using: &random) else { fallthrough }
      return "\(alias).\(name) \(random.pick(["=", "<>", "<", ">="])) \(number())"
    case 2:
      return "\(alias).\(column.name) \(random.pick(["=", "=", "<>", "<", ">"])) \(literal(column))"
    case 3:
      let list = (0..<random.within(1...3)).map { _ in literal(column) }.joined(separator: ", ")
      return "\(alias).\(column.name) \(random.pick(["IN", "IN", "NOT IN"])) (\(list))"
    case 4: return "\(alias).\(column.name) IS \(random.pick(["NULL", "NOT NULL", "NOT NULL"]))"
    case 5:
      let other = random.pick(sources)
      guard
        let same = other.table.columns.filter({ $0.type == column.type }).randomElement(
          using: &random)
      else { return "true" }
      return
        "\(alias).\(column.name) \(random.pick(["<", "<>", "=", ">="])) \(other.alias).\(same.name)"
    case 6, 7, 8:
      guard let end = endsOf(table).randomElement(using: &random) else { return "true" }
      let list = end.columns.map { "\(alias).\($0)" }.joined(separator: ", ")
      let row = end.columns.count == 1 ? list : "(\(list))"
      return
        "\(row) \(random.pick(["IN", "NOT IN"])) (\(subquery(end, most: random.pick([1, 2, 3]))))"
    default:
      guard let end = endsOf(table).randomElement(using: &random) else { return "true" }
      let other = partner(of: end)
      let (text, inner) = joins("z", from: other, most: random.pick([1, 2, 3]))
      let extra = random.chance(40) ? " AND " + condition(inner + sources, depth: 0) : ""
      let join = equality(inner[0], other, source, end)
      return
        "\(random.pick(["EXISTS", "NOT EXISTS"])) (SELECT 1 FROM \(text) WHERE \(join)\(extra))"
    }
  }

  private mutating func filter(_ sources: [Source], depth: Int = 1) -> String {
    let conditions = (0..<random.pick([0, 1, 1, 2])).map { _ in condition(sources, depth: depth) }
    if conditions.isEmpty { return "" }
    let joined = conditions.joined(separator: random.chance(88) ? " AND " : " OR ")
    return " WHERE " + (random.chance(4) ? "NOT (\(joined))" : joined)
  }

  // MARK: Questions

  mutating func question() -> String {
    let first = random.pick(ends)
    let (from, sources) = joins("x", from: first, most: random.pick([1, 2, 3, 3, 4, 4]))
    let body = " FROM \(from)\(filter(sources))"
    let all = sources.flatMap { source in source.table.columns.map { "\(source.alias).\($0.name)" }
    }
    let some = random.sample(all, random.pick([1, 2, 2, 3]))
    let list = some.joined(separator: ", ")
    shape = random.pick([
      "distinct", "distinct", "keys", "group", "count distinct", "rows", "count", "sum", "filter",
      "set",
      "set", "top", "recursion", "lateral", "scalar",
    ])
    switch shape {
    case "distinct": return "SELECT DISTINCT \(list)\(body)"
    case "keys":
      // All of one table's key, which makes rows of that table alone distinct already.
      let source = random.pick(sources)
      let key = source.table.key.isEmpty ? source.table.columns.map(\.name) : source.table.key
      let more = random.chance(30) ? ", \(random.pick(all))" : ""
      return
        "SELECT DISTINCT \(key.map { "\(source.alias).\($0)" }.joined(separator: ", "))\(more)\(body)"
    case "group":
      let having = random.chance(30) ? " HAVING count(*) > 1" : ""
      return
        "SELECT \(list), count(*), count(\(random.pick(all))), count(DISTINCT \(random.pick(all)))\(body) GROUP BY \(list)\(having)"
    case "count distinct": return "SELECT count(DISTINCT \(some[0])), count(*)\(body)"
    case "count": return "SELECT count(*) FROM (SELECT DISTINCT \(list)\(body)) q"
    case "rows": return "SELECT \(list)\(body)"
    case "sum":
      let values = sources.flatMap { source in numbers(source.table).map { "\(source.alias).\($0)" }
      }
      let summed = values.randomElement(using: &random) ?? "1"
      return "SELECT \(some[0]), sum(\(summed)), min(\(random.pick(all))::text)\(body) GROUP BY 1"
    case "filter":
      return
        "SELECT \(some[0]), count(*) FILTER (WHERE \(condition(sources, depth: 0))), count(DISTINCT \(random.pick(all))) FILTER (WHERE \(condition(sources, depth: 0)))\(body) GROUP BY 1"
    case "top":
      return
        "SELECT \(list), count(*) AS n\(body) GROUP BY \(list) ORDER BY n DESC, \(list) LIMIT \(random.within(1...5))"
    case "lateral": return lateral(from, sources)
    case "scalar":
      guard let end = endsOf(sources[0].table).randomElement(using: &random) else { fallthrough }
      let other = partner(of: end)
      let (text, inner) = joins("z", from: other, most: 3)
      let measured = random.pick([
        "count(*)",
        "count(DISTINCT \(inner[inner.count - 1].alias).\(inner[inner.count - 1].table.columns[0].name))",
      ])
      return
        "SELECT \(list), (SELECT \(measured) FROM \(text) WHERE \(equality(inner[0], other, sources[0], end)))\(body)"
    case "set": return combination(first, sources, body)
    default: return recursion()
    }
  }

  private mutating func lateral(_ from: String, _ sources: [Source]) -> String {
    guard let end = endsOf(sources[0].table).randomElement(using: &random) else {
      return "SELECT count(*) FROM \(from)"
    }
    let other = partner(of: end)
    let (text, inner) = joins("z", from: other, most: 3)
    let join = equality(inner[0], other, sources[0], end)
    let columns = inner.flatMap { source in
      source.table.columns.map { "\(source.alias).\($0.name)" }
    }
    let some = random.sample(columns, 2).joined(separator: ", ")
    let key = sources[0].table.columns[0].name
    if random.chance(50) {
      return
        "SELECT x0.\(key), q.* FROM \(from) CROSS JOIN LATERAL (SELECT \(some) FROM \(text) WHERE \(join) ORDER BY \(some) LIMIT \(random.within(1...3))) q(f, g)"
    }
    return
      "SELECT x0.\(key), q.* FROM \(from) LEFT JOIN LATERAL (SELECT count(*), count(DISTINCT \(random.pick(columns))) FROM \(text) WHERE \(join)) q(f, g) ON true"
  }

  /// UNION, INTERSECT and EXCEPT of keys.
  private mutating func combination(_ first: End, _ sources: [Source], _ body: String) -> String {
    let operation = random.pick([
      "EXCEPT", "EXCEPT", "INTERSECT", "INTERSECT", "UNION", "UNION ALL", "EXCEPT ALL",
      "INTERSECT ALL",
    ])
    if random.chance(30) {
      // All columns of one kind of row against those of another.
      let source = random.pick(sources)
      let types = source.table.columns.map(\.type)
      if let other = world.tables.filter({ $0.columns.map(\.type) == types }).randomElement(
        using: &random)
      {
        return "SELECT \(source.alias).*\(body) \(operation) SELECT * FROM \(other.name)"
      }
    }
    let list = first.columns.map { "x0.\($0)" }.joined(separator: ", ")
    return "SELECT \(list)\(body) \(operation) \(subquery(first, most: 3))"
  }

  private mutating func recursion() -> String {
    let links = world.tables.filter { $0.references.count > 1 }
    guard let link = links.randomElement(using: &random) else { return "SELECT 1" }
    let pair = random.sample(link.references, 2)
    let (from, to) = (pair[0], pair[1])
    let start = from.columns.map { name in
      "\(name) = \(literal(link.column(name) ?? link.columns[0]))"
    }.joined(separator: " AND ")
    let isSame = from.table == to.table
    let hasDepth = random.chance(50) || !isSame
    let names = from.columns.indices.map { "k\($0)" }
    let depth = hasDepth ? ", d" : ""
    let extra = random.chance(30) ? " AND l.s = \(random.below(2))" : ""
    func columns(_ list: [String], _ prefix: String) -> String {
      list.map { prefix + $0 }.joined(separator: ", ")
    }
    let step = zip(from.columns, names).map { "l.\($0) = q.\($1)" }.joined(separator: " AND ")
    guard isSame else {
      // There and back along two links.
      let back = zip(to.columns, to.columns).map { "m.\($0) = l.\($1)" }.joined(separator: " AND ")
      return
        "WITH RECURSIVE q(\(columns(names, "")), d) AS (SELECT \(columns(from.columns, "")), 0 FROM \(link.name) WHERE \(start) UNION SELECT \(columns(from.columns, "m.")), q.d + 1 FROM q JOIN \(link.name) l ON \(step) JOIN \(link.name) m ON \(back) WHERE q.d < 2\(extra)) SELECT * FROM q"
    }
    let bound = hasDepth ? " WHERE q.d < 3" : " WHERE true"
    return
      "WITH RECURSIVE q(\(columns(names, ""))\(depth)) AS (SELECT \(columns(to.columns, ""))\(hasDepth ? ", 0" : "") FROM \(link.name) WHERE \(start) UNION SELECT \(columns(to.columns, "l."))\(hasDepth ? ", q.d + 1" : "") FROM q JOIN \(link.name) l ON \(step)\(bound)\(extra)) \(random.pick(["SELECT * FROM q", "SELECT count(*) FROM q", "SELECT DISTINCT k0 FROM q"]))"
  }
}
