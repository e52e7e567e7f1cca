import SimulatedDisk

extension QueryMaker {
  /// A query whose rows do not depend on an order that it does not ask for.
  mutating func query(_ depth: Int, isSimple: Bool = false, as types: [HuntType]? = nil) -> Query {
    let simple = ["plain", "plain", "plain", "plain", "group", "group", "distinct"]
    let shapes =
      simple
      + (isSimple
        ? ["limit"] : ["window", "sets", "distinct on", "set", "set", "recursion", "cte", "limit"])
    let shape = types == nil ? random.pick(shapes) : "plain"
    defer { self.shape = shape }
    switch shape {
    case "group", "sets": return grouped(depth, hasSets: shape == "sets")
    case "window": return windowed(depth)
    case "set": return combined(depth)
    case "recursion": return recursive()
    default: return plain(depth, shape, types)
    }
  }

  private mutating func filter(_ columns: [Column]) -> String {
    random.chance(65) ? " WHERE \(predicate(columns, 2))" : ""
  }

  private mutating func plain(_ depth: Int, _ shape: String, _ types: [HuntType]?) -> Query {
    let from = source(depth)
    let condition = filter(from.columns)
    let wanted = types ?? (0..<number(1...3)).map { _ in random.pick(from.columns).type }
    let list = wanted.enumerated().map { index, type in
      let same = from.columns.filter { $0.type == type }
      let column = random.chance(70) ? same.randomElement(using: &random)?.text : nil
      let text = column ?? expression(type, from.columns, types == nil ? 2 : 1)
      return "(\(text))::\(type.sql) AS o\(index)"
    }
    let outputs = wanted.enumerated().map { Column(text: "o\($0)", type: $1) }
    let body = "SELECT \(list.joined(separator: ", ")) FROM \(from.text)\(condition)"
    func order(_ endings: [String]) -> String {
      outputs.map { $0.text + random.pick(endings) }.joined(separator: ", ")
    }
    switch shape {
    case "distinct":
      return Query(text: "SELECT DISTINCT" + body.dropFirst(6), columns: outputs)
    case "limit":
      let offset = random.chance(40) ? " OFFSET \(number(0...5))" : ""
      return Query(
        text:
          "\(body) ORDER BY \(order(["", " DESC", " NULLS FIRST", " DESC NULLS LAST"])) LIMIT \(number(0...8))\(offset)",
        columns: outputs)
    case "distinct on":
      let direction = random.pick(["", " DESC"])
      return Query(
        text: "SELECT DISTINCT ON (o0) * FROM (\(body)) dd ORDER BY o0\(direction)"
          + outputs.dropFirst().map { ", \($0.text)" }.joined(),
        columns: outputs)
    case "cte":
      let name = alias()
      if random.chance(50) {
        let columns = outputs.map { Column(text: "x.\($0.text)", type: $0.type) }
        return Query(
          text:
            "WITH \(name) AS \(random.pick(["", "MATERIALIZED "]))(\(body)) SELECT x.* FROM \(name) x WHERE \(predicate(columns, 1))",
          columns: outputs)
      }
      return Query(
        text:
          "WITH \(name) AS (\(body)) SELECT x.o0, count(*) AS o1 FROM \(name) x JOIN \(name) y ON x.o0 = y.o0 GROUP BY 1",
        columns: [outputs[0], Column(text: "o1", type: .bigint)])
    default: return Query(text: body, columns: outputs)
    }
  }

  // MARK: Groups

  mutating func aggregate(_ columns: [Column]) -> Column {
    let column = random.pick(columns)
    let filter = random.chance(15) ? " FILTER (WHERE \(predicate(columns, 0)))" : ""
    let name = column.text
    let roll = random.below(100)
    if roll < 25 { return Column(text: "count(*)\(filter)", type: .bigint) }
    if roll < 45 {
      return Column(text: "count(\(random.pick(["", "DISTINCT "]))\(name))\(filter)", type: .bigint)
    }
    switch column.type {
    case .integer, .smallint:
      return random.chance(70)
        ? Column(text: "sum(\(name))\(filter)", type: .bigint)
        : Column(text: "round(avg(\(name))\(filter), 2)::numeric(10,2)", type: .numeric)
    case .numeric:
      return Column(
        text: "(sum(\(random.pick(["", "DISTINCT "]))\(name))\(filter))::numeric(10,2)",
        type: .numeric)
    case .text where random.chance(50):
      return Column(text: "string_agg(\(name), ',' ORDER BY \(name))\(filter)", type: .text)
    case .boolean:
      return Column(
        text: "\(random.pick(["bool_and", "bool_or"]))(\(name))\(filter)", type: .boolean)
    case let type where type.hasExtremes:
      return Column(
        text: "(\(random.pick(["min", "max"]))(\(name))\(filter))::\(type.sql)", type: type)
    default: return Column(text: "count(\(name))\(filter)", type: .bigint)
    }
  }

