import Diagnostics
import Foundation
import Junction
import Synchronization
import Testing

@Suite("Decoding of rows")
struct DecodingTests {
  struct Course: Codable, Hashable {
    var id: Int
    var shortCode: String?
    var mark: Double
  }

  enum Colour: String, Codable { case red, green }

  private static func makeDatabase() throws -> Database {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE course (id int PRIMARY KEY, short_code text, mark double precision);
      INSERT INTO course SELECT i, CASE WHEN i % 7 <> 0 THEN 'C' || i END, i / 4.0
        FROM generate_series(1, 5000) i
      """)
    return database
  }

  private static func expected(_ count: Int) -> [Course] {
    (1...count).map {
      Course(id: $0, shortCode: $0 % 7 == 0 ? nil : "C\($0)", mark: Double($0) / 4)
    }
  }

  @Test(
    "fills structs by the names of their properties, over many chunks and in every form of a vector"
  )
  func structs() throws {
    let database = try Self.makeDatabase()
    let all = try database.fetchAll(Course.self, "SELECT * FROM course ORDER BY id")
    #expect(all == Self.expected(5000))
    #expect(
      try database.fetchAll(Course.self, "SELECT mark, id, short_code FROM course WHERE id <= 9")
        == Self.expected(9))
    #expect(
      try database.fetchAll(
        Course.self, "SELECT 1 AS id, short_code, mark FROM course WHERE id IN (1, 700)"
      ).map(\.id) == [1, 1])
    #expect(
      try database.query("SELECT * FROM course ORDER BY id").map { row in
        try row.decode(Course.self)
      }.suffix(3) == Self.expected(5000).suffix(3))
  }

  @Test("gives one row, or none, or says that there are several")
  func counts() throws {
    let database = try Self.makeDatabase()
    let three: SQL = "SELECT * FROM course WHERE id = 3"
    #expect(try database.fetchOne(Course.self, three).id == 3)
    #expect(
      try database.fetchFirst(Course.self, "SELECT * FROM course ORDER BY id DESC")?.id == 5000)
    #expect(try database.fetchFirst(Course.self, "SELECT * FROM course WHERE false") == nil)
    #expect(try database.snapshot.fetchOne(Int.self, "SELECT count(*) FROM course") == 5000)
    #expect(try database.write { db in try db.fetchAll(Int.self, "SELECT 1") } == [1])
    let none = #expect(throws: SQLError.self) {
      try database.fetchOne(Course.self, "SELECT * FROM course WHERE false")
    }
    #expect(none?.state == .noDataFound)
    let several = #expect(throws: SQLError.self) {
      try database.fetchOne(Int.self, "SELECT id FROM course")
    }
    #expect(several?.state == .tooManyRows)
    let nothing = #expect(throws: SQLError.self) {
      try database.fetchAll(Int.self, "DELETE FROM course")
    }
    #expect(nothing?.state == .datatypeMismatch)
  }

  @Test("reads a value of a row by name, by place and as a member")
  func rows() throws {
    let rows = try Self.makeDatabase().query(
      "SELECT id, short_code, id AS index, 'r' AS result FROM course WHERE id = 7")
    let row = try #require(rows.first)
    #expect(try row["id", as: Int.self] == 7)
    #expect(try row[0, as: Int16.self] == 7)
    #expect(try row.short_code as String? == nil)
    #expect(try row.shortCode as String? == nil)
    #expect(try row.index as Int == 7)
    #expect(try row.result as String == "r")
    let missing = #expect(throws: SQLError.self) { try row["idd", as: Int.self] }
    #expect(missing?.state == .undefinedColumn)
    #expect(missing?.hint == "Perhaps you meant the column \"id\".")
    let misfit = #expect(throws: SQLError.self) { try row.id as Bool }
    #expect(misfit?.state == .datatypeMismatch)
    #expect(misfit?.message == "column \"id\": a whole number is no value of type Bool")
    #expect(misfit?.object?.column == "id")
    #expect(misfit?.context == "[0].id")
  }

  @Test("names the column of a NULL that no property takes")
  func nulls() throws {
    struct Strict: Decodable { let id: Int, shortCode: String }
    let error = #expect(throws: SQLError.self) {
      try Self.makeDatabase().fetchAll(Strict.self, "SELECT * FROM course ORDER BY id")
    }
    #expect(error?.state == .datatypeMismatch)
    #expect(error?.message == "column \"short_code\": NULL is no value of type String")
    #expect(error?.object?.column == "short_code")
    #expect(error?.context == "[6].short_code")
  }

  @Test("refuses a number that does not fit")
  func ranges() throws {
    struct Small: Decodable { let i: Int8 }
    struct Unsigned: Decodable { let i: UInt }
    let database = Database()
    #expect(try database.fetchOne(Small.self, "SELECT -128 AS i").i == -128)
    for query in ["SELECT 128 AS i", "SELECT -129 AS i"] {
      let error = #expect(throws: SQLError.self) {
        try database.fetchOne(Small.self, SQL(raw: query))
      }
      #expect(error?.state == .numericOutOfRange && error?.context == "[0].i")
    }
    let error = #expect(throws: SQLError.self) {
      try database.fetchOne(Unsigned.self, "SELECT -1 AS i")
    }
    #expect(error?.state == .numericOutOfRange)
    let narrow = #expect(throws: SQLError.self) {
      try database.fetchAll(Int16.self, "SELECT i FROM generate_series(32766, 32768) i")
    }
    #expect(narrow?.state == .numericOutOfRange && narrow?.context == "[2].i")
  }

  @Test("finds the snake case of a property, and prefers its own name")
  func names() throws {
    struct Names: Decodable, Equatable { let shortCode: String, urlOfPage: Int, pageID: Int }
    let database = Database()
    #expect(
      try database.fetchOne(
        Names.self, "SELECT 'a' AS short_code, 1 AS url_of_page, 2 AS page_id")
        == Names(shortCode: "a", urlOfPage: 1, pageID: 2))
    #expect(
      try database.fetchOne(
        Names.self,
        "SELECT 'a' AS short_code, 'b' AS \"shortCode\", 1 AS \"urlOfPage\", 2 AS \"pageID\"")
        == Names(shortCode: "b", urlOfPage: 1, pageID: 2))
  }

  @Test("refuses two columns of the name that is asked for")
  func ambiguous() throws {
    struct One: Decodable { let id: Int }
    let error = #expect(throws: SQLError.self) {
      try Database().fetchOne(One.self, "SELECT 1 AS id, 2 AS id")
    }
    #expect(error?.state == .ambiguousColumn)
    #expect(try Database().fetchOne(One.self, "SELECT 1 AS id, 2 AS x, 3 AS x").id == 1)
  }

  @Test("names the columns that a missing one may have been meant to be")
  func missing() throws {
    struct Typo: Decodable { let id: Int, shrotCode: String }
    struct Absent: Decodable { let id: Int, unknown: Int? }
    let database = try Self.makeDatabase()
    let error = #expect(throws: SQLError.self) {
      try database.fetchAll(Typo.self, "SELECT * FROM course LIMIT 1")
    }
    #expect(error?.state == .undefinedColumn)
    #expect(error?.hint == "Perhaps you meant the column \"short_code\".")
    #expect(
      try database.fetchAll(Absent.self, "SELECT * FROM course LIMIT 1").first?.unknown == nil)
  }

  @Test("says what to import for a type of Foundation")
  func foundation() {
    for type in [Date.self, UUID.self, Data.self, Decimal.self, URL.self] as [any Any.Type] {
      let error = SQLError.foundationType(type, "a timestamp")
      #expect(error?.state == .datatypeMismatch)
      #expect(error?.hint?.contains("import JunctionFoundation") == true, "\(type)")
    }
    #expect(SQLError.foundationType(Int.self, "a timestamp") == nil)
    #expect(SQLError.foundationType(DateInterval.self, "a timestamp") == nil)
  }

  struct Team: Decodable, Equatable {
    struct Member: Decodable, Equatable {
      let id: Int
      let name: String?
    }
    let name: String
    let lead: Member?
    let members: [Member]
    let colours: [Colour]
    let tags: [String]
  }

  private static let teams = """
    SELECT 'A' AS name, NULL::member AS lead, ARRAY[ROW(1, 'x')::member, ROW(2, NULL)::member] AS members,
      ARRAY['red', 'green'] AS colours, ARRAY[]::text[] AS tags
    UNION ALL
    SELECT 'B', ROW(3, 'z')::member, ARRAY[]::member[], NULL::text[], ARRAY['t']
    """

  @Test("goes into arrays, rows and JSON")
  func nested() throws {
    let database = Database()
    try database.execute("CREATE TYPE member AS (id int, name text)")
    let first = Team(
      name: "A", lead: nil, members: [.init(id: 1, name: "x"), .init(id: 2, name: nil)],
      colours: [.red, .green], tags: [])
    #expect(try database.fetchAll(Team.self, SQL(raw: Self.teams + " LIMIT 1")) == [first])
    let error = #expect(throws: SQLError.self) {
      try database.fetchAll(Team.self, SQL(raw: Self.teams))
    }
    #expect(error?.state == .datatypeMismatch && error?.context == "[1].colours")
    #expect(
      try database.fetchOne(
        Team.self,
        """
        SELECT 'A' AS name, NULL::json AS lead, '[{"id": 1, "name": "x"}, {"id": 2}]'::jsonb AS members,
          '["red", "green"]'::json AS colours, '[]'::json AS tags
        """) == first)
  }

  @Test("says where in a nested value it went wrong")
  func paths() throws {
    let database = Database()
    try database.execute("CREATE TYPE member AS (id int, name text)")
    func context(_ members: String) -> String? {
      #expect(throws: SQLError.self) {
        try database.fetchAll(
          Team.self,
          SQL(
            raw:
              "SELECT 'A' AS name, \(members) AS members, '{red}'::text[] AS colours, '{}'::text[] AS tags"
          ))
      }?.context
    }
    #expect(context("ARRAY[ROW(1, 'x')::member, ROW(NULL, 'y')::member]") == "[0].members[1].id")
    #expect(context("ARRAY[NULL::member]") == "[0].members[0]")
    #expect(context("'[{\"id\": 1}, {\"id\": \"x\"}]'::json") == "[0].members[1].id")
    #expect(context("NULL::json") == "[0].members")
    #expect(context("ARRAY[5]") == "[0].members[0]")
  }

  @Test("decodes what is Codable and stands in one column")
  func single() throws {
    let database = Database()
    #expect(
      try database.fetchAll(Colour.self, "SELECT unnest(ARRAY['red', 'green'])") == [.red, .green])
    #expect(try database.fetchAll(Colour?.self, "SELECT NULL::text") == [nil])
    #expect(try database.fetchAll(Int?.self, "SELECT unnest(ARRAY[1, NULL])") == [1, nil])
    #expect(
      try database.fetchOne([String: Int].self, "SELECT 1 AS a, 2 AS b") == ["a": 1, "b": 2])
    let error = #expect(throws: SQLError.self) {
      try database.fetchOne(Colour.self, "SELECT 'blue' AS c")
    }
    #expect(error?.state == .datatypeMismatch)
  }

  struct Reading: RowDecodable, Equatable {
    let id: Int
    let code: String?
    let mark: Double
    init(row: inout RowReader) throws(SQLError) {
      id = try row.next()
      code = try row.next()
      mark = try row.next()
    }
  }

  @Test("takes columns in their order for what reads them so")
  func positions() throws {
    let database = try Self.makeDatabase()
    let all = try database.fetchAll(Reading.self, "SELECT * FROM course ORDER BY id")
    #expect(all.count == 5000 && all[2999].id == 3000 && all[6].code == nil && all[7].mark == 2)
    let short = #expect(throws: SQLError.self) {
      try database.fetchAll(Reading.self, "SELECT id, short_code FROM course")
    }
    #expect(short?.state == .undefinedColumn && short?.context == "[0]")
    let misfit = #expect(throws: SQLError.self) {
      try database.fetchAll(
        Reading.self, "SELECT id, short_code, short_code FROM course ORDER BY id")
    }
    #expect(misfit?.context == "[0].short_code")
  }

  @Test("says which row of several chunks could not be read, and lets go of those before it")
  func failures() throws {
    let database = try Self.makeDatabase()
    let query: SQL =
      "SELECT id, short_code, CASE WHEN id < 4500 THEN mark END AS mark FROM course ORDER BY id"
    let byName = #expect(throws: SQLError.self) { try database.fetchAll(Course.self, query) }
    #expect(byName?.context == "[4499].mark")
    let byPlace = #expect(throws: SQLError.self) { try database.fetchAll(Reading.self, query) }
    #expect(byPlace?.context == "[4499].mark")
  }

  /// The threads on which values were made, and how many values there are.
  private enum Made {
    static let threads = Mutex<Set<UInt>>([])
    static let count = Atomic<Int>(0)
  }

  /// Counts itself as long as it is there.
  private final class Token: Decodable, Sendable {
    init() { Made.count.add(1, ordering: .relaxed) }
    init(from decoder: any Decoder) { Made.count.add(1, ordering: .relaxed) }
    deinit { Made.count.subtract(1, ordering: .relaxed) }
  }

  private struct Threaded: RowDecodable {
    let id: Int
    let token: Token
    init(row: inout RowReader) throws(SQLError) {
      token = Token()
      id = try row.next()
      _ = Made.threads.withLock { $0.insert(UInt(bitPattern: pthread_self().hashValue)) }
    }
  }

  @Test("lets several threads make values of many rows, and only its own where a setting says so")
  func threads() throws {
    let connection = Database().connect()
    let numbers: SQL = "SELECT g AS id FROM generate_series(0, 49999) g"
    let failing: SQL =
      "SELECT CASE WHEN g % 20000 <> 19999 THEN g END FROM generate_series(0, 49999) g"
    for limit in [0, 1] {
      try connection.execute(SQL(raw: "SET threads = \(limit)"))
      Made.threads.withLock { $0 = [] }
      let all = try connection.fetchAll(Threaded.self, numbers)
      #expect(all.map(\.id) == Array(0..<50_000) && Made.count.load(ordering: .relaxed) == 50_000)
      if limit == 1 {
        #expect(
          Made.threads.withLock { $0 } == [UInt(bitPattern: pthread_self().hashValue)])
      }
      let part = try connection.query(numbers).dropFirst(40_000)
      #expect(try part.first.map { try $0["id", as: Int.self] } == 40_000)
      withExtendedLifetime(all) {}
    }
    #expect(Made.count.load(ordering: .relaxed) == 0)
    let error = #expect(throws: SQLError.self) {
      try connection.fetchAll(Threaded.self, failing)
    }
    #expect(error?.context == "[19999].case" && Made.count.load(ordering: .relaxed) == 0)
  }

  @Test("finds the columns of a type in one result after another")
  func results() throws {
    let database = try Self.makeDatabase()
    for _ in 0..<2 {
      for list in ["id, short_code, mark", "mark, short_code, id", "id, mark", "0 AS x, mark, id"] {
        let sql = SQL(raw: "SELECT \(list) FROM course WHERE id = 8")
        let code = list.contains("short_code") ? "C8" : nil
        #expect(
          try database.fetchAll(Course.self, sql) == [Course(id: 8, shortCode: code, mark: 2)])
      }
      let error = #expect(throws: SQLError.self) {
        try database.fetchAll(Course.self, "SELECT id, short_code FROM course")
      }
      #expect(error?.state == .undefinedColumn)
      #expect(try database.fetchAll(Course.self, "SELECT 1 AS id WHERE false").isEmpty)
    }
  }

  struct Either: RowDecodable {
    let text: String
    init(row: inout RowReader) throws(SQLError) {
      do throws(SQLError) { text = String(try row.next(Int.self)) } catch {
        text = try row.next(String.self)
      }
    }
  }

  @Test("stays at a column that could not be read")
  func otherType() throws {
    #expect(
      try Database().fetchAll(Either.self, "VALUES ('a'), ('b')").map(\.text) == ["a", "b"])
  }

  class Base: Decodable {
    let id: Int
    init(id: Int) { self.id = id }
  }
  final class Derived: Base {
    let name: String
    private enum CodingKeys: String, CodingKey { case name }
    required init(from decoder: any Decoder) throws {
      name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
      try super.init(from: decoder)
    }
  }

  @Test("lets a type take its properties from the row in parts, and in another order each time")
  func parts() throws {
    let all = try Database().fetchAll(
      Derived.self, "SELECT i AS id, 'n' || i AS name FROM generate_series(1, 3) i")
    #expect(all.map(\.id) == [1, 2, 3] && all.map(\.name) == ["n1", "n2", "n3"])
    struct Alternating: Decodable {
      let sum: Int
      enum Keys: String, CodingKey { case i, a, b }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        let i = try container.decode(Int.self, forKey: .i)
        let keys: [Keys] = i % 2 == 0 ? [.a, .b] : [.b, .a]
        sum = try keys.reduce(0) { try $0 * 10 + container.decode(Int.self, forKey: $1) }
      }
    }
    #expect(
      try Database().fetchAll(
        Alternating.self, "SELECT i, 1 AS a, 2 AS b FROM generate_series(1, 4) i"
      ).map(\.sum) == [21, 12, 21, 12])
  }

  @Test("does not depend on how a session prints values")
  func styles() throws {
    let connection = Database().connect()
    try connection.execute(
      "SET DateStyle = 'German'; SET TimeZone = 'America/New_York'; SET IntervalStyle = 'iso_8601'; SET bytea_output = 'escape'"
    )
    let moment = SQLTimestamp(microsecondsSince1970: 1_700_000_000_000_000)
    let query: SQL =
      "SELECT \(moment)::timestamptz AS at, date '2024-02-29' AS day, interval '1 day' AS span, '\\x00ff'::bytea AS bytes"
    let rows = try connection.query(query)
    let row = try #require(rows.first)
    #expect(try row.at as SQLTimestamp == moment)
    #expect(try (row.day as SQLDate).description == "2024-02-29")
    #expect(try row.span as SQLInterval == SQLInterval(days: 1))
    #expect(try row.bytes as [UInt8] == [0, 255])
    // A prepared statement without a time zone takes a moment as clocks show it.
    try connection.execute("PREPARE p(timestamp) AS SELECT $1")
    let shown = try connection.query("EXECUTE p(timestamptz '2024-01-01 00:00:00+00')")
    #expect(shown.first?[0] == SQLTimestamp("2023-12-31 19:00:00+00").map { .timestamp($0) })
  }

  @Test("takes the null of JSON for a missing value, and a key for a question")
  func jsonNulls() throws {
    struct Optional: Decodable, Equatable {
      let list: [String: Int]?
      let number: Int?
      let extra: Bool
      enum Keys: String, CodingKey { case list, number, extra }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        list = try container.decodeIfPresent([String: Int].self, forKey: .list)
        let isNull = try !container.contains(.number) || container.decodeNil(forKey: .number)
        number = isNull ? nil : try container.decode(Int.self, forKey: .number)
        extra = container.contains(.extra)
      }
    }
    let found = try Database().fetchAll(
      Optional.self,
      "SELECT ' null '::json AS list, NULL::int AS number UNION ALL SELECT '{\"a\": 1}', 2")
    #expect(found.map(\.list) == [nil, ["a": 1]])
    #expect(found.map(\.number) == [nil, 2])
    #expect(found.allSatisfy { !$0.extra })
  }

  struct Pairs: Decodable {
    let sums: [Int]
    enum Keys: String, CodingKey { case pairs, a, b }
    init(from decoder: any Decoder) throws {
      var list = try decoder.container(keyedBy: Keys.self).nestedUnkeyedContainer(forKey: .pairs)
      var parts: [KeyedDecodingContainer<Keys>] = []
      while !list.isAtEnd { parts.append(try list.nestedContainer(keyedBy: Keys.self)) }
      sums = try parts.reversed().map {
        let tens = try $0.decode(Int.self, forKey: .a)
        return try tens * 10 + $0.decode(Int.self, forKey: .b)
      }
    }
  }

  @Test("hands out containers that stay with their element")
  func containers() throws {
    let database = Database()
    try database.execute("CREATE TYPE pair AS (a int, b int)")
    for query: SQL in [
      "SELECT ARRAY[ROW(1, 2)::pair, ROW(3, 4)::pair] AS pairs",
      "SELECT '[{\"a\": 1, \"b\": 2}, {\"a\": 3, \"b\": 4}]'::jsonb AS pairs",
    ] {
      #expect(try database.fetchOne(Pairs.self, query).sums == [34, 12])
    }
  }
}
