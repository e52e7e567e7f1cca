import Diagnostics
import Junction

/// Commands that change settings and variables.
extension Shell {
  /// Sets an option of the output and says what it is now.
  ///
  /// - Throws: 22023 for an option or a value that does not exist.
  func set(_ option: String, to value: String?) throws(SQLError) {
    say(try settings.set(option, to: value))
  }

  /// `\pset`: sets an option, or lists all.
  ///
  /// - Throws: 22023 for an option or a value that does not exist.
  func setPrinting(_ command: MetaCommand) throws(SQLError) {
    if let option = command[0] { return try set(option, to: command[1]) }
    for (name, value) in settings.all {
      output.writeLine(name + blanks(24 - name.count) + " " + value)
    }
  }

  /// `\timing`; what is neither on nor off changes nothing.
  func setTiming(_ value: String?) {
    let isOn = value.map(ShellBoolean.parse) ?? !showsTiming
    showsTiming = isOn ?? showsTiming
    if isOn == nil {
      reportMeta("unrecognized value \"\(value ?? "")\" for \"\\timing\": Boolean expected")
    }
    say("Timing is \(PrintOption.onOff(showsTiming)).")
  }

  /// `\set`: sets a variable, or lists all.
  ///
  /// - Throws: 22023 for a name that no variable can have, or a value that the variable cannot.
  func setVariable(_ command: MetaCommand) throws(SQLError) {
    guard let name = command[0] else {
      for (name, value) in variables.all { output.writeLine("\(name) = '\(value)'") }
      return
    }
    guard VariableTable.isName(name) else {
      throw SQLError(.invalidParameterValue, "invalid variable name: \"\(name)\"")
    }
    let value = command.arguments.dropFirst().joined()
    variables[name] = try ShellVariable.checked(
      name, value, hasValue: command.arguments.count > 1)
  }

  /// `\getenv`.
  ///
  /// - Throws: 42601 if a name is missing.
  func readEnvironment(_ command: MetaCommand) throws(SQLError) {
    let (name, key) = (try command.required(0), try command.required(1))
    if let value = Environment[key] { variables[name] = value }
  }

  /// `\setenv`.
  ///
  /// - Throws: 42601 if the name is missing, 22023 for one that no variable can have.
  func setEnvironment(_ command: MetaCommand) throws(SQLError) {
    let name = try command.required(0)
    guard !name.isEmpty, !name.contains("=") else {
      throw SQLError(
        .invalidParameterValue, "\\setenv: environment variable name must not contain \"=\"")
    }
    Environment.set(name, to: command[1])
  }

  /// `\encoding`.
  ///
  /// - Throws: 0A000 for any encoding but UTF-8.
  func showEncoding(_ name: String?) throws(SQLError) {
    guard let name else { return output.writeLine("UTF8") }
    guard ["utf8", "utf-8", "unicode"].contains(name.lowercased()) else {
      throw SQLError(
        .featureNotSupported, "\(name): invalid encoding name or conversion procedure not found",
        hint: "All text is UTF-8.")
    }
  }
}
