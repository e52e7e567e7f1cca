import Columnar
import Diagnostics
import Testing

@testable import Catalog

/// A call and what PostgreSQL 15 answers.
struct CallCase: CustomTestStringConvertible, Sendable {
  let name: String
  let arguments: [(LogicalType, String?)]
  let expected: String?

  init(_ name: String, _ arguments: [(LogicalType, String?)], _ expected: String?) {
    self.name = name
    self.arguments = arguments
    self.expected = expected
  }

  /// A call whose arguments are all texts.
  static func text(_ name: String, _ arguments: [String?], _ expected: String?) -> CallCase {
    CallCase(name, arguments.map { (.text, $0) }, expected)
  }

  var testDescription: String {
    "\(name)(\(arguments.map { $0.1 ?? "NULL" }.joined(separator: ", "))) = \(expected ?? "NULL")"
  }
}

@Suite("Built-in functions answer as PostgreSQL does")
struct BuiltinFunctionTests {
  @Test(
    "of texts",
    arguments: [
      CallCase.text("lower", ["ÄBC déF"], "äbc déf"), .text("upper", ["straße"], "STRAßE"),
      .text("initcap", ["hi THOMAS o'neil x2y"], "Hi Thomas O'Neil X2y"),
      .text("length", ["jösé"], "4"), .text("octet_length", ["jösé"], "6"),
      CallCase("substr", [(.text, "alphabet"), (.integer, "3"), (.integer, "2")], "ph"),
      CallCase("substring", [(.text, "Thomas"), (.integer, "-1"), (.integer, "4")], "Th"),
      CallCase("substring", [(.text, "hello"), (.integer, "2")], "ello"),
      CallCase("left", [(.text, "abcde"), (.integer, "-2")], "abc"),
      CallCase("right", [(.text, "abcde"), (.integer, "-2")], "cde"),
      .text("btrim", ["xyxtrimyyx", "xyz"], "trim"), .text("ltrim", ["  a "], "a "),
      .text("rtrim", ["testxxzx", "xyz"], "test"),
      CallCase("lpad", [(.text, "hi"), (.integer, "5"), (.text, "xy")], "xyxhi"),
      CallCase("rpad", [(.text, "hi"), (.integer, "5"), (.text, "xy")], "hixyx"),
      CallCase("lpad", [(.text, "hello"), (.integer, "2")], "he"),
      .text("replace", ["abcdefabcdef", "cd", "XX"], "abXXefabXXef"),
      .text("translate", ["12345", "143", "ax"], "a2x5"), .text("strpos", ["high", "ig"], "2"),
      CallCase("split_part", [(.text, "abc~@~def~@~ghi"), (.text, "~@~"), (.integer, "2")], "def"),
      CallCase("split_part", [(.text, "a,b,c"), (.text, ","), (.integer, "-1")], "c"),
      CallCase("repeat", [(.text, "Pg"), (.integer, "4")], "PgPgPgPg"),
      .text("reverse", ["abcdé"], "édcba"), .text("ascii", ["é"], "233"),
      CallCase("chr", [(.integer, "65")], "A"), CallCase("to_hex", [(.integer, "-1")], "ffffffff"),
      CallCase("to_hex", [(.bigint, "2147483647")], "7fffffff"),
      .text("md5", ["abc"], "900150983cd24fb0d6963f7d28e17f72"),
      .text("md5", [""], "d41d8cd98f00b204e9800998ecf8427e"),
      CallCase(
        "sha256", [(.bytea, "abc")],
        "\\xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      CallCase("encode", [(.bytea, "\\x123456"), (.text, "base64")], "EjRW"),
      .text("decode", ["MTIzAAE=", "base64"], "\\x3132330001"),
      .text("quote_literal", ["O'Reilly"], "'O''Reilly'"), .text("quote_nullable", [nil], "NULL"),
      .text("quote_ident", ["Foo bar"], "\"Foo bar\""),
      .text("quote_ident", ["select"], "\"select\""),
      .text("quote_ident", ["foo"], "foo"), .text("concat", ["a", nil, "b"], "ab"),
      .text("concat_ws", [",", "a", nil, "b"], "a,b"),
      .text(
        "format", ["Hello %s, %1$s %I %L %%", "World", "a b", "x'y"],
        "Hello World, World \"a b\" 'x''y' %"),
      .text("format", ["|%10s|%-5s|", "foo", "ab"], "|       foo|ab   |"),
      CallCase(
        "overlay", [(.text, "Txxxxas"), (.text, "hom"), (.integer, "2"), (.integer, "4")], "Thomas"),
      .text("||", ["a", "b"], "ab"), .text("||", ["a", nil], nil),
    ])
  func texts(_ call: CallCase) throws {
    #expect(try BuiltinCall.evaluate(call.name, call.arguments) == call.expected)
  }

  @Test(
    "of patterns",
    arguments: [
      CallCase.text("~~", ["abc", "a%"], "t"), .text("~~", ["abc", "_b_"], "t"),
      .text("~~", ["abc", "b"], "f"), .text("~~", ["aXbXc", "a%b%c"], "t"),
      .text("~~", ["a%c", "a\\%c"], "t"), .text("~~", ["aéc", "a_c"], "t"),
      .text("~~", ["", "%"], "t"), .text("~~", ["ab", "%b%a"], "f"),
      .text("!~~", ["abc", "a%"], "f"), .text("~~*", ["ABC", "a%C"], "t"),
      .text("like_escape", ["a#%b", "#"], "a\\%b"),
      .text("~", ["thomas", "t.*ma"], "t"), .text("~*", ["thomas", "T.*Ma"], "t"),
      .text("!~", ["thomas", "x"], "t"), .text("~", ["abcd", "^(a|b)+c?$"], "f"),
      .text("~", ["foo bar", "\\mbar\\M"], "t"), .text("~", ["a1", "^[[:alpha:]]\\d$"], "t"),
      .text("~", ["ab", "a(?=b)"], "t"), .text("~", ["ac", "a(?!b)"], "t"),
      .text("similar_to_escape", ["%(b|d)%"], "^(?:.*(?:b|d).*)$"),
      .text("regexp_replace", ["foobarbaz", "b..", "X"], "fooXbaz"),
      .text("regexp_replace", ["foobarbaz", "b..", "X", "g"], "fooXX"),
      .text("regexp_replace", ["foobarbaz", "b(..)", "X\\1Y", "g"], "fooXarYXazY"),
      .text("regexp_replace", ["Thomas", ".[mN]a.", "M"], "ThM"),
      .text("regexp_match", ["foobarbequebaz", "(bar)(beque)"], "{bar,beque}"),
      .text("regexp_match", ["foobarbequebaz", "bar.*que"], "{barbeque}"),
      .text("regexp_match", ["abc01234xyz", "(?:(.*?)(\\d+)(.*)){1,1}"], "{abc,01234,xyz}"),
      .text("regexp_match", ["abc01234xyz", "(?:(.*?)(\\d+)(.*)){1}"], "{abc,0,\"\"}"),
      .text("regexp_match", ["XY1234Z", "Y*?([0-9]{1,3})"], "{1}"),
      .text("regexp_match", ["XY1234Z", "Y*([0-9]{1,3})"], "{123}"),
      .text("regexp_split_to_array", ["hello world", "\\s+"], "{hello,world}"),
      .text("regexp_split_to_array", ["abc", ""], "{a,b,c}"),
      .text("regexp_count", ["ABCABCAXYaxy", "A."], "3"),
      .text("substring", ["Thomas", "...$"], "mas"), .text("substring", ["foobar", "o(.)b"], "o"),
    ])
  func patterns(_ call: CallCase) throws {
    #expect(try BuiltinCall.evaluate(call.name, call.arguments) == call.expected)
  }

  @Test(
    "of numbers",
    arguments: [
      CallCase("+", [(.integer, "2"), (.bigint, "3")], "5"),
      CallCase("/", [(.integer, "-7"), (.integer, "2")], "-3"),
      CallCase("%", [(.integer, "-7"), (.integer, "2")], "-1"),
      CallCase("/", [(.numeric, "10"), (.numeric, "3")], "3.3333333333333333"),
      CallCase("*", [(.numeric, "1.50"), (.numeric, "2.0")], "3.000"),
      CallCase("#", [(.integer, "17"), (.integer, "5")], "20"),
      CallCase("<<", [(.integer, "1"), (.integer, "4")], "16"),
      CallCase("^", [(.double, "2"), (.double, "10")], "1024"),
      CallCase("round", [(.double, "2.5")], "2"), CallCase("round", [(.numeric, "2.5")], "3"),
      CallCase("round", [(.numeric, "42.4382"), (.integer, "2")], "42.44"),
      CallCase("trunc", [(.numeric, "42.4382"), (.integer, "2")], "42.43"),
      CallCase("ceil", [(.double, "-0.5")], "-0"), CallCase("floor", [(.numeric, "-42.8")], "-43"),
      CallCase("sqrt", [(.double, "2")], "1.4142135623730951"),
      CallCase("gcd", [(.integer, "1071"), (.integer, "462")], "21"),
      CallCase("lcm", [(.bigint, "1071"), (.bigint, "462")], "23562"),
      CallCase("factorial", [(.bigint, "5")], "120"),
      CallCase("div", [(.numeric, "9"), (.numeric, "4")], "2"),
      CallCase("mod", [(.integer, "9"), (.integer, "4")], "1"),
      CallCase("sind", [(.double, "30")], "0.5"),
      CallCase(
        "width_bucket",
        [(.double, "5.35"), (.double, "0.024"), (.double, "10.06"), (.integer, "5")], "3"),
      CallCase("sign", [(.numeric, "-8.4")], "-1"), CallCase("abs", [(.integer, "-17")], "17"),
    ])
  func numbers(_ call: CallCase) throws {
    #expect(try BuiltinCall.evaluate(call.name, call.arguments) == call.expected)
  }

  @Test(
    "of dates and times",
    arguments: [
      CallCase("+", [(.date, "2001-09-28"), (.integer, "7")], "2001-10-05"),
      CallCase("-", [(.date, "2001-10-01"), (.date, "2001-09-28")], "3"),
      CallCase("+", [(.date, "2001-01-31"), (.interval, "1 month")], "2001-02-28 00:00:00"),
      CallCase(
        "-", [(.timestamp, "2001-09-29 03:00"), (.timestamp, "2001-07-27 12:00")],
        "63 days 15:00:00"),
      CallCase("+", [(.time, "23:00"), (.interval, "2 hours")], "01:00:00"),
      CallCase("*", [(.interval, "1 day"), (.double, "1.5")], "1 day 12:00:00"),
      CallCase("extract", [(.text, "dow"), (.timestamp, "2001-02-16 20:38:40")], "5"),
      CallCase("extract", [(.text, "second"), (.timestamp, "2001-02-16 20:38:40.5")], "40.500000"),
      CallCase(
        "extract", [(.text, "epoch"), (.timestamp, "2001-02-16 20:38:40.12")], "982355920.120000"),
      CallCase("extract", [(.text, "week"), (.date, "2006-01-01")], "52"),
      CallCase("extract", [(.text, "isoyear"), (.date, "2006-01-01")], "2005"),
      CallCase("extract", [(.text, "century"), (.timestamp, "2000-12-16 12:21:13")], "20"),
      CallCase("extract", [(.text, "decade"), (.date, "2001-02-16")], "200"),
      CallCase("extract", [(.text, "quarter"), (.date, "2001-05-16")], "2"),
      CallCase("extract", [(.text, "epoch"), (.interval, "5 days 3 hours")], "442800.000000"),
      CallCase("date_part", [(.text, "hour"), (.interval, "4 hours 3 minutes")], "4"),
      CallCase(
        "date_trunc", [(.text, "hour"), (.timestamp, "2001-02-16 20:38:40")], "2001-02-16 20:00:00"),
      CallCase(
        "date_trunc", [(.text, "week"), (.timestamp, "2001-02-16 20:38:40")], "2001-02-12 00:00:00"),
      CallCase(
        "date_trunc", [(.text, "year"), (.timestamp, "2001-02-16 20:38:40")], "2001-01-01 00:00:00"),
      CallCase(
        "age", [(.timestamp, "2001-04-10"), (.timestamp, "1957-06-13")], "43 years 9 mons 27 days"),
      CallCase("make_date", [(.integer, "2013"), (.integer, "7"), (.integer, "15")], "2013-07-15"),
      CallCase("make_time", [(.integer, "8"), (.integer, "15"), (.double, "23.5")], "08:15:23.5"),
      CallCase("to_timestamp", [(.double, "1284352323.5")], "2010-09-13 04:32:03.5+00"),
      CallCase("justify_days", [(.interval, "35 days")], "1 mon 5 days"),
      CallCase("justify_hours", [(.interval, "27 hours")], "1 day 03:00:00"),
      CallCase(
        "date_bin",
        [
          (.interval, "15 minutes"), (.timestamp, "2020-02-11 15:44:17"),
          (.timestamp, "2001-01-01"),
        ],
        "2020-02-11 15:30:00"),
      CallCase(
        "timezone", [(.text, "UTC"), (.timestamptz, "2001-02-16 20:38:40+00")],
        "2001-02-16 20:38:40"),
      CallCase("isfinite", [(.date, "infinity")], "f"),
    ])
  func times(_ call: CallCase) throws {
    #expect(try BuiltinCall.evaluate(call.name, call.arguments) == call.expected)
  }

  @Test(
    "of pictures",
    arguments: [
      CallCase(
        "to_char", [(.timestamp, "2002-04-20 17:31:12.66"), (.text, "HH12:MI:SS")], "05:31:12"),
      CallCase(
        "to_char", [(.timestamp, "2002-04-20 17:31:12.66"), (.text, "Day, DD  HH12:MI:SS")],
        "Saturday , 20  05:31:12"),
      CallCase(
        "to_char", [(.timestamp, "2002-04-20 17:31:12.66"), (.text, "FMDay, FMDD  HH12:MI:SS")],
        "Saturday, 20  05:31:12"),
      CallCase(
        "to_char",
        [(.timestamp, "2002-04-05 07:01:02.5"), (.text, "YYYY-MM-DD\"T\"HH24:MI:SS.MS")],
        "2002-04-05T07:01:02.500"),
      CallCase(
        "to_char", [(.timestamp, "2002-04-05 07:01:02"), (.text, "Mon DDth YY, Q IW am")],
        "Apr 05th 02, 2 14 am"),
      CallCase("to_char", [(.interval, "15h 2m 12s"), (.text, "HH24:MI:SS")], "15:02:12"),
      CallCase("to_char", [(.integer, "125"), (.text, "999")], " 125"),
      CallCase("to_char", [(.integer, "-125"), (.text, "999")], "-125"),
      CallCase("to_char", [(.numeric, "-125.8"), (.text, "999D99S")], "125.80-"),
      CallCase("to_char", [(.numeric, "0.1"), (.text, "0.9")], " 0.1"),
      CallCase("to_char", [(.numeric, "-0.1"), (.text, "99.99")], "  -.10"),
      CallCase("to_char", [(.numeric, "-0.1"), (.text, "FM9.99")], "-.1"),
      CallCase("to_char", [(.numeric, "0"), (.text, "FM990.99")], "0."),
      CallCase("to_char", [(.integer, "1485"), (.text, "9,999")], " 1,485"),
      CallCase("to_char", [(.numeric, "148.5"), (.text, "999.999")], " 148.500"),
      CallCase("to_char", [(.numeric, "3148.5"), (.text, "9G999D999")], " 3,148.500"),
      CallCase("to_char", [(.integer, "-485"), (.text, "999S")], "485-"),
      CallCase("to_char", [(.integer, "-485"), (.text, "999MI")], "485-"),
      CallCase("to_char", [(.integer, "485"), (.text, "FMPL999")], "+485"),
      CallCase("to_char", [(.integer, "-485"), (.text, "999PR")], "<485>"),
      CallCase("to_char", [(.integer, "485"), (.text, "RN")], "        CDLXXXV"),
      CallCase("to_char", [(.integer, "482"), (.text, "999th")], " 482nd"),
      CallCase("to_char", [(.integer, "12345"), (.text, "999")], " ###"),
      CallCase("to_char", [(.integer, "12"), (.text, "99V999")], " 12000"),
      CallCase("to_char", [(.integer, "5"), (.text, "000")], " 005"),
      CallCase("to_char", [(.integer, "12"), (.text, "FM0000")], "0012"),
      CallCase("to_char", [(.integer, "12"), (.text, "9990999.9")], "    0012.0"),
      CallCase("to_char", [(.numeric, "12345.678"), (.text, "FM999,999,990.00")], "12,345.68"),
      .text("to_date", ["05 Dec 2000", "DD Mon YYYY"], "2000-12-05"),
      .text("to_date", ["20021105", "YYYYMMDD"], "2002-11-05"),
      .text(
        "to_timestamp", ["05 Dec 2000 03:04 PM", "DD Mon YYYY HH12:MI AM"],
        "2000-12-05 15:04:00+00"),
      .text("to_number", ["12,454.8-", "99G999D9S"], "-12454.8"),
    ])
  func pictures(_ call: CallCase) throws {
    #expect(try BuiltinCall.evaluate(call.name, call.arguments) == call.expected)
  }

  @Test(
    "of exact powers and roots",
    arguments: [
      CallCase("sqrt", [(.numeric, "2")], "1.414213562373095"),
      CallCase("sqrt", [(.numeric, "144.00")], "12.000000000000000"),
      CallCase("^", [(.numeric, "2"), (.numeric, "3")], "8.0000000000000000"),
      CallCase("power", [(.numeric, "9.0"), (.numeric, "-1")], "0.1111111111111111"),
    ])
  func powers(_ call: CallCase) throws {
    #expect(try BuiltinCall.evaluate(call.name, call.arguments) == call.expected)
  }

  private static let integers = LogicalType.array(.integer)

  @Test(
    "of arrays",
    arguments: [
      CallCase("array_length", [(integers, "{1,2,3}"), (.integer, "1")], "3"),
      CallCase("array_length", [(integers, "{}"), (.integer, "1")], nil),
      CallCase("cardinality", [(integers, "{}")], "0"),
      CallCase("array_append", [(integers, "{1,2}"), (.integer, "3")], "{1,2,3}"),
      CallCase("array_append", [(integers, nil), (.integer, "3")], "{3}"),
      CallCase("array_prepend", [(.integer, "1"), (integers, "{2,3}")], "{1,2,3}"),
      CallCase("array_cat", [(integers, "{1,2,3}"), (integers, "{4,5}")], "{1,2,3,4,5}"),
      CallCase("array_remove", [(integers, "{1,2,3,2}"), (.integer, "2")], "{1,3}"),
      CallCase(
        "array_replace", [(integers, "{1,2,5,4}"), (.integer, "5"), (.integer, "3")], "{1,2,3,4}"),
      CallCase("array_position", [(integers, "{4,5,NULL}"), (.integer, nil)], "3"),
      CallCase("array_positions", [(integers, "{1,2,1}"), (.integer, "1")], "{1,3}"),
      CallCase("@>", [(integers, "{1,4,3}"), (integers, "{3,1}")], "t"),
      CallCase("<@", [(integers, "{2,7}"), (integers, "{1,7,4,2,6}")], "t"),
      CallCase("&&", [(integers, "{1,4,3}"), (integers, "{2,1}")], "t"),
      CallCase("&&", [(integers, "{1,4,3}"), (integers, "{2}")], "f"),
      CallCase("array_dims", [(integers, "{1,2}")], "[1:2]"),
      CallCase("array_to_string", [(integers, "{1,NULL,3}"), (.text, ","), (.text, "*")], "1,*,3"),
      .text("string_to_array", ["xx~~yy~~zz", "~~", "yy"], "{xx,NULL,zz}"),
    ])
  func arrays(_ call: CallCase) throws {
    #expect(try BuiltinCall.evaluate(call.name, call.arguments) == call.expected)
  }

  @Test(
    "of JSON",
    arguments: [
      CallCase(
        "->", [(.json, "[{\"a\":\"foo\"},{\"b\":\"bar\"}]"), (.integer, "1")], "{\"b\":\"bar\"}"),
      CallCase("->>", [(.json, "{\"a\":1,\"b\":\"x\\n\"}"), (.text, "b")], "x\n"),
      CallCase("->>", [(.jsonb, "{\"a\":null}"), (.text, "a")], nil),
      CallCase("#>>", [(.jsonb, "{\"a\":[1,{\"b\":2}]}"), (.array(.text), "{a,1,b}")], "2"),
      CallCase("@>", [(.jsonb, "{\"a\":1,\"b\":2}"), (.jsonb, "{\"b\":2}")], "t"),
      CallCase("?", [(.jsonb, "{\"a\":1}"), (.text, "a")], "t"),
      CallCase(
        "||", [(.jsonb, "{\"a\":1}"), (.jsonb, "{\"b\":2,\"a\":3}")], "{\"a\": 3, \"b\": 2}"),
      CallCase("-", [(.jsonb, "{\"a\":1,\"b\":2}"), (.text, "a")], "{\"b\": 2}"),
      CallCase("-", [(.jsonb, "[1,2,3]"), (.integer, "-1")], "[1, 2]"),
      CallCase("#-", [(.jsonb, "[\"a\",{\"b\":1}]"), (.array(.text), "{1,b}")], "[\"a\", {}]"),
      CallCase(
        "jsonb_set", [(.jsonb, "[{\"f1\":1},2]"), (.array(.text), "{0,f1}"), (.jsonb, "[2,3]")],
        "[{\"f1\": [2, 3]}, 2]"),
      CallCase(
        "jsonb_insert", [(.jsonb, "{\"a\":[0,1,2]}"), (.array(.text), "{a,1}"), (.jsonb, "9")],
        "{\"a\": [0, 9, 1, 2]}"),
      CallCase(
        "json_build_object", [(.text, "foo"), (.integer, "1"), (.integer, "2"), (.text, nil)],
        "{\"foo\" : 1, \"2\" : null}"),
      CallCase(
        "jsonb_build_array", [(.integer, "1"), (.text, "a"), (.boolean, "t")], "[1, \"a\", true]"),
      CallCase(
        "to_json", [(.timestamp, "2014-05-28 12:22:35.614298")], "\"2014-05-28T12:22:35.614298\""),
      CallCase(
        "to_json", [(.timestamptz, "2014-05-28 12:22:35+00")], "\"2014-05-28T12:22:35+00:00\""),
      CallCase("to_jsonb", [(integers, "{1,2}")], "[1, 2]"),
      CallCase("json_typeof", [(.json, " -123.4")], "number"),
      CallCase("json_array_length", [(.json, "[1,2,{\"a\":[3]}]")], "3"),
      CallCase("jsonb_strip_nulls", [(.jsonb, "{\"a\":null,\"b\":1}")], "{\"b\": 1}"),
      CallCase("jsonb_pretty", [(.jsonb, "{\"a\":[1]}")], "{\n    \"a\": [\n        1\n    ]\n}"),
      CallCase("json_object", [(.array(.text), "{a,1,b,def}")], "{\"a\" : \"1\", \"b\" : \"def\"}"),
    ])
  func json(_ call: CallCase) throws {
    #expect(try BuiltinCall.evaluate(call.name, call.arguments) == call.expected)
  }

  @Test(
    "and refuse as it does",
    arguments: [
      ("+", [(LogicalType.integer, "2147483647"), (.integer, "1")], "integer out of range"),
      ("*", [(.bigint, "9223372036854775807"), (.bigint, "2")], "bigint out of range"),
      ("/", [(.integer, "1"), (.integer, "0")], "division by zero"),
      ("/", [(.smallint, "-32768"), (.smallint, "-1")], "smallint out of range"),
      ("abs", [(.integer, "-2147483648")], "integer out of range"),
      ("/", [(.double, "1"), (.double, "0")], "division by zero"),
      ("*", [(.double, "1e300"), (.double, "1e300")], "value out of range: overflow"),
      ("sqrt", [(.double, "-1")], "cannot take square root of a negative number"),
      ("ln", [(.double, "0")], "cannot take logarithm of zero"),
      ("chr", [(.integer, "0")], "null character not permitted"),
      ("~~", [(.text, "ab"), (.text, "a\\")], "LIKE pattern must not end with escape character"),
      (
        "~", [(.text, "a"), (.text, "(a")],
        "invalid regular expression: parentheses () not balanced"
      ),
      (
        "split_part", [(.text, "a"), (.text, ","), (.integer, "0")],
        "field position must not be zero"
      ),
      ("repeat", [(.text, "abcdefgh"), (.integer, "2000000000")], "requested length too large"),
      (
        "extract", [(.text, "foo"), (.date, "2001-01-01")],
        "unit \"foo\" not recognized for type date"
      ),
      (
        "make_date", [(.integer, "2013"), (.integer, "13"), (.integer, "1")],
        "date field value out of range: 2013-13-01"
      ),
    ] as [(String, [(LogicalType, String)], String)])
  func errors(_ name: String, _ arguments: [(LogicalType, String)], _ message: String) {
    let error = #expect(throws: SQLError.self) {
      try BuiltinCall.evaluate(name, arguments.map { ($0.0, $0.1) })
    }
    #expect(error?.message == message)
  }
}
