import Foundation

/// The reads of LDBC's Social Network Benchmark in Junction, by SQL and by patterns, and in its peers.
///
/// Each engine's answers are checked against the known ones first; then those that are right are timed in turn.
final class SocialNetworkRun {
  private let options: RunOptions
  private let folder: String
  private let home: String
  private let progress: Progress
  private let sets: ParameterSets
  private let workloads: [Workload]
  private var engines: [any Engine] = []
  private var records: [BenchEngine] = []
  private var results: [BenchResult] = []
  /// Whether there was an answer to compare each with.
  private var isKnown = true

  /// One wording of a query in one engine.
  private struct Entry {
    let engine: any Engine
    let query: Query
    /// Whether it is Junction's wording by patterns.
    var isPattern = false
    var failure: EngineFailure?
    var first: Double?
    var seconds: [Double] = []
    var next = 0
  }

  private static let rounds = 3

  init(_ options: RunOptions) throws(BenchError) {
    guard let data = options.data else {
      throw BenchError("--data is needed, a folder that Benchmarks/SNB/snb.py made")
    }
    self.options = options
    folder = data
    home = try options.homeFolder()
    progress = Progress(isQuiet: options.isQuiet)
    sets = try ParameterSets(folder: data)
    workloads = try WorkloadParser.parseFolder("\(home)/SNB/queries")
      .filter { options.only.isEmpty || options.only.contains($0.id) }
      .sorted { $0.id.compare($1.id, options: .numeric) == .orderedAscending }
    if workloads.isEmpty {
      throw BenchError("there is no query \(options.only.joined(separator: ", "))")
    }
  }

  /// Runs everything; says false where Junction's answer was wrong.
  func run() throws(BenchError) -> Bool {
    let date = ISO8601DateFormatter().string(from: Date())
    try load()
    for (number, workload) in workloads.enumerated() {
      progress.say("\(number + 1) of \(workloads.count): \(workload.id), \(workload.title)")
      results += try measure(workload)
    }
    progress.clear()
    let record = record(date)
    print(SocialNetworkReport(record: record, isKnown: isKnown).text, terminator: "")
    if let folder = options.out { try ReportCommand.write([record], to: folder) }
    return results.allSatisfy { result in
      let status = result.measurement(of: "junction")?.status
      return status == .ok || status == .unsupported
    }
  }

  private func load() throws(BenchError) {
    let roster = EngineRoster(
      home: home, environment: options.peersEnvironment, threads: options.threads)
    for id in ["junction"] + (options.peers ?? ["duckdb", "ladybug"]) {
      guard case .success(let engine) = roster.engine(id) else {
        if case .failure(let missing) = roster.engine(id) { records.append(missing.record) }
        continue
      }
      var record = engine.description
      progress.say("loading \(record.name)")
      do throws(EngineFailure) {
        record.loadSeconds = try engine.load(folder).seconds
        engines.append(engine)
      } catch {
        if id == "junction" { throw BenchError(error.message) }
        record.missingReason = "could not load: \(error.message)"
      }
      records.append(record)
    }
  }

  // MARK: One query

  private func measure(_ workload: Workload) throws(BenchError) -> [BenchResult] {
    guard let entry = sets[workload.id], !entry.parameters.isEmpty else {
      throw BenchError("\"\(folder)/sets.json\" has no parameters for \(workload.id)")
    }
    if entry.answers.isEmpty { isKnown = false }
    var entries = wordings(workload)
    for place in entries.indices where entries[place].failure == nil {
      check(&entries[place], workload, entry)
    }
    for _ in 0..<Self.rounds {
      for place in entries.indices where entries[place].failure == nil {
        time(&entries[place], entry.parameters)
      }
    }
    return results(workload, entries, entry.parameters)
  }

