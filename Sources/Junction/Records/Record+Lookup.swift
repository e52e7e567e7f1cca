public import Diagnostics

extension Record {
  /// The row of a key.
  ///
  /// ```swift
  /// let student = try Student.find(1, in: database)
  /// let enrolment = try Enrolment.find(1, 7, in: database)
  /// ```
  ///
  /// - Parameters:
  ///   - key: The values of the key's columns, in their order.
  ///   - db: Where to look.
  /// - Returns: The row; nil if there is none.
  /// - Throws: 22023 if the key has another number of columns; 55000 if the table has none; 42804 for a row that does not fit.
  public static func find(
    _ key: any SQLValueConvertible..., in db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> Self? {
    let table = try RecordTable<Self>.of(db)
    let places = try table.layout.keyOrFail
    guard key.count == places.count else {
      throw SQLError(
        .invalidParameterValue,
        "the key of record \(Self.self) has \(places.count) columns, not \(key.count)",
        hint: "They are \(places.map { table.columns[$0].name }.joined(separator: ", ")).")
    }
    return try table.find(key.map(\.sqlValue), db)
  }

  /// The row of the same key as it is now.
  ///
  /// - Returns: The row; nil if it is gone.
  /// - Throws: 55000 if it has no key yet; 42804 for a row that does not fit.
  public func refreshed(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> Self? {
    let change = try RecordChange(self, db)
    _ = try change.isTheRow()
    return try change.table.find(change.table.layout.keyOrFail.map { change.values[$0] }, db)
  }
}

extension RecordTable {
  /// The row with these values in its key.
  fileprivate func find(
    _ values: [SQLValue], _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> R? {
    let conditions = layout.key.enumerated().map { "\(layout.columns[$1].name) = $\($0 + 1)" }
    let rows = try db.query(
      SQL(
        raw:
          "SELECT \(layout.list()) FROM \(layout.name) WHERE \(conditions.joined(separator: " AND "))",
        values))
    return try rows.decode(R.self).first
  }
}
