import Diagnostics
import Junction
import SQLSyntax

extension Shell {
  /// The variables that scripts may ask for, and those of `-v`.
  func setInitialVariables() {
    variables = VariableTable([
      "AUTOCOMMIT": "on", "COMP_KEYWORD_CASE": "preserve-upper", "DBNAME": databaseName,
      "ECHO": "none", "ECHO_HIDDEN": "off", "ENCODING": "UTF8", "ERROR": "false",
      "HISTSIZE": "500", "LAST_ERROR_MESSAGE": "", "LAST_ERROR_SQLSTATE": "00000",
      "ON_ERROR_ROLLBACK": "off", "ON_ERROR_STOP": "off", "PROMPT1": "%/%R%x%# ",
      "PROMPT2": "%/%R%x%# ", "PROMPT3": ">> ", "QUIET": options.isQuiet ? "on" : "off",
      "ROW_COUNT": "0", "SERVER_VERSION_NAME": "15.0", "SERVER_VERSION_NUM": "150000",
      "SHOW_CONTEXT": "errors", "SINGLELINE": "off", "SQLSTATE": "00000", "USER": ObjectLists.owner,
      "VERBOSITY": "default", "VERSION": ShellMain.version, "VERSION_NAME": "15.0",
      "VERSION_NUM": "150000",
    ])
    if let echo = options.echo { variables["ECHO"] = echo }
    // By which a script can tell that it is not run by psql.
    variables["JUNCTION"] = "true"
    for (name, value) in options.variables { variables[name] = value }
  }

  /// Whether remarks such as `INSERT 0 1` are left out.
  var isQuiet: Bool { variables.isOn("QUIET") }

  /// Runs one statement and prints what it gave.
  ///
  /// - Returns: whether it succeeded.
  @discardableResult
  func run(_ statement: String) -> Bool {
    lastStatement = statement
    echoQuery(statement)
    let start = beginTiming()
    defer { showTime(since: start) }
    do throws(SQLError) {
      let results = try withProgress(of: statement) { () throws(SQLError) in
        try execute(statement)
      }
      note(results)
      try showOnce { for result in results { show(result) } }
    } catch {
      report(error, in: statement)
      return false
    }
    return true
  }

  /// Runs `body` with its output sent where `\once` asked for.
  ///
  /// - Throws: 58P01 for a file that cannot be written.
  private func showOnce(_ body: () -> Void) throws(SQLError) {
    guard let path = onceTarget else { return body() }
    onceTarget = nil
    let kept = redirected
    redirected = try openOutput(path)
    body()
    endRedirection()
    redirected = kept
  }

  /// Runs `body` with a bar that shows how far it has come, if the statement loads a file.
  private func withProgress<Result>(
    of statement: String, _ body: () throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    guard errorOutput.isTerminal, case (.file(let path), true)? = CopyStatements.endpoint(statement)
    else { return try body() }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let bar = ProgressBar("loading \(name)", to: errorOutput)
    connection.loadProgress = {
      bar.update(done: $0.bytesRead, total: $0.bytesInAll, rows: $0.rows)
    }
    defer {
      connection.loadProgress = nil
      bar.finish()
    }
    return try body()
  }

  /// Prints the statement if ECHO asks for statements.
  func echoQuery(_ statement: String) {
    if variables["ECHO"] == "queries" { standardOutput.writeLine(statement) }
  }

  /// Executes a statement under the rules of AUTOCOMMIT and ON_ERROR_ROLLBACK.
  ///
  /// - Throws: the statement's error.
  func execute(_ statement: String) throws(SQLError) -> [StatementResult] {
    let isControl = Self.controlsTransactions(statement)
    if variables["AUTOCOMMIT"]?.lowercased() == "off", connection.transactionStatus == .idle,
      !isControl
    {
      try connection.execute("BEGIN")
    }
    let rollback = variables["ON_ERROR_ROLLBACK"]?.lowercased() ?? "off"
    let isGuarded =
      (rollback == "on" || (rollback == "interactive" && isInteractive))
      && connection.transactionStatus == .active && !isControl
    guard isGuarded else { return try connection.execute(statement) }
    let savepoint = "pg_psql_temporary_savepoint"
    try connection.execute("SAVEPOINT \(savepoint)")
    let results: [StatementResult]
    do throws(SQLError) {
      results = try connection.execute(statement)
    } catch {
      try connection.execute("ROLLBACK TO \(savepoint)")
      throw error
    }
    try connection.execute("RELEASE \(savepoint)")
    return results
  }

