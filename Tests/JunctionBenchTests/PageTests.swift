import Foundation
import Testing

@testable import JunctionBench

/// Checks of marked-up text.
enum MarkupCheck {
  /// The elements that are left open; each is to be closed by its own name, in order, as XML demands.
  static func openElements(_ page: String) throws -> [String] {
    let elements =
      /<(?<close>\/?)(?<name>[a-zA-Z][a-zA-Z0-9]*)(?<rest>(?:\s+[a-zA-Z0-9:-]+="[^"<]*")*)\s*(?<empty>\/?)>/
    var open: [String] = []
    var body = page
    if let start = body.range(of: "<script>"), let end = body.range(of: "</script>") {
      body.removeSubrange(start.upperBound..<end.lowerBound)
    }
    // Whatever begins like an element must be one.
    #expect(body.matches(of: /<[^!]/).count == body.matches(of: elements).count)
    for element in body.matches(of: elements) {
      let name = String(element.output.name)
      if !element.output.close.isEmpty {
        try #require(open.last == name, "\(name) closes \(open.last ?? "nothing")")
        open.removeLast()
      } else if element.output.empty.isEmpty {
        open.append(name)
      }
    }
    return open
  }
}

@Suite("The page of a report")
struct HTMLReportTests {
  @Test("is well-formed, and shows nothing that it was told unescaped")
  func wellFormed() throws {
    let larger = ReportRecords.record(
      size: "M", enrolments: 800_000,
      results: [
        ReportRecords.result(
          "P1", title: "a < b & c", ["junction": [2e-6], "sqlite": [3e-5], "limit1": [1e-6]])
      ])
    let page = HTMLReport(records: [larger, ReportRecords.plain]).text
    #expect(try MarkupCheck.openElements(page).isEmpty)
    #expect(page.contains("a &lt; b &amp; c"))
    #expect(page.contains("SELECT '&lt;&amp;&gt;'"))
    #expect(!page.contains("<there>"))
  }

  @Test("needs nothing from elsewhere")
  func selfContained() {
    let page = HTMLReport(records: [ReportRecords.plain]).text
    for word in ["http:", "https:", "url(", "@import", "src=", "<link"] {
      #expect(!page.contains(word), "\(word)")
    }
  }

  @Test("calls a loop a limit only where Junction is no faster")
  func limits() throws {
    func page(_ loop: Double) -> String {
      HTMLReport(records: [
        ReportRecords.record(results: [
          ReportRecords.result("P1", ["junction": [2e-6], "sqlite": [3e-5], "limit1": [loop]])
        ])
      ]).text
    }
    let mark = "<line class=\"thin\""
    for (loop, isLimit) in [(1e-6, true), (2e-6, true), (3e-6, false)] {
      let page = page(loop)
      #expect(page.contains(mark) == isLimit, "\(loop)")
      #expect(page.contains("× limit") == isLimit, "\(loop)")
      // Its time is told in any case, as that of a loop.
      #expect(page.contains("loop, 1 thread"))
    }
  }

  @Test("shows the numbers of a query in one unit, aligned at the point")
  func alignedNumbers() {
    let record = ReportRecords.record(results: [
      ReportRecords.result("P1", ["junction": [573e-9], "sqlite": [25.4e-3]])
    ])
    let chart = BarChart(record: record).markup()
    #expect(chart.contains(">0<i>.573</i><em>µs</em>"))
    #expect(chart.contains(">25,400<i></i><em>µs</em>"))
  }

  @Test("of a record without any result is still a page")
  func empty() throws {
    let page = HTMLReport(records: [ReportRecords.record(results: [])]).text
    #expect(try MarkupCheck.openElements(page).isEmpty)
  }
}

@Suite("The page of curves")
struct CurvesPageTests {
  private func record(_ size: String, _ enrolments: Int, threads: Int, _ seconds: Double)
    -> BenchRecord
  {
    var record = ReportRecords.record(
      size: size, enrolments: enrolments,
      results: [
        ReportRecords.result(
          "P1", title: "a < b",
          ["junction": [seconds], "sqlite": [seconds * 10], "limit1": [seconds / 2]])
      ])
    record.settings.threads = threads
    return record
  }

