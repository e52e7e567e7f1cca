import Diagnostics
import Testing

@testable import Columnar

/// A text, the type it is read as, and the text or the SQLSTATE and message that come back.
struct InputCase: CustomTestStringConvertible, Sendable {
  var text: String
  var type: ColumnType
  var answer: String
  var testDescription: String { "\(type.name) '\(text)'" }

  init(_ text: String, _ type: LogicalType, _ answer: String, _ modifier: TypeModifier = .none) {
    self.text = text
    self.type = ColumnType(type, modifier)
    self.answer = answer
  }

  var result: String {
    do {
      return try Value(parsing: text, as: type).text(of: type.type)
    } catch {
      return "\(error.state.code) \(error.message)"
    }
  }
}

@Suite("Text becomes values and comes back as PostgreSQL prints it")
struct TextRoundTripTests {
  @Test(
    "Numbers",
    arguments: [
      InputCase(" 42 ", .integer, "42"),
      InputCase("-2147483648", .integer, "-2147483648"),
      InputCase("123456789012", .bigint, "123456789012"),
      InputCase("-9223372036854775808", .bigint, "-9223372036854775808"),
      InputCase("x", .integer, "22P02 invalid input syntax for type integer: \"x\""),
      InputCase("", .integer, "22P02 invalid input syntax for type integer: \"\""),
      InputCase(
        "99999999999", .integer, "22003 value \"99999999999\" is out of range for type integer"),
      InputCase("32768", .smallint, "22003 value \"32768\" is out of range for type smallint"),
      InputCase("1.50", .numeric, "1.50"),
      InputCase("-.5", .numeric, "-0.5"),
      InputCase("1.5e3", .numeric, "1500"),
      InputCase("1.5e-3", .numeric, "0.0015"),
      InputCase("NaN", .numeric, "NaN"),
      InputCase("-inf", .numeric, "-Infinity"),
      InputCase("12.345", .numeric, "12.35", .numeric(precision: 4, scale: 2)),
      InputCase(
        "123.45", .numeric, "22003 numeric field overflow", .numeric(precision: 4, scale: 2)),
      InputCase("1e20", .double, "1e+20"),
      InputCase("123456789012345", .double, "123456789012345"),
      InputCase("1e15", .double, "1e+15"),
      InputCase("0.1", .double, "0.1"),
      InputCase("0.00001", .double, "1e-05"),
      InputCase("-0", .double, "-0"),
      InputCase("1234567", .real, "1.234567e+06"),
      InputCase("Infinity", .double, "Infinity"),
      InputCase("1e400", .double, "22003 \"1e400\" is out of range for type double precision"),
      InputCase("yes", .boolean, "t"),
      InputCase("maybe", .boolean, "22P02 invalid input syntax for type boolean: \"maybe\""),
    ])
  func numbers(_ input: InputCase) { #expect(input.result == input.answer) }

  @Test(
    "Dates, times and intervals",
    arguments: [
      InputCase("2025-01-27", .date, "2025-01-27"),
      InputCase("Jan 27 2025", .date, "2025-01-27"),
      InputCase("27 January 2025", .date, "2025-01-27"),
      InputCase("1/27/2025", .date, "2025-01-27"),
      InputCase("20250127", .date, "2025-01-27"),
      InputCase("January 8, 99 BC", .date, "0099-01-08 BC"),
      InputCase("epoch", .date, "1970-01-01"),
      InputCase("-infinity", .date, "-infinity"),
      InputCase("2025-02-30", .date, "22008 date/time field value out of range: \"2025-02-30\""),
      InputCase("2025-13-01", .date, "22008 date/time field value out of range: \"2025-13-01\""),
      InputCase("nonsense", .date, "22007 invalid input syntax for type date: \"nonsense\""),
      InputCase("2025-01-27 10:11:12.5", .timestamp, "2025-01-27 10:11:12.5"),
      InputCase("2025-01-27T10:11", .timestamp, "2025-01-27 10:11:00"),
      InputCase("2025-01-27 10:11:12 PM", .timestamp, "2025-01-27 22:11:12"),
      InputCase("2025-01-27 10:11:12+05:30", .timestamptz, "2025-01-27 04:41:12+00"),
      InputCase("2025-07-01 12:00 Europe/Berlin", .timestamptz, "2025-07-01 10:00:00+00"),
      InputCase("2025-01-27 12:00 EST", .timestamptz, "2025-01-27 17:00:00+00"),
      InputCase("04:05:06.789", .time, "04:05:06.789"),
      InputCase("04:05 PM", .time, "16:05:00"),
      InputCase("allballs", .time, "00:00:00"),
      InputCase("1 year 2 mons 3 days 04:05:06", .interval, "1 year 2 mons 3 days 04:05:06"),
      InputCase("P1Y2M3DT4H5M6S", .interval, "1 year 2 mons 3 days 04:05:06"),
      InputCase("1-2 3 4:05:06", .interval, "1 year 2 mons 3 days 04:05:06"),
      InputCase("1 day ago", .interval, "-1 days"),
      InputCase("-1 days +02:03", .interval, "-1 days +02:03:00"),
      InputCase("1.5 months", .interval, "1 mon 15 days"),
      InputCase("90", .interval, "00:01:30"),
      InputCase("x", .interval, "22007 invalid input syntax for type interval: \"x\""),
    ])
  func dates(_ input: InputCase) { #expect(input.result == input.answer) }

  @Test(
    "Texts, arrays, JSON",
    arguments: [
      InputCase("abcdef", .varchar, "abc", .length(3)),
      InputCase("ab", .character, "ab ", .length(3)),
      InputCase("\\x0AfE", .bytea, "\\x0afe"),
      InputCase("a\\001", .bytea, "\\x6101"),
      InputCase("{1, NULL,3}", .array(.integer), "{1,NULL,3}"),
      InputCase("{a b,\"c,d\",\"null\"}", .array(.text), "{\"a b\",\"c,d\",\"null\"}"),
      InputCase("{", .array(.text), "22P02 malformed array literal: \"{\""),
      InputCase(
        "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", .uuid, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
      InputCase("{\"bb\":1,\"a\":[1,2.50],\"a\":true}", .jsonb, "{\"a\": true, \"bb\": 1}"),
      InputCase("[1e2, \"\\u00e9\", null]", .jsonb, "[100, \"é\", null]"),
      InputCase("{bad", .json, "22P02 invalid input syntax for type json"),
      InputCase("ok", .enumeration(EnumerationType(name: "mood", labels: ["sad", "ok"])), "ok"),
      InputCase(
        "x", .enumeration(EnumerationType(name: "mood", labels: ["sad", "ok"])),
        "22P02 invalid input value for enum mood: \"x\""),
    ])
  func texts(_ input: InputCase) { #expect(input.result == input.answer) }

  @Test("Every day of the years 1 to 9999 comes back")
  func days() {
    let first = CivilDate(year: 1, month: 1, day: 1).days
    let last = CivilDate(year: 9999, month: 12, day: 31).days
    var wrong = 0
    for number in first...last where CivilDate(days: number).days != number { wrong += 1 }
    #expect(wrong == 0)
    #expect(last - first == 3_652_058)
  }

  @Test("Quotients have PostgreSQL's digits")
  func quotients() throws {
    func quotient(_ left: String, _ right: String) throws -> String {
      try Numeric.divide(Numeric(parsing: left), Numeric(parsing: right)).description
    }
    #expect(try quotient("1", "3") == "0.33333333333333333333")
    #expect(try quotient("10", "4") == "2.5000000000000000")
    #expect(try quotient("100000", "7") == "14285.714285714286")
    #expect(try quotient("-1.00", "8") == "-0.12500000000000000000")
    #expect(throws: SQLError.self) { try quotient("1", "0") }
  }
}
