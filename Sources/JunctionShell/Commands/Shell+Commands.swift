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

extension Shell {
  /// Runs `\if` and its kin; false for any other command.
  func runCondition(_ command: MetaCommand) -> Bool {
    var isTrue = false
    if command.name == "if" || command.name == "elif" {
      let word = command.arguments.joined(separator: " ")
      if let value = ShellBoolean.parse(word) {
        isTrue = value
      } else if conditions.isEvaluated(by: command.name) {
        reportMeta(
          "unrecognized value \"\(word)\" for \"\\\(command.name) expression\": Boolean expected")
      }
    }
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
      if let effect = try runFileCommand(command) { return effect }
      if try runSessionCommand(command) { return .keepBuffer }
      if try runExploration(command) { return .keepBuffer }
      if try runDescription(command) { return .keepBuffer }
      reportMeta(
        "invalid command \\\(command.name)" + (isInteractive ? "\nTry \\? for help." : ""))
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
    case "g", "gx": return try runOnce(statement, command)
    case "gexec":
      runCells(of: Interpolation.expand(statement, variables))
      return .clearBuffer
    case "gdesc":
      describeColumns(of: Interpolation.expand(statement, variables))
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
      return edit(statement, path: command[0]).map(CommandEffect.feed) ?? .keepBuffer
    default: return nil
    }
  }

  /// `\g` and `\gx`: runs a statement with other settings, or with its rows sent to a file.
  private func runOnce(
    _ statement: String, _ command: MetaCommand
  ) throws(SQLError) -> CommandEffect {
    var words = command.arguments[...]
    let (kept, target) = (settings, redirected)
    defer {
      if redirected !== target { endRedirection() }
      (settings, redirected) = (kept, target)
    }
    if words.first?.hasPrefix("(") ?? false {
      let end = words.firstIndex { $0.hasSuffix(")") } ?? words.endIndex - 1
      for option in words[...end] {
        let parts = option.filter { $0 != "(" && $0 != ")" }.split(separator: "=", maxSplits: 1)
        if let name = parts.first {
          _ = try settings.set(String(name), to: parts.count > 1 ? String(parts[1]) : nil)
        }
      }
      words = words[(end + 1)...]
    }
    if command.name == "gx" { settings.expanded = .on }
    if let path = words.first { redirected = try openOutput(path) }
    // A statement that needs nothing special is run by the reader, which knows where data of COPY are.
    if command.name == "g" && command.arguments.isEmpty { return .run(statement) }
    run(Interpolation.expand(statement, variables))
    return .clearBuffer
  }

  /// `\gdesc`: the columns that a statement would give, without running it.
  private func describeColumns(of statement: String) {
    lastStatement = statement
    do throws(SQLError) {
      let columns = try connection.prepare(statement).columns
      if columns.isEmpty {
        output.writeLine("The command has no result, or the result has no columns.")
      } else {
        show(
          TextTable(names: ["Column", "Type"], rows: columns.map { [$0.name, $0.typeName] }))
      }
    } catch {
      report(error, in: statement)
    }
  }

  /// `\gexec`: every value of the result is a statement, run in its turn.
  private func runCells(of statement: String) {
    lastStatement = statement
    do throws(SQLError) {
      let rows = try connection.query(statement)
      for row in 0..<rows.count {
        for column in rows.columns.indices where exitStatus == nil {
          if let text = rows.text(row: row, column: column) { run(text) }
        }
      }
    } catch {
      report(error, in: statement)
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
        for (name, value) in settings.all {
          output.writeLine(name + blanks(24 - name.count) + " " + value)
        }
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
      let value = command[0].map(ShellBoolean.parse) ?? !showsTiming
      guard let value else {
        throw SQLError(
          .invalidParameterValue,
          "unrecognized value \"\(command[0] ?? "")\" for \"\\timing\": Boolean expected")
      }
      showsTiming = value
      say("Timing is \(showsTiming ? "on" : "off").")
    default: return false
    }
    return true
  }

  /// Commands about files, and the end.
  private func runFileCommand(_ command: MetaCommand) throws(SQLError) -> CommandEffect? {
    switch command.name {
    case "q", "quit": exitStatus = exitStatus ?? 0
    case "i", "include", "ir", "include_relative":
      guard let name = command[0] else {
        reportMeta("\\\(command.name): missing required argument")
        return .keepBuffer
      }
      let isRelative = command.name.hasSuffix("r") || command.name.hasSuffix("relative")
      runFile(isRelative ? resolved(name) : Self.expandedPath(name))
    case "o", "out":
      endRedirection()
      if let path = command[0] { redirected = try openOutput(path) }
    case "copy": return runCopyCommand(command.rest)
    default: return nil
    }
    return .keepBuffer
  }

  /// A name relative to the script that is being read.
  private func resolved(_ name: String) -> String {
    guard !name.hasPrefix("/"), let currentFile, let slash = currentFile.lastIndex(of: "/") else {
      return name
    }
    return currentFile[...slash] + name
  }

  /// A path with the home folder in the place of its `~`.
  static func expandedPath(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"), let home = Environment["HOME"] else { return path }
    return home + path.dropFirst()
  }

  /// A file to write to.
  ///
  /// - Throws: 58P01; 0A000 for a program, which is not started from here.
  func openOutput(_ path: String) throws(SQLError) -> OutputStream {
    if path.hasPrefix("|") {
      throw SQLError(.featureNotSupported, "output to a program is not supported")
    }
    return try OutputStream(path: Self.expandedPath(path))
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
      let runner = ScriptRunner(self, reader)
      runner.run()
      runner.finish()
      depth -= 1
    } catch {
      reportMeta(error.message)
    }
    (currentFile, currentLine) = outer
  }
}
