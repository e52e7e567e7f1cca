import Catalog
import Columnar
import DelimitedText
import Diagnostics

/// What values say that come after those that were looked at.
extension SchemaInference {
  /// The most values of a column that one reading adds to what its type is guessed from.
  private static let misfitsKept = 100

  /// Values that disprove what had been guessed of their column, by the column's place in the file.
  func misfits(of sheet: Sheet, _ report: LoadReport) -> [Int: [String]] {
    var found: [Int: [String]] = [:]
    let places = Dictionary(
      zip(sheet.names, sheet.names.indices), uniquingKeysWith: { first, _ in first })
    for reject in report.rejects {
      guard let value = reject.value, let place = reject.column.flatMap({ places[$0] }),
        found[place]?.count ?? 0 < Self.misfitsKept
      else { continue }
      found[place, default: []].append(String(decoding: value, as: UTF8.self))
    }
    guard sheet.isInferred else {
      return found.filter { place, values in isSpelledOtherwise(place, values, in: sheet) }
    }
    for (place, values) in report.laterValues where !values.isEmpty {
      var later = sheet
      later.misfits[place, default: []] += values
      if guess(of: place, in: later).type != .text { found[place] = values }
    }
    return found
  }

  /// Columns that are text because all values that were looked at stand for NULL.
  func openColumns(of sheet: Sheet) -> Set<Int> {
    guard sheet.isInferred else { return [] }
    return Set(
      sheet.kept.filter { place in
        guard !sheet.textColumns.contains(place) else { return false }
        let values = sheet.samples(of: place)
        let words = FieldSpelling.nullWords(in: values)
        return values.allSatisfy { words.contains($0.trimmed) }
      })
  }

  // MARK: Given types

  /// Finds how values are spelled that go into the columns of a table that was there before.
  func findSpellings(in sheet: inout Sheet, for table: TableDefinition) {
    lookForCommas(in: &sheet)
    for (place, field) in sheet.fields.enumerated() {
      guard let field else { continue }
      sheet.spellings[place] = spelling(of: place, in: sheet, for: table.columns[field].type)
    }
  }

  /// How the values of a column are spelled if they are of a type; nil if as SQL spells them, or if they are not.
  private func spelling(of place: Int, in sheet: Sheet, for type: LogicalType) -> FieldSpelling? {
    let values = sheet.samples(of: place)
    if values.allSatisfy({ Self.isSpelled($0, like: type) }) { return nil }
    let guess = guess(of: place, in: sheet)
    if let spelling = guess.spelling, Self.holds(type, guess.type) { return spelling }
    // Where nothing but words for NULL was looked at, the type tells that they are.
    let words = FieldSpelling.nullWords(in: values)
    let isBare = values.allSatisfy { words.contains($0.trimmed) }
    return isBare && Self.holds(type, type) ? FieldSpelling(nullWords: words) : nil
  }

  /// Whether columns of a type hold what a guess of their values is; no for types of which all values are texts as well.
  private static func holds(_ type: LogicalType, _ guessed: LogicalType) -> Bool {
    switch type {
    case .smallint, .integer, .bigint: guessed.isInteger
    case .numeric, .real, .double: guessed.isNumeric
    case .boolean: guessed == .boolean
    case .date: guessed == .date
    case .timestamp: guessed == .timestamp || guessed == .date
    case .timestamptz: guessed == .timestamptz
    case .time: guessed == .time
    case .uuid: guessed == .uuid
    case .text, .varchar, .character, .name, .bytea, .timetz, .interval, .bit, .varbit, .json,
      .jsonb, .oid, .array, .record, .enumeration, .unknown, .void:
      false
    }
  }

  /// Whether values that do not fit the type of a given column do so by another spelling.
  private func isSpelledOtherwise(_ place: Int, _ values: [String], in sheet: Sheet) -> Bool {
    guard let field = sheet.fields[place],
      let table = try? sheet.definition(in: session.state.current.catalog)
    else { return false }
    var later = sheet
    later.misfits[place, default: []] += values
    let found = spelling(of: place, in: later, for: table.columns[field].type)
    return found != nil && found != sheet.spellings[place]
  }
}
