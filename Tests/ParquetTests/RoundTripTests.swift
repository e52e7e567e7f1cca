import Columnar
import Diagnostics
import Testing

@testable import Parquet

@Suite("What is written is read again")
struct RoundTripTests {
  private static let label = EnumerationType(
    name: "mood", labels: ["sad", "ok", "happy beyond all words"])

  /// Types, and a maker of their values.
  static let types: [ColumnType] = [
    ColumnType(.boolean), ColumnType(.smallint), ColumnType(.integer), ColumnType(.bigint),
    ColumnType(.real), ColumnType(.double), ColumnType(.text), ColumnType(.varchar, .length(80)),
    ColumnType(.bytea), ColumnType(.date), ColumnType(.time), ColumnType(.timestamp),
    ColumnType(.timestamptz), ColumnType(.uuid), ColumnType(.json),
    ColumnType(.numeric, .numeric(precision: 7, scale: 2)),
    ColumnType(.numeric, .numeric(precision: 18, scale: 6)),
    ColumnType(.numeric, .numeric(precision: 30, scale: 10)),
    ColumnType(.numeric, .numeric(precision: 38, scale: 0)), ColumnType(.enumeration(label)),
    ColumnType(.array(.integer)), ColumnType(.array(.text)),
    ColumnType(.array(.numeric), .numeric(precision: 9, scale: 1)),
  ]

  /// A value of a type; few of them differ if `isNarrow`.
  static func value(
    _ type: ColumnType, _ isNarrow: Bool, _ random: inout Seeded, isElement: Bool = false
  ) -> Value {
    let small = Int.random(in: -3...3, using: &random)
    func number<Number: FixedWidthInteger>(_ range: ClosedRange<Number>) -> Number {
      isNarrow ? Number(clamping: small) : Number.random(in: range, using: &random)
    }
    switch type.type {
    case .boolean: return .boolean(small > 0)
    case .smallint: return .int16(number(.min ... .max))
    case .integer: return .int32(number(.min ... .max))
    case .date: return .int32(number(Calendar.dateRange))
    case .bigint: return .int64(number(.min ... .max))
    case .time: return .int64(abs(number(0...86_400_000_000)))
    case .timestamp, .timestamptz:
      return .int64(number(Calendar.timestampRange.lowerBound...8_000_000_000_000_000_000))
    case .real:
      return .float(isNarrow ? Float(small) : Float.random(in: -1e9...1e9, using: &random))
    case .double:
      return .double(isNarrow ? Double(small) : .random(in: -1e99...1e99, using: &random))
    case .text, .varchar:
      let length = Int.random(in: 0...(isNarrow ? 2 : 30), using: &random)
      return .string(
        String((0..<length).map { _ in "aß漢😀xyz".randomElement(using: &random) ?? "a" }))
    case .bytea:
      return .text(
        (0..<Int.random(in: 0...20, using: &random)).map { _ in
          UInt8(truncatingIfNeeded: number(0...255))
        })
    case .json: return .string("{\"a\": [\(small)]}")
    case .uuid: return .uuid(UUIDValue(high: number(0...UInt64.max), low: number(0...UInt64.max)))
    case .enumeration: return .int32(Int32(abs(small) % 3))
    case .numeric:
      guard case .numeric(let precision, let scale) = type.modifier else { return .null }
      let most = Int128((0..<Int(precision)).reduce(1 as Int128) { power, _ in power * 10 }) - 1
      return .numeric(Numeric(coefficient: number(-most...most), scale: Int16(scale)))
    case .array(let element):
      let length = Int.random(in: 0...4, using: &random)
      return .list(
        (0..<length).map { index in
          index == 2 ? .null : value(ColumnType(element, type.modifier), isNarrow, &random)
        })
    default: return .null
    }
  }

  private func texts(_ vector: Vector) -> [String?] {
    let formatter = TextFormatter()
    return (0..<vector.count).map { row in
      guard vector.isValid(row) else { return nil }
      var text = ByteBuilder()
      formatter.append(row, of: vector, to: &text)
      return text.bytes.string
    }
  }

