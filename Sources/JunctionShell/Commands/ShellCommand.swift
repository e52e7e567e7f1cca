import Diagnostics

/// A backslash command: dispatch, `\?` and completion are all made from this one declaration.
struct ShellCommand: Sendable {
  /// How the arguments are read.
  enum Reading: Sendable {
    /// Words; semicolons at the end of the line, which are habit, are dropped.
    case words
    /// The same with semicolons kept, as they may be meant.
    case texts
    /// Words, but `|` begins a program that takes the rest of the line.
    case output
    /// The rest of the line as it stands.
    case line
  }

  /// What the command is called by; the first name is the one that help shows.
  let names: [String]
  /// The arguments as help shows them.
  let form: String
  /// What help says; nil for commands that are not listed.
  let help: String?
  let completion: CommandCompletion
  let reading: Reading
  /// Whether the command is run in a branch of `\if` that is not taken as well.
  let steersConditions: Bool
  let action: @Sendable (Shell, MetaCommand) throws(SQLError) -> CommandEffect

  /// A command that may change what is being typed.
  init(
    _ names: [String], _ form: String, _ help: String?, _ completion: CommandCompletion = .nothing,
    _ reading: Reading = .words, steersConditions: Bool = false,
    gives action: @escaping @Sendable (Shell, MetaCommand) throws(SQLError) -> CommandEffect
  ) {
    (self.names, self.form, self.help) = (names, form, help)
    (self.completion, self.reading, self.steersConditions) = (completion, reading, steersConditions)
    self.action = action
  }

  /// A command that leaves what is being typed as it is.
  init(
    _ names: [String], _ form: String, _ help: String?, _ completion: CommandCompletion = .nothing,
    _ reading: Reading = .words, steersConditions: Bool = false,
    does action: @escaping @Sendable (Shell, MetaCommand) throws(SQLError) -> Void
  ) {
    self.init(
      names, form, help, completion, reading, steersConditions: steersConditions,
      gives: { shell, command throws(SQLError) in
        try action(shell, command)
        return .keepBuffer
      })
  }

  /// The most arguments it takes; nil where there may be any number.
  var argumentCountMax: Int? {
    if reading == .line || reading == .texts || form.contains("…") { return nil }
    // Options of the output stand in several words.
    return form.hasPrefix("[(") ? nil : form.split(separator: " ").count
  }

  /// The name and arguments as help shows them.
  var usage: String { "\\" + names[0] + (form.isEmpty ? "" : " " + form) }
}

/// Some commands with a title for help.
struct CommandSection: Sendable {
  let title: String
  let commands: [ShellCommand]
}

/// Every command of the shell.
enum CommandTable {
  static let sections: [CommandSection] = [
    CommandSection(title: "General", commands: general),
    CommandSection(title: "Help", commands: help),
    CommandSection(title: "Statement being typed", commands: buffer),
    CommandSection(title: "Input and output", commands: inputOutput),
    CommandSection(title: "Conditions", commands: conditions),
    CommandSection(
      title: "Objects (S adds those of the system, + more about each; * and ? are wildcards)",
      commands: objects),
    CommandSection(title: "Schema as a drawing", commands: drawing),
    CommandSection(title: "From row to row", commands: rows),
    CommandSection(title: "Output", commands: output),
    CommandSection(title: "Databases", commands: databases),
    CommandSection(title: "Surroundings and variables", commands: surroundings),
  ]

  private static let byName: [String: ShellCommand] = {
    var found: [String: ShellCommand] = [:]
    for command in sections.flatMap(\.commands) + absent {
      for name in command.names { found[name] = command }
    }
    return found
  }()

  /// The command of this name, in which `S` and `+` behind the names of lists ask for more.
  static func command(named name: String) -> ShellCommand? {
    if let found = byName[name] { return found }
    let plain = String(name.prefix { $0 != "+" && $0 != "S" })
    let marks = name.dropFirst(plain.count)
    let isMarked = marks.allSatisfy { $0 == "+" || $0 == "S" } && marks.count <= 2
    guard isMarked, let found = byName[plain] ?? relationList(plain) else { return nil }
    return marks.isEmpty || found.takesMarks ? found : nil
  }

  /// `\dtv` and the like: several kinds of relations in one list.
  private static func relationList(_ name: String) -> ShellCommand? {
    let letters = name.dropFirst()
    guard name.first == "d", letters.count > 1, letters.allSatisfy({ "tvismE".contains($0) })
    else { return nil }
    return byName["dt"]
  }

  /// The names of all commands that help lists, with their backslashes.
  static let listedNames: [String] =
    sections.flatMap(\.commands).filter { $0.help != nil }.flatMap(\.names).map { "\\" + $0 }
    .sorted()

  /// The commands that `name` may have been meant to be.
  static func near(_ name: String) -> [String] {
    let plain = name.prefix { $0 != "+" }
    guard plain.count > 1 else { return [] }
    let names = sections.flatMap(\.commands).flatMap(\.names).filter { $0.count > 1 }
    return nearestNames(to: String(plain), among: names, limit: 2).map { "\\" + $0 }
  }

  /// What `\?` prints.
  static var text: String {
    sections.map { section in
      let lines = section.commands.compactMap { command in
        command.help.map { help in
          let usage = "  " + command.usage
          return usage.count < 27
            ? usage + blanks(27 - usage.count) + help + "\n"
            : usage + "\n" + blanks(27) + help + "\n"
        }
      }
      return section.title + "\n" + lines.joined()
    }.joined(separator: "\n")
  }
}

extension ShellCommand {
  /// Whether `S` and `+` may follow the name.
  var takesMarks: Bool {
    names.contains {
      $0.first == "d" && $0 != "dump" || ["l", "list", "z", "sf", "sv", "erd"].contains($0)
    }
  }
}
