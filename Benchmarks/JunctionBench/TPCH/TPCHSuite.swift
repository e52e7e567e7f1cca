import Foundation

/// The queries of a folder, and the answers to them.
struct TPCHSuite {
  struct Item {
    var id: String
    var sql: String
    /// Columns' names first; nil where no answer is known for the scale.
    var answer: [[String]]?
  }

  static let tables = [
    "region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem",
  ]

  let schema: String
  let items: [Item]
  /// As a multiple of 10,000 suppliers.
  let scale: Double

  /// Reads the queries of `folder`, and the answers for the scale of the data, if they are there.
  init(folder: String, data: String, only: [String] = []) throws(BenchError) {
    schema = try Self.text("\(folder)/schema.sql")
    let suppliers = try Self.text("\(data)/supplier.csv").utf8.count { $0 == UInt8(ascii: "\n") }
    let scale = Double(max(suppliers - 1, 0)) / 10_000
    self.scale = scale
    let name = scale == scale.rounded() ? "\(Int(scale))" : "\(scale)"
    let names = (1...22).map { $0 < 10 ? "q0\($0)" : "q\($0)" }
    var items: [Item] = []
    for id in names where only.isEmpty || only.contains(id) {
      let answer = try? Self.text("\(folder)/answers-sf\(name)/\(id).csv")
      items.append(
        Item(
          id: id, sql: Self.statement(try Self.text("\(folder)/\(id).sql")),
          answer: answer.map(Self.records)))
    }
    if items.isEmpty { throw BenchError("there is no query \(only.joined(separator: ", "))") }
    self.items = items
  }

  private static func text(_ path: String) throws(BenchError) -> String {
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw BenchError("could not read \"\(path)\"")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A statement without comment lines and the semicolon at its end.
  private static func statement(_ text: String) -> String {
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("--") }
    let whole = lines.joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
    return whole.hasSuffix(";") ? String(whole.dropLast()) : whole
  }

  /// The records of a CSV text.
  static func records(_ text: String) -> [[String]] {
    var records: [[String]] = []
    var record: [String] = []
    var field: [UInt8] = []
    var isQuoted = false
    var wasQuote = false
    for byte in text.utf8 {
      if isQuoted {
        if byte == UInt8(ascii: "\"") {
          isQuoted = false
          wasQuote = true
        } else {
          field.append(byte)
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        // A second quote behind the first stands for itself.
        if wasQuote { field.append(byte) }
        isQuoted = true
      case UInt8(ascii: ","), UInt8(ascii: "\n"):
        record.append(String(decoding: field, as: UTF8.self))
        field = []
        if byte == UInt8(ascii: "\n") {
          records.append(record)
          record = []
        }
      case UInt8(ascii: "\r"): break
      default: field.append(byte)
      }
      wasQuote = false
    }
    if !field.isEmpty || !record.isEmpty {
      records.append(record + [String(decoding: field, as: UTF8.self)])
    }
    return records
  }

  /// What is wrong with the rows of an answer; nil if nothing is.
  ///
  /// Numbers may differ by a millionth of their size: averages are rounded differently everywhere.
  static func fault(of rows: [[String?]], expected records: [[String]]) -> String? {
    let expected = records.dropFirst()
    if rows.count != expected.count {
      return "\(rows.count) rows, where \(expected.count) are expected"
    }
    for (number, (row, record)) in zip(rows, expected).enumerated() {
      if row.count != record.count { return "row \(number + 1) has \(row.count) columns" }
      for (own, other) in zip(row, record) where !isEqual(own ?? "", other) {
        return "row \(number + 1) has \(own ?? "NULL"), where \(other) is expected"
      }
    }
    return nil
  }

  private static func isEqual(_ own: String, _ other: String) -> Bool {
    if own == other { return true }
    guard let a = Double(own), let b = Double(other) else { return false }
    return abs(a - b) <= 1e-6 * max(1, abs(b))
  }
}
