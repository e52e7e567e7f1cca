import Columnar
import DelimitedText
import Diagnostics
import Testing

struct ReadingExample: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let text: String
  let rows: [[String?]]

  init(_ name: String, _ text: String, _ rows: [[String?]]) {
    testDescription = name
    self.text = text
    self.rows = rows
  }
}

@Suite("Reading separated values")
struct ReadingTests {
  @Test(
    "gives the fields that PostgreSQL reads",
    arguments: [
      ReadingExample("plain fields", "a,b\nc,d\n", [["a", "b"], ["c", "d"]]),
      ReadingExample("no line end at the end", "a,b\nc,d", [["a", "b"], ["c", "d"]]),
      ReadingExample("an empty field is NULL", "a,\n,b\n", [["a", nil], [nil, "b"]]),
      ReadingExample("a quoted empty field is not", "\"\",x\n", [["", "x"]]),
      ReadingExample("quotes hide separators", "\"a,b\",\"c\nd\"\n", [["a,b", "c\nd"]]),
      ReadingExample("a doubled quote is a quote", "\"a\"\"b\",c\n", [["a\"b", "c"]]),
      ReadingExample("a quote may open within a field", "a\"b,c\"d,e\n", [["ab,cd", "e"]]),
      ReadingExample("lines may end in CRLF", "a,b\r\n\"c\",d\r\n", [["a", "b"], ["c", "d"]]),
      ReadingExample("lines may end in CR", "a,b\rc,d\r", [["a", "b"], ["c", "d"]]),
      ReadingExample("a field may hold CRLF", "\"a\r\nb\",c\n", [["a\r\nb", "c"]]),
      ReadingExample("an end marker ends the data", "a,b\n\\.\nc,d\n", [["a", "b"]]),
      ReadingExample("nothing", "", []),
      ReadingExample("letters beyond ASCII", "é,日本\n\"ß\",🦊\n", [["é", "日本"], ["ß", "🦊"]]),
    ])
  func fields(_ example: ReadingExample) throws {
    for blockSize in [16, 17, 23, 1 << 16] {
      let parsed = try ParsedText(Array(example.text.utf8), width: 2, blockSize: blockSize)
      #expect(parsed.rows == example.rows, "in blocks of \(blockSize)")
      #expect(parsed.rejectedLines.isEmpty)
    }
  }

  @Test("takes an empty line for a record of one empty field")
  func emptyLines() throws {
    let parsed = try ParsedText(Array("a\n\nb\n".utf8), width: 1)
    #expect(parsed.rows == [["a"], [nil], ["b"]])
  }

  @Test("rejects records with too few or too many fields, by line")
  func fieldCounts() throws {
    let parsed = try ParsedText(Array("a,b\nc\n\"x\ny\",d\ne,f,g\nh,i\n".utf8), width: 2)
    #expect(parsed.rows == [["a", "b"], ["x\ny", "d"], ["h", "i"]])
    #expect(parsed.rejectedLines == [2, 5])
    #expect(parsed.rejectedStates == [.badCopyFileFormat, .badCopyFileFormat])
  }

