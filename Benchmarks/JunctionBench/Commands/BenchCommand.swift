import Diagnostics

/// The program: finds the command that is asked for and runs it.
enum BenchCommand {
  /// The commands, a line each.
  static var usage: String {
    let listed = CommandTable.all.filter { !$0.isInternal }
    let room = (listed.map(\.name.count).max() ?? 0) + 4
    let lines = listed.map { command in
      "  \(command.name)" + String(repeating: " ", count: room - command.name.count - 2)
        + command.summary
    }
    return """
      junction-bench measures Junction on large synthetic schools.

      Usage: junction-bench COMMAND [WORD]... [OPTION]...

      \(lines.joined(separator: "\n"))

      "junction-bench COMMAND --help", or "help COMMAND", says what a command takes.

      """
  }

  /// Runs the command that the arguments name and gives the process's exit status.
  static func run(_ arguments: [String]) -> Int32 {
    do throws(BenchError) {
      let rest = Array(arguments.dropFirst())
      switch arguments.first {
      case nil, "--help", "-h", "-?": print(usage, terminator: "")
      case "help":
        guard let name = rest.first, !name.hasPrefix("-") else {
          print(usage, terminator: "")
          break
        }
        print(try command(name).help(), terminator: "")
      case .some(let name):
        let command = try command(name)
        let given = try CommandArguments(rest, of: command)
        if !given.isHelp { return try command.run(given) }
        print(command.help(), terminator: "")
      }
      return 0
    } catch {
      StandardError.write("junction-bench: \(error.description)\n")
      return 1
    }
  }

  private static func command(_ name: String) throws(BenchError) -> Subcommand {
    if let command = CommandTable.command(name) { return command }
    let names = CommandTable.all.filter { !$0.isInternal }.map(\.name)
    let near = nearestNames(to: name, among: names, limit: 1).first
    throw BenchError(
      "there is no command \"\(name)\"" + (near.map { "; perhaps you meant \($0)" }).orEmpty
        + "; \"junction-bench --help\" lists them")
  }

  static func generate(_ arguments: CommandArguments) throws(BenchError) -> Int32 {
    var parameters = SchoolParameters()
    switch arguments.value(.size) {
    case nil: break
    case "S": (parameters.students, parameters.courses) = (10_000, 200)
    case "M": (parameters.students, parameters.courses) = (100_000, 2_000)
    case "L": (parameters.students, parameters.courses) = (1_000_000, 10_000)
    case "XL": (parameters.students, parameters.courses) = (10_000_000, 50_000)
    case .some(let other): throw BenchError("--size takes S, M, L or XL, and not \"\(other)\"")
    }
    parameters.students = try arguments.number(.students) ?? parameters.students
    parameters.courses = try arguments.number(.courses) ?? parameters.courses
    parameters.coursesPerStudent =
      try arguments.number(.perStudent) ?? parameters.coursesPerStudent
    parameters.compulsory = try arguments.number(.compulsory) ?? parameters.compulsory
    parameters.seed = try arguments.number(.seed).map(UInt64.init) ?? parameters.seed
    if arguments.has(.uniform) { parameters.isZipf = false }
    let folder = arguments.words[0]
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
    return 0
  }

  static func expect(_ arguments: CommandArguments) throws(BenchError) -> Int32 {
    try ExpectCommand(options: RunOptions(arguments)).run()
    return 0
  }

  static func loadOnce(_ arguments: CommandArguments) throws(BenchError) -> Int32 {
    try BenchmarkRun.loadOnce(arguments.words[0], arguments.words[1], RunOptions(arguments))
    return 0
  }

  static func points(_ arguments: CommandArguments) throws(BenchError) -> Int32 {
    var run = PointRun(folder: arguments.words[0])
    if let samples = try arguments.number(.samples, least: 1) { run.sampleCount = samples }
    try run.run()
    return 0
  }

  static func face(_ arguments: CommandArguments) throws(BenchError) -> Int32 {
    var run = FaceRun(folder: arguments.words[0])
    if let samples = try arguments.number(.samples, least: 1) { run.sampleCount = samples }
    run.only = arguments.value(.only)
    try run.run()
    return 0
  }

  static func writes(_ arguments: CommandArguments) throws(BenchError) -> Int32 {
    var run = WriteRun(folder: arguments.words[0])
    if let samples = try arguments.number(.samples, least: 1) { run.sampleCount = samples }
    try run.run()
    return 0
  }

  static func open(_ arguments: CommandArguments) throws(BenchError) -> Int32 {
    try OpenRun(options: RunOptions(arguments)).run()
    return 0
  }

  static func updates(_ arguments: CommandArguments) throws(BenchError) -> Int32 {
    let home = try RunOptions(arguments).homeFolder()
    var run = UpdateRun(folder: arguments.words[0], home: home)
    if let changes = try arguments.number(.changes, least: 1) { run.changeCount = changes }
    try run.run()
    return 0
  }

  static func commits(_ arguments: CommandArguments) throws(BenchError) -> Int32 {
    var run = CommitRun(folder: arguments.words.first ?? ".")
    if let seconds = try arguments.number(.seconds, least: 1) { run.seconds = Double(seconds) }
    try run.run()
    return 0
  }

  static func loop(_ arguments: CommandArguments) throws(BenchError) -> Int32 {
    try LoopRun(
      folder: arguments.words[0], sql: arguments.words[1],
      seconds: try arguments.number(.seconds) ?? 5,
      parameterLimit: try arguments.number(.parameterLimit, least: 1) ?? 10_000,
      sendsText: arguments.has(.text)
    ).run()
    return 0
  }
}
