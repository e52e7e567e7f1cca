import Diagnostics
import Junction

/// One run of the command line tool: a session, its settings, and where output goes.
///
/// Non-interactive input is read by `ScriptRunner`, a terminal by `InteractiveLoop`; both hand statements and
/// meta-commands to the same functions here.
final class Shell {
  let options: ShellOptions
  var database: Database
  var connection: Connection
  var settings: PrintSettings
  var variables = VariableTable()
  /// Standard output, and what `-o` or `\o` put in its place.
  let standardOutput = OutputStream(descriptor: 1)
  let errorOutput = OutputStream(descriptor: 2)
  var redirected: OutputStream?
  /// Whether something could not be written, which a script's caller has to know.
  var hasLostOutput = false
  /// Whether `\timing` is on.
  var showsTiming = false
  /// What had been spent on planning when the statement at hand began.
  var timedPlanning = Duration.zero
  /// The commands with a dot whose form in psql was told.
  var toldDots: Set<String> = []
  /// Whether remarks are left out for a line with a dot, as other shells make none.
  var isHushed = false
  /// Where `\once` sends the rows of the next statement.
  var onceTarget: String?
  /// The last statement, for `\g` and `\watch`.
  var lastStatement = ""
  /// The conditions of `\if` that are open.
  var conditions = ConditionStack()
  /// Set by `\q`, or by an error under `ON_ERROR_STOP`.
  var exitStatus: Int32?
  /// The script that is being read, for messages and `\ir`; nil for standard input.
  var currentFile: String?
  var currentLine = 0
  /// Whether a person types.
  var isInteractive = false
  /// How many scripts are open, one within another.
  var depth = 0
  /// The number of statements and meta-commands that failed.
  var errorCount = 0
  /// The last error, for `\errverbose`.
  var lastError: (error: SQLError, statement: String)?
  /// The entries of the history, for `\s`.
  var readHistory: () -> [String] = { History(path: History.defaultPath).entries }
  /// The way from row to row of `\nav` and `\into`.
  var exploration = Exploration()
  /// Reads a line of standard input, for `\prompt`: behind the command, if the script stands there.
  var nextInputLine: () -> [UInt8]? = { LineReader(descriptor: 0).next() }
  /// Reads a line from a person behind a prompt; nil where nobody types.
  var readAnswer: ((String) -> String?)?
  /// The moment `\timing` counts from.
  let clock = ContinuousClock()

  /// The name of the database in prompts.
  var databaseName = "junction"

  init(options: ShellOptions, database: Database) {
    self.options = options
    self.database = database
    connection = database.connect()
    settings = options.print
    setInitialVariables()
  }

  /// Opens the database that `name` names, as `DatabaseName` reads it, in the place of the one that is open.
  ///
  /// - Throws: 58P01 if there is none, and whatever opening it says.
  func open(_ name: String, beside more: [String] = []) throws(SQLError) {
    let found = try DatabaseName(name)
    let opened: Database
    switch found.kind {
    case .inMemory: opened = Database()
    case .onDisk, .new: opened = try Database(path: found.path)
    case .files: opened = try load([found.path] + more, found.shortName)
    }
    if let collation = options.collation { try opened.setCollation(collation) }
    try database.close()
    database = opened
    for notice in database.notices where !options.isQuiet || notice.severity != .info {
      report(notice)
    }
    if found.kind == .new && !isQuiet {
      report(Notice("database \"\(found.path)\" was not there and has been made"))
    }
    connection = database.connect()
    exploration = Exploration()
    databaseName = found.shortName
    variables["DBNAME"] = databaseName
  }

  /// Opens a folder of CSV files, or one of them, with a bar that shows how far it has come.
  ///
  /// - Throws: what loading says.
  func load(_ paths: [String], _ name: String) throws(SQLError) -> Database {
    let bar = ProgressBar("loading \(name)", to: errorOutput)
    defer { bar.finish() }
    let show = { (progress: LoadProgress) in
      bar.update(done: progress.bytesRead, total: progress.bytesInAll, rows: progress.rows)
    }
    if paths.count > 1 {
      return try Database(
        files: paths, rejects: options.rejectsPath, unnesting: options.unnests, progress: show)
    }
    return try Database(
      folder: paths[0], rejects: options.rejectsPath, unnesting: options.unnests, progress: show)
  }

  /// Ends the use of the database; what cannot be made durable any more is told.
  func closeDatabase() {
    do throws(SQLError) { try database.close() } catch {
      reportMeta(error.message)
    }
  }

  /// Where results go.
  var output: OutputStream { redirected ?? standardOutput }

  /// Prints results where they go now.
  var printer: ResultPrinter {
    let isSeen = redirected == nil && standardOutput.isTerminal
    return ResultPrinter(
      settings: settings, output: output, screen: isSeen ? Terminal.screenSize : nil,
      mayPage: isSeen && Terminal.isInteractive)
  }

  /// A number with a fixed count of digits behind the point.
  static func decimal(_ value: Double, digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = (value * scale).rounded()
    guard scaled.magnitude < 1e15 else { return String(value) }
    let whole = Int64(scaled.magnitude)
    let text = String(whole)
    let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
    let sign = scaled < 0 ? "-" : ""
    return sign + padded.dropLast(digits) + (digits > 0 ? "." : "") + padded.suffix(digits)
  }
}
