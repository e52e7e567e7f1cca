import Foundation

/// A published benchmark whose data and queries lie in folders.
enum SuiteKind: String {
  case tpch = "TPC-H"
  case tpcds = "TPC-DS"
}

/// The queries of a folder, and the answers to them.
struct QuerySuite {
  struct Item {
    var id: String
    var sql: String
    /// Nil where no answer is known for the scale.
    var answer: SuiteAnswer?
  }

  let kind: SuiteKind
  let schema: String
  /// The tables as DuckDB gets them; the same unless the folder has some of its own.
  let peerSchema: String
  /// In the order of the schema, in which foreign keys can be checked.
  let tables: [String]
  let items: [Item]
  let scale: Double

  /// Reads the queries of `folder`, and the answers for the scale of the data, if they are there.
  init(
    _ kind: SuiteKind, folder: String, data: String, only: [String] = []
  ) throws(BenchError) {
    self.kind = kind
    schema = try Self.text("\(folder)/schema.sql")
    peerSchema = (try? Self.text("\(folder)/schema-duckdb.sql")) ?? schema
    tables = Self.tables(of: schema)
    scale = try Self.scale(of: data)
    let name = scale == scale.rounded() ? "\(Int(scale))" : "\(scale)"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var items: [Item] = []
    for file in names.sorted() where file.hasPrefix("q") && file.hasSuffix(".sql") {
      let id = String(file.dropLast(4))
      guard only.isEmpty || only.contains(id) else { continue }
      let text = try Self.text("\(folder)/\(file)")
      let answer = try? Self.text("\(folder)/answers-sf\(name)/\(id).csv")
      items.append(
        Item(
          id: id, sql: Self.statement(text),
          answer: answer.map { SuiteAnswer(csv: $0, query: text) })
      )
    }
    if items.isEmpty { throw BenchError("there is no query \(only.joined(separator: ", "))") }
    self.items = items
  }

  /// What the data's file `scale` says, or the number of suppliers of TPC-H as a multiple of 10,000.
  private static func scale(of data: String) throws(BenchError) -> Double {
    if let text = try? text("\(data)/scale"),
      let scale = Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
    {
      return scale
    }
    let suppliers = try text("\(data)/supplier.csv").utf8.count { $0 == UInt8(ascii: "\n") }
    return Double(max(suppliers - 1, 0)) / 10_000
  }

  private static func text(_ path: String) throws(BenchError) -> String {
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw BenchError("could not read \"\(path)\"")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The names behind CREATE TABLE.
  static func tables(of schema: String) -> [String] {
    schema.split(separator: "\n").compactMap { line in
      guard line.lowercased().hasPrefix("create table ") else { return nil }
      return String(line.dropFirst(13).prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }
  }

  /// A statement without comment lines and the semicolon at its end.
  private static func statement(_ text: String) -> String {
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("--") }
    let whole = lines.joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
    return whole.hasSuffix(";") ? String(whole.dropLast()) : whole
  }
}
