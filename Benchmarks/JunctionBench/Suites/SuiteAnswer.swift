/// The right answer to a query, with what is known of the order of its rows.
struct SuiteAnswer {
  /// The right rows; behind the last that the query gives, those that tie with it.
  let rows: [[String]]
  /// The columns that the rows are ordered by; nil where rows stand in this very order.
  let keys: [Int]?
  /// The most rows that the query gives.
  let limit: Int?

  /// Reads the records of a file, its columns' names first, and the head of the query:
  /// `-- ordered by: 1 3` and `-- limit: 100`.
  init(csv: String, query: String) {
    rows = Array(Self.records(csv).dropFirst())
    var keys: [Int]?
    var limit: Int?
    for line in query.split(separator: "\n").prefix(while: { $0.hasPrefix("--") }) {
      let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
      let numbers = parts.last?.split(separator: " ").compactMap { Int($0) } ?? []
      if parts.first == "-- ordered by" { keys = numbers.map { $0 - 1 } }
      if parts.first == "-- limit" { limit = numbers.first }
    }
    self.keys = keys
    self.limit = limit
  }

  /// What is wrong with an answer's rows; nil if nothing is.
  ///
  /// Numbers may differ by a millionth of their size: averages are rounded differently everywhere.
  func fault(of found: [[String?]]) -> String? {
    let count = min(rows.count, limit ?? .max)
    if found.count != count { return "\(found.count) rows, where \(count) are expected" }
    var start = 0
    while start < count {
      let end = endOfTie(start)
      if let fault = fault(of: found[start..<min(end, count)], among: rows[start..<end]) {
        return fault
      }
      start = end
    }
    return nil
  }

  /// The first row behind `start` that is ordered behind it.
  private func endOfTie(_ start: Int) -> Int {
    guard let keys else { return start + 1 }
    var end = start + 1
    while end < rows.count,
      keys.allSatisfy({ Self.isEqual(rows[end][$0], rows[start][$0]) })
    {
      end += 1
    }
    return end
  }

  /// What is wrong with rows each of which must be another one of `expected`.
  private func fault(
    of found: ArraySlice<[String?]>, among expected: ArraySlice<[String]>
  ) -> String? {
    var left = Array(expected)
    for (number, row) in zip(found.indices, found) {
      let texts = row.map(\.orEmpty)
      let place = left.firstIndex { record in
        record.count == texts.count && zip(texts, record).allSatisfy(Self.isEqual)
      }
      if let place {
        left.remove(at: place)
        continue
      }
      let nearest = left.max { Self.likeness($0, texts) < Self.likeness($1, texts) } ?? []
      if nearest.count != texts.count { return "row \(number + 1) has \(texts.count) columns" }
      let column = texts.indices.first { !Self.isEqual(texts[$0], nearest[$0]) } ?? 0
      return "row \(number + 1), column \(column + 1) has \(row[column] ?? "NULL"), "
        + "where \(nearest[column]) is expected"
    }
    return nil
  }

  private static func likeness(_ record: [String], _ texts: [String]) -> Int {
    zip(record, texts).count { isEqual($1, $0) }
  }

  private static func isEqual(_ own: String, _ other: String) -> Bool {
    if own == other { return true }
    guard let a = Double(own), let b = Double(other) else { return false }
    return abs(a - b) <= 1e-6 * max(1, abs(b))
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
}
