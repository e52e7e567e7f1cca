import Catalog
import Columnar
import DelimitedText
import Diagnostics
import SQLSyntax

/// Makes tables for files that have none, and finds keys and foreign keys in what was loaded.
///
/// A guess is only believed when all rows agree: a column whose later values do not fit the type of the
/// sampled ones becomes text and the file is read again; a key or foreign key stands only if its constraint
/// could be added.
struct SchemaInference {
  let session: Session

  /// The types that are tried for a column, from the narrowest.
  private static let candidates: [LogicalType] = [
    .integer, .bigint, .numeric, .boolean, .date, .timestamp, .timestamptz, .time, .uuid,
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
    let columns = sheet.names.indices.map { index in
      let type = sheet.textColumns.contains(index) ? .text : guessType(of: index, in: sheet)
      return "\(SQLPrinter.quoted(sheet.names[index])) \(type.name)"
    }
    let table = SQLPrinter.quoted(sheet.file.table)
    try run("CREATE TABLE \(table) (\(columns.joined(separator: ", ")))")
    guard
      case .table(let definition)? = session.state.current.catalog.relation(
        schema: nil, sheet.file.table)
    else { throw .internal("a table that was made is not there") }
    sheet.tableID = definition.id
    sheet.fields = definition.columns.indices.map { $0 }
  }

  private func run(_ text: String) throws(SQLError) {
    for statement in try parseStatements(text) { _ = try session.run(statement) }
  }

  /// The narrowest type that all sampled values of a column have; text if there is none.
  private func guessType(of column: Int, in sheet: Sheet) -> LogicalType {
    let values = sheet.records.compactMap { column < $0.count ? $0[column] : nil }
    guard !values.isEmpty else { return .text }
    // A number with a leading zero is a code, such as a telephone number.
    let isCode = values.contains { value in
      value.utf8.count > 1 && value.utf8.first == 48
        && value.utf8.allSatisfy { $0 >= 48 && $0 <= 57 }
    }
    let vector = Vector(.text, values.map(Value.string))
    for type in Self.candidates {
      if isCode && type.isNumeric { continue }
      guard values.allSatisfy({ Self.mayBe(type, $0) }) else { continue }
      let kernel = try? castKernel(from: .text, to: ColumnType(type))
      let context = session.makeEvaluation()
      if let kernel, (try? kernel([vector], values.count, context)) != nil { return type }
    }
    return .text
  }

  /// Whether a text looks like a value of a type, stricter than what a cast accepts ("y" is no boolean, "now" no date).
  private static func mayBe(_ type: LogicalType, _ text: String) -> Bool {
    switch type {
    case .boolean: return ["true", "false", "t", "f"].contains(text.lowercased())
    case .date, .timestamp, .timestamptz, .time:
      let bytes = Array(text.utf8)
      guard bytes.count >= 5, let first = bytes.first, first >= 48, first <= 57 else {
        return false
      }
      let hasDate = bytes.count >= 8 && bytes.contains(UInt8(ascii: "-"))
      let hasTime = bytes.contains(UInt8(ascii: ":"))
      switch type {
      case .date: return hasDate && !hasTime
      case .time: return hasTime && !hasDate
      default: return hasDate && hasTime
      }
    case .uuid: return text.utf8.count >= 32
    case .integer, .bigint, .numeric:
      return text.utf8.first.map { ($0 >= 48 && $0 <= 57) || [43, 45, 46].contains($0) } ?? false
    default: return true
    }
  }

  /// Makes columns text whose later values did not fit; true if some file has to be read again.
  func widen(_ sheets: inout [Sheet], _ rejects: [[RejectedRecord]]) throws(SQLError) -> Bool {
    var hasChanged = false
    for index in sheets.indices where sheets[index].isInferred {
      let bad = Set(
        rejects[index].filter { $0.error.state.classCode == "22" }.compactMap(\.column))
      let columns = sheets[index].names.indices.filter { bad.contains(sheets[index].names[$0]) }
      let added = Set(columns).subtracting(sheets[index].textColumns)
      if added.isEmpty { continue }
      sheets[index].textColumns.formUnion(added)
      try run("DROP TABLE \(SQLPrinter.quoted(sheets[index].file.table))")
      try create(&sheets[index])
      hasChanged = true
    }
    return hasChanged
  }

