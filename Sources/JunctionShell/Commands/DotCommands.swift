/// The commands of other shells that begin with a dot, in the words of this one.
enum DotCommands {
  /// The backslash command that `line` stands for; nil if it is none.
  static func translated(_ line: String) -> String? {
    let words = line.split { $0.isWhitespace }.map(String.init)
    guard let name = words.first else { return nil }
    let rest = words.dropFirst().joined(separator: " ")
    switch name {
    case ".tables": return "\\dt \(rest)"
    case ".schema": return "\\d \(rest)"
    case ".indexes", ".indices": return "\\di \(rest)"
    case ".databases": return "\\l"
    case ".read": return "\\i \(rest)"
    case ".timer": return "\\timing \(rest)"
    case ".quit", ".exit": return "\\q"
    case ".help": return "\\?"
    case ".import": return "\\import \(rest)"
    case ".open": return "\\open \(rest)"
    case ".dump": return "\\dump \(rest)"
    case ".save": return "\\save \(rest)"
    case ".output": return "\\o \(rest)"
    case ".print": return "\\echo \(rest)"
    case ".cd": return "\\cd \(rest)"
    case ".nullvalue": return "\\pset null \(rest)"
    case ".mode": return mode(rest)
    default: return nil
    }
  }

  private static func mode(_ name: String) -> String {
    switch name {
    case "line": "\\x on"
    case "list": "\\pset format unaligned"
    case "column", "table", "box", "duckbox", "": "\\pset format aligned"
    default: "\\pset format \(name)"
    }
  }
}
