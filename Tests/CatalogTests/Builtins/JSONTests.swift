import Columnar
import Diagnostics
import Testing

@testable import Catalog

/// A call and what PostgreSQL 15 answers: a text, or the SQLSTATE and message of an error.
struct JSONCase: CustomTestStringConvertible, Sendable {
  let name: String
  let arguments: [(LogicalType, String?)]
  let expected: String?

  init(_ name: String, _ arguments: [(LogicalType, String?)], _ expected: String?) {
    self.name = name
    self.arguments = arguments
    self.expected = expected
  }

  /// An operator or function of jsonb and another type.
  static func jsonb(
    _ value: String, _ name: String, _ type: LogicalType, _ other: String, _ expected: String?
  ) -> JSONCase {
    JSONCase(name, [(.jsonb, value), (type, other)], expected)
  }

  /// The same of json.
  static func json(
    _ value: String, _ name: String, _ type: LogicalType, _ other: String, _ expected: String?
  ) -> JSONCase {
    JSONCase(name, [(.json, value), (type, other)], expected)
  }

  /// A change at the end of a path.
  static func change(
    _ name: String, _ value: String, _ path: String, _ new: String, flag: Bool? = nil,
    _ expected: String?
  ) -> JSONCase {
    let flags: [(LogicalType, String?)] = flag.map { [(.boolean, $0 ? "t" : "f")] } ?? []
    return JSONCase(
      name, [(.jsonb, value), (.array(.text), path), (.jsonb, new)] + flags, expected)
  }

  var testDescription: String {
    "\(name)(\(arguments.map { $0.1 ?? "NULL" }.joined(separator: ", "))) = \(expected ?? "NULL")"
  }

  var answer: String? {
    do {
      return try BuiltinCall.evaluate(name, arguments)
    } catch let error as SQLError {
      return "\(error.state.code) \(error.message)"
    } catch {
      return "\(error)"
    }
  }
}

private let path = LogicalType.array(.text)
private let integers = LogicalType.array(.integer)

