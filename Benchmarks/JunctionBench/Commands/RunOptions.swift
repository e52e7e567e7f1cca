import Foundation

/// What `junction-bench run` is asked.
struct RunOptions {
  enum Size: String, CaseIterable { case XS, S, M, L, XL }

  /// The sizes to run, one after another.
  var sizes = [Size.S]
  /// The one that runs.
  var size = Size.S
  /// A folder of data instead of a generated one.
  var data: String?
  var group = WorkloadGroup.school
  var only: [String] = []
  /// The peers asked for; nil for all that are there.
  var peers: [String]?
  var out: String?
  var samples = 10_000
  /// Seconds for one engine on one query; by size where not said.
  var seconds: Double?
  /// The numbers of threads to run with, one after another.
  var threadCounts = [2]
  /// The one that runs.
  var threads = 2
  var isZipf = true
  var seed: UInt64 = 42
  /// Seconds after which a single execution is broken off.
  var timeout: Double?
  var peersEnvironment = RunOptions.defaultEnvironment
  /// Whether nothing is said while it runs.
  var isQuiet = false
  /// The folder with `Workloads` and `Peers`.
  var home: String?
  /// A record to compare with, and the share by which a median may have grown since.
  var baseline: String?
  var threshold = 0.1

  static let peerNames = ["sqlite", "duckdb", "hyper", "ladybug"]

  var secondsPerQuery: Double {
    seconds ?? [.XS: 0.02, .S: 0.4, .M: 1, .L: 2, .XL: 4][size] ?? 1
  }

  var secondsToTimeout: Double {
    timeout ?? [.XS: 10, .S: 20, .M: 60, .L: 180, .XL: 600][size] ?? 60
  }

  var school: SchoolParameters {
    var school = SchoolParameters()
    switch size {
    case .XS: (school.students, school.courses) = (200, 20)
    case .S: (school.students, school.courses) = (10_000, 200)
    case .M: (school.students, school.courses) = (100_000, 2_000)
    case .L: (school.students, school.courses) = (1_000_000, 10_000)
    case .XL: (school.students, school.courses) = (10_000_000, 50_000)
    }
    school.isZipf = isZipf
    school.seed = seed
    return school
  }

  var attributedSchool: AttributedSchoolParameters {
    var school = AttributedSchoolParameters()
    school.students = [.XS: 200, .S: 10_000, .M: 100_000, .L: 300_000, .XL: 1_000_000][size] ?? 0
    school.seed = seed
    return school
  }

  /// Where peers are installed unless said otherwise.
  static var defaultEnvironment: String {
    let environment = ProcessInfo.processInfo.environment
    if let folder = environment["JUNCTION_BENCH_PEERS"], !folder.isEmpty { return folder }
    let cache = environment["XDG_CACHE_HOME"] ?? "\(NSHomeDirectory())/.cache"
    return "\(cache)/junction-bench/peers"
  }

  /// Where generated data is kept unless said otherwise.
  var generatedFolder: String {
    let temporary = FileManager.default.temporaryDirectory.path
    let kind = group.hasAttributes ? "attributes" : isZipf ? "zipf" : "uniform"
    return "\(temporary)/junction-bench/\(size.rawValue)-\(kind)-\(seed)"
  }

  init() {}

  init(_ arguments: CommandArguments) throws(BenchError) {
    for (name, text) in arguments.options { try take(name, text) }
  }

  private mutating func take(_ name: OptionName, _ text: String) throws(BenchError) {
    switch name {
    case .size:
      sizes = try Self.sizes(text)
      size = sizes[0]
    case .data: data = text
    case .group:
      guard let known = WorkloadGroup(rawValue: text) else {
        throw BenchError("--group takes school, everyday or near, and not \"\(text)\"")
      }
      group = known
    case .only: only = Self.list(text)
    case .peers: peers = try Self.peers(text)
    case .out: out = text
    case .samples: samples = try CommandArguments.number(name, text, least: 1)
    case .seconds: seconds = try Self.seconds(name, text)
    case .threads:
      threadCounts = try Self.list(text).map { part throws(BenchError) in
        try CommandArguments.number(name, part, least: 1)
      }
      guard let first = threadCounts.first else {
        throw BenchError("--threads takes a number, or several with commas between")
      }
      threads = first
    case .timeout: timeout = try Self.seconds(name, text)
    case .seed: seed = UInt64(try CommandArguments.number(name, text))
    case .zipf: isZipf = true
    case .uniform: isZipf = false
    case .peersEnvironment: peersEnvironment = text
    case .quiet: isQuiet = true
    case .home: home = text
    case .baseline: baseline = text
    case .threshold: threshold = try CompareCommand.share(text)
    // Those of other commands, and what a command reads beside the options of a run.
    case .changes, .compulsory, .courses, .noPeer, .parameterLimit, .perStudent, .queries,
      .students, .text, .with:
      break
    }
  }

  private static func sizes(_ text: String) throws(BenchError) -> [Size] {
    let sizes = try list(text).map { part throws(BenchError) in
      guard let size = Size(rawValue: part) else {
        throw BenchError("--size takes XS, S, M, L or XL, and not \"\(part)\"")
      }
      return size
    }
    if sizes.isEmpty { throw BenchError("--size takes XS, S, M, L or XL") }
    return sizes
  }

  private static func seconds(_ name: OptionName, _ text: String) throws(BenchError) -> Double {
    guard let number = Double(text), number >= 0, number.isFinite else {
      throw BenchError("\(name.rawValue) takes a number of seconds, and not \"\(text)\"")
    }
    return number
  }

  private static func list(_ text: String) -> [String] {
    text.split(separator: ",").map(String.init)
  }

  private static func peers(_ text: String) throws(BenchError) -> [String] {
    if text == "none" { return [] }
    if text == "all" { return peerNames }
    let names = list(text)
    for name in names where !peerNames.contains(name) {
      throw BenchError(
        "there is no peer \"\(name)\"; there are \(peerNames.joined(separator: ", "))")
    }
    return names
  }

  /// The folder with `Workloads` and `Peers`: as said, or above the working directory or the program.
  func homeFolder() throws(BenchError) -> String {
    if let home { return home }
    let program = ProcessInfo.processInfo.arguments.first ?? ""
    let starts = [
      FileManager.default.currentDirectoryPath,
      URL(fileURLWithPath: program).resolvingSymlinksInPath().deletingLastPathComponent().path,
    ]
    for start in starts {
      var folder = URL(fileURLWithPath: start)
      while folder.path != "/" {
        let found = folder.appendingPathComponent("Benchmarks")
        if FileManager.default.fileExists(atPath: found.appendingPathComponent("Workloads").path) {
          return found.path
        }
        folder.deleteLastPathComponent()
      }
    }
    throw BenchError("could not find the folder Benchmarks/Workloads; say --home FOLDER")
  }
}
