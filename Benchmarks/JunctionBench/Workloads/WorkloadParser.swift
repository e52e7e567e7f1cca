import Foundation

/// Reads workload files: lines `-- key: value`, then SQL, then sections for other dialects.
struct WorkloadParser {
  private let path: String
  private var workload = Workload()
  /// The section that lines of SQL go to; PostgreSQL's spelling has none.
  private var section: String?
  private var lines: [String] = []

  /// - Throws: a sentence that names the file and the line that is not understood.
  static func parse(_ text: String, path: String) throws(BenchError) -> Workload {
    var parser = WorkloadParser(path: path)
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      try parser.read(String(line), number + 1)
    }
    return try parser.finished()
  }

  /// The workloads of a text of several, each of which begins with its id.
  static func parseAll(_ text: String, path: String) throws(BenchError) -> [Workload] {
    var parts: [[Substring]] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if parts.isEmpty || line.hasPrefix("-- id:") { parts.append([]) }
      parts[parts.count - 1].append(line)
    }
    return try parts.map { part throws(BenchError) in
      try parse(part.joined(separator: "\n"), path: path)
    }
  }

  /// All workloads of a folder, in the order in which tables name them.
  static func parseFolder(_ folder: String) throws(BenchError) -> [Workload] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var workloads: [Workload] = []
    for name in names.sorted() where name.hasSuffix(".sql") {
      let path = "\(folder)/\(name)"
      guard let bytes = FileManager.default.contents(atPath: path) else {
        throw BenchError("could not read \"\(path)\"")
      }
      workloads += try parseAll(String(decoding: bytes, as: UTF8.self), path: path)
    }
    if workloads.isEmpty { throw BenchError("there are no workload files in \"\(folder)\"") }
    return workloads.sorted { place($0) < place($1) }
  }

  /// Point queries first, then bulk, patterns, changes, texts and the load.
  static func place(_ workload: Workload) -> String {
    let id = workload.id
    let groups: [Character: Int] = ["P": 0, "B": 1, "G": 2, "W": 3, "A": 4, "L": 5]
    return "\(groups[id.first ?? "Z"] ?? 9)\(id)"
  }

  private init(path: String) { self.path = path }

  private mutating func read(_ line: String, _ number: Int) throws(BenchError) {
    guard line.hasPrefix("-- "), let colon = line.firstIndex(of: ":") else {
      lines.append(line)
      return
    }
    let key = line[line.index(line.startIndex, offsetBy: 3)..<colon]
    let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    let words = key.split(separator: " ").map(String.init)
    do throws(BenchError) {
      try set(words, value)
    } catch {
      throw BenchError("\(path):\(number): \(error.description)")
    }
  }

  private mutating func set(_ key: [String], _ value: String) throws(BenchError) {
    switch key.first {
    case "id": workload.id = value
    case "title": workload.title = value
    case "group": workload.group = value
    case "kind":
      guard let kind = Workload.Kind(rawValue: value) else {
        throw BenchError("there is no kind \"\(value)\"")
      }
      workload.kind = kind
    case "parameters": workload.parameters = try ParameterSource(value)
    case "ordered": workload.isOrdered = value == "yes"
    case "json": workload.jsonColumns = Set(value.split(separator: " ").compactMap { Int($0) })
    case "numeric":
      workload.numericColumns = Set(value.split(separator: " ").compactMap { Int($0) })
    case "variant" where key == ["variant", "of"]: workload.original = value
    case "touches" where key == ["touches", "more"]: workload.touchesMore = value
    case "limit": workload.limit = value
    case "reference": workload.reference = value
    case "sizes": workload.sizes = value.split(separator: " ").map(String.init)
    case "unsupported" where key.count == 2: workload.unsupported[key[1]] = value
    case "expect" where key.count >= 2: try expect(key[1], key.dropFirst(2), value)
    case "section":
      endSection()
      section = value
    default: throw BenchError("there is no key \"\(key.joined(separator: " "))\"")
    }
  }

  /// `-- expect S (17): 8 rows 00000004a1b2c3d4`.
  private mutating func expect(
    _ size: String, _ parameters: ArraySlice<String>, _ value: String
  ) throws(BenchError) {
    let words = value.split(separator: " ")
    guard words.count == 3, let rows = Int(words[0]), let digest = UInt64(words[2], radix: 16)
    else { throw BenchError("an answer reads \"8 rows 00000004a1b2c3d4\"") }
    let values = parameters.joined(separator: " ").split { "(), ".contains($0) }
      .map { word in Int64(word).map(ParameterValue.integer) ?? .text(String(word)) }
    workload.expectations.append(
      .init(size: size, parameters: values, answer: Answer(rows: rows, digest: digest)))
  }

  private mutating func endSection() {
    let text = lines.joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
    lines = []
    switch section {
    case nil: workload.sql = text
    case "before": workload.before = text
    case "after": workload.after = text
    case "must fail": workload.mustFail.append(text)
    case .some(let dialect): workload.dialects[dialect] = text
    }
  }

  private mutating func finished() throws(BenchError) -> Workload {
    endSection()
    if workload.id.isEmpty || workload.title.isEmpty || workload.sql.isEmpty {
      throw BenchError("\(path): a workload needs an id, a title and a text")
    }
    return workload
  }
}
