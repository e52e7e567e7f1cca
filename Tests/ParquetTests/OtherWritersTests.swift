import Columnar
import Diagnostics
import Testing

@testable import Parquet

@Suite("Files that others have written")
struct OtherWritersTests {
  /// What each column of the files by Arrow has in its four rows, which come three times.
  static let expected: [(name: String, type: String, rows: [String?])] = [
    ("b", "boolean", ["t", "f", nil, "t"]),
    ("i8", "smallint", ["1", "-128", nil, "127"]),
    ("i16", "smallint", ["1", "-32768", nil, "32767"]),
    ("i32", "integer", ["1", "-2147483648", nil, "2147483647"]),
    ("i64", "bigint", ["1", "-9223372036854775808", nil, "9223372036854775807"]),
    ("u8", "smallint", ["1", "255", nil, "0"]),
    ("u16", "integer", ["1", "65535", nil, "0"]),
    ("u32", "bigint", ["1", "4294967295", nil, "0"]),
    ("u64", "numeric(20,0)", ["1", "18446744073709551615", nil, "0"]),
    ("f16", "real", ["1.5", "-0.25", nil, "65504"]),
    ("f32", "real", ["1.5", "NaN", nil, "-Infinity"]),
    ("f64", "double precision", ["1.5", "1e+300", nil, "-0.1"]),
    ("d9", "numeric(9,2)", ["1.50", "-9999999.99", nil, "0.01"]),
    ("d18", "numeric(18,3)", ["1.500", "-999999999999999.999", nil, "0.010"]),
    ("d38", "numeric(38,1)", ["1.5", "-9999999999999999999999999999999999999.9", nil, "0.1"]),
    ("date", "date", ["1970-01-01", "0001-01-01", nil, "9999-12-31"]),
    ("t_ms", "time without time zone", ["00:00:00", "23:59:59.999", nil, "12:30:00"]),
    ("t_us", "time without time zone", ["00:00:00", "23:59:59.999999", nil, "12:30:00.000001"]),
    ("t_ns", "time without time zone", ["00:00:00", "23:59:59.999999", nil, "00:00:00.000001"]),
    (
      "ts_ms", "timestamp without time zone",
      ["1970-01-01 00:00:00", "1969-12-31 23:59:59.999", nil, "2023-11-14 22:13:20.123"]
    ),
    (
      "ts_us", "timestamp without time zone",
      ["1970-01-01 00:00:00", "1969-12-31 23:59:59.999999", nil, "2023-11-14 22:13:20.123456"]
    ),
    (
      "ts_ns", "timestamp without time zone",
      ["1970-01-01 00:00:00", "1969-12-31 23:59:59.999999", nil, "2023-11-14 22:13:20.123456"]
    ),
    (
      "tz_us", "timestamp with time zone",
      [
        "1970-01-01 00:00:00+00", "1969-12-31 23:59:59.999999+00", nil,
        "2023-11-14 22:13:20.123456+00",
      ]
    ),
    ("s", "text", ["", "kurz", nil, "ein längerer Text 漢字 😀"]),
    (
      "bin", "bytea",
      ["\\x00ff", "\\x", nil, "\\x6c6f6e676572207468616e207477656c76652062797465732000"]
    ),
    ("fb", "bytea", ["\\x61626364", "\\x00010203", nil, "\\x7778797a"]),
    ("li", "integer[]", ["{1,NULL,3}", "{}", nil, "{4}"]),
    ("ls", "text[]", ["{a,\"a longer text than twelve\"}", "{}", nil, "{NULL}"]),
    (
      "st", "json",
      ["{\"x\":1,\"y\":\"q\\\"\"}", "{\"x\":null,\"y\":null}", nil, "{\"x\":2,\"y\":\"z\"}"]
    ),
    ("ll", "json", ["[[1,2],[]]", "[]", nil, "[null,[3,null]]"]),
    ("m", "json", ["{\"a\":1,\"b\":null}", "{}", nil, "{\"c\":3}"]),
    (
      "lst", "json",
      ["[{\"x\":1,\"l\":[1]},{\"x\":null,\"l\":null}]", "[]", nil, "[null]"]
    ),
    ("nul", "text", [nil, nil, nil, nil]),
  ]

