import Diagnostics

/// A variable that the shell itself sets or reads.
struct ShellVariable: Sendable {
  /// What values it can have.
  enum Kind: Sendable {
    /// Any text, also one that the shell sets.
    case text
    case boolean
    /// One of some words.
    case word([String])
  }
  let name: String
  let help: String
  let kind: Kind

  /// The values that completion offers.
  var values: [String] {
    switch kind {
    case .text: []
    case .boolean: ["off", "on"]
    case .word(let words): words
    }
  }

  static let all: [ShellVariable] = [
    .init(name: "AUTOCOMMIT", help: "whether each statement commits by itself", kind: .boolean),
    .init(
      name: "COMP_KEYWORD_CASE", help: "the case of completed keywords",
      kind: .word(["lower", "upper", "preserve-lower", "preserve-upper"])),
    .init(name: "DBNAME", help: "the name of the database", kind: .text),
    .init(
      name: "ECHO", help: "what input is echoed",
      kind: .word(["none", "errors", "queries", "all"])),
    .init(
      name: "ECHO_HIDDEN", help: "whether statements of the shell's own are shown",
      kind: .boolean),
    .init(name: "ENCODING", help: "the encoding, UTF8", kind: .text),
    .init(name: "ERROR", help: "whether the last statement failed", kind: .text),
    .init(name: "JUNCTION", help: "true: by which scripts can tell this shell", kind: .text),
    .init(name: "LAST_ERROR_MESSAGE", help: "the last error", kind: .text),
    .init(name: "LAST_ERROR_SQLSTATE", help: "its code", kind: .text),
    .init(
      name: "ON_ERROR_ROLLBACK", help: "whether an error leaves its transaction usable",
      kind: .word(["on", "off", "interactive"])),
    .init(name: "ON_ERROR_STOP", help: "whether an error ends a script", kind: .boolean),
    .init(name: "PROMPT1", help: "the prompt", kind: .text),
    .init(name: "PROMPT2", help: "the prompt within a statement", kind: .text),
    .init(name: "PROMPT3", help: "the prompt for data of COPY", kind: .text),
    .init(name: "QUIET", help: "whether remarks are left out", kind: .boolean),
    .init(name: "ROW_COUNT", help: "the rows of the last statement", kind: .text),
    .init(name: "SELECT_ROW_LIMIT", help: "the most rows of a level of \\select", kind: .text),
    .init(name: "SERVER_VERSION_NAME", help: "the version of the language", kind: .text),
    .init(name: "SERVER_VERSION_NUM", help: "the same as a number", kind: .text),
    .init(
      name: "SHOW_CONTEXT", help: "when the context of a message is shown",
      kind: .word(["never", "errors", "always"])),
    .init(name: "SINGLELINE", help: "whether a statement ends with its line", kind: .boolean),
    .init(name: "SQLSTATE", help: "the code of the last statement's error, or 00000", kind: .text),
    .init(name: "USER", help: "the one user", kind: .text),
    .init(
      name: "VERBOSITY", help: "how much of an error is shown",
      kind: .word(["default", "verbose", "terse", "sqlstate"])),
    .init(name: "VERSION", help: "the version of the shell", kind: .text),
    .init(name: "VERSION_NAME", help: "the version of psql that it follows", kind: .text),
    .init(name: "VERSION_NUM", help: "the same as a number", kind: .text),
  ]

  /// What a variable becomes that is set to `value`, or to nothing.
  ///
  /// - Throws: 22023 for a value that it cannot have.
  static func checked(
    _ name: String, _ value: String, hasValue: Bool
  ) throws(SQLError) -> String {
    guard let variable = all.first(where: { $0.name == name }) else { return value }
    switch variable.kind {
    case .text: return value
    case .boolean:
      // A switch without a value is turned on.
      guard hasValue else { return "on" }
      guard ShellBoolean.parse(value) != nil else {
        throw SQLError(
          .invalidParameterValue,
          "unrecognized value \"\(value)\" for \"\(name)\": Boolean expected")
      }
      return value
    case .word(let words):
      if !hasValue, words.contains("on") { return "on" }
      if words.contains(value.lowercased()) { return value.lowercased() }
      if words.contains("on"), let isOn = ShellBoolean.parse(value) {
        return PrintOption.onOff(isOn)
      }
      throw SQLError(
        .invalidParameterValue,
        "unrecognized value \"\(value)\" for \"\(name)\"\nAvailable values are: "
          + words.joined(separator: ", ") + ".")
    }
  }

  /// What `\? variables` prints.
  static var text: String {
    "Variables of the shell (\\set NAME VALUE)\n"
      + all.map { variable in
        let values =
          variable.values.isEmpty ? "" : " [" + variable.values.joined(separator: ", ") + "]"
        return "  " + variable.name + blanks(24 - variable.name.count) + variable.help + values
          + "\n"
      }.joined()
      + "\nVariables of the environment\n"
      + "  JUNCTION_EDITOR, PSQL_EDITOR, EDITOR, VISUAL   the editor of \\e\n"
      + "  JUNCTION_PAGER, PSQL_PAGER, PAGER              the pager\n"
      + "  JUNCTION_HISTORY                               the file of the history\n"
      + "  SHELL                                          the shell of \\!\n"
  }
}

extension PrintOption {
  /// What `\? options` prints below the options of the command line.
  static var text: String {
    "Options of the output (\\pset NAME VALUE)\n"
      + all.sorted { $0.name < $1.name }.map { option in
        "  " + option.name + blanks(26 - option.name.count) + option.help + "\n"
      }.joined()
  }
}
