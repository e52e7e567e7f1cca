import Diagnostics

/// Commands that run statements, and those about the statement being typed.
extension CommandTable {
  static let general: [ShellCommand] = [
    ShellCommand(
      ["crosstabview"], "[ROWS [COLUMNS [VALUES [ORDER]]]]",
      "run the statement and show one column across",
      gives: { shell, command throws(SQLError) in shell.showCrosstab(command) }),
    ShellCommand(
      ["errverbose"], "", "show the last error in full",
      does: { shell, _ throws(SQLError) in shell.showLastError() }),
    ShellCommand(
      ["g"], "[(OPTIONS)] [FILE]", "run the statement, and send its rows to a file or |program",
      .files, .output, gives: { shell, command throws(SQLError) in try shell.runOnce(command) }),
    ShellCommand(
      ["gdesc"], "", "show the columns the statement would give",
      gives: { shell, command throws(SQLError) in shell.describeColumns(command) }),
    ShellCommand(
      ["gexec"], "", "run the statement, then each of its values as a statement",
      gives: { shell, command throws(SQLError) in shell.runCells(command) }),
    ShellCommand(
      ["graph"], "[GRAPH] [FORMAT FILE]",
      "draw a graph, or the pairs that the statement gives: text, svg or html", .graph,
      gives: { shell, command throws(SQLError) in shell.drawGraph(command) }),
    ShellCommand(
      ["gset"], "[PREFIX]", "run the statement and keep its row in variables",
      gives: { shell, command throws(SQLError) in shell.setVariables(command) }),
    ShellCommand(
      ["gx"], "[(OPTIONS)] [FILE]", "as \\g, with a line for each column", .files, .output,
      gives: { shell, command throws(SQLError) in try shell.runOnce(command) }),
    ShellCommand(
      ["plot"], "[KIND] [COLUMN…] [FORMAT FILE]",
      "run the statement and draw its rows: bars, lines or histogram; text, svg or html", .plot,
      gives: { shell, command throws(SQLError) in shell.plot(command) }),
    ShellCommand(
      ["select"], "REQUEST", "nested rows as JSON: TABLE?select=COLUMN,TABLE(COLUMN)&COLUMN=eq.1",
      .tables, .line,
      does: { shell, command throws(SQLError) in shell.runNestedSelect(command.rest) }),
    ShellCommand(
      ["q", "quit"], "", "quit",
      does: { shell, _ throws(SQLError) in shell.exitStatus = shell.exitStatus ?? 0 }),
    ShellCommand(
      ["watch"], "[SEC]", "run the statement again every SEC seconds (2)",
      gives: { shell, command throws(SQLError) in shell.watch(command) }),
  ]

  static let help: [ShellCommand] = [
    ShellCommand(
      ["?"], "[TOPIC]", "help on commands, options, variables, or dots: commands such as .tables",
      .words(["commands", "dots", "options", "variables"]),
      does: { shell, command throws(SQLError) in try shell.showHelp(command[0]) }),
    ShellCommand(
      ["h", "help"], "[STATEMENT]", "the form of an SQL statement; * for all", .statements, .line,
      does: { shell, command throws(SQLError) in
        shell.printer.page(StatementHelp.text(command.rest))
      }),
    ShellCommand(
      ["copyright"], "", nil,
      does: { shell, _ throws(SQLError) in shell.output.writeLine(ShellMain.version) }),
  ]

  static let buffer: [ShellCommand] = [
    ShellCommand(
      ["e", "edit"], "[FILE] [LINE]", "edit the statement, or a file, in an editor", .files,
      gives: { shell, command throws(SQLError) in shell.edit(command) }),
    ShellCommand(
      ["ef"], "[FUNCTION]", "edit a function", .functions,
      gives: { shell, command throws(SQLError) in try shell.editSource(command, isFunction: true) }),
    ShellCommand(
      ["ev"], "[VIEW]", "edit a view", .views,
      gives: { shell, command throws(SQLError) in try shell.editSource(command, isFunction: false) }
    ),
    ShellCommand(
      ["p", "print"], "", "print the statement",
      does: { shell, command throws(SQLError) in
        let statement = shell.statement(of: command)
        shell.output.writeLine(statement.isEmpty ? "Query buffer is empty." : statement)
      }),
    ShellCommand(
      ["r", "reset"], "", "drop the statement",
      gives: { shell, _ throws(SQLError) in
        shell.say("Query buffer reset (cleared).")
        return .clearBuffer
      }),
    ShellCommand(
      ["s"], "[FILE]", "show the history, or write it to a file", .files,
      does: { shell, command throws(SQLError) in shell.showHistory(to: command[0]) }),
    ShellCommand(
      ["w", "write"], "FILE", "write the statement to a file or |program", .files, .output,
      does: { shell, command throws(SQLError) in
        shell.writeFile(
          try command.required(0), shell.statement(of: command) + "\n")
      }),
  ]

