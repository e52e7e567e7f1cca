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
    workloads = try options.group.workloads(home: home, size: options.size, only: options.only)
  }

  func run() throws(BenchError) -> BenchRecord {
    let date = ISO8601DateFormatter().string(from: Date())
    try prepareData()
    makeEngines()
    if let load = workloads.first(where: { $0.kind == .load }) { measureLoads(load) }
    let school = try loadAll()
    let bandwidth = measureBandwidth()
    let measurer = WorkloadMeasurer(run: self, school: school)
    let queries = workloads.filter { $0.kind != .load }
    for (number, workload) in queries.enumerated() {
      progress.say("\(number + 1) of \(queries.count): \(workload.id), \(workload.title)")
      results.append(measurer.measure(workload))
    }
    // The load comes last in tables, though it was measured first.
    if let first = results.first, first.group == "load" { results.append(results.removeFirst()) }
    progress.say("done")
    progress.clear()
    return record(date, school, bandwidth)
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
    let say = { [progress] (done: Int, total: Int) in
      progress.say("generating: \(done * 100 / total) %", isStep: false)
    }
    if options.group.hasAttributes {
      try AttributedSchoolGenerator(
        parameters: options.attributedSchool, folder: partial, progress: say
      ).run()
    } else {
      try SchoolGenerator(parameters: options.school, folder: partial, progress: say).run()
    }
    do {
      try files.moveItem(atPath: partial, toPath: folder)
    } catch {
      throw BenchError("could not move \(partial): \(error.localizedDescription)")
    }
  }

  private func makeEngines() {
    var ids = ["junction"] + (options.peers ?? options.group.peers)
    // The loops know the school without attributes alone.
    if !options.group.hasAttributes {
      ids += options.threads > 1 ? ["limit1", "limit2"] : ["limit1"]
    }
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
  private func loadAll() throws(BenchError) -> SchoolShape {
    var loaded: [any Engine] = []
    var school: SchoolArrays?
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
          if let limit = engine as? LimitEngine { school = limit.school }
        }
        loaded.append(engine)
      } catch {
        note(record.id) { $0.missingReason = "could not load: \(error.message)" }
        progress.note("\(record.name) could not load: \(error.message)")
      }
    }
    engines = engines.filter { engine in loaded.contains { $0 === engine } }
    let shape: SchoolShape
    if options.group.hasAttributes {
      shape = try SchoolShape(folder: folder)
    } else if let school {
      shape = SchoolShape(school)
    } else {
      throw BenchError("the data in \(folder) is not as generated")
    }
    isDefaultData = isGenerated
    return shape
  }

  /// Whether the data is what the generator makes of the default seed, whose answers the workload files know.
  private var isGenerated: Bool {
    options.isZipf && options.seed == 42
      && DataFingerprint.matches(
        folder, size: options.size.rawValue, workloads: options.group.dataFolder(home: home))
  }

  private func measureBandwidth() -> [MemoryBandwidth] {
    progress.say("measuring memory bandwidth")
    let megabytes = options.size == .XS ? 8 : 512
    return (1...max(1, min(2, options.threads))).map {
      MemoryBandwidth.measured(threads: $0, megabytes: megabytes)
    }
  }

  private func record(
    _ date: String, _ school: SchoolShape, _ bandwidth: [MemoryBandwidth]
  ) -> BenchRecord {
    let commit = MachineDescription.commit(of: home)
    note("junction") { $0.version = commit }
    if MachineDescription.isOlderThanCommit(of: home) {
      notes.append("The program was built before the commit named here: build it again.")
    }
    let enrolments = school.enrolments
    for place in records.indices {
      if let resident = records[place].residentBytesAfterLoad, enrolments > 0 {
        records[place].bytesPerEnrolment = Double(resident) / Double(enrolments)
      }
    }
    if !isDefaultData && options.group == .school {
      notes.append("The answers were compared with each other only: the data is not the default.")
    }
    return BenchRecord(
      date: date, commit: commit, build: MachineDescription.build,
      machine: MachineDescription.machine(bandwidth: bandwidth),
      settings: BenchSettings(
        size: options.data == nil || isDefaultData ? options.size.rawValue : "custom",
        students: school.students, courses: school.courses,
        enrolments: enrolments, distribution: options.isZipf ? "Zipf" : "uniform",
        seed: options.seed, threads: options.threads, samples: options.samples,
        secondsPerQuery: options.secondsPerQuery),
      engines: records, results: results, notes: notes)
  }
}
