import Diagnostics
import Junction
import Testing

@testable import JunctionShell

@Suite("Charts")
struct ChartTests {
  private func chart(
    _ query: String, _ kind: Chart.Kind? = nil, _ columns: [String] = []
  ) throws -> Chart {
    try Chart(try Database().connect().query(query), kind: kind, columns: columns)
  }

  private func lines(
    _ query: String, _ kind: Chart.Kind? = nil, width: Int = 40, height: Int = 6
  ) throws -> [String] {
    TextChart(try chart(query, kind), width: width, height: height).lines
  }

  @Test(
    "The kind follows from the columns",
    arguments: [
      ("select 1 as x", Chart.Kind.histogram), ("select 'a' as x, 1 as y", .bars),
      ("select 1 as x, 2 as y", .lines), ("select date '2024-01-01' as x, 2 as y", .lines),
    ])
  func kind(query: String, kind: Chart.Kind) throws {
    #expect(try chart(query).kind == kind)
  }

  @Test(
    "Numbers at the ends of what there is are drawn, or said to be none",
    arguments: [
      "1e308::float8, -1e308", "5e-324::float8, 0", "1e200::float8, -1e200",
      "1e-200::float8, 2e-200",
      "9223372036854775807, -9223372036854775808", "0, 0", "100000000000000001, 100000000000000002",
      "1e17::float8, 1e17::float8 + 16", "'NaN'::float8, 1", "'Infinity'::float8, '-Infinity'",
      "99999999999999999999999999999999999999, 1",
    ], [Chart.Kind.bars, .lines, .histogram])
  func extremes(values: String, kind: Chart.Kind) throws {
    let pair = values.split(separator: ", ")
    do throws(SQLError) {
      let rows = try Database().connect().query(
        "SELECT \(pair[0]) AS x UNION ALL SELECT \(pair[1])")
      let chart = try Chart(rows, kind: kind, columns: [])
      #expect(!TextChart(chart, width: 40, height: 6).lines.isEmpty)
    } catch {
      #expect(error.message.contains("all rows have NULL"), "\(error.message)")
    }
  }

  @Test("Bars are as long as their values, and say what is NULL")
  func bars() throws {
    let query = "values ('one', 10), ('two', 5), ('none', null), ('some', 1)"
    #expect(
      try lines(query) == [
        "column1 ┊ column2",
        "one  ┤" + String(repeating: "█", count: 28) + " 10",
        "two  ┤" + String(repeating: "█", count: 14) + " 5",
        "none ┤ NULL",
        "some ┤██▊ 1",
        "",
        "1 NULL value is not drawn",
      ])
  }

  @Test("Bars below zero grow to the left")
  func negativeBars() throws {
    let drawn = try lines("values ('up', 3), ('down', -3)")
    #expect(drawn[1] == "up   ┤" + blanks(15) + String(repeating: "█", count: 15) + " 3")
    #expect(drawn[2] == "down ┤" + String(repeating: "█", count: 15) + " -3")
  }

  @Test("Lines have labels at both axes, and a gap where a value is NULL")
  func curves() throws {
    let drawn = try lines("values (0, 0), (1, 10), (2, null), (3, 10), (4, 0)")
    #expect(drawn[0] == "● column2")
    #expect(drawn[1].hasPrefix("10 ┤"))
    #expect(drawn[1].filter { $0 == "●" }.count == 2)
    #expect(!drawn[1].contains("·"))
    #expect(drawn[7].hasPrefix("   └──"))
    #expect(drawn[8].hasPrefix("    0 ") && drawn[8].contains("column1") && drawn[8].hasSuffix("4"))
    #expect(drawn.last == "1 NULL value is not drawn")
  }

  @Test("A histogram counts each value once, in intervals of a round width")
  func histogram() throws {
    let chart = try chart("select g as x from generate_series(0, 99) g")
    #expect(chart.labels.first == "0 … 10" && chart.labels.count == 10)
    #expect(chart.series[0].values == [Double?](repeating: 10, count: 10))
  }

  @Test("One value, or the same many times, is drawn too")
  func singleValues() throws {
    for query in ["select 5 as x", "select 0 as x, 0 as y", "select 'a' as x, 0 as y"] {
      #expect(try !lines(query).isEmpty)
    }
    #expect(try chart("select 7 as x from generate_series(1, 3)").series[0].values.contains(3))
  }

  @Test(
    "Axes have round numbers around what they show",
    arguments: [
      (0.0, 97.0, 5, 0.0, 100.0, 20.0), (-3, 3, 6, -3, 3, 1), (0.1, 0.26, 4, 0.1, 0.3, 0.05),
    ])
  func scales(
    low: Double, high: Double, steps: Int, from: Double, to: Double, step: Double
  ) {
    let scale = NiceScale(low, high, about: steps)
    #expect(abs(scale.low - from) < 1e-9 && abs(scale.high - to) < 1e-9)
    #expect(abs(scale.step - step) < 1e-9)
  }

  @Test(
    "What cannot be drawn is said",
    arguments: [
      ("select 'a' as x", "there is no column of numbers among x"),
      ("select 1 as x where false", "the query gave no rows to draw"),
      ("select null::int as x", "all rows have NULL in x"),
    ])
  func complaints(query: String, message: String) throws {
    #expect {
      _ = try chart(query)
    } throws: {
      "\($0)".contains(message)
    }
  }

  @Test("Pictures escape what stands in data")
  func pictures() throws {
    let chart = try chart("select '<b>' as x, 1 as y")
    let text = SVGChart(chart, title: "a & b").text
    #expect(text.contains("&lt;b") && text.contains("a &amp; b") && !text.contains("<b>"))
    #expect(SVGChart(chart, title: "t").page.contains("<!DOCTYPE html>"))
  }
}