  // MARK: Keys

  /// Adds the keys and foreign keys that the rows bear out, and says which.
  func inferKeys(of sheets: [Sheet]) -> [Notice] {
    var notices: [Notice] = []
    let inferred = sheets.filter(\.isInferred)
    for sheet in inferred {
      let table = sheet.file.table
      let own = ["id", "\(table)_id", "\(Self.singular(table))_id", "\(table)id"]
      let candidates =
        own.compactMap { name in sheet.names.first { $0.lowercased() == name } }
        + sheet.names.prefix(1).filter { !Self.namesAnotherTable($0, table, sheets) }
      if let key = candidates.first(where: {
        add("PRIMARY KEY (\(SQLPrinter.quoted($0)))", to: table)
      }) {
        notices.append(Notice("\(table): primary key (\(key)), inferred", severity: .info))
      }
    }
    for sheet in inferred { notices += inferForeignKeys(of: sheet, among: sheets) }
    return notices
  }

  private func inferForeignKeys(of sheet: Sheet, among sheets: [Sheet]) -> [Notice] {
    var notices: [Notice] = []
    var linked: [String] = []
    let table = sheet.file.table
    for column in sheet.names {
      guard let parent = Self.parent(of: column, child: table, among: sheets),
        let key = primaryKey(of: parent),
        add(
          "FOREIGN KEY (\(SQLPrinter.quoted(column))) REFERENCES "
            + "\(SQLPrinter.quoted(parent)) (\(SQLPrinter.quoted(key)))", to: table)
      else { continue }
      linked.append(column)
      notices.append(
        Notice("\(table): \(column) references \(parent) (\(key)), inferred", severity: .info))
    }
    if linked.count >= 2, primaryKey(of: table) == nil {
      let columns = linked.map(SQLPrinter.quoted).joined(separator: ", ")
      if add("PRIMARY KEY (\(columns))", to: table) {
        notices.append(
          Notice(
            "\(table): primary key (\(linked.joined(separator: ", "))), inferred; a junction table",
            severity: .info))
      }
    }
    return notices
  }

  /// Adds a constraint if all rows meet it.
  private func add(_ constraint: String, to table: String) -> Bool {
    (try? run("ALTER TABLE \(SQLPrinter.quoted(table)) ADD \(constraint)")) != nil
  }

  private func primaryKey(of table: String) -> String? {
    guard
      case .table(let definition)? = session.state.current.catalog.relation(
        schema: nil, table), let key = definition.primaryKey, key.columns.count == 1
    else { return nil }
    return definition.columns[key.columns[0]].name
  }

  private static func namesAnotherTable(
    _ column: String, _ table: String, _ sheets: [Sheet]
  ) -> Bool {
    parent(of: column, child: table, among: sheets) != nil
  }

  /// The table that a column such as `student_id` or `studentId` speaks of.
  private static func parent(
    of column: String, child: String, among sheets: [Sheet]
  ) -> String? {
    let lowered = column.lowercased()
    guard lowered.hasSuffix("id"), lowered.count > 2 else { return nil }
    var stem = String(lowered.dropLast(2))
    if stem.last == "_" { stem.removeLast() }
    guard !stem.isEmpty else { return nil }
    return sheets.map(\.file.table).first { table in
      table != child && singular(table.lowercased()) == singular(stem)
    }
  }

  /// An English noun without its plural ending, as far as names of tables go.
  static func singular(_ word: String) -> String {
    if word.hasSuffix("ies"), word.count > 4 { return word.dropLast(3) + "y" }
    for ending in ["sses", "ches", "shes", "xes"] where word.hasSuffix(ending) {
      return String(word.dropLast(2))
    }
    if word.hasSuffix("s"), !word.hasSuffix("ss"), word.count > 2 { return String(word.dropLast()) }
    return word
  }
}