  @Test(
    "every type by Arrow, in every encoding and compression",
    arguments: [
      "arrow-none", "arrow-snappy", "arrow-gzip", "arrow-zstd", "arrow-lz4", "arrow-v2",
      "arrow-plain", "arrow-delta",
    ])
  func arrow(_ name: String) throws {
    let file = try Files.open(name)
    #expect(file.rowCount == 12)
    #expect(file.createdBy?.hasPrefix("parquet-cpp-arrow") == true)
    try #require(file.columns.count == Self.expected.count + 1)
    for (index, expected) in Self.expected.enumerated() {
      #expect(file.columns[index].name == expected.name)
      #expect(file.columns[index].type.name == expected.type, "\(expected.name)")
      #expect(file.columns[index].isNullable)
      let rows = expected.rows + expected.rows + expected.rows
      for step in [1, 5, 12] {
        #expect(try file.texts(index, step: step) == rows, "\(name) \(expected.name) \(step)")
      }
    }
    #expect(file.columns.last?.isNullable == false)
    #expect(try file.texts("req") == (0..<12).map { "\($0)" })
  }

  @Test("some types by polars, whose pages are packed by Zstandard")
  func polars() throws {
    let file = try Files.open("polars")
    #expect(file.columns.count == 13)
    for column in file.columns {
      let expected = try #require(Self.expected.first { $0.name == column.name })
      #expect(column.type.name == expected.type)
      #expect(try file.texts(column.name) == expected.rows + expected.rows + expected.rows)
    }
  }

  @Test("every type by DuckDB", arguments: ["duckdb", "duckdb-v2"])
  func duckDB(_ name: String) throws {
    let file = try Files.open(name)
    let numbers: [String?] = ["0", "1", "2", "3"]
    for column in ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"] {
      #expect(try file.texts(column) == numbers, "\(column)")
    }
    let expected: [String: [String?]] = [
      "b": ["t", "f", "t", "f"],
      "d9": ["0.00", "0.25", "0.50", "0.75"],
      "d18": ["0.000", "0.250", "0.500", "0.750"],
      "d38": ["0.0000000000", "0.2500000000", "0.5000000000", "0.7500000000"],
      "da": ["2024-02-29", "2024-03-01", "2024-03-02", "2024-03-03"],
      "t": [String?](repeating: "12:34:56.789", count: 4),
      "ts": [String?](repeating: "2024-02-29 12:34:56.789012", count: 4),
      "tz": [String?](repeating: "2024-02-29 10:34:56.789012+00", count: 4),
      "s": ["text 0", "text 1", "text 2", "text 3"],
      "bl": [String?](repeating: "\\x78", count: 4),
      "u": [String?](repeating: "12345678-9abc-def0-1234-56789abcdef0", count: 4),
      "iv": [String?](repeating: "1 mon 2 days 00:00:03", count: 4),
      "li": ["{0,NULL}", "{1,NULL}", "{2,NULL}", "{3,NULL}"],
      "st": ["{\"x\":0}", "{\"x\":1}", "{\"x\":2}", "{\"x\":3}"],
      "m": ["{\"k\":0}", "{\"k\":1}", "{\"k\":2}", "{\"k\":3}"],
      "j": [String?](repeating: "{\"a\":1}", count: 4),
      "n": [nil, "1", "2", nil],
    ]
    for (column, rows) in expected { #expect(try file.texts(column) == rows, "\(column)") }
  }

