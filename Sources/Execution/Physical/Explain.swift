package import Catalog
import Columnar
import Planning

/// What EXPLAIN shows.
package struct ExplainOptions: Sendable {
  package enum Format: String, Sendable, Hashable, CaseIterable { case text, json, mermaid, html }
  /// Estimated rows.
  package var showsEstimates: Bool
  /// Nanoseconds are shown beside actual rows.
  package var showsTiming: Bool
  package var format: Format

  package init(showsEstimates: Bool = true, showsTiming: Bool = true, format: Format = .text) {
    self.showsEstimates = showsEstimates
    self.showsTiming = showsTiming
    self.format = format
  }
}

/// The lines of EXPLAIN's `QUERY PLAN` column for a plan.
///
/// `statistics` are those of a run, by the operator's number in pre-order; none for a plan that was
/// not run. `times` are what the whole took, in milliseconds. All formats but `text` are one document, in one line of the column.
package func explain(
  _ plan: PhysicalPlan, catalog: CatalogSnapshot, options: ExplainOptions = ExplainOptions(),
  statistics: [OperatorStatistics] = [], times: [(label: String, milliseconds: String)] = []
) -> [String] {
  var builder = ExplainBuilder(
    printer: ExpressionPrinter(plan), catalog: catalog, statistics: statistics)
  var root = builder.node(plan, relationship: nil)
  // To be measured, a pipeline is started all the same.
  if statistics.isEmpty, let point = QueryExecutor.shortWay(of: plan) {
    root.details.append(("Short Way", point.condition))
  }
  switch options.format {
  case .text:
    var lines: [String] = []
    root.appendText(to: &lines, indent: "", isRoot: true, options)
    return lines + times.map { "\($0.label): \($0.milliseconds) ms" }
  case .json:
    var lines = ["[", "  {", "    \"Plan\": {"]
    root.appendJSON(to: &lines, indent: 6, options)
    lines.append("    }" + (times.isEmpty ? "" : ","))
    for (index, time) in times.enumerated() {
      lines.append(
        "    \(JSONText.quoted(time.label)): \(time.milliseconds)"
          + (index == times.count - 1 ? "" : ","))
    }
    lines += ["  }", "]"]
    return [lines.joined(separator: "\n")]
  case .mermaid: return [root.mermaid(options)]
  case .html: return [root.html(options, times: times)]
  }
}

/// One operator as EXPLAIN shows it.
struct ExplainNode {
  var name: String
  /// Said of it line by line: what, and the text.
  var details: [(label: String, text: String)] = []
  var estimatedRows: Double
  var actual: OperatorStatistics?
  var relationship: String?
  var children: [ExplainNode] = []

  /// A whole number of rows; at least one, as PostgreSQL estimates.
  var rowText: String { Self.whole(max(1, estimatedRows.rounded())) }

  static func whole(_ value: Double) -> String {
    guard value.isFinite, value < 9e18 else { return "9000000000000000000" }
    return String(Int64(value))
  }

  /// Milliseconds with three digits.
  static func milliseconds(_ nanoseconds: Int64) -> String {
    let micros = nanoseconds / 1000
    let fraction = String(1000 + micros % 1000).dropFirst()
    return "\(micros / 1000).\(fraction)"
  }

  func appendText(
    to lines: inout [String], indent: String, isRoot: Bool, _ options: ExplainOptions
  ) {
    var line = indent
    if !isRoot { line += "->  " }
    line += name
    if options.showsEstimates {
      line += "  (rows="
      line += rowText
      line += ")"
    }
    if let actual {
      let time =
        options.showsTiming
        ? "time=\(Self.milliseconds(actual.nanoseconds / Int64(max(1, actual.loopCount)))) " : ""
      line +=
        actual.loopCount == 0
        ? " (never executed)"
        : " (actual \(time)rows=\(actual.rowCount / actual.loopCount) loops=\(actual.loopCount))"
    }
    lines.append(line)
    let inner = indent + (isRoot ? "  " : "      ")
    for detail in details {
      var line = inner
      line += detail.label
      line += ": "
      line += detail.text
      lines.append(line)
    }
    for child in children {
      child.appendText(to: &lines, indent: inner, isRoot: false, options)
    }
  }

  func appendJSON(to lines: inout [String], indent: Int, _ options: ExplainOptions) {
    let space = String(repeating: " ", count: indent)
    var fields: [String] = ["\"Node Type\": \(JSONText.quoted(name))"]
    if let relationship {
      fields.append("\"Parent Relationship\": \(JSONText.quoted(relationship))")
    }
    if options.showsEstimates { fields.append("\"Plan Rows\": \(rowText)") }
    if let actual {
      let loops = max(1, actual.loopCount)
      if options.showsTiming {
        fields.append(
          "\"Actual Total Time\": \(Self.milliseconds(actual.nanoseconds / Int64(loops)))")
      }
      fields.append("\"Actual Rows\": \(actual.rowCount / loops)")
      fields.append("\"Actual Loops\": \(actual.loopCount)")
    }
    for detail in details {
      fields.append("\(JSONText.quoted(detail.label)): \(JSONText.quoted(detail.text))")
    }
    for (index, field) in fields.enumerated() {
      let isLast = index == fields.count - 1 && children.isEmpty
      lines.append(space + field + (isLast ? "" : ","))
    }
    if children.isEmpty { return }
    lines.append(space + "\"Plans\": [")
    for (index, child) in children.enumerated() {
      lines.append(space + "  {")
      child.appendJSON(to: &lines, indent: indent + 4, options)
      lines.append(space + "  }" + (index == children.count - 1 ? "" : ","))
    }
    lines.append(space + "]")
  }
}
