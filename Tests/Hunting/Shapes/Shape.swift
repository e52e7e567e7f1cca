/// A statement that can be made as large as is wanted.
struct Shape: Sendable {
  let name: String
  /// The greatest size that makes sense.
  var most = Int.max
  /// Statements for a size, the last of which is looked at.
  let script: @Sendable (Int) -> [String]

  private init(_ name: String, most: Int = .max, script: @escaping @Sendable (Int) -> [String]) {
    self.name = name
    self.most = most
    self.script = script
  }

  private init(_ name: String, most: Int = .max, _ sql: @escaping @Sendable (Int) -> String) {
    self.init(name, most: most, script: { [sql($0)] })
  }

  /// `before` so many times, the middle, and `after` so many times.
  private static func nest(
    _ name: String, _ start: String, _ before: String, _ middle: String, _ after: String,
    _ end: String = ""
  )
    -> Shape
  {
    Shape(name) {
      start + String(repeating: before, count: $0) + middle + String(repeating: after, count: $0)
        + end
    }
  }

  /// So many parts, each made from its number.
  private static func list(
    _ name: String, _ start: String, by separator: String = ", ", _ end: String = "",
    most: Int = .max,
    _ part: @escaping @Sendable (Int) -> String
  ) -> Shape {
    Shape(name, most: most) { start + (0..<$0).map(part).joined(separator: separator) + end }
  }

  static let all = nested + chains + lists + queries + scripts

  private static let nested = [
    nest("parentheses", "SELECT ", "(", "1", ")"), nest("NOT", "SELECT ", "NOT ", "true", ""),
    nest("minus", "SELECT ", "- ", "1", ""), nest("abs", "SELECT ", "abs(", "-1", ")"),
    nest("upper", "SELECT ", "upper(", "'a'", ")"),
    nest("CASE", "SELECT ", "CASE WHEN true THEN ", "1", " END"),
    nest("coalesce", "SELECT ", "coalesce(NULL, ", "1", ")"),
    nest("ROW", "SELECT ", "ROW(1, ", "1", ")"),
    nest("ARRAY", "SELECT ", "ARRAY[", "1", "]"), nest("CAST", "SELECT ", "CAST(", "1", " AS int)"),
    nest("casts", "SELECT 1", "::int", "", ""), nest("IS NULL", "SELECT 1", " IS NULL", "", ""),
    nest("subscripts", "SELECT (ARRAY[1])", "[1]", "", ""),
    nest("fields", "SELECT (a)", ".a", "", ""),
    nest("scalar subqueries", "SELECT ", "(SELECT ", "1", ")"),
    nest("FROM subqueries", "SELECT * FROM ", "(SELECT * FROM ", "(SELECT 1 AS a) q", ") q"),
    nest("EXISTS", "SELECT 1 WHERE ", "EXISTS (SELECT 1 WHERE ", "true", ")"),
    nest("IN subqueries", "SELECT 1 WHERE ", "1 IN (SELECT 1 WHERE ", "true", ")"),
    nest("unions in parentheses", "", "(SELECT 1 UNION ALL ", "SELECT 1", ")"),
    nest("WITH in WITH", "", "WITH q AS (", "SELECT 1 AS a", ") SELECT * FROM q"),
    nest(
      "joins in parentheses", "SELECT 1 FROM ", "(", "(SELECT 1 AS a) q",
      " CROSS JOIN (SELECT 2) r)"),
    nest("comments", "SELECT 1 ", "/* ", "", " */"),
    nest("jsonb text", "SELECT '", "[", "", "]", "'::jsonb"),
    nest("json text", "SELECT '", "{\"a\":", "1", "}", "'::json"),
    nest("array text", "SELECT '", "{", "", "}", "'::int[]"),
    nest("row text", "SELECT '", "(", "", ")", "'::record"),
    nest("regular expression groups", "SELECT 'a' ~ '", "(", "a", ")", "'"),
    nest("regular expression stars", "SELECT repeat('a', 30) ~ '", "(a*", "b", ")*", "'"),
    nest("filters", "SELECT ", "sum(1) FILTER (WHERE ", "true", ")"),
    nest("json_build_array", "SELECT ", "json_build_array(", "1", ")"),
    nest("EXPLAIN", "", "EXPLAIN ", "SELECT 1", ""),
  ]

