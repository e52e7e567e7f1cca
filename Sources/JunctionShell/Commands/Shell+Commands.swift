import Diagnostics
import Junction

/// What becomes of the statement that is being typed, after a meta-command.
enum CommandEffect {
  case keepBuffer
  case clearBuffer
  case run(String)
}

extension Shell {
  /// Runs `\if` and its kin; false for any other command.
  func runCondition(_ command: MetaCommand) -> Bool {
    let isTrue = ["on", "true", "yes", "1", "t", "y"].contains(command[0]?.lowercased() ?? "")
    switch command.name {
    case "if": conditions.begin(isTrue)
    case "elif": if !conditions.otherwise(if: isTrue) { reportMeta("\\elif: no matching \\if") }
    case "else": if !conditions.otherwise() { reportMeta("\\else: no matching \\if") }
    case "endif": if !conditions.end() { reportMeta("\\endif: no matching \\if") }
    default: return false
    }
    return true
  }

  /// Runs a meta-command; `buffer` is the statement before it on the line.
  func runCommand(_ command: MetaCommand, buffer: String) -> CommandEffect {
    do throws(SQLError) {
      if let effect = try runBufferCommand(command, buffer) { return effect }
      if try runSettingCommand(command) { return .keepBuffer }
      if try runFileCommand(command) { return .keepBuffer }
      if try runSessionCommand(command) { return .keepBuffer }
      if try runDescription(command) { return .keepBuffer }
      reportMeta("invalid command \\\(command.name)\nTry \\? for help.")
    } catch {
      reportMeta(error.message + (error.hint.map { "\nHINT:  \($0)" } ?? ""))
    }
    return .keepBuffer
  }

  /// Commands about the statement being typed.
  private func runBufferCommand(
    _ command: MetaCommand, _ buffer: String
  ) throws(SQLError) -> CommandEffect? {
    let statement = buffer.isEmpty ? lastStatement : buffer
    switch command.name {
    case "g":
      if let path = command[0] {
        let previous = redirected
        redirected = try OutputStream(path: path)
        run(Interpolation.expand(statement, variables))
        redirected = previous
        return .clearBuffer
      }
      return .run(statement)
    case "gx":
      let previous = settings.expanded
      settings.expanded = .on
      run(Interpolation.expand(statement, variables))
      settings.expanded = previous
      return .clearBuffer
    case "gset":
      setVariables(from: Interpolation.expand(statement, variables), prefix: command[0] ?? "")
      return .clearBuffer
    case "r", "reset":
      if !isQuiet { output.writeLine("Query buffer reset (cleared).") }
      return .clearBuffer
    case "p", "print":
      output.writeLine(statement.isEmpty ? "Query buffer is empty." : statement)
      return .keepBuffer
    case "w", "write":
      guard let path = command[0] else {
        reportMeta("\\w: missing required argument")
        return .keepBuffer
      }
      writeFile(path, statement + "\n")
      return .keepBuffer
    case "watch":
      watch(Interpolation.expand(statement, variables), every: command[0])
      return .clearBuffer
    case "e", "edit":
      guard let text = edit(statement, path: command[0]) else { return .keepBuffer }
      for statement in Self.statements(of: text) { run(Interpolation.expand(statement, variables)) }
      return .clearBuffer
    default: return nil
    }
  }

  /// `\gset`: the one row of a query becomes variables.
  private func setVariables(from statement: String, prefix: String) {
    lastStatement = statement
    do throws(SQLError) {
      let rows = try connection.query(statement)
      guard rows.count == 1 else {
        reportMeta(
          rows.count == 0
            ? "no rows returned for \\gset" : "more than one row returned for \\gset")
        return
      }
      for (index, column) in rows.columns.enumerated() {
        variables[prefix + column.name] = rows.text(row: 0, column: index)
      }
    } catch {
      report(error, in: statement)
    }
  }

  /// Commands that change settings or print texts.
  private func runSettingCommand(_ command: MetaCommand) throws(SQLError) -> Bool {
    func say(_ text: String) { if !isQuiet { output.writeLine(text) } }
    switch command.name {
    case "echo", "qecho":
      let isBare = command[0] == "-n"
      let text = command.arguments.dropFirst(isBare ? 1 : 0).joined(separator: " ")
      let target = command.name == "qecho" ? output : standardOutput
      target.write(text + (isBare ? "" : "\n"))
      flushOutputs()
    case "warn":
      flushOutputs()
      errorOutput.writeLine(command.arguments.joined(separator: " "))
      errorOutput.flush()
    case "set":
      if let name = command[0] {
        let value = command.arguments.dropFirst().joined()
        // A switch without a value is turned on.
        let isSwitch = ["on", "off"].contains(variables[name] ?? "")
        variables[name] = isSwitch && command.arguments.count == 1 ? "on" : value
      } else {
        for (name, value) in variables.all { output.writeLine("\(name) = '\(value)'") }
      }
    case "unset": if let name = command[0] { variables[name] = nil }
    case "pset":
      guard let option = command[0] else {
        say(
          "format \(settings.format.rawValue), null '\(settings.null)', border \(settings.border)")
        return true
      }
      say(try settings.set(option, to: command[1]))
    case "x": say(try settings.set("expanded", to: command[0]))
    case "t": say(try settings.set("tuples_only", to: command[0]))
    case "a": say(try settings.set("format", to: settings.format == .aligned ? "una" : "ali"))
    case "f": say(try settings.set("fieldsep", to: command[0]))
    case "H": say(try settings.set("format", to: settings.format == .html ? "aligned" : "html"))
    case "C": settings.title = command[0]
    case "timing":
      showsTiming = command[0].map { $0 == "on" } ?? !showsTiming
      say("Timing is \(showsTiming ? "on" : "off").")
    default: return false
    }
    return true
  }

  /// Commands about files, and the end.
  private func runFileCommand(_ command: MetaCommand) throws(SQLError) -> Bool {
    switch command.name {
    case "q", "quit": exitStatus = exitStatus ?? 0
    case "i", "include", "ir", "include_relative":
      guard let name = command[0] else {
        reportMeta("\\\(command.name): missing required argument")
        return true
      }
      let isRelative = command.name.hasSuffix("r") || command.name.hasSuffix("relative")
      runFile(isRelative ? resolved(name) : name)
    case "o", "out":
      redirected?.flush()
      redirected = nil
      if let path = command[0] { redirected = try OutputStream(path: path) }
    case "copy": runCopyCommand(command.rest)
    default: return false
    }
    return true
  }

  /// A name relative to the script that is being read.
  private func resolved(_ name: String) -> String {
    guard !name.hasPrefix("/"), let currentFile, let slash = currentFile.lastIndex(of: "/") else {
      return name
    }
    return currentFile[...slash] + name
  }

  /// The most scripts that may be open one within another.
  private static let scriptDepthMax = 64

  /// Runs a script file.
  func runFile(_ path: String) {
    guard depth < Self.scriptDepthMax else {
      reportMeta("\(path): scripts are nested too deeply")
      return
    }
    let outer = (currentFile, currentLine)
    do throws(SQLError) {
      let reader = path == "-" ? LineReader(descriptor: 0) : try LineReader(path: path)
      depth += 1
      currentFile = path == "-" ? nil : path
      currentLine = 0
      ScriptRunner(self, reader).run()
      depth -= 1
    } catch {
      reportMeta(error.message)
    }
    (currentFile, currentLine) = outer
  }

  /// Hands everything printed so far to the system.
  func flushOutputs() {
    standardOutput.flush()
    redirected?.flush()
    errorOutput.flush()
  }
}
