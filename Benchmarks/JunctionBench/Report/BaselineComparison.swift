/// Two records of the same machine and settings, side by side: what became slower, what faster.
struct BaselineComparison {
  enum Change: String { case slower, faster, same = "", appeared = "new", gone, broken }

  struct Line {
    let engine: String
    let workload: String
    let title: String
    let before: SampleSummary?
    let after: SampleSummary?
    let change: Change

    /// The new median as a multiple of the old one.
    var ratio: Double? {
      guard let before, let after, before.p50 > 0 else { return nil }
      return after.p50 / before.p50
    }
  }

  /// What differs between the records besides the code, in sentences.
  let warnings: [String]
  let lines: [Line]
  let threshold: Double

  var regressions: [Line] { lines.filter { $0.change == .slower || $0.change == .broken } }
  var exitStatus: Int32 { regressions.isEmpty ? 0 : 1 }

  /// Compares Junction's medians, or those of the engines named; a threshold of 0.1 lets them grow by 10 %.
  init(
    baseline: BenchRecord, record: BenchRecord, threshold: Double = 0.1,
    engines: [String] = ["junction"]
  ) {
    self.threshold = threshold
    warnings = Self.differences(baseline, record)
    lines = engines.flatMap { engine in
      Self.lines(baseline, record, engine: engine, threshold: threshold)
    }
  }

  private static func differences(_ old: BenchRecord, _ new: BenchRecord) -> [String] {
    var warnings: [String] = []
    func note(_ what: String, _ before: String, _ after: String) {
      if before != after { warnings.append("the \(what) differs: \(before), then \(after)") }
    }
    note("processor", old.machine.cpu, new.machine.cpu)
    note("number of cores", "\(old.machine.cores)", "\(new.machine.cores)")
    note("system", old.machine.operatingSystem, new.machine.operatingSystem)
    note("data", old.dataSentence, new.dataSentence)
    note("number of threads", "\(old.settings.threads)", "\(new.settings.threads)")
    note("build", old.build, new.build)
    for before in old.machine.bandwidth {
      guard let after = new.machine.bandwidth.first(where: { $0.threads == before.threads }),
        before.readBytesPerSecond > 0
      else { continue }
      let share = after.readBytesPerSecond / before.readBytesPerSecond
      if share < 0.85 || share > 1.18 {
        warnings.append(
          "memory reads at \(Quantity.ratio(share)) the speed it had (\(before.threads) threads): "
            + "the machine may not be quiet")
      }
    }
    return warnings
  }

  private static func lines(
    _ old: BenchRecord, _ new: BenchRecord, engine: String, threshold: Double
  ) -> [Line] {
    var lines: [Line] = []
    for result in new.results {
      let earlier = old.results.first { $0.id == result.id }
      guard let measurement = result.measurement(of: engine) else { continue }
      let before = earlier?.measurement(of: engine)?.rightSamples
      let after = measurement.rightSamples
      lines.append(
        Line(
          engine: engine, workload: result.id, title: result.title, before: before, after: after,
          change: change(before, after, threshold)))
    }
    for result in old.results where !new.results.contains(where: { $0.id == result.id }) {
      guard let before = result.measurement(of: engine)?.rightSamples else { continue }
      lines.append(
        Line(
          engine: engine, workload: result.id, title: result.title, before: before, after: nil,
          change: .gone))
    }
    return lines
  }

  /// A change counts where the medians differ by more than the threshold and their ranges, as seen
  /// within each of the runs, do not touch.
  private static func change(
    _ before: SampleSummary?, _ after: SampleSummary?, _ threshold: Double
  ) -> Change {
    guard let before else { return after == nil ? .same : .appeared }
    guard let after else { return .broken }
    if after.p50 > before.p50 * (1 + threshold) && after.medianLow > before.medianHigh {
      return .slower
    }
    if after.p50 * (1 + threshold) < before.p50 && after.medianHigh < before.medianLow {
      return .faster
    }
    return .same
  }

  var text: String {
    var text = warnings.map { "warning: \($0)\n" }.joined()
    let cells = lines.map { line in
      [
        line.engine == "junction" ? line.workload : "\(line.workload) (\(line.engine))",
        line.before.map { Quantity.time($0.p50) } ?? "–",
        line.after.map { Quantity.time($0.p50) } ?? "–",
        line.ratio.map { String(Quantity.digits($0) + "×") } ?? "",
        line.change.rawValue,
      ]
    }
    let table = [["", "before", "now", "ratio", ""]] + cells
    let widths = (0..<5).map { column in table.map { $0[column].unicodeScalars.count }.max() ?? 0 }
    for row in table {
      let padded = row.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.unicodeScalars.count)
        return column == 0 || column == 4 ? cell + padding : padding + cell
      }
      var line = padded.joined(separator: "  ")[...]
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    return text + conclusion
  }

  private var conclusion: String {
    let share = Quantity.percent(threshold)
    let count = regressions.count
    if count == 0 { return "Nothing became slower by more than \(share) and the noise.\n" }
    let names = regressions.map(\.workload).joined(separator: ", ")
    let verb = count == 1 ? "workload is" : "workloads are"
    return "\(count) \(verb) slower by more than \(share) and the noise, or broken: \(names)\n"
  }
}
