import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `junction-bench run` and `junction-bench compare`.
enum RunCommand {
  /// Measures with each size and number of threads asked for, one after another, and reports; gives the process's exit status.
  static func run(_ arguments: CommandArguments) throws(BenchError) -> Int32 {
    let options = try RunOptions(arguments)
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
      for threads in options.threadCounts {
        var options = options
        options.size = size
        options.threads = threads
        records.append(try BenchmarkRun(options).run())
      }
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

  /// Compares a record with an earlier one; without it, one is made as the earlier was, for Junction alone.
  static func compare(_ arguments: CommandArguments) throws(BenchError) -> Int32 {
    var options = try RunOptions(arguments)
    if !arguments.has(.peers) { options.peers = [] }
    let words = arguments.words
    let with = arguments.value(.with) ?? (words.count > 1 ? words[1] : nil)
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
    options.sizes = []
    for size in records.compactMap({ Size(rawValue: $0.settings.size) })
    where !options.sizes.contains(size) {
      options.sizes.append(size)
    }
    if options.sizes.isEmpty { options.sizes = sizes }
    options.isZipf = first.settings.distribution != "uniform"
    options.seed = first.settings.seed
    options.threadCounts = []
    for threads in records.map(\.settings.threads) where !options.threadCounts.contains(threads) {
      options.threadCounts.append(threads)
    }
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
