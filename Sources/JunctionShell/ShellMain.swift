import Diagnostics
import Junction

/// The command line tool as a function, for the executable and for tests.
public enum ShellMain {
  /// What `--version` prints.
  static let version = "junction 0.1.0"

  static let usage = """
    junction is a relational database engine in which many-to-many relationships come first.

    Usage:
      junction [OPTION]... [DATABASE]
      junction export DATABASE ...     write it for other systems; see junction export --help
      junction migrate DATABASE FOLDER run the migrations of a folder; see junction migrate --help

    DATABASE is a database on disk, NAME.junction, made (and said to be) if it is not there, or a folder of files
    in CSV, JSON or parquet, or such files themselves, opened as a database in memory; without it, or as :memory:,
    it is empty and in memory.
    In a folder, schema.sql is run first if it is there; otherwise names, types and keys are inferred.

    General options:
      -c, --command=COMMAND    run one command (SQL or a meta-command) and exit; repeatable
      -d, --dbname=DATABASE    the same as DATABASE
      -f, --file=FILE          run the commands of a file and exit; - is standard input
      -l, --list               describe the database and exit
      -v, --set=NAME=VALUE     set a variable, such as ON_ERROR_STOP=1
      -X, --no-psqlrc          do not read the start-up file (~/.junctionrc)
      -1, --single-transaction run -c and -f as one transaction
          --rejects=FILE       write bad rows of CSV files to FILE and load the others
          --collation=NAME     order texts of a new database by a language, as in --collation=de;
                               without it they are ordered by their bytes
          --unnest             make tables of arrays in JSON files, which refer to the table that they were in
          --explain-inference  show what types, keys and references were looked at in files, and why they
                               were taken or not
          --write-schema=FILE  write the schema that was found to FILE, to be edited and kept as schema.sql;
                               - is standard output
      -V, --version            print the version and exit
      -?, --help[=options]     print this help and exit
          --help=commands      list the backslash commands and exit
          --help=variables     list the variables of the shell and exit

    Input and output options:
      -a, --echo-all           echo all input
      -b, --echo-errors        echo statements that fail
      -e, --echo-queries       echo statements as they are run
      -E, --echo-hidden        show the statements of the shell's own
      -n, --no-readline        accepted, and without effect
      -o, --output=FILE        send results to a file
      -q, --quiet              print results only
      -S, --single-line        the end of a line ends a statement

    Output format options:
      -A, --no-align           unaligned output
          --csv                comma-separated values
          --json               an array of objects
      -F, --field-separator=S  separator for unaligned output (default "|")
      -H, --html               an HTML table
      -P, --pset=NAME[=VALUE]  set an option of the output, as \\pset does
      -R, --record-separator=S separator of rows for unaligned output
      -t, --tuples-only        rows only
      -x, --expanded           expanded output
      -z, --field-separator-zero
                               a zero byte as separator for unaligned output
      -0, --record-separator-zero
                               the same between rows

    --help=commands has what to type once it runs.

    """

  /// The help on a topic of `--help`.
  private static func help(_ topic: ShellOptions.HelpTopic) -> String {
    switch topic {
    case .options: usage
    case .commands: CommandTable.text
    case .variables: ShellVariable.text
    }
  }

  /// Runs the tool and gives its exit status: 0, 1 for a fatal error of its own, 3 for an error under ON_ERROR_STOP.
  public static func run(_ arguments: [String]) -> Int32 {
    holdStandardDescriptors()
    ignoreFailedWrites()
    if ExportCommand.isAsked(arguments) { return ExportCommand.run(Array(arguments.dropFirst())) }
    if MigrateCommand.isAsked(arguments) { return MigrateCommand.run(Array(arguments.dropFirst())) }
    let errors = OutputStream(descriptor: 2)
    let options: ShellOptions
    do throws(SQLError) {
      options = try ShellOptions(arguments)
    } catch {
      errors.writeLine("junction: \(error.message)")
      errors.writeLine("Try \"junction --help\" for more information.")
      return 1
    }
    if options.helpTopic != nil || options.showsVersion {
      let output = OutputStream(descriptor: 1)
      output.write(options.helpTopic.map(help) ?? version + "\n")
      guard let reason = output.finish() else { return 0 }
      errors.writeLine("junction: could not write the output: \(reason)")
      return 1
    }
    let shell = Shell(options: options, database: Database())
    do throws(SQLError) {
      try shell.open(options.database ?? DatabaseName.inMemory, beside: options.moreFiles)
      if let path = options.outputPath { shell.redirected = try OutputStream(path: path) }
    } catch {
      shell.flushOutputs()
      errors.writeLine("junction: " + error.rendered(statement: ""))
      return 1
    }
    return shell.runAll()
  }
}

extension Shell {
  /// Runs what the command line asked for, or else what standard input gives.
  func runAll() -> Int32 {
    let status = runInput()
    closeDatabase()
    endRedirection()
    flushOutputs()
    if status != 0 || !hasLostOutput { return status }
    let isScript = options.actions.contains { if case .command = $0 { false } else { true } }
    return variables.isOn("ON_ERROR_STOP") && (isScript || options.actions.isEmpty) ? 3 : 1
  }

  private func runInput() -> Int32 {
    if !options.skipsStartFile, let home = Environment["HOME"],
      TextFile.read(home + "/.junctionrc") != nil
    {
      runFile(home + "/.junctionrc")
    }
    if options.actions.isEmpty {
      if Terminal.isInteractive {
        isInteractive = true
        InteractiveLoop(self).run()
      } else {
        let reader = LineReader(descriptor: 0)
        nextInputLine = { reader.next() }
        let runner = ScriptRunner(self, reader)
        runner.run()
        runner.finish()
      }
      return exitStatus ?? 0
    }
    return runActions()
  }

  private func runActions() -> Int32 {
    if options.singleTransaction { _ = try? connection.execute("BEGIN") }
    var status: Int32 = 0
    for action in options.actions where exitStatus == nil {
      switch action {
      case .command(let text):
        let isStopped = exitStatus != nil
        status = runCommandLine(text) ? 0 : 1
        // Under ON_ERROR_STOP a failing -c ends the run with its own status.
        if !isStopped, exitStatus == 3 { exitStatus = status }
      case .file(let path):
        if path != "-" && !TextFile.isReadable(path) {
          reportMeta("junction: error: \(path): \(SystemError.current)")
          return 1
        }
        status = 0
        runFile(path)
      }
    }
    if options.singleTransaction && connection.transactionStatus != .idle {
      do throws(SQLError) {
        let isGood = (exitStatus ?? status) == 0 && connection.transactionStatus == .active
        try connection.execute(isGood ? "COMMIT" : "ROLLBACK")
      } catch {
        report(error, in: "COMMIT")
        status = 3
      }
    }
    return exitStatus ?? status
  }
}
