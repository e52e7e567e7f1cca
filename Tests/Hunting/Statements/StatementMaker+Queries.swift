import SimulatedDisk

extension StatementMaker {
  mutating func expression(_ table: Table, _ alias: String, _ type: String) -> String {
    let own = column(table, of: type)
    let text = "\(alias).\(own.name)"
    switch own.type {
    case "int", "bigint", "smallint", "numeric", "double precision":
      return random.pick([
        text, "\(text) + 1", "-\(text)", "\(text) * 2", "\(text) / 2", "\(text) % 3",
        "abs(\(text))",
        "coalesce(\(text), 0)", "CASE WHEN \(text) > 1 THEN 1 ELSE \(text) END", "\(text)::text",
        "greatest(\(text), 1)", "round(\(text)::numeric, 1)",
      ])
    case "text", "varchar(8)", "char(4)":
      return random.pick([
        text, "upper(\(text))", "\(text) || 'x'", "length(\(text))", "substr(\(text), 2, 3)",
        "left(\(text), -1)",
        "replace(\(text), 'a', 'bb')", "\(text) LIKE 'a%'", "lpad(\(text), 5, '*')", "md5(\(text))",
        "regexp_replace(\(text), '[a-c]+', 'z')", "split_part(\(text), 'b', 1)", "\(text) ~ '^a'",
      ])
    case "date", "timestamp", "timestamptz":
      return random.pick([
        text, "extract(year FROM \(text))", "\(text) + interval '1 day'",
        "date_trunc('month', \(text))",
        "to_char(\(text), 'YYYY-MM-DD')", "age(\(text))", "\(text)::date", "\(text)::text",
      ])
    case "int[]", "text[]":
      return random.pick([
        text, "\(text)[1]", "array_length(\(text), 1)", "cardinality(\(text))",
        "\(text) || \(text)",
        "array_to_string(\(text), ',')", "\(text)[1:1]", "to_json(\(text))",
      ])
    case "jsonb":
      return random.pick([
        text, "\(text) -> 'a'", "\(text) ->> 'a'", "jsonb_typeof(\(text))", "\(text) @> '{}'",
        "\(text) #> '{a,b}'",
        "jsonb_set(\(text), '{a}', '1')", "\(text) || '{\"z\": 1}'",
      ])
    default:
      return random.pick([
        text, "\(text)::text", "coalesce(\(text), \(literal(own.type)))", "\(text) IS NULL",
      ])
    }
  }

  mutating func condition(_ table: Table, _ alias: String) -> String {
    let own = column(table)
    let text = "\(alias).\(own.name)"
    switch random.below(14) {
    case 0..<5: return "\(text) \(random.pick(["=", "=", "<", ">=", "<>"])) \(literal(own.type))"
    case 5: return "\(text) IS \(random.pick(["", "NOT "]))NULL"
    case 6: return "\(text) IN (\(literal(own.type)), \(literal(own.type)))"
    case 7: return "\(text) BETWEEN \(literal(own.type)) AND \(literal(own.type))"
    case 8:
      return "(\(condition(table, alias)) \(random.pick(["AND", "OR"])) \(condition(table, alias)))"
    case 9: return "NOT (\(condition(table, alias)))"
    case 10:
      let other = self.table()
      return
        "\(text) \(random.pick(["IN", "NOT IN"])) (SELECT \(column(other, of: own.type).name) FROM \(other.name))"
    case 11:
      let other = self.table()
      return
        "\(random.pick(["", "NOT "]))EXISTS (SELECT 1 FROM \(other.name) z WHERE z.\(column(other, of: own.type).name) = \(text))"
    case 12: return "\(text) IS NOT DISTINCT FROM \(literal(own.type))"
    default: return random.pick(["true", "\(text) IS NULL OR true", "false"])
    }
  }

  mutating func select() -> String { query(random.pick([0, 0, 1, 1, 2])) }

