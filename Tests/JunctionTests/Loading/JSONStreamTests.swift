import Catalog
import Columnar
import DelimitedText
import Diagnostics
import Foundation
import Testing

@testable import Junction

@Suite("Records of JSON, read in parts")
struct JSONStreamTests {
  /// A text of records, and whether it is read in parts.
  struct Example: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    var isSuited = true

    init(_ description: String, _ text: String, isSuited: Bool = true) {
      testDescription = description
      self.text = text
      self.isSuited = isSuited
    }
  }

  private static func record(_ number: Int) -> String {
    let note = ["null", #""},{\"id\":1}""#, #""{\"id\":3},\n{\"id\":4}""#, "\"x\\u00e9 é\""][
      number % 4]
    return #"{"id":\#(number),"v":\#(Double(number) / 4),"note":\#(note),"#
      + #""in":[{"id":1},{"id":\#(number)}],"day":"2024-02-\#(10 + number % 19)"}"#
  }

  private static let records = (0..<300).map(record)

  static let examples: [Example] = [
    Example("a record a line", records.joined(separator: "\n")),
    Example("with Windows' line ends", records.joined(separator: "\r\n") + "\r\n"),
    Example("with blank lines", "\n\n" + records.joined(separator: "\n \n")),
    Example("all on one line", records.joined(separator: " ")),
    Example("an array on one line", "[" + records.joined(separator: ",") + "]"),
    Example("an array on many lines", "[\n  " + records.joined(separator: ",\n  ") + "\n]\n"),
    Example("with commas before them", "[ " + records.joined(separator: "\n, ") + " ]"),
    Example(
      "over several lines each",
      "\u{FEFF}" + records.map { $0.replacing(",\"", with: ",\n\"") }.joined(separator: "\n")),
    Example(
      "of which one is long",
      (records + [#"{"id":1,"note":"\#(String(repeating: "long ", count: 2000))"}"#] + records)
        .joined(separator: "\n")),
    Example(
      "behind much white space",
      records[0] + String(repeating: " ", count: 3000) + records[1]
        + String(repeating: "\n", count: 9000)),
    Example(
      "of which a late one has another key and others kinds",
      (records + [#"{"id":"seven","more":true,"v":[1]}"#] + records).joined(separator: "\n")),
    Example(
      "of which late ones have other types",
      (records + [#"{"id":10000000000,"v":1e3,"day":"today"}"#] + records).joined(separator: "\n")),
    Example("that are empty", records[0] + "{}{}\n{}" + records[1]),
    Example(
      "of which later ones have times with an offset",
      "[\n  {\n    \"at\": \"2024-02-29T10:00:00\",\n    \"a\": \"x\"\n  },\n  {\n    "
        + "\"at\": \"2024-02-29T10:00:00+02:00\"\n  }\n]\n"),
    Example(
      "of which the first window cuts one off behind a number",
      #"{"v":12345678901234567890123456789012345}"# + "\n"
        + #"{"id":2,"name":null,"score":678901234567890}"# + "\n" + #"{"w":1e308}"#),
    Example("one object alone", records[0], isSuited: false),
    Example("one in an array", "[" + records[0] + "]"),
    Example("of other values", "[1, 2, 3]", isSuited: false),
    Example("with other values among them", records.joined() + "7", isSuited: false),
  ]

  @Test("are what they are when they are read one by one", arguments: examples)
  func agree(example: Example) throws {
    for sizes in [(60, 20), (78, 20), (500, 100), (4096, 512), (1 << 20, 1 << 16)] {
      let connection = Database().connect()
      let session = connection.session
      let evaluation = session.makeEvaluation()
      let source = MemorySource(Array(example.text.utf8))
      var stream = JSONStream(
        JSONSources([], standardInput: source), into: "parts", of: session, evaluation, nil,
        sizes: JSONWindow.Sizes(window: sizes.0, part: sizes.1)
      ) { _ in true }
      let made = try stream.load()
      // What does not fit into the first window is not looked at in parts.
      if sizes.0 > 400 { #expect((made != nil) == example.isSuited) }
      guard let made else { continue }
      source.rewind()
      var records = JSONRecords { _ in true }
      try records.read(source, name: "x")
      let whole = try JSONColumns.load(records, into: "whole", of: session, evaluation)
      #expect(made.definition.columns.map(\.name) == whole.columns.map(\.name))
      #expect(
        made.definition.columns.map(\.columnType.name) == whole.columns.map(\.columnType.name))
      #expect(try Self.rows("parts", connection) == Self.rows("whole", connection))
    }
  }

  private static func rows(_ table: String, _ connection: Connection) throws -> [String] {
    let result = try connection.query("SELECT \(table)::text FROM \(table)")
    return (0..<result.count).map { result.text(row: $0, column: 0) ?? "NULL" }
  }

  @Test(
    "are refused where they are wrong, with the line",
    arguments: [
      ("{\"a\":1}\n{\"a\":2}\n{\"a\":tru}\n", "line 3"),
      ("[{\"a\":1},\n{\"a\":2}\n{\"a\":3}]", "line 3"), ("[{\"a\":1},\n{\"a\":2},\n", "line 3"),
      ("{\"a\":1}\n{\"a\":\"\\ud800\"}\n", ""), ("{\"a\":1}\n,{\"a\":2}", "line 2"),
      ("[{\"a\":1},{\"a\":2}]\n x", "line 2"), ("{\"a\":1}\n{\"a\":01}", "line 2"),
    ])
  func refused(text: String, place: String) throws {
    try withFiles(["x.json": text]) { folder in
      let error = #expect(throws: SQLError.self) {
        try Database().connect().query("FROM '\(folder.path)/x.json'")
      }
      let told = "\(error?.context ?? "")\(error?.detail ?? "")"
      #expect(told.contains(place) || place.isEmpty, "\(told)")
    }
  }
}
