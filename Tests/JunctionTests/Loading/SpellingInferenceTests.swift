import Diagnostics
import Foundation
import Junction
import Testing

@Suite("Columns that are not spelled as SQL spells them")
struct SpellingInferenceTests {
  private static func answer(_ text: String) throws -> (rows: [String], notices: [String]) {
    var answer: (rows: [String], notices: [String]) = ([], [])
    try withFiles(["t.csv": Data(text.utf8)]) { (folder) throws in
      let connection = Database().connect()
      let path = folder.appending(path: "t.csv").path
      let types = try connection.query("DESCRIBE '\(path)'")
      answer.rows = (0..<types.count).map { types.text(row: $0, column: 1) ?? "" }
      let result = try connection.execute("FROM '\(path)'")
      if let rows = result.last?.rows {
        answer.rows += (0..<rows.count).map { row in
          rows.columns.indices.map { rows.text(row: row, column: $0) ?? "NULL" }
            .joined(separator: "|")
        }
      }
      answer.notices = try Database(folder: folder.path).notices.map(\.message)
    }
    return answer
  }

  @Test(
    "are read as what they mean",
    arguments: [
      (
        "d;n\n31.12.2023;1.234,5\n1.2.2024;0,25\n",
        ["date", "numeric", "2023-12-31|1234.5", "2024-02-01|0.25"]
      ),
      ("n;m\n1.000;0,5\n20;1,5\n", ["integer", "numeric", "1000|0.5", "20|1.5"]),
      ("n;m\n1.000;a\n20;b\n", ["numeric", "text", "1.000|a", "20|b"]),
      ("n\n\"1,234\"\n\"12,345,678\"\n7\n", ["integer", "1234", "12345678", "7"]),
      ("n,x\n\"1,23\",a\n\"12,3\",b\n", ["numeric", "text", "1.23|a", "12.3|b"]),
      ("n,x\n1 234,a\n12 345.5,b\n", ["numeric", "text", "1234|a", "12345.5|b"]),
      ("n,x\n1'234.50,a\n-2.5,b\n", ["numeric", "text", "1234.50|a", "-2.5|b"]),
      ("p,x\n$1.50,1\n-$2,2\n$-3,3\n", ["numeric", "integer", "1.50|1", "-2|2", "-3|3"]),
      ("p;x\n1,50 €;1\n 2 €;2\n", ["numeric", "integer", "1.50|1", "2|2"]),
      ("p,x\nEUR 5,1\n7,2\n", ["integer", "integer", "5|1", "7|2"]),
      ("p,x\n5 %,1\n12.5%,2\n", ["numeric", "integer", "5|1", "12.5|2"]),
      ("p,x\n5%,1\n12,2\n", ["text", "integer", "5%|1", "12|2"]),
      ("d,x\n12/31/2023,1\n1/2/2024,2\n", ["date", "integer", "2023-12-31|1", "2024-01-02|2"]),
      ("d,x\n31/12/2023,1\n1/2/2024,2\n", ["date", "integer", "2023-12-31|1", "2024-02-01|2"]),
      ("d,x\n1/3/2023,1\n1/2/2024,2\n", ["text", "integer", "1/3/2023|1", "1/2/2024|2"]),
      ("d,x\n1.3.2023,1\n1.2.2024,2\n", ["date", "integer", "2023-03-01|1", "2024-02-01|2"]),
      (
        "d,x\n12/31/2023 1:05 PM,1\n1/2/2024 12:00 am,2\n",
        [
          "timestamp without time zone", "integer", "2023-12-31 13:05:00|1",
          "2024-01-02 00:00:00|2",
        ]
      ),
      ("d,x\n31.02.2024,1\n1.2.2024,2\n", ["text", "integer", "31.02.2024|1", "1.2.2024|2"]),
      ("b,x\nJa,1\nnein,2\n", ["boolean", "integer", "t|1", "f|2"]),
      ("b,x\nyes,1\nyes,2\n", ["text", "integer", "yes|1", "yes|2"]),
      ("b,x\nyes,1\nno,2\nmaybe,3\n", ["text", "integer", "yes|1", "no|2", "maybe|3"]),
      ("n,x\n1,NA\nN/A,b\n-,c\n", ["integer", "text", "1|NA", "NULL|b", "NULL|c"]),
      ("n,x\nNA,1\n-,2\n", ["text", "integer", "NA|1", "-|2"]),
      ("d,x\n2024-01-01,1\nnull,2\n", ["date", "integer", "2024-01-01|1", "NULL|2"]),
      ("c,x\n007,1\n1.234.567,2\n", ["text", "integer", "007|1", "1.234.567|2"]),
    ])
  func readings(text: String, expected: [String]) throws {
    #expect(try Self.answer(text).rows == expected)
  }

  @Test("are told of")
  func notices() throws {
    let notices = try Self.answer(
      "p;d;b;w\n1,50 €;31.12.2023;ja;01/02/2024\nNA;1.1.2024;nein;03/04/2024\n"
    ).notices
    #expect(
      notices.filter { $0.hasPrefix("t: ") && $0.contains(" has ") } == [
        "t: p has numbers with decimal commas, €; \"NA\" for NULL",
        "t: d has dates with the day first", "t: b has ja and nein for true and false",
        "t: w has dates of which days and months cannot be told apart, so it is text",
      ])
  }

  @Test("are disproved by what comes later, and read again")
  func later() throws {
    var text = "n;d;s\n"
    for number in 1...30_000 {
      let odd = number == 29_000
      text +=
        odd ? "NA;31.13.2024;1,5\n" : "\(number % 900),5;\(number % 28 + 1).12.2023;\(number)\n"
    }
    let rows = try Self.answer(text).rows
    #expect(rows.prefix(3) == ["numeric", "text", "numeric"])
    #expect(rows[3 + 28_999] == "NULL|31.13.2024|1.5")
    #expect(rows[3 + 28_998] == "199.5|\(28_999 % 28 + 1).12.2023|28999")
  }

  @Test(
    "may be written in other encodings",
    arguments: [
      String.Encoding.isoLatin1, .windowsCP1252, .utf16, .utf16LittleEndian, .utf16BigEndian,
    ])
  func encodings(encoding: String.Encoding) throws {
    var text = "Name;Preis\n"
    for number in 1...20_000 { text += "Mül\u{DF}er \(number);\(number),5\n" }
    let isWide = encoding != .isoLatin1 && encoding != .windowsCP1252
    let odd = isWide ? "😀 \u{4E2D}" : "é"
    text += "\"\(odd)\";0\n"
    let data = try #require(text.data(using: encoding))
    try withFiles(["t.csv": data]) { (folder) throws in
      let database = try Database(folder: folder.path)
      #expect(database.notices.contains { $0.message.contains("converted from") })
      let rows = try database.connect().query(
        "SELECT count(*), sum(\"Preis\"), max(\"Name\") FILTER (WHERE \"Preis\" = 0) FROM t")
      #expect(rows.text(row: 0, column: 0) == "20001")
      #expect(rows.text(row: 0, column: 1) == "200020000.0")
      #expect(rows.text(row: 0, column: 2) == odd)
    }
  }

  @Test("that break off in the midst of a character of UTF-16 are refused")
  func cutText() throws {
    let cut = try #require("a,b\n1,2\n".data(using: .utf16LittleEndian)) + Data([0x3D, 0xD8])
    try withFiles(["t.csv": cut]) { (folder) throws in
      let error = #expect(throws: SQLError.self) { try Database(folder: folder.path) }
      #expect(error?.state == .characterNotInRepertoire)
    }
  }
}