  static let inputOutput: [ShellCommand] = [
    ShellCommand(
      ["copy"], "TABLE|(QUERY) FROM|TO FILE …",
      "copy data from or to a file, program 'COMMAND', stdin or stdout", .copy, .line,
      gives: { shell, command throws(SQLError) in shell.copy(command.rest) }),
    ShellCommand(
      ["dump"], "[FILE]", "write the database as SQL that PostgreSQL and Junction load", .files,
      does: { shell, command throws(SQLError) in try shell.dump(to: command[0]) }),
    ShellCommand(
      ["echo"], "[-n] [TEXT]", "print a text to standard output", .variables, .texts,
      does: { shell, command throws(SQLError) in shell.echo(command, to: shell.standardOutput) }),
    ShellCommand(
      ["i", "include"], "FILE", "run the commands of a file", .files,
      does: { shell, command throws(SQLError) in
        shell.runFile(Shell.expandedPath(try command.required(0)))
      }),
    ShellCommand(
      ["import"], "FILE [TABLE] [header]",
      "load a file into a table, which is made if it is not there; without TABLE as \\open",
      .files,
      does: { shell, command throws(SQLError) in try shell.importFile(command) }),
    ShellCommand(
      ["infer"], "[FILE]",
      "show what types and keys were found in files and why, or write it as schema.sql", .files,
      does: { shell, command throws(SQLError) in try shell.showInference(writingTo: command[0]) }),
    ShellCommand(
      ["ir", "include_relative"], "FILE", "the same, with a path relative to this script", .files,
      does: { shell, command throws(SQLError) in
        shell.runFile(shell.resolved(try command.required(0)))
      }),
    ShellCommand(
      ["o", "out"], "[FILE]", "send results to a file or |program, or again to standard output",
      .files, .output,
      does: { shell, command throws(SQLError) in try shell.redirect(to: command[0]) }),
    ShellCommand(
      ["once"], "FILE", "send the rows of the next statement to a file or |program", .files,
      .output,
      does: { shell, command throws(SQLError) in shell.onceTarget = try command.required(0) }),
    ShellCommand(
      ["qecho"], "[-n] [TEXT]", "print a text where results go", .variables, .texts,
      does: { shell, command throws(SQLError) in shell.echo(command, to: shell.output) }),
    ShellCommand(
      ["warn"], "[-n] [TEXT]", "print a text to standard error", .variables, .texts,
      does: { shell, command throws(SQLError) in shell.echo(command, to: shell.errorOutput) }),
  ]

  static let conditions: [ShellCommand] = [
    ShellCommand(
      ["if"], "EXPRESSION", "begin a condition", .variables, .texts, steersConditions: true,
      does: { shell, command throws(SQLError) in shell.beginCondition(command) }),
    ShellCommand(
      ["elif"], "EXPRESSION", "an alternative with a condition", .variables, .texts,
      steersConditions: true,
      does: { shell, command throws(SQLError) in shell.addAlternative(command) }),
    ShellCommand(
      ["else"], "", "the last alternative", steersConditions: true,
      does: { shell, _ throws(SQLError) in
        if !shell.conditions.otherwise() { shell.reportMeta("\\else: no matching \\if") }
      }),
    ShellCommand(
      ["endif"], "", "end a condition", steersConditions: true,
      does: { shell, _ throws(SQLError) in
        if !shell.conditions.end() { shell.reportMeta("\\endif: no matching \\if") }
      }),
  ]
}
