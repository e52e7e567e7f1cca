import Diagnostics
import Junction

/// `junction migrate DATABASE FOLDER`: runs the migrations of a folder that have not run yet, or says what they would do.
struct MigrateCommand {
  private(set) var database = ""
  private(set) var folder = ""
  private(set) var last: String?
  private(set) var isPlan = false
  private(set) var erases = false
  private(set) var showsHelp = false

  static let usage = """
    junction migrate runs the migrations of a folder that have not run yet.

    Usage:
      junction migrate DATABASE FOLDER [--plan] [--to NAME] [--erase]

    DATABASE is NAME.junction, made if it is not there. FOLDER holds a file NAME.sql for each migration; they
    run in the order of their names, each once and as a transaction of its own. The table
    junction_migrations records them. A migration that has run may not change, go or move.

      --plan          change nothing; print the migrations that would run, what they change of the schema,
                      and statements that do the same
      --to=NAME       run the migrations up to this one
      --erase         if a migration that ran is another one now, drop everything and run all anew:
                      all rows are lost
      --help          print this help and exit

    Exit status: 0, 1 if the arguments, the database or the folder are wrong, 3 if a migration fails or is refused,
    4 if --plan finds something to do.

    """

  /// Reads the arguments behind `migrate`.
  ///
  /// - Throws: 22023 with what is wrong.
  init(_ arguments: [String]) throws(SQLError) {
    var rest = arguments[...]
    var names: [String] = []
    while let argument = rest.popFirst() {
      if argument == "--help" || argument == "-?" {
        showsHelp = true
        return
      }
      guard argument.hasPrefix("-") else {
        guard names.count < 2 else { throw Self.wrong("extra argument \"\(argument)\"") }
        names.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      switch (parts[0], parts.count) {
      case ("--plan", 1): isPlan = true
      case ("--erase", 1): erases = true
      case ("--to", _):
        guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst(), !value.isEmpty
        else { throw Self.wrong("option \"--to\" requires a value") }
        last = value
      default: throw Self.wrong("unrecognized option \"\(argument)\"")
      }
    }
    guard names.count == 2 else {
      throw Self.wrong(
        names.isEmpty ? "a database must be named" : "a folder of migrations must be named")
    }
    (database, folder) = (names[0], names[1])
  }

  private static func wrong(_ message: String) -> SQLError {
    SQLError(.invalidParameterValue, message)
  }

  /// Whether the arguments ask for migrations.
  ///
  /// A database that is called "migrate" can still be opened, as `./migrate`.
  static func isAsked(_ arguments: [String]) -> Bool { arguments.first == "migrate" }

  /// Runs the command and gives its exit status.
  static func run(_ arguments: [String]) -> Int32 {
    run(arguments, OutputStream(descriptor: 1), OutputStream(descriptor: 2))
  }

  static func run(_ arguments: [String], _ output: OutputStream, _ errors: OutputStream) -> Int32 {
    let status: Int32
    do throws(SQLError) {
      let command = try MigrateCommand(arguments)
      if command.showsHelp {
        output.write(usage)
        status = 0
      } else {
        status = try command.perform(output, errors)
      }
    } catch {
      _ = output.finish()
      errors.writeLine("junction: " + error.rendered(statement: ""))
      if error.state == .invalidParameterValue {
        errors.writeLine("Try \"junction migrate --help\" for more information.")
      }
      return 1
    }
    guard let reason = output.finish() else { return status }
    errors.writeLine("junction: could not write the output: \(reason)")
    return 1
  }

  /// Does what is asked for.
  ///
  /// - Throws: what is wrong with the database and the folder.
  private func perform(_ output: OutputStream, _ errors: OutputStream) throws(SQLError) -> Int32 {
    var migrations = try Migrations(folder: folder)
    migrations.eraseOnSchemaChange = erases
    let opened = try open()
    let status: Int32
    do {
      status = isPlan ? try plan(migrations, opened, output) : try run(migrations, opened, output)
    } catch {
      let words = (error as? SQLError)?.rendered(statement: "") ?? "\(error)"
      errors.writeLine("junction: " + words)
      status = 3
    }
    try opened.close()
    return status
  }

  /// - Throws: 42809 for files, in which nothing stays; 58P01 for what is not there.
  private func open() throws(SQLError) -> Database {
    let name = try DatabaseName(database)
    switch name.kind {
    case .inMemory: return Database()
    case .new where isPlan: return Database()
    case .new: return try Database(path: name.path)
    case .onDisk:
      var options = DatabaseOptions()
      options.isReadOnly = isPlan
      return try Database(path: name.path, options: options)
    case .files:
      throw SQLError(
        .wrongObjectType, "\"\(database)\" holds files that are tables, not a database",
        hint: "Migrations change a database on disk: name it NAME.junction.")
    }
  }

  private func run(
    _ migrations: Migrations, _ database: Database, _ output: OutputStream
  ) throws -> Int32 {
    let names = try migrations.run(database, upTo: last)
    for name in names { output.writeLine("ran \(name)") }
    if names.isEmpty { output.writeLine("nothing to do") }
    return 0
  }

  private func plan(
    _ migrations: Migrations, _ database: Database, _ output: OutputStream
  ) throws -> Int32 {
    let plan = try migrations.plan(database, upTo: last)
    for name in plan.pending { output.writeLine("would run \(name)") }
    for difference in plan.differences {
      output.writeLine("")
      output.writeLine("-- \(difference)")
      for statement in difference.statements { output.writeLine(statement) }
    }
    if plan.pending.isEmpty { output.writeLine("nothing to do") }
    return plan.pending.isEmpty ? 0 : 4
  }
}
