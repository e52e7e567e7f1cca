import Diagnostics
import Foundation
import Junction
import Testing

@Suite("Files of parquet")
struct ParquetTableTests {
  private static func rows(
    _ connection: Connection, _ folder: URL, _ query: String
  ) throws -> [String] {
    let result = try connection.query(query.replacing("@", with: folder.path))
    return (0..<result.count).map { row in
      result.columns.indices.map { result.text(row: row, column: $0) ?? "NULL" }
        .joined(separator: "|")
    }
  }

  private static let table = """
    CREATE TABLE t (
      i2 smallint, i4 int, i8 bigint, f4 real, f8 double precision, n numeric(12, 3), wide numeric(30, 5),
      b boolean, s text, v varchar(20), day date, at timestamp, zoned timestamptz, clock time,
      id uuid, bytes bytea, j jsonb, list int[], texts text[]);
    """

  private static func fill(_ count: Int) -> String {
    """
    INSERT INTO t SELECT i % 300, i, i * 10000000000, i / 3.0, i / 7.0, i / 8.0, i * 1234567890123.25,
      i % 2 = 0, 'text ' || i % 50, CASE WHEN i % 3 > 0 THEN 'value ' || i END,
      date '2000-01-01' + i % 9000, timestamp '2001-02-03 04:05:06.789' + i * interval '1 second',
      timestamptz '2001-02-03 04:05:06+00' + i * interval '1 minute', time '00:00:01' + i % 80000 * interval '1 s',
      ('00000000-0000-0000-0000-' || lpad(i::text, 12, '0'))::uuid, decode(lpad(to_hex(i), 8, '0'), 'hex'),
      jsonb_build_object('k', i), ARRAY[i, NULL, -i], CASE WHEN i % 4 > 0 THEN ARRAY['a', i::text] END
    FROM generate_series(1, \(count)) i;
    INSERT INTO t (i4) SELECT NULL FROM generate_series(1, least(5, \(count)));
    """
  }

