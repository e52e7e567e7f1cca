/// Checks one workload's answers in all engines, then measures those that are right, in turn.
struct WorkloadMeasurer {
  let run: BenchmarkRun
  let school: SchoolShape

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
    /// Seconds of the first execution.
    var first: Double?

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
      original: workload.original, touchesMore: workload.touchesMore,
      plan: plan(workload, sets, entries), measurements: entries.map(Self.measurement))
  }

  /// Junction's plan for the first set, of a query that it answers rightly.
  private func plan(
    _ workload: Workload, _ sets: [[ParameterValue]], _ entries: [Entry]
  ) -> String? {
    guard let set = sets.first,
      let entry = entries.first(where: { $0.engine is JunctionEngine && $0.failure == nil }),
      let engine = entry.engine as? JunctionEngine
    else { return nil }
    let before = workload.before.map { workload.statement($0, "before") }
    return engine.plan(entry.query, after: before, set, until: deadline(0))
  }

  private func parameterSets(_ workload: Workload) -> [[ParameterValue]] {
    workload.parameters.map { $0.values(of: school, seed: options.seed) } ?? [[]]
  }

  private static func measurement(_ entry: Entry) -> BenchMeasurement {
    var measurement = BenchMeasurement(engine: entry.id, status: .ok)
    if let failure = entry.failure {
      measurement.status = failure.status
      measurement.message = failure.message
    } else {
      measurement.samples = SampleSummary(seconds: entry.seconds)
      measurement.firstSeconds = entry.first
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

  /// Times the first execution in an engine that was loaded for this run, preparing and planning included.
  private func takeFirst(
    _ workload: Workload, _ set: [ParameterValue], _ entry: inout Entry
  ) throws(EngineFailure) {
    guard workload.kind != .change, !(entry.engine is LimitEngine) else { return }
    var block = SampleBlock(budget: 0, most: 1)
    let start = Stopwatch.now
    try entry.engine.run(entry.query, [set], &block, until: deadline(0))
    // What a script's clock does not see is the way to the script.
    entry.first = entry.engine is ScriptEngine ? block.seconds.first : Stopwatch.now - start
  }

  // MARK: - Checking

  private func check(
    _ workload: Workload, _ sets: [[ParameterValue]], _ entries: inout [Entry]
  ) {
    let expectations =
      run.isDefaultData
      ? workload.expectations.filter { $0.size == options.size.rawValue } : []
    let fixed = expectations.map(\.parameters)
    var known = expectations.map(\.answer) as [Answer?]
    let loop = loop(of: workload)
    known += loop.map { reference(workload, $0, sets) } ?? []
    // Where no loop knows the answer, a peer tells it, so peers come first.
    let order = entries.indices.sorted { left, right in
      Self.trust(entries[left].id) > Self.trust(entries[right].id)
    }
    for place in loop == nil ? order : Array(entries.indices) {
      run.progress.say(
        "\(workload.id): checking \(entries[place].engine.description.name)", isStep: false)
      do throws(EngineFailure) {
        if let reason = workload.unsupported[entries[place].engine.dialect] {
          throw EngineFailure(.unsupported, reason)
        }
        if let set = sets.first { try takeFirst(workload, set, &entries[place]) }
        if workload.kind == .change {
          try checkChange(workload, entries[place], sets)
          continue
        }
        let answers = try entries[place].engine.check(
          entries[place].query, fixed + sets, until: deadline(max(0.5, options.secondsPerQuery)))
        for (index, answer) in answers.enumerated() {
          guard index < known.count, let right = known[index], right != answer else { continue }
          let set = (fixed + sets)[index].map(\.literal).joined(separator: ", ")
          throw EngineFailure(
            .wrong, "for (\(set)) it answers \(answer), and the right answer is \(right)")
        }
        known += (answers.dropFirst(known.count) as ArraySlice<Answer>).map(Optional.some)
      } catch {
        entries[place].failure = error
        if error.status != .unsupported {
          run.progress.note(
            "\(workload.id), \(entries[place].engine.description.name): "
              + "\(error.status.rawValue): \(error.message)")
        }
      }
    }
  }

  /// The order in which engines are believed: first those that have had most users for such questions.
  private static func trust(_ id: String) -> Int {
    ["hyper", "sqlite", "duckdb"].firstIndex(of: id) ?? -1
  }

  /// The loop that knows the answer, with the engine that runs it.
  private func loop(of workload: Workload) -> (engine: LimitEngine, name: String)? {
    guard let name = workload.reference ?? workload.limit else { return nil }
    let engine = run.engines.lazy.compactMap { $0 as? LimitEngine }.first
    return engine.map { ($0, name) }
  }

  /// What the loop says for each set.
  private func reference(
    _ workload: Workload, _ loop: (engine: LimitEngine, name: String), _ sets: [[ParameterValue]]
  ) -> [Answer?] {
    var query = workload.query(for: loop.engine)
    query.loop = loop.name
    return (try? loop.engine.check(query, sets, until: deadline(0))) ?? []
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
