/// The plans of a run, as Junction carried them out, on one page.
struct PlansPage {
  let record: BenchRecord
  var neighbours: [Page.Name] = []

  private var results: [BenchResult] { record.results.filter { $0.plan != nil } }

  var isEmpty: Bool { results.isEmpty }

  var text: String {
    var page = Page(
      .plans, title: "Junction benchmark, plans at size \(record.settings.size)",
      beside: neighbours)
    page.body.line("<header><h1>Junction, plan by plan</h1>")
    page.body.line(
      "<p class=\"how\">Each query of size \(Markup.escaped(record.settings.size)) as it was "
        + "carried out once, by EXPLAIN ANALYZE with \(Quantity.threads(record.settings.threads)). "
        + "Rows go from the innermost operator outwards. A bar is the share of the time that an "
        + "operator took without those below it. Rows are marked where ten times as many or as "
        + "few came as were expected. Looking at the clock costs time, so queries are faster "
        + "without it.</p>")
    page.body.line("<p class=\"index\">")
    for result in results {
      page.body.line(
        "<a href=\"#\(Markup.escaped(result.id))\" title=\"\(Markup.escaped(result.title))\">"
          + "\(Markup.escaped(result.id))</a>")
    }
    page.body.line("</p></header>")
    for result in results { section(result, &page.body) }
    return page.text(style: Self.style)
  }

  private func section(_ result: BenchResult, _ page: inout Markup) {
    page.line("<section class=\"query\" id=\"\(Markup.escaped(result.id))\">")
    page.line(
      "<h2>\(Markup.escaped(result.id)) <small>\(Markup.escaped(result.title))</small></h2>")
    page.line(
      "<details class=\"sql\"><summary>SQL</summary><pre>\(Markup.escaped(result.sql))</pre></details>"
    )
    page.line(result.plan.orEmpty)
    page.line("</section>")
  }

  /// What a page that `EXPLAIN (FORMAT html)` writes has to show, without its head and its heading.
  static func body(of page: String) -> String? {
    guard let open = page.firstRange(of: "<body>"),
      let close = page[open.upperBound...].firstRange(of: "</body>")
    else { return nil }
    let body = page[open.upperBound..<close.lowerBound]
    let start = body.firstRange(of: "</h1>")?.upperBound ?? body.startIndex
    return String(body[start...])
  }

  private static let style = """
    .index { display: flex; flex-wrap: wrap; gap: .2rem .9rem; font-size: .9rem; }
    .query {
      margin-top: 2.2rem; padding-top: .8rem; border-top: 1px solid var(--rule);
      content-visibility: auto; contain-intrinsic-size: auto 20rem;
    }
    .query h2 small { font-weight: 400; color: var(--soft); font-size: .95rem; }
    .sql { font-size: .85rem; color: var(--soft); margin-bottom: .5rem; }
    .times { font-size: .85rem; color: var(--soft); font-variant-numeric: tabular-nums; }
    .plan, .plan ul { list-style: none; margin: 0; padding-left: 0; }
    .plan ul { padding-left: 1.1rem; border-left: 1px solid var(--rule); }
    .plan li { margin: .25rem 0; }
    .plan summary {
      display: grid; grid-template-columns: minmax(0, 1fr) 18rem 7rem 5.5rem; gap: 0 .8rem;
      align-items: center; font-size: .88rem; border-radius: 3px;
    }
    .plan summary:hover { background: var(--hover); }
    .plan summary b { font-weight: 600; overflow-wrap: anywhere; grid-column: 1; }
    .plan .rows, .plan .time {
      color: var(--soft); font-size: .82rem; font-variant-numeric: tabular-nums; text-align: right;
    }
    .plan .rows { grid-column: 2; }
    .plan .bar { grid-column: 3; }
    .plan .time { grid-column: 4; white-space: nowrap; }
    .plan .far { color: var(--junction); }
    .plan .bar { height: .55rem; background: var(--rule); border-radius: 3px; overflow: hidden; }
    .plan .bar i { display: block; height: 100%; background: var(--sqlite); }
    .plan dl {
      display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 .8rem;
      margin: .1rem 0 .3rem; font-size: .8rem; color: var(--soft);
    }
    .plan dd { margin: 0; font-family: ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
    @media (max-width: 720px) {
      .plan summary { grid-template-columns: minmax(0, 1fr) 4rem 5.2rem; padding: .15rem 0; }
      .plan summary b { grid-column: 1 / -1; }
      .plan .rows { grid-column: 1; text-align: left; }
      .plan .bar { grid-column: 2; }
      .plan .time { grid-column: 3; }
      .plan ul { padding-left: .6rem; }
    }

    """
}
