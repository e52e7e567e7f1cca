/// The commands of `junction-bench`.
enum BenchCommand {
  static let usage = """
    junction-bench measures Junction on large synthetic schools.

    Usage:
      junction-bench run [--group school|everyday|near] [--size XS|S|M|L|XL[,…]] [--data DIR]
                         [--only P1,B4] [--out FOLDER]
                         [--peers sqlite,duckdb,hyper,ladybug|all|none] [--peers-env DIR]
                         [--samples N] [--seconds N] [--timeout N] [--threads N]
                         [--zipf|--uniform] [--seed N] [--quiet]
                         [--baseline RECORD] [--threshold 10%]
          generates a school, loads it in every engine that is there, checks every answer and
          only then measures, the engines in turn. Without options: size S, under two minutes.
          --out takes the folder for record.json, report.md and report.html.
          --group everyday asks everyday questions of a school with grades, days and unknown
          values (L: 300,000 students); near asks variants of the benchmark's own queries, and
          says how many times their original's time they take.

      junction-bench compare BASELINE [--with RECORD] [--threshold 10%] [options of run]
          sets a record against an earlier one, or runs what that one ran for Junction alone;
          the exit status is 1 where a median has grown by more than the threshold and the noise.

      junction-bench report RECORD... [--out FOLDER]
          shows records, and writes them as Markdown and as one page.

      junction-bench expect [--group school|everyday] [--size S] [--data DIR]
          writes the answers for a size into the workload files, for those who change them.

      junction-bench generate FOLDER [--size S|M|L|XL] [--students N] [--courses N]
                              [--per-student N] [--compulsory N] [--uniform] [--seed N]
          writes a school as CSV files with a schema.sql, byte-identical for one seed.
          Sizes: S 10,000 students and 200 courses, M 100,000 and 2,000, L 1,000,000 and
          10,000, XL 10,000,000 and 50,000; 8 courses a student.

      junction-bench tpch|tpcds --data DIR [--queries DIR] [--only 1,6] [--samples N]
                                [--threads N] [--timeout N] [--peers-env DIR|--no-peer]
                                [--out FOLDER]
          loads the CSV files that tpchgen-cli or Peers/tpcds.sh writes, checks the answers to
          the 22 or 99 queries where they are known, and times Junction and DuckDB in turn, the
          first run of each query apart from later ones. Queries are in DIR/queries unless told.

      junction-bench points FOLDER [--samples N]
          times three point queries over a generated school, prepared and in process,
          against SQLite's C library with both indices.

      junction-bench writes FOLDER [--samples N]
          times inserts and deletes of single enrolments, one by one and in one transaction,
          against SQLite's C library with both indices and foreign keys.

      junction-bench open [--size S|M|L|XL] [--data DIR] [--peers duckdb,sqlite|none]
                          [--peers-env DIR]
          saves a school and opens it: the rate against plain writes, the size against the
          CSV files, the time to a first query with a warm and with a cold cache and with
          everything verified first, then that of touching everything; DuckDB and SQLite
          with files of their own beside it.

      junction-bench updates FOLDER [--changes N]
          inserts and deletes single enrolments at random, checks traversals between them,
          tells the memory of an edge before and after, and sets traversals afterwards against
          the same data freshly loaded.

      junction-bench commits [FOLDER] [--seconds N]
          times commits of one row each on the disk of a folder, synced and deferred, by one
          thread and by eight, and many rows in one transaction, against SQLite's C library.

      junction-bench loop FOLDER SQL [--seconds N] [--parameter-limit N] [--text]
          runs one prepared query over and over, for a profiler; $1, if there is one, is a
          random number from 1 to the limit. With --text each run sends the text anew, with
          the number in it.

    """

  /// Runs the command that the arguments name and gives the process's exit status.
  static func run(_ arguments: [String]) -> Int32 {
    do throws(BenchError) {
      switch arguments.first {
      case "generate": try generate(Array(arguments.dropFirst()))
      case "run": return try RunCommand.run(Array(arguments.dropFirst()))
      case "compare": return try RunCommand.compare(Array(arguments.dropFirst()))
      case "report":
        try ReportCommand.run(Array(arguments.dropFirst()), width: Terminal.width)
      case "expect": try expect(Array(arguments.dropFirst()))
      case "load-once": try loadOnce(Array(arguments.dropFirst()))
      case "tpch": return try suite(.tpch, Array(arguments.dropFirst()))
      case "tpcds": return try suite(.tpcds, Array(arguments.dropFirst()))
      case "points": try points(Array(arguments.dropFirst()))
      case "writes": try writes(Array(arguments.dropFirst()))
      case "open": try open(Array(arguments.dropFirst()))
      case "updates": try updates(Array(arguments.dropFirst()))
      case "commits": try commits(Array(arguments.dropFirst()))
      case "loop": try loop(Array(arguments.dropFirst()))
      case nil, "help", "--help", "-h", "-?": print(usage, terminator: "")
      case .some(let other): throw BenchError("there is no command \"\(other)\"; try --help")
      }
      return 0
    } catch {
      StandardError.write("junction-bench: \(error.description)\n")
      return 1
    }
  }

