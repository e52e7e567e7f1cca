import Columnar

/// What a table that was read from damaged memory or files may break, told rather than stopped at.
extension TableStore {
  /// What is wrong with the values of a page; nil if nothing is.
  ///
  /// - Complexity: O(*n*) in the values.
  package func damage(ofPage page: Int) -> String? {
    for index in columns.indices {
      let column = columns[index]
      guard page < column.pages.count else { return "Column \(index + 1) lacks page \(page)." }
      let rows = rowCount(ofPage: page)
      let vector = column.vector(page: page, count: rows)
      if let zone = column.pages[page].zone, let exact = ZoneKey.zone(of: vector, 0..<rows) {
        let isSound =
          zone.minimum <= exact.minimum && zone.maximum >= exact.maximum
          && (zone.nullCount > 0 || exact.nullCount == 0)
          && (zone.valueCount > 0 || exact.valueCount == 0)
        if !isSound {
          return
            "The least and the greatest value noted of page \(page) of column \(index + 1) are not."
        }
      }
      if let reason = Self.damage(vector, rows) {
        return "\(reason) on page \(page) of column \(index + 1)."
      }
    }
    return nil
  }

  /// What is wrong with numbers that are kept of the table; nil if nothing is.
  package func damageOfCounts() -> String? {
    var count = 0
    for page in 0..<pageCount { count += liveRows(ofPage: page)?.count ?? rowCount(ofPage: page) }
    if count != liveRowCount { return "\(count) rows are there, \(liveRowCount) are counted." }
    if keys.count != layout.keys.count { return "Not each key has its index." }
    if references.count != layout.references.count { return "Not each foreign key has its column." }
    return nil
  }

  private static func damage(_ vector: Vector, _ count: Int) -> String? {
    switch vector.type {
    case .enumeration(let enumeration):
      let flat = vector.flattened()
      let values = flat.values(Int32.self)
      for row in 0..<count where flat.isValid(row) {
        if values[row] < 0 || Int(values[row]) >= enumeration.labels.count {
          return "A value is none of its type's labels"
        }
      }
    case .text, .varchar, .character, .name, .json, .jsonb:
      let flat = vector.flattened()
      let values = flat.values(TextView.self)
      for row in 0..<count where flat.isValid(row) {
        if values.bytes(at: row).firstInvalidUTF8 != nil { return "A text is not UTF-8" }
      }
    case .boolean:
      let flat = vector.flattened()
      let values = flat.values(UInt8.self)
      for row in 0..<count where flat.isValid(row) && values[row] > 1 {
        return "A truth value is neither"
      }
    case .smallint, .integer, .bigint, .real, .double, .numeric, .bytea, .date, .time, .timetz,
      .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .oid, .array, .record, .unknown,
      .void:
      break
    }
    return nil
  }
}
