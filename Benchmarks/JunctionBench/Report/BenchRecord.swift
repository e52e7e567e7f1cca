import Foundation

/// Everything that one run measured at one size, and what a reader needs to judge it.
///
/// A run over several sizes makes one record a size; a file holds one record or an array of them.
struct BenchRecord: Codable, Sendable {
  /// The version of the layout, for readers of old files.
  var format = 1
  /// When the run began, as ISO 8601.
  var date: String
  /// The commit of Junction's sources, with "+" behind it where files had changed since.
  var commit: String
  /// How Junction was built: configuration, toolchain, and flags other than the usual ones.
  var build: String
  var machine: BenchMachine
  var settings: BenchSettings
  /// In the order in which tables and legends name them.
  var engines: [BenchEngine]
  var results: [BenchResult]
  /// Sentences about this run alone, such as what was left out and why.
  var notes: [String] = []
}

/// The computer that a run was made on.
struct BenchMachine: Codable, Sendable, Equatable {
  var cpu: String
  var cores: Int
  var memoryBytes: Int
  var operatingSystem: String
  /// Measured in the same run; empty where it was not.
  var bandwidth: [MemoryBandwidth] = []
}

/// Bytes a second that a plain loop over an array far larger than the caches moves.
struct MemoryBandwidth: Codable, Sendable, Equatable {
  var threads: Int
  var readBytesPerSecond: Double
  var copyBytesPerSecond: Double
}

/// What was asked of a run.
struct BenchSettings: Codable, Sendable, Equatable {
  /// The size's name: S, M, L, XL, or "custom".
  var size: String
  var students: Int
  var courses: Int
  var enrolments: Int
  /// "Zipf" or "uniform".
  var distribution: String
  var seed: UInt64
  /// The threads that every engine may use.
  var threads: Int
  /// The most samples that were taken of a query, and the most seconds spent on one of an engine.
  var samples: Int
  var secondsPerQuery: Double
}

/// One column of the comparison: Junction, a peer, or a hand-written loop.
struct BenchEngine: Codable, Sendable, Equatable {
  enum Kind: String, Codable, Sendable { case junction, peer, limit }

  /// A short key that results refer to, such as "duckdb" or "limit1".
  var id: String
  /// What readers see, such as "DuckDB" or "loop, 1 thread".
  var name: String
  var kind: Kind
  var version = ""
  /// How it was reached: "in process, C API", "Python process, one line a request".
  var access = ""
  /// Its settings that matter, such as "threads=2".
  var settings = ""
  /// Why it took no part; nil where it did.
  var missingReason: String?
  /// The command that would put it there.
  var installCommand: String?

  var loadSeconds: Double?
  /// Processor time of the load.
  var loadCPUSeconds: Double?
  /// Resident memory added by the load, and the most that its process ever held.
  var residentBytesAfterLoad: Int?
  var peakResidentBytes: Int?
  var bytesPerEnrolment: Double?

  var isPresent: Bool { missingReason == nil }
}

/// One workload and what each engine made of it.
struct BenchResult: Codable, Sendable {
  /// "P1", "B2a", "L", "Q17".
  var id: String
  var title: String
  /// What it belongs to: "point", "bulk", "write", "load", "TPC-H".
  var group: String
  var sql: String
  /// The query that it is a near variant of; nil where it is none.
  var original: String?
  /// What such a variant has to touch that its original has not.
  var touchesMore: String?
  /// Junction's plan as it was carried out, as markup; nil where none was asked for.
  var plan: String?
  /// By engine, in no certain order; an engine that is not there was not asked.
  var measurements: [BenchMeasurement]

  func measurement(of engine: String) -> BenchMeasurement? {
    measurements.first { $0.engine == engine }
  }
}

/// One engine on one workload.
struct BenchMeasurement: Codable, Sendable {
  enum Status: String, Codable, Sendable {
    case ok
    /// It answered, and the answer was not the expected one; its times count for nothing.
    case wrong
    case error
    /// It has no way to say this query.
    case unsupported
    case timeout
    /// The engine is not installed.
    case missing
  }

  /// The engine's `id`.
  var engine: String
  var status: Status
  /// The error's text, why it is unsupported, or what was wrong with the answer.
  var message: String?
  /// Present where the status is `ok`.
  var samples: SampleSummary?
  /// Seconds of the first execution of the query in an engine that had just been loaded.
  var firstSeconds: Double?
  /// Seconds from the query's text to a plan, where they could be seen.
  var planningSeconds: Double?
  /// Processor seconds of one execution, on average, where it could be seen.
  var cpuSeconds: Double?
  /// Rows that one execution gave, on average.
  var rows: Double?
}

