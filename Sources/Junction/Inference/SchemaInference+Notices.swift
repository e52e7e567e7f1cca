import Columnar
import DelimitedText
import Diagnostics

extension SchemaInference {
  /// What there is to say of columns of times that became text because only some of them have an offset.
  func noticesOfMixedTimes(in sheet: Sheet) -> [Notice] {
    guard sheet.isInferred else { return [] }
    return sheet.names.indices.compactMap { index in
      let values = sheet.samples(of: index)
      let plain = values.count { Self.isSpelled($0, like: .timestamp) }
      let zoned = values.count { Self.isSpelled($0, like: .timestamptz) }
      guard plain > 0, zoned > 0, plain + zoned == values.count else { return nil }
      return Notice(
        "\(sheet.file.table): times in \(sheet.names[index]) have an offset in some rows only, so it is text",
        severity: .info)
    }
  }

  /// What there is to say of columns whose values are not spelled as SQL spells them.
  func noticesOfSpellings(in sheet: Sheet) -> [Notice] {
    guard sheet.isInferred else {
      return sheet.spellings.sorted { $0.key < $1.key }.compactMap { place, spelling in
        Self.description(of: ColumnGuess(.text, spelling)).map {
          Notice("\(sheet.file.table): \(sheet.names[place]) has \($0)", severity: .info)
        }
      }
    }
    return sheet.kept.compactMap { index in
      let guess = guess(of: index, in: sheet)
      var text = Self.description(of: guess)
      if guess.type == .text && areUndecidedDates(sheet.samples(of: index)) {
        text = "dates of which days and months cannot be told apart, so it is text"
      }
      guard let text else { return nil }
      return Notice("\(sheet.file.table): \(sheet.names[index]) has \(text)", severity: .info)
    }
  }
}
