import Diagnostics
import Junction
import Testing

@Suite("Groups that are made first by few columns")
struct PartialGroupsTests {
  /// More rows than are grouped at once without ado.
  private static let rowCount = 12_000

  private static let database: Result<Database, SQLError> = {
    do throws(SQLError) {
      let database = Database()
      try database.connect().execute(
        """
        CREATE TABLE branch (code text PRIMARY KEY, town text);
        INSERT INTO branch SELECT 'B' || i, CASE WHEN i % 4 > 0 THEN 'town ' || i % 3 END
          FROM generate_series(1, 9) i;
        CREATE TABLE item (id int PRIMARY KEY, branch text REFERENCES branch, price numeric(6, 2), isNew bool);
        INSERT INTO item SELECT i, CASE WHEN i % 7 > 0 THEN 'B' || 1 + i % 9 END, i % 40 / 4.0, i % 5 = 0
          FROM generate_series(1, 300) i;
        CREATE TABLE sale (
          item int, day date NOT NULL, pieces int, sum numeric(8, 2), share float8, note text);
        INSERT INTO sale SELECT CASE WHEN i % 17 > 0 THEN i * 7919 % 330 END, DATE '2023-11-05' + i * 31 % 200,
            CASE WHEN i % 5 > 0 THEN i % 23 - 4 END, i % 1009 / 8.0, i % 8, 'note ' || i % 6
          FROM generate_series(1, \(rowCount)) i;
        INSERT INTO sale VALUES (9999, '2023-11-05', 1000, 1, 1, 'of nothing');
        ANALYZE;
        """)
      return .success(database)
    } catch {
      return .failure(error)
    }
  }()

  /// What rows are grouped from, the keys that go with it, and the condition that lets nothing be grouped first.
  private static let sources: [(from: String, keys: [String])] = [
    (
      "sale s",
      ["s.day", "date_trunc('month', s.day)", "extract(dow FROM s.day)", "s.pieces % 3", "s.note"]
    ),
    (
      "sale s JOIN item i ON i.id = s.item",
      ["i.branch", "i.isNew", "i.price", "s.day", "s.pieces", "upper(i.branch)", "s.item"]
    ),
    (
      "sale s LEFT JOIN item i ON i.id = s.item LEFT JOIN branch b ON b.code = i.branch",
      ["b.town", "i.branch", "i.isNew", "s.note", "coalesce(b.town, s.note)"]
    ),
    (
      "item i JOIN sale s ON s.item = i.id JOIN branch b ON b.code = i.branch AND b.town <> 'town 1'",
      ["b.town", "b.code", "i.price > 5", "s.note"]
    ),
    (
      "(SELECT item, day AS d, pieces, sum, share, note FROM sale) s JOIN item i ON i.id = s.item AND i.price > 2",
      ["i.branch", "s.d", "s.note"]
    ),
    (
      "item i LEFT JOIN sale s ON s.item = i.id AND s.pieces > 0 AND s.day < '2024-01-20'",
      ["i.branch", "i.id", "i.isNew", "i.price"]
    ),
    (
      "sale s WHERE s.item IN (SELECT id FROM item WHERE branch = 'B3') AND s.item > 20",
      ["s.item", "s.note", "s.item / 50"]
    ),
    (
      "sale s WHERE NOT EXISTS (SELECT FROM item i WHERE i.id = s.item AND i.isNew)",
      ["s.item % 10", "s.note", "s.item IS NULL"]
    ),
    // Too many combinations of the two items, but few of what they have.
    (
      "sale s JOIN item i ON i.id = s.item JOIN item k ON k.id = (s.sum * 8)::int % 300 + 1",
      ["i.branch", "k.branch", "s.note", "k.isNew"]
    ),
    (
      "sale s LEFT JOIN item i ON i.id = s.item LEFT JOIN item k ON k.id = (s.sum * 8)::int % 400 AND k.price > 3",
      ["k.branch", "i.branch", "i.isNew"]
    ),
  ]
  private static let aggregates = [
    "count(*)", "count(s.pieces)", "sum(s.pieces)", "avg(s.sum)", "sum(s.sum)", "min(s.note)",
    "sum(s.sum * 2.5 - s.sum)",
    "max(s.day)", "count(s.day)",
    "count(DISTINCT s.note)", "sum(DISTINCT s.pieces)", "bool_or(s.pieces > 10)",
    "stddev(s.pieces)",
    "sum(s.sum) FILTER (WHERE s.pieces > 3)", "count(*) FILTER (WHERE s.note = 'note 2')",
    "sum(s.share)",
    "bit_and(s.pieces)", "sum(s.pieces * 2)", "max(s.pieces + 1)",
  ]
  /// Aggregates that read the tables joined to the sales, whose conditions and values are asked of groups.
  private static let askingItems = [
    "sum(s.sum) FILTER (WHERE i.isNew)", "count(*) FILTER (WHERE i.price > 4)", "sum(i.price)",
    "avg(i.price)", "sum(i.id)", "avg(i.id)", "count(i.branch)", "count(i.id + 1)",
    "sum(CASE WHEN i.price > 5 THEN s.pieces ELSE 0 END)",
    "sum(CASE i.branch WHEN 'B3' THEN s.sum WHEN 'B4' THEN NULL WHEN 'B5' THEN s.sum + 1 ELSE 0 END)",
    "min(CASE WHEN i.isNew THEN s.note END)", "avg(CASE WHEN i.isNew THEN s.sum END)",
    "sum(CASE WHEN i.isNew THEN 1 WHEN i.price > 3 THEN 2 END)",
    "count(CASE WHEN i.price > 3 THEN s.pieces END)",
    "sum(CASE WHEN s.pieces IS NULL THEN i.price END)",
    "count(i.branch) FILTER (WHERE s.pieces > 3)",
    "avg(i.id) FILTER (WHERE s.note <> 'note 2')", "sum(i.price) FILTER (WHERE s.sum > 1000)",
  ]
  private static let groupings: [@Sendable ([String]) -> String] = [
    { $0.joined(separator: ", ") },
    { "ROLLUP (\($0.joined(separator: ", ")))" },
    { "CUBE (\($0.joined(separator: ", ")))" },
    { "GROUPING SETS ((\($0.joined(separator: ", "))), (\($0[0])), ())" },
  ]