/// Seconds of single executions, boiled down.
struct SampleSummary: Codable, Sendable, Equatable {
  var count: Int
  var min: Double
  var p50: Double
  var p90: Double
  var p99: Double
  var max: Double
  var mean: Double
  /// The least and the greatest median among consecutive fifths of the run: the noise seen.
  var medianLow: Double
  var medianHigh: Double
  /// At most 200 values, from the least to the greatest, at evenly spaced probabilities.
  var quantiles: [Double]

  /// Executions a second, one after the other.
  var throughput: Double { mean > 0 ? 1 / mean : 0 }

  static let quantileCountMax = 200

  /// Boils samples down; nil where there are none.
  ///
  /// - Parameter seconds: one a sample, in the order in which they were taken.
  init?(seconds: [Double]) {
    guard !seconds.isEmpty else { return nil }
    let sorted = seconds.sorted()
    count = sorted.count
    min = sorted[0]
    max = sorted[sorted.count - 1]
    p50 = Self.quantile(0.5, of: sorted)
    p90 = Self.quantile(0.9, of: sorted)
    p99 = Self.quantile(0.99, of: sorted)
    mean = sorted.reduce(0, +) / Double(sorted.count)
    (medianLow, medianHigh) = Self.medianRange(seconds, sorted)
    let kept = Swift.min(sorted.count, Self.quantileCountMax)
    // Pictures need no more than four digits of these.
    quantiles = (0..<kept).map { place in
      kept == sorted.count
        ? Self.rounded(sorted[place])
        : Self.rounded(Self.quantile(Double(place) / Double(kept - 1), of: sorted))
    }
  }

  private static func rounded(_ seconds: Double) -> Double {
    Double(String(format: "%.3e", seconds)) ?? seconds
  }

  /// The value below which a share of the sorted values lies, interpolated between neighbours.
  static func quantile(_ share: Double, of sorted: [Double]) -> Double {
    guard let last = sorted.last else { return 0 }
    let place = share * Double(sorted.count - 1)
    let lower = Int(place)
    guard lower + 1 < sorted.count else { return last }
    return sorted[lower] + (place - Double(lower)) * (sorted[lower + 1] - sorted[lower])
  }

  /// The mean of ratios; 1 where there are none.
  static func geometricMean(_ ratios: [Double]) -> Double {
    guard !ratios.isEmpty else { return 1 }
    return exp(ratios.map { log($0) }.reduce(0, +) / Double(ratios.count))
  }

  /// Fewer than ten samples show their noise by their whole range, more by that of five medians.
  private static func medianRange(
    _ seconds: [Double], _ sorted: [Double]
  ) -> (Double, Double) {
    guard seconds.count >= 10 else { return (sorted[0], sorted[sorted.count - 1]) }
    let medians = (0..<5).map { fifth in
      let start = seconds.count * fifth / 5
      let end = seconds.count * (fifth + 1) / 5
      return quantile(0.5, of: seconds[start..<end].sorted())
    }
    return (medians.min() ?? sorted[0], medians.max() ?? sorted[0])
  }
}

extension BenchRecord {
  /// Reads a file of one record or of an array of records.
  static func read(_ path: String) throws(BenchError) -> [BenchRecord] {
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw BenchError("could not read \"\(path)\"")
    }
    let decoder = JSONDecoder()
    do {
      let isArray = bytes.first { $0 > 32 } == UInt8(ascii: "[")
      let records =
        isArray
        ? try decoder.decode([BenchRecord].self, from: bytes)
        : [try decoder.decode(BenchRecord.self, from: bytes)]
      return records.map(\.withLoopsByName)
    } catch {
      throw BenchError("\"\(path)\" is not a record of junction-bench: \(error)")
    }
  }

  /// Older records call every hand-written loop a limit.
  private var withLoopsByName: BenchRecord {
    var record = self
    for place in engines.indices
    where engines[place].kind == .limit && engines[place].name.hasPrefix("limit") {
      record.engines[place].name = "loop" + engines[place].name.dropFirst(5)
    }
    return record
  }

  /// Writes one record as an object, several as an array.
  static func write(_ records: [BenchRecord], to path: String) throws(BenchError) {
    do {
      try Data(json(of: records).utf8).write(to: URL(fileURLWithPath: path))
    } catch let error as BenchError {
      throw error
    } catch {
      throw BenchError("could not write \"\(path)\": \(error.localizedDescription)")
    }
  }

  static func json(of records: [BenchRecord]) throws(BenchError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      let bytes =
        records.count == 1 ? try encoder.encode(records[0]) : try encoder.encode(records)
      return String(decoding: bytes, as: UTF8.self) + "\n"
    } catch {
      throw BenchError("could not encode the record: \(error)")
    }
  }
}
