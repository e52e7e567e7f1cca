package import Catalog
import Columnar
import Planning
import Storage
import Synchronization

/// Gathers what a run reads of stored tables.
///
/// Operators that find rows by keys, along edges or by conditions note just these; whoever asks for a table and says nothing
/// more has read all of it. See `ObservedTables`.
package final class ReadNotes: Sendable {
  private let reads = Mutex(ReadSet())
  /// From this share of a table's rows on it is not worth while to know which.
  private static let share = 64
  /// So many rows are noted of any table.
  private static let fewRows = 512

  package init() {}

  /// What was noted so far, each position once.
  package func take() -> ReadSet {
    var set = reads.withLock { $0 }
    for id in set.tables.keys {
      set.tables[id]?.rows.sort()
      guard let edges = set.tables[id]?.edges.keys else { continue }
      for reference in edges { set.tables[id]?.edges[reference]?.sort() }
    }
    return set
  }

  /// Takes over what another run has read of the same version.
  ///
  /// - Precondition: nothing was noted before.
  package func adopt(_ set: ReadSet) {
    reads.withLock { reads in
      precondition(reads.tables.isEmpty, "what was read is noted once")
      reads = set
    }
  }

  private func change(_ table: ObjectID, _ body: (inout TableReads) -> Void) {
    reads.withLock { reads in
      var known = reads.tables[table] ?? TableReads()
      // It is changed in place.
      reads.tables[table] = nil
      body(&known)
      reads.tables[table] = known
    }
  }

  /// Notes that some columns of all rows are read, and which rows there are.
  package func note(all table: ObjectID, _ columns: ColumnMask) {
    change(table) { reads in
      if reads.whole != nil { reads.whole?.formUnion(columns) } else { reads.readAll(columns) }
    }
  }

  /// Notes rows that were found; `TableStore.noRow` stands for none.
  func note(
    rows positions: Buffer<UInt32>, count: Int, of store: TableStore, _ table: ObjectID,
    _ columns: ColumnMask
  ) {
    change(table) { reads in
      if reads.whole != nil {
        reads.whole?.formUnion(columns)
      } else if reads.rows.add(positions, count: count, columns, limit: Self.limit(store)) {
        reads.readAll(columns)
      }
    }
  }

  /// Notes that all rows are read that refer to some parents.
  func note(
    edgesOf parents: Buffer<UInt32>, count: Int, in store: TableStore, _ table: ObjectID,
    reference: Int, _ columns: ColumnMask
  ) {
    change(table) { reads in
      if reads.whole != nil {
        reads.whole?.formUnion(columns)
      } else if reads.edges[reference, default: TableReads.Rows()]
        .add(parents, count: count, columns, limit: Self.limit(store))
      {
        reads.readAll(columns)
      }
    }
  }

  /// Notes that rows are looked up by some keys, found or not.
  func note(
    keys: [Vector], count: Int, columns: [Int], of store: TableStore, _ table: ObjectID
  ) {
    let hashes = Hashing.hash(keys, count: count)
    change(table) { reads in
      if reads.whole != nil { return }
      var known = reads.keys[columns] ?? []
      for row in 0..<count { known.insert(hashes[row]) }
      reads.keys[columns] = known
      if known.count > Self.limit(store) { reads.readAll(ColumnMask(columns)) }
    }
  }

  /// Notes that the rows are read that meet the conditions of a scan.
  func note(_ scan: TableScan, parameters: [Vector]) {
    let columns = ColumnMask(stored: scan.columns)
    guard let read = ScanRead(scan, columns, parameters) else {
      return note(all: scan.table.id, columns)
    }
    change(scan.table.id) { reads in
      if reads.whole != nil { reads.whole?.formUnion(columns) } else { reads.scans.append(read) }
    }
  }

  private static func limit(_ store: TableStore) -> Int {
    max(fewRows, store.liveRowCount / share)
  }
}

extension TableReads.Rows {
  /// Whether these are too many now to be kept.
  fileprivate mutating func add(
    _ found: Buffer<UInt32>, count: Int, _ columns: ColumnMask, limit: Int
  ) -> Bool {
    self.columns.formUnion(columns)
    if count > limit { return true }
    for index in 0..<count where found[index] != TableStore.noRow {
      positions.append(found[index])
    }
    if positions.count > 2 * limit { sort() }
    return positions.count > limit
  }

  fileprivate mutating func sort() {
    if positions.count < 2 { return }
    positions.sort()
    var kept = 1
    for index in 1..<positions.count where positions[index] != positions[kept - 1] {
      positions[kept] = positions[index]
      kept += 1
    }
    positions.removeLast(positions.count - kept)
  }
}

extension ColumnMask {
  /// The columns of a table that are read, whether as they are stored or by dictionary.
  init(stored columns: [ScanPlan.Column]) {
    self.init(
      columns.compactMap { column in
        column.index >= 0 ? column.index : ScanPlan.codedColumn(column.index)
      })
  }
}
