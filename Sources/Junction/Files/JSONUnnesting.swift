import Columnar
import Diagnostics

/// Takes arrays out of JSON records, as tables of their own that refer to the ones they were in.
///
/// The elements of an array of objects are rows with the objects' members; those of an array of others are rows of one `value`,
/// as in a junction table. Each row has the key of the record that it was in, and its position there. Arrays whose
/// elements are of both kinds stay what they are.
struct JSONUnnesting {
  /// A table, and where its rows were.
  struct Table {
    let name: String
    var records: JSONRecords
    /// The column that is its key, if others refer to it.
    var key: String?
    /// The column with the key of the table that its rows were in.
    var reference: (column: String, parent: String, key: String)?
  }
  /// Tables before those that were in them.
  private(set) var tables: [Table] = []

  /// The table of some records, and all that are in it.
  ///
  /// - Throws: 54011 for objects of too many keys.
  init(_ records: JSONRecords, named name: String) throws(SQLError) {
    try add(Table(name: name, records: records))
  }

  private mutating func add(_ table: Table) throws(SQLError) {
    var table = table
    let places = table.records.columns.indices.filter {
      table.records.columns[$0].kinds == [.array]
    }
    var parts: [(place: Int, part: Part)] = []
    for place in places {
      if let part = try Part(table.records, place) {
        parts.append((place, part))
      } else if Part.isMixed(table.records, place) {
        table.records.remarks.append(
          "\(table.name): \(table.records.columns[place].name) stays jsonb, as its elements are of several kinds"
        )
      }
    }
    guard !parts.isEmpty else {
      tables.append(table)
      return
    }
    let names = parts.map { table.records.columns[$0.place].name }
    // One record that is nothing but arrays is no row that anything could refer to.
    if table.records.count == 1, table.reference == nil, parts.count == table.records.columns.count
    {
      for (name, (_, part)) in zip(names, parts) {
        try add(Table(name: HeaderNames.cut(name), records: part.records))
      }
      return
    }
    for (place, _) in parts.reversed() { table.records.columns.remove(at: place) }
    let key = try Self.key(of: &table)
    table.key = key.name
    tables.append(table)
    for (name, (_, part)) in zip(names, parts) {
      try add(part.table("\(table.name)_\(name)", in: table, key))
    }
  }

  /// The column that tells the records of a table apart: one that is called so, or else a number of its own.
  private static func key(of table: inout Table) throws(SQLError) -> (
    name: String, cells: JSONRecords.Column
  ) {
    let noun = NameWords(table.name)
    let records = table.records
    let order: [NameWords.KeyStrength] = [.own, .identifier, .code]
    let named = order.flatMap { strength in
      records.columns.filter {
        NameWords($0.name).keyStrength(in: noun) == strength && $0.name != table.reference?.column
      }
    }
    if let found = named.first(where: { isKey($0, records) }) { return (found.name, found) }
    let name = records.unusedName("id")
    try table.records.insertNumbers(Array(1...max(1, records.count)), named: name)
    return (name, table.records.columns[0])
  }

  private static func isKey(_ column: JSONRecords.Column, _ records: JSONRecords) -> Bool {
    guard column.kinds == [.string] || column.kinds == [.number],
      column.cells.count == records.count
    else { return false }
    var seen: Set<String> = []
    return column.cells.allSatisfy {
      $0.count > 0 && seen.insert(records.text($0).string).inserted
    }
  }
}

/// The elements of all arrays of a column.
private struct Part {
  private(set) var records: JSONRecords
  /// The record that each was in, and its place there.
  private var rows: [Int] = []
  private var positions: [Int] = []

  /// nil if there are none, or some that are objects and some that are not.
  init?(_ parent: JSONRecords, _ place: Int) throws(SQLError) {
    records = JSONRecords(within: parent)
    if Self.isMixed(parent, place) { return nil }
    for (row, cell) in parent.columns[place].cells.enumerated() where cell.count > 0 {
      if row & 0xFFF == 0 { try RunningStatement.check() }
      let text = parent.text(cell)
      var elements: [Range<Int>] = []
      _ = JSONCursor.forEachElement(text) { element in
        let start = text.offset(of: element)
        elements.append(start..<(start + element.count))
        return true
      }
      for (index, element) in elements.enumerated() {
        try records.add(partOf: cell, element)
        rows.append(row)
        positions.append(index + 1)
      }
    }
    if records.count == 0 || records.columns.isEmpty { return nil }
  }

  /// Whether some elements are objects, and some not.
  static func isMixed(_ parent: JSONRecords, _ place: Int) -> Bool {
    var hasObjects = false
    var hasOthers = false
    for cell in parent.columns[place].cells where cell.count > 0 {
      _ = JSONCursor.forEachElement(parent.text(cell)) { element in
        if element[JSONCursor.skipSpace(element, 0)] == UInt8(ascii: "{") {
          hasObjects = true
        } else {
          hasOthers = true
        }
        return !(hasObjects && hasOthers)
      }
    }
    return hasObjects && hasOthers
  }

  /// The elements as a table, with the keys of the records that they were in.
  func table(
    _ name: String, in parent: JSONUnnesting.Table, _ key: (name: String, cells: JSONRecords.Column)
  ) throws(SQLError) -> JSONUnnesting.Table {
    var records = records
    try records.insertNumbers(positions, named: records.unusedName("position"))
    let words = NameWords(key.name)
    let stem = NameWords(parent.name).singular.last ?? parent.name
    let isTelling = words.words.count > 1
    let column = records.unusedName(isTelling ? key.name : "\(stem)_\(key.name)")
    records.insertValues(
      rows.map { key.cells.cells[$0] }, of: key.cells, in: parent.records, named: column)
    return JSONUnnesting.Table(
      name: HeaderNames.cut(name), records: records,
      reference: (column, parent.name, key.name))
  }
}
