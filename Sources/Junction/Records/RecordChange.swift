import Catalog
import Columnar
import Diagnostics

/// A row on its way into its table, and the statements that bring it there.
struct RecordChange<R: Record> {
  let table: RecordTable<R>
  /// The values of the table's columns that the record has.
  let values: [SQLValue]

  init(_ record: R, _ db: borrowing some Reader & ~Copyable) throws(SQLError) {
    let table = try RecordTable<R>.of(db)
    self.init(table, try table.values(of: record))
  }

  init(_ table: RecordTable<R>, _ values: [SQLValue]) {
    self.table = table
    self.values = values
  }

  /// Whether none of these columns is NULL.
  func hasValues(_ places: [Int]) -> Bool { places.allSatisfy { values[$0] != .null } }

  /// The columns that are sent with a new row.
  private var sent: [Int] {
    table.columns.indices.filter { place in
      let column = table.columns[place]
      return !column.isGenerated && !(column.hasDefault && values[place] == .null)
    }
  }

  /// The INSERT, up to what is to be done where there is a conflict.
  func insertion() -> SQL {
    let sent = sent
    if sent.isEmpty { return SQL(raw: "INSERT INTO \(table.name) DEFAULT VALUES") }
    let names = sent.map { table.columns[$0].name }.joined(separator: ", ")
    let places = (1...sent.count).map { "$\($0)" }.joined(separator: ", ")
    return SQL(
      raw: "INSERT INTO \(table.name) (\(names)) VALUES (\(places))", sent.map { values[$0] })
  }

  private var returning: SQL { SQL(raw: " RETURNING \(table.layout.list())") }

  /// The whole INSERT; `conflict` is what is to be done where a key is taken.
  func insert(_ conflict: SQL = "") -> SQL { insertion() + conflict + returning }

  /// The only row of a result.
  ///
  /// - Throws: P0002 if it has none: a rule of the table dropped the row.
  func one(of rows: ResultSet) throws(SQLError) -> R {
    guard let row = try rows.decode(R.self).first else {
      throw SQLError(.noDataFound, "table \"\(table.definition.name.name)\" took no row")
    }
    return row
  }

  // MARK: Finding the row

  /// The condition that finds the row by its key.
  ///
  /// - Throws: 55000 if the table has no key, or the row none yet.
  func isTheRow() throws(SQLError) -> SQL {
    let key = try table.layout.keyOrFail
    var condition = SQL(raw: "")
    for (number, place) in key.enumerated() {
      if values[place] == .null {
        throw SQLError(
          .objectNotInPrerequisiteState,
          "\(table.definition.name.name) has no \(table.columns[place].name) yet",
          hint: "Insert it first, and go on with the row that `inserted` gives.")
      }
      condition =
        condition + SQL(raw: (number == 0 ? "" : " AND ") + table.columns[place].name + " = ")
        + "\(values[place])"
    }
    return condition
  }

  /// What a statement that found no row says: that the row is gone, or that it is not as it was thought to be.
  private func notFound(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> SQLError {
    let key = try isTheRow()
    let isThere = try !db.query(SQL(raw: "SELECT 1 FROM \(table.name) WHERE ") + key).isEmpty
    let name = table.definition.name.name
    let row = try table.layout.keyOrFail.map {
      "\(table.columns[$0].name) = \(values[$0].spelling)"
    }
    .joined(separator: ", ")
    if isThere {
      return SQLError(
        .serializationFailure, "the row of table \"\(name)\" with \(row) was changed meanwhile",
        hint: "Read it again, and decide anew.")
    }
    return SQLError(.noDataFound, "table \"\(name)\" has no row with \(row)")
  }

  // MARK: Updates

  /// Writes some columns; those of `old`, if there is one, must still be in the row.
  ///
  /// - Throws: P0002, 40001, what a constraint says.
  func update(
    _ places: [Int], from old: RecordChange? = nil, _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) {
    let written = places.filter { place in
      !table.columns[place].isGenerated && !table.columns[place].isVersion
    }
    var assignments: [SQL] = written.map { place in
      SQL(raw: table.columns[place].name + " = ") + "\(values[place])"
    }
    for column in table.columns where column.isVersion {
      assignments.append(SQL(raw: "\(column.name) = \(column.name) + 1"))
    }
    let found = old ?? self
    var condition = try found.isTheRow()
    for place in table.columns.indices {
      let isAsBefore = table.columns[place].isVersion || (old != nil && written.contains(place))
      guard isAsBefore else { continue }
      condition = condition + found.isUnchanged(place)
    }
    guard let first = assignments.first else {
      // There is nothing but the key.
      if try db.query(SQL(raw: "SELECT 1 FROM \(table.name) WHERE ") + condition).isEmpty {
        throw try found.notFound(db)
      }
      return
    }
    let list = assignments.dropFirst().reduce(first) { $0 + ", " + $1 }
    let statement = SQL(raw: "UPDATE \(table.name) SET ") + list + " WHERE " + condition
    if try db.execute(statement) == 0 { throw try found.notFound(db) }
  }

  /// That a column still has its value here.
  private func isUnchanged(_ place: Int) -> SQL {
    let column = table.columns[place]
    // Texts of the same JSON differ in their spaces, and the type json does not compare.
    let cast = table.definition.columns[column.index].type == .json ? "::jsonb" : ""
    return SQL(raw: " AND \(column.name)\(cast) IS NOT DISTINCT FROM ") + "\(values[place])"
      + SQL(raw: cast)
  }

  // MARK: Upserts

  /// The key by which a row that is there is found: the primary one, or the first other one of which all columns have
  /// values; nil if there is none.
  var keyWithValues: [Int]? {
    if !table.key.isEmpty, hasValues(table.key) { return table.key }
    for key in table.definition.keys {
      let places = key.columns.compactMap { index in
        table.columns.firstIndex { $0.index == index }
      }
      if places.count == key.columns.count, hasValues(places) { return places }
    }
    return nil
  }

  /// Inserts the row, or updates the one that has the same values in some columns; nil for none.
  func upserted(
    by key: [Int]?, _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) -> R {
    guard let key else { return try one(of: db.query(insert())) }
    let names = key.map { table.columns[$0].name }
    var assignments = sent.filter { !key.contains($0) && !table.columns[$0].isVersion }
      .map { "\(table.columns[$0].name) = excluded.\(table.columns[$0].name)" }
    for column in table.columns where column.isVersion {
      assignments.append("\(column.name) = \(table.name).\(column.name) + 1")
    }
    // So that the row is given back.
    if assignments.isEmpty { assignments = ["\(names[0]) = excluded.\(names[0])"] }
    let conflict =
      " ON CONFLICT (\(names.joined(separator: ", "))) DO UPDATE SET "
      + assignments.joined(separator: ", ")
    return try one(of: db.query(insert(SQL(raw: conflict))))
  }
}
