import Catalog
import Diagnostics

/// Rows as they are now, and how they differ from those before.
public struct RowDifference<Row: Sendable>: Sendable {
  /// All rows.
  public var rows: [Row]
  /// The places in `rows` of those that were not there before, rising.
  public var inserted: [Int]
  /// The places, among the rows before, of those that are gone, rising.
  public var removed: [Int]
  /// The places in `rows` of those that have other values than before, rising.
  public var updated: [Int]
}

extension Selection {
  /// The rows as the database changes, each time with what came, went and was changed since the answer before.
  ///
  /// Records are known by their primary key, other rows by all that they have. The first answer has all rows as inserted.
  public func differences(in database: Database) -> LiveValues<RowDifference<Row>> {
    let query = query
    return LiveValues(database) {
      var last: (keys: [UInt64], hashes: [UInt64])?
      return { (snapshot) throws(SQLError) in
        let view = try CatalogView.of(snapshot)
        let rows = try snapshot.query(QueryRenderer.select(query.tree, view))
        let hashes = rows.rowHashes(over: nil)
        let keys = try Row.keyColumns(of: rows, view).map(rows.rowHashes(over:)) ?? hashes
        if let last, last.hashes == hashes { return nil }
        let found = RowDifference(
          rows: try query.values(of: rows, view), from: last ?? ([], []), to: (keys, hashes))
        last = (keys, hashes)
        return found
      }
    }
  }
}

extension RowDifference {
  /// Rows that are known by the hashes of their keys.
  fileprivate init(
    rows: [Row], from old: (keys: [UInt64], hashes: [UInt64]),
    to new: (keys: [UInt64], hashes: [UInt64])
  ) {
    var places: [UInt64: [Int]] = [:]
    for index in old.keys.indices.reversed() { places[old.keys[index], default: []].append(index) }
    var (inserted, updated): ([Int], [Int]) = ([], [])
    for index in new.keys.indices {
      if let place = places[new.keys[index]]?.popLast() {
        if old.hashes[place] != new.hashes[index] { updated.append(index) }
      } else {
        inserted.append(index)
      }
    }
    self.rows = rows
    self.inserted = inserted
    self.updated = updated
    removed = places.values.joined().sorted()
  }
}

extension Decodable {
  /// The columns of a result by which rows are known; nil for all of them.
  fileprivate static func keyColumns(
    of rows: ResultSet, _ view: CatalogView
  ) throws(SQLError) -> [Int]? {
    guard let record = self as? any Record.Type else { return nil }
    let layout = try record.layout(view)
    let names = layout.key.map { layout.definition.columns[layout.columns[$0].index].name }
    let places = names.compactMap { name in rows.columns.firstIndex { $0.name == name } }
    return names.isEmpty || places.count < names.count ? nil : places
  }
}
