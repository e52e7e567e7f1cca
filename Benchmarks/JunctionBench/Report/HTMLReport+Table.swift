extension HTMLReport {
  /// Every number of a record, the chosen statistic shown and the others a choice away.
  func table(_ record: BenchRecord, isOpen: Bool, _ page: inout Markup) {
    let size =
      Markup.escaped(record.settings.size) + ", \(Quantity.threads(record.settings.threads))"
    page.line("<section><details class=\"table\"\(isOpen ? " open=\"open\"" : "")>")
    page.line("<summary><h2>All times, size \(size)</h2></summary>")
    if isOpen {
      page.line(
        "<p class=\"how\"><label>Shown: <select id=\"statistic\">"
          + Self.statistics.map { "<option value=\"\($0.id)\">\($0.name)</option>" }.joined()
          + "<option value=\"first\">first execution</option>"
          + "</select></label> A row’s times are in its unit. The fastest of Junction and its peers is in bold. "
          + "\(Markup.escaped(record.remarkSentence))</p>"
      )
    }
    page.line("<div class=\"wide\"><table class=\"times\"><thead><tr>")
    page.line("<th scope=\"col\" colspan=\"2\">query</th><th scope=\"col\">unit</th>")
    for engine in record.presentEngines {
      page.line(
        "<th scope=\"col\" class=\"\(engine.kind.rawValue)\">\(Markup.escaped(engine.name))</th>")
    }
    for remark in record.remarks {
      page.raw("<th scope=\"col\">\(Markup.escaped(remark.heading))</th>")
    }
    page.line("</tr></thead>")
    for group in record.groups {
      page.line("<tbody>")
      for result in group.results { row(record, result, &page) }
      page.line("</tbody>")
    }
    page.line("</table></div></details></section>")
  }

  private static let statistics:
    [(id: String, name: String, of: @Sendable (SampleSummary) -> Double)] = [
      ("p50", "median", { $0.p50 }), ("p90", "90 % within", { $0.p90 }),
      ("p99", "99 % within", { $0.p99 }), ("max", "slowest", { $0.max }),
      ("min", "fastest", { $0.min }), ("mean", "mean", { $0.mean }),
    ]

  private func row(_ record: BenchRecord, _ result: BenchResult, _ page: inout Markup) {
    let standing = record.standing(result)
    let times = record.presentEngines.filter { $0.kind != .limit }.compactMap { engine in
      result.measurement(of: engine.id)?.rightSamples?.p50
    }
    let unit = SharedUnit.time(times)
    page.raw(
      "<tr><th scope=\"row\">\(Markup.escaped(result.id))</th>"
        + "<td class=\"title\">\(Markup.escaped(result.title))</td>"
        + "<td class=\"unit\">\(times.isEmpty ? "" : unit.name)</td>")
    let best = min(
      standing.junction?.p50 ?? .infinity, standing.bestPeer?.samples.p50 ?? .infinity)
    for engine in record.presentEngines {
      page.raw(cell(result.measurement(of: engine.id), engine, unit, best: best))
    }
    let remarks = record.remarks.map { remark in
      "<td>\(remark.seconds(standing).map(unit.number) ?? remark.cell(standing))</td>"
    }
    page.line(remarks.joined() + "</tr>")
  }

  private func cell(
    _ measurement: BenchMeasurement?, _ engine: BenchEngine, _ unit: SharedUnit, best: Double
  ) -> String {
    guard let measurement else { return "<td class=\"\(engine.kind.rawValue)\"></td>" }
    guard let samples = measurement.rightSamples else {
      let message = Markup.escaped(measurement.message.orEmpty)
      return "<td class=\"\(engine.kind.rawValue) none\" title=\"\(message)\">"
        + "\(measurement.statusWord)</td>"
    }
    let isBest = engine.kind != .limit && samples.p50 <= best
    let first = measurement.firstSeconds.map(unit.number) ?? "–"
    let others =
      Self.statistics.map { statistic in
        "data-\(statistic.id)=\"\(unit.number(statistic.of(samples)))\""
      } + ["data-first=\"\(first)\""]
    var facts = ["\(Quantity.grouped(samples.count)) samples"]
    if let rows = measurement.rows { facts.append("\(Quantity.grouped(Int(rows))) rows") }
    if let cpu = measurement.cpuSeconds { facts.append("processor \(Quantity.time(cpu))") }
    facts.append("\(Quantity.grouped(Int(samples.throughput))) a second")
    return "<td class=\"\(engine.kind.rawValue)\(isBest ? " best" : "")\" "
      + others.joined(separator: " ") + " title=\"\(facts.joined(separator: ", "))\">"
      + "\(unit.number(samples.p50))</td>"
  }
}