  mutating func query(_ depth: Int) -> String {
    let table = table()
    let some = column(table)
    let filter = random.chance(60) ? " WHERE \(condition(table, "x"))" : ""
    let from = "\(table.name) x"
    if depth == 0 {
      let list = (0..<random.within(1...3)).map { _ in expression(table, "x", column(table).type) }
      return "SELECT \(list.joined(separator: ", ")) FROM \(from)\(filter)"
    }
    let other = self.table()
    let join =
      "\(from) \(random.pick(["JOIN", "LEFT JOIN", "FULL JOIN", "RIGHT JOIN"])) \(other.name) y ON y.\(column(other, of: some.type).name) = x.\(some.name)"
    switch random.below(14) {
    case 0: return "SELECT DISTINCT x.\(some.name) FROM \(join)\(filter)"
    case 1, 2:
      return
        "SELECT x.\(some.name), count(*), min(x.\(column(table).name)), count(DISTINCT y.\(column(other).name)) FROM \(join)\(filter) GROUP BY 1"
    case 3: return "SELECT * FROM \(join)\(filter) ORDER BY 1 DESC LIMIT 5 OFFSET 1"
    case 4:
      return
        "SELECT x.\(some.name), \(random.pick(["row_number()", "rank()", "lag(x.\(some.name))", "count(*)", "max(x.\(some.name))"])) OVER (PARTITION BY x.\(column(table).name) ORDER BY x.\(some.name)) FROM \(from)\(filter)"
    case 5:
      return
        "SELECT \(some.name) FROM \(from)\(filter) \(random.pick(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"])) SELECT \(column(other, of: some.type).name) FROM \(other.name)"
    case 6: return "WITH q AS (\(query(depth - 1))) SELECT count(*) FROM q, q r"
    case 7:
      return
        "WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q WHERE n < \(random.below(8))) SELECT * FROM q LEFT JOIN \(from) ON true"
    case 8:
      return
        "SELECT x.*, (SELECT count(*) FROM \(other.name) y WHERE y.\(column(other, of: some.type).name) = x.\(some.name)) FROM \(from)\(filter)"
    case 9:
      return
        "SELECT * FROM \(from), LATERAL (SELECT * FROM \(other.name) y WHERE y.\(column(other, of: some.type).name) = x.\(some.name) LIMIT 2) z"
    case 10:
      return
        "SELECT count(*) FILTER (WHERE \(condition(table, "x"))), array_agg(x.\(some.name)), string_agg(x.\(some.name)::text, ',') FROM \(from)"
    case 11:
      return
        "SELECT x.\(some.name), grouping(x.\(some.name)) FROM \(from) GROUP BY ROLLUP (x.\(some.name))"
    case 12: return "SELECT json_agg(x), row_to_json(x)::text FROM \(from)\(filter) GROUP BY x"
    default: return "SELECT * FROM (\(query(depth - 1))) q"
    }
  }

  /// What is left: rarer statements, and texts that are no statements.
  mutating func other() -> String {
    let table = table()
    let one = column(table)
    switch random.below(12) {
    case 0:
      let other = self.table()
      return
        "MERGE INTO \(table.name) x USING \(other.name) y ON x.\(one.name) = y.\(column(other, of: one.type).name) WHEN MATCHED THEN \(random.pick(["DELETE", "DO NOTHING"])) WHEN NOT MATCHED THEN DO NOTHING"
    case 1:
      return
        "WITH m AS (DELETE FROM \(table.name) x WHERE \(condition(table, "x")) RETURNING *) SELECT count(*) FROM m"
    case 2: return "CREATE TABLE IF NOT EXISTS u\(random.below(3)) AS \(query(1))"
    case 3: return "DROP TABLE IF EXISTS u\(random.below(3)) CASCADE"
    case 4: return "CREATE SEQUENCE IF NOT EXISTS q\(random.below(2))"
    case 5:
      return random.pick([
        "SELECT nextval('q0')", "SELECT currval('q1')", "SELECT setval('q0', 5)",
        "DROP SEQUENCE IF EXISTS q0",
      ])
    case 6: return "COMMENT ON TABLE \(table.name) IS 'a table'"
    case 7:
      // A statement that has lost a piece.
      let text = Array(query(1))
      let start = random.below(text.count)
      return String(text[..<start] + text[min(text.count, start + random.within(1...6))...])
    case 8:
      return
        "SELECT \(random.pick(["generate_series(1, 3)", "unnest(ARRAY[1, 2])", "now() > now()", "1 / 0", "'x'::int", "ARRAY[1, 2][3]"]))"
    case 9: return "SELECT relname FROM pg_class WHERE relname = '\(table.name)'"
    case 10: return "SELECT * FROM \(table.name) x NATURAL JOIN \(self.table().name) y"
    default: return "COPY \(table.name) TO STDOUT"
    }
  }
}