  @Test("rows that lie across pages and row groups", arguments: [1, 100, 777, 2048])
  func pages(_ step: Int) throws {
    let file = try Files.open("arrow-pages")
    #expect(file.rowGroups.map(\.rowCount) == [2000, 1000])
    let rows = 0..<3000
    #expect(try file.texts("id", step: step) == rows.map { "\($0)" })
    #expect(try file.texts("third", step: step) == rows.map { $0 % 3 == 0 ? nil : "\($0 * $0)" })
    #expect(
      try file.texts("word", step: step)
        == rows.map { $0 % 50 == 7 ? nil : "word number \($0 % 50)" })
    #expect(
      try file.texts("list", step: step)
        == rows.map { row in
          row % 11 == 0
            ? nil : "{" + (0..<(row % 4)).map { "\($0)" }.joined(separator: ",") + "}"
        })
    #expect(
      try file.texts("json", step: step) == rows.map { "{\"a\":\($0),\"b\":[\($0 % 2)]}" })
  }

  @Test("timestamps as Spark writes them, a day and nanoseconds in 96 bits")
  func dayTimestamps() throws {
    let expected = try #require(Self.expected.first { $0.name == "ts_us" })
    #expect(
      try Files.open("arrow-int96").texts(0)
        == expected.rows + expected.rows + expected.rows)
  }

  @Test("a file without rows has its columns")
  func empty() throws {
    let file = try Files.open("arrow-empty")
    #expect(file.rowCount == 0)
    #expect(file.columns.map(\.type.name) == ["integer", "text", "integer[]", "json"])
    for column in file.columns.indices { #expect(try file.texts(column).isEmpty) }
  }

  @Test("what is not read is named, with what converts it")
  func refusals() throws {
    let file = try Files.open("arrow-brotli")
    let error = #expect(throws: SQLError.self) { try file.texts(0) }
    #expect(error?.state == .featureNotSupported)
    #expect(error?.message.contains("the compression BROTLI is not supported") == true)
    #expect(error?.message.contains("column \"i32\", row group 0, page 0") == true)
    #expect(error?.hint?.contains("pyarrow") == true)
  }

  @Test("what is no parquet file is refused with the reason")
  func noFile() throws {
    for (bytes, reason) in [
      ("", "it has only 0 bytes"), ("PAR1 something", "it does not end in PAR1"),
      ("XXXX....PAR1....PAR1", "it does not begin with PAR1"),
    ] {
      let error = #expect(throws: SQLError.self) { try ParquetFile(Array(bytes.utf8)) }
      #expect(error?.state == .badCopyFileFormat)
      #expect(error?.message.contains(reason) == true, "\(reason)")
    }
    let missing = #expect(throws: SQLError.self) { try ParquetFile(path: "/nowhere/at/all") }
    #expect(missing?.state == .undefinedFile)
    #expect(throws: SQLError.self) { try ParquetFile(path: Files.folder) }
  }

  @Test("bounds and counts of NULLs are told by row group")
  func statistics() throws {
    let file = try Files.open("arrow-pages")
    let first = file.statistics(ofColumn: 0, inRowGroup: 0)
    let second = file.statistics(ofColumn: 0, inRowGroup: 1)
    #expect("\(first.minimum ?? .null)" == "\(Value.int64(0))")
    #expect("\(first.maximum ?? .null)" == "\(Value.int64(1999))")
    #expect("\(second.minimum ?? .null)" == "\(Value.int64(2000))")
    #expect(first.nullCount == 0)
    #expect(file.statistics(ofColumn: 1, inRowGroup: 1).nullCount == 333)
    let words = file.statistics(ofColumn: 2, inRowGroup: 0)
    #expect("\(words.minimum ?? .null)" == "\(Value.string("word number 0"))")
    #expect("\(words.maximum ?? .null)" == "\(Value.string("word number 9"))")
    #expect(file.statistics(ofColumn: 3, inRowGroup: 0).minimum == nil)
    let types = try Files.open("arrow-none")
    let dates = types.statistics(ofColumn: 15, inRowGroup: 0)
    #expect("\(dates.minimum ?? .null)" == "\(Value.int32(-730_119))")
    let decimals = types.statistics(ofColumn: 14, inRowGroup: 0)
    #expect(
      "\(decimals.maximum ?? .null)" == "\(Value.numeric(Numeric(coefficient: 15, scale: 1)))")
  }
}

extension Value? {
  fileprivate static func == (left: Value?, right: _OptionalNilComparisonType) -> Bool {
    if case .none = left { return true }
    return false
  }
}
