import Columnar
import DelimitedText
import Diagnostics

/// Writes the queries of an export and Junction's answers to them, and a list of both for the program that compares.
struct QueryFolder {
  let folder: NewFolder
  private var list = JSONWriter()
  private(set) var lines: [String] = []
  private var refusedCount = 0
  private var count = 0

  init(_ folder: NewFolder) throws(SQLError) {
    self.folder = folder
    try folder.makeFolder("queries")
    try folder.makeFolder("answers")
    list.open("[")
  }

  /// Notes a query that is not taken along.
  mutating func refuse(_ query: ExportedQuery, _ error: SQLError) {
    count += 1
    refusedCount += 1
    let reason = error.message + (error.hint.map { " (\($0))" } ?? "")
    let place = query.place(error.range)
    lines.append("query \(query.number) not translated, \(place): \(reason)")
    list.separate()
    list.open("{")
    list.member("number", query.number)
    list.member("refused", "\(place): \(reason)")
    list.close("}")
  }

  /// Writes a query as statements, of which the last gives the answer; `limit` is what keeps Citus from running it.
  ///
  /// - Throws: what writing says.
  mutating func add(
    _ query: ExportedQuery, _ statement: String,
    rounds: [RoundsText],
    answer: ResultSet, _ order: AnswerOrder, gathersInAnyOrder: Bool, limit: String? = nil
  ) throws(SQLError) {
    count += 1
    let title = query.text.split(separator: "\n").first.map(String.init) ?? ""
    let head = title.hasPrefix("--") ? title + "\n" : ""
    try folder.write(head + statement + ";\n", to: "queries/\(query.number).sql")
    list.separate()
    list.open("{")
    list.member("number", query.number)
    if let limit { list.member("limit", "line \(query.line): \(limit)") }
    list.key("rounds")
    list.open("[")
    for round in rounds {
      let stem = "queries/\(query.number).\(round.name)"
      try folder.write(round.anchor + ";\n", to: stem + ".anchor.sql")
      try folder.write(round.step + ";\n", to: stem + ".step.sql")
      list.separate()
      list.value(round.name)
    }
    list.close("]")
    let keyed = rounds.filter { $0.keys != nil }
    if !keyed.isEmpty {
      list.key("keys of rounds")
      list.open("{")
      for round in keyed {
        list.key(round.name)
        list.open("[")
        for key in round.keys ?? [] {
          list.separate()
          list.value(key)
        }
        list.close("]")
      }
      list.close("}")
    }
    list.key("columns")
    list.open("[")
    for column in answer.columns {
      list.separate()
      list.value((gathersInAnyOrder ? "unordered " : "") + Self.kind(of: column.type))
    }
    list.close("]")
    switch order {
    case .total: list.member("order", "total")
    case .partial: list.member("order", "none")
    case .open(let keys):
      list.member("order", "open")
      list.key("keys")
      list.open("[")
      for key in keys {
        list.separate()
        list.value(number: key)
      }
      list.close("]")
    }
    list.close("}")
    try write(answer, to: "answers/\(query.number).csv")
  }

  /// Ends the list of queries.
  ///
  /// - Throws: what writing says.
  mutating func finish() throws(SQLError) {
    list.close("]")
    try folder.write(String(decoding: list.bytes, as: UTF8.self) + "\n", to: "queries.json")
    if count > 0 {
      lines.append("queries: \(count - refusedCount) of \(count) translated")
    }
  }

  /// Writes an answer as CSV with a header; an empty field without quotes is NULL.
  private func write(_ answer: ResultSet, to name: String) throws(SQLError) {
    let file = try folder.makeFile(name)
    var options = CopyOptions()
    options.isText = false
    options.format.delimiter = UInt8(ascii: ",")
    options.format.null = []
    options.format.hasHeader = true
    let writer = CopyWriter(options, answer.columns, TextFormatter())
    try file.write(writer.header(answer.columns))
    for chunk in answer.chunks { try file.write(writer.lines(chunk)) }
    try file.close()
  }

  /// How values of a type are compared.
  private static func kind(of type: LogicalType) -> String {
    switch type {
    case .boolean: "boolean"
    case .smallint, .integer, .bigint, .oid, .real, .double, .numeric: "number"
    case .json, .jsonb: "json"
    case .character: "padded"
    case .bytea: "bytes"
    case .timestamp, .timestamptz: "moment"
    case .array(let element): "list of " + kind(of: element)
    case .text, .varchar, .name, .date, .time, .timetz, .interval, .bit, .varbit, .uuid, .record,
      .enumeration, .unknown, .void:
      "text"
    }
  }
}

extension JSONWriter {
  /// A member that is a number.
  mutating func member(_ name: String, _ number: Int) {
    key(name)
    value(number: number)
  }

  /// A number.
  mutating func value(number: Int) { append(raw: String(number)) }
}
