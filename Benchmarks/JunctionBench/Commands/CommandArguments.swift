import Diagnostics

/// The options that the program knows, as they are spelled.
enum OptionName: String, CaseIterable {
  case baseline = "--baseline"
  case changes = "--changes"
  case compulsory = "--compulsory"
  case courses = "--courses"
  case data = "--data"
  case group = "--group"
  case home = "--home"
  case noPeer = "--no-peer"
  case only = "--only"
  case out = "--out"
  case parameterLimit = "--parameter-limit"
  case peers = "--peers"
  case peersEnvironment = "--peers-env"
  case perStudent = "--per-student"
  case queries = "--queries"
  case quiet = "--quiet"
  case samples = "--samples"
  case seconds = "--seconds"
  case seed = "--seed"
  case size = "--size"
  case students = "--students"
  case text = "--text"
  case threads = "--threads"
  case threshold = "--threshold"
  case timeout = "--timeout"
  case uniform = "--uniform"
  case with = "--with"
  case zipf = "--zipf"
}

/// An option as one command takes it.
struct CommandOption: Sendable {
  let name: OptionName
  /// What stands for its value in the help; nil for a switch.
  let value: String?
  let help: String

  init(_ name: OptionName, _ value: String? = nil, _ help: String) {
    self.name = name
    self.value = value
    self.help = help
  }

  /// "--size S,M,L".
  var synopsis: String { name.rawValue + (value.map { " \($0)" }).orEmpty }
}

/// A word on the command line that is no option.
enum CommandWord: Sendable {
  case one(String)
  case optional(String)
  case several(String)

  var synopsis: String {
    switch self {
    case .one(let name): name
    case .optional(let name): "[\(name)]"
    case .several(let name): "\(name)..."
    }
  }
}

/// What follows a command's name, split by what the command takes.
struct CommandArguments {
  let words: [String]
  /// In the order in which they stand; the last one of a name counts.
  let options: [(name: OptionName, value: String)]
  /// Whether help was asked for, in which case nothing else is checked.
  let isHelp: Bool

  private static let helpNames: Set<String> = ["--help", "-h", "-?"]

  init(_ arguments: [String], of command: Subcommand) throws(BenchError) {
    isHelp = arguments.prefix { $0 != "--" }.contains(where: Self.helpNames.contains)
    var words: [String] = []
    var options: [(name: OptionName, value: String)] = []
    var rest = isHelp ? [] : arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        break
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        words.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let option = try Self.option(String(parts[0]), of: command)
      guard let placeholder = option.value else {
        if parts.count > 1 { throw BenchError("\(parts[0]) takes no value") }
        options.append((option.name, ""))
        continue
      }
      guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst() else {
        throw BenchError("\(argument) needs a value: \(argument) \(placeholder)")
      }
      options.append((option.name, value))
    }
    self.words = words
    self.options = options
    if !isHelp { try Self.check(words, of: command) }
  }

  private static func option(
    _ text: String, of command: Subcommand
  ) throws(BenchError) -> CommandOption {
    if let option = command.options.first(where: { $0.name.rawValue == text }) { return option }
    let names = command.options.map(\.name.rawValue)
    let near = nearestNames(to: text, among: names, limit: 1).first
    let other =
      near == nil && OptionName(rawValue: text) != nil ? "; other commands have it" : ""
    throw BenchError(
      "\(command.name) has no option \(text)\(other)"
        + (near.map { "; perhaps you meant \($0)" }).orEmpty
        + "; \"junction-bench \(command.name) --help\" lists them")
  }

  private static func check(
    _ words: [String], of command: Subcommand
  ) throws(BenchError) {
    var least = 0
    var most = 0
    for word in command.words {
      switch word {
      case .one: (least, most) = (least + 1, most + 1)
      case .optional: most += 1
      case .several: (least, most) = (least + 1, .max / 2)
      }
    }
    if words.count > most {
      throw BenchError(
        "\(command.name) does not take \"\(words[most])\"; it is used as: \(command.synopsis)")
    }
    if words.count < least {
      throw BenchError("something is missing; \(command.name) is used as: \(command.synopsis)")
    }
  }

  /// The value of an option; nil where it is not given.
  func value(_ name: OptionName) -> String? { options.last { $0.name == name }?.value }

  func has(_ name: OptionName) -> Bool { value(name) != nil }

  /// The whole number that an option is given, at least `least`; nil where it is not given.
  func number(_ name: OptionName, least: Int = 0) throws(BenchError) -> Int? {
    guard let text = value(name) else { return nil }
    return try Self.number(name, text, least: least)
  }

  /// A whole number, in which `_` and `,` may part thousands.
  static func number(
    _ name: OptionName, _ text: String, least: Int = 0
  ) throws(BenchError) -> Int {
    guard let number = Int(text.filter { $0 != "_" && $0 != "," }), number >= least else {
      throw BenchError(
        "\(name.rawValue) takes a whole number"
          + (least > 0 ? " from \(least)" : "") + ", and not \"\(text)\"")
    }
    return number
  }
}
