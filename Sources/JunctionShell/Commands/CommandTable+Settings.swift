import Diagnostics

/// Commands about output, databases and what is around the shell.
extension CommandTable {
  static let output: [ShellCommand] = [
    ShellCommand(
      ["a"], "", "aligned output, or unaligned",
      does: { shell, _ throws(SQLError) in
        try shell.set("format", to: shell.settings.format == .aligned ? "unaligned" : "aligned")
      }),
    ShellCommand(
      ["C"], "[TEXT]", "the title of tables, or none", .nothing, .texts,
      does: { shell, command throws(SQLError) in try shell.set("title", to: command[0]) }),
    ShellCommand(
      ["f"], "[TEXT]", "what stands between the columns of unaligned output", .nothing, .texts,
      does: { shell, command throws(SQLError) in try shell.set("fieldsep", to: command[0]) }),
    ShellCommand(
      ["H"], "", "HTML, or aligned output",
      does: { shell, _ throws(SQLError) in
        try shell.set("format", to: shell.settings.format == .html ? "aligned" : "html")
      }),
    ShellCommand(
      ["pset"], "[NAME [VALUE]]", "set an option of the output, or show all (\\? options)",
      .printOption, .texts,
      does: { shell, command throws(SQLError) in try shell.setPrinting(command) }),
    ShellCommand(
      ["t"], "[on|off]", "rows only", .words(["off", "on"]),
      does: { shell, command throws(SQLError) in try shell.set("tuples_only", to: command[0]) }),
    ShellCommand(
      ["T"], "[TEXT]", "attributes of HTML tables", .nothing, .texts,
      does: { shell, command throws(SQLError) in try shell.set("tableattr", to: command[0]) }),
    ShellCommand(
      ["timing"], "[on|off]", "time each statement, with planning apart", .words(["off", "on"]),
      does: { shell, command throws(SQLError) in shell.setTiming(command[0]) }),
    ShellCommand(
      ["x"], "[on|off|auto]", "a line for each column", .words(["auto", "off", "on"]),
      does: { shell, command throws(SQLError) in try shell.set("expanded", to: command[0]) }),
  ]

  static let databases: [ShellCommand] = [
    ShellCommand(
      ["c", "connect"], "[NAME]", "open a database, a folder of CSV files or one of them", .files,
      does: { shell, command throws(SQLError) in try shell.connect(command) }),
    ShellCommand(
      ["conninfo"], "", "what is open",
      does: { shell, _ throws(SQLError) in
        shell.output.writeLine(
          "You are connected to database \"\(shell.databaseName)\" as user "
            + "\"\(ObjectLists.owner)\".")
      }),
    ShellCommand(
      ["encoding"], "[NAME]", "the encoding, which is UTF8",
      does: { shell, command throws(SQLError) in try shell.showEncoding(command[0]) }),
    ShellCommand(
      ["open"], "NAME", "as \\c", .files,
      does: { shell, command throws(SQLError) in
        _ = try command.required(0)
        try shell.connect(command)
      }),
    ShellCommand(
      ["save"], "NAME", "write the database to disk as NAME.junction", .files,
      does: { shell, command throws(SQLError) in try shell.save(to: try command.required(0)) }),
  ]

  static let surroundings: [ShellCommand] = [
    ShellCommand(
      ["!"], "[COMMAND]", "run a command of the system, or a shell", .files, .line,
      does: { shell, command throws(SQLError) in shell.runProgram(command.rest) }),
    ShellCommand(
      ["cd"], "[FOLDER]", "change the working folder", .files,
      does: { shell, command throws(SQLError) in shell.changeFolder(command[0]) }),
    ShellCommand(
      ["getenv"], "NAME VARIABLE", "put a variable of the environment into one of the shell",
      .variables, does: { shell, command throws(SQLError) in try shell.readEnvironment(command) }),
    ShellCommand(
      ["prompt"], "[TEXT] NAME", "ask for the value of a variable", .variables, .texts,
      does: { shell, command throws(SQLError) in try shell.promptForVariable(command) }),
    ShellCommand(
      ["set"], "[NAME [VALUE]]", "set a variable, or show all (\\? variables)", .assignment, .texts,
      does: { shell, command throws(SQLError) in try shell.setVariable(command) }),
    ShellCommand(
      ["setenv"], "NAME [VALUE]", "set a variable of the environment, or take it away", .nothing,
      .texts, does: { shell, command throws(SQLError) in try shell.setEnvironment(command) }),
    ShellCommand(
      ["unset"], "NAME", "take a variable away", .variables,
      does: { shell, command throws(SQLError) in shell.variables[try command.required(0)] = nil }),
  ]
}
