import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `junction-bench run` and `junction-bench compare`.
enum RunCommand {
  /// Measures each size asked for, one after another, and reports; gives the process's exit status.
  static func run(_ arguments: [String]) throws(BenchError) -> Int32 {
    var options = RunOptions()
    let words = try options.read(arguments)
    if let word = words.first { throw BenchError("unrecognized argument \"\(word)\"; try --help") }
    // A baseline that cannot be read is better known before the run than after it.
    let baseline = try options.baseline.map { path throws(BenchError) in
      try BenchRecord.read(path)
    }
    let records = try records(options)
    try report(records, options)
    // A wrong answer of Junction's is a failure whatever its speed.
    let fault: Int32 = records.contains(where: hasFault) ? 1 : 0
    guard let baseline else { return fault }
    let (text, status) = try CompareCommand.compare(
      baseline, records, threshold: options.threshold)
    print("\nAgainst \(options.baseline ?? ""):\n\(text)", terminator: "")
    return max(fault, status)
  }

  private static func records(_ options: RunOptions) throws(BenchError) -> [BenchRecord] {
    var records: [BenchRecord] = []
    for size in options.sizes {
      var options = options
      options.size = size
      records.append(try BenchmarkRun(options).run())
    }
    return records
  }

  private static func report(
    _ records: [BenchRecord], _ options: RunOptions
  ) throws(BenchError) {
    let text = try ReportCommand.report(records, folder: options.out, width: Terminal.width)
    print(text, terminator: "")
  }

  private static func hasFault(_ record: BenchRecord) -> Bool {
    record.results.contains { result in
      let status = result.measurement(of: "junction")?.status
      return status == .wrong || status == .error
    }
  }

  /// Takes `BASELINE [RECORD | --with RECORD] [--threshold 10%]` and the options of `run`.
  ///
  /// Without a record to compare with, one is made as the baseline was, for Junction alone.
  static func compare(_ arguments: [String]) throws(BenchError) -> Int32 {
    var with: String?
    var others: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--with":
        guard let path = rest.popFirst() else { throw BenchError("--with needs a record") }
        with = path
      default: others.append(argument)
      }
    }
    var options = RunOptions()
    options.peers = []
    var words = try options.read(others)
    if words.count == 2 && with == nil { with = words.removeLast() }
    guard words.count == 1 else { throw BenchError("compare needs a record to compare with") }
    let baseline = try BenchRecord.read(words[0])
    let own: [BenchRecord]
    if let with {
      own = try BenchRecord.read(with)
    } else {
      own = try records(options.asked(like: baseline))
      if options.out != nil { try report(own, options) }
    }
    let (text, status) = try CompareCommand.compare(baseline, own, threshold: options.threshold)
    print(text, terminator: "")
    return status
  }
}

extension RunOptions {
  /// The same options for the data, the time and the workloads of earlier records.
  func asked(like records: [BenchRecord]) -> RunOptions {
    var options = self
    guard let first = records.first else { return options }
    options.sizes = records.compactMap { Size(rawValue: $0.settings.size) }
    if options.sizes.isEmpty { options.sizes = sizes }
    options.isZipf = first.settings.distribution != "uniform"
    options.seed = first.settings.seed
    options.threads = first.settings.threads
    options.samples = first.settings.samples
    options.seconds = options.seconds ?? first.settings.secondsPerQuery
    if options.only.isEmpty { options.only = Array(Set(records.flatMap { $0.results.map(\.id) })) }
    return options
  }
}

/// The terminal that results are printed on.
enum Terminal {
  /// Its columns; many where the output goes elsewhere.
  static var width: Int {
    var size = winsize()
    if unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return max(40, Int(size.ws_col))
    }
    return 160
  }
}
