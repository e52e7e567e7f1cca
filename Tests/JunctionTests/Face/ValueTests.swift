import Diagnostics
import Junction
import Testing

@Suite("Values")
struct ValueTests {
  /// A type, what makes a value of it, and the value as Swift sees it.
  struct Sample: CustomTestStringConvertible {
    let type: String
    let literal: String
    let value: SQLValue

    init(_ type: String, _ literal: String, _ value: SQLValue) {
      self.type = type
      self.literal = literal
      self.value = value
    }

    var testDescription: String { "\(type) '\(literal)'" }
  }

  private static func date(_ text: String) -> SQLValue {
    SQLDate(text).map { .date($0) } ?? .null
  }
  private static func moment(_ text: String) -> SQLValue {
    SQLTimestamp(text).map { .timestamp($0) } ?? .null
  }
  private static func numeric(_ text: String) -> SQLValue {
    SQLNumeric(text).map { .numeric($0) } ?? .null
  }

  /// Makes the schema that samples need.
  private static func makeDatabase() throws -> Database {
    let database = Database()
    try database.execute(
      """
      CREATE TYPE colour AS ENUM ('red', 'it''s green');
      CREATE TYPE pair AS (a int, b text);
      CREATE DOMAIN mark AS int CHECK (VALUE > 0)
      """)
    return database
  }

