import Diagnostics

/// Plans as pictures.
extension ExplainNode {
  // MARK: Numbers

  /// What the operator took of all loops, without those below it.
  private var ownNanoseconds: Int64 {
    guard let actual else { return 0 }
    let below = children.reduce(Int64(0)) { $0 + ($1.actual?.nanoseconds ?? 0) }
    return max(0, actual.nanoseconds - below)
  }

  /// How many times too many or too few rows were expected; nil for an operator that did not run.
  private var estimateError: Double? {
    guard let actual, actual.loopCount > 0 else { return nil }
    let found = Double(max(1, actual.rowCount / actual.loopCount))
    let expected = max(1, estimatedRows.rounded())
    return max(found / expected, expected / found)
  }

  private func rowsText(_ options: ExplainOptions) -> String {
    guard let actual else {
      return options.showsEstimates ? Self.counted(rowText) + " expected" : ""
    }
    guard actual.loopCount > 0 else { return "never executed" }
    let found = Self.counted("\(actual.rowCount / actual.loopCount)")
    let loops = actual.loopCount > 1 ? " in each of \(actual.loopCount) loops" : ""
    return found + loops + (options.showsEstimates ? ", \(rowText) expected" : "")
  }

  private static func counted(_ number: String) -> String {
    number == "1" ? "1 row" : number + " rows"
  }

  // MARK: Mermaid

  /// The lines of a flow chart, in which rows go up.
  func mermaid(_ options: ExplainOptions) -> String {
    var lines = ["flowchart BT"]
    var count = 0
    appendMermaid(to: &lines, number: &count, options)
    return lines.joined(separator: "\n")
  }

  private func appendMermaid(
    to lines: inout [String], number count: inout Int, _ options: ExplainOptions
  ) {
    let own = count
    count += 1
    var label = ["<b>\(Self.mermaidText(name))</b>"]
    label += details.map { Self.mermaidText("\($0.label): \($0.text)") }
    if options.showsTiming, actual != nil {
      label.append("\(Self.milliseconds(ownNanoseconds)) ms of its own")
    }
    lines.append("  n\(own)[\"\(label.joined(separator: "<br/>"))\"]")
    for child in children {
      let below = count
      child.appendMermaid(to: &lines, number: &count, options)
      let rows = child.rowsText(options)
      lines.append(
        rows.isEmpty ? "  n\(below) --> n\(own)" : "  n\(below) -->|\"\(rows)\"| n\(own)")
    }
  }

  /// A text within quotes, of which mermaid reads some characters only as entities.
  private static func mermaidText(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\"", "#", "<", ">", "&", ";", "`", "\\", "|", "{", "}", "[", "]", "*", "_":
        for scalar in character.unicodeScalars { result += "#\(scalar.value);" }
      case _ where character.isNewline: result += " "
      default: result.append(character)
      }
    }
    return result
  }

  // MARK: HTML

  /// A page that loads nothing: the tree of operators, a bar for the time of each, and where many more or fewer rows came than expected.
  func html(_ options: ExplainOptions, times: [(label: String, milliseconds: String)]) -> String {
    var body: [String] = []
    let total = max(1, sumOfOwn)
    if !times.isEmpty {
      let parts = times.map { "\($0.label) \($0.milliseconds) ms" }
      body.append("<p class=\"times\">\(parts.joined(separator: " · "))</p>")
    }
    body.append("<ul class=\"plan\">")
    appendHTML(to: &body, of: total, options)
    body.append("</ul>")
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Query plan</title>
      <style>
      \(Self.style)
      </style>
      </head>
      <body>
      <h1>Query plan</h1>
      \(body.joined(separator: "\n"))
      </body>
      </html>
      """
  }

  private var sumOfOwn: Int64 { children.reduce(ownNanoseconds) { $0 + $1.sumOfOwn } }

  private func appendHTML(
    to body: inout [String], of total: Int64, _ options: ExplainOptions
  ) {
    body.append("<li><details open><summary><b>\(MarkupEscape.text(name))</b>")
    let rows = rowsText(options)
    if !rows.isEmpty {
      let error = options.showsEstimates ? estimateError ?? 1 : 1
      let isFar = error >= 10
      body.append("<span class=\"rows\(isFar ? " far" : "")\">\(rows)")
      if isFar { body.append(" (\(Self.whole(error.rounded())) times off)") }
      body.append("</span>")
    }
    if options.showsTiming, actual != nil {
      let share = Double(ownNanoseconds) * 100 / Double(total)
      body.append(
        "<span class=\"bar\" title=\"of its own\"><i style=\"width:\(Self.whole(share.rounded()))%\"></i></span>"
          + "<span class=\"time\">\(Self.milliseconds(ownNanoseconds)) ms</span>")
    }
    body.append("</summary>")
    if !details.isEmpty {
      body.append("<dl>")
      for detail in details {
        body.append(
          "<dt>\(MarkupEscape.text(detail.label))</dt><dd>\(MarkupEscape.text(detail.text))</dd>")
      }
      body.append("</dl>")
    }
    body.append("</details>")
    if !children.isEmpty {
      body.append("<ul>")
      for child in children { child.appendHTML(to: &body, of: total, options) }
      body.append("</ul>")
    }
    body.append("</li>")
  }

  private static let style = """
    :root { color-scheme: light dark; --line: #8886; --bar: #4477aa; --far: #cc3311 }
    body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; max-width: 75rem }
    h1 { font-size: 1.2rem }
    ul { list-style: none; margin: 0; padding-left: 1.4rem; border-left: 1px solid var(--line) }
    ul.plan { padding-left: 0; border: 0 }
    li { margin: .3rem 0 }
    summary { cursor: pointer; display: flex; gap: .8rem; align-items: baseline; flex-wrap: wrap }
    .rows, .time, .times { font-variant-numeric: tabular-nums; opacity: .8 }
    .far { color: var(--far); opacity: 1; font-weight: 600 }
    .bar { width: 10rem; height: .6rem; background: #8883; border-radius: .3rem; overflow: hidden }
    .bar i { display: block; height: 100%; background: var(--bar) }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 .8rem; margin: .2rem 0 .2rem 1.2rem }
    dt { opacity: .7 }
    dd { margin: 0; font-family: ui-monospace, monospace; overflow-wrap: anywhere }
    """
}
