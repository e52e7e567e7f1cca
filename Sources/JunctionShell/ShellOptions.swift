import Columnar
import Diagnostics

/// What the command line asked for.
struct ShellOptions {
  /// One thing to do, in the order given.
  enum Action: Hashable {
    /// `-c`: statements, or one meta-command.
    case command(String)
    /// `-f`: a script; `-` is standard input.
    case file(String)
  }
  var actions: [Action] = []
  var database: String?
  /// Further files, which are tables beside that of `database`.
  var moreFiles: [String] = []
  var outputPath: String?
  var isQuiet = false
  /// What ECHO is set to: all, queries or errors.
  var echo: String?
  var singleTransaction = false
  var skipsStartFile = false
  var showsVersion = false
  /// What `--help` is asked about.
  enum HelpTopic: String, CaseIterable { case options, commands, variables }
  var helpTopic: HelpTopic?
  var print = PrintSettings()
  /// `-v NAME=VALUE`, in order.
  var variables: [(name: String, value: String)] = []
  /// `--rejects FILE`: bad rows of a folder's CSV files go there and loading goes on.
  var rejectsPath: String?
  /// `--unnest`: arrays in a folder's JSON files become tables.
  var unnests = false

  /// `--collation NAME`: what orders texts in a new database.
  var collation: String?

  /// Reads the arguments behind the program's name.
  ///
  /// - Throws: 22023 with what is wrong, for the caller to print with a pointer to `--help`.
  init(_ arguments: [String]) throws(SQLError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        for word in rest { try takeOperand(word) }
        return
      }
      if argument.hasPrefix("--") {
        try readLong(argument, &rest)
      } else if argument.hasPrefix("-") && argument.count > 1 {
        try readShort(argument, &rest)
      } else {
        try takeOperand(argument)
      }
    }
  }

  private mutating func takeOperand(_ word: String) throws(SQLError) {
    if let database, DatabaseName.isTable(database), DatabaseName.isTable(word) {
      moreFiles.append(word)
      return
    }
    guard database == nil else {
      throw SQLError(.invalidParameterValue, "extra command-line argument \"\(word)\"")
    }
    database = word
  }

  private static let longNames: [String: Character] = [
    "command": "c", "file": "f", "output": "o", "quiet": "q", "tuples-only": "t",
    "no-align": "A", "field-separator": "F", "expanded": "x", "echo-all": "a", "pset": "P",
    "set": "v", "variable": "v", "single-transaction": "1", "version": "V", "help": "?",
    "no-psqlrc": "X", "html": "H", "csv": "C", "json": "J", "rejects": "j",
    "echo-errors": "b", "echo-queries": "e", "no-readline": "n", "dbname": "d", "list": "l",
    "record-separator": "R", "echo-hidden": "E", "single-line": "S", "username": "U", "host": "h",
    "port": "p", "no-password": "w", "password": "W", "field-separator-zero": "z",
    "record-separator-zero": "0", "explain-inference": "i",
    "write-schema": "k", "unnest": "u", "collation": "O",
  ]

  private mutating func readLong(
    _ argument: String, _ rest: inout ArraySlice<String>
  ) throws(SQLError) {
    let parts = argument.dropFirst(2).split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let short = Self.longNames[String(first)] else {
      let near = nearestNames(
        to: String(parts.first ?? ""), among: Self.longNames.keys.sorted(), limit: 1)
      throw SQLError(
        .invalidParameterValue,
        "unrecognized option \"\(argument)\""
          + (near.first.map { "; perhaps you meant \"--\($0)\"" } ?? ""))
    }
    if parts.count == 2, short == "?" {
      guard let topic = HelpTopic(rawValue: String(parts[1])) else {
        throw SQLError(
          .invalidParameterValue,
          "there is no help on \"\(parts[1])\"; the topics are "
            + HelpTopic.allCases.map(\.rawValue).joined(separator: ", "))
      }
      helpTopic = topic
    } else if parts.count == 2 {
      guard Self.takesValue(short) else {
        throw SQLError(.invalidParameterValue, "option \"--\(first)\" does not take a value")
      }
      try apply(short, String(parts[1]))
    } else {
      try applyTakingValue(short, spelled: argument, &rest)
    }
  }

  private mutating func readShort(
    _ argument: String, _ rest: inout ArraySlice<String>
  ) throws(SQLError) {
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      guard "cfoqtAFxaPv1V?XHebndlRz0ESUhpwW".contains(letter) else {
        throw SQLError(.invalidParameterValue, "unrecognized option \"-\(letter)\"")
      }
      if Self.takesValue(letter) && !letters.isEmpty {
        try apply(letter, String(letters))
        return
      }
      try applyTakingValue(letter, spelled: "-\(letter)", &rest)
    }
  }

  private static func takesValue(_ letter: Character) -> Bool { "cfoFPvRdjkUhpO".contains(letter) }

  private mutating func applyTakingValue(
    _ letter: Character, spelled: String, _ rest: inout ArraySlice<String>
  ) throws(SQLError) {
    guard Self.takesValue(letter) else {
      try apply(letter, "")
      return
    }
    guard let value = rest.popFirst() else {
      throw SQLError(.invalidParameterValue, "option \"\(spelled)\" requires a value")
    }
    try apply(letter, value)
  }

  private mutating func apply(_ letter: Character, _ value: String) throws(SQLError) {
    switch letter {
    case "c": actions.append(.command(value))
    case "f": actions.append(.file(value))
    case "o": outputPath = value
    case "q": isQuiet = true
    case "t": print.tuplesOnly = true
    case "A": print.format = .unaligned
    case "F": print.fieldSeparator = value
    case "x": print.expanded = .on
    case "a": echo = "all"
    case "e": echo = "queries"
    case "b": echo = "errors"
    case "n", "w": break
    case "E": variables.append(("ECHO_HIDDEN", "on"))
    case "S": variables.append(("SINGLELINE", "on"))
    case "U", "h", "p", "W":
      throw SQLError(
        .featureNotSupported,
        "there are no servers, users or passwords: a database is a file of this machine, so leave "
          + "-\(letter) out and name it")
    case "d": database = value
    case "l": actions.append(.command("\\l"))
    case "z": print.fieldSeparator = "\0"
    case "0": print.recordSeparator = "\0"
    case "C": print.format = .csv
    case "J": print.format = .json
    case "H": print.format = .html
    case "1": singleTransaction = true
    case "X": skipsStartFile = true
    case "V": showsVersion = true
    case "?": helpTopic = .options
    case "j": rejectsPath = value
    case "u": unnests = true
    case "O":
      guard let found = Collation.named(value) ?? Collation.named(value + "-x-icu") else {
        throw SQLError.unknownCollation(value, at: .none)
      }
      collation = found.name
    case "i": actions.append(.command("\\infer"))
    case "k": actions.append(.command("\\infer '\(value.replacing("'", with: "''"))'"))
    case "R": print.recordSeparator = value
    case "P":
      let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      _ = try print.set(String(parts[0]), to: parts.count > 1 ? String(parts[1]) : nil)
    default:
      let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      variables.append((String(parts[0]), parts.count > 1 ? String(parts[1]) : ""))
    }
  }
}
