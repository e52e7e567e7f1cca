import Catalog
import Columnar
public import Diagnostics

extension Record {
  /// Inserts the row.
  ///
  /// A property that is nil is left out where its column has a default, or is made by the engine.
  ///
  /// - Returns: The row as it is now, with the values that the engine made.
  /// - Throws: what a constraint says.
  @discardableResult
  public func inserted(_ db: borrowing some Writer & ~Copyable) throws(SQLError) -> Self {
    let change = try RecordChange(self, db)
    return try change.one(of: try db.query(change.insert()))
  }

  /// Inserts the row and takes over the values that the engine made.
  ///
  /// - Throws: what a constraint says.
  public mutating func insert(_ db: borrowing some Writer & ~Copyable) throws(SQLError) {
    self = try inserted(db)
  }

  /// Inserts the row, unless one with its key is there and `onConflict` is `.ignore`.
  ///
  /// - Returns: The row as it is now; nil if it was there.
  /// - Throws: what a constraint says.
  public func inserted(
    _ db: borrowing some Writer & ~Copyable, onConflict: OnConflict
  ) throws(SQLError) -> Self? {
    let change = try RecordChange(self, db)
    switch onConflict {
    case .fail: return try change.one(of: try db.query(change.insert()))
    case .ignore:
      let rows = try db.query(change.insert(" ON CONFLICT DO NOTHING"))
      return try rows.decode(Self.self).first
    }
  }

  /// Writes the whole row.
  ///
  /// - Throws: P0002 if the row is not there; 40001 if its version is another one; what a constraint says.
  public func update(_ db: borrowing some Writer & ~Copyable) throws(SQLError) {
    let change = try RecordChange(self, db)
    try change.update(change.table.columns.indices.filter { !change.table.key.contains($0) }, db)
  }

  /// Writes these properties alone.
  ///
  /// - Throws: P0002 if the row is not there; 40001 if its version is another one; 42703 for a property that stands for no
  ///   column; what a constraint says.
  public func update<each Value: SQLValueConvertible>(
    _ db: borrowing some Writer & ~Copyable, only properties: repeat KeyPath<Self, each Value>
  ) throws(SQLError) {
    let change = try RecordChange(self, db)
    var places: [Int] = []
    for property in repeat each properties { places.append(try change.table.place(of: property)) }
    try change.update(places, db)
  }

  /// Writes what differs from `old`, if it still is in the row as `old` has it.
  ///
  /// - Returns: Whether anything differed.
  /// - Throws: 40001 if one of these columns was changed meanwhile; P0002 if the row is gone; what a constraint says.
  @discardableResult
  public func update(
    _ db: borrowing some Writer & ~Copyable, from old: Self
  ) throws(SQLError) -> Bool {
    let before = try RecordChange(old, db)
    let change = try RecordChange(self, db)
    let places = change.table.columns.indices.filter { place in
      !change.table.columns[place].isGenerated && change.values[place] != before.values[place]
    }
    if places.isEmpty { return false }
    try change.update(places, from: before, db)
    return true
  }

  /// Inserts the row, or updates the one that has its primary key, or else another unique key that has a value here.
  ///
  /// - Returns: The row as it is now.
  /// - Throws: what a constraint says.
  @discardableResult
  public func upserted(_ db: borrowing some Writer & ~Copyable) throws(SQLError) -> Self {
    let change = try RecordChange(self, db)
    return try change.upserted(by: change.keyWithValues, db)
  }

  /// Inserts the row, or updates the one that agrees in these unique columns.
  ///
  /// - Returns: The row as it is now.
  /// - Throws: 42P10 if the columns are no key; what a constraint says.
  @discardableResult
  public func upserted<each Value: SQLValueConvertible>(
    _ db: borrowing some Writer & ~Copyable, onConflict unique: repeat KeyPath<Self, each Value>
  ) throws(SQLError) -> Self {
    let change = try RecordChange(self, db)
    var places: [Int] = []
    for property in repeat each unique { places.append(try change.table.place(of: property)) }
    return try change.upserted(by: places, db)
  }

  /// Inserts the row if its key is nil or not there, else updates it.
  ///
  /// - Returns: The row as it is now.
  /// - Throws: what a constraint says.
  @discardableResult
  public func saved(_ db: borrowing some Writer & ~Copyable) throws(SQLError) -> Self {
    let change = try RecordChange(self, db)
    let key = try change.table.layout.keyOrFail
    return try change.upserted(by: change.hasValues(key) ? key : nil, db)
  }

  /// Deletes the row.
  ///
  /// - Returns: Whether it was there.
  /// - Throws: 55000 if it has no key yet; what a constraint says.
  @discardableResult
  public func delete(_ db: borrowing some Writer & ~Copyable) throws(SQLError) -> Bool {
    let change = try RecordChange(self, db)
    return try db.execute(
      SQL(raw: "DELETE FROM \(change.table.name) WHERE ") + change.isTheRow()) > 0
  }
}

extension Sequence where Element: Record {
  /// Inserts all rows with one statement, column by column.
  ///
  /// - Returns: The rows as they are now, with the values that the engine made.
  /// - Throws: what a constraint says of the first row that breaks one, with its number in `context`; nothing of the call stays.
  /// - Complexity: O(*n*) in the rows.
  @discardableResult
  public func inserted(_ db: borrowing some Writer & ~Copyable) throws(SQLError) -> [Element] {
    let table = try RecordTable<Element>.of(db)
    let (names, chunks) = try table.chunks(of: self)
    if chunks.isEmpty { return [] }
    let load = ValueLoad(
      table: Element.table, columns: names, chunks: chunks, onConflict: .fail, fillsNulls: true,
      returned: table.columns.map(\.index))
    return try db.run(Request(.load(load))).decode(Element.self)
  }

  /// Deletes all of these rows with one statement.
  ///
  /// - Returns: How many were there.
  /// - Throws: 55000 if one has no key yet; what a constraint says; nothing of the call stays.
  @discardableResult
  public func delete(_ db: borrowing some Writer & ~Copyable) throws(SQLError) -> Int {
    let table = try RecordTable<Element>.of(db)
    let key = try table.layout.keyOrFail
    var values: [[SQLValue]] = Array(repeating: [], count: key.count)
    for record in self {
      let change = RecordChange(table, try table.values(of: record))
      _ = try change.isTheRow()
      for (place, column) in key.enumerated() { values[place].append(change.values[column]) }
    }
    if values[0].isEmpty { return 0 }
    let names = key.map { table.columns[$0].name }.joined(separator: ", ")
    let arrays = key.indices.map { place in
      let type = table.definition.columns[table.columns[key[place]].index].columnType.type.name
      return "$\(place + 1)::\(type)[]"
    }
    return try db.execute(
      SQL(
        raw: "DELETE FROM \(table.name) WHERE (\(names)) IN "
          + "(SELECT * FROM unnest(\(arrays.joined(separator: ", "))))",
        values.map { .array($0) }))
  }
}
