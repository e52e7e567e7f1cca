import Catalog
import DelimitedText
import Diagnostics

/// One CSV file of a folder and the table that it goes into.
struct Sheet {
  private(set) var file: FolderListing.File
  let dialect: SniffedDialect
  /// The names of its columns: the header, or `column1`, `column2`, ….
  private(set) var names: [String]
  /// The table's column for each field of a record.
  private(set) var fields: [Int?] = []
  /// Whether the table was made for the file.
  var isInferred = false
  /// For an inferred table: values that disproved what had been guessed of their column.
  var misfits: [Int: [String]] = [:]
  /// For an inferred table: columns that are text whatever their values look like.
  var textColumns: Set<Int> = []
  /// For an inferred table: which of the file's columns it has.
  private(set) var kept: [Int] = []
  /// For an inferred table: whether some numbers have decimal commas.
  var hasCommas = false
  /// For an inferred table: how values are spelled, by column, where that is not as SQL spells them.
  var spellings: [Int: FieldSpelling] = [:]
  /// The table.
  private var tableID: ObjectID?
  /// What there is to say of the header.
  private(set) var notices: [Notice] = []

  /// Looks at the beginning of a file.
  ///
  /// - Throws: 58030 if it cannot be read, 22021 if its header is no UTF-8.
  init(_ file: FolderListing.File) throws(SQLError) {
    self.file = file
    var (dialect, block) = try Self.look(at: file)
    if let encoding = block.flatMap({ EncodingCheck.encoding(of: $0) }) {
      self.file.origin = .encoded(file.origin, encoding)
      (dialect, block) = try Self.look(at: self.file)
      notices.append(
        Notice("\(file.path): converted from \(encoding.name) to UTF-8", severity: .info))
    }
    self.dialect = dialect
    if dialect.commentCount > 0 {
      let lines = dialect.commentCount == 1 ? "a line" : "\(dialect.commentCount) lines"
      notices.append(
        Notice("\(file.path): \(lines) of comments at the beginning passed over", severity: .info))
    }
    if let first = dialect.preamble.first {
      let text = first.compactMap { $0 }.joined(separator: " ").prefix(40)
      let others = dialect.preamble.count > 1 ? " and \(dialect.preamble.count - 1) more" : ""
      notices.append(
        Notice(
          "\(file.path): \"\(text)\"\(others) before the table passed over", severity: .info))
    }
    if dialect.shortCount > 0 {
      notices.append(
        Notice(
          "\(file.path): records that end early have NULL in their last columns, as "
            + "\(dialect.shortCount) of the first \(dialect.sample.count) do", severity: .info))
    }
    names = (0..<dialect.width).map { "column\($0 + 1)" }
    kept = Array(names.indices)
    guard dialect.format.hasHeader, let block else { return }
    do throws(SQLError) {
      try EncodingCheck.check(block, 0..<dialect.headerLength)
    } catch {
      var located = error
      located.context = "loading \(file.path), header"
      throw located
    }
    let header = HeaderNames(dialect.sample.first ?? [])
    names = header.names
    if let repairs = header.repairs {
      notices.append(Notice("\(file.path): \(repairs)", severity: .info))
    }
  }

  /// Reads the file in the encoding that all of it seems to have; says whether that is another than before.
  ///
  /// - Throws: 58030 if it cannot be read.
  mutating func changeEncoding() throws(SQLError) -> Bool {
    if case .encoded = file.origin { return false }
    guard let encoding = try EncodingCheck.encoding(of: try file.origin.opened()) else {
      return false
    }
    file.origin = .encoded(file.origin, encoding)
    notices.append(
      Notice("\(file.path): converted from \(encoding.name) to UTF-8", severity: .info))
    return true
  }

  /// The fewest records that say anything of a file, if it has as many.
  private static let recordsMin = 20
  /// The most bytes that are looked at for them.
  private static let bytesMax = 1 << 28

