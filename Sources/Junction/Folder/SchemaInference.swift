import Catalog
import Columnar
import DelimitedText
import Diagnostics
import SQLSyntax

/// Makes tables for files that have none.
///
/// A guess is only believed when all rows agree: where later values do not fit the type of the
/// sampled ones, the type is guessed again with what they look like, and the file is read again.
struct SchemaInference {
  let session: Session

  /// The types that are tried for a column, from the narrowest.
  private static let candidates: [LogicalType] = [
    .integer, .bigint, .numeric, .double, .boolean, .date, .timestamp, .timestamptz, .time, .uuid,
  ]

  /// Finds the table of a file, or makes it.
  ///
  /// - Throws: 42701 and the like for headers that make no table.
  func makeTable(for sheet: inout Sheet) throws(SQLError) {
    let catalog = session.state.current.catalog
    let name = sheet.file.table
    for candidate in [name, name.lowercased()] {
      if case .table(let table)? = catalog.relation(schema: nil, candidate) {
        try sheet.match(table)
        return
      }
    }
    sheet.isInferred = true
    try create(&sheet)
  }

  private func create(_ sheet: inout Sheet) throws(SQLError) {
    sheet.hasCommas = sheet.names.indices.contains { index in
      guard case .number(let marks)? = guess(of: index, in: sheet).spelling?.form else {
        return false
      }
      return marks.decimal == UInt8(ascii: ",")
    }
    let columns = sheet.kept.map { index in
      let guess = guess(of: index, in: sheet)
      sheet.spellings[index] = guess.spelling
      return "\(SQLPrinter.quoted(sheet.names[index])) \(guess.type.name)"
    }
    let table = SQLPrinter.quoted(sheet.file.table)
    try run("CREATE TABLE \(table) (\(columns.joined(separator: ", ")))")
    guard
      case .table(let definition)? = session.state.current.catalog.relation(
        schema: nil, sheet.file.table)
    else { throw .internal("a table that was made is not there") }
    sheet.take(definition)
  }

  private func guess(of column: Int, in sheet: Sheet) -> ColumnGuess {
    if sheet.textColumns.contains(column) { return ColumnGuess(.text) }
    return guess(
      of: sheet.samples(of: column), delimiter: sheet.dialect.format.delimiter,
      hasCommas: sheet.hasCommas)
  }

  private func run(_ text: String) throws(SQLError) {
    for statement in try parseStatements(text) { _ = try session.run(statement) }
  }

  /// The narrowest type that keeps all that the values say; text if there is none.
  ///
  /// Times of which some have an offset and others have none are text: either type would drop offsets, or
  /// make some up.
  func guessType(of values: [String]) -> LogicalType {
    guard !values.isEmpty else { return .text }
    let vector = Vector(.text, values.map(Value.string))
    let context = session.makeEvaluation()
    return Self.candidates.first { type in
      guard values.allSatisfy({ Self.isSpelled($0, like: type) }),
        let kernel = try? castKernel(from: .text, to: ColumnType(type))
      else { return false }
      return (try? kernel([vector], values.count, context)) != nil
    } ?? .text
  }

  private static func isSpelled(_ value: String, like type: LogicalType) -> Bool {
    let bytes = Buffer(Array(value.utf8))
    return PlainSpelling.fits(bytes.bytes(0..<bytes.count), type)
  }

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
    guard sheet.isInferred else { return [] }
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

  /// Whether a guess is disproved by values of a file that were not looked at before.
  func hasMisfits(_ sheets: [Sheet], _ reports: [LoadReport]) -> Bool {
    zip(sheets, reports).contains { !misfits(of: $0, $1).isEmpty }
  }

  /// The most values of a column that one reading adds to what its type is guessed from.
  private static let misfitsKept = 100

  /// Values that disprove what had been guessed of their column, by the column's place in the file.
  func misfits(of sheet: Sheet, _ report: LoadReport) -> [Int: [String]] {
    guard sheet.isInferred else { return [:] }
    var found: [Int: [String]] = [:]
    let places = Dictionary(
      zip(sheet.names, sheet.names.indices), uniquingKeysWith: { first, _ in first })
    for reject in report.rejects {
      guard let value = reject.value, let place = reject.column.flatMap({ places[$0] }),
        found[place]?.count ?? 0 < Self.misfitsKept
      else { continue }
      found[place, default: []].append(String(decoding: value, as: UTF8.self))
    }
    return found
  }

  /// Makes tables anew whose columns hold other values than had been guessed.
  func widen(_ sheets: inout [Sheet], _ reports: [LoadReport]) throws(SQLError) {
    for index in sheets.indices {
      let found = misfits(of: sheets[index], reports[index])
      if found.isEmpty { continue }
      try widen(&sheets[index], found)
    }
  }

  /// Makes the table of a sheet anew for values that its columns had not been thought to hold.
  func widen(_ sheet: inout Sheet, _ misfits: [Int: [String]]) throws(SQLError) {
    for (place, values) in misfits {
      let before = guess(of: place, in: sheet)
      sheet.misfits[place, default: []] += values
      // A value that disproves a guess and yet allows it again would be met for ever.
      if guess(of: place, in: sheet) == before { sheet.textColumns.insert(place) }
    }
    try run("DROP TABLE \(SQLPrinter.quoted(sheet.file.table))")
    try create(&sheet)
  }
}