  @Test(
    "columns of every type, with and without NULLs, whatever their length",
    arguments: RoundTripTests.types.indices)
  func everyType(_ index: Int) throws {
    let type = Self.types[index]
    var random = Seeded(UInt64(index))
    for count in [0, 1, 2, 63, 500, 2500] {
      for (isNullable, isNarrow) in [(true, false), (false, true), (true, true), (false, false)] {
        var options = ParquetWriter.Options()
        options.isSnappy = isNarrow != isNullable
        options.makesDictionaries = Bool.random(using: &random)
        options.rowGroupRowsMax = [100, 1024, 1 << 20][Int.random(in: 0..<3, using: &random)]
        let rows: [Value] = (0..<count).map { _ in
          isNullable && Int.random(in: 0..<4, using: &random) == 0
            ? .null : Self.value(type, isNarrow, &random)
        }
        let vector = Vector(type.type, rows)
        var chunks: [DataChunk] = []
        var start = 0
        while start < count {
          let length = min(count - start, Int.random(in: 1...400, using: &random))
          chunks.append(DataChunk([vector.slice(from: start, count: length)], count: length))
          start += length
        }
        let bytes = try written([.init("c", type, isNullable: isNullable)], chunks, options)
        let file = try ParquetFile(bytes)
        #expect(file.rowCount == count)
        #expect(file.columns[0].isNullable == isNullable)
        let expected = texts(vector)
        #expect(try file.texts(0, step: 333) == expected, "\(type.name) \(count)")
        try checkBounds(file, vector)
      }
    }
  }

  @Test("labels are written as texts, which no reader takes for bytes")
  func labels() throws {
    let vector = Vector(.enumeration(Self.label), [Value.int32(2), .int32(0)])
    let bytes = try written(
      [.init("c", ColumnType(.enumeration(Self.label)), isNullable: false)],
      [DataChunk([vector], count: 2)], ParquetWriter.Options())
    let file = try ParquetFile(bytes)
    #expect(file.columns[0].node.annotation == .string)
    #expect(try file.texts(0) == ["happy beyond all words", "sad"])
  }

