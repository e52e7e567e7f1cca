import Foundation

/// What a folder of data says is to be asked of it: for each query its parameters, and the right answers.
struct ParameterSets {
  struct Entry {
    var parameters: [[ParameterValue]]
    /// One for each set; empty where nobody has told them.
    var answers: [Answer]
  }

  private let entries: [String: Entry]

  subscript(_ id: String) -> Entry? { entries[id] }

  /// Reads the file `sets.json` of a folder.
  init(folder: String) throws(BenchError) {
    let path = "\(folder)/sets.json"
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw BenchError("could not read \"\(path)\"")
    }
    try self.init(json: bytes, path: path)
  }

  init(json: Data, path: String) throws(BenchError) {
    guard let texts = try? JSONDecoder().decode([String: EntryText].self, from: json) else {
      throw BenchError("\"\(path)\" has no sets of parameters")
    }
    var entries: [String: Entry] = [:]
    for (id, text) in texts {
      let answers = (text.answers ?? []).compactMap(Answer.init)
      guard answers.count == text.answers?.count ?? 0,
        answers.isEmpty || answers.count == text.parameters.count
      else { throw BenchError("\"\(path)\" has answers to \(id) that cannot be read") }
      entries[id] = Entry(
        parameters: text.parameters.map { $0.map(\.value) }, answers: answers)
    }
    self.entries = entries
  }
}

/// An entry as it stands in the file.
private struct EntryText: Decodable {
  var parameters: [[ParameterText]]
  var answers: [String]?
}

/// A parameter as it stands in the file: a whole number or a text.
private struct ParameterText: Decodable {
  let value: ParameterValue

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int64.self) {
      value = .integer(number)
    } else {
      value = .text(try container.decode(String.self))
    }
  }
}

extension Answer {
  /// Reads `8 rows 00000004a1b2c3d4`.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 3, let rows = Int(words[0]), let digest = UInt64(words[2], radix: 16)
    else { return nil }
    self.init(rows: rows, digest: digest)
  }
}
