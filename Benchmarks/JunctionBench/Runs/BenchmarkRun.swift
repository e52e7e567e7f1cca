import Foundation

/// One run at one size: loads the data in every engine, checks every answer, and only then measures, all in turn.
final class BenchmarkRun {
  let options: RunOptions
  let home: String
  let progress: Progress
  let roster: EngineRoster
  let workloads: [Workload]
  var folder = ""
  /// The engines that are there and hold the data, in the order of the tables.
  private(set) var engines: [any Engine] = []
  private(set) var records: [BenchEngine] = []
  var results: [BenchResult] = []
  var notes: [String] = []
  private(set) var isDefaultData = false

  init(_ options: RunOptions) throws(BenchError) {
    self.options = options
    progress = Progress(isQuiet: options.isQuiet)
    home = try options.homeFolder()
    roster = EngineRoster(
      home: home, environment: options.peersEnvironment, threads: options.threads)
    let all = try WorkloadParser.parseFolder("\(home)/Workloads")
    workloads = all.filter { workload in
      let isChosen =
        options.only.isEmpty
        || options.only.contains { workload.id == $0 || workload.id.hasPrefix("\($0)-") }
      let fits = workload.sizes.isEmpty || workload.sizes.contains(options.size.rawValue)
      return isChosen && (fits || options.only.contains(workload.id))
    }
    if workloads.isEmpty {
      throw BenchError("there is no workload \(options.only.joined(separator: ", "))")
    }
  }

  func run() throws(BenchError) -> BenchRecord {
    let date = ISO8601DateFormatter().string(from: Date())
    try prepareData()
    makeEngines()
    if let load = workloads.first(where: { $0.kind == .load }) { measureLoads(load) }
    let limit = try loadAll()
    let bandwidth = measureBandwidth()
    let measurer = WorkloadMeasurer(run: self, limit: limit)
    let queries = workloads.filter { $0.kind != .load }
    for (number, workload) in queries.enumerated() {
      progress.say("\(number + 1) of \(queries.count): \(workload.id), \(workload.title)")
      results.append(measurer.measure(workload))
    }
    // The load comes last in tables, though it was measured first.
    if let first = results.first, first.group == "load" { results.append(results.removeFirst()) }
    progress.say("done")
    progress.clear()
    return record(date, limit, bandwidth)
  }

  /// Generates the data where it is not there yet, under another name until it is whole.
  private func prepareData() throws(BenchError) {
    if let data = options.data {
      folder = data
      return
    }
    folder = options.generatedFolder
    let files = FileManager.default
    if files.fileExists(atPath: "\(folder)/schema.sql") { return }
    let partial = "\(folder).\(ProcessInfo.processInfo.processIdentifier)"
    do {
      try files.createDirectory(atPath: partial, withIntermediateDirectories: true)
    } catch {
      throw BenchError("could not make \(partial): \(error.localizedDescription)")
    }
    progress.say("generating \(folder)")
    let generator = SchoolGenerator(parameters: options.school, folder: partial) {
      [progress] done, total in
      progress.say("generating: \(done * 100 / total) %", isStep: false)
    }
    try generator.run()
    do {
      try files.moveItem(atPath: partial, toPath: folder)
    } catch {
      throw BenchError("could not move \(partial): \(error.localizedDescription)")
    }
  }

  private func makeEngines() {
    var ids = ["junction"] + (options.peers ?? RunOptions.peerNames) + ["limit1"]
    if options.threads > 1 { ids.append("limit2") }
    for id in ids {
      switch roster.engine(id) {
      case .success(let engine):
        engines.append(engine)
        records.append(engine.description)
      case .failure(let missing):
        records.append(missing.record)
        progress.note(
          "\(missing.record.name) is missing: \(missing.record.missingReason ?? ""); install it by: "
            + "\(missing.record.installCommand ?? "")")
      }
    }
  }

  /// Changes what the record says of an engine.
  func note(_ id: String, _ change: (inout BenchEngine) -> Void) {
    guard let place = records.firstIndex(where: { $0.id == id }) else { return }
    change(&records[place])
  }

  /// Loads the data in all engines of this process; those that fail take no further part.
  private func loadAll() throws(BenchError) -> LimitEngine {
    var loaded: [any Engine] = []
    var school: SchoolArrays?
    var first: LimitEngine?
    // The loops' arrays come first: parameters and answers are made from them.
    for engine in engines.sorted(by: { $0.dialect == "limit" && $1.dialect != "limit" }) {
      let record = engine.description
      progress.say("loading in \(record.name)")
      let before = ProcessMemory.own.resident
      do throws(EngineFailure) {
        if let limit = engine as? LimitEngine, let school {
          limit.use(school)
        } else {
          let outcome = try engine.load(folder)
          let grown = ProcessMemory.own.resident - before
          note(record.id) { record in
            record.loadSeconds = record.loadSeconds ?? outcome.seconds
            record.loadCPUSeconds = record.loadCPUSeconds ?? outcome.processorSeconds
            record.residentBytesAfterLoad = record.residentBytesAfterLoad ?? max(0, grown)
          }
          if let limit = engine as? LimitEngine {
            school = limit.school
            first = limit
          }
        }
        loaded.append(engine)
      } catch {
        note(record.id) { $0.missingReason = "could not load: \(error.message)" }
        progress.note("\(record.name) could not load: \(error.message)")
      }
    }
    engines = engines.filter { engine in loaded.contains { $0 === engine } }
    guard let first, let school else {
      throw BenchError("the data in \(folder) is not as generated")
    }
    isDefaultData = isGenerated(school)
    return first
  }

  /// Whether the data is what the generator makes of the default seed, whose answers the workload files know.
  private func isGenerated(_ school: SchoolArrays) -> Bool {
    let expected = options.school
    return options.isZipf && options.seed == 42 && school.students == expected.students
      && school.courses == expected.courses
      && DataFingerprint.matches(folder, size: options.size.rawValue, home: home)
  }

  private func measureBandwidth() -> [MemoryBandwidth] {
    progress.say("measuring memory bandwidth")
    let megabytes = options.size == .XS ? 8 : 512
    return (1...max(1, min(2, options.threads))).map {
      MemoryBandwidth.measured(threads: $0, megabytes: megabytes)
    }
  }

  private func record(
    _ date: String, _ limit: LimitEngine, _ bandwidth: [MemoryBandwidth]
  ) -> BenchRecord {
    let commit = MachineDescription.commit(of: home)
    note("junction") { $0.version = commit }
    if MachineDescription.isOlderThanCommit(of: home) {
      notes.append("The program was built before the commit named here: build it again.")
    }
    let enrolments = limit.school?.enrolments ?? 0
    for place in records.indices {
      if let resident = records[place].residentBytesAfterLoad, enrolments > 0 {
        records[place].bytesPerEnrolment = Double(resident) / Double(enrolments)
      }
    }
    if !isDefaultData {
      notes.append("The answers were compared with each other only: the data is not the default.")
    }
    return BenchRecord(
      date: date, commit: commit, build: MachineDescription.build,
      machine: MachineDescription.machine(bandwidth: bandwidth),
      settings: BenchSettings(
        size: options.data == nil || isDefaultData ? options.size.rawValue : "custom",
        students: limit.school?.students ?? 0, courses: limit.school?.courses ?? 0,
        enrolments: enrolments, distribution: options.isZipf ? "Zipf" : "uniform",
        seed: options.seed, threads: options.threads, samples: options.samples,
        secondsPerQuery: options.secondsPerQuery),
      engines: records, results: results, notes: notes)
  }
}
