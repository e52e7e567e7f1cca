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
    text += """

      Medians. *× peer* is how many times faster Junction is than the best peer, *× limit* how many
      times the time of the faster hand-written loop it takes.

      """
    for group in record.groups {
      text += "\n## \(BenchRecord.title(ofGroup: group.name))\n\n" + table(group.results)
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
    var text = "| | |" + engines.map { " \($0.name) |" }.joined() + " × peer | × limit |\n"
    text += "| --- | --- |" + String(repeating: " ---: |", count: engines.count + 2) + "\n"
    for result in results {
      let standing = record.standing(result)
      text += "| \(result.id) | \(Self.escaped(result.title)) |"
      for engine in engines {
        let measurement = result.measurement(of: engine.id)
        let cell =
          measurement?.rightSamples.map { Quantity.time($0.p50) } ?? measurement?.statusWord ?? ""
        text += engine.kind == .junction && !cell.isEmpty ? " **\(cell)** |" : " \(cell) |"
      }
      text += " \(standing.speedup.map(Quantity.ratio).orEmpty) |"
      text += " \(standing.multipleOfLimit.map(Quantity.ratio).orEmpty) |\n"
    }
    return text
  }

  private static func escaped(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
