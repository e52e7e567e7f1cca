import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// A table whose rows came from a file.
struct LoadedTable {
  let name: String
  let columns: [String]
  /// Whether it was made for the file.
  let isInferred: Bool
}

/// Finds keys and foreign keys in what was loaded, by names and by values.
///
/// 1. Names propose a key for each table, and after them the first column, or the first of short codes; the first whose
///    values all differ is taken.
/// 2. Columns propose tables that they refer to: by a name that speaks of the table, by the name of its key, or by
///    values of which all are there although that could hardly be chance. The likeliest whose values are all there is taken.
/// 3. Tables without a key get one of two columns, if there is one: the tables that they refer to, or one of
///    those and a count or a day.
///
/// A key or foreign key stands only if its constraint could be added. Where the rows speak against what a name
/// proposes, it is said how many do.
struct KeyInference {
  let session: Session
  let tables: [LoadedTable]
  let log: InferenceLog
  let values: ColumnQueries

  init(session: Session, tables: [LoadedTable], log: InferenceLog) {
    self.session = session
    self.tables = tables
    self.log = log
    values = ColumnQueries(session: session)
  }

  /// Adds the keys and foreign keys that the rows bear out, and notes which, and what was not borne out.
  func inferKeys() throws(SQLError) {
    let inferred = tables.filter(\.isInferred)
    for loaded in inferred where try values.primaryKey(of: loaded.name) == nil {
      try inferPrimaryKey(of: loaded)
    }
    let references = ReferenceInference(self)
    for loaded in inferred {
      let linked = try references.infer(of: loaded)
      if try values.primaryKey(of: loaded.name) == nil {
        try inferCompositeKey(of: loaded, linked)
      }
    }
  }

  // MARK: Keys of one column

  private func inferPrimaryKey(of loaded: LoadedTable) throws(SQLError) {
    let table = NameWords(loaded.name)
    let definition = try values.definition(of: loaded.name)
    let rowCount = try values.rowCount(of: loaded.name)
    var candidates: [(column: TableColumn, strength: NameWords.KeyStrength)] = []
    for (place, column) in definition.columns.enumerated() where Self.mayBeKey(column.type) {
      let name = NameWords(column.name)
      let strength = name.keyStrength(in: table)
      let isReference = strength != .own && namesOther(than: loaded.name, name)
      if isReference || name.isPersonName { continue }
      // What tells one row from another among few is chance, unless it is called a key.
      // Of no rows only `id` is believed, and of one only what is called the table's own.
      if rowCount == 0 && name.words != ["id"] || rowCount < 2 && strength != .own { continue }
      if strength == .none && place > 0 && column.type != .text { continue }
      candidates.append((column, strength))
    }
    let ordered = [.own, .identifier, .code, .none].flatMap { strength in
      candidates.filter { $0.strength == strength }
    }
    let isNamed = ordered.contains { $0.strength == .own }
    for (place, candidate) in ordered.enumerated() {
      let (column, strength) = candidate
      let isFirst = column.name == definition.columns.first?.name
      // Of what is called nothing of the kind, later columns have to look like codes.
      if strength == .none && !isFirst {
        if isNamed { continue }
        if try !values.areCodes(column.name, in: loaded.name) { continue }
      }
      let isTaken = try noteKey(column.name, in: loaded.name, rowCount, isNamed: strength == .own)
      if isTaken {
        try noteOthers(ordered[(place + 1)...].map(\.column.name), in: loaded.name, rowCount)
        return
      }
    }
  }

  /// Whether the name of a column speaks of another table that is here.
  private func namesOther(than table: String, _ name: NameWords) -> Bool {
    guard let referent = name.referent else { return false }
    return tables.contains { other in
      let noun = NameWords(other.name).singular
      return other.name != table && !noun.isEmpty && referent.suffix(noun.count).elementsEqual(noun)
    }
  }

  private static func mayBeKey(_ type: LogicalType) -> Bool {
    switch type {
    case .smallint, .integer, .bigint, .text, .varchar, .uuid, .date, .timestamp, .timestamptz: true
    case .numeric, .real, .double, .boolean, .time, .timetz, .interval, .character, .name, .bytea,
      .bit, .varbit, .json, .jsonb, .oid, .array, .record, .enumeration, .unknown, .void:
      false
    }
  }

