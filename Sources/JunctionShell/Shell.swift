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
  /// Whether `\timing` is on.
  var showsTiming = false
  /// The last statement, for `\g` and `\watch`.
  var lastStatement = ""
  /// The conditions of `\if` that are open.
  var conditions = ConditionStack()
  /// Set by `\q`, or by an error under `ON_ERROR_STOP`.
  var exitStatus: Int32?
  /// The script that is being read, for messages and `\ir`; nil for standard input.
  var currentFile: String?
  var currentLine = 0
  /// How many scripts are open, one within another.
  var depth = 0
  /// The number of statements that failed, which `-f` reports at its end.
  var errorCount = 0

  /// The name of the database in prompts.
  var databaseName = "junction"

  init(options: ShellOptions, database: Database) {
    self.options = options
    self.database = database
    connection = database.connect()
    settings = options.print
    for (name, value) in options.variables { variables[name] = value }
  }

  /// Opens the database at `path`: a folder of CSV files.
  ///
  /// - Throws: 58P01 if there is none, and whatever loading it says.
  func open(_ path: String) throws(SQLError) {
    let bar = ProgressBar("loading \(path)", to: errorOutput)
    defer { bar.finish() }
    database = try Database(folder: path, rejects: options.rejectsPath) { progress in
      bar.update(done: progress.bytesRead, total: progress.bytesInAll, rows: progress.rows)
    }
    bar.finish()
    for notice in database.notices where !options.isQuiet || notice.severity != .info {
      report(notice)
    }
    connection = database.connect()
    databaseName = path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Where results go.
  var output: OutputStream { redirected ?? standardOutput }

  /// Runs one statement and prints what it gave.
  ///
  /// - Returns: whether it succeeded.
  @discardableResult
  func run(_ statement: String) -> Bool {
    lastStatement = statement
    let clock = ContinuousClock()
    let start = clock.now
    do throws(SQLError) {
      let results = try connection.execute(statement)
      for result in results { show(result) }
    } catch {
      report(error, in: statement)
      return false
    }
    if showsTiming {
      let elapsed = clock.now - start
      let milliseconds =
        Double(elapsed.components.seconds) * 1e3 + Double(elapsed.components.attoseconds) / 1e15
      output.writeLine("Time: \(Self.decimal(milliseconds, digits: 3)) ms")
    }
    return true
  }

  /// Prints the rows, or else the tag, of a result.
  func show(_ result: StatementResult) {
    for notice in result.notices { report(notice) }
    if let rows = result.rows {
      ResultPrinter(settings: settings, output: output).print(rows)
      // A data-modifying statement with RETURNING says what it did below its rows.
      let isQuery = ["SELECT", "EXPLAIN", "SHOW"].contains { result.commandTag.hasPrefix($0) }
      if !isQuery { showTag(result.commandTag) }
    } else {
      showTag(result.commandTag)
    }
  }

  private func showTag(_ tag: String) {
    if !options.isQuiet && !settings.tuplesOnly && !tag.isEmpty && !variables.isOn("QUIET") {
      output.writeLine(tag)
    }
  }

  /// Prints an error the way psql does, with line, caret, detail and hint.
  func report(_ error: SQLError, in statement: String) {
    errorCount += 1
    standardOutput.flush()
    var place = ""
    if let currentFile { place = "psql:\(currentFile):\(currentLine): " }
    switch variables["VERBOSITY"] {
    case "sqlstate": errorOutput.writeLine("\(place)ERROR:  \(error.state.code)")
    case "terse": errorOutput.writeLine("\(place)ERROR:  \(error.message)")
    default: errorOutput.writeLine(place + error.rendered(statement: statement))
    }
    errorOutput.flush()
    variables["ERROR"] = "true"
    variables["SQLSTATE"] = error.state.code
    variables["LAST_ERROR_MESSAGE"] = error.message
    variables["LAST_ERROR_SQLSTATE"] = error.state.code
    if variables.isOn("ON_ERROR_STOP") { exitStatus = 3 }
  }

  /// Prints a remark of the engine.
  func report(_ notice: Notice) {
    guard variables["VERBOSITY"] != "sqlstate" || notice.severity != .notice else { return }
    standardOutput.flush()
    errorOutput.writeLine("\(notice.severity.rawValue):  \(notice.message)")
    if let detail = notice.detail { errorOutput.writeLine("DETAIL:  \(detail)") }
    errorOutput.flush()
  }

  /// Prints what is wrong with a meta-command.
  func reportMeta(_ message: String) {
    standardOutput.flush()
    errorOutput.writeLine(message)
    errorOutput.flush()
    if variables.isOn("ON_ERROR_STOP") { exitStatus = 3 }
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