  private mutating func grouped(_ depth: Int, hasSets: Bool) -> Query {
    let from = source(depth)
    let condition = filter(from.columns)
    var keys = random.sample(from.columns, hasSets ? number(1...3) : number(0...3))
    var extra: [Column] = []
    var grouping = ""
    let list = keys.map(\.text).joined(separator: ", ")
    if hasSets {
      let form = random.below(4)
      if form == 3 { keys = [keys[keys.count - 1]] }
      let first = keys[0].text
      grouping =
        " GROUP BY "
        + [
          "ROLLUP (\(list))", "CUBE (\(list))", "GROUPING SETS ((\(list)), (\(first)), ())",
          "GROUPING SETS ((\(first)), (), ())",
        ][form]
      extra = [
        Column(text: "grouping(\(keys.map(\.text).joined(separator: ", ")))", type: .integer)
      ]
    } else if !keys.isEmpty {
      grouping = " GROUP BY \(list)"
    }
    let all = keys + (0..<number(1...2)).map { _ in aggregate(from.columns) } + extra
    let having =
      random.chance(10)
      ? " HAVING \(aggregate(from.columns).text) IS NOT NULL"
      : random.chance(30) ? " HAVING count(*) \(random.pick([">", "=", "<"])) \(number(0...3))" : ""
    let texts = all.enumerated().map { "\($1.text) AS o\($0)" }.joined(separator: ", ")
    return Query(
      text: "SELECT \(texts) FROM \(from.text)\(condition)\(grouping)\(having)",
      columns: all.enumerated().map { Column(text: "o\($0)", type: $1.type) })
  }

  // MARK: Windows, sets, recursion

  private mutating func windowed(_ depth: Int) -> Query {
    let from = source(depth)
    let condition = filter(from.columns)
    let picked = random.sample(from.columns, 3)
    let inner = picked.enumerated().map { "\($1.text) AS o\($0)" }.joined(separator: ", ")
    let order = picked.indices.map { "o\($0)" + random.pick(["", " DESC", " NULLS FIRST"]) }
      .joined(separator: ", ")
    let part = random.chance(60) ? "PARTITION BY o\(picked.count - 1) " : ""
    var functions = [
      "row_number()", "rank()", "dense_rank()", "ntile(3)", "lag(o0)", "lead(o0, 2)", "cume_dist()",
      "percent_rank()",
    ]
    let framed = ["count(*)", "count(o0)", "first_value(o0)", "last_value(o0)", "nth_value(o0, 2)"]
    var extremes: [String] = []
    if picked[0].type.isWhole || picked[0].type == .numeric {
      extremes = ["sum(o0)", "min(o0)", "max(o0)"]
    }
    functions += framed + extremes
    let function = random.pick(functions)
    let frames = [
      "", " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
      " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
      " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
      " GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW",
      " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
      " ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING",
      " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW",
      " GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES",
    ]
    let frame = (framed + extremes).contains(function) ? random.pick(frames) : ""
    let distinct = random.pick(["", "DISTINCT "])
    return Query(
      text:
        "SELECT *, \(function) OVER (\(part)ORDER BY \(order)\(frame)) AS ow FROM (SELECT \(distinct)\(inner) FROM \(from.text)\(condition)) \(alias())",
      columns: picked.enumerated().map { Column(text: "o\($0)", type: $1.type) })
  }

  private mutating func combined(_ depth: Int) -> Query {
    let offered = source(0).columns
    let types = (0..<number(1...3)).map { _ in random.pick(offered).type }
    let operations = [
      "UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL", "INTERSECT",
    ]
    let first = query(depth - 1, as: types)
    var text = "\(first.text) \(random.pick(operations)) \(query(depth - 1, as: types).text)"
    if random.chance(30) {
      text =
        "(\(text)) \(random.pick(["UNION", "EXCEPT", "INTERSECT ALL"])) \(query(0, as: types).text)"
    }
    return Query(text: text, columns: first.columns)
  }

  private mutating func recursive() -> Query {
    let links = world.tables.filter { table in
      table.references.contains { one in
        table.references.contains {
          $0.table == one.table && $0.columns != one.columns && $0.columns.count == 1
        }
      }
    }
    guard let link = links.randomElement(using: &random),
      let ends = [random.sample(link.references, link.references.count)].first,
      let from = ends.first(where: { $0.columns.count == 1 }),
      let to = ends.last(where: {
        $0.table == from.table && $0.columns != from.columns && $0.columns.count == 1
      }),
      let entity = world.tables.first(where: { $0.name == from.table }), entity.key.count == 1
    else { return query(1) }
    let (name, start) = (alias(), alias())
    let condition = predicate(columns(of: entity, start), 1)
    let type = entity.column(entity.key[0])?.type ?? .integer
    let ending = random.pick([
      "id AS o0, n AS o1 FROM \(name)", "id AS o0, min(n) AS o1 FROM \(name) GROUP BY id",
      "id AS o0, count(*)::integer AS o1 FROM \(name) GROUP BY id",
    ])
    return Query(
      text:
        "WITH RECURSIVE \(name)(id, n) AS (SELECT \(start).\(entity.key[0]), 0 FROM \(entity.name) \(start) WHERE \(condition) UNION SELECT x.\(to.columns[0]), r.n + 1 FROM \(name) r JOIN \(link.name) x ON x.\(from.columns[0]) = r.id WHERE r.n < 3) SELECT \(ending)",
      columns: [Column(text: "o0", type: type), Column(text: "o1", type: .integer)])
  }
}
