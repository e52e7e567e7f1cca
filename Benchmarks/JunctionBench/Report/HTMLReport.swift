/// Records as one page that needs nothing but itself: pictures, tables, what was measured and how.
struct HTMLReport {
  /// From the smallest to the largest, and from few threads to many.
  let records: [BenchRecord]

  init(records: [BenchRecord]) {
    self.records = records.sorted {
      ($0.settings.enrolments, $0.settings.threads) < ($1.settings.enrolments, $1.settings.threads)
    }
  }

  /// The record that the bars show: the largest among those with the most engines.
  var main: BenchRecord? {
    let most = records.map(\.presentEngines.count).max() ?? 0
    return records.last { $0.presentEngines.count == most }
  }

  /// The other pages that are written beside this one.
  var neighbours: [Page.Name] = []

  var text: String {
    guard let main else { return "" }
    var page = Page(
      .report, title: "Junction benchmark, size \(main.settings.size)", beside: neighbours)
    head(main, &page.body)
    page.body.line("<section><h2>Time by query</h2>")
    page.body.line("<p class=\"how\">\(Self.howToReadBars)</p>")
    page.body.raw(BarChart(record: main).markup())
    page.body.line("</section>")
    latency(main, &page.body)
    memory(main, &page.body)
    for record in [main] + records.reversed().filter({ $0.settings != main.settings }) {
      table(record, isOpen: record.settings == main.settings, &page.body)
    }
    engines(main, &page.body)
    queries(main, &page.body)
    return page.text(style: Self.style, script: Self.script)
  }

  private static let howToReadBars =
    "Shorter is faster. Each step of the grid is ten times the one before, so the same distance is "
    + "the same ratio everywhere; compare where bars end, not how long they are. They end at the "
    + "median, which stands on the right in a unit that a query’s numbers share. The thin line "
    + "below Junction’s bar is the limit: a hand-written loop that does exactly that query over "
    + "plain arrays, shown where Junction is no faster. The large number compares Junction with "
    + "the fastest peer; the widest lead comes first."

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
        + "\(Quantity.threads(main.settings.threads)) for every engine.<br/>"
        + "\(Markup.escaped(main.date)), commit <code>\(Markup.escaped(main.commit))</code>, "
        + "\(Markup.escaped(main.build)).</p>")
    page.line("<div class=\"legend\" role=\"group\" aria-label=\"Engines\">")
    let hasLimit = main.standings.contains { $0.limit != nil }
    let peers = main.presentEngines.filter { $0.kind != .limit }
    for engine in peers + (hasLimit ? [BenchEngine.limit] : []) {
      page.line(
        "<button type=\"button\" class=\"e-\(Markup.escaped(engine.id)) "
          + "\(engine.kind.rawValue)\" data-engine=\"\(Markup.escaped(engine.id))\" "
          + "aria-pressed=\"true\"><i></i>\(Markup.escaped(engine.name))</button>")
    }
    page.line("</div></header>")
  }

  private func latency(_ main: BenchRecord, _ page: inout Markup) {
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
    page.raw("<thead><tr><th scope=\"col\">engine</th>")
    let columns = Self.memoryColumns.map { column in
      let values = engines.map(column.value)
      let known = values.compactMap(\.self)
      return (
        heading: column.heading, values: values,
        unit: column.isTime ? SharedUnit.time(known) : SharedUnit.bytes(known)
      )
    }
    for column in columns {
      page.raw("<th scope=\"col\">\(column.heading), \(column.unit.name)</th>")
    }
    page.line("</tr></thead><tbody>")
    for (row, engine) in engines.enumerated() {
      let cells = columns.map { column in
        "<td>\(column.values[row].map(column.unit.number) ?? "–")</td>"
      }.joined()
      page.line(
        "<tr class=\"\(engine.kind.rawValue)\"><th scope=\"row\">\(Markup.escaped(engine.name))</th>"
          + "\(cells)</tr>")
    }
    page.line("</tbody></table></div></section>")
  }

  private static let memoryColumns:
    [(heading: String, isTime: Bool, value: @Sendable (BenchEngine) -> Double?)] = [
      ("load", true, { $0.loadSeconds }),
      ("processor time", true, { $0.loadCPUSeconds }),
      ("memory after load", false, { $0.residentBytesAfterLoad.map(Double.init) }),
      ("at most", false, { $0.peakResidentBytes.map(Double.init) }),
      ("an enrolment", false, { $0.bytesPerEnrolment }),
    ]

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