  @Test("rejects fields that are no number of their column, by line")
  func numbers() throws {
    let text = "1\n-7\n +8 \n12345678\n123456789\n2147483648\nx\n1.5\n\n"
    let parsed = try ParsedText(Array(text.utf8), width: 1, types: [.integer])
    #expect(parsed.rows == [["1"], ["-7"], ["8"], ["12345678"], ["123456789"], [nil]])
    #expect(parsed.rejectedLines == [6, 7, 8])
    #expect(
      parsed.rejectedStates
        == [.numericOutOfRange, .invalidTextRepresentation, .invalidTextRepresentation])
  }

  /// Files of short whole numbers are read in one pass; one that has something else is not.
  @Test("reads whole numbers as it reads texts", arguments: 0..<60)
  func wholeNumbers(_ seed: UInt64) throws {
    var random = TestRandom(seed: seed)
    let types: [LogicalType] = [.integer, .smallint, .bigint]
    let oddities = [
      "", "+7", "-8", " 9 ", "123456789", "40000", "x", "0000000012", "\"5\"", "1 2",
    ]
    // Of three files, one has none, one a few and one many.
    let oddness = [0, 500, 5][Int(seed % 3)]
    var text = ""
    for _ in 0..<(seed < 6 ? 5000 : random.below(60)) {
      let fields = types.map { type in
        if oddness > 0 && random.below(oddness) == 0 {
          return oddities[random.below(oddities.count)]
        }
        return String(random.below(type == .smallint ? 32_768 : 100_000_000) >> random.below(27))
      }
      text += fields.joined(separator: ",") + "\n"
    }
    if seed % 2 == 0 { text = String(text.dropLast()) }
    if seed % 7 == 6 { text = text.replacing("\n", with: "\r\n") }
    let plain = try ParsedText(Array(text.utf8), width: 3, blockSize: 1 << 20)
    let limits = [Int(Int32.max), Int(Int16.max), Int.max]
    let wanted = plain.rows.compactMap { row -> [String?]? in
      var numbers: [String?] = []
      for (field, limit) in zip(row, limits) {
        guard let field else {
          numbers.append(nil)
          continue
        }
        guard let number = Int(field.filter { $0 != " " }), !field.contains("1 2"), number <= limit
        else { return nil }
        numbers.append(String(number))
      }
      return numbers
    }
    for blockSize in [16, 100, 1000, 1 << 20] {
      let parsed = try ParsedText(Array(text.utf8), width: 3, types: types, blockSize: blockSize)
      #expect(parsed.rows == wanted, "blocks of \(blockSize)")
      #expect(parsed.rejectedLines.count == plain.rows.count - wanted.count)
    }
  }

  @Test(
    "finds the line of each row of whole numbers",
    arguments: ["1,2\n33,4\n5,67890\n", "1,2\n33,4\n5,67890", "1,2\n,4\n5,67890\n"])
  func places(_ text: String) throws {
    let format = DelimitedTextFormat()
    let rules = ["a", "b"].map { ColumnRule(name: $0, type: .integer, kernel: nil) }
    let reader = BlockReader(MemorySource(Array(text.utf8)), format: format)
    let block = try #require(try reader.next())
    let parser = BlockParser(
      format: format, rules: rules, names: ["a", "b"], lineEnd: .newline,
      context: EvaluationContext(transactionTime: 0, statementTime: 0))
    // As behind a header.
    let parsed = try parser.parse(block, from: 4)
    #expect(parsed.rowCount == 2 && parsed.recordCount == 2)
    let starts = text.utf8.split(separator: 10).map { $0.startIndex.utf16Offset(in: text) }
    for (row, place) in parsed.places(of: [0, 1]).enumerated() {
      #expect(place.line == row + 2 && place.offset == starts[row + 1])
    }
  }

  @Test(
    "refuses line ends that change, also among whole numbers",
    arguments: ["1,2\n3,4\r\n", "1,2\r\n3,4\n", "1,2\r3,4\n"], [16, 1 << 20])
  func changingLineEnds(_ text: String, _ blockSize: Int) {
    let error = #expect(throws: SQLError.self) {
      try ParsedText(
        Array((text + text).utf8), width: 2, types: [.integer, .integer], blockSize: blockSize)
    }
    #expect(error?.state == .badCopyFileFormat)
  }

  @Test(
    "refuses a file whose form is broken",
    arguments: [
      ("a,\"b\n", SQLState.badCopyFileFormat),
      ("a,b\nc,d\r\n", SQLState.badCopyFileFormat),
      ("a,b\r\nc,d\n", SQLState.badCopyFileFormat),
    ])
  func brokenForm(_ text: String, _ state: SQLState) {
    let error = #expect(throws: SQLError.self) { try ParsedText(Array(text.utf8), width: 2) }
    #expect(error?.state == state)
  }

  @Test(
    "refuses bytes that are no UTF-8",
    arguments: [
      [0xFF], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0x61, 0x00], [0xC3], [0x80],
    ] as [[UInt8]])
  func invalidText(_ bytes: [UInt8]) {
    let error = #expect(throws: SQLError.self) {
      try ParsedText(Array("12345678,abc\n".utf8) + bytes + Array(",x\n".utf8), width: 2)
    }
    #expect(error?.state == .characterNotInRepertoire)
  }

  @Test("gives back what was written, whatever the block size", arguments: 0..<40)
  func roundTrip(_ seed: UInt64) throws {
    var random = TestRandom(seed: seed)
    let pieces = [
      "a", "bc", ",", "\"", "\n", "\r", "\r\n", " ", "é", "\\.", "", "long text, quite",
    ]
    let rows: [[String?]] = (0..<random.below(40)).map { _ in
      (0..<3).map { _ in
        if random.below(8) == 0 { return nil }
        return (0..<random.below(4)).map { _ in pieces[random.below(pieces.count)] }.joined()
      }
    }
    let format = DelimitedTextFormat()
    var bytes = ByteBuilder()
    for row in rows {
      for (index, field) in row.enumerated() {
        if index > 0 { bytes.append(format.delimiter) }
        guard let field else { continue }
        let buffer = Buffer(Array(field.utf8))
        DelimitedTextWriter.append(buffer.bytes(0..<buffer.count), format: format, to: &bytes)
      }
      bytes.append(UInt8(ascii: "\n"))
    }
    for blockSize in [16, 31, 64, 1 << 20] {
      let parsed = try ParsedText(
        bytes.bytes.array, width: 3, format: format, blockSize: blockSize)
      #expect(parsed.rows == rows, "seed \(seed), blocks of \(blockSize)")
    }
  }
}

/// A seeded source of test data.
struct TestRandom {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
  mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(truncatingIfNeeded: state &>> 33) % bound
  }
}