  /// Checks that bounds are bounds and counts of NULLs are right.
  private func checkBounds(_ file: ParquetFile, _ vector: Vector) throws {
    guard file.columns[0].type.type.element == nil else { return }
    var row = 0
    for group in file.rowGroups.indices {
      let statistics = file.statistics(ofColumn: 0, inRowGroup: group)
      let rows = row..<(row + file.rowGroups[group].rowCount)
      row = rows.upperBound
      #expect(statistics.nullCount == rows.count { !vector.isValid($0) })
      guard let least = statistics.minimum, let greatest = statistics.maximum else { continue }
      for row in rows where vector.isValid(row) {
        let value = vector.value(at: row)
        if case .int32 = value, case .text = least { continue }
        #expect(
          !precedes(value, least) && !precedes(greatest, value), "\(value) \(least) \(greatest)")
      }
    }
  }

  private func precedes(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.boolean(let a), .boolean(let b)): !a && b
    case (.int16(let a), .int16(let b)): a < b
    case (.int32(let a), .int32(let b)): a < b
    case (.int64(let a), .int64(let b)): a < b
    case (.float(let a), .float(let b)): a < b
    case (.double(let a), .double(let b)): a < b
    case (.numeric(let a), .numeric(let b)): a < b
    case (.uuid(let a), .uuid(let b)): a < b
    case (.text(let a), .text(let b)): a.lexicographicallyPrecedes(b)
    default: true
    }
  }

  @Test("rows that fill several pages, with and without a dictionary")
  func pages() throws {
    let count = 300_000
    let numbers = Buffer<Int64>(uninitialized: count)
    let few = Buffer<Int32>(uninitialized: count)
    for row in 0..<count {
      numbers[row] = Int64(row) &* 0x1234_5678_9ABC
      few[row] = Int32(row / 3 % 100)
    }
    var mask = ValidityMask.allValid
    for row in stride(from: 5, to: count, by: 1000) { mask.setNull(row, count: count) }
    let chunk = DataChunk(
      [
        Vector(.bigint, numbers, count: count, validity: mask),
        Vector(.integer, few, count: count),
      ], count: count)
    let bytes = try written(
      [.init("n", ColumnType(.bigint)), .init("f", ColumnType(.integer), isNullable: false)],
      [chunk])
    #expect(bytes.count < count * 9 + 20_000)
    let file = try ParquetFile(bytes)
    for (column, vector) in chunk.columns.enumerated() {
      let reader = try file.reader(ofColumn: column, inRowGroup: 0)
      var row = 0
      var differences = 0
      while reader.rowsLeft > 0 {
        let part = try reader.read(min(reader.rowsLeft, 5000)).flattened()
        for index in 0..<part.count {
          let (a, b) = (part.value(at: index), vector.value(at: row + index))
          if "\(a)" != "\(b)" { differences += 1 }
        }
        row += part.count
      }
      #expect(differences == 0)
      #expect(row == count)
    }
  }

  @Test("texts longer than a page")
  func longTexts() throws {
    let rows: [Value] = (0..<6).map { row in
      .text([UInt8](repeating: 97 + UInt8(row), count: row * 700_000))
    }
    let bytes = try written(
      [.init("t", ColumnType(.text))], [DataChunk([Vector(.text, rows)], count: 6)])
    let read = try ParquetFile(bytes).texts(0, step: 6)
    #expect(read.map { $0?.utf8.count } == (0..<6).map { $0 * 700_000 })
    #expect(read[5]?.utf8.allSatisfy { $0 == 102 } == true)
  }

  @Test("values of types that the format lacks are written as text, nested ones as JSON")
  func otherTypes() throws {
    let record = LogicalType.record(
      RecordType(name: nil, fields: [.init("a", .integer), .init("b", .text)]))
    let chunk = DataChunk(
      [
        Vector(.interval, [.interval(Interval(months: 1, days: 2, microseconds: 3)), .null]),
        Vector(record, [.record([.int32(1), .string("x")]), .null]),
        Vector(.array(record), [.list([.record([.int32(1), .null])]), .null]),
      ], count: 2)
    let file = try ParquetFile(
      try written(
        [
          .init("i", ColumnType(.interval)), .init("r", ColumnType(record)),
          .init("l", ColumnType(.array(record))),
        ], [chunk]))
    #expect(file.columns.map(\.type.name) == ["text", "json", "json"])
    #expect(try file.texts(0) == ["1 mon 2 days 00:00:00.000003", nil])
    #expect(try file.texts(1) == ["{\"a\":1,\"b\":\"x\"}", nil])
    #expect(try file.texts(2) == ["[{\"a\":1,\"b\":null}]", nil])
  }

  @Test("a numeric without a scale takes the greatest of its first rows")
  func openNumerics() throws {
    let rows: [Value] = [
      .numeric(Numeric(coefficient: 15, scale: 1)), .null,
      .numeric(Numeric(coefficient: -3_333, scale: 3)), .numeric(Numeric(coefficient: 2, scale: 0)),
    ]
    let file = try ParquetFile(
      try written(
        [.init("n", ColumnType(.numeric))], [DataChunk([Vector(.numeric, rows)], count: 4)]))
    #expect(file.columns[0].type.name == "numeric(38,3)")
    #expect(try file.texts(0) == ["1.500", nil, "-3.333", "2.000"])
  }

  @Test("constants and rows picked by a filter are written as they stand")
  func forms() throws {
    let constant = Vector(constant: .string("always the same text"), type: .text, count: 5)
    let picked = Vector(.integer, (0..<9).map { .int32(Int32($0)) }).slice(from: 3, count: 5)
    let file = try ParquetFile(
      try written(
        [.init("c", ColumnType(.text)), .init("p", ColumnType(.integer))],
        [DataChunk([constant, picked], count: 5)]))
    #expect(try file.texts(0) == [String?](repeating: "always the same text", count: 5))
    #expect(try file.texts(1) == ["3", "4", "5", "6", "7"])
  }

  @Test("what has no place in a file is refused with its row")
  func refusals() throws {
    func error(_ type: ColumnType, _ rows: [Value], isNullable: Bool = true) -> SQLError? {
      do {
        _ = try written(
          [.init("c", type, isNullable: isNullable)],
          [DataChunk([Vector(type.type, rows)], count: rows.count)])
        return nil
      } catch { return error }
    }
    let infinite = error(ColumnType(.date), [.int32(1), .null, .int32(Calendar.dateInfinity)])
    #expect(infinite?.state == .datetimeOverflow)
    #expect(infinite?.message.contains("column \"c\" in row 3") == true)
    #expect(
      error(ColumnType(.timestamp), [.int64(Calendar.timestampNegativeInfinity)])?.state
        == .datetimeOverflow)
    let narrow = ColumnType(.numeric, .numeric(precision: 3, scale: 1))
    #expect(
      error(narrow, [.numeric(Numeric(coefficient: 12_345, scale: 1))])?.state == .numericOutOfRange
    )
    #expect(error(narrow, [.numeric(.nan)])?.state == .numericOutOfRange)
    #expect(
      error(ColumnType(.integer), [.null], isNullable: false)?.state == .notNullViolation)
    let twice = #expect(throws: SQLError.self) {
      try ParquetWriter([.init("c", ColumnType(.text)), .init("c", ColumnType(.text))]) { _, _ in }
    }
    #expect(twice?.state == .duplicateColumn)
  }
}
