import Foundation

/// The files of the package, as the style checks see them.
struct SourceTree: Sendable {
  /// One Swift file.
  struct File: Sendable {
    /// The path from the package's root.
    let path: String
    let lines: [String]

    /// The folder below `Sources`, which is the target.
    var target: String { String(path.split(separator: "/").dropFirst().first ?? "") }

    /// Whether the file is shipped rather than a test.
    var isProduct: Bool { path.hasPrefix("Sources/") || path.hasPrefix("Benchmarks/") }
  }

  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  let files: [File]

  /// Every Swift file below Sources, Benchmarks and Tests.
  static let whole = SourceTree()

  private init() {
    var files: [File] = []
    for folder in ["Sources", "Benchmarks", "Tests"] {
      let base = Self.root.appendingPathComponent(folder)
      let all = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil)
      while let url = all?.nextObject() as? URL {
        guard url.pathExtension == "swift", let text = try? String(contentsOf: url, encoding: .utf8)
        else { continue }
        let path = String(url.path.dropFirst(Self.root.path.count + 1))
        files.append(File(path: path, lines: text.components(separatedBy: "\n")))
      }
    }
    self.files = files.sorted { $0.path < $1.path }
  }
}

extension SourceTree.File {
  /// The functions and initialisers with the number of lines from their first to their closing brace.
  ///
  /// The formatter puts a closing brace at the indentation of its declaration, which is what this relies on.
  var functions: [(line: Int, name: String, length: Int)] {
    var found: [(line: Int, name: String, length: Int)] = []
    for (index, line) in lines.enumerated() {
      let indent = line.prefix { $0 == " " }.count
      let words = line.dropFirst(indent)
      // A body on the declaration's own line is no matter of length.
      guard let name = Self.declaredName(words), !line.hasSuffix("}") else { continue }
      let close = String(repeating: " ", count: indent) + "}"
      var end = index
      while end < lines.count && lines[end] != close {
        // A declaration without a body: the next one of the same depth begins.
        if end > index, !lines[end].isEmpty, lines[end].prefix(while: { $0 == " " }).count < indent
        {
          end = index
          break
        }
        end += 1
      }
      if end > index && end < lines.count { found.append((index + 1, name, end - index + 1)) }
    }
    return found
  }

  private static func declaredName(_ words: Substring) -> String? {
    guard !words.hasPrefix("//") else { return nil }
    let tokens = words.split(separator: " ")
    if let place = tokens.firstIndex(of: "func"), place + 1 < tokens.count {
      return String(tokens[place + 1].prefix { $0 != "(" && $0 != "<" })
    }
    return tokens.contains { $0.hasPrefix("init(") || $0.hasPrefix("init<") } ? "init" : nil
  }
}