  /// Makes a column the key if it can be; says whether it is.
  private func noteKey(
    _ column: String, in table: String, _ rowCount: Int64, isNamed: Bool
  ) throws(SQLError) -> Bool {
    let isKey = values.add("PRIMARY KEY (\(SQLPrinter.quoted(column)))", to: table)
    let counts = try values.counts(column, in: table)
    let subject = "(\(column))"
    if isKey {
      log.add(
        .init(
          table: table, kind: .key, subject: subject, isTaken: true,
          reason: "\(counts.different) different values in \(rowCount) rows"),
        saying: "\(table): primary key (\(column)), inferred")
      return true
    }
    let reasons = [
      counts.repeated > 0 ? "\(counts.repeated) of its values stand there already" : nil,
      counts.missing > 0 ? "\(counts.missing) of them are missing" : nil,
    ].compactMap { $0 }.joined(separator: ", ")
    // That a column of any other name is no key is nothing to talk about.
    log.add(
      .init(table: table, kind: .key, subject: subject, isTaken: false, reason: reasons),
      saying: isNamed ? "\(table): \(column) is no key: \(reasons)" : nil)
    return false
  }

  /// Notes what could have been the key as well.
  private func noteOthers(
    _ columns: [String], in table: String, _ rowCount: Int64
  ) throws(SQLError) {
    for column in columns where try values.counts(column, in: table).different == rowCount {
      log.add(
        .init(
          table: table, kind: .key, subject: "(\(column))", isTaken: false,
          reason: "\(rowCount) different values in as many rows, but another is likelier"))
    }
  }

  // MARK: Keys of two columns

  private func inferCompositeKey(
    of loaded: LoadedTable, _ linked: [String]
  ) throws(SQLError) {
    let table = NameWords(loaded.name)
    let definition = try values.definition(of: loaded.name)
    let rowCount = try values.rowCount(of: loaded.name)
    if rowCount == 0 { return }
    let names = definition.columns.map { (name: $0.name, type: $0.type, words: NameWords($0.name)) }
    // What is numbered within something is told from others by its number.
    for owner in names
    where rowCount > 1 && owner.words.keyStrength(in: table) >= .identifier {
      let isLinked = linked.contains(owner.name)
      for place in names where place.type.isInteger && place.name != owner.name {
        guard place.words.isPlace || isLinked && place.words.isCount else { continue }
        if try addKey([owner.name, place.name], to: loaded.name) { return }
      }
    }
    if linked.count >= 2, try addKey(linked, to: loaded.name, "; a junction table") { return }
    for owner in linked where try values.counts(owner, in: loaded.name).repeated > 0 {
      for moment in names where [.date, .timestamp, .timestamptz, .time].contains(moment.type) {
        guard try values.counts(moment.name, in: loaded.name).repeated > 0 else { continue }
        if try addKey([owner, moment.name], to: loaded.name) { return }
      }
    }
  }

  /// Pairs of more rows are not counted, which would take longer than to load them.
  private static let countedRowsMax: Int64 = 200_000

  private func addKey(
    _ columns: [String], to table: String, _ remark: String = ""
  ) throws(SQLError) -> Bool {
    let list = columns.map(SQLPrinter.quoted).joined(separator: ", ")
    let isKey = values.add("PRIMARY KEY (\(list))", to: table)
    let names = columns.joined(separator: ", ")
    let rowCount = try values.rowCount(of: table)
    var reason = "some of \(rowCount) pairs stand there already"
    if isKey {
      reason = "\(rowCount) different pairs in \(rowCount) rows\(remark)"
    } else if rowCount <= Self.countedRowsMax {
      reason =
        "\(try values.differentRows(columns, in: table)) different pairs in \(rowCount) rows"
    }
    log.add(
      .init(table: table, kind: .key, subject: "(\(names))", isTaken: isKey, reason: reason),
      saying: isKey ? "\(table): primary key (\(names)), inferred\(remark)" : nil)
    return isKey
  }
}
