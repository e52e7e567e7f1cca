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

  /// Takes the options that `run` knows off `arguments`; the words that are none are given back.
  mutating func read(_ arguments: [String]) throws(BenchError) -> [String] {
    var words: [String] = []
    var rest = arguments[...]
    func value(_ option: String) throws(BenchError) -> String {
      guard let text = rest.popFirst() else { throw BenchError("\(option) needs a value") }
      return text
    }
    func number(_ option: String) throws(BenchError) -> Double {
      guard let number = Double(try value(option)), number >= 0 else {
        throw BenchError("\(option) takes a number")
      }
      return number
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--size":
        sizes = Self.list(try value(argument)).compactMap { Size(rawValue: $0) }
        guard let first = sizes.first else {
          throw BenchError("--size takes XS, S, M, L or XL, or several with commas between")
        }
        size = first
      case "--data": data = try value(argument)
      case "--group":
        guard let known = WorkloadGroup(rawValue: try value(argument)) else {
          throw BenchError("--group takes school, everyday or near")
        }
        group = known
      case "--only": only = Self.list(try value(argument))
      case "--peers": peers = try Self.peers(try value(argument))
      case "--out": out = try value(argument)
      case "--samples": samples = max(1, Int(try number(argument)))
      case "--seconds": seconds = try number(argument)
      case "--threads": threads = max(1, Int(try number(argument)))
      case "--timeout": timeout = try number(argument)
      case "--seed": seed = UInt64(try number(argument))
      case "--zipf": isZipf = true
      case "--uniform": isZipf = false
      case "--peers-env": peersEnvironment = try value(argument)
      case "--quiet": isQuiet = true
      case "--home": home = try value(argument)
      case "--baseline": baseline = try value(argument)
      case "--threshold": threshold = try CompareCommand.share(try value(argument))
      default:
        if argument.hasPrefix("-") {
          throw BenchError("unrecognized argument \"\(argument)\"; try --help")
        }
        words.append(argument)
      }
    }
    return words
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
