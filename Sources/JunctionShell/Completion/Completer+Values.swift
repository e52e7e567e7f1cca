import Catalog
import Junction

/// Settings and their values, the arguments of functions, and files in quotes.
extension Completer {
  /// `SET name TO value`, `SHOW name`, `RESET name`; nil for anything else.
  func completeSetting(_ tokens: StatementTokens) -> Completion? {
    var words: [String] = []
    for token in tokens.before {
      switch token {
      case .word(let word): words.append(word)
      case .mark("="): words.append("to")
      case .mark, .constant: return nil
      }
    }
    guard let first = words.first, ["set", "show", "reset"].contains(first) else { return nil }
    if first == "set", words.count > 1, ["session", "local"].contains(words[1]) {
      words.remove(at: 1)
    }
    switch words.count {
    case 1:
      let all = first == "set" ? ["session", "local"] : ["all"]
      return matching(
        tokens.word,
        Connection.settingNames + all.map { keyword($0, like: tokens.word) })
    case 2 where first == "set" && !["constraints", "transaction"].contains(words[1]):
      return matching(tokens.word, [keyword("to", like: tokens.word)])
    case 3 where first == "set" && words[2] == "to":
      return matching(
        tokens.word, values(of: words[1]).map { $0.contains("/") ? "'\($0)'" : $0 })
    default: return nil
    }
  }

  /// What a setting can be set to, as far as that is known.
  private func values(of setting: String) -> [String] {
    switch setting {
    case "bytea_output": ["escape", "hex"]
    case "client_encoding": ["utf8"]
    case "client_min_messages": ["debug", "error", "info", "log", "notice", "warning"]
    case "datestyle": ["german", "iso", "postgres", "sql"]
    case "default_transaction_isolation", "transaction_isolation":
      ["'read committed'", "'repeatable read'", "serializable"]
    case "default_transaction_read_only", "transaction_read_only",
      "standard_conforming_strings":
      ["off", "on"]
    case "extra_float_digits": ["-15", "0", "1", "3"]
    case "intervalstyle": ["iso_8601", "postgres", "postgres_verbose", "sql_standard"]
    case "lock_timeout", "statement_timeout": ["'10s'", "'1min'", "0"]
    case "memory_limit": ["'1GB'", "'4GB'", "default"]
    case "search_path": catalog.schemas.sorted()
    case "threads": ["0", "1", "2", "4"]
    case "timezone": ["utc"] + FileNames.timeZones
    default: []
    }
  }

  /// A string that is a file or the value of a setting; its end is part of the word.
  func completeString(_ typed: String, _ before: [StatementTokens.Token]) -> Completion {
    switch before.last {
    case .word("from"), .word("join"), .word("to"):
      if before.first != .word("set") {
        return Completion(
          replaced: typed.count,
          words: FileNames.beginning(typed).map { $0.hasSuffix("/") ? $0 : $0 + "'" })
      }
    case .word, .mark, .constant, nil: break
    }
    guard before.count == 3, before[0] == .word("set"), case .word(let name) = before[1] else {
      return Completion(replaced: 0, words: [])
    }
    let found = values(of: name).map { $0.filter { $0 != "'" } }
      .filter { $0.lowercased().hasPrefix(typed.lowercased()) }
    return Completion(replaced: typed.count, words: found.map { $0 + "'" })
  }

  /// The arguments of the function whose parenthesis was just opened, to be shown; nil if it is none.
  func arguments(_ tokens: StatementTokens) -> Completion? {
    guard case .word(let name)? = tokens.before.dropLast().last else { return nil }
    let own = catalog.functions.values.filter { $0.name.name == name }.map {
      "\(name)(\(ObjectDescription.parameterText($0))) → \(ObjectDescription.resultText($0))"
    }
    let builtin = ObjectLists.builtins(name).map { "\(name)(\($0.arguments)) → \($0.result)" }
    let notes = (own + builtin).sorted()
    return notes.isEmpty ? nil : Completion(replaced: 0, words: [], notes: notes)
  }

  // Commands with a dot.

  /// The command with a dot that is being typed.
  static func dotCommand(_ text: String) -> String? {
    let line = text.drop { $0 == "\n" }
    guard line.first == ".", !line.contains("\n") else { return nil }
    return String(line)
  }

  /// Commands with a dot, and their arguments.
  func completeDotCommand(_ line: String) -> Completion {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    let typed = words.last.map(String.init) ?? ""
    guard words.count > 1 else {
      return beginning(typed, DotCommand.all.flatMap(\.names).map { "." + $0 }.sorted())
    }
    guard let command = DotCommand.named(String(words[0].dropFirst())) else {
      return Completion(replaced: 0, words: [])
    }
    return complete(command.completion, typed, words.dropFirst().dropLast())
  }
}