  private func wordings(_ workload: Workload) -> [Entry] {
    engines.flatMap { engine -> [Entry] in
      var own = Entry(engine: engine, query: workload.query(for: engine))
      if let reason = workload.unsupported[engine.dialect] {
        own.failure = EngineFailure(.unsupported, reason)
      }
      guard engine is JunctionEngine else { return [own] }
      var query = own.query
      query.id += "g"
      query.sql = workload.dialects["graph"].orEmpty
      var pattern = Entry(engine: engine, query: query, isPattern: true)
      if let reason = workload.unsupported["graph"] {
        pattern.failure = EngineFailure(.unsupported, reason)
      }
      return [own, pattern]
    }
  }

  private func check(_ entry: inout Entry, _ workload: Workload, _ known: ParameterSets.Entry) {
    let limit = options.secondsToTimeout
    do throws(EngineFailure) {
      var block = SampleBlock(budget: 0, most: 1)
      try entry.engine.run(
        entry.query, [known.parameters[0]], &block, until: Deadline(soft: 0, hard: limit))
      entry.first = block.seconds.first
      let answers = try entry.engine.check(
        entry.query, known.parameters, until: Deadline(soft: limit, hard: limit))
      for (place, (answer, right)) in zip(answers, known.answers).enumerated()
      where answer != right {
        let set = known.parameters[place].map(\.literal).joined(separator: ", ")
        throw EngineFailure(
          .wrong, "for (\(set)) it answers \(answer), and the right answer is \(right)")
      }
    } catch {
      entry.failure = error
      let name = entry.engine.description.name
      progress.note("\(entry.query.id), \(name): \(error.status.rawValue): \(error.message)")
    }
  }

  /// Executes a query with one set of parameters after another.
  private func time(_ entry: inout Entry, _ sets: [[ParameterValue]]) {
    let budget = options.secondsPerQuery / Double(Self.rounds)
    var block = SampleBlock(
      next: entry.next, budget: budget, most: max(1, options.samples / Self.rounds))
    do throws(EngineFailure) {
      try entry.engine.run(
        entry.query, sets, &block,
        until: Deadline(soft: budget, hard: budget + options.secondsToTimeout))
      entry.seconds += block.seconds
      entry.next = block.next
    } catch {
      entry.failure = error
    }
  }

  // MARK: Results

  /// A result for each of Junction's wordings, with the peers beside it.
  private func results(
    _ workload: Workload, _ entries: [Entry], _ sets: [[ParameterValue]]
  ) -> [BenchResult] {
    let peers = entries.filter { !($0.engine is JunctionEngine) }.map(Self.measurement)
    return entries.compactMap { entry in
      guard let engine = entry.engine as? JunctionEngine else { return nil }
      let limit = Deadline(soft: 0, hard: options.secondsToTimeout)
      return BenchResult(
        id: entry.query.id, title: workload.title,
        group: entry.isPattern ? "\(workload.group), by patterns" : workload.group,
        sql: entry.query.sql,
        plan: entry.failure == nil && options.out != nil
          ? engine.plan(entry.query, after: nil, sets[0], until: limit) : nil,
        measurements: [Self.measurement(entry)] + peers)
    }
  }

  private static func measurement(_ entry: Entry) -> BenchMeasurement {
    var measurement = BenchMeasurement(engine: entry.engine.description.id, status: .ok)
    measurement.firstSeconds = entry.first
    if let failure = entry.failure {
      measurement.status = failure.status
      measurement.message = failure.message
    } else {
      measurement.samples = SampleSummary(seconds: entry.seconds)
    }
    return measurement
  }

  private func record(_ date: String) -> BenchRecord {
    BenchRecord(
      date: date, commit: MachineDescription.commit(of: home),
      build: MachineDescription.build, machine: MachineDescription.machine(bandwidth: []),
      settings: BenchSettings(
        size: "LDBC SNB, \(folder)", students: 0, courses: 0, enrolments: 0, distribution: "",
        seed: 0, threads: options.threads, samples: options.samples,
        secondsPerQuery: options.secondsPerQuery),
      engines: records, results: results)
  }
}
