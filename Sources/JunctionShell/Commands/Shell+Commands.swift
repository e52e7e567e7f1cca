import Diagnostics
import Junction

/// What becomes of the statement that is being typed, after a meta-command.
enum CommandEffect {
  case keepBuffer
  case clearBuffer
  case run(String)
  /// COPY with data from where the command stood.
  case copyIn(String)
  /// A text from an editor, to be read as if it had been typed.
  case feed(String)
}

extension MetaCommand {
  /// An argument that has to be there.
  ///
  /// - Throws: 42601 if it is not.
  func required(_ index: Int) throws(SQLError) -> String {
    guard let argument = self[index] else {
      throw SQLError(.syntaxError, "\\\(name): missing required argument")
    }
    return argument
  }
}

extension Shell {
  /// Runs a meta-command, which knows the statement before it on the line.
  func runCommand(_ command: MetaCommand) -> CommandEffect {
    guard let found = CommandTable.command(named: command.name) else {
      reportUnknown(command.name)
      return .keepBuffer
    }
    var effect = CommandEffect.keepBuffer
    do throws(SQLError) { effect = try found.action(self, command) } catch { reportMeta(error) }
    if let count = found.argumentCountMax, count < command.arguments.count {
      flushOutputs()
      for word in command.arguments[count...] {
        errorOutput.writeLine("\(place)\\\(command.name): extra argument \"\(word)\" ignored")
      }
      errorOutput.flush()
    }
    return effect
  }

  /// Prints what is wrong with a meta-command, and what may help.
  func reportMeta(_ error: SQLError) {
    reportMeta(error.message + (error.hint.map { "\nHINT:  \($0)" } ?? ""))
  }

  private func reportUnknown(_ name: String) {
    let near = CommandTable.near(name)
    let hint =
      near.isEmpty
      ? isInteractive ? "\nTry \\? for help." : ""
      : "\nHINT:  Perhaps you meant \(near.joined(separator: " or "))."
    reportMeta("invalid command \\\(name)" + hint)
  }

  /// Prints a remark on what a command did, unless remarks are not wanted.
  func say(_ text: String?) {
    if let text, !isQuiet, !isHushed { output.writeLine(text) }
  }

  /// `\if`.
  func beginCondition(_ command: MetaCommand) { conditions.begin(isTrue(command)) }

  /// `\elif`.
  func addAlternative(_ command: MetaCommand) {
    let isTrue = isTrue(command)
    if !conditions.otherwise(if: isTrue) { reportMeta("\\elif: no matching \\if") }
  }

  private func isTrue(_ command: MetaCommand) -> Bool {
    let word = command.arguments.joined(separator: " ")
    if let value = ShellBoolean.parse(word) { return value }
    if conditions.isEvaluated(by: command.name) {
      reportMeta(
        "unrecognized value \"\(word)\" for \"\\\(command.name) expression\": Boolean expected")
    }
    return false
  }

  /// `\echo` and its kin.
  func echo(_ command: MetaCommand, to target: OutputStream) {
    let isBare = command[0] == "-n"
    let text = command.arguments.dropFirst(isBare ? 1 : 0).joined(separator: " ")
    if target === errorOutput { flushOutputs() }
    target.write(text + (isBare ? "" : "\n"))
    flushOutputs()
  }

  /// `\?`.
  ///
  /// - Throws: 22023 for a topic that there is no help on.
  func showHelp(_ topic: String?) throws(SQLError) {
    switch topic ?? "commands" {
    case "commands": printer.page(CommandTable.text)
    case "options": printer.page(ShellMain.usage + "\n" + PrintOption.text)
    case "variables": printer.page(ShellVariable.text)
    case "dots": printer.page(DotCommand.text)
    default:
      throw SQLError(
        .invalidParameterValue, "\\?: there is no help on \"\(topic ?? "")\"",
        hint: "The topics are commands, options, variables and dots.")
    }
  }
}
