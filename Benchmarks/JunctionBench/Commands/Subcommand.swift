/// One command of the program: what it takes, which drives both reading and help, and what it does.
struct Subcommand: Sendable {
  let name: String
  var words: [CommandWord] = []
  /// One line in the list of commands.
  let summary: String
  /// What else its own help says.
  var details = ""
  var options: [CommandOption] = []
  /// Whether it is left out of the list, as a step of another command.
  var isInternal = false
  /// Does it, and gives the process's exit status.
  let run: @Sendable (CommandArguments) throws(BenchError) -> Int32

  /// "junction-bench compare BASELINE [RECORD] [OPTION]...".
  var synopsis: String {
    (["junction-bench", name] + words.map(\.synopsis) + (options.isEmpty ? [] : ["[OPTION]..."]))
      .joined(separator: " ")
  }

  /// Its own help, in lines of at most `width` columns.
  func help(width: Int = 96) -> String {
    var lines = ["Usage: \(synopsis)", ""]
    lines += Self.wrapped("\(summary)." + (details.isEmpty ? "" : " \(details)"), width: width)
    if !options.isEmpty { lines += ["", "Options:"] }
    let room = (options.map(\.synopsis.count).max() ?? 0) + 4
    for option in options {
      let text = Self.wrapped(option.help, width: max(24, width - room))
      for (number, line) in text.enumerated() {
        let head = number == 0 ? "  \(option.synopsis)" : ""
        lines.append(head + String(repeating: " ", count: room - head.count) + line)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A text in lines of at most `width` columns, broken between words.
  static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + word.count < width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