  /// Whether a statement begins or ends a transaction or a savepoint.
  static func controlsTransactions(_ statement: String) -> Bool {
    let words = [
      "begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare",
    ]
    let first = statement.drop { $0.isWhitespace }.prefix { $0.isLetter }.lowercased()
    return words.contains(first)
  }

  /// Keeps what results say in variables.
  func note(_ results: [StatementResult]) {
    variables["ERROR"] = "false"
    variables["SQLSTATE"] = "00000"
    guard let last = results.last else { return }
    let tagged = last.commandTag.split(separator: " ").last.flatMap { Int($0) }
    variables["ROW_COUNT"] = String(tagged ?? last.rows?.count ?? 0)
  }

  /// The moment at which a statement begins that `\timing` is to time.
  func beginTiming() -> ContinuousClock.Instant {
    timedPlanning = connection.planningTime
    return clock.now
  }

  /// Prints what `\timing` asks for, wherever rows go.
  func showTime(since start: ContinuousClock.Instant) {
    guard showsTiming else { return }
    let planning = connection.planningTime - timedPlanning
    let plan = planning <= .zero ? "" : ", of which \(Self.timeText(planning)) for planning"
    standardOutput.writeLine("Time: " + Self.timeText(clock.now - start) + plan)
  }

  private static func timeText(_ span: Duration) -> String {
    let parts = span.components
    return timeText(milliseconds: Double(parts.seconds) * 1e3 + Double(parts.attoseconds) / 1e15)
  }

