/// The commands of the program, in the order of the help.
enum CommandTable {
  static let all: [Subcommand] =
    [run, compare, report, expect, generate, tpch, tpcds, snb] + [
      points, face, writes, open, updates, commits, loop, loadOnce,
    ]

  static func command(_ name: String) -> Subcommand? { all.first { $0.name == name } }

  // MARK: Options that several commands have

  private static let size = CommandOption(
    .size, "SIZE", "XS, S, M, L or XL, or several with commas between, run one after another (S)")
  private static let data = CommandOption(
    .data, "FOLDER", "takes the CSV files of this folder instead of generating a school")
  private static let group = CommandOption(
    .group, "GROUP",
    "school, the benchmark itself; everyday, questions of a school with grades, days and unknown values; near, variants of the benchmark's own queries (school)"
  )
  private static let samples = CommandOption(.samples, "N", "takes at most so many samples")
  private static let threads = CommandOption(
    .threads, "N", "the threads that every engine may use (2)")
  private static let peers = CommandOption(
    .peers, "NAMES", "sqlite, duckdb, hyper, ladybug with commas between; all or none (all)")
  private static let peersEnvironment = CommandOption(
    .peersEnvironment, "FOLDER", "where Peers/install.sh has put the peers")
  private static let home = CommandOption(
    .home, "FOLDER", "the folder with Workloads and Peers, where it is not found by itself")
  private static let threshold = CommandOption(
    .threshold, "SHARE", "how much a median may grow before it counts as slower (10%)")
  private static let seed = CommandOption(.seed, "N", "begins the random choices elsewhere (42)")
  private static let uniform = CommandOption(
    .uniform, nil, "all courses are equally popular, instead of a few far more than others")
  private static let timeout = CommandOption(
    .timeout, "SECONDS", "breaks off an execution that takes longer")

  /// Those of every command that runs workloads.
  private static let ofRuns = [
    size, data, group,
    CommandOption(.only, "IDS", "runs these workloads only, such as P1,B4"),
    peers, peersEnvironment,
    CommandOption(.samples, "N", "takes at most so many samples of a query (10000)"),
    CommandOption(
      .seconds, "SECONDS", "spends so long on an engine and a query, by size if not said"),
    timeout,
    CommandOption(
      .threads, "N",
      "the threads that every engine may use, or several numbers with commas between, run one after another (2)"
    ),
    CommandOption(.zipf, nil, "some courses are far more popular than others; so it is by itself"),
    uniform, seed,
    CommandOption(
      .out, "FOLDER",
      "writes record.json, report.md and report.html there, and the pages of curves and plans"),
    CommandOption(.quiet, nil, "says nothing while it runs"),
    home,
  ]

  // MARK: The commands

  private static let run = Subcommand(
    name: "run",
    summary: "Measures Junction and every peer that is there on a generated school",
    details:
      "It generates the school, loads it in every engine, checks every answer and only then measures, the engines in turn. Without options that is size S, in under two minutes.",
    options: ofRuns + [
      CommandOption(.baseline, "RECORD", "compares with this earlier record afterwards"), threshold,
    ],
    run: RunCommand.run)

  private static let compare = Subcommand(
    name: "compare", words: [.one("BASELINE"), .optional("RECORD")],
    summary: "Sets a record against an earlier one",
    details:
      "Without a record it runs what the baseline ran, for Junction alone. The exit status is 1 where a median has grown by more than the threshold and the noise.",
    options: [
      CommandOption(.with, "RECORD", "the later record, as a second word would be"), threshold,
    ] + ofRuns,
    run: RunCommand.compare)

  private static let report = Subcommand(
    name: "report", words: [.several("RECORD")],
    summary: "Shows records again",
    details:
      "Records of several sizes or numbers of threads also make a page of curves, if a folder is given.",
    options: [CommandOption(.out, "FOLDER", "writes record.json, report.md and the pages there")],
    run: ReportCommand.run)

  private static let expect = Subcommand(
    name: "expect",
    summary: "Writes the right answers for a size into the workload files",
    details: "It is for those who change the workloads or the generator.",
    options: [size, data, group, seed, uniform, threads, peersEnvironment, home],
    run: BenchCommand.expect)

  private static let generate = Subcommand(
    name: "generate", words: [.one("FOLDER")],
    summary: "Writes a school as CSV files with a schema.sql",
    details:
      "The files are the same to the byte for one seed. S has 10,000 students and 200 courses, M 100,000 and 2,000, L 1,000,000 and 10,000, XL 10,000,000 and 50,000, each with 8 courses a student.",
    options: [
      CommandOption(.size, "SIZE", "S, M, L or XL (S)"),
      CommandOption(.students, "N", "so many students"),
      CommandOption(.courses, "N", "so many courses"),
      CommandOption(.perStudent, "N", "courses that each student takes (8)"),
      CommandOption(.compulsory, "N", "courses that all students take (0)"),
      uniform, seed,
    ],
    run: BenchCommand.generate)

