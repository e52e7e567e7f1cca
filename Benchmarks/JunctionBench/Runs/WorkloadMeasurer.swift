/// Checks one workload's answers in all engines, then measures those that are right, in turn.
struct WorkloadMeasurer {
  let run: BenchmarkRun
  let limit: LimitEngine

  /// What is known of an engine while a workload is measured.
  private struct Entry {
    let engine: any Engine
    let id: String
    let query: Query
    var seconds: [Double] = []
    var executions = 0
    var rows = 0
    var processorSeconds = 0.0
    var next = 0
    var failure: EngineFailure?

    var spent: Double { seconds.reduce(0, +) }
  }

  private var options: RunOptions { run.options }

  func measure(_ workload: Workload) -> BenchResult {
    let sets = parameterSets(workload)
    var entries = run.engines.compactMap { engine -> Entry? in
      // A loop that is not written, or too short for a second thread, is no result at all.
      if let limit = engine as? LimitEngine, !limit.has(workload.limit) { return nil }
      return Entry(engine: engine, id: engine.description.id, query: workload.query(for: engine))
    }
    if sets.isEmpty {
      for place in entries.indices {
        entries[place].failure = EngineFailure(.unsupported, "the data has nothing to ask for")
      }
    } else {
      check(workload, sets, &entries)
    }
    let rounds = 5
    for round in 0..<rounds {
      for place in entries.indices where entries[place].failure == nil {
        let entry = entries[place]
        let spent = entry.spent
        let isEnough = entry.executions >= 3 && spent >= options.secondsPerQuery
        if round > 0 && (isEnough || spent > 3 * options.secondsPerQuery) { continue }
        run.progress.say(
          "\(workload.id): \(entry.engine.description.name), round \(round + 1) of \(rounds)",
          isStep: false)
        takeBlock(workload, sets, &entries[place], rounds: rounds)
      }
    }
    return BenchResult(
      id: workload.id, title: workload.title, group: workload.group, sql: workload.sql,
      measurements: entries.map(Self.measurement))
  }

  private func parameterSets(_ workload: Workload) -> [[ParameterValue]] {
    guard let source = workload.parameters, let school = limit.school else { return [[]] }
    return source.values(of: school, seed: options.seed)
  }

  private static func measurement(_ entry: Entry) -> BenchMeasurement {
    var measurement = BenchMeasurement(engine: entry.id, status: .ok)
    if let failure = entry.failure {
      measurement.status = failure.status
      measurement.message = failure.message
    } else {
      measurement.samples = SampleSummary(seconds: entry.seconds)
      let count = Double(max(1, entry.executions))
      measurement.cpuSeconds =
        entry.processorSeconds > 0 ? entry.processorSeconds / count : nil
      measurement.rows = Double(entry.rows) / count
    }
    return measurement
  }

  private func deadline(_ soft: Double) -> Deadline {
    Deadline(soft: soft, hard: options.secondsToTimeout)
  }

  // MARK: - Measuring

  private func takeBlock(
    _ workload: Workload, _ sets: [[ParameterValue]], _ entry: inout Entry, rounds: Int
  ) {
    let left = options.samples - entry.seconds.count
    guard left > 0 else { return }
    let isChange = workload.kind == .change
    var block = SampleBlock(
      next: isChange ? 0 : entry.next, budget: options.secondsPerQuery / Double(rounds),
      most: min(left, max(1, options.samples / rounds)))
    // A change is made once for each set, and undone for all sets afterwards.
    if isChange { block.most = min(block.most, sets.count) }
    block.mayBatch = !isChange
    do throws(EngineFailure) {
      if let before = workload.before {
        try quietly(entry.engine, workload.statement(before, "before"), sets)
      }
      try entry.engine.run(
        entry.query, sets, &block,
        until: Deadline(soft: block.budget, hard: options.secondsToTimeout + block.budget))
      if let after = workload.after {
        try quietly(entry.engine, workload.statement(after, "after"), sets)
      }
      entry.seconds += block.seconds
      entry.executions += block.executions
      entry.rows += block.rows
      entry.processorSeconds += block.processorSeconds
      entry.next = block.next
    } catch {
      // What was measured before is not kept: an engine that fails now and then is not measured.
      entry.failure = error
    }
  }

  /// Runs a statement once for each set, untimed.
  private func quietly(
    _ engine: any Engine, _ query: Query, _ sets: [[ParameterValue]]
  ) throws(EngineFailure) {
    var block = SampleBlock(budget: options.secondsToTimeout, most: sets.count)
    try engine.run(query, sets, &block, until: deadline(options.secondsToTimeout))
  }

  // MARK: - Checking

  private func check(
    _ workload: Workload, _ sets: [[ParameterValue]], _ entries: inout [Entry]
  ) {
    let expectations =
      run.isDefaultData
      ? workload.expectations.filter { $0.size == options.size.rawValue } : []
    let reference = self.reference(workload, sets)
    for place in entries.indices {
      let entry = entries[place]
      run.progress.say("\(workload.id): checking \(entry.engine.description.name)", isStep: false)
      do throws(EngineFailure) {
        if let reason = workload.unsupported[entry.engine.dialect] {
          throw EngineFailure(.unsupported, reason)
        }
        if workload.kind == .change {
          try checkChange(workload, entry, sets)
          continue
        }
        let fixed = expectations.map(\.parameters)
        let answers = try entry.engine.check(
          entry.query, fixed + sets, until: deadline(max(0.5, options.secondsPerQuery)))
        let known = expectations.map(\.answer) as [Answer?] + reference
        for (index, answer) in answers.enumerated() {
          guard index < known.count, let right = known[index], right != answer else { continue }
          let set = (fixed + sets)[index].map(\.literal).joined(separator: ", ")
          throw EngineFailure(
            .wrong, "for (\(set)) it answers \(answer), and the right answer is \(right)")
        }
      } catch {
        entries[place].failure = error
        if error.status != .unsupported {
          run.progress.note(
            "\(workload.id), \(entry.engine.description.name): \(error.status.rawValue): "
              + error.message)
        }
      }
    }
  }

  /// What the loop that knows the answer says for each set; nothing where no loop does.
  private func reference(_ workload: Workload, _ sets: [[ParameterValue]]) -> [Answer?] {
    guard let loop = workload.reference ?? workload.limit else { return [] }
    var query = workload.query(for: limit)
    query.loop = loop
    return (try? limit.check(query, sets, until: deadline(0))) ?? []
  }

  /// A change must change one row, and what breaks a key must be refused.
  private func checkChange(
    _ workload: Workload, _ entry: Entry, _ sets: [[ParameterValue]]
  ) throws(EngineFailure) {
    guard entry.engine.checksKeys else {
      throw EngineFailure(.unsupported, "it is loaded without keys to check")
    }
    for set in sets.prefix(3) {
      let deadline = self.deadline(1)
      if let before = workload.before {
        _ = try entry.engine.check(
          workload.statement(before, "before"), [set], until: deadline)
      }
      let answer = try entry.engine.check(entry.query, [set], until: deadline)
      guard answer.first?.rows == 1 else {
        throw EngineFailure(.wrong, "it changed \(answer.first?.rows ?? 0) rows and not 1")
      }
      for text in workload.mustFail {
        let query = workload.statement(text, "must fail")
        if (try? entry.engine.check(query, [set], until: deadline)) != nil {
          throw EngineFailure(.wrong, "it did not refuse \(query.text(with: set))")
        }
      }
      if let after = workload.after {
        _ = try entry.engine.check(workload.statement(after, "after"), [set], until: deadline)
      }
    }
  }
}
