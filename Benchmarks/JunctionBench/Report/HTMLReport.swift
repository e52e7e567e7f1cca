/// Records as one page that needs nothing but itself: pictures, tables, what was measured and how.
struct HTMLReport {
  /// From the smallest to the largest.
  let records: [BenchRecord]

  init(records: [BenchRecord]) {
    self.records = records.sorted { $0.settings.enrolments < $1.settings.enrolments }
  }

  /// The record that the bars show: the largest among those with the most engines.
  var main: BenchRecord? {
    let most = records.map(\.presentEngines.count).max() ?? 0
    return records.last { $0.presentEngines.count == most }
  }

  var text: String {
    guard let main else { return "" }
    var page = Markup()
    page.line("<!DOCTYPE html>")
    page.line("<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>")
    page.line("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>")
    page.line("<title>Junction benchmark, size \(Markup.escaped(main.settings.size))</title>")
    page.line("<style>\n\(Self.style)</style>\n</head>\n<body>")
    page.line("<main>")
    head(main, &page)
    page.line("<section><h2>Time by query</h2>")
    page.line("<p class=\"how\">\(Self.howToReadBars)</p>")
    page.raw(BarChart(record: main).markup())
    page.line("</section>")
    charts(main, &page)
    memory(main, &page)
    for record in [main] + records.reversed().filter({ $0.settings != main.settings }) {
      table(record, isOpen: record.settings == main.settings, &page)
    }
    engines(main, &page)
    queries(main, &page)
    page.line("</main>")
    page.line("<script>\n\(Self.script)</script>\n</body>\n</html>")
    return page.text
  }

  private static let howToReadBars =
    "Shorter is faster. Each step of the grid is ten times the one before, so the same distance is "
    + "the same ratio everywhere; compare where bars end, not how long they are. They end at the median; the upright mark on Junction’s bar is the "
    + "hand-written loop that does exactly that query over plain arrays: what the machine "
    + "allows. The number on the right compares Junction with the fastest peer."

  private func head(_ main: BenchRecord, _ page: inout Markup) {
    page.line("<header><h1>Junction, measured</h1>")
    if let verdict = main.verdict {
      page.line("<p class=\"verdict\">\(Markup.escaped(verdict))</p>")
    }
    for line in main.summary { page.line("<p class=\"how\">\(Markup.escaped(line)).</p>") }
    if let caution = main.caution {
      page.line("<p class=\"caution\">\(Markup.escaped(caution))</p>")
    }
    page.line(
      "<p class=\"facts\">Size \(Markup.escaped(main.settings.size)): "
        + "\(Markup.escaped(main.dataSentence)).<br/>"
        + "\(Markup.escaped(main.machineSentence)). "
        + main.bandwidthSentence.map { Markup.escaped($0) + ". " }.orEmpty
        + "\(main.settings.threads) threads for every engine.<br/>"
        + "\(Markup.escaped(main.date)), commit <code>\(Markup.escaped(main.commit))</code>, "
        + "\(Markup.escaped(main.build)).</p>")
    page.line("<div class=\"legend\" role=\"group\" aria-label=\"Engines\">")
    for engine in main.presentEngines {
      page.line(
        "<button type=\"button\" class=\"e-\(Markup.escaped(engine.id)) "
          + "\(engine.kind.rawValue)\" data-engine=\"\(Markup.escaped(engine.id))\" "
          + "aria-pressed=\"true\"><i></i>\(Markup.escaped(engine.name))</button>")
    }
    page.line("</div></header>")
  }

  private func charts(_ main: BenchRecord, _ page: inout Markup) {
    let scaling = ScalingCharts(records: records).markup()
    if !scaling.isEmpty {
      page.line("<section><h2>Cost against size</h2>")
      page.line(
        "<p class=\"how\">Median time against the number of enrolments, both axes logarithmic. A "
          + "flat line does not care how large the school is; a line that climbs one step a "
          + "tenfold grows with the data.</p>")
      page.line("<div class=\"smalls\">\(scaling)</div></section>")
    }
    let latency = LatencyCharts(record: main).markup()
    if !latency.isEmpty {
      page.line("<section><h2>Latency, from the fastest execution to the slowest</h2>")
      page.line(
        "<p class=\"how\">How long executions took, the fastest on the left; at 90 %, nine of ten "
          + "were as fast or faster. The axis gives the last one in a hundred as much room as "
          + "the nine in ten before. Queries with at least 20 samples.</p>")
      page.line("<div class=\"smalls\">\(latency)</div></section>")
    }
  }

  private func memory(_ main: BenchRecord, _ page: inout Markup) {
    let engines = main.presentEngines.filter {
      $0.loadSeconds != nil || $0.residentBytesAfterLoad != nil
    }
    guard !engines.isEmpty else { return }
    page.line("<section><h2>Loading and memory</h2><div class=\"wide\"><table>")
    page.line(
      "<thead><tr><th scope=\"col\">engine</th><th scope=\"col\">load</th>"
        + "<th scope=\"col\">processor time</th><th scope=\"col\">memory after load</th>"
        + "<th scope=\"col\">at most</th><th scope=\"col\">bytes an enrolment</th></tr></thead>")
    page.line("<tbody>")
    for engine in engines {
      let cells = [
        engine.loadSeconds.map(Quantity.time), engine.loadCPUSeconds.map(Quantity.time),
        engine.residentBytesAfterLoad.map { Quantity.bytes(Double($0)) },
        engine.peakResidentBytes.map { Quantity.bytes(Double($0)) },
        engine.bytesPerEnrolment.map(Quantity.digits),
      ].map { "<td>\($0.orEmpty)</td>" }.joined()
      page.line(
        "<tr class=\"\(engine.kind.rawValue)\"><th scope=\"row\">\(Markup.escaped(engine.name))</th>"
          + "\(cells)</tr>")
    }
    page.line("</tbody></table></div></section>")
  }

  private func engines(_ main: BenchRecord, _ page: inout Markup) {
    page.line("<section><h2>Engines</h2><dl>")
    for engine in main.engines {
      page.line("<dt>\(Markup.escaped(engine.name)) \(Markup.escaped(engine.version))</dt>")
      let parts = [engine.access, engine.settings].filter { !$0.isEmpty }
      let text =
        engine.missingReason.map { "Missing: \($0)" } ?? parts.joined(separator: "; ")
      let command = engine.isPresent ? nil : engine.installCommand
      page.line(
        "<dd>\(Markup.escaped(text))"
          + command.map { ". Install it with <code>\(Markup.escaped($0))</code>" }.orEmpty
          + "</dd>")
    }
    page.line("</dl>")
    for note in main.notes { page.line("<p class=\"how\">\(Markup.escaped(note))</p>") }
    page.line("</section>")
  }

  private func queries(_ main: BenchRecord, _ page: inout Markup) {
    page.line("<section><h2>Queries</h2>")
    for result in main.results {
      page.line(
        "<details><summary><b>\(Markup.escaped(result.id))</b> "
          + "\(Markup.escaped(result.title))</summary>"
          + "<pre>\(Markup.escaped(result.sql))</pre></details>")
    }
    page.line("</section>")
  }
}
