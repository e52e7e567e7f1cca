import Foundation

/// What a process that does nothing but load prints.
struct LoadReport: Codable {
  var outcome: LoadOutcome
  var residentBefore: Int
  var memory: EngineMemory
}

/// Loading is measured in processes of their own, so that memory and pages of one engine are not another's.
extension BenchmarkRun {
  func measureLoads(_ workload: Workload) {
    var seconds: [String: [Double]] = [:]
    var reports: [String: LoadReport] = [:]
    var failures: [String: EngineFailure] = [:]
    let most = min(options.samples, options.size == .XS ? 1 : 5)
    for round in 0..<most {
      for engine in engines {
        let id = engine.description.id
        let spent = (seconds[id] ?? []).reduce(0, +)
        // An engine whose loads took long enough is asked no further. The first ones get memory that the machine
        // has not used before, which takes longer than loading, so that one or two tell little.
        let isEnough = round > 0 && spent > max(4, 2 * options.secondsPerQuery)
        if failures[id] != nil || isEnough { continue }
        progress.say(
          "loading in \(engine.description.name), \(round + 1) of \(most)", isStep: round == 0)
        do throws(EngineFailure) {
          let report = try load(engine)
          seconds[id, default: []].append(report.outcome.seconds)
          reports[id] = report
        } catch {
          failures[id] = error
        }
      }
    }
    var result = BenchResult(
      id: workload.id, title: workload.title, group: workload.group, sql: workload.sql,
      measurements: [])
    for engine in engines {
      let id = engine.description.id
      var measurement = BenchMeasurement(engine: id, status: .ok)
      if let failure = failures[id] {
        measurement.status = failure.status
        measurement.message = failure.message
      } else if let taken = seconds[id], let report = reports[id] {
        measurement.samples = SampleSummary(seconds: taken)
        measurement.cpuSeconds = report.outcome.processorSeconds
        measurement.message = report.outcome.note
        note(id) { record in
          record.loadSeconds = measurement.samples?.p50
          record.loadCPUSeconds = report.outcome.processorSeconds
          record.residentBytesAfterLoad = max(0, report.memory.resident - report.residentBefore)
          record.peakResidentBytes = report.memory.peak
        }
      }
      result.measurements.append(measurement)
    }
    results.append(result)
  }

  private func load(_ engine: any Engine) throws(EngineFailure) -> LoadReport {
    if engine is ScriptEngine { return try loadByScript(engine.description.id) }
    let program = ProcessInfo.processInfo.arguments.first ?? "junction-bench"
    let path = FileManager.default.fileExists(atPath: "/proc/self/exe") ? "/proc/self/exe" : program
    let arguments = [
      "load-once", engine.description.id, folder, "--home", home, "--peers-env",
      options.peersEnvironment, "--threads", "\(options.threads)",
    ]
    do throws(BenchError) {
      let process = try ScriptProcess(
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path, arguments)
      defer { process.stop() }
      guard let line = try process.line(within: max(600, 4 * options.secondsToTimeout)) else {
        throw BenchError("loading took too long")
      }
      guard let report = try? JSONDecoder().decode(LoadReport.self, from: Data(line.utf8)) else {
        throw BenchError(line)
      }
      return report
    } catch {
      throw EngineFailure(.error, error.description)
    }
  }

  private func loadByScript(_ id: String) throws(EngineFailure) -> LoadReport {
    switch roster.engine(id) {
    case .failure(let missing): throw EngineFailure(.missing, missing.record.missingReason ?? "")
    case .success(let engine):
      // Before it is started, the process that holds the data may not be there.
      let before = (try? engine.memory()) ?? EngineMemory(resident: 0, peak: 0)
      let outcome = try engine.load(folder)
      return LoadReport(
        outcome: outcome, residentBefore: before.resident, memory: try engine.memory())
    }
  }

  /// The command of such a process: loads in one engine and prints what it took.
  static func loadOnce(_ id: String, _ folder: String, _ options: RunOptions) throws(BenchError) {
    // Not every engine can be told how many threads may load.
    Processors.keep(options.threads)
    let roster = EngineRoster(
      home: try options.homeFolder(), environment: options.peersEnvironment,
      threads: options.threads)
    switch roster.engine(id) {
    case .failure(let missing): throw BenchError(missing.record.missingReason ?? "missing")
    case .success(let engine):
      let before = ProcessMemory.own.resident
      do throws(EngineFailure) {
        let outcome = try engine.load(folder)
        let report = LoadReport(
          outcome: outcome, residentBefore: before, memory: try engine.memory())
        let encoded = try? JSONEncoder().encode(report)
        print(String(decoding: encoded ?? Data(), as: UTF8.self))
      } catch {
        throw BenchError(error.message)
      }
    }
  }
}