  @Test(
    "keep every type and every NULL, both ways", arguments: [0, 1, 5000],
    ["", "(COMPRESSION none, ROW_GROUP_SIZE 4096)"])
  func roundTrip(count: Int, options: String) throws {
    try withFiles { (folder) throws in
      let connection = Database().connect()
      let path = folder.appending(path: "t.parquet").path
      try connection.execute(
        Self.table + Self.fill(count)
          + """
          COPY t TO '\(path)' \(options);
          CREATE TABLE u (LIKE t);
          COPY u FROM '\(path)';
          CREATE TABLE w AS FROM '\(path)';
          ALTER TABLE w ALTER j TYPE jsonb;
          """)
      for other in ["u", "w"] {
        let difference =
          "SELECT count(*) FROM ((TABLE t EXCEPT ALL TABLE \(other)) UNION ALL "
          + "(TABLE \(other) EXCEPT ALL TABLE t)) x"
        #expect(try Self.rows(connection, folder, difference) == ["0"])
      }
      let all = count + min(5, count)
      #expect(
        try Self.rows(connection, folder, "SELECT count(*) FROM '@/t.parquet'") == ["\(all)"])
      #expect(
        try Self.rows(connection, folder, "SELECT count(v), count(*) FROM '@/t.parquet'")
          == ["\(count - count / 3)|\(all)"])
    }
  }

  @Test("of many rows are read by several tasks, in order")
  func order() throws {
    try withFiles { (folder) throws in
      let connection = Database().connect()
      for size in [1 << 20, 15_000, 90_000, 36_973, 701] {
        try connection.execute(
          """
          COPY (SELECT i, CASE WHEN i % 3 > 0 THEN i::text END AS t FROM generate_series(1, 180000) i)
          TO '@/t\(size).parquet' (ROW_GROUP_SIZE \(size))
          """.replacing("@", with: folder.path))
        // The first goes through the file and keeps nothing; what comes later finds columns in place.
        for _ in 0..<3 {
          #expect(
            try Self.rows(
              connection, folder,
              "SELECT count(*), sum(i), count(t), max(i), count(DISTINCT t) FROM '@/t\(size).parquet'"
            )
              == ["180000|16200090000|120000|180000|120000"])
          #expect(
            try Self.rows(
              connection, folder,
              "SELECT count(*), bool_and(i = n), bool_and(t IS NOT DISTINCT FROM CASE WHEN i % 3 > 0 "
                + "THEN i::text END) FROM (SELECT *, row_number() OVER () AS n FROM '@/t\(size).parquet') x"
            )
              == ["180000|t|t"])
        }
      }
    }
  }

  @Test("give a later question what earlier ones have read", arguments: [3000, 4096, 1 << 20])
  func laterColumns(groupSize: Int) throws {
    try withFiles { (folder) throws in
      let connection = Database().connect()
      try connection.execute(
        """
        COPY (SELECT i, i * 2 AS twice, CASE WHEN i % 3 > 0 THEN 'a text of a number ' || i END AS t,
          CASE WHEN i % 5 > 0 THEN i / 8.0 END AS n, 'kind ' || i % 4 AS kind
          FROM generate_series(1, 20000) i) TO '@/t.parquet' (ROW_GROUP_SIZE \(groupSize))
        """.replacing("@", with: folder.path))
      let sum = "SELECT sum(twice) FROM '@/t.parquet'"
      #expect(try Self.rows(connection, folder, sum) == ["400020000"])
      #expect(
        try Self.rows(
          connection, folder, "SELECT count(t), count(DISTINCT kind) FROM '@/t.parquet'")
          == ["13334|4"])
      #expect(
        try Self.rows(
          connection, folder,
          "SELECT count(*) FROM (SELECT *, row_number() OVER () AS r FROM '@/t.parquet') x "
            + "WHERE i = r AND twice = 2 * r AND kind = 'kind ' || r % 4 "
            + "AND t IS NOT DISTINCT FROM CASE WHEN r % 3 > 0 THEN 'a text of a number ' || r END "
            + "AND n IS NOT DISTINCT FROM CASE WHEN r % 5 > 0 THEN r / 8.0 END") == ["20000"])
      // Another file of that name has nothing to do with what was read.
      try connection.execute(
        "COPY (SELECT 7 AS i, 8 AS twice, 'x' AS t) TO '@/t.parquet'".replacing(
          "@", with: folder.path))
      #expect(try Self.rows(connection, folder, sum) == ["8"])
      #expect(try Self.rows(connection, folder, "SELECT t, i FROM '@/t.parquet'") == ["x|7"])
    }
  }

  @Test(
    "are read where a condition may hold, with the same answers",
    arguments: [
      "i = 7000", "7000 = t.i", "i < 2500 AND kind = 'kind 3'", "i >= -5 AND i <= 3",
      "i BETWEEN 9000 AND 9010",
      "day = '2003-01-01'", "day > date '2020-01-01'", "day < timestamp '2001-01-01 12:00'",
      "name >= 'name 19990'",
      "late IS NOT NULL", "late IS NULL AND i < 10", "i = 5 OR i = 15000", "NOT i < 19000",
      "i = 1e3", "i = NULL",
      "n = 12.5", "i = 0", "i > 20000", "i = (SELECT max(i) FROM '@/t.parquet')", "i::text = '77'",
      "i IN (5, 19000)",
      "i = 5.0", "name = 'name 5' AND 1 = 1", "i < '30'",
    ])
  func rowGroups(condition: String) throws {
    try withFiles { (folder) throws in
      let connection = Database().connect()
      try connection.execute(
        """
        CREATE TABLE w AS SELECT i, date '2000-01-01' + i AS day, 'name ' || lpad(i::text, 5, '0') AS name,
          'kind ' || i % 4 AS kind, CASE WHEN i > 18000 THEN i END AS late, i / 4.0 AS n
          FROM generate_series(1, 20000) i;
        COPY w TO '@/t.parquet' (ROW_GROUP_SIZE 2048);
        """.replacing("@", with: folder.path))
      let query = "SELECT count(*), sum(i), min(name), max(day) FROM ! t WHERE \(condition)"
      let expected = try Self.rows(
        connection, folder, query.replacing("!", with: "w"))
      for _ in 0..<2 {
        #expect(
          try Self.rows(connection, folder, query.replacing("!", with: "'@/t.parquet'")) == expected
        )
      }
      // What was left out is there for the next question.
      #expect(
        try Self.rows(connection, folder, "SELECT count(*), max(i) FROM '@/t.parquet'")
          == ["20000|20000"])
    }
  }

  @Test("become tables of their own, whose changes show nowhere else")
  func ownPages() throws {
    try withFiles { (folder) throws in
      let connection = Database().connect()
      let sums = { (table: String) in
        try Self.rows(
          connection, folder,
          "SELECT count(*), sum(i), min(t), max(t), count(n) FROM \(table)")
      }
      try connection.execute(
        """
        COPY (SELECT i, 'text of number ' || i % 50 AS t, nullif(i % 3, 0) / 2.0 AS n
          FROM generate_series(1, 300000) i) TO '@/t.parquet';
        CREATE TABLE a AS FROM '@/t.parquet';
        CREATE TABLE b AS FROM a;
        """.replacing("@", with: folder.path))
      let before = try sums("a")
      let changes = """
        UPDATE @ SET t = 'a', n = NULL WHERE i % 7 = 0; DELETE FROM @ WHERE i % 11 = 0;
        INSERT INTO @ VALUES (0, 'z', 1);
        """
      try connection.execute(changes.replacing("@", with: "a"))
      let after = try sums("a")
      #expect(try sums("b") == before)
      #expect(try sums("'@/t.parquet'") == before)
      try connection.execute(
        "BEGIN; UPDATE b SET n = 1; CREATE TABLE c AS FROM b; UPDATE b SET n = NULL;")
      #expect(try sums("c")[0].hasSuffix("|300000"))
      #expect(try sums("b")[0].hasSuffix("|0"))
      try connection.execute("ROLLBACK; DROP TABLE a;" + changes.replacing("@", with: "b"))
      #expect(try sums("b") == after)
      #expect(try sums("'@/t.parquet'") == before)
    }
  }

  @Test("go into a table under its rules, all of them or none")
  func rules() throws {
    try withFiles { (folder) throws in
      let connection = Database().connect()
      try connection.execute(
        """
        CREATE TABLE p (id int PRIMARY KEY, name text NOT NULL);
        INSERT INTO p SELECT i, 'n' || i FROM generate_series(1, 9000) i;
        COPY p TO '@/p.parquet';
        COPY (SELECT id, CASE WHEN id <> 5000 THEN name END AS name FROM p) TO '@/null.parquet';
        COPY (SELECT id % 8999 AS id, name FROM p) TO '@/twice.parquet';
        COPY (SELECT id AS c, id + 1 AS p_id FROM p) TO '@/child.parquet';
        COPY (SELECT name, id FROM p) TO '@/turned.parquet';
        COPY (SELECT id::bigint AS id, name FROM p) TO '@/wide.parquet';
        CREATE TABLE c (c int PRIMARY KEY, p_id int REFERENCES p);
        CREATE TABLE q (LIKE p INCLUDING ALL);
        """.replacing("@", with: folder.path))
      for (table, file, state) in [
        ("q", "null", "23502"), ("q", "twice", "23505"), ("p", "p", "23505"),
        ("c", "child", "23503"),
      ] {
        let error = #expect(throws: SQLError.self) {
          try connection.execute("COPY \(table) FROM '\(folder.path)/\(file).parquet'")
        }
        #expect(error?.state.code == state, "\(file): \(error?.message ?? "")")
        #expect(error?.context?.contains("COPY \(table), ") == true)
      }
      #expect(try Self.rows(connection, folder, "SELECT count(*) FROM q") == ["0"])
      for file in ["p", "turned", "wide"] {
        try connection.execute("COPY q FROM '\(folder.path)/\(file).parquet'")
        #expect(
          try Self.rows(
            connection, folder,
            "SELECT count(*), count(DISTINCT name), min(name) FROM q WHERE 'n' || id = name")
            == ["9000|9000|n1"])
        #expect(try Self.rows(connection, folder, "SELECT name FROM q WHERE id = 77") == ["n77"])
        try connection.execute("TRUNCATE q")
      }
    }
  }

  @Test("are tables of a folder, and parts of one")
  func folders() throws {
    try withFiles(["course.csv": Data("id,name\n1,Art\n2,Law\n".utf8)]) { (folder) throws in
      let connection = Database().connect()
      try connection.execute(
        """
        COPY (SELECT i AS id, 'Student ' || i AS name FROM generate_series(1, 3) i) TO '@/student.parquet';
        COPY (SELECT 1 AS student_id, 2 AS course_id) TO '@/takes.parquet';
        """.replacing("@", with: folder.path))
      let database = try Database(folder: folder.path)
      #expect(
        database.notices.map(\.message).contains(
          "takes: primary key (student_id, course_id), inferred; a junction table"))
      #expect(
        try Self.rows(
          database.connect(), folder,
          "SELECT s.name, c.name FROM student s JOIN takes t ON t.student_id = s.id "
            + "JOIN course c ON c.id = t.course_id") == ["Student 1|Law"])
      try connection.execute(
        """
        COPY (SELECT 1 AS a, 'x' AS b) TO '@/part-0.parquet';
        COPY (SELECT 'y' AS b, 2 AS a) TO '@/part-1.parquet';
        COPY (SELECT 'y' AS b, 2.5 AS a) TO '@/odd-1.parquet';
        """.replacing("@", with: folder.path))
      #expect(
        try Self.rows(connection, folder, "FROM '@/part-*.parquet' ORDER BY a") == ["1|x", "2|y"])
      let error = #expect(throws: SQLError.self) {
        try Self.rows(connection, folder, "FROM '@/*-?.parquet'")
      }
      #expect(error?.message.contains("has no column \"a\" of type") == true)
    }
  }

  @Test("that are damaged, or none, are refused with a place")
  func damage() throws {
    try withFiles(["text.parquet": Data("id,name\n1,Ann\n".utf8)]) { (folder) throws in
      let connection = Database().connect()
      let path = folder.appending(path: "t.parquet")
      try connection.execute(
        "COPY (SELECT i, 'name ' || i AS n FROM generate_series(1, 9000) i) TO '\(path.path)'")
      let whole = try Data(contentsOf: path)
      for length in [0, 3, 100, whole.count / 2, whole.count - 1] {
        try whole.prefix(length).write(to: path)
        #expect(throws: SQLError.self) { try Self.rows(connection, folder, "FROM '@/t.parquet'") }
      }
      #expect(throws: SQLError.self) { try Self.rows(connection, folder, "FROM '@/text.parquet'") }
      // By another name it is what it is.
      try whole.write(to: folder.appending(path: "t.data"))
      #expect(
        try Self.rows(connection, folder, "SELECT count(*), max(i) FROM '@/t.data'") == [
          "9000|9000"
        ])
      #expect(throws: SQLError.self) {
        try connection.execute("COPY (SELECT 1 AS a, 2 AS a) TO '\(path.path)'")
      }
    }
  }

  @Test("are read no further than somebody asks, and end a statement that comes to damage")
  func laterDamage() throws {
    try withFiles { (folder) throws in
      let connection = Database().connect()
      let path = folder.appending(path: "t.parquet")
      let write = """
        COPY (SELECT i, 'name ' || i AS n FROM generate_series(1, 40000) i) TO '\(path.path)'
        (ROW_GROUP_SIZE 10000, COMPRESSION none)
        """
      try connection.execute(write)
      let whole = try Data(contentsOf: path)
      var damaged = whole
      let place = try #require(whole.range(of: Data("name 25000".utf8)))
      damaged.replaceSubrange(place, with: Data(repeating: 0xFF, count: place.count))
      try damaged.write(to: path)
      #expect(
        try Self.rows(connection, folder, "FROM '@/t.parquet' LIMIT 2") == ["1|name 1", "2|name 2"])
      #expect(try Self.rows(connection, folder, "SELECT count(*) FROM '@/t.parquet'") == ["40000"])
      // What takes the place of damaged rows is no reason for another error, and no answer.
      for query in [
        "SELECT max(n), sum(i) FROM '@/t.parquet'", "SELECT sum(1 / length(n)) FROM '@/t.parquet'",
        "SELECT 1 / sum(length(n)) FROM '@/t.parquet' WHERE i > 25000",
        "SELECT count(*) FROM '@/t.parquet' a JOIN '@/t.parquet' b USING (n)",
        "CREATE TABLE u AS FROM '@/t.parquet'", "SELECT DISTINCT n FROM '@/t.parquet' ORDER BY 1",
      ] {
        for _ in 0..<2 {
          let error = #expect(throws: SQLError.self) {
            _ = try Self.rows(connection, folder, query)
          }
          #expect(error?.state == .characterNotInRepertoire)
          #expect(error?.message.contains("t.parquet") == true)
        }
      }
      let error = #expect(throws: SQLError.self) { try connection.execute("TABLE u") }
      #expect(error?.state == .undefinedTable)
      try whole.write(to: path)
      #expect(
        try Self.rows(connection, folder, "SELECT count(n), sum(i) FROM '@/t.parquet'")
          == ["40000|800020000"])
    }
  }

  @Test("of many rows in row groups of any length join, group and sort as tables do")
  func queries() throws {
    try withFiles { (folder) throws in
      let connection = Database().connect()
      try connection.execute(
        """
        CREATE TABLE a AS SELECT i, i % 7 AS k, 'kind ' || i % 13 AS kind, nullif(i % 5, 0) AS n,
          CASE WHEN i % 11 > 0 THEN 'a longer text ' || i % 300 END AS t
          FROM generate_series(1, 250000) i;
        COPY a TO '@/a.parquet' (ROW_GROUP_SIZE 33333);
        """.replacing("@", with: folder.path))
      for query in [
        "SELECT kind, t, count(*), sum(n) FROM ! GROUP BY kind, t ORDER BY 1, 2",
        "SELECT kind, k, count(DISTINCT t) FROM ! GROUP BY ROLLUP (kind, k) ORDER BY 1, 2",
        "SELECT x.kind, count(*) FROM ! x JOIN ! y ON x.i = y.i + 1 AND x.kind <> y.t GROUP BY 1 ORDER BY 1",
        "SELECT * FROM ! ORDER BY t DESC NULLS LAST, i LIMIT 20",
        "SELECT i, t FROM ! WHERE kind = 'kind 5' AND n = 3 ORDER BY i LIMIT 30",
        "SELECT count(*) FROM ! x WHERE NOT EXISTS (SELECT FROM ! y WHERE y.i = x.i * 2)",
        "SELECT k, t, row_number() OVER (PARTITION BY k ORDER BY i) FROM ! WHERE i > 249990 ORDER BY i",
        "SELECT DISTINCT kind FROM ! ORDER BY kind", "SELECT min(t), max(t), min(n), max(i) FROM !",
      ] {
        let expected = try Self.rows(connection, folder, query.replacing("!", with: "a"))
        for _ in 0..<2 {
          #expect(
            try Self.rows(connection, folder, query.replacing("!", with: "'@/a.parquet'"))
              == expected)
        }
      }
    }
  }
}
