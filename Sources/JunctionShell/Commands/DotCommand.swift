import Diagnostics

/// A command of DuckDB's and SQLite's shells, in the words of this one.
struct DotCommand: Sendable {
  /// What a command with its arguments comes to.
  enum Translation: Equatable {
    /// A line of backslash commands.
    case line(String)
    /// Why there is nothing to do.
    case sentence(String)
  }
  let names: [String]
  let form: String
  /// What is told of it, in psql's words.
  let psql: String
  let completion: CommandCompletion
  /// Whether the rest of the line is one word, quotes and all.
  var takesLine = false
  let translate: @Sendable ([String]) -> Translation

  /// The command of this name, or the only one that begins so, as other shells take them.
  static func named(_ name: String) -> DotCommand? {
    if let exact = all.first(where: { $0.names.contains(name) }) { return exact }
    let found = all.filter { $0.names.contains { $0.hasPrefix(name) } }
    return name.count > 1 && found.count == 1 ? found[0] : nil
  }

  /// Cuts a line into words; quotes of either kind hold a word together.
  static func words(of line: some StringProtocol) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in line {
      switch (character, quote) {
      case (let mark, let open?) where mark == open: quote = nil
      case ("'", nil), ("\"", nil):
        quote = character
        word = word ?? ""
      case (_, nil) where character.isWhitespace:
        if let done = word { words.append(done) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    if var last = word {
      // A semicolon at the end is habit.
      while quote == nil, last.last == ";" { last.removeLast() }
      if !last.isEmpty || quote != nil || word == "" { words.append(last) }
    }
    return words
  }

  /// A word in quotes for a backslash command.
  fileprivate static func quoted(_ word: String) -> String {
    "'" + word.replacing("\\", with: "\\\\").replacing("'", with: "''") + "'"
  }

  /// A pattern of LIKE as one of `\d`.
  fileprivate static func pattern(_ words: [String]) -> String {
    words.first.map { " " + $0.replacing("%", with: "*") } ?? ""
  }

  fileprivate static func files(_ words: [String]) -> String {
    words.map { " " + quoted($0) }.joined()
  }
}

extension DotCommand {
  /// A command that is one of psql's with the same arguments.
  private static func same(
    _ names: String..., form: String = "", as psql: String,
    _ completion: CommandCompletion = .nothing,
    _ arguments: @escaping @Sendable ([String]) -> String = { files($0) }
  ) -> DotCommand {
    DotCommand(names: names, form: form, psql: psql, completion: completion) {
      .line(psql + arguments($0))
    }
  }

  /// A command that there is no need for.
  private static func none(_ names: String..., sentence: String) -> DotCommand {
    DotCommand(names: names, form: "", psql: "", completion: .nothing) { _ in
      .sentence(sentence)
    }
  }

  /// A command whose argument is on or off.
  private static func toggle(
    _ name: String, as psql: String, on: String, off: String
  ) -> DotCommand {
    DotCommand(
      names: [name], form: "on|off", psql: psql, completion: .words(["off", "on"])
    ) { words in
      guard let isOn = ShellBoolean.parse(words.first ?? "on") else {
        return .sentence(".\(name) is on or off.")
      }
      return .line(isOn ? on : off)
    }
  }

  /// The commands, in the order of their names.
  static let all: [DotCommand] = [
    DotCommand(
      names: ["backup"], form: "FILE", psql: "BACKUP TO 'FILE';", completion: .files
    ) { words in
      guard let file = words.last else { return .sentence(".backup needs the name of a file.") }
      return .line("BACKUP TO '\(file.replacing("'", with: "''"))';")
    },
    toggle(
      "bail", as: "\\set ON_ERROR_STOP on", on: "\\set ON_ERROR_STOP on",
      off: "\\set ON_ERROR_STOP off"),
    same("cd", form: "FOLDER", as: "\\cd", .files),
    none(
      "changes", sentence: "Each change says how many rows it made; \\echo :ROW_COUNT repeats it."),
    same("columns", as: "\\x off") { _ in "" },
    same("databases", as: "\\l") { _ in "" },
    same("dump", form: "[FILE]", as: "\\dump", .files),
    toggle("echo", as: "\\set ECHO all", on: "\\set ECHO all", off: "\\set ECHO none"),
    same("edit", as: "\\e", .files),
    same("exit", "quit", as: "\\q") { _ in "" },
    none("explain", sentence: "EXPLAIN or EXPLAIN ANALYZE before a statement shows its plan."),
    toggle("headers", as: "\\t", on: "\\t off", off: "\\t on"),
    DotCommand(names: ["help"], form: "", psql: "\\?", completion: .nothing) { _ in
      .line("\\? dots")
    },
    DotCommand(
      names: ["import"], form: "FILE [TABLE]", psql: "\\copy TABLE from FILE csv header",
      completion: .files, translate: importing),
    same("indexes", "indices", form: "[TABLE]", as: "\\di") { _ in "" },
    none("log", sentence: "\\o FILE sends results to a file, and 2> FILE errors of the program."),
    none(
      "maxrows", sentence: "All rows are shown; \\pset pager on shows them page by page."),
    same("maxwidth", form: "N", as: "\\pset format wrapped \\pset columns") { files($0) },
    DotCommand(
      names: ["mode"], form: "MODE [TABLE]", psql: "\\pset format MODE", completion: .words(modes),
      translate: mode),
    same("nullvalue", form: "TEXT", as: "\\pset null"),
    DotCommand(
      names: ["once"], form: "FILE", psql: "\\g FILE behind the statement", completion: .files
    ) { .line("\\once" + files($0)) },
    DotCommand(
      names: ["open"], form: "[NAME]", psql: "\\c NAME", completion: .files
    ) { words in
      let names = words.filter { !$0.hasPrefix("-") }
      return .line("\\open \(quoted(names.first ?? DatabaseName.inMemory))")
    },
    same("output", form: "[FILE]", as: "\\o", .files),
    same("print", form: "TEXT", as: "\\echo"),
    DotCommand(
      names: ["prompt"], form: "MAIN [CONTINUE]", psql: "\\set PROMPT1 TEXT", completion: .nothing
    ) { words in
      let names = ["PROMPT1", "PROMPT2"]
      return .line(zip(names, words).map { "\\set \($0) \(quoted($1))" }.joined(separator: " "))
    },
    same("read", form: "FILE", as: "\\i", .files),
    same("restore", form: "FILE", as: "\\open", .files) { files(Array($0.suffix(1))) },
    same("rows", as: "\\x on") { _ in "" },
    same("save", form: "NAME", as: "\\save", .files),
    same("schema", form: "[PATTERN]", as: "\\d", .relations, pattern),
    DotCommand(
      names: ["separator"], form: "COLUMN [ROW]", psql: "\\pset fieldsep TEXT",
      completion: .nothing
    ) { words in
      let options = ["fieldsep", "recordsep"]
      return .line(zip(options, words).map { "\\pset \($0) \(text($1))" }.joined(separator: " "))
    },
    DotCommand(
      names: ["shell", "system"], form: "COMMAND", psql: "\\! COMMAND", completion: .files,
      takesLine: true
    ) { .line("\\! " + $0.joined(separator: " ")) },
    same("show", as: "\\pset") { _ in "" },
    none("stats", sentence: "EXPLAIN ANALYZE before a statement shows what it took."),
    same("tables", form: "[PATTERN]", as: "\\dt", .tables, pattern),
    toggle("timer", as: "\\timing", on: "\\timing on", off: "\\timing off"),
    same("version", as: "\\echo :VERSION") { _ in "" },
    none(
      "width",
      sentence: "Columns are as wide as their values; \\pset format wrapped and \\pset columns N "
        + "fold them."),
  ]

  /// What `.help` prints.
  static var text: String {
    "Commands with a dot, and what psql calls them\n"
      + all.map { command in
        let usage = "  ." + command.names[0] + (command.form.isEmpty ? "" : " " + command.form)
        let psql = command.psql.isEmpty ? "(says why there is no need for it)" : command.psql
        return usage + blanks(29 - usage.count) + psql + "\n"
      }.joined() + "\n\\? lists the commands of this shell, which does more.\n"
  }

  /// A separator, in which backslash escapes stand for themselves.
  private static func text(_ word: String) -> String {
    "'" + word.replacing("'", with: "''") + "'"
  }

  private static let modes = [
    "ascii", "box", "column", "csv", "duckbox", "html", "insert", "json", "latex", "line", "list",
    "markdown", "table", "tabs", "trash",
  ]

  private static func mode(_ words: [String]) -> Translation {
    guard let name = words.first else { return .line("\\pset format") }
    let plain = "\\x off \\pset format"
    switch name {
    case "line": return .line("\\pset format aligned \\x on")
    case "list", "ascii": return .line("\(plain) unaligned")
    case "column":
      return .line("\(plain) aligned \\pset linestyle ascii \\pset border 0")
    case "table": return .line("\(plain) aligned \\pset linestyle ascii \\pset border 2")
    case "box", "duckbox":
      return .line("\(plain) aligned \\pset linestyle unicode \\pset border 2")
    case "tabs": return .line("\(plain) tsv")
    case "trash": return .line("\\o /dev/null")
    case "insert":
      let table = words.count > 1 ? " \\pset insert_table \(quoted(words[1]))" : ""
      return .line("\(plain) insert" + table)
    case "csv", "html", "json", "latex", "markdown": return .line("\(plain) \(name)")
    default:
      let near = nearestNames(to: name, among: modes, limit: 1).first
      return .sentence(
        "There is no mode \"\(name)\"; "
          + (near.map { "perhaps you meant \($0)." }
            ?? "the modes are \(modes.joined(separator: ", "))."))
    }
  }

  private static func importing(_ words: [String]) -> Translation {
    var words = words
    var skipsHeader = false
    if let place = words.firstIndex(of: "--skip"), place + 1 < words.count {
      skipsHeader = words[place + 1] != "0"
      words.removeSubrange(place...(place + 1))
    }
    words.removeAll { $0.hasPrefix("-") }
    guard let file = words.first else { return .sentence(".import needs the name of a file.") }
    guard words.count > 1 else { return .line("\\open \(quoted(file))") }
    return .line(
      "\\import \(quoted(file)) \(quotedName(words[1]))" + (skipsHeader ? " header" : ""))
  }
}

extension Shell {
  /// The line that a command with a dot stands for; nil where nothing is left to run.
  ///
  /// What psql calls it is told the first time.
  func translatedDot(_ line: String) -> String? {
    let words = DotCommand.words(of: line.dropFirst())
    guard let name = words.first?.lowercased(), let command = DotCommand.named(name) else {
      let near = nearestNames(
        to: words.first ?? "", among: DotCommand.all.flatMap(\.names), limit: 1)
      reportMeta(
        "invalid command .\(words.first ?? "")"
          + (near.first.map { "\nHINT:  Perhaps you meant .\($0)." }
            ?? "\nHINT:  .help lists the commands of this shell."))
      return nil
    }
    let rest = line.drop { !$0.isWhitespace }.drop(while: \.isWhitespace)
    let arguments = command.takesLine ? [String(rest)] : Array(words.dropFirst())
    switch command.translate(arguments) {
    case .sentence(let sentence):
      output.writeLine(sentence)
      return nil
    case .line(let line):
      if !isQuiet, conditions.isActive, toldDots.insert(command.names[0]).inserted {
        flushOutputs()
        errorOutput.writeLine(".\(name) is \(command.psql) in the words of psql.")
        errorOutput.flush()
      }
      return line
    }
  }
}
