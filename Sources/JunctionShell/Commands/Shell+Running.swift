import Diagnostics
import Junction
import SQLSyntax

/// Commands that run the statement being typed, or else the last one.
extension Shell {
  /// The statement that a command is about.
  func statement(of command: MetaCommand) -> String {
    command.buffer.isEmpty ? lastStatement : command.buffer
  }

  /// The same with variables put in.
  func expandedStatement(of command: MetaCommand) -> String {
    Interpolation.expand(statement(of: command), variables)
  }

  /// `\g` and `\gx`: runs a statement with other settings, or with its rows sent elsewhere.
  ///
  /// - Throws: 22023 for a setting that does not exist, 58P01 for a file that cannot be written.
  func runOnce(_ command: MetaCommand) throws(SQLError) -> CommandEffect {
    let statement = statement(of: command)
    var words = command.arguments[...]
    let (kept, target) = (settings, redirected)
    defer {
      if redirected !== target { endRedirection() }
      (settings, redirected) = (kept, target)
    }
    if words.first?.hasPrefix("(") ?? false {
      guard let end = words.firstIndex(where: { $0.hasSuffix(")") }) else {
        throw SQLError(.syntaxError, "\\\(command.name): missing right parenthesis")
      }
      for option in words[...end] {
        let parts = option.filter { $0 != "(" && $0 != ")" }.split(
          separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if let name = parts.first, !name.isEmpty {
          _ = try settings.set(String(name), to: parts.count > 1 ? String(parts[1]) : nil)
        }
      }
      words = words[(end + 1)...]
    }
    if command.name == "gx" { settings.expanded = .on }
    if let path = words.first { redirected = try openOutput(path) }
    // A statement that needs nothing special is run by the reader, which knows where data of COPY are.
    if command.name == "g" && command.arguments.isEmpty { return .run(statement) }
    let text = Interpolation.expand(statement, variables)
    if CopyStatements.writesOutput(text) { runCopyOut(text) } else { run(text) }
    return .clearBuffer
  }

  /// `\gdesc`: the columns that a statement would give, without running it.
  func describeColumns(_ command: MetaCommand) -> CommandEffect {
    let statement = expandedStatement(of: command)
    lastStatement = statement
    do throws(SQLError) {
      let columns = Self.isDefinition(statement) ? [] : try connection.prepare(statement).columns
      if columns.isEmpty {
        output.writeLine("The command has no result, or the result has no columns.")
      } else {
        show(
          TextTable(names: ["Column", "Type"], rows: columns.map { [$0.name, $0.typeName] }))
      }
    } catch {
      report(error, in: statement)
    }
    return .clearBuffer
  }

  /// Whether a statement is of a kind that gives no rows, whatever it says.
  private static func isDefinition(_ statement: String) -> Bool {
    guard let parsed = try? parseStatement(statement).statement else { return false }
    switch parsed {
    case .select, .insert, .update, .delete, .merge, .explain, .execute, .fetch, .setting, .call,
      .verify, .describe, .export, .unsupported:
      return false
    case .truncate, .copy, .createTable, .createIndex, .createView, .createMaterializedView,
      .refresh, .createSequence, .createSchema, .createType, .createDomain, .createFunction,
      .createPropertyGraph, .alterPropertyGraph, .alterTable, .alterSequence, .alterType,
      .alterDomain, .alterObject, .drop, .comment, .transaction, .setConstraints, .prepare,
      .deallocate, .declareCursor, .closeCursor, .doBlock, .lock, .maintenance, .checkpoint,
      .backup, .discard, .listen, .notify, .unlisten, .privileges:
      return true
    }
  }

  /// `\gexec`: every value of the result is a statement, run in its turn.
  func runCells(_ command: MetaCommand) -> CommandEffect {
    if let rows = rows(of: expandedStatement(of: command)) {
      for row in 0..<rows.count {
        for column in rows.columns.indices where exitStatus == nil {
          if let text = rows.text(row: row, column: column) { run(text) }
        }
      }
    }
    return .clearBuffer
  }

  /// `\gset`: the one row of a query becomes variables.
  func setVariables(_ command: MetaCommand) -> CommandEffect {
    guard let rows = rows(of: expandedStatement(of: command)) else { return .clearBuffer }
    guard rows.count == 1 else {
      reportMeta(
        rows.count == 0 ? "no rows returned for \\gset" : "more than one row returned for \\gset")
      return .clearBuffer
    }
    for (index, column) in rows.columns.enumerated() {
      let name = (command[0] ?? "") + column.name
      guard VariableTable.isName(name) else {
        reportMeta("invalid variable name: \"\(name)\"")
        break
      }
      variables[name] = rows.text(row: 0, column: index)
    }
    return .clearBuffer
  }

  /// The rows of a statement; nil after an error, or where it gives none, which shows what it did.
  func rows(of statement: String) -> ResultSet? {
    guard !statement.isEmpty else {
      reportMeta("there is no statement to run")
      return nil
    }
    lastStatement = statement
    echoQuery(statement)
    do throws(SQLError) {
      let results = try execute(statement)
      note(results)
      guard let rows = results.last?.rows else {
        for result in results { show(result) }
        return nil
      }
      for result in results.dropLast() { show(result) }
      return rows
    } catch {
      report(error, in: statement)
      return nil
    }
  }
}