  private static let ofSuites = [
    CommandOption(.data, "FOLDER", "the folder of CSV files; it must be given"),
    CommandOption(
      .queries, "FOLDER", "the folder of queries, where it is not queries in that of the data"),
    CommandOption(.only, "NUMBERS", "runs these queries only, such as 1,6"),
    CommandOption(.samples, "N", "executes each query so often in each engine (5)"),
    threads,
    CommandOption(.timeout, "SECONDS", "breaks off an execution that takes longer (60)"),
    peersEnvironment,
    CommandOption(.noPeer, nil, "leaves DuckDB out"),
    CommandOption(.out, "FOLDER", "writes record.json, report.md and report.html there"),
  ]

  private static let tpch = Subcommand(
    name: "tpch", summary: "Times the 22 queries of TPC-H against DuckDB, their answers checked",
    details: "PyPI's tpchgen-cli writes the data.", options: ofSuites
  ) { arguments throws(BenchError) in
    try SuiteRun(.tpch, try SuiteOptions(arguments)).run() ? 0 : 1
  }

  private static let tpcds = Subcommand(
    name: "tpcds", summary: "Times the 99 queries of TPC-DS against DuckDB, their answers checked",
    details: "Benchmarks/Peers/tpcds.sh writes the data and the queries.", options: ofSuites
  ) { arguments throws(BenchError) in
    try SuiteRun(.tpcds, try SuiteOptions(arguments)).run() ? 0 : 1
  }

  private static let snb = Subcommand(
    name: "snb",
    summary: "Times the reads of LDBC's Social Network Benchmark, by SQL and by patterns",
    details:
      "Benchmarks/SNB/snb.py makes the data, chooses parameters, and asks PostgreSQL for the answers. The exit status is 1 where Junction's are others.",
    options: [
      CommandOption(.data, "FOLDER", "the folder that snb.py made"),
      CommandOption(.only, "IDS", "runs these queries only, such as IC1,IS4"),
      CommandOption(.peers, "NAMES", "duckdb, ladybug or none (both)"), peersEnvironment,
      CommandOption(.samples, "N", "takes at most so many samples of a query (10000)"),
      CommandOption(.seconds, "SECONDS", "spends so long on a query in each engine (0.4)"),
      timeout, threads,
      CommandOption(.out, "FOLDER", "writes record.json, report.md, report.html and plans there"),
      CommandOption(.quiet, nil, "says nothing while it runs"), home,
    ]
  ) { arguments throws(BenchError) in
    try SocialNetworkRun(RunOptions(arguments)).run() ? 0 : 1
  }

  private static let points = Subcommand(
    name: "points", words: [.one("FOLDER")],
    summary: "Times three point queries over a generated school against SQLite",
    details: "Both are prepared and in process, and SQLite has both indices.", options: [samples],
    run: BenchCommand.points)

  private static let face = Subcommand(
    name: "face", words: [.one("FOLDER")],
    summary: "Times what a Swift program sees against loops over SQLite's C interface",
    details:
      "Records, relations, nested structs and bulk inserts over a generated school, in the same process; the loops fill the same structs by hand.",
    options: [
      CommandOption(.samples, "N", "takes so many samples of each (15)"),
      CommandOption(.only, "TEXT", "measures the lines alone whose names have this text"),
    ],
    run: BenchCommand.face)

  private static let writes = Subcommand(
    name: "writes", words: [.one("FOLDER")],
    summary: "Times inserts and deletes of single enrolments against SQLite",
    details: "One by one and in one transaction; SQLite has both indices and foreign keys.",
    options: [samples], run: BenchCommand.writes)

  private static let open = Subcommand(
    name: "open",
    summary:
      "Saves a school to disk and opens it, DuckDB and SQLite with files of their own beside it",
    details:
      "It tells the rate against plain writes, the size against the CSV files, the time to a first query with a warm and with a cold cache and with everything verified first, and that of touching everything.",
    options: [
      size, data, CommandOption(.peers, "NAMES", "duckdb, sqlite or none (both)"),
      peersEnvironment, uniform, seed,
    ],
    run: BenchCommand.open)

  private static let updates = Subcommand(
    name: "updates", words: [.one("FOLDER")],
    summary: "Changes enrolments at random and checks walks between the changes",
    details:
      "It tells the memory of an edge before and after, and sets walks afterwards against the same data freshly loaded.",
    options: [CommandOption(.changes, "N", "makes so many changes"), home],
    run: BenchCommand.updates)

  private static let commits = Subcommand(
    name: "commits", words: [.optional("FOLDER")],
    summary: "Times commits on the disk of a folder against SQLite",
    details:
      "One row each, synced and deferred, by one thread and by eight; and many rows in one transaction.",
    options: [CommandOption(.seconds, "SECONDS", "spends so long on each")],
    run: BenchCommand.commits)

  private static let loop = Subcommand(
    name: "loop", words: [.one("FOLDER"), .one("SQL")],
    summary: "Runs one query over and over, for a profiler",
    details: "$1, if there is one, is a random number from 1 to a limit.",
    options: [
      CommandOption(.seconds, "SECONDS", "runs so long (5)"),
      CommandOption(.parameterLimit, "N", "the greatest number that $1 may be (10000)"),
      CommandOption(.text, nil, "sends the text anew each time, with the number in it"),
    ],
    run: BenchCommand.loop)

  private static let loadOnce = Subcommand(
    name: "load-once", words: [.one("ENGINE"), .one("FOLDER")],
    summary: "Loads a folder in one engine and prints what that took",
    options: [threads, peersEnvironment, home], isInternal: true, run: BenchCommand.loadOnce)
}