  /// Aggregates of random groups, once as they are and once with a condition that has to be looked at for each row.
  private static func queries(_ seed: UInt64) -> (plain: String, byRow: String) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    let source = sources[next(sources.count)]
    var keys: [String] = []
    for _ in 0...next(3) where keys.count < source.keys.count {
      let key = source.keys[next(source.keys.count)]
      if !keys.contains(key) { keys.append(key) }
    }
    var items: [String] = []
    let choice =
      source.from.contains("item i") && !source.from.contains("FROM item i")
      ? aggregates + askingItems : aggregates
    for _ in 0...next(4) {
      items.append(choice[next(choice.count)])
    }
    if source.from.contains(" d,") || source.from.contains(" AS d") {
      items = items.map { $0.replacing("s.day", with: "s.d") }
    }
    let grouping = groupings[next(groupings.count)](keys)
    func query(_ condition: String) -> String {
      let from = source.from + (source.from.contains(" WHERE ") ? " AND " : " WHERE ") + condition
      let columns = (keys + items).joined(separator: ", ")
      let order = (1...(keys.count + items.count)).map(String.init).joined(separator: ", ")
      return "SELECT \(columns) FROM \(from) GROUP BY \(grouping) ORDER BY \(order)"
    }
    return (query("true"), query("random() < 2"))
  }

  @Test("give what grouping every row gives", arguments: 0..<6)
  func sameRows(_ lane: Int) throws {
    let connection = try Self.database.get().connect()
    for seed in (lane * 10)..<(lane * 10 + 10) {
      let (plain, byRow) = Self.queries(UInt64(seed) + 1)
      let (found, expected) = (try connection.query(plain), try connection.query(byRow))
      #expect(found.map(\.values) == expected.map(\.values), "\(plain)")
    }
  }

  @Test(
    "answer what is asked of other tables",
    arguments: [
      "sum(s.sum) FILTER (WHERE i.isNew)", "sum(i.price)", "avg(i.id), count(i.branch)",
      "sum(CASE WHEN i.isNew THEN s.pieces ELSE 0 END), sum(CASE WHEN i.price > 3 THEN s.pieces END)",
      "count(*), sum(CASE WHEN i.isNew THEN i.price END)",
      "sum(s.pieces), sum(CASE WHEN s.pieces IS NULL THEN i.price END), avg(i.id) FILTER (WHERE s.sum > 9)",
    ])
  func asked(_ aggregates: String) throws {
    let connection = try Self.database.get().connect()
    for from in ["sale s JOIN item i ON i.id = s.item", "item i JOIN sale s ON s.item = i.id"] {
      let query = "SELECT i.branch, \(aggregates) FROM \(from)"
      let text = try connection.query("EXPLAIN (COSTS OFF) \(query) GROUP BY 1").map {
        $0.line
      }.joined(separator: "\n")
      #expect(text.contains("Grouped First By: s.item\""), "\(text)")
      #expect(text.contains("Asked of Groups: "), "\(text)")
      let found = try connection.query("\(query) GROUP BY 1 ORDER BY 1").map(\.values)
      let expected = try connection.query("\(query) WHERE random() < 2 GROUP BY 1 ORDER BY 1")
        .map(\.values)
      #expect(found == expected && found.count > 5, "\(query)")
    }
  }

  @Test("are shown with what completes them")
  func plan() throws {
    let connection = try Self.database.get().connect()
    let lines = try connection.query(
      """
      EXPLAIN (COSTS OFF) SELECT b.town, count(*) FROM sale s JOIN item i ON i.id = s.item
      JOIN branch b ON b.code = i.branch GROUP BY b.town
      """
    ).map { $0.line }
    let text = lines.joined(separator: "\n")
    #expect(text.contains("Grouped First By: s.item"), "\(text)")
    #expect(text.contains("Partial Groups"), "\(text)")
  }

  @Test("are not made of rows most of which a join drops where they are read")
  func droppedRows() throws {
    let connection = try Self.database.get().connect()
    func plan(_ condition: String) throws -> String {
      try connection.query(
        """
        EXPLAIN (COSTS OFF) SELECT i.branch, sum(s.pieces) FROM sale s JOIN item i ON i.id = s.item
        WHERE \(condition) GROUP BY i.branch
        """
      ).map { $0.line }.joined(separator: "\n")
    }
    let (all, few) = (try plan("true"), try plan("i.price = 3.25"))
    #expect(all.contains("Grouped First By: s.item"), "\(all)")
    #expect(!few.contains("Grouped First By"), "\(few)")
  }

  @Test("are not made where they would be many")
  func manyGroups() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE part (id int PRIMARY KEY, colour text);
      INSERT INTO part SELECT i, 'colour ' || i % 8 FROM generate_series(1, 20000) i;
      CREATE TABLE use (part int REFERENCES part, few int REFERENCES part, n int);
      INSERT INTO use SELECT 1 + i::bigint * 7919 % 20000, 1 + i * 31 % 500, i % 9
        FROM generate_series(0, 299999) i;
      ANALYZE;
      """)
    for (key, isFirst) in [("part", false), ("few", true)] {
      let text = try connection.query(
        "EXPLAIN SELECT p.colour, sum(u.n) FROM use u JOIN part p ON p.id = u.\(key) GROUP BY 1"
      ).map { $0.line }.joined(separator: "\n")
      #expect(
        text.contains("Grouped First By: u.\(key)") == isFirst, "\(text)")
    }
  }

  @Test("are made by codes where there are few texts in a much smaller table")
  func codes() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE part (id int PRIMARY KEY, colour text, form varchar(9));
      INSERT INTO part SELECT i, CASE WHEN i % 9 > 0 THEN 'colour ' || i % 8 END, 'f' || i % 5
        FROM generate_series(1, 4000) i;
      DELETE FROM part WHERE id % 50 = 0;
      CREATE TABLE use (part int, beside int);
      INSERT INTO use SELECT i * 31 % 4100, i * 17 % 4001 FROM generate_series(1, 40000) i;
      ANALYZE;
      """)
    let query =
      "SELECT p.colour, o.form, count(*) FROM use u JOIN part p ON p.id = u.part LEFT JOIN part o ON o.id = u.beside"
    let (grouped, ordered) = ("GROUP BY p.colour, o.form", "ORDER BY 1, 2")
    let text = try connection.query("EXPLAIN (COSTS OFF) \(query) \(grouped)").map {
      $0.line
    }
    .joined(separator: "\n")
    #expect(text.contains("Group Key: code of p.colour, code of o.form"), "\(text)")
    for change in [
      "SELECT 1", "UPDATE part SET colour = 'new ' || id % 3 WHERE id < 70",
      "INSERT INTO part VALUES (50, NULL, 'last')",
    ] {
      try connection.execute(change)
      let found = try connection.query("\(query) \(grouped) \(ordered)").map(\.values)
      let expected = try connection.query("\(query) WHERE random() < 2 \(grouped) \(ordered)")
        .map(\.values)
      #expect(found == expected && found.count > 40, "\(change)")
    }
  }

  @Test("are made for quotients by a constant, which fail for no row")
  func quotients() throws {
    let connection = try Self.database.get().connect()
    let from = "FROM sale s JOIN item i ON i.id = s.item"
    func plan(_ aggregate: String) throws -> String {
      try connection.query(
        "EXPLAIN (COSTS OFF) SELECT i.branch, \(aggregate) \(from) GROUP BY i.branch"
      )
      .map { $0.line }.joined(separator: "\n")
    }
    for aggregate in ["sum((s.sum - 3) / 2)", "avg(s.sum / 0.07)", "max(1 - s.sum / -12.5)"] {
      let text = try plan(aggregate)
      #expect(text.contains("Grouped First By: s.item"), "\(text)")
      let query = "SELECT i.branch, \(aggregate) \(from)"
      let found = try connection.query("\(query) GROUP BY 1 ORDER BY 1").map(\.values)
      let expected = try connection.query("\(query) WHERE random() < 2 GROUP BY 1 ORDER BY 1")
        .map(\.values)
      #expect(found == expected && found.count > 5, "\(aggregate)")
    }
    for aggregate in ["sum(s.sum / s.sum)", "sum(s.sum / 0)", "sum(s.sum / 1e30 / 1e30)"] {
      let text = try plan(aggregate)
      #expect(!text.contains("Grouped First By: s.item"), "\(text)")
    }
  }

  @Test("are made of sums that may fail, without the rows that have no parent")
  func missingParents() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE part (id int PRIMARY KEY, colour text);
      INSERT INTO part SELECT i, 'colour ' || i % 8 FROM generate_series(1, 400) i;
      CREATE TABLE use (part int REFERENCES part, number int);
      INSERT INTO use SELECT 1 + i * 31 % 400, i FROM generate_series(1, 40000) i;
      INSERT INTO use VALUES (NULL, 2147483647);
      ANALYZE;
      """)
    func plan(_ query: String) throws -> String {
      try connection.query("EXPLAIN (COSTS OFF) \(query)").map { $0.line }
        .joined(separator: "\n")
    }
    let query =
      "SELECT p.colour, sum(u.number + 1) FROM use u JOIN part p ON p.id = u.part"
    for keys in ["p.colour", "upper(p.colour)"] {
      let text = try plan("\(query) GROUP BY p.colour, \(keys)")
      #expect(text.contains("Grouped First By: u.part"), "\(text)")
    }
    let found = try connection.query("\(query) GROUP BY p.colour ORDER BY 1").map(\.values)
    let expected = try connection.query(
      "\(query) WHERE random() < 2 GROUP BY p.colour ORDER BY 1"
    ).map(\.values)
    #expect(found == expected && found.count == 8)
    // A condition on the parent drops rows that are not known beforehand, and a left join none.
    let few = try plan("\(query) AND p.colour <> 'colour 3' GROUP BY p.colour")
    #expect(!few.contains("Grouped First By: u.part"), "\(few)")
    let error = #expect(throws: SQLError.self) {
      try connection.query(
        "SELECT p.colour, sum(u.number + 1) FROM use u LEFT JOIN part p ON p.id = u.part GROUP BY 1"
      )
    }
    #expect(error?.state == .numericOutOfRange)
  }

  @Test("are not made where a walk counts edges without giving them")
  func walks() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE student (id int PRIMARY KEY);
      CREATE TABLE course (id int PRIMARY KEY);
      CREATE TABLE takes (student_id int REFERENCES student, course_id int REFERENCES course,
        PRIMARY KEY (student_id, course_id));
      INSERT INTO student SELECT generate_series(1, 10000);
      INSERT INTO course SELECT generate_series(1, 60);
      INSERT INTO takes SELECT s, 1 + (s * 7 + c * c * 5 + s / 11) % 60 FROM generate_series(1, 10000) s, generate_series(1, 9) c
        ON CONFLICT DO NOTHING;
      ANALYZE;
      """)
    let query =
      """
      SELECT e.course_id, count(*) FROM takes e WHERE e.student_id IN (
        SELECT o.student_id FROM takes m JOIN takes o ON o.course_id = m.course_id WHERE m.student_id = 17)
      AND e.course_id NOT IN (SELECT course_id FROM takes WHERE student_id = 17)
      """
    let text = try connection.query("EXPLAIN (COSTS OFF) \(query) GROUP BY e.course_id")
      .map { $0.line }.joined(separator: "\n")
    #expect(text.contains("Neighbour Count"), "\(text)")
    let (grouped, ordered) = ("GROUP BY e.course_id", "ORDER BY 1")
    let found = try connection.query("\(query) \(grouped) \(ordered)").map(\.values)
    let expected = try connection.query("\(query) AND random() < 2 \(grouped) \(ordered)")
      .map(\.values)
    #expect(found == expected && found.count > 5)
  }

  @Test("do not fail for rows that a join drops")
  func errors() throws {
    let connection = try Self.database.get().connect()
    // The only sale of a thousand pieces is of no item.
    let rows = try connection.query(
      """
      SELECT i.branch, sum(10 / (s.pieces - 1000)) FROM sale s JOIN item i ON i.id = s.item GROUP BY i.branch
      """)
    #expect(rows.count > 0)
    let error = #expect(throws: SQLError.self) {
      try connection.query(
        "SELECT s.day, sum(10 / (s.pieces - 1000)) FROM sale s GROUP BY ROLLUP (s.day)")
    }
    #expect(error?.state == .divisionByZero)
  }
}