  private static let chains = [
    list("additions", "SELECT ", by: " + ") { "\($0)" },
    list("ANDs", "SELECT ", by: " AND ") { "\($0) = \($0)" },
    list("ORs", "SELECT ", by: " OR ") { "\($0) = 1" },
    list("concatenations", "SELECT ", by: " || ") { "'\($0)'" },
    list("ORs of a column", "SELECT * FROM (VALUES (1)) v(a) WHERE ", by: " OR ") { "a = \($0)" },
    list("ANDs of a column", "SELECT * FROM (VALUES (1)) v(a) WHERE ", by: " AND ") {
      "a <> \($0)"
    },
    list("comparisons of columns", "SELECT * FROM (VALUES (1, 2)) v(a, b) WHERE ", by: " OR ") {
      "a + \($0) < b"
    },
    list("UNION ALL", "", by: " UNION ALL ") { "SELECT \($0)" },
    list("UNION", "", by: " UNION ") { "SELECT \($0)" },
    list("EXCEPT", "", by: " EXCEPT ") { "SELECT \($0)" },
    list("INTERSECT", "", by: " INTERSECT ") { "SELECT \($0 * 0)" },
    list("array concatenations", "SELECT ", by: " || ") { "ARRAY[\($0)]" },
    list("jsonb arrows", "SELECT '{}'::jsonb", by: "") { _ in " -> 'a'" },
    list("BETWEEN", "SELECT 1 WHERE ", by: " AND ") { "1 BETWEEN 0 AND \($0)" },
  ]

  private static let lists = [
    list("IN list", "SELECT 5 IN (", ")") { "\($0)" },
    list("IN list of a column", "SELECT * FROM generate_series(1, 3) g WHERE g IN (", ")") {
      "\($0)"
    },
    list("NOT IN texts", "SELECT * FROM (VALUES ('a')) v(t) WHERE t NOT IN (", ")") {
      "'text \($0)'"
    },
    list("columns", "SELECT ") { "\($0) AS c\($0)" }, list("VALUES", "VALUES ") { "(\($0), 'a')" },
    list("ARRAY", "SELECT ARRAY[", "]") { "\($0)" },
    list("coalesce list", "SELECT coalesce(", ")") { _ in "NULL" },
    list("greatest list", "SELECT greatest(", ")") { "\($0)" },
    list("concat list", "SELECT concat(", ")") { "'\($0)'" },
    list("CASE branches", "SELECT CASE 7 ", by: " ", " END") { "WHEN \($0) THEN \($0)" },
    list("ORDER BY", "SELECT 1 FROM (SELECT 1 AS a) q ORDER BY ") { "a + \($0)" },
    list("GROUP BY", "SELECT count(*) FROM (SELECT 1 AS a) q GROUP BY ") { "a + \($0)" },
    list(
      "grouping sets", "SELECT count(*) FROM (SELECT 1 AS a) q GROUP BY GROUPING SETS (", ")",
      most: 20_000
    ) { _ in "(a)" },
    list("ROLLUP", "SELECT count(*) FROM (SELECT 1 AS a) q GROUP BY ROLLUP (", ")", most: 4096) {
      "(a + \($0))"
    },
    list("CUBE", "SELECT count(*) FROM (SELECT 1 AS a) q GROUP BY CUBE (", ")", most: 64) {
      "(a + \($0))"
    },
    list("aggregates", "SELECT ", " FROM generate_series(1, 3) g") { "sum(g + \($0))" },
    list("windows", "SELECT ", " FROM generate_series(1, 3) g", most: 8192) {
      "sum(g) OVER (ORDER BY g + \($0))"
    },
    list("named windows", "SELECT 1 FROM generate_series(1, 3) g WINDOW ") {
      "w\($0) AS (ORDER BY g)"
    },
    list("CTEs", "WITH ", " SELECT 1") { "q\($0) AS (SELECT \($0))" },
    list("semicolons", "SELECT 1", by: "") { _ in ";" },
    list("strings", "SELECT '", by: "", "'") { _ in "x" },
    list("identifier", "SELECT 1 AS ", by: "") { _ in "x" },
    list("digits", "SELECT ", by: "") { _ in "7" },
    list("fraction", "SELECT 0.", by: "") { _ in "7" },
    list("exponent", "SELECT 1e", by: "") { _ in "7" },
    list("spaces", "SELECT 1", by: "") { _ in " \n" },
    list("quotes", "SELECT '", by: "", "'") { _ in "''" },
    list("operators", "SELECT 1 ", by: "", " 1") { _ in "+" },
    list("json_build_object", "SELECT json_build_object(", ")") { "'k\($0)', \($0)" },
    list("jsonb object", "SELECT '{", "}'::jsonb") { "\"k\($0)\": \($0)" },
    list("array text list", "SELECT '{", "}'::int[]") { "\($0)" },
    list("LIKE", "SELECT repeat('a', 100) LIKE '", by: "", "b'") { _ in "%a" },
    list("alternatives", "SELECT 'zz' ~ '", by: "|", "'", most: 20_000) { "a\($0)" },
    list("qualified name", "SELECT ", by: ".") { "a\($0)" },
    list("parameters", "SELECT ") { "$\($0 + 1)" },
  ]