@Suite("JSON functions answer as PostgreSQL does")
struct JSONTests {
  @Test(
    "when values become JSON",
    arguments: [
      JSONCase("to_json", [(.double, "NaN")], #""NaN""#),
      JSONCase("to_json", [(.numeric, "1.50")], "1.50"),
      JSONCase("to_json", [(.numeric, "Infinity")], #""Infinity""#),
      JSONCase("to_json", [(.boolean, "t")], "true"),
      JSONCase("to_json", [(.text, "a\"b\n\u{1}\\")], #""a\"b\n\u0001\\""#),
      JSONCase("to_json", [(.date, "2025-01-02")], #""2025-01-02""#),
      JSONCase("to_json", [(.date, "0001-01-01 BC")], #""0001-01-01 BC""#),
      JSONCase("to_json", [(.timestamp, "0001-01-01 00:00 BC")], #""0001-01-01T00:00:00 BC""#),
      JSONCase("to_json", [(.timestamp, "infinity")], #""infinity""#),
      JSONCase(
        "to_json", [(.timestamptz, "2025-01-02 03:04:05.6+02")],
        #""2025-01-02T01:04:05.6+00:00""#),
      JSONCase("to_json", [(.time, "04:05")], #""04:05:00""#),
      JSONCase("to_json", [(.interval, "1 day")], #""1 day""#),
      JSONCase("to_json", [(.bytea, "\\xab")], #""\\xab""#),
      JSONCase("to_json", [(.oid, "5")], #""5""#),
      JSONCase("to_json", [(.double, "1e20")], "1e+20"),
      JSONCase("to_jsonb", [(.double, "1e20")], "100000000000000000000"),
      JSONCase("to_jsonb", [(.double, "1e-7")], "0.0000001"),
      JSONCase("to_jsonb", [(.real, "0.1")], "0.1"),
      JSONCase("to_jsonb", [(.double, "-Infinity")], #""-Infinity""#),
      JSONCase("to_json", [(integers, "{1,NULL,3}")], "[1,null,3]"),
      JSONCase("to_jsonb", [(integers, "{1,NULL,3}")], "[1, null, 3]"),
      JSONCase("array_to_json", [(integers, "{1,2,3}"), (.boolean, "t")], "[1,\n 2,\n 3]"),
      JSONCase("to_json", [(.json, #"{"b":  1}"#)], #"{"b":  1}"#),
      JSONCase("to_jsonb", [(.json, #"{"b":  1,"a":2}"#)], #"{"a": 2, "b": 1}"#),
      JSONCase("to_json", [(.integer, nil)], nil),
    ])
  func conversion(_ call: JSONCase) { #expect(call.answer == call.expected) }

  @Test(
    "when objects and arrays are built",
    arguments: [
      JSONCase(
        "json_build_object",
        [
          (.text, "a"), (.integer, "1"), (.integer, "3"), (integers, "{1,2}"), (.text, "n"),
          (.text, nil),
        ],
        #"{"a" : 1, "3" : [1,2], "n" : null}"#),
      JSONCase(
        "jsonb_build_object",
        [
          (.text, "bb"), (.integer, "1"), (.text, "c"), (.integer, "2"), (.text, "c"),
          (integers, "{1,2}"),
        ],
        #"{"c": [1, 2], "bb": 1}"#),
      JSONCase(
        "jsonb_build_object",
        [
          (.boolean, "t"), (.integer, "1"), (.double, "1e3"), (.integer, "2"),
          (.timestamp, "2025-01-01 10:00"), (.integer, "2"),
        ],
        #"{"1000": 2, "true": 1, "2025-01-01T10:00:00": 2}"#),
      JSONCase("json_build_object", [], "{}"), JSONCase("jsonb_build_object", [], "{}"),
      JSONCase("json_build_array", [], "[]"), JSONCase("jsonb_build_array", [], "[]"),
      JSONCase(
        "json_build_array", [(.integer, "1"), (.text, "a"), (.text, nil), (integers, "{1,2}")],
        #"[1, "a", null, [1,2]]"#),
      JSONCase(
        "jsonb_build_array", [(.integer, "1"), (integers, "{1,2}")], "[1, [1, 2]]"),
      JSONCase(
        "json_build_object", [(.text, "a")],
        "22023 argument list must have even number of elements"),
      JSONCase(
        "json_build_object", [(.text, nil), (.integer, "1")], "22023 argument 1 cannot be null"),
      JSONCase(
        "jsonb_build_object", [(.text, "a"), (.integer, "1"), (.text, nil), (.integer, "1")],
        "22023 argument 3: key must not be null"),
      JSONCase(
        "jsonb_build_object", [(integers, "{1}"), (.integer, "1")],
        "22023 key value must be scalar, not array, composite, or json"),
      JSONCase("json_object", [(path, "{a,1,b,NULL}")], #"{"a" : "1", "b" : null}"#),
      JSONCase("jsonb_object", [(path, "{b,1,a,NULL}")], #"{"a": null, "b": "1"}"#),
      JSONCase("json_object", [(path, "{a,b}"), (path, "{1,NULL}")], #"{"a" : "1", "b" : null}"#),
      JSONCase("json_object", [(path, "{a,b,c}")], "2202E array must have even number of elements"),
      JSONCase("jsonb_object", [(path, "{NULL,b}")], "22004 null value not allowed for object key"),
      JSONCase(
        "json_object", [(path, "{a,b}"), (path, "{1}")], "2202E mismatched array dimensions"),
      JSONCase("json_object", [(path, "{}")], "{}"),
    ])
  func building(_ call: JSONCase) { #expect(call.answer == call.expected) }

  @Test(
    "when values are taken out",
    arguments: [
      JSONCase.json(#"{"a":1,"b":[1,{"c":null}]}"#, "->", .text, "b", #"[1,{"c":null}]"#),
      .json(#"{"a":1,"b":[1,2]}"#, "->>", .text, "b", "[1,2]"),
      .json("[1,2,3]", "->", .integer, "-1", "3"), .json("[1,2,3]", "->", .integer, "5", nil),
      .json("[1,2]", "->", .text, "a", nil), .json(#"{"a":null}"#, "->>", .text, "a", nil),
      .json(#"{"a":1,"a":2}"#, "->", .text, "a", "2"),
      .json(#"{"a":"x\u0041"}"#, "->>", .text, "a", "xA"),
      .json(#"{"\u0061":3}"#, "->", .text, "a", "3"),
      .json(#"{"a": { "b" : 1}}"#, "->", .text, "a", #"{ "b" : 1}"#),
      .json(#""x""#, "->", .integer, "0", nil), .jsonb(#""x""#, "->", .integer, "0", #""x""#),
      .jsonb("5", "->>", .integer, "-1", "5"), .jsonb("5", "->", .integer, "1", nil),
      .json(#"{"a":{"b":[10,20]}}"#, "#>", path, "{a,b,1}", "20"),
      .json(#"{"a":{"b":[10,20]}}"#, "#>>", path, "{a,b,-1}", "20"),
      .jsonb(#"{"a":{"b":[10,20]}}"#, "#>", path, "{a,b,x}", nil),
      .jsonb(#"{"a":1}"#, "#>", path, "{}", #"{"a": 1}"#),
      .jsonb(#"{"a":1}"#, "#>", path, "{a,NULL}", nil),
      .jsonb(#""s""#, "#>>", path, "{}", "s"),
      JSONCase(
        "json_extract_path_text", [(.json, #"{"a":["x"]}"#), (.text, "a"), (.text, "0")], "x"),
      JSONCase("json_typeof", [(.json, #" {"a":1}"#)], "object"),
      JSONCase("jsonb_typeof", [(.jsonb, "null")], "null"),
      JSONCase("json_array_length", [(.json, "[1,[2,3]]")], "2"),
      JSONCase(
        "jsonb_array_length", [(.jsonb, "{}")], "22023 cannot get array length of a non-array"),
      JSONCase("jsonb_array_length", [(.jsonb, "1")], "22023 cannot get array length of a scalar"),
    ])
  func taking(_ call: JSONCase) { #expect(call.answer == call.expected) }

  @Test(
    "when values are looked for",
    arguments: [
      JSONCase.jsonb(#"{"a":1,"b":2}"#, "@>", .jsonb, #"{"b":2.0}"#, "t"),
      .jsonb("[1,2,[3,4]]", "@>", .jsonb, "[[3]]", "t"), .jsonb("[1,2]", "@>", .jsonb, "1", "t"),
      .jsonb("1", "@>", .jsonb, "[1]", "f"),
      .jsonb(#"{"a":[1,2]}"#, "@>", .jsonb, #"{"a":[]}"#, "t"),
      .jsonb(#"{"a":1}"#, "<@", .jsonb, #"{"a":1,"b":2}"#, "t"),
      .jsonb("[1,2]", "@>", .jsonb, "[1,1,1]", "t"), .jsonb("{}", "@>", .jsonb, "[]", "f"),
      .jsonb("[]", "@>", .jsonb, "{}", "f"),
      .jsonb(#"[{"a":1,"b":2}]"#, "@>", .jsonb, #"[{"a":1}]"#, "t"),
      .jsonb("[1]", "@>", .jsonb, "[[]]", "f"), .jsonb("[[1]]", "@>", .jsonb, "1", "f"),
      .jsonb(#"{"a":1}"#, "?", .text, "a", "t"), .jsonb(#"["a","b"]"#, "?", .text, "b", "t"),
      .jsonb(#""a""#, "?", .text, "a", "t"), .jsonb("[1]", "?", .text, "1", "f"),
      .jsonb(#"{"a":1}"#, "?|", path, "{x,a}", "t"), .jsonb(#"{"a":1}"#, "?&", path, "{x,a}", "f"),
      .jsonb(#"{"a":1}"#, "?&", path, "{a,NULL}", "t"), .jsonb(#"{"a":1}"#, "?&", path, "{}", "t"),
    ])
  func containment(_ call: JSONCase) { #expect(call.answer == call.expected) }

  @Test(
    "when values are changed",
    arguments: [
      JSONCase.jsonb(#"{"a":1}"#, "||", .jsonb, #"{"b":2,"a":3}"#, #"{"a": 3, "b": 2}"#),
      .jsonb("[1]", "||", .jsonb, "2", "[1, 2]"), .jsonb("1", "||", .jsonb, "2", "[1, 2]"),
      .jsonb(#"{"a":1}"#, "||", .jsonb, "[1]", #"[{"a": 1}, 1]"#),
      .jsonb("[]", "||", .jsonb, #"{"a":1}"#, #"[{"a": 1}]"#),
      .jsonb("{}", "||", .jsonb, "[]", "[{}]"),
      .jsonb(#"{"a":1}"#, "||", .jsonb, "1", #"[{"a": 1}, 1]"#),
      .jsonb(#"["a","b","a"]"#, "-", .text, "a", #"["b"]"#),
      .jsonb("[1,2,3]", "-", .integer, "7", "[1, 2, 3]"),
      .jsonb("[1,2,3]", "-", .integer, "-9", "[1, 2, 3]"),
      .jsonb(#"{"a":1,"b":2,"c":3}"#, "-", path, "{a,c}", #"{"b": 2}"#),
      .jsonb("1", "-", .text, "a", "22023 cannot delete from scalar"),
      .jsonb(
        #"{"a":1}"#, "-", .integer, "1", "22023 cannot delete from object using integer index"),
      .jsonb(#"{"a":{"b":[1,2,3]}}"#, "#-", path, "{a,b,1}", #"{"a": {"b": [1, 3]}}"#),
      .jsonb(#"{"a":1}"#, "#-", path, "{x,y}", #"{"a": 1}"#),
      .jsonb("[1,2]", "#-", path, "{-1}", "[1]"), .jsonb("[]", "#-", path, "{a}", "[]"),
      .jsonb("[1]", "#-", path, "{a}", #"22P02 path element at position 1 is not an integer: "a""#),
      .jsonb("1", "#-", path, "{a}", "22023 cannot delete path in scalar"),
      .jsonb(#"{"a":1}"#, "#-", path, "{NULL}", "22004 path element at position 1 is null"),
      .change("jsonb_set", #"{"a":1}"#, "{b}", "2", #"{"a": 1, "b": 2}"#),
      .change("jsonb_set", #"{"a":1}"#, "{b}", "2", flag: false, #"{"a": 1}"#),
      .change("jsonb_set", "[1,2]", "{5}", "9", "[1, 2, 9]"),
      .change("jsonb_set", "[1,2]", "{-5}", "9", "[9, 1, 2]"),
      .change("jsonb_set", #"{"a":1}"#, "{b,c}", "2", #"{"a": 1}"#),
      .change("jsonb_set", #"{"a":[1,2]}"#, "{a,-1}", "9", #"{"a": [1, 9]}"#),
      .change("jsonb_set", #"{"a":1}"#, "{}", "2", #"{"a": 1}"#),
      .change("jsonb_set", #"{"a":1}"#, "{a,b}", "2", #"{"a": 1}"#),
      .change("jsonb_set", "[]", "{0}", "1", "[1]"),
      .change("jsonb_set", "{}", "{a}", "1", #"{"a": 1}"#),
      .change("jsonb_set", "1", "{a}", "2", "22023 cannot set path in scalar"),
      .change("jsonb_insert", "[1,2]", "{1}", "9", "[1, 9, 2]"),
      .change("jsonb_insert", "[1,2]", "{1}", "9", flag: true, "[1, 2, 9]"),
      .change("jsonb_insert", "[1,2]", "{-1}", "9", "[1, 9, 2]"),
      .change("jsonb_insert", "[1,2]", "{7}", "9", "[1, 2, 9]"),
      .change("jsonb_insert", "[]", "{0}", "9", flag: true, "[9]"),
      .change("jsonb_insert", #"{"a":1}"#, "{a}", "9", "22023 cannot replace existing key"),
      JSONCase(
        "json_strip_nulls", [(.json, #"{"a":1, "b":null,"c":[null,{"d":null}], "e":{"x":null}}"#)],
        #"{"a":1,"c":[null,{}],"e":{}}"#),
      JSONCase("json_strip_nulls", [(.json, #"[1 , "a"]"#)], #"[1,"a"]"#),
      JSONCase("jsonb_strip_nulls", [(.jsonb, "null")], "null"),
      JSONCase(
        "jsonb_pretty", [(.jsonb, #"{"b":[1,{"c":[]}],"d":{}}"#)],
        """
        {
            "b": [
                1,
                {
                    "c": [
                    ]
                }
            ],
            "d": {
            }
        }
        """),
    ])
  func changes(_ call: JSONCase) { #expect(call.answer == call.expected) }

  @Test(
    "when jsonb numbers are read",
    arguments: [
      ("-0", "0"), ("-0.0", "0.0"), ("1.50e2", "150"), ("1e-3", "0.001"), ("0e5", "0"),
      ("0.00e1", "0.0"), ("1E+2", "100"), ("12.5e-3", "0.0125"), ("-1.20e1", "-12.0"),
      (
        "123456789012345678901234567890123456789012345.5",
        "123456789012345678901234567890123456789012345.5"
      ), ("1e400000", "22003 value overflows numeric format"),
    ])
  func numbers(_ text: String, _ expected: String) {
    #expect(JSONCase("to_jsonb", [(.jsonb, text)], expected).answer == expected)
  }

  @Test("when jsonb values are put in order")
  func order() throws {
    let sorted = [
      "[]", "null", #""""#, #""B""#, #""a""#, "-1", "1.0", "1.5", "2", "10", "false", "true",
      "[null]", #"["zz"]"#, "[1]", "[2]", "[[]]", "[{}]", "[1, 2]", "{}", #"{"a": 1}"#,
      #"{"aa": 0}"#, #"{"b": 0}"#, #"{"a": 1, "b": 1}"#,
    ]
    let vector = try BuiltinCall.vector(.jsonb, sorted)
    for left in sorted.indices {
      for right in sorted.indices {
        let order = ValueOrder.compare(vector, left, vector, right)
        #expect(order.signum() == (left - right).signum(), "\(sorted[left]) and \(sorted[right])")
      }
    }
    let equal = try BuiltinCall.vector(.jsonb, [#"{"a":[1.0,"x\n"]}"#, #"{"a":[1,"x\n"]}"#])
    #expect(ValueOrder.compare(equal, 0, equal, 1) == 0)
  }
}
