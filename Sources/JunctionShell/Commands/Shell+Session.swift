import Diagnostics
import Junction

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Shell {
  /// Runs commands about the session and the world around it; false for any other command.
  func runSessionCommand(_ command: MetaCommand) throws(SQLError) -> Bool {
    switch command.name {
    case "?": printer.page(CommandHelp.commands)
    case "h", "help": printer.page(CommandHelp.statement(command.rest))
    case "encoding":
      if command[0] == nil { output.writeLine("UTF8") }
    case "errverbose": showLastError()
    case "cd": changeFolder(command[0])
    case "getenv": readEnvironment(command)
    case "prompt": try promptForVariable(command)
    case "s": showHistory(to: command[0])
    case "select": runNestedSelect(command.rest)
    case "erd", "erd+": try runDrawing(command)
    case "import", "open": try openData(command)
    case "save": try save(command)
    case "dump": try dump(to: command[0])
    default: return false
    }
    return true
  }

  private func showLastError() {
    guard let (error, statement) = lastError else {
      output.writeLine("There is no previous error.")
      return
    }
    output.writeLine(Self.text(of: error, in: statement, verbosity: "verbose"))
  }

  private func changeFolder(_ path: String?) {
    guard let target = path.map(Self.expandedPath) ?? Environment["HOME"] else { return }
    if unsafe chdir(target) != 0 {
      reportMeta("\\cd: could not change directory to \"\(target)\": \(SystemError.current)")
    }
  }

  private func readEnvironment(_ command: MetaCommand) {
    guard let name = command[0], let key = command[1] else {
      reportMeta("\\getenv: missing required argument")
      return
    }
    if let value = Environment[key] { variables[name] = value }
  }

  private func promptForVariable(_ command: MetaCommand) throws(SQLError) {
    guard let name = command.arguments.last else {
      reportMeta("\\prompt: missing required argument")
      return
    }
    if command.arguments.count > 1 { standardOutput.write(command.arguments[0]) }
    standardOutput.flush()
    let line = LineReader(descriptor: 0).next() ?? []
    variables[name] = String(decoding: line.filter { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
  }

  private func showHistory(to path: String?) {
    let text = readHistory().map { $0 + "\n" }.joined()
    if let path {
      writeFile(path, text)
    } else {
      printer.page(text)
    }
  }

  /// Writes a small text file.
  func writeFile(_ path: String, _ text: String) {
    do throws(SQLError) {
      let stream = try openOutput(path)
      stream.write(text)
      if let reason = stream.finish() { reportMeta("\(path): \(reason)") }
    } catch {
      reportMeta(error.message)
    }
  }

  /// `\save FILE`: a copy of the database on disk.
  private func save(_ command: MetaCommand) throws(SQLError) {
    guard let name = command[0].map(Self.expandedPath) else {
      reportMeta("\\save: missing required argument")
      return
    }
    let path = DatabaseName.ended(name)
    if connection.transactionStatus != .idle {
      throw SQLError(.activeTransaction, "\\save: a transaction is open")
    }
    try database.save(to: path)
    if !isQuiet { output.writeLine("Saved to \"\(path)\".") }
  }

  /// `\dump [FILE]`: the database as a script of SQL.
  private func dump(to path: String?) throws(SQLError) {
    if let path = path.map(Self.expandedPath) {
      try connection.export(to: path)
      if !isQuiet { output.writeLine("Exported to \"\(path)\".") }
      return
    }
    let target = output
    try connection.export { target.write($0) }
  }

  /// `\open FILE|FOLDER`: a database on disk or a folder of CSV files takes the place of the database.
  private func openData(_ command: MetaCommand) throws(SQLError) {
    guard let path = command[0].map(Self.expandedPath) else {
      reportMeta("\\\(command.name): missing required argument")
      return
    }
    if connection.transactionStatus != .idle {
      throw SQLError(.activeTransaction, "\\\(command.name): a transaction is open")
    }
    try open(path)
    if !isQuiet {
      output.writeLine("You are now connected to database \"\(databaseName)\".")
    }
  }
}

extension TextFile {
  /// Whether the path names a folder.
  static func isFolder(_ path: String) -> Bool {
    guard let directory = unsafe opendir(path) else { return false }
    unsafe _ = closedir(directory)
    return true
  }
}