  private static let queries = [
    list("cross joins", "SELECT count(*) FROM ", most: 2048) { "(SELECT 1) q\($0)" },
    Shape(
      "joins", most: 1024,
      script: { size in
        [
          "CREATE TABLE t (a int PRIMARY KEY, b int REFERENCES t)",
          "INSERT INTO t VALUES (1, 1), (2, 1)",
        ]
          + [
            "SELECT count(*) FROM t x0"
              + (1..<max(size, 2)).map { " JOIN t x\($0) ON x\($0).a = x\($0 - 1).b" }.joined()
          ]
      }),
    Shape(
      "left joins", most: 1024,
      script: { size in
        [
          "CREATE TABLE t (a int PRIMARY KEY, b int REFERENCES t)",
          "INSERT INTO t VALUES (1, 1), (2, 1)",
        ]
          + [
            "SELECT * FROM t x0"
              + (1..<max(size, 2)).map { " LEFT JOIN t x\($0) ON x\($0).a = x\($0 - 1).b" }.joined()
          ]
      }),
    Shape("laterals", most: 2048) { size in
      "SELECT 1 FROM (SELECT 1 AS a) q0"
        + (1..<max(size, 2)).map { ", LATERAL (SELECT q\($0 - 1).a + 1 AS a) q\($0)" }.joined()
    },
    Shape("chain of CTEs", most: 20_000) { size in
      "WITH q0 AS (SELECT 1 AS a)"
        + (1..<max(size, 2)).map { ", q\($0) AS (SELECT a + 1 AS a FROM q\($0 - 1))" }.joined()
        + " SELECT * FROM q\(max(size, 2) - 1)"
    },
    Shape("doubling CTEs", most: 64) { size in
      "WITH q0 AS (SELECT 1 AS a)"
        + (1..<max(size, 2)).map {
          ", q\($0) AS (SELECT x.a FROM q\($0 - 1) x JOIN q\($0 - 1) y ON x.a = y.a)"
        }.joined()
        + " SELECT * FROM q\(max(size, 2) - 1)"
    },
    list("correlated subqueries", "SELECT ", " FROM generate_series(1, 2) g", most: 2048) {
      "(SELECT count(*) FROM generate_series(1, 3) h WHERE h = g + \($0))"
    },
    list(
      "EXISTS of a query", "SELECT g FROM generate_series(1, 2) g WHERE ", by: " AND ", most: 2048
    ) {
      "EXISTS (SELECT 1 FROM generate_series(1, 3) h WHERE h = g * 1 + \($0) * 0)"
    },
    Shape("recursion", most: 20_000) {
      "WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q WHERE n < \($0)) SELECT max(n) FROM q"
    },
  ]

