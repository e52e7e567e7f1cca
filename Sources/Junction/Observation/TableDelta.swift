import Catalog
import Columnar
import Execution
import Storage

/// What a commit has changed in one table.
struct TableDelta: Sendable {
  let table: ObjectID
  /// The versions around the commit, held as a whole so that nobody changes them in place; nil for a change of one row that was
  /// made in place.
  private let versions: (old: DatabaseVersion, new: DatabaseVersion)?
  /// Whether more has changed than is told row by row.
  private(set) var isWhole = false
  /// Whether rows have come or gone.
  private(set) var changesRows = true
  /// The columns in which rows differ.
  private(set) var columns = ColumnMask.all
  private var inserted: [UInt32] = []
  private(set) var deleted: [UInt32] = []
  /// Rows of both versions that differ, and the columns in which they do.
  private(set) var updated: [UInt32: ColumnMask] = [:]
  /// Rows of both versions that have other parents, by reference.
  private var reparented: [(reference: Int, rows: [UInt32])] = []
  /// The parents of the row that was changed in place, by reference.
  private var eventParents: [UInt32] = []

  /// Beyond so many rows it is not worth while to know which.
  private static let rowLimit = 4096

  /// What makes one version of a table out of another; nil if nothing does.
  init?(_ table: ObjectID, from old: DatabaseVersion, to new: DatabaseVersion) {
    self.table = table
    versions = (old, new)
    let (before, after) = (old.tables[table], new.tables[table])
    if before === after { return nil }
    guard let before, let after, let changes = after.changes(since: before) else {
      isWhole = true
      return
    }
    if changes.isEmpty { return nil }
    columns = ColumnMask(changes.updated.map(\.column))
    changesRows = !changes.deleted.isEmpty || !changes.appended.isEmpty
    let references = after.layout.references
    for (reference, _) in changes.reparented {
      columns.formUnion(ColumnMask(references[reference].columns))
    }
    let counts =
      [changes.deleted.count, changes.appended.count] + changes.updated.map(\.rows.count)
    if counts.contains(where: { $0 > Self.rowLimit }) {
      isWhole = true
      return
    }
    deleted = changes.deleted
    reparented = changes.reparented
    for (column, rows) in changes.updated {
      for row in rows { updated[row, default: .none].insert(column) }
    }
    for row in changes.appended {
      let position = UInt32(truncatingIfNeeded: row)
      if after.isLive(position) { inserted.append(position) }
    }
  }

  /// What makes one version of a table out of another, which is not looked at; nil if they are one.
  ///
  /// - Complexity: O(1).
  init?(unseen table: ObjectID, from old: DatabaseVersion, to new: DatabaseVersion) {
    if old.tables[table] === new.tables[table] { return nil }
    self.table = table
    versions = nil
    isWhole = true
  }

  /// A change of one row of a table, not made yet.
  init(_ event: RowEvent, of table: ObjectID, in store: TableStore) {
    self.table = table
    versions = nil
    columns = .none
    let references = 0..<store.layout.references.count
    switch event {
    case .insert(_, let parents):
      inserted = [UInt32(truncatingIfNeeded: store.rowCount)]
      eventParents = references.map { parents[$0] }
    case .delete(let position):
      deleted = [position]
      eventParents = references.map { store.parent(of: position, reference: $0) }
    }
  }

  /// The parents, by a reference, of rows that have come or gone or have another parent.
  func parents(by reference: Int) -> [UInt32] {
    guard let versions else { return [eventParents[reference]] }
    guard let old = versions.old.tables[table], let new = versions.new.tables[table] else {
      return []
    }
    var found = inserted.map { new.parent(of: $0, reference: reference) }
    found += deleted.map { old.parent(of: $0, reference: reference) }
    for (changed, rows) in reparented where changed == reference {
      for row in rows {
        found.append(old.parent(of: row, reference: reference))
        found.append(new.parent(of: row, reference: reference))
      }
    }
    return found
  }

  /// The parents of rows that differ, and the columns in which they do.
  func updatedParents(by reference: Int) -> [(parent: UInt32, columns: ColumnMask)] {
    guard let new = versions?.new.tables[table] else { return [] }
    return updated.map { (new.parent(of: $0.key, reference: reference), $0.value) }
  }

  /// The rows with values that were there before and are not now, and those that have come instead; nil where the values are
  /// not at hand.
  var values: [(store: TableStore, rows: [UInt32])]? {
    guard let old = versions?.old.tables[table], let new = versions?.new.tables[table] else {
      return nil
    }
    let changed = Array(updated.keys)
    return [(old, deleted + changed), (new, inserted + changed)].filter { !$0.1.isEmpty }
  }
}