  /// Looks at so much of a file that records are seen, however long they are.
  private static func look(
    at file: FolderListing.File
  ) throws(SQLError) -> (SniffedDialect, TextBlock?) {
    var format = DelimitedTextFormat()
    format.lineEnd = .any
    var blockSize = 1 << 20
    while true {
      let reader = BlockReader(
        try file.origin.opened(), format: format, blockSize: blockSize)
      guard let block = try reader.next() else {
        let nothing = SniffedDialect(
          format: format, width: 0, sample: [], prefixLength: 0, headerLength: 0,
          summary: "empty")
        return (nothing, nil)
      }
      let dialect = DialectSniffer.sniff(block)
      if block.isLast || dialect.sample.count >= recordsMin || blockSize >= bytesMax {
        return (dialect, block)
      }
      blockSize *= 8
    }
  }

  /// The values of a column that were looked at; empty fields say nothing, in quotes or not.
  func samples(of column: Int) -> [String] {
    let records = dialect.sample.dropFirst(dialect.format.hasHeader ? 1 : 0)
    let sampled = records.compactMap { column < $0.count ? $0[column] : nil }
    return sampled.filter { !$0.isEmpty } + (misfits[column] ?? [])
  }

  /// Lets what other files of the same columns hold speak for the types, too.
  mutating func takeSamples(of others: ArraySlice<Sheet>) {
    for other in others {
      for (place, name) in names.enumerated() {
        guard let theirs = other.names.firstIndex(of: name) else { continue }
        misfits[place, default: []] += other.samples(of: theirs)
      }
    }
  }

  /// Values by their column's place in another file, by its place in this one.
  func places(of values: [Int: [String]], in other: Sheet) -> [Int: [String]] {
    var found: [Int: [String]] = [:]
    for (theirs, list) in values {
      guard let place = names.firstIndex(of: other.names[theirs]) else { continue }
      found[place] = list
    }
    return found
  }

  /// Makes the table of another sheet, which has the same columns, this one's too.
  ///
  /// - Throws: 22P04 for a file that lacks a column, or has one more.
  mutating func share(_ table: TableDefinition, of first: Sheet) throws(SQLError) {
    if let odd = names.first(where: { !first.names.contains($0) })
      ?? first.names.first(where: { !names.contains($0) })
    {
      let lacks = names.contains(odd) ? first.file.path : file.path
      throw SQLError(
        .badCopyFileFormat, "file \"\(lacks)\" has no column \"\(odd)\", as others beside it have",
        hint: "Files that are read as one table have the same columns.")
    }
    tableID = table.id
    isInferred = true
    fields = names.map { name in table.column(named: name) }
    for (place, spelling) in first.spellings {
      if let own = names.firstIndex(of: first.names[place]) { spellings[own] = spelling }
    }
  }

  /// The table as it is defined now.
  func definition(in catalog: CatalogSnapshot) throws(SQLError) -> TableDefinition {
    guard let tableID, let table = catalog.tables[tableID] else {
      throw .internal("the table of \(file.path) is gone")
    }
    return table
  }

  /// Passes over the columns that are not wanted, but for the first, so that there is one.
  mutating func keep(_ isWanted: (String) -> Bool) {
    kept = names.indices.filter { isWanted(names[$0]) }
    if kept.isEmpty { kept = Array(names.indices.prefix(1)) }
  }

  /// Makes `table`, which was made for the file, its table.
  mutating func take(_ table: TableDefinition) {
    tableID = table.id
    fields = Array(repeating: nil, count: names.count)
    for (index, place) in kept.enumerated() {
      names[place] = table.columns[index].name
      fields[place] = index
    }
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
      let generated = found.indices.filter { place in
        found[place].map { table.columns[$0].generated != nil } ?? false
      }
      for place in generated {
        notices.append(
          Notice(
            "\(file.path): column \"\(names[place])\" is generated, so its values are computed, not read",
            severity: .info))
      }
      fields = found.indices.map { generated.contains($0) ? nil : found[$0] }
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