  @Test("is there for several sizes or numbers of threads only")
  func presence() {
    #expect(CurvesPage(records: [record("S", 80, threads: 1, 1)]).isEmpty)
    #expect(
      CurvesPage(records: [record("S", 80, threads: 1, 1), record("S", 80, threads: 1, 2)]).isEmpty)
    let sizes = CurvesPage(records: [
      record("S", 80, threads: 1, 1), record("M", 800, threads: 1, 2),
    ])
    #expect(sizes.curves.map(\.axis) == [.size])
    let both = CurvesPage(records: [
      record("M", 800, threads: 2, 1), record("S", 80, threads: 2, 1),
      record("M", 800, threads: 1, 2),
    ])
    #expect(both.curves.map(\.axis) == [.size, .threads])
    #expect(both.curves[0].records.map(\.settings.size) == ["S", "M"])
    #expect(both.curves[1].records.map(\.settings.threads) == [1, 2])
    #expect(both.text.contains("against size, with 2 threads"))
    #expect(both.text.contains("against threads, at size M"))
  }

  @Test("is well-formed, has a line an engine and the same numbers in a table")
  func contents() throws {
    let page = CurvesPage(records: [
      record("S", 80_000, threads: 2, 1e-6), record("M", 800_000, threads: 2, 3e-6),
    ]).text
    #expect(try MarkupCheck.openElements(page).isEmpty)
    #expect(page.contains("a &lt; b") && page.contains("80 k"))
    #expect(page.components(separatedBy: "<polyline").count == 4)
    #expect(!page.contains("Hyper"))
    #expect(
      page.contains(
        "<td class=\"peer\">10.0</td><td class=\"peer\">30.0</td>\n<td class=\"peer\">3.0×</td>")
        || page.contains(
          "<td class=\"peer\">10.0</td><td class=\"peer\">30.0</td><td class=\"peer\">3.0×</td>")
    )
  }

  @Test("draws the loop where it is a limit at every point")
  func limits() {
    var small = record("S", 80_000, threads: 2, 1e-6)
    let large = record("M", 800_000, threads: 2, 3e-6)
    func names(_ records: [BenchRecord]) -> [String] {
      CurveCharts.all(records)[0].rows("P1").map(\.engine.name)
    }
    #expect(names([small, large]) == ["Junction", "SQLite", "limit"])
    small.results[0].measurements[2].samples = SampleSummary(seconds: [2e-6])
    #expect(names([small, large]) == ["Junction", "SQLite"])
  }
}

@Suite("The page of plans")
struct PlansPageTests {
  @Test("is there for records with plans, and has those of the queries that have one")
  func contents() throws {
    var record = ReportRecords.plain
    #expect(PlansPage(record: record).isEmpty)
    #expect(ReportCommand.pages([record]).map(\.name) == [.report])
    record.results[0].plan = "<ul class=\"plan\"><li>Scan</li></ul>"
    let pages = ReportCommand.pages([record])
    #expect(pages.map(\.name) == [.report, .plans])
    #expect(pages[0].text.contains("href=\"plans.html\""))
    #expect(try MarkupCheck.openElements(pages[1].text).isEmpty)
    #expect(pages[1].text.contains("id=\"P1\"") && !pages[1].text.contains("id=\"B1\""))
  }

  @Test("takes of a page that EXPLAIN writes what stands below the heading")
  func body() {
    #expect(PlansPage.body(of: "<html><body>\n<h1>Plan</h1>\n<p>a</p>\n</body>") == "\n<p>a</p>\n")
    #expect(PlansPage.body(of: "<body><p>a</p></body>") == "<p>a</p>")
    #expect(PlansPage.body(of: "no page") == nil)
  }
}