  private static func check(_ sample: Sample, in database: Database) throws {
    let literal = "'\(sample.literal.replacing("'", with: "''"))'"
    let written = SQL(raw: "SELECT \(literal)::\(sample.type)")
    let rows = try database.query(written)
    let value = try #require(rows.first?[0])
    #expect(value == sample.value)
    // As a parameter it is the same value, and prints the same.
    let back = try database.query(SQL(raw: "SELECT $1::\(sample.type)", [value]))
    #expect(back.first?[0] == value)
    #expect(back.text(row: 0, column: 0) == rows.text(row: 0, column: 0))
    // As a text it is printed so that the type reads it; bytes are taken for those of a text, and no text is cast to a row.
    if !["bytea", "pair"].contains(sample.type) {
      let text = try database.query(SQL(raw: "SELECT ($1::text)::\(sample.type)", [value]))
      #expect(text.text(row: 0, column: 0) == rows.text(row: 0, column: 0))
    }
    // In a column, and in an array.
    let array = SQLValue.array([value, .null, value])
    let elements = try database.query(SQL(raw: "SELECT $1::\(sample.type)[]", [array]))
    #expect(elements.first?[0] == array)
    try database.execute(
      SQL(raw: "DROP TABLE IF EXISTS t; CREATE TABLE t (x \(sample.type), y \(sample.type)[])"))
    try database.execute("INSERT INTO t VALUES (\(value), \(array)), (\(nil as Int?), NULL)")
    #expect(
      try database.query("SELECT x, y FROM t").map(\.values) == [[value, array], [nil, nil]])
  }

  @Test(
    "of every type go in and come out the same",
    arguments: [
      Sample("boolean", "true", true), Sample("smallint", "-7", -7), Sample("int", "7", 7),
      Sample("bigint", "9007199254740993", 9_007_199_254_740_993), Sample("oid", "42", 42),
      Sample("real", "0.25", 0.25), Sample("double precision", "0.1", 0.1),
      Sample("numeric", "1.50", numeric("1.50")),
      Sample("numeric(5,2)", "1.5", numeric("1.50")),
      Sample("text", "a 'b' \\ \"c\" {,}", "a 'b' \\ \"c\" {,}"),
      Sample("varchar(10)", "short", "short"), Sample("char(5)", "ab", "ab   "),
      Sample("name", "n", "n"), Sample("bytea", "\\x00ff0a", .bytes([0, 255, 10])),
      Sample("date", "2024-02-29", date("2024-02-29")),
      Sample("time", "23:59:59.999999", .time(SQLTime(microseconds: 86_399_999_999))),
      Sample("timetz", "12:30:00+05:30", "12:30:00+05:30"),
      Sample("timestamp", "2024-02-29 12:00:00.5", moment("2024-02-29 12:00:00.5+00")),
      Sample("timestamptz", "2024-02-29 12:00:00+02", moment("2024-02-29 10:00:00+00")),
      Sample(
        "interval", "1 year 2 mons -3 days 04:05:06.7",
        .interval(SQLInterval(months: 14, days: -3, microseconds: 14_706_700_000))),
      Sample(
        "uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        .uuid(SQLUUID(high: 0xA0EE_BC99_9C0B_4EF8, low: 0xBB6D_6BB9_BD38_0A11))),
      Sample("json", "{\"a\": [1, 2]}", .json("{\"a\": [1, 2]}")),
      Sample("jsonb", "{\"b\":1,\"a\":null}", .json("{\"a\": null, \"b\": 1}")),
      Sample("bit(3)", "101", "101"), Sample("varbit", "10", "10"),
      Sample("colour", "it's green", "it's green"), Sample("pair", "(1,\"x,y\")", "(1,\"x,y\")"),
      Sample("mark", "3", 3),
    ])
  func everyType(_ sample: Sample) throws {
    try Self.check(sample, in: try Self.makeDatabase())
  }

  @Test(
    "at the ends of their ranges go in and come out the same",
    arguments: [
      Sample("smallint", "-32768", -32768), Sample("int", "2147483647", 2_147_483_647),
      Sample("bigint", "-9223372036854775808", .integer(.min)),
      Sample("bigint", "9223372036854775807", .integer(.max)),
      Sample("oid", "4294967295", 4_294_967_295),
      Sample("double precision", "1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
      Sample("double precision", "5e-324", .double(.leastNonzeroMagnitude)),
      Sample("double precision", "-Infinity", .double(-.infinity)),
      Sample("real", "3.4028235e38", .double(Double(Float.greatestFiniteMagnitude))),
      Sample("numeric", "NaN", numeric("NaN")),
      Sample("numeric", "-Infinity", numeric("-Infinity")),
      Sample(
        "numeric", "-99999999999999999999999999999999999999",
        numeric("-99999999999999999999999999999999999999")),
      Sample(
        "numeric", "0.00000000000000000000000000000000000001",
        numeric("0.00000000000000000000000000000000000001")),
      Sample("date", "infinity", .date(.infinity)),
      Sample("date", "-infinity", .date(.negativeInfinity)),
      Sample("date", "4714-11-24 BC", date("4714-11-24 BC")),
      Sample("date", "5874897-12-31", date("5874897-12-31")),
      Sample("time", "24:00:00", .time(SQLTime(microseconds: 86_400_000_000))),
      Sample("timestamp", "infinity", .timestamp(.infinity)),
      Sample("timestamptz", "-infinity", .timestamp(.negativeInfinity)),
      Sample(
        "timestamp", "294276-12-31 23:59:59.999999", moment("294276-12-31 23:59:59.999999+00")),
      Sample("timestamptz", "4714-11-24 00:00:00+00 BC", moment("4714-11-24 00:00:00+00 BC")),
      Sample(
        "interval", "-178956970 years -8 mons",
        .interval(SQLInterval(months: .min))),
      Sample(
        "interval", "2147483647 days 2562047788:00:54.775807",
        .interval(SQLInterval(days: .max, microseconds: .max))),
      Sample("uuid", "ffffffff-ffff-ffff-ffff-ffffffffffff", .uuid(SQLUUID(high: .max, low: .max))),
      Sample("text", "", ""), Sample("text", "🏳️‍🌈é", "🏳️‍🌈é"), Sample("bytea", "", .bytes([])),
      Sample("varbit", "", ""), Sample("jsonb", "[]", .json("[]")),
    ])
  func extremes(_ sample: Sample) throws {
    try Self.check(sample, in: try Self.makeDatabase())
  }

  @Test("print as PostgreSQL prints them, and are read from what they print")
  func descriptions() throws {
    #expect(SQLNumeric("1.50")?.description == "1.50")
    #expect(SQLNumeric("1.5") == SQLNumeric("1.50"))
    #expect(Set([SQLNumeric("1.5"), SQLNumeric("1.50"), SQLNumeric("15e-1")]).count == 1)
    #expect(SQLNumeric("x") == nil && SQLNumeric("1e50") == nil)
    #expect(try #require(SQLNumeric("-1")) < #require(SQLNumeric("NaN")))
    #expect(try SQLDate(year: 2024, month: 2, day: 29).description == "2024-02-29")
    #expect(try SQLDate(year: -43, month: 3, day: 15).description == "0044-03-15 BC")
    #expect(throws: SQLError.self) { try SQLDate(year: 2023, month: 2, day: 29) }
    #expect(throws: SQLError.self) { try SQLDate(year: 9_000_000, month: 1, day: 1) }
    #expect(SQLDate(daysSince1970: 0).description == "1970-01-01")
    #expect(
      SQLDate(daysSince1970: .max) == .infinity
        && SQLDate(daysSince1970: .min) < SQLDate(daysSince1970: 0))
    #expect(SQLDate.infinity.components == nil)
    #expect(SQLDate("1969-12-31")?.daysSince1970 == -1)
    #expect(SQLTimestamp(microsecondsSince1970: 1).description == "1970-01-01 00:00:00.000001+00")
    #expect(SQLTimestamp(microsecondsSince1970: .min) == .negativeInfinity)
    #expect(SQLTimestamp("294276-12-31 23:59:59+00")?.microsecondsSince1970 == .max)
    #expect(SQLTime(microseconds: -5).description == "00:00:00")
    #expect(SQLInterval("1 mon 2 days 03:04:05")?.description == "1 mon 2 days 03:04:05")
    #expect(SQLUUID("{A0EEBC99-9C0B4EF8-BB6D-6BB9BD380A11}")?.description.hasPrefix("a0ee") == true)
    #expect(SQLUUID.random() != SQLUUID.random() && SQLUUID("x") == nil)
    for word in ["now", "today", "tomorrow", "allballs", "noon"] {
      #expect(SQLDate(word) == nil && SQLTimestamp(word) == nil, "\(word)")
    }
  }

  @Test("take the place of a type that they fit, and of no other")
  func conversions() throws {
    let database = Database()
    #expect(
      try database.fetchOne(Int.self, "SELECT sum(i) FROM generate_series(1, 9::bigint) i") == 45)
    #expect(try database.fetchOne(Double.self, "SELECT 1.25") == 1.25)
    #expect(try database.fetchOne(SQLNumeric.self, "SELECT 5") == SQLNumeric(5))
    #expect(try database.fetchOne([Int?].self, "SELECT ARRAY[1, NULL]") == [1, nil])
    #expect(try database.fetchOne([SQLUUID].self, "SELECT ARRAY[]::uuid[]") == [])
    #expect([String]().sqlValue == .array([]) && [UInt8]().sqlValue == .bytes([]))
    for (query, state) in [
      ("SELECT 1.5", SQLState.numericOutOfRange), ("SELECT 3e30", .numericOutOfRange),
      ("SELECT 'a'", .datatypeMismatch), ("SELECT true", .datatypeMismatch),
      ("SELECT now()", .datatypeMismatch), ("SELECT NULL::int", .datatypeMismatch),
    ] {
      let error = #expect(throws: SQLError.self) {
        try database.fetchOne(Int.self, SQL(raw: query))
      }
      #expect(error?.state == state, "\(query)")
    }
    let error = #expect(throws: SQLError.self) {
      try database.fetchOne(String.self, "SELECT date '2024-01-01' AS d")
    }
    #expect(error?.message == "column \"d\": a date is no value of type String")
    #expect(error?.hint?.contains("SQLDate") == true)
  }

  private struct Settings: Codable, Hashable {
    var name: String
    var sizes: [Double]
    var price: SQLNumeric
    var since: SQLTimestamp?
    var more: [String: Bool]
  }

  @Test("of any Codable type are JSON")
  func json() throws {
    let database = Database()
    try database.execute("CREATE TABLE t (j jsonb)")
    let settings = Settings(
      name: "\"quoted\" \\ \n \u{1} é", sizes: [1, 2.5, 1e300],
      price: try #require(SQLNumeric("12345678901234567890.10")),
      since: SQLTimestamp(microsecondsSince1970: 5), more: ["x": true, "y": false])
    try database.execute("INSERT INTO t VALUES (\(JSON(settings)))")
    #expect(try database.fetchOne(JSON<Settings>.self, "SELECT j FROM t").value == settings)
    #expect(
      try database.fetchOne(String.self, "SELECT j->>'price' FROM t") == "12345678901234567890.10")
    #expect(try database.query("SELECT 1 FROM t WHERE j = \(JSON(settings))").count == 1)
    let error = #expect(throws: SQLError.self) {
      try database.execute("INSERT INTO t VALUES (\(JSON([Double.nan])))")
    }
    #expect(error?.state == .invalidTextRepresentation)
    let misfit = #expect(throws: SQLError.self) {
      try database.fetchAll(JSON<[Int]>.self, "SELECT '[1, \"x\"]'::json AS j")
    }
    #expect(misfit?.state == .datatypeMismatch)
    #expect(misfit?.context == "[0].j[1]")
  }
}
