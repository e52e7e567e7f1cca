/// One page of a report: what all of them begin and end with.
struct Page {
  /// The pages of a report, by the names of their files.
  enum Name: String, CaseIterable {
    case report = "report.html"
    case curves = "curves.html"
    case plans = "plans.html"

    var title: String {
      switch self {
      case .report: "Times"
      case .curves: "Curves"
      case .plans: "Plans"
      }
    }
  }

  let name: Name
  let title: String
  /// The other pages that are there.
  let neighbours: [Name]
  var body = Markup()

  init(_ name: Name, title: String, beside neighbours: [Name]) {
    self.name = name
    self.title = title
    self.neighbours = neighbours
  }

  func text(style: String, script: String = "") -> String {
    var page = Markup()
    page.line("<!DOCTYPE html>")
    page.line("<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>")
    page.line("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>")
    page.line("<title>\(Markup.escaped(title))</title>")
    page.line("<style>\n\(Self.style)\(style)</style>\n</head>\n<body>")
    page.line("<main>")
    if !neighbours.isEmpty { navigation(&page) }
    page.raw(body.text)
    page.line("</main>")
    if !script.isEmpty { page.line("<script>\n\(script)</script>") }
    page.line("</body>\n</html>")
    return page.text
  }

  private func navigation(_ page: inout Markup) {
    page.line("<nav aria-label=\"Pages\">")
    for other in Name.allCases where other == name || neighbours.contains(other) {
      let current = other == name ? " aria-current=\"page\"" : ""
      page.line("<a href=\"\(other.rawValue)\"\(current)>\(other.title)</a>")
    }
    page.line("</nav>")
  }

  /// One colour an engine everywhere; Junction's is the only strong one.
  static let style = """
    :root {
      color-scheme: light dark;
      --paper: #fdfcfa; --ink: #1d1c1a; --soft: #66625c; --rule: #e3dfd8; --hover: #f3efe8;
      --junction: #c8410b; --sqlite: #5d8db8; --duckdb: #b09a3e; --hyper: #58a08c;
      --ladybug: #a986b5; --limit: #1d1c1a; --other: #8d8a85;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #161513; --ink: #ece8e1; --soft: #a39e95; --rule: #34312d; --hover: #211f1c;
        --junction: #ff7a3d; --sqlite: #5f93c4; --duckdb: #a8923c; --hyper: #4f9a85;
        --ladybug: #a27fb0; --limit: #ece8e1; --other: #858079;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0; background: var(--paper); color: var(--ink);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
    }
    main { max-width: 1080px; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
    h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; font-weight: 650; }
    h2 { font-size: 1.3rem; margin: 0 0 .4rem; font-weight: 650; }
    h3 { font-size: 1rem; margin: 1.6rem 0 .2rem; font-weight: 650; }
    section { margin-top: 3rem; }
    p { margin: .4rem 0; }
    code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
    code { font-size: .88em; }
    .verdict { font-size: 1.2rem; max-width: 46rem; }
    .caution { font-weight: 650; color: var(--junction); max-width: 52rem; }
    .facts, .how { color: var(--soft); font-size: .9rem; max-width: 52rem; }
    nav { display: flex; gap: 1.2rem; margin-bottom: 1.2rem; font-size: .9rem; }
    a { color: inherit; }
    nav a[aria-current] { color: var(--soft); text-decoration: none; }
    .junction { --c: var(--junction); }
    .peer { --c: var(--other); }
    .limit { --c: var(--limit); }
    .e-sqlite { --c: var(--sqlite); } .e-duckdb { --c: var(--duckdb); }
    .e-hyper { --c: var(--hyper); } .e-ladybug { --c: var(--ladybug); }
    svg { display: block; overflow: visible; }
    svg text { font-size: 12px; fill: var(--ink); }
    .grid { stroke: var(--rule); stroke-width: 1; shape-rendering: crispEdges; }
    svg .peer text, svg .limit text { fill: var(--soft); }
    svg .junction text { font-weight: 650; }
    .smalls {
      display: grid; grid-template-columns: repeat(auto-fill, minmax(310px, 1fr));
      gap: 1.5rem 1.25rem; margin-top: 1rem;
    }
    .small { margin: 0; max-width: 390px; }
    .small figcaption { font-size: .85rem; color: var(--soft); line-height: 1.35; min-height: 2.4rem; }
    .small figcaption b { color: var(--ink); }
    svg .tick { fill: var(--soft); font-size: 10.5px; }
    svg .note { font-size: 9.5px; }
    .line { fill: none; stroke: var(--c); stroke-width: 1.5; stroke-linejoin: round; }
    .junction .line { stroke-width: 3; }
    .limit .line { stroke-dasharray: 3 3; stroke-width: 1.2; }
    .leader { stroke: var(--soft); stroke-width: .75; opacity: .5; }
    circle { fill: var(--c); }
    .wide { overflow-x: auto; }
    table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
    th, td { padding: .28rem .55rem; text-align: right; white-space: nowrap; font-weight: 400; }
    th:first-child, td.title, th.title { text-align: left; }
    td.title { white-space: normal; min-width: 11rem; color: var(--soft); }
    thead th { color: var(--soft); vertical-align: bottom; }
    tbody { border-top: 1px solid var(--rule); }
    tbody th { font-weight: 650; }
    tbody tr:hover { background: var(--hover); }
    td.junction, thead th.junction, tr.junction th { color: var(--junction); }
    td.limit, td.unit { color: var(--soft); }
    td.best { font-weight: 650; }
    td.none { color: var(--soft); font-style: italic; }
    details summary { cursor: pointer; }
    pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .82rem; margin: .4rem 0 .6rem 1rem; }
    @media (max-width: 720px) { h1 { font-size: 1.6rem; } main { padding-top: 1.5rem; } }

    """
}
