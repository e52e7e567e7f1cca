import Diagnostics
import Junction

/// `junction export DATABASE …`: a database leaves, as SQL, as parquet files, or for Spark or Citus.
struct ExportCommand {
  /// Where the database goes.
  enum Target: Hashable {
    case sql(file: String?)
    case parquet(folder: String)
    case spark(folder: String)
    case citus(folder: String)
  }
  private(set) var database: String?
  private(set) var target = Target.sql(file: nil)
  private(set) var queries: String?
  private(set) var showsHelp = false

  static let usage = """
    junction export writes a database for other systems.

    Usage:
      junction export DATABASE [--sql FILE]
      junction export DATABASE --parquet DIR
      junction export DATABASE --spark DIR [--queries FILE]
      junction export DATABASE --citus DIR [--queries FILE]

    DATABASE is what junction opens: NAME.junction, or a folder of CSV, JSON or parquet files.
    DIR must not be there; it is written under another name first, and is there whole or not at all.

      --sql=FILE      SQL that psql loads into PostgreSQL 15, to standard output without FILE
      --parquet=DIR   a parquet file a table (a folder of them for more than four million rows), and
                      the definitions as schema.sql
      --spark=DIR     tables as parquet, queries in the SQL of Spark 4, and DIR/run, which loads the
                      tables, asks the queries and compares the answers with Junction's
      --citus=DIR     tables as CSV, definitions and queries for Citus on PostgreSQL 15 or later, and
                      DIR/run HOST, which does the same there; DIR/run --plain for PostgreSQL alone
      --queries=FILE  queries that go along, separated by semicolons; their answers by Junction are
                      written to DIR/answers. What cannot be translated is told with its place and
                      the reason, and not written
      --help          print this help and exit

    """

  /// Reads the arguments behind `export`.
  ///
  /// - Throws: 22023 with what is wrong.
  init(_ arguments: [String]) throws(SQLError) {
    var rest = arguments[...]
    var isChosen = false
    while let argument = rest.popFirst() {
      if argument == "--help" || argument == "-?" {
        showsHelp = true
        return
      }
      guard argument.hasPrefix("-") else {
        guard database == nil else { throw Self.wrong("extra argument \"\(argument)\"") }
        database = argument
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard ["--sql", "--parquet", "--spark", "--citus", "--queries"].contains(name) else {
        throw Self.wrong("unrecognized option \"\(argument)\"")
      }
      guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst(), !value.isEmpty else {
        throw Self.wrong("option \"\(name)\" requires a value")
      }
      if name == "--queries" {
        queries = value
        continue
      }
      if isChosen { throw Self.wrong("one of --sql, --parquet, --spark and --citus can be given") }
      isChosen = true
      switch name {
      case "--sql": target = .sql(file: value)
      case "--parquet": target = .parquet(folder: value)
      case "--spark": target = .spark(folder: value)
      default: target = .citus(folder: value)
      }
    }
    if database == nil { throw Self.wrong("a database must be named") }
    switch target {
    case .sql, .parquet:
      if queries != nil { throw Self.wrong("--queries goes with --spark and --citus") }
    case .spark, .citus: break
    }
  }

  private static func wrong(_ message: String) -> SQLError {
    SQLError(.invalidParameterValue, message)
  }

  /// Whether the arguments ask for an export.
  ///
  /// A database that is called "export" can still be opened, as `./export`.
  static func isAsked(_ arguments: [String]) -> Bool { arguments.first == "export" }

  /// Runs the command and gives its exit status.
  static func run(_ arguments: [String]) -> Int32 {
    let errors = OutputStream(descriptor: 2)
    let output = OutputStream(descriptor: 1)
    do throws(SQLError) {
      let command = try ExportCommand(arguments)
      if command.showsHelp {
        output.write(usage)
      } else {
        try command.write(output, errors)
      }
    } catch {
      _ = output.finish()
      errors.writeLine("junction: " + error.rendered(statement: ""))
      if error.state == .invalidParameterValue {
        errors.writeLine("Try \"junction export --help\" for more information.")
      }
      return 1
    }
    guard let reason = output.finish() else { return 0 }
    errors.writeLine("junction: could not write the output: \(reason)")
    return 1
  }

  /// The text of the file with the queries.
  private func readQueries() throws(SQLError) -> String {
    guard let queries else { return "" }
    guard let text = TextFile.read(queries) else {
      throw SQLError(.undefinedFile, "could not read \"\(queries)\": \(SystemError.current)")
    }
    return text
  }

  private func write(_ output: OutputStream, _ errors: OutputStream) throws(SQLError) {
    guard let database else { return }
    var options = try ShellOptions([])
    options.isQuiet = true
    let shell = Shell(options: options, database: Database())
    guard try DatabaseName(database).kind != .new else {
      throw SQLError(.undefinedFile, "there is no database \"\(database)\"")
    }
    try shell.open(database)
    defer { shell.closeDatabase() }
    let connection = shell.connection
    let account: ExportAccount
    switch target {
    case .sql(nil): return try connection.export { output.write($0) }
    case .sql(let file?): return try connection.export(to: file)
    case .parquet(let folder): account = try connection.export(toParquet: folder)
    case .spark(let folder):
      account = try connection.export(toSpark: folder, queries: try readQueries())
    case .citus(let folder):
      account = try connection.export(toCitus: folder, queries: try readQueries())
    }
    for line in account.lines { output.writeLine(line) }
  }
}
