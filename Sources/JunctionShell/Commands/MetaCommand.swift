/// A backslash command as it was typed.
struct MetaCommand {
  /// The name without its backslash, such as `d+`.
  let name: String
  /// Everything behind the name up to the line's end, for commands that take it whole.
  let rest: String
  /// The arguments with quotes removed and variables put in.
  var arguments: [String]
  /// The statement that stands before it.
  var buffer = ""

  /// The argument at `index`, if it was given.
  subscript(index: Int) -> String? { index < arguments.count ? arguments[index] : nil }

  /// Whether `+` asks for more.
  var isVerbose: Bool { name.contains("+") }

  /// Reads the command at the start of `line` (behind its backslash) and says what follows it on the line.
  ///
  /// A command ends at the line's end or at the next backslash outside quotes, except those that take
  /// the whole line. What stands in backquotes is handed to `program`, whose output takes its place.
  static func parse(
    _ line: Substring, variables: VariableTable, program: (String) -> String = { _ in "" }
  ) -> (MetaCommand, Substring) {
    // The name of `\!` ends with it.
    let isShell = line.first == "!"
    let nameEnd =
      isShell
      ? line.index(after: line.startIndex)
      : line.firstIndex { $0.isWhitespace || $0 == "\\" } ?? line.endIndex
    var name = String(line[..<nameEnd])
    // A semicolon behind a command is habit.
    while name.count > 1, name.last == ";" { name.removeLast() }
    var rest = line[nameEnd...].drop { $0.isWhitespace }
    let reading = CommandTable.command(named: name)?.reading ?? .words
    if reading == .line {
      return (MetaCommand(name: name, rest: String(rest), arguments: []), Substring())
    }
    let whole = String(rest)
    var arguments: [String] = []
    while let first = rest.first, first != "\\" {
      if reading == .output, first == "|" {
        arguments.append(String(rest))
        return (MetaCommand(name: name, rest: whole, arguments: arguments), Substring())
      }
      let (argument, next) = readArgument(rest, variables, program)
      arguments.append(argument)
      rest = next.drop { $0.isWhitespace }
    }
    if reading != .texts { dropSemicolons(&arguments) }
    // `\\` only separates commands.
    if rest.hasPrefix("\\\\") { rest = rest.dropFirst(2).drop { $0.isWhitespace } }
    return (MetaCommand(name: name, rest: whole, arguments: arguments), rest)
  }

  private static func dropSemicolons(_ arguments: inout [String]) {
    guard var last = arguments.popLast() else { return }
    while last.last == ";" { last.removeLast() }
    if !last.isEmpty { arguments.append(last) }
  }

  private static func readArgument(
    _ text: Substring, _ variables: VariableTable, _ program: (String) -> String
  ) -> (String, Substring) {
    var rest = text
    var result = ""
    while let character = rest.first, !character.isWhitespace, character != "\\" {
      switch character {
      case "'":
        rest.removeFirst()
        result += readQuoted(&rest)
      case "\"", "`":
        rest.removeFirst()
        let end = rest.firstIndex(of: character) ?? rest.endIndex
        let inside = String(rest[..<end])
        result += character == "`" ? program(inside) : "\"" + inside + "\""
        rest = end < rest.endIndex ? rest[rest.index(after: end)...] : rest[end...]
      case ":":
        if let (value, next) = variables.expansion(at: rest) {
          result += value
          rest = next
        } else {
          // What is no variable stays as it is, quotes included.
          let length = VariableTable.quotedNameLength(rest) ?? 1
          result += rest.prefix(length)
          rest = rest.dropFirst(length)
        }
      default:
        result.append(character)
        rest.removeFirst()
      }
    }
    return (result, rest)
  }

