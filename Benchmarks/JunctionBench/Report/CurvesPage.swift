/// Records of several sizes or numbers of threads as one page of curves, with all that they show in tables below.
struct CurvesPage {
  let curves: [CurveCharts]
  var neighbours: [Page.Name] = []

  init(records: [BenchRecord]) { curves = CurveCharts.all(records) }

  /// Whether there is nothing to draw a curve through.
  var isEmpty: Bool { curves.isEmpty }

  var text: String {
    var page = Page(.curves, title: "Junction benchmark, curves", beside: neighbours)
    page.body.line("<header><h1>Junction, in curves</h1>")
    if let record = curves.first?.records.last {
      page.body.line(
        "<p class=\"facts\">\(Markup.escaped(record.machineSentence)). Commit "
          + "<code>\(Markup.escaped(record.commit))</code>, \(Markup.escaped(record.build)).</p>")
      if let caution = record.caution {
        page.body.line("<p class=\"caution\">\(Markup.escaped(caution))</p>")
      }
    }
    page.body.line("</header>")
    for curves in curves { pictures(curves, &page.body) }
    for curves in curves { table(curves, &page.body) }
    return page.text(style: Self.style)
  }

  private func heading(_ curves: CurveCharts) -> String {
    guard let record = curves.records.last else { return "" }
    return switch curves.axis {
    case .size: "against size, with \(Quantity.threads(record.settings.threads))"
    case .threads: "against threads, at size \(record.settings.size)"
    }
  }

  private func howToRead(_ curves: CurveCharts) -> String {
    switch curves.axis {
    case .size:
      "Median time upwards, the number of enrolments to the right, both axes logarithmic. A flat "
        + "line does not care how large the school is; one that climbs as steeply as the "
        + "sizes grow is in proportion to the data."
    case .threads:
      "Median time upwards, the number of threads to the right, both axes logarithmic. A line that "
        + "falls makes use of further threads; a flat one runs in one thread."
    }
  }

  private func pictures(_ curves: CurveCharts, _ page: inout Markup) {
    guard let record = curves.records.last else { return }
    page.line("<section><h2>Time \(Markup.escaped(heading(curves)))</h2>")
    page.line("<p class=\"how\">\(howToRead(curves)) The numbers stand in a table below.</p>")
    for group in record.groups {
      let pictures = group.results.compactMap { curves.markup($0) }
      if pictures.isEmpty { continue }
      page.line("<h3>\(Markup.escaped(BenchRecord.title(ofGroup: group.name)))</h3>")
      page.line("<div class=\"smalls\">\(pictures.joined())</div>")
    }
    page.line("</section>")
  }

  private func table(_ curves: CurveCharts, _ page: inout Markup) {
    guard let record = curves.records.last else { return }
    page.line("<section><h2>Medians \(Markup.escaped(heading(curves)))</h2>")
    page.line(
      "<p class=\"how\">All times of a query are in its unit. × is the last time as a multiple of "
        + "the first.</p>")
    page.line("<div class=\"wide\"><table><thead><tr><th scope=\"col\">query</th>")
    page.raw("<th scope=\"col\" class=\"title\">engine</th><th scope=\"col\">unit</th>")
    for record in curves.records {
      page.raw("<th scope=\"col\">\(Markup.escaped(curves.label(record)))</th>")
    }
    page.line("<th scope=\"col\">×</th></tr></thead>")
    for result in record.results {
      let rows = curves.rows(result.id)
      if rows.isEmpty { continue }
      let unit = SharedUnit.time(
        rows.filter { $0.engine.kind != .limit }.flatMap { $0.medians.compactMap(\.self) })
      page.line("<tbody>")
      for (number, row) in rows.enumerated() {
        let title =
          "<th scope=\"rowgroup\" rowspan=\"\(rows.count)\">\(Markup.escaped(result.id))"
          + "<br/><small>\(Markup.escaped(result.title))</small></th>"
        page.raw("<tr>\(number == 0 ? title : "")")
        let kind = row.engine.kind.rawValue
        page.raw("<td class=\"engine \(kind)\">\(Markup.escaped(row.engine.name))</td>")
        page.raw("<td class=\"unit\">\(unit.name)</td>")
        for median in row.medians {
          page.raw("<td class=\"\(kind)\">\(median.map(unit.number) ?? "–")</td>")
        }
        page.line("<td class=\"\(kind)\">\(growth(row))</td></tr>")
      }
      page.line("</tbody>")
    }
    page.line("</table></div></section>")
  }

  private func growth(_ row: CurveCharts.Row) -> String {
    guard let first = row.medians.first ?? nil, let last = row.medians.last ?? nil, first > 0
    else { return "" }
    return Quantity.ratio(last / first)
  }

  private static let style = """
    tbody th { vertical-align: top; white-space: normal; min-width: 9rem; max-width: 15rem; }
    tbody th small { font-weight: 400; color: var(--soft); }
    td.engine { text-align: left; }
    td.peer { color: var(--soft); }

    """
}