  private static func generate(_ arguments: [String]) throws(BenchError) {
    var parameters = SchoolParameters()
    var folder: String?
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--size":
        switch rest.popFirst() {
        case "S": (parameters.students, parameters.courses) = (10_000, 200)
        case "M": (parameters.students, parameters.courses) = (100_000, 2_000)
        case "L": (parameters.students, parameters.courses) = (1_000_000, 10_000)
        case "XL": (parameters.students, parameters.courses) = (10_000_000, 50_000)
        default: throw BenchError("--size takes S, M, L or XL")
        }
      case "--students": parameters.students = try number(argument, rest.popFirst())
      case "--courses": parameters.courses = try number(argument, rest.popFirst())
      case "--per-student": parameters.coursesPerStudent = try number(argument, rest.popFirst())
      case "--compulsory": parameters.compulsory = try number(argument, rest.popFirst())
      case "--seed": parameters.seed = UInt64(try number(argument, rest.popFirst()))
      case "--uniform": parameters.isZipf = false
      default:
        guard folder == nil, !argument.hasPrefix("-") else {
          throw BenchError("unrecognized argument \"\(argument)\"; try --help")
        }
        folder = argument
      }
    }
    guard let folder else { throw BenchError("generate needs a folder to write to") }
    if let fault = parameters.fault { throw BenchError(fault) }
    let isTerminal = StandardError.isTerminal
    let generator = SchoolGenerator(parameters: parameters, folder: folder) { done, total in
      if isTerminal { StandardError.write("\rwriting enrolments: \(done * 100 / total) %") }
    }
    try generator.run()
    if isTerminal { StandardError.write("\n") }
    print(
      "\(folder): \(parameters.students) students, \(parameters.courses) courses, "
        + "\(parameters.students * parameters.coursesPerStudent) enrolments, seed \(parameters.seed)"
    )
  }

  private static func suite(
    _ kind: SuiteKind, _ arguments: [String]
  ) throws(BenchError) -> Int32 {
    try SuiteRun(kind, try SuiteOptions(arguments)).run() ? 0 : 1
  }

  private static func expect(_ arguments: [String]) throws(BenchError) {
    var options = RunOptions()
    _ = try options.read(arguments)
    try ExpectCommand(options: options).run()
  }

  private static func loadOnce(_ arguments: [String]) throws(BenchError) {
    var options = RunOptions()
    let words = try options.read(arguments)
    guard words.count == 2 else { throw BenchError("load-once needs an engine and a folder") }
    try BenchmarkRun.loadOnce(words[0], words[1], options)
  }

  private static func points(_ arguments: [String]) throws(BenchError) {
    var rest = arguments[...]
    var run: PointRun?
    var samples: Int?
    while let argument = rest.popFirst() {
      if argument == "--samples" {
        samples = try number(argument, rest.popFirst())
      } else {
        run = PointRun(folder: argument)
      }
    }
    guard var run else { throw BenchError("points needs the folder of a generated school") }
    if let samples { run.sampleCount = max(1, samples) }
    try run.run()
  }

  private static func writes(_ arguments: [String]) throws(BenchError) {
    var rest = arguments[...]
    var run: WriteRun?
    var samples: Int?
    while let argument = rest.popFirst() {
      if argument == "--samples" {
        samples = try number(argument, rest.popFirst())
      } else {
        run = WriteRun(folder: argument)
      }
    }
    guard var run else { throw BenchError("writes needs the folder of a generated school") }
    if let samples { run.sampleCount = max(1, samples) }
    try run.run()
  }

  private static func open(_ arguments: [String]) throws(BenchError) {
    var options = RunOptions()
    guard try options.read(arguments).isEmpty else { throw BenchError("open takes options only") }
    try OpenRun(options: options).run()
  }

  private static func updates(_ arguments: [String]) throws(BenchError) {
    var rest = arguments[...]
    var folder: String?
    var changes: Int?
    while let argument = rest.popFirst() {
      if argument == "--changes" {
        changes = try number(argument, rest.popFirst())
      } else {
        folder = argument
      }
    }
    guard let folder else { throw BenchError("updates needs the folder of a generated school") }
    var run = UpdateRun(folder: folder, home: try RunOptions().homeFolder())
    if let changes { run.changeCount = max(1, changes) }
    try run.run()
  }

  private static func commits(_ arguments: [String]) throws(BenchError) {
    var rest = arguments[...]
    var folder = "."
    var seconds: Int?
    while let argument = rest.popFirst() {
      if argument == "--seconds" {
        seconds = try number(argument, rest.popFirst())
      } else {
        folder = argument
      }
    }
    var run = CommitRun(folder: folder)
    if let seconds { run.seconds = Double(max(1, seconds)) }
    try run.run()
  }

  private static func loop(_ arguments: [String]) throws(BenchError) {
    var rest = arguments[...]
    var words: [String] = []
    var seconds = 5
    var parameterLimit = 10_000
    var sendsText = false
    while let argument = rest.popFirst() {
      switch argument {
      case "--seconds": seconds = try number(argument, rest.popFirst())
      case "--parameter-limit": parameterLimit = max(1, try number(argument, rest.popFirst()))
      case "--text": sendsText = true
      default: words.append(argument)
      }
    }
    guard words.count == 2 else { throw BenchError("loop needs a folder and a query") }
    try LoopRun(
      folder: words[0], sql: words[1], seconds: seconds, parameterLimit: parameterLimit,
      sendsText: sendsText
    ).run()
  }

  private static func number(_ option: String, _ text: String?) throws(BenchError) -> Int {
    guard let text, let value = Int(text.filter { $0 != "_" && $0 != "," }), value >= 0 else {
      throw BenchError("\(option) takes a number")
    }
    return value
  }
}