  private static let scripts = [
    Shape(
      "table of columns", most: 4096,
      script: { size in
        ["CREATE TABLE t (\((0..<size).map { "c\($0) int" }.joined(separator: ", ")))"]
      }),
    Shape(
      "rows inserted",
      script: { size in
        ["CREATE TABLE t (a int PRIMARY KEY, b text)"]
          + ["INSERT INTO t VALUES \((0..<size).map { "(\($0), 'a')" }.joined(separator: ", "))"]
      }),
    Shape(
      "cascade along a chain",
      script: { size in
        [
          "CREATE TABLE t (a int PRIMARY KEY, b int REFERENCES t ON DELETE CASCADE)",
          "INSERT INTO t SELECT i, nullif(i - 1, 0) FROM generate_series(1, \(size)) i",
          "DELETE FROM t WHERE a = 1",
        ]
      }),
    Shape(
      "views on views", most: 2048,
      script: { size in
        ["CREATE VIEW v0 AS SELECT 1 AS a"]
          + (1..<size).map { "CREATE VIEW v\($0) AS SELECT a FROM v\($0 - 1)" }
          + ["SELECT * FROM v\(size - 1)"]
      }),
    Shape(
      "views on views dropped", most: 2048,
      script: { size in
        ["CREATE VIEW v0 AS SELECT 1 AS a"]
          + (1..<size).map { "CREATE VIEW v\($0) AS SELECT a FROM v\($0 - 1)" }
          + ["DROP VIEW v0 CASCADE"]
      }),
    Shape(
      "domains of domains", most: 4096,
      script: { size in
        ["CREATE DOMAIN d0 AS int"] + (1..<size).map { "CREATE DOMAIN d\($0) AS d\($0 - 1)" } + [
          "SELECT 1::d\(size - 1)"
        ]
      }),
    Shape(
      "function calling itself", most: 8,
      script: { _ in
        [
          "CREATE FUNCTION f(n int) RETURNS int LANGUAGE sql AS 'SELECT n'",
          "CREATE OR REPLACE FUNCTION f(n int) RETURNS int LANGUAGE sql AS 'SELECT f(n + 1)'",
          "SELECT f(1)",
        ]
      }),
    Shape(
      "functions calling functions", most: 512,
      script: { size in
        ["CREATE FUNCTION f0(n int) RETURNS int LANGUAGE sql AS 'SELECT n'"]
          + (1..<size).map {
            "CREATE FUNCTION f\($0)(n int) RETURNS int LANGUAGE sql AS 'SELECT f\($0 - 1)(n) + 1'"
          }
          + ["SELECT f\(size - 1)(1)"]
      }),
    Shape(
      "foreign keys along tables", most: 1024,
      script: { size in
        ["CREATE TABLE t0 (a int PRIMARY KEY)"]
          + (1..<size).map {
            "CREATE TABLE t\($0) (a int PRIMARY KEY REFERENCES t\($0 - 1) ON DELETE CASCADE)"
          }
          + (0..<size).map { "INSERT INTO t\($0) VALUES (1)" } + ["DELETE FROM t0"]
      }),
    Shape(
      "savepoints", most: 20_000,
      script: { size in
        ["BEGIN", "CREATE TABLE t (a int)"] + (0..<size).map { "SAVEPOINT s\($0)" } + [
          "ROLLBACK TO s0"
        ]
      }),
    Shape(
      "composite types", most: 1024,
      script: { size in
        ["CREATE TYPE c0 AS (a int)"] + (1..<size).map { "CREATE TYPE c\($0) AS (a c\($0 - 1))" }
          + ["SELECT NULL::c\(size - 1)"]
      }),
  ]
}
