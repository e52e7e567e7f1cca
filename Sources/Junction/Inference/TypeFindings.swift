import Columnar
import DelimitedText
import Diagnostics

extension SchemaInference {
  /// What the types of a file's columns were guessed from, and what speaks against others.
  func findings(of sheet: Sheet) -> [InferenceReport.Finding] {
    guard sheet.isInferred else { return [] }
    return sheet.kept.map { index in
      let guess = guess(of: index, in: sheet)
      let values = sheet.samples(of: index)
      let remark = remark(on: guess, values)
      let seen = "\(values.count) value\(values.count == 1 ? "" : "s") looked at"
      return InferenceReport.Finding(
        table: sheet.file.table, kind: .type, subject: "\(sheet.names[index]) \(guess.type.name)",
        isTaken: true, reason: [seen, remark].compactMap { $0 }.joined(separator: ": "),
        remark: remark)
    }
  }

  private func remark(on guess: ColumnGuess, _ values: [String]) -> String? {
    if values.isEmpty { return nil }
    if let spelling = Self.description(of: guess) { return spelling }
    guard guess.type == .text else { return nil }
    return areUndecidedDates(values)
      ? "dates of which days and months cannot be told apart" : nearMiss(values)
  }

  /// What most values look like, and one that does not; nil if they look like nothing.
  private func nearMiss(_ values: [String]) -> String? {
    let words = FieldSpelling.nullWords(in: values)
    let present = values.filter { !words.contains($0.trimmed) }
    for type in Self.candidates {
      let odd = present.filter { !Self.isSpelled($0, like: type) }
      guard let first = odd.first, odd.count * 2 < present.count else { continue }
      let shown = first.count > 30 ? String(first.prefix(30)) + "…" : first
      return "\(present.count - odd.count) of \(present.count) are \(type.name), but "
        + "\"\(shown)\" is not"
    }
    return nil
  }
}
