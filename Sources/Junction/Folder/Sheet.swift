import Catalog
import DelimitedText
import Diagnostics

/// One CSV file of a folder and the table that it goes into.
struct Sheet {
  let file: FolderListing.File
  var dialect: SniffedDialect
  /// The names of its columns: the header, or `column1`, `column2`, ….
  var names: [String]
  /// The table's column for each field of a record.
  var fields: [Int?] = []
  /// Whether the table was made for the file.
  var isInferred = false
  /// For an inferred table: the columns that were found to be no more than text.
  var textColumns: Set<Int> = []
  /// The table.
  var tableID: ObjectID?

  /// Looks at the beginning of a file.
  ///
  /// - Throws: 58030 if it cannot be read, 22021 if its header is no UTF-8.
  init(_ file: FolderListing.File) throws(SQLError) {
    self.file = file
    var format = DelimitedTextFormat()
    format.lineEnd = .any
    let reader = BlockReader(try FileSource(path: file.path), format: format)
    if let block = try reader.next() {
      dialect = DialectSniffer.sniff(block)
    } else {
      dialect = SniffedDialect(
        format: format, width: 0, sample: [], markLength: 0, headerLength: 0, summary: "empty")
    }
    names =
      dialect.format.hasHeader
      ? (dialect.sample.first ?? []).map { $0 ?? "" }
      : (0..<dialect.width).map { "column\($0 + 1)" }
  }

  /// The records that were looked at, without the header.
  var records: ArraySlice<[String?]> { dialect.sample.dropFirst(dialect.format.hasHeader ? 1 : 0) }

  /// The table as it is defined now.
  func definition(in catalog: CatalogSnapshot) throws(SQLError) -> TableDefinition {
    guard let tableID, let table = catalog.tables[tableID] else {
      throw .internal("the table of \(file.path) is gone")
    }
    return table
  }

  /// Finds the table's column for each field, by the names of the header.
  ///
  /// - Throws: 22P04 for a header that names no column of the table, or too few fields without a header.
  mutating func match(_ table: TableDefinition) throws(SQLError) {
    tableID = table.id
    let known = table.columns.map { $0.name.lowercased() }
    let found = names.map { known.firstIndex(of: $0.lowercased()) }
    if dialect.format.hasHeader || found.allSatisfy({ $0 != nil }) && !found.isEmpty {
      if let unknown = found.firstIndex(where: { $0 == nil }) {
        throw SQLError(
          .badCopyFileFormat,
          "column \"\(names[unknown])\" of file \"\(file.path)\" is not in table "
            + "\"\(table.name.name)\"",
          hint: nearestNames(to: names[unknown], among: known, limit: 1).first.map {
            "Perhaps column \"\($0)\" is meant."
          } ?? "The table has \(known.joined(separator: ", ")).")
      }
      if let twice = found.indices.first(where: { found[..<$0].contains(found[$0]) }) {
        throw SQLError(
          .duplicateColumn, "file \"\(file.path)\" names column \"\(names[twice])\" twice")
      }
      fields = found
    } else {
      let open = table.columns.indices.filter { table.columns[$0].generated == nil }
      guard dialect.width <= open.count else {
        throw SQLError(
          .badCopyFileFormat,
          "file \"\(file.path)\" has \(dialect.width) columns, but table \"\(table.name.name)\" "
            + "has \(open.count)", hint: "A first line with the names of the columns would help.")
      }
      fields = open.prefix(dialect.width).map { $0 }
    }
  }
}