  /// Reads up to the closing quote; `''` is a quote, backslash escapes are C's.
  fileprivate static func readQuoted(_ rest: inout Substring) -> String {
    var result = ""
    while let character = rest.popFirst() {
      if character == "'" {
        guard rest.first == "'" else { break }
        rest.removeFirst()
        result.append("'")
      } else if character == "\\", let escaped = rest.popFirst() {
        switch escaped {
        case "n": result.append("\n")
        case "t": result.append("\t")
        case "r": result.append("\r")
        case "b": result.append("\u{8}")
        case "f": result.append("\u{C}")
        case "x": result += code(&rest, digits: 2, radix: 16) ?? "x"
        case "0"..."7":
          rest = (String(escaped) + rest)[...]
          result += code(&rest, digits: 3, radix: 8) ?? ""
        default: result.append(escaped)
        }
      } else {
        result.append(character)
      }
    }
    return result
  }
}

extension MetaCommand {
  /// The character whose number stands at the start of `rest`; nil if none does.
  fileprivate static func code(_ rest: inout Substring, digits: Int, radix: Int) -> String? {
    let number = rest.prefix(digits).prefix { $0.hexDigitValue.map { $0 < radix } ?? false }
    guard let value = UInt8(number, radix: radix) else { return nil }
    rest = rest.dropFirst(number.count)
    return String(Unicode.Scalar(value))
  }
}

/// Truth as commands and variables spell it.
enum ShellBoolean {
  /// What `text` means: `on`, `off`, 1, 0, or a beginning of `true`, `false`, `yes`, `no`; nil if it is none of them.
  static func parse(_ text: String) -> Bool? {
    let word = text.lowercased()
    guard !word.isEmpty else { return nil }
    if word == "on" || word == "1" || "true".hasPrefix(word) || "yes".hasPrefix(word) {
      return true
    }
    // `o` alone might be either.
    if word == "0" || (word.count > 1 && "off".hasPrefix(word)) || "false".hasPrefix(word)
      || "no".hasPrefix(word)
    {
      return false
    }
    return nil
  }
}

/// The variables of `\set` and `-v`.
struct VariableTable {
  private var values: [String: String]

  init(_ values: [String: String] = [:]) { self.values = values }

  subscript(name: String) -> String? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// All names and values, sorted by name.
  var all: [(name: String, value: String)] {
    values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Whether a variable is set to something that means yes.
  func isOn(_ name: String) -> Bool {
    values[name].flatMap(ShellBoolean.parse) ?? false
  }

  /// What `:name`, `:'name'` or `:"name"` at the start of `text` stands for, and what follows it.
  ///
  /// nil where it is no variable that is set, so that it stays as it is.
  func expansion(at text: Substring) -> (String, Substring)? {
    guard text.first == ":" else { return nil }
    let rest = text.dropFirst()
    if let quote = rest.first, quote == "'" || quote == "\"" {
      let inner = rest.dropFirst()
      let end = inner.firstIndex { !Self.isNameCharacter($0) } ?? inner.endIndex
      guard end < inner.endIndex, inner[end] == quote, let value = values[String(inner[..<end])]
      else { return nil }
      let mark = String(quote)
      let quoted = mark + value.replacing(mark, with: mark + mark) + mark
      return (quoted, inner[inner.index(after: end)...])
    }
    if rest.hasPrefix("{?") {
      let inner = rest.dropFirst(2)
      let end = inner.firstIndex { !Self.isNameCharacter($0) } ?? inner.endIndex
      guard end < inner.endIndex, inner[end] == "}" else { return nil }
      let isSet = values[String(inner[..<end])] != nil
      return (isSet ? "TRUE" : "FALSE", inner[inner.index(after: end)...])
    }
    let end = rest.firstIndex { !Self.isNameCharacter($0) } ?? rest.endIndex
    guard end > rest.startIndex, let value = values[String(rest[..<end])] else { return nil }
    return (value, rest[end...])
  }

  /// The number of characters of `:'name'` or `:"name"` at the start of `text`.
  static func quotedNameLength(_ text: Substring) -> Int? {
    let rest = text.dropFirst()
    guard let quote = rest.first, quote == "'" || quote == "\"" else { return nil }
    let name = rest.dropFirst().prefix(while: isNameCharacter)
    return rest.dropFirst(1 + name.count).first == quote ? name.count + 3 : nil
  }

  /// Whether a variable can be called so.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.allSatisfy(isNameCharacter)
  }

  private static func isNameCharacter(_ character: Character) -> Bool {
    character == "_" || character.isLetter || character.isNumber
  }
}
