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
  static let candidates: [LogicalType] = [
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
        findSpellings(in: &sheet, for: table)
        return
      }
    }
    sheet.isInferred = true
    try create(&sheet)
  }

  private func create(_ sheet: inout Sheet) throws(SQLError) {
    lookForCommas(in: &sheet)
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

  func guess(of column: Int, in sheet: Sheet) -> ColumnGuess {
    if sheet.textColumns.contains(column) { return ColumnGuess(.text) }
    return guess(
      of: sheet.samples(of: column), delimiter: sheet.dialect.format.delimiter,
      hasCommas: sheet.hasCommas, name: sheet.names[column])
  }

  func lookForCommas(in sheet: inout Sheet) {
    sheet.hasCommas = sheet.names.indices.contains { index in
      guard case .number(let marks)? = guess(of: index, in: sheet).spelling?.form else {
        return false
      }
      return marks.decimal == UInt8(ascii: ",")
    }
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

  static func isSpelled(_ value: String, like type: LogicalType) -> Bool {
    let bytes = Buffer(Array(value.utf8))
    return PlainSpelling.fits(bytes.bytes(0..<bytes.count), type)
  }

  /// Whether a guess is disproved by values of a file that were not looked at before.
  func hasMisfits(_ sheets: [Sheet], _ reports: [LoadReport]) -> Bool {
    zip(sheets, reports).contains { !misfits(of: $0, $1).isEmpty }
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
    guard sheet.isInferred else {
      let table = try sheet.definition(in: session.state.current.catalog)
      findSpellings(in: &sheet, for: table)
      return
    }
    try run("DROP TABLE \(SQLPrinter.quoted(sheet.file.table))")
    try create(&sheet)
  }
}
