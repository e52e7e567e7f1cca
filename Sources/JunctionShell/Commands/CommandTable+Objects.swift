import Diagnostics

/// Commands about the objects of the database.
extension CommandTable {
  static let objects: [ShellCommand] = [
    ShellCommand(
      ["d"], "[NAME]", "tables, views, sequences and graphs, or one of them", .relations,
      does: { shell, command throws(SQLError) in shell.describe(command) }),
    ShellCommand(
      ["da"], "[PATTERN]", "aggregates", .functions,
      does: { shell, command throws(SQLError) in
        shell.show(shell.lists(command).functions(.aggregates))
      }),
    ShellCommand(
      ["dconfig"], "[PATTERN]", "settings of the session", .settings,
      does: { shell, command throws(SQLError) in try shell.showSettings(command) }),
    ShellCommand(
      ["dd"], "[PATTERN]", "comments", .relations,
      does: { shell, command throws(SQLError) in shell.show(shell.lists(command).comments()) }),
    ShellCommand(
      ["dD"], "[PATTERN]", "domains", .types,
      does: { shell, command throws(SQLError) in shell.show(shell.lists(command).domains()) }),
    ShellCommand(
      ["df"], "[PATTERN]", "functions; with a pattern those of the system as well", .functions,
      does: { shell, command throws(SQLError) in shell.show(shell.lists(command).functions(.all)) }),
    ShellCommand(
      ["dg", "du"], "[PATTERN]", "roles",
      does: { shell, command throws(SQLError) in shell.showRoles(command) }),
    ShellCommand(
      ["dG"], "[NAME]", "property graphs and many-to-many relationships, or one graph", .graphs,
      does: { shell, command throws(SQLError) in shell.showGraphs(command) }),
    ShellCommand(
      ["di"], "[PATTERN]", "indexes", .indexes,
      does: { shell, command throws(SQLError) in shell.listRelations(command) }),
    ShellCommand(
      ["dL"], "[PATTERN]", "languages of functions",
      does: { shell, command throws(SQLError) in shell.show(shell.lists(command).languages()) }),
    ShellCommand(
      ["dm"], "[PATTERN]", "materialised views", .views,
      does: { shell, command throws(SQLError) in shell.listRelations(command) }),
    ShellCommand(
      ["dn"], "[PATTERN]", "schemas", .schemas,
      does: { shell, command throws(SQLError) in shell.show(shell.lists(command).schemas()) }),
    ShellCommand(
      ["dp", "z"], "[PATTERN]", "privileges", .relations,
      does: { shell, command throws(SQLError) in shell.showPrivileges(command) }),
    ShellCommand(
      ["ds"], "[PATTERN]", "sequences", .relations,
      does: { shell, command throws(SQLError) in shell.listRelations(command) }),
    ShellCommand(
      ["dt", "dE"], "[PATTERN]", "tables; + with rows and bytes", .tables,
      does: { shell, command throws(SQLError) in shell.listRelations(command) }),
    ShellCommand(
      ["dT"], "[PATTERN]", "types", .types,
      does: { shell, command throws(SQLError) in shell.show(shell.lists(command).types()) }),
    ShellCommand(
      ["dv"], "[PATTERN]", "views", .views,
      does: { shell, command throws(SQLError) in shell.listRelations(command) }),
    ShellCommand(
      ["l", "list"], "[PATTERN]", "the database; + with rows and bytes",
      does: { shell, command throws(SQLError) in shell.showDatabases(command) }),
    ShellCommand(
      ["schema"], "sql|swift", "what makes the schema, as statements or as records in Swift",
      .words(["sql", "swift"]),
      does: { shell, command throws(SQLError) in try shell.showSchema(command) }),
    ShellCommand(
      ["sf"], "FUNCTION", "the source of a function; + with numbers of lines", .functions, .line,
      does: { shell, command throws(SQLError) in try shell.showSource(command, isFunction: true) }),
    ShellCommand(
      ["sv"], "VIEW", "the source of a view or a property graph", .views, .line,
      does: { shell, command throws(SQLError) in try shell.showSource(command, isFunction: false) }),
  ]

  static let drawing: [ShellCommand] = [
    ShellCommand(
      ["erd"], "[full] [TABLE…] [FORMAT [FILE]]",
      "the schema as boxes and lines: text, mermaid, dot, svg or html",
      .drawing, does: { shell, command throws(SQLError) in try shell.runDrawing(command) })
  ]

  static let rows: [ShellCommand] = [
    ShellCommand(
      ["explore"], "[TABLE [KEY]]", "the current row and where it leads; at a terminal by numbers",
      .drawableTables, does: { shell, command throws(SQLError) in try shell.explore(command) }),
    ShellCommand(
      ["nav"], "TABLE [KEY…]", "go to a row by its primary key, or list the rows", .drawableTables,
      does: { shell, command throws(SQLError) in try shell.navigate(command.arguments) }),
    ShellCommand(
      ["into"], "NAME [KEY…]",
      "step to a related row by the name of a relationship or table, or list them",
      .relationships,
      does: { shell, command throws(SQLError) in try shell.stepInto(command.arguments) }),
    ShellCommand(
      ["up"], "[N]", "go back",
      does: { shell, command throws(SQLError) in try shell.stepUp(command[0]) }),
    ShellCommand(
      ["stack"], "", "show the way", does: { shell, _ throws(SQLError) in shell.showStack() }),
  ]

  /// What psql lists and this engine has none of: a sentence says so, and scripts go on.
  static let absent: [ShellCommand] = [
    (["dA"], "Tables have one access method: columns in memory."),
    (["dAc", "dAf", "dAo", "dAp"], "There are no operator classes or families."),
    (["db"], "There are no tablespaces: a database stands in one folder."),
    (["dc"], "There are no conversions: all text is UTF-8."),
    (["dC"], "Casts are built in and cannot be created; CAST (value AS type) uses them."),
    (["ddp"], "There are no default privileges: everything has one owner."),
    (["des", "det", "deu", "dew"], "There are no foreign tables; \\copy and COPY read files."),
    (["dF", "dFd", "dFp", "dFt"], "There is no text search configuration."),
    (["dl", "lo_list"], "There are no large objects; bytea columns hold bytes."),
    (["do"], "Operators are built in and cannot be created."),
    (
      ["dO"],
      "Collations are built in: \"C\" orders by bytes, \"de-x-icu\" and its like as a language does."
    ),
    (["dP", "dPt", "dPi"], "There are no partitioned tables."),
    (["drds"], "Settings belong to sessions, not to roles or databases; \\dconfig lists them."),
    (["dRp", "dRs"], "There are no publications or subscriptions."),
    (["dx"], "There are no extensions: everything is built in."),
    (["dX"], "Statistics of all columns are kept without being asked for."),
    (["dy"], "There are no event triggers."),
    (["lo_export", "lo_import", "lo_unlink"], "There are no large objects; use bytea columns."),
    (["password"], "There are no passwords: who may open the files may use the database."),
  ].map { names, sentence in
    ShellCommand(
      names, "", nil, does: { shell, _ throws(SQLError) in shell.output.writeLine(sentence) })
  }
}
