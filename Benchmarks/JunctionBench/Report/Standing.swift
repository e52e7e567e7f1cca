/// How Junction stands on one workload.
struct Standing {
  let result: BenchResult
  let junction: SampleSummary?
  /// The peer with the least median among those that answered rightly.
  let bestPeer: (engine: BenchEngine, samples: SampleSummary)?
  /// The faster of the hand-written loops, whether Junction is slower or not.
  let loop: SampleSummary?
  /// The query that this is a near variant of, as Junction answers it.
  let original: SampleSummary?
  /// The peers' medians and first executions, by their ids.
  let peers: [(id: String, measurement: BenchMeasurement)]

  /// The faster of the loops where Junction is no faster: what Junction beats bounds nothing.
  var limit: SampleSummary? {
    guard let loop, loop.p50 <= junction?.p50 ?? .infinity else { return nil }
    return loop
  }

  private var own: BenchMeasurement? { result.measurement(of: "junction") }

  /// Junction's first execution of a right answer.
  var first: Double? { own?.status == .ok ? own?.firstSeconds : nil }
  var planning: Double? { own?.planningSeconds }
  var bestFirst: Double? {
    peers.filter { $0.measurement.status == .ok }.compactMap(\.measurement.firstSeconds).min()
  }

  var firstSpeedup: Double? {
    guard let first, let bestFirst, first > 0 else { return nil }
    return bestFirst / first
  }

  /// How many times faster than one peer.
  func speedup(against peer: String) -> Double? {
    guard let junction, junction.p50 > 0,
      let other = peers.first(where: { $0.id == peer })?.measurement.rightSamples
    else { return nil }
    return other.p50 / junction.p50
  }

  /// How many times the original's time Junction takes.
  var multipleOfOriginal: Double? {
    guard let junction, let original, original.p50 > 0 else { return nil }
    return junction.p50 / original.p50
  }

  /// How many times faster than the best peer; nil where one of them is not there.
  var speedup: Double? {
    guard let junction, let bestPeer, junction.p50 > 0 else { return nil }
    return bestPeer.samples.p50 / junction.p50
  }

  /// How many times the limit's time Junction takes; nil where there is no limit.
  var multipleOfLimit: Double? {
    guard let junction, let limit, limit.p50 > 0 else { return nil }
    return junction.p50 / limit.p50
  }
}

extension BenchEngine {
  /// The name; loops are told apart by their threads, in as few letters as will do.
  var shortName: String {
    let digits = name.filter(\.isNumber)
    return kind == .limit && !digits.isEmpty ? "loop (\(digits))" : name
  }
}

extension BenchRecord {
  /// The engines that took part.
  var presentEngines: [BenchEngine] { engines.filter(\.isPresent) }
  var missingEngines: [BenchEngine] { engines.filter { !$0.isPresent } }

  func standing(_ result: BenchResult) -> Standing {
    func fastest(_ kind: BenchEngine.Kind) -> (engine: BenchEngine, samples: SampleSummary)? {
      var best: (engine: BenchEngine, samples: SampleSummary)?
      for engine in engines where engine.kind == kind {
        guard let samples = result.measurement(of: engine.id)?.rightSamples else { continue }
        if samples.p50 < best?.samples.p50 ?? .infinity { best = (engine, samples) }
      }
      return best
    }
    let original = results.first { $0.id == result.original }?.measurement(of: "junction")
    return Standing(
      result: result, junction: fastest(.junction)?.samples, bestPeer: fastest(.peer),
      loop: fastest(.limit)?.samples, original: original?.rightSamples,
      peers: engines.filter { $0.kind == .peer }.compactMap { peer in
        result.measurement(of: peer.id).map { (peer.id, $0) }
      })
  }

  var standings: [Standing] { results.map(standing) }

  /// The results in groups, both in the order in which they first come.
  var groups: [(name: String, results: [BenchResult])] {
    var groups: [(name: String, results: [BenchResult])] = []
    for result in results {
      if let place = groups.firstIndex(where: { $0.name == result.group }) {
        groups[place].results.append(result)
      } else {
        groups.append((result.group, [result]))
      }
    }
    return groups
  }

  static func title(ofGroup group: String) -> String {
    switch group {
    case "point": "Point queries"
    case "bulk": "Bulk queries"
    case "write": "Writes"
    case "load": "Loading"
    case "everyday": "Everyday questions"
    case let group where group.hasPrefix("near "): "Near variants of \(group.dropFirst(5))"
    default: group
    }
  }

  /// "8,000,000 enrolments of 1,000,000 students in 10,000 courses, Zipf popularity, seed 7".
  var dataSentence: String {
    let settings = settings
    return "\(Quantity.grouped(settings.enrolments)) enrolments of "
      + "\(Quantity.grouped(settings.students)) students in "
      + "\(Quantity.grouped(settings.courses)) courses, "
      + "\(settings.distribution) popularity, seed \(settings.seed)"
  }

  var machineSentence: String {
    let threads = machine.cores == 1 ? "1 core" : "\(machine.cores) cores"
    return "\(machine.cpu), \(threads), \(Quantity.bytes(Double(machine.memoryBytes))) of memory, "
      + machine.operatingSystem
  }

  var bandwidthSentence: String? {
    guard !machine.bandwidth.isEmpty else { return nil }
    let parts = machine.bandwidth.map { bandwidth in
      "\(bandwidth.threads == 1 ? "1 thread reads" : "\(bandwidth.threads) threads read") "
        + "\(Quantity.bytes(bandwidth.readBytesPerSecond)) a second and "
        + "\(bandwidth.threads == 1 ? "copies" : "copy") "
        + "\(Quantity.bytes(bandwidth.copyBytesPerSecond))"
    }
    return "Memory: " + parts.joined(separator: ", ")
  }

  /// Why the times must not be taken for Junction's; nil where nothing speaks against them.
  var caution: String? {
    build.hasPrefix("debug")
      ? "Junction was built without optimisation: these times say nothing about it." : nil
  }

  /// What the run shows in a sentence; nil where there is no peer to compare with.
  var verdict: String? {
    let speedups = standings.compactMap(\.speedup)
    guard !speedups.isEmpty else { return nil }
    let won = speedups.count { $0 > 1 }
    let middle = SampleSummary.quantile(0.5, of: speedups.sorted())
    let lead =
      won == speedups.count
      ? (won == 1 ? "the one workload" : "all \(won) workloads")
      : "\(won) of \(speedups.count) workloads"
    let half = speedups.count > 2 ? ", on half of them by \(Quantity.ratio(middle)) or more" : ""
    return "Junction is faster than the best peer on \(lead)"
      + (middle > 1 && won == speedups.count ? half : "") + "."
  }
}

extension BenchMeasurement {
  /// The samples of a right answer.
  var rightSamples: SampleSummary? { status == .ok ? samples : nil }

  /// What a table says instead of a time.
  var statusWord: String {
    switch status {
    case .ok: samples == nil ? "not timed" : ""
    case .wrong: "wrong"
    case .error: "error"
    case .unsupported: "–"
    case .timeout: "too long"
    case .missing: "missing"
    }
  }
}
