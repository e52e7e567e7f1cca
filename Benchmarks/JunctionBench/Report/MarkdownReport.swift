/// One record as Markdown, for a README or an issue.
struct MarkdownReport {
  let record: BenchRecord

  var text: String {
    var text = "# Junction benchmark, size \(record.settings.size)\n\n"
    if let verdict = record.verdict { text += "\(verdict)\n\n" }
    if let caution = record.caution { text += "**\(caution)**\n\n" }
    text += "- \(record.dataSentence)\n- \(record.machineSentence)\n"
    if let bandwidth = record.bandwidthSentence { text += "- \(bandwidth)\n" }
    text += "- \(record.date), commit `\(record.commit)`, \(record.build)\n"
    for engine in record.engines where engine.kind != .limit {
      text += "- " + Self.line(engine) + "\n"
    }
    for note in record.notes { text += "- \(note)\n" }
    text += "\n\(record.remarkSentence)\n"
    for group in record.groups {
      text += "\n## \(BenchRecord.title(ofGroup: group.name))\n\n" + table(group.results)
    }
    if !record.summary.isEmpty {
      text += "\n" + record.summary.map { "- \($0)\n" }.joined()
    }
    return text
  }

  private static func line(_ engine: BenchEngine) -> String {
    if let reason = engine.missingReason {
      let remedy = engine.installCommand.map { "; install it with `\($0)`" } ?? ""
      return "\(engine.name) is missing: \(reason)\(remedy)"
    }
    return (["\(engine.name) \(engine.version)", engine.access, engine.settings])
      .filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private func table(_ results: [BenchResult]) -> String {
    let engines = record.presentEngines
    let remarks = record.remarks
    let headings = engines.map(\.name) + remarks.map(\.heading)
    var text = "| | |" + headings.map { " \($0) |" }.joined() + "\n"
    text += "| --- | --- |" + String(repeating: " ---: |", count: headings.count) + "\n"
    for result in results {
      let standing = record.standing(result)
      text += "| \(result.id) | \(Self.escaped(result.title)) |"
      for engine in engines {
        let measurement = result.measurement(of: engine.id)
        let cell =
          measurement?.rightSamples.map { Quantity.time($0.p50) } ?? measurement?.statusWord ?? ""
        text += engine.kind == .junction && !cell.isEmpty ? " **\(cell)** |" : " \(cell) |"
      }
      text += remarks.map { " \($0.cell(standing)) |" }.joined() + "\n"
    }
    return text
  }

  private static func escaped(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
