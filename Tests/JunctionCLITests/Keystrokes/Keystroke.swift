/// Something that hands do in psql or in DuckDB's shell, and what they expect of it.
struct Keystroke: Sendable, CustomStringConvertible {
  /// How it is tried.
  enum Way: Sendable {
    /// As lines of a script.
    case script
    /// At a terminal, with `\r` for Enter and control characters for keys.
    case terminal
  }
  let input: String
  /// What the output, errors included, has to hold.
  let expected: [String]
  var way = Way.script
  /// Why it does not work yet; nil if it does.
  var reason: String?

  var description: String { input.debugDescription }

  /// Lines of a script.
  static func script(_ input: String, _ expected: String...) -> Keystroke {
    Keystroke(input: input, expected: expected)
  }

  /// Keys at a terminal.
  static func keys(_ input: String, _ expected: String...) -> Keystroke {
    Keystroke(input: input, expected: expected, way: .terminal)
  }

  /// What cannot work yet, and why.
  static func missing(_ input: String, _ expected: String, because reason: String) -> Keystroke {
    Keystroke(input: input, expected: [expected], reason: reason)
  }

  static let all: [Keystroke] =
    running + output + objects + files + editing + variables + keys + duckDB + missing
}
