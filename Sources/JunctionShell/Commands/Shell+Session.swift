import Diagnostics
import Junction

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Commands about databases, files and what is around the shell.
extension Shell {
  /// `\errverbose`.
  func showLastError() {
    guard let (error, statement) = lastError else {
      output.writeLine("There is no previous error.")
      return
    }
    output.writeLine(Self.text(of: error, in: statement, verbosity: "verbose"))
  }

  /// `\cd`.
  func changeFolder(_ path: String?) {
    guard let target = path.map(Self.expandedPath) ?? Environment["HOME"] else { return }
    if unsafe chdir(target) != 0 {
      reportMeta("\\cd: could not change directory to \"\(target)\": \(SystemError.current)")
    }
  }

  /// `\prompt`.
  ///
  /// - Throws: 42601 if no variable is named.
  func promptForVariable(_ command: MetaCommand) throws(SQLError) {
    _ = try command.required(0)
    guard let name = command.arguments.last else { return }
    if command.arguments.count > 1 { standardOutput.write(command.arguments[0]) }
    standardOutput.flush()
    let line = nextInputLine() ?? []
    variables[name] = String(decoding: line.filter { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
  }

  /// `\s`.
  func showHistory(to path: String?) {
    let text = readHistory().map { $0 + "\n" }.joined()
    if let path {
      writeFile(path, text)
    } else {
      printer.page(text)
    }
  }

  /// `\save NAME`: a copy of the database on disk.
  ///
  /// - Throws: 25001 in a transaction, and what writing says.
  func save(to name: String) throws(SQLError) {
    let path = DatabaseName.ended(Self.expandedPath(name))
    if connection.transactionStatus != .idle {
      throw SQLError(
        .activeTransaction, "\\save: a transaction is open", hint: "COMMIT or ROLLBACK first.")
    }
    try database.save(to: path)
    say("Saved to \"\(path)\".")
  }

  /// `\dump [FILE]`: the database as a script of SQL.
  ///
  /// - Throws: what writing the file says.
  func dump(to path: String?) throws(SQLError) {
    if let path = path.map(Self.expandedPath) {
      try connection.export(to: path)
      say("Exported to \"\(path)\".")
      return
    }
    let target = output
    try connection.export { target.write($0) }
  }

  /// `\c` and `\open`: another database takes the place of the one that is open; without a name, what is open.
  ///
  /// - Throws: 25001 in a transaction, 0A000 for another user or another machine, and what opening says.
  func connect(_ command: MetaCommand) throws(SQLError) {
    // `-` stands for what there is already.
    if let other = command.arguments.dropFirst().first(where: { $0 != "-" && $0 != owner }) {
      throw SQLError(
        .featureNotSupported, "\\\(command.name): \"\(other)\" cannot be connected to",
        hint: "There is one user, and databases are files of this machine: \\c NAME.")
    }
    if let name = command[0], name != "-" {
      if connection.transactionStatus != .idle {
        throw SQLError(
          .activeTransaction, "\\\(command.name): a transaction is open",
          hint: "COMMIT or ROLLBACK first.")
      }
      try open(Self.expandedPath(name.filter { $0 != "\"" }))
    }
    say("You are now connected to database \"\(databaseName)\" as user \"\(owner)\".")
  }

  private var owner: String { ObjectLists.owner }
}

extension TextFile {
  /// Whether the path names a folder.
  static func isFolder(_ path: String) -> Bool {
    guard let directory = unsafe opendir(path) else { return false }
    unsafe _ = closedir(directory)
    return true
  }
}
