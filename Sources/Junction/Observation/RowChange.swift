import Catalog
import Columnar
import Diagnostics
import Execution
import Storage

/// What has become of a row of a table.
public enum RowChange<R: Record>: Sendable {
  /// It is new.
  case inserted(R)
  /// It is another than it was; its key may be another too.
  case updated(old: R, new: R)
  /// It is gone.
  case deleted(R)
}

extension RowChange: Equatable where R: Equatable {}

extension Database {
  /// The rows of a record's table that change from now on.
  ///
  /// Each answer has the net change of every row since the answer before, so that nothing is lost and nothing piles up: a row that came
  /// and went meanwhile is not told of.
  ///
  /// ```swift
  /// for try await changes in database.changes(of: Enrolment.self) {
  ///   for case .inserted(let link) in changes { print(link.courseID) }
  /// }
  /// ```
  ///
  /// Between two answers it keeps what the table was at the first of them.
  ///
  /// - Complexity: O(rows changed + pages of the table / 64); O(rows) where the table was packed meanwhile.
  public func changes<R: Record>(of type: R.Type) -> LiveValues<[RowChange<R>]> {
    LiveValues(self) {
      // Changes count from when it is asked for, though nobody has waited yet.
      var last = self.snapshot
      return { (snapshot) throws(SQLError) in
        let table = try RecordTable<R>.of(snapshot)
        snapshot.observed?.reads.note(
          all: table.definition.id, ColumnMask(table.columns.map(\.index)))
        let changes = try ChangedRows<R>(table.layout, from: last.content, to: snapshot.content)
          .changes()
        last = Snapshot(snapshot.content, snapshot.sessions)
        return changes.isEmpty ? nil : changes
      }
    }
  }
}

/// The rows in which two versions of a table differ.
private struct ChangedRows<R: Record> {
  private let layout: RecordLayout
  private let old: DatabaseVersion
  private let new: DatabaseVersion

  init(_ layout: RecordLayout, from old: DatabaseVersion, to new: DatabaseVersion) {
    self.layout = layout
    self.old = old
    self.new = new
  }

  func changes() throws(SQLError) -> [RowChange<R>] {
    let id = layout.definition.id
    let (before, after) = (old.tables[id], new.tables[id])
    guard before !== after, let after else { return [] }
    guard let before else { return try records(at: after.livePositions, new).map { .inserted($0) } }
    if let changes = after.changes(since: before) {
      var updated: Set<UInt32> = []
      for (column, rows) in changes.updated
      where layout.columns.contains(where: { $0.index == column }) {
        updated.formUnion(rows)
      }
      let added = changes.appended.map { UInt32(truncatingIfNeeded: $0) }.filter(after.isLive)
      let kept = updated.sorted()
      return try told(deleted: changes.deleted, updated: (kept, kept), inserted: added)
    }
    return try comparedByKey(before, after)
  }

  /// What has changed where rows stand at other positions: they are known by their keys, without one by all that they have.
  private func comparedByKey(
    _ before: TableStore, _ after: TableStore
  ) throws(SQLError) -> [RowChange<R>] {
    let (lost, found) = (before.livePositions, after.livePositions)
    let key = layout.key.isEmpty ? Array(layout.columns.indices) : layout.key
    let (oldRows, newRows) = (rows(at: lost, old), rows(at: found, new))
    let (oldKeys, newKeys) = (oldRows.rowHashes(over: key), newRows.rowHashes(over: key))
    let (oldHashes, newHashes) = (oldRows.rowHashes(over: nil), newRows.rowHashes(over: nil))
    var places: [UInt64: [Int]] = [:]
    for index in oldKeys.indices.reversed() { places[oldKeys[index], default: []].append(index) }
    var updated: (old: [UInt32], new: [UInt32]) = ([], [])
    var inserted: [UInt32] = []
    for index in newKeys.indices {
      guard let place = places[newKeys[index]]?.popLast() else {
        inserted.append(found[index])
        continue
      }
      if oldHashes[place] == newHashes[index] { continue }
      updated.old.append(lost[place])
      updated.new.append(found[index])
    }
    let deleted = places.values.joined().sorted().map { lost[$0] }
    return try told(deleted: deleted, updated: updated, inserted: inserted)
  }

  private func told(
    deleted: [UInt32], updated: (old: [UInt32], new: [UInt32]), inserted: [UInt32]
  ) throws(SQLError) -> [RowChange<R>] {
    var changes: [RowChange<R>] = try records(at: deleted, old).map { .deleted($0) }
    let (then, now) = (try records(at: updated.old, old), try records(at: updated.new, new))
    changes += zip(then, now).map { .updated(old: $0, new: $1) }
    return changes + (try records(at: inserted, new)).map { .inserted($0) }
  }

  private func records(
    at positions: [UInt32], _ version: DatabaseVersion
  ) throws(SQLError) -> [R] {
    positions.isEmpty ? [] : try rows(at: positions, version).decode(R.self)
  }

  private func rows(at positions: [UInt32], _ version: DatabaseVersion) -> ResultSet {
    let columns = layout.columns.map { layout.shape[$0.index] }
    guard let store = version.tables[layout.definition.id] else {
      return ResultSet(columns: columns, chunks: [])
    }
    let places = Buffer(positions)
    let vectors = layout.columns.map {
      store.gather(places, count: positions.count, column: $0.index)
    }
    return ResultSet(
      columns: columns, chunks: [DataChunk(vectors, count: positions.count)], keeping: version)
  }
}

extension TableStore {
  /// The positions of all rows, rising.
  fileprivate var livePositions: [UInt32] {
    (0..<pageCount).flatMap { page in
      let rows = positions(ofPage: page)
      return rows.positions.array(rows.count)
    }
  }
}
