import Columnar

/// Literals at the ends of each type, and those that kernels treat in ways of their own.
enum ExtremeValues {
  static func literals(_ type: LogicalType) -> [String] {
    switch type {
    case .array(let element):
      let some = literals(element).prefix(3).joined(separator: ", ")
      let name = "\(element.name)[]"
      return [
        "'{}'::\(name)", "'{NULL}'::\(name)", "ARRAY[\(some)]::\(name)",
        "ARRAY[\(literals(element).first ?? "NULL"), NULL]::\(name)",
      ]
    case .enumeration: return ["'sad'::mood", "'glad'::mood"]
    case .record: return ["ROW(1, 'a')", "ROW(NULL, NULL)"]
    default:
      return (plain[type] ?? []).map {
        $0.contains("(") || type == .boolean ? $0 : "\($0)::\(type.name)"
      }
    }
  }

  private static let plain: [LogicalType: [String]] = numbers.merging(times) { $1 }.merging(texts) {
    $1
  }

  private static let numbers: [LogicalType: [String]] = [
    .boolean: ["true", "false"],
    .smallint: ["(-32768)::smallint", "32767", "0", "1", "(-1)::smallint", "7"],
    .integer: [
      "(-2147483648)::integer", "2147483647", "0", "1", "(-1)::integer", "2", "64", "1000", "-7",
    ],
    .bigint: [
      "(-9223372036854775808)::bigint", "9223372036854775807", "0", "1", "(-1)::bigint",
      "4294967296",
      "63", "(-9223372036854775807)::bigint", "10",
    ],
    .oid: ["0", "1", "4294967295"],
    .numeric: [
      "99999999999999999999999999999999999999",
      "(-99999999999999999999999999999999999999)::numeric",
      "0.00000000000000000000000000000000000001", "'NaN'", "'Infinity'", "'-Infinity'", "0",
      "0.000", "1",
      "(-1)::numeric", "0.5", "9223372036854775808", "12345678901234567890.123456789012345678",
      "1e37",
      "2147483647.5", "170141183460469231731687303715884105727", "2", "-2.5", "1e-5", "10.50",
    ],
    .real: [
      "'NaN'", "'Infinity'", "'-Infinity'", "'3.4028235e38'", "'1e-45'", "0", "'-0'", "1.5", "2",
    ],
    .double: [
      "'NaN'", "'Infinity'", "'-Infinity'", "'1.7976931348623157e308'", "'5e-324'", "0", "'-0'",
      "1.5",
      "(-2.5)::double precision", "'9223372036854775807'", "1e20", "(-1e300)::double precision",
      "2", "0.1",
    ],
  ]

  private static let times: [LogicalType: [String]] = [
    .date: [
      "'infinity'", "'-infinity'", "'4713-01-01 BC'", "'5874897-12-31'", "'2000-02-29'",
      "'0001-01-01'",
      "'1970-01-01'", "'294276-12-31'", "'1999-12-31'",
    ],
    .time: ["'00:00:00'", "'24:00:00'", "'23:59:59.999999'", "'12:34:56.5'"],
    .timetz: ["'00:00:00+15:59'", "'24:00:00-15:59'", "'12:00:00+01'"],
    .timestamp: [
      "'infinity'", "'-infinity'", "'4713-01-01 00:00:00 BC'", "'294276-12-31 23:59:59.999999'",
      "'2000-02-29 12:34:56.789012'", "'1970-01-01'", "'0001-01-01'",
    ],
    .timestamptz: [
      "'infinity'", "'-infinity'", "'4713-01-01 00:00:00+00 BC'",
      "'294276-12-31 23:59:59.999999+00'",
      "'2000-02-29 12:34:56.789012+00'", "'1970-01-01 00:00:00+00'",
    ],
    .interval: [
      "'0'", "'178000000 years'", "'-178000000 years'", "'2147483647 months'",
      "'-2147483648 months'",
      "'2147483647 days'", "'-2147483648 days'", "'2562047788:00:54.775807'",
      "'-2562047788:00:54.775807'",
      "'1 mon -1 day 00:00:00.000001'", "'1 day'", "'-1 microsecond'", "'1 month'",
      "'200000000 days'",
      "'2147483647 months 2147483647 days 2562047788:00:54.775807'",
    ],
  ]

  private static let words = [
    "''", "'a'", "'é'", "'abcdefg'", "'abcdefgh'", "'abcdefghijkl'", "'abcdefghijklm'", "' '",
    "'%_'",
    "E'\\n\\t\\\\'", "'infinity'", "'-1'", "'YYYY-MM-DD HH24:MI:SS.US TZ'", "'((('", "'year'",
    "'{}'",
    "'99999999999999999999'", "E'\\uFEFF\\u0130\\u00DF'", "'microseconds'", "'UTC'",
    "'America/New_York'",
    "'hex'", "'FMRN'", "'9999999999999999999.9999V99EEEE'", "'g'", "'a|b*'", "'{a,0}'", "'$.a'",
    "'-'",
    "E'\\U0001F468\\u200D\\U0001F469 e\\u0301'", "repeat('abc', 3000)::text",
  ]

  private static let texts: [LogicalType: [String]] = [
    .text: words, .varchar: Array(words.prefix(16)), .name: ["'n'", "''"],
    .character: ["'a  '::character(5)", "''::character(3)", "'é'::character(2)"],
    .bytea: ["''", "'\\x00'", "'\\xff00ff'", "decode(repeat('ab', 5000), 'hex')::bytea"],
    .uuid: ["'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"],
    .json: [
      "'null'", "'1e400'", "'[]'", "'{}'", "'\"a\"'",
      "'{\"a\":{\"b\":[1,2,{\"c\":null}]},\"a\":2}'",
      "(repeat('[',500)||repeat(']',500))::json", "'[1,[2,3],{\"x\":\"y\"}]'", "'true'",
      "'[{\"a\":1},{\"a\":2,\"b\":\"x\"}]'",
    ],
    .jsonb: [
      "'null'", "'[]'", "'{}'", "'\"a\"'", "'{\"a\":{\"b\":[1,2,{\"c\":null}]},\"a\":2}'",
      "(repeat('[',500)||repeat(']',500))::jsonb", "'[1,[2,3],{\"x\":\"y\"}]'",
      "'123456789012345678901234567890.5'", "'true'", "'1e30'", "'[null]'",
    ],
    .bit: ["B'1'::bit(1)", "B'10110'::bit(5)", "B'01'::bit(2)"],
    .varbit: ["B''", "B'1'", "B'1011'"],
  ]
}
