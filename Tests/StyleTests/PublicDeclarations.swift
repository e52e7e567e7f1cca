/// A public declaration, as its text shows it.
struct PublicDeclaration: Sendable {
  /// The names from the outermost type, as `Database/fork`.
  let path: String
  /// The labels in parentheses, as `(_:in:)`; nil of what takes no arguments list.
  let labels: String?
  /// The number of its first line.
  let line: Int
  /// The text up to its body, in one line.
  let signature: String
  /// The lines of the comment above it.
  let comment: [String]

  /// Whether calling it throws an `SQLError`; a closure among its parameters that does is another matter.
  var throwsSQLError: Bool {
    var depth = 0
    for place in signature.indices {
      switch signature[place] {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      default: break
      }
      if depth == 0, signature[place...].hasPrefix("throws(SQLError)") { return true }
    }
    return false
  }
}

extension SourceTree.File {
  /// The public types, their public members, the requirements of public protocols and the cases of public enums.
  ///
  /// The formatter indents a member by two more than its type, which is what this relies on.
  var publicDeclarations: [PublicDeclaration] {
    var found: [PublicDeclaration] = []
    var scopes: [Scope] = []
    for (index, line) in lines.enumerated() {
      let indent = line.prefix { $0 == " " }.count
      let text = line.dropFirst(indent)
      if text.isEmpty || text.hasPrefix("//") || text == "{" || text.hasPrefix("#") { continue }
      scopes.removeAll { $0.indent >= indent }
      guard let words = DeclarationWords(text) else { continue }
      let scope = scopes.last
      let isPublic = words.isPublic || scope?.opensMember(words, at: indent) == true
      let names = (scope.map { [$0.path] } ?? []) + [words.name]
      let path = names.joined(separator: "/")
      if words.isType {
        scopes.append(
          Scope(indent: indent, path: path, keyword: words.keyword, isPublic: isPublic))
      }
      guard isPublic, words.keyword != "extension" else { continue }
      let signature = signature(from: index)
      for name in words.keyword == "case" ? DeclarationWords.caseNames(signature) : [words.name] {
        let own = ((names.dropLast()) + [name]).joined(separator: "/")
        found.append(
          PublicDeclaration(
            path: own, labels: DeclarationWords.labels(behind: name, in: signature),
            line: index + 1, signature: signature, comment: comment(above: index)))
      }
    }
    return found
  }

  private struct Scope {
    let indent: Int
    let path: String
    let keyword: String
    let isPublic: Bool

    /// Whether what stands in it is public without the word.
    func opensMember(_ words: DeclarationWords, at indent: Int) -> Bool {
      guard isPublic, indent == self.indent + 2 else { return false }
      return keyword == "protocol" || (keyword == "enum" && words.keyword == "case")
    }
  }

  /// The lines of a declaration up to where its body begins, and of a property also what its getter throws.
  private func signature(from index: Int) -> String {
    var text = ""
    for line in lines[index...].prefix(14) {
      let words = line.drop { $0 == " " }
      if words.isEmpty || words.hasPrefix("//") { break }
      text += text.isEmpty ? words : " " + words
      if words.hasPrefix("get ") || words.contains("}") { break }
      if words.hasSuffix("{") && !text.contains(" var ") { break }
    }
    return text
  }

  private func comment(above index: Int) -> [String] {
    var comment: [String] = []
    for line in lines[..<index].reversed() {
      let words = line.drop { $0 == " " }
      if words.hasPrefix("///") {
        comment.append(String(words))
      } else if !words.hasPrefix("@") {
        break
      }
    }
    return comment.reversed()
  }
}

/// What the first words of a line declare.
private struct DeclarationWords {
  let keyword: String
  let name: String
  let isPublic: Bool

  var isType: Bool {
    ["class", "struct", "enum", "protocol", "actor", "extension"].contains(keyword)
  }

  private static let modifiers: Set<String> = [
    "public", "open", "package", "internal", "fileprivate", "private", "static", "final",
    "nonisolated", "mutating", "borrowing", "consuming", "indirect", "convenience", "required",
    "override", "private(set)", "package(set)", "internal(set)",
  ]
  private static let keywords: Set<String> = [
    "class", "struct", "enum", "protocol", "actor", "extension", "func", "var", "let", "init",
    "subscript", "case", "typealias", "associatedtype",
  ]

  init?(_ line: Substring) {
    var isPublic = false
    for (place, word) in line.split(separator: " ").enumerated() {
      if Self.modifiers.contains(String(word)) || word.hasPrefix("@") {
        if word == "public" || word == "open" { isPublic = true }
        continue
      }
      let keyword = String(word.prefix { $0.isLetter })
      guard Self.keywords.contains(keyword) else { return nil }
      let rest = line.split(separator: " ").dropFirst(place + 1).first ?? ""
      self.keyword = keyword
      self.isPublic = isPublic
      let isNamed = keyword != "init" && keyword != "subscript"
      name = isNamed ? Self.name(rest) : keyword
      return
    }
    return nil
  }

  /// A type's names with a slash between them, an operator, or a name up to what follows it.
  private static func name(_ word: Substring) -> String {
    let isOperator = word.first.map { !$0.isLetter && $0 != "_" && $0 != "`" } ?? true
    let ends: Set<Character> = isOperator ? ["("] : ["(", "<", ":", ",", "{", "="]
    return word.prefix { !ends.contains($0) }.filter { $0 != "`" }
      .replacing(".", with: "/")
  }

  /// The names of a line such as `case one, two(Int)`.
  static func caseNames(_ signature: String) -> [String] {
    var names: [String] = []
    var name = ""
    var depth = 0
    for character in signature.drop(while: { $0 != " " }) + "," {
      switch character {
      case "(": depth += 1
      case ")": depth -= 1
      case "," where depth == 0:
        names.append(String(name.prefix { $0 != " " }))
        name = ""
      default: if depth == 0, !(name.isEmpty && character == " ") { name.append(character) }
      }
    }
    return names
  }

  /// The labels of the parameters of a function or of what a case carries.
  static func labels(behind name: String, in signature: String) -> String? {
    guard let start = signature.firstRange(of: name)?.upperBound else { return nil }
    var rest = signature[start...]
    if rest.first == "<", let end = rest.firstIndex(of: ">") { rest = rest[end...].dropFirst() }
    guard rest.first == "(" else { return nil }
    var labels = ""
    var depth = 0
    var part = ""
    for character in rest {
      switch character {
      case "(", "[", "<": depth += 1
      case ")", "]": depth -= 1
      case ">" where part.last != "-": depth -= 1
      default: break
      }
      if depth == 0 || (depth == 1 && character == ",") {
        let words = part.drop { $0 == " " || $0 == "(" }
        if let colon = words.firstIndex(of: ":") {
          labels += words[..<colon].prefix { $0 != " " } + ":"
        } else if !words.isEmpty {
          labels += "_:"
        }
        part = ""
        if depth == 0 { break }
      } else {
        part.append(character)
      }
    }
    return "(" + labels + ")"
  }
}