  /// A span of time as `\timing` prints it: `12.345 ms`, `61000.000 ms (01:01.000)`.
  static func timeText(milliseconds: Double) -> String {
    let plain = decimal(milliseconds, digits: 3) + " ms"
    guard milliseconds >= 1000 else { return plain }
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: "0", count: max(0, width - text.count)) + text
    }
    let whole = Int64(milliseconds / 60000)
    let seconds = padded(decimal(milliseconds / 1000 - Double(whole) * 60, digits: 3), 6)
    let minutes = padded(String(whole % 60), 2) + ":" + seconds
    guard whole >= 60 else { return "\(plain) (\(minutes))" }
    let hours = padded(String(whole / 60 % 24), 2) + ":" + minutes
    guard whole >= 24 * 60 else { return "\(plain) (\(hours))" }
    return "\(plain) (\(whole / 60 / 24) d \(hours))"
  }

  /// Prints the rows, or else the tag, of a result.
  func show(_ result: StatementResult) {
    for notice in result.notices { report(notice) }
    guard let rows = result.rows else {
      showTag(result.commandTag)
      return
    }
    printer.print(rows)
    // A data-modifying statement with RETURNING says what it did below its rows.
    let changes = ["INSERT", "UPDATE", "DELETE", "MERGE"]
    if changes.contains(where: { result.commandTag.hasPrefix($0) }) { showTag(result.commandTag) }
  }

  /// Prints the tag of a statement, unless remarks are not wanted.
  func showTag(_ tag: String) {
    if !isQuiet && !tag.isEmpty { output.writeLine(tag) }
  }

  // Errors.

  /// `junction:FILE:LINE: ` in a script that was named.
  var place: String { currentFile.map { "junction:\($0):\(currentLine): " } ?? "" }

  /// Prints an error the way psql does, with line, caret, detail and hint.
  func report(_ error: SQLError, in statement: String) {
    errorCount += 1
    lastError = (error, statement)
    flushOutputs()
    var shown = error
    if variables["SHOW_CONTEXT"] == "never" { shown.context = nil }
    errorOutput.writeLine(
      place + Self.text(of: shown, in: statement, verbosity: variables["VERBOSITY"] ?? "default"))
    if variables["ECHO"] == "errors" { errorOutput.writeLine("\(place)STATEMENT:  \(statement)") }
    errorOutput.flush()
    variables["ERROR"] = "true"
    variables["ROW_COUNT"] = "0"
    variables["SQLSTATE"] = error.state.code
    variables["LAST_ERROR_MESSAGE"] = error.message
    variables["LAST_ERROR_SQLSTATE"] = error.state.code
    if variables.isOn("ON_ERROR_STOP") { exitStatus = 3 }
  }

  /// An error in the words of one of psql's settings of VERBOSITY.
  static func text(of error: SQLError, in statement: String, verbosity: String) -> String {
    switch verbosity {
    case "sqlstate": return "ERROR:  \(error.state.code)"
    case "terse":
      guard error.range.isKnown else { return "ERROR:  \(error.message)" }
      let before = statement.utf8.prefix(Int(error.range.lower))
      let place = String(decoding: before, as: UTF8.self).unicodeScalars.count + 1
      return "ERROR:  \(error.message) at character \(place)"
    case "verbose":
      var coded = error
      coded.message = "\(error.state.code): \(error.message)"
      return coded.rendered(statement: statement) + fields(of: error.object)
    default: return error.rendered(statement: statement)
    }
  }

  /// The names that an error is about, each on a line of its own.
  private static func fields(of object: SQLError.Object?) -> String {
    let fields = [
      ("SCHEMA", object?.schema), ("TABLE", object?.table), ("COLUMN", object?.column),
      ("DATATYPE", object?.dataType), ("CONSTRAINT", object?.constraint),
    ]
    return fields.map { name, value in value.map { "\n\(name) NAME:  \($0)" } ?? "" }.joined()
  }

  /// Prints a remark of the engine.
  func report(_ notice: Notice) {
    flushOutputs()
    let verbosity = variables["VERBOSITY"]
    switch verbosity {
    case "sqlstate":
      errorOutput.writeLine("\(place)\(notice.severity.rawValue):  \(notice.state.code)")
    case "verbose":
      errorOutput.writeLine(
        "\(place)\(notice.severity.rawValue):  \(notice.state.code): \(notice.message)")
    default: errorOutput.writeLine("\(place)\(notice.severity.rawValue):  \(notice.message)")
    }
    if let detail = notice.detail, verbosity != "terse", verbosity != "sqlstate" {
      errorOutput.writeLine("DETAIL:  \(detail)")
    }
    errorOutput.flush()
  }

  /// Prints what is wrong with a meta-command.
  func reportMeta(_ message: String) {
    errorCount += 1
    flushOutputs()
    errorOutput.writeLine((currentFile == nil ? "" : place + "error: ") + message)
    errorOutput.flush()
    if variables.isOn("ON_ERROR_STOP") && !isInteractive { exitStatus = 3 }
  }

  // `-c`.

  /// Runs the text of `-c`: one meta-command, or statements that stand or fall together.
  ///
  /// - Returns: whether it succeeded.
  func runCommandLine(_ text: String) -> Bool {
    let before = errorCount
    let trimmed = text.drop { $0.isWhitespace }
    if trimmed.first == "\\" {
      let (command, _) = MetaCommand.parse(
        trimmed.dropFirst(), variables: variables, program: outputOfProgram)
      switch runCommand(command) {
      case .run(let statement): run(statement)
      case .copyIn(let statement): runCopyIn(statement)
      case .feed(let text): for statement in Self.statements(of: text) { run(statement) }
      case .keepBuffer, .clearBuffer: break
      }
      return errorCount == before
    }
    let statements = Self.statements(of: text)
    // Several statements of one text are one transaction, unless they say otherwise.
    let isOne =
      statements.count > 1 && connection.transactionStatus == .idle
      && !statements.contains(where: Self.controlsTransactions)
    if isOne { _ = try? connection.execute("BEGIN") }
    for statement in statements where errorCount == before {
      if CopyStatements.readsInput(statement) {
        runCopyIn(statement)
      } else if CopyStatements.writesOutput(statement) {
        runCopyOut(statement)
      } else {
        run(statement)
      }
    }
    if isOne {
      do throws(SQLError) {
        try connection.execute(errorCount == before ? "COMMIT" : "ROLLBACK")
      } catch {
        report(error, in: "COMMIT")
      }
    }
    return errorCount == before
  }

  /// The statements of a text without meta-commands; those of nothing but comments are left out.
  static func statements(of text: String) -> [String] {
    var splitter = StatementSplitter()
    let bytes = Array(text.utf8)
    var index = 0
    var statements: [String] = []
    func take() {
      let hasContent = splitter.hasContent
      let statement = String(decoding: splitter.takeStatement(), as: UTF8.self)
      if hasContent { statements.append(statement) }
    }
    while index < bytes.count {
      switch splitter.scan(bytes, from: index) {
      case .endOfText: index = bytes.count
      case .semicolon(let end):
        take()
        index = end
      case .backslash:
        // No command is possible here: the text is one statement, whose error says so.
        return [text]
      }
    }
    take()
    return statements
  }
}
