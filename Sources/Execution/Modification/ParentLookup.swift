import Catalog
import Columnar
import Diagnostics
import Storage

/// Finds the parents of rows by one foreign key.
///
/// - Invariant: the rows of the parent do not change while it is used.
struct ParentLookup: Sendable {
  /// The parents of some rows.
  struct Found {
    /// The position of each row's parent, `TableStore.noRow` for none.
    var parents: Buffer<UInt32>
    /// Rows whose key is there and whose parent is not.
    var missing: SelectionVector
  }

  private let key: ForeignKeyConstraint
  private let child: TableDefinition
  private let search: KeySearch
  /// For each column of the parent's key, which may have its columns in another order, the place among
  /// those of the foreign key, and its type.
  private let columns: [(place: Int, type: LogicalType)]

  /// - Throws: XX000 if the parent has no such key.
  init(
    _ key: ForeignKeyConstraint, of child: TableDefinition, in transaction: OpenTransaction
  ) throws(SQLError) {
    guard let parent = transaction.catalog.tables[key.parent],
      let index = parent.keys.firstIndex(where: {
        Set($0.columns) == Set(key.parentColumns)
      })
    else { throw .internal("the parent of a foreign key has lost its key") }
    self.key = key
    self.child = child
    columns = parent.keys[index].columns.compactMap { column in
      key.parentColumns.firstIndex(of: column).map { ($0, parent.columns[column].type) }
    }
    search = try KeySearch(
      index, of: parent, in: try transaction.readableTable(key.parent),
      tables: transaction.readableTable)
  }

  /// The parent of each row; `values` are the columns of the foreign key in its order.
  ///
  /// - Throws: 23503 for a mixture of NULL and other values under MATCH FULL.
  /// - Complexity: O(*n*).
  static func find(
    _ values: [Vector], count: Int, _ key: ForeignKeyConstraint, of child: TableDefinition,
    in transaction: OpenTransaction
  ) throws(SQLError) -> Found {
    try ParentLookup(key, of: child, in: transaction).find(values, count: count)
  }

  /// The parent of each row; `values` are the columns of the foreign key in its order.
  ///
  /// Of a key that is not enforced none is known and none is missing: a parent that came later would not be told of
  /// the rows that wait for it.
  ///
  /// - Throws: 23503 for a mixture of NULL and other values under MATCH FULL.
  /// - Complexity: O(*n*).
  func find(_ values: [Vector], count: Int) throws(SQLError) -> Found {
    if !key.isEnforced {
      return Found(
        parents: Buffer(repeating: TableStore.noRow, count: max(count, 1)),
        missing: SelectionVector(Buffer(uninitialized: 0), count: 0))
    }
    if key.isMatchFull { try Self.refuseMixed(values, count, key, child) }
    var ordered: [Vector] = []
    for column in columns {
      ordered.append(try KeyConversion.comparable(values[column.place], column.type))
    }
    let parents = try search.lookup(ordered, count: count)
    var greatest: UInt32 = 0
    for row in 0..<count { greatest = max(greatest, parents[row]) }
    if greatest != TableStore.noRow {
      return Found(
        parents: parents, missing: SelectionVector(Buffer(uninitialized: 0), count: 0))
    }
    let missing = Buffer<UInt32>(uninitialized: max(count, 1))
    var found = 0
    let mayHaveNulls = values.contains(where: \.mayHaveNulls)
    for row in 0..<count where parents[row] == TableStore.noRow {
      if mayHaveNulls, values.contains(where: { !$0.isValid(row) }) { continue }
      missing[found] = UInt32(truncatingIfNeeded: row)
      found += 1
    }
    return Found(parents: parents, missing: SelectionVector(missing, count: found))
  }

  private static func refuseMixed(
    _ values: [Vector], _ count: Int, _ key: ForeignKeyConstraint, _ child: TableDefinition
  ) throws(SQLError) {
    guard values.count > 1, values.contains(where: \.mayHaveNulls) else { return }
    for row in 0..<count {
      let present = values.count { $0.isValid(row) }
      if present > 0 && present < values.count { throw Violations.mixedNulls(key, of: child) }
    }
  }
}

/// Children whose parent was not there when they were written.
final class DeferredChildCheck: PendingCheck {
  private let table: ObjectID
  private let key: Int
  private let positions: Buffer<UInt32>
  private let count: Int

  init(table: ObjectID, key: Int, positions: Buffer<UInt32>, count: Int) {
    self.table = table
    self.key = key
    self.positions = positions
    self.count = count
  }

  func run(in transaction: OpenTransaction) throws(SQLError) {
    guard let child = transaction.catalog.tables[table], key < child.foreignKeys.count,
      let parent = transaction.catalog.tables[child.foreignKeys[key].parent]
    else { return }
    let constraint = child.foreignKeys[key]
    try ReferenceRepair.check(child, key, positions, count, in: transaction) { row, values in
      Violations.missingParent(constraint, of: child, parent: parent, row: row, in: values)
    }
  }
}

/// Children whose parent went or changed its key, under NO ACTION.
final class DeferredParentCheck: PendingCheck {
  private let child: ObjectID
  private let key: Int
  private let parent: ObjectID
  private let positions: Buffer<UInt32>
  private let count: Int

  init(child: ObjectID, key: Int, parent: ObjectID, positions: Buffer<UInt32>, count: Int) {
    self.child = child
    self.key = key
    self.parent = parent
    self.positions = positions
    self.count = count
  }

  func run(in transaction: OpenTransaction) throws(SQLError) {
    guard let child = transaction.catalog.tables[child], key < child.foreignKeys.count,
      let parent = transaction.catalog.tables[parent]
    else { return }
    let constraint = child.foreignKeys[key]
    try ReferenceRepair.check(child, key, positions, count, in: transaction) { row, values in
      Violations.stillReferenced(constraint, of: child, parent: parent, row: row, in: values)
    }
  }
}

/// Looks for the parents of rows once more, and lets the rows point to those that are found.
enum ReferenceRepair {
  /// - Throws: the violation of the first row without a parent.
  static func check(
    _ child: TableDefinition, _ key: Int, _ positions: Buffer<UInt32>, _ count: Int,
    in transaction: OpenTransaction, violation: (Int, [Vector]) -> SQLError
  ) throws(SQLError) {
    let store = try transaction.readableTable(child.id)
    let kept = Buffer<UInt32>(uninitialized: max(count, 1))
    var found = 0
    for row in 0..<count where store.isLive(positions[row]) {
      kept[found] = positions[row]
      found += 1
    }
    guard found > 0 else { return }
    let constraint = child.foreignKeys[key]
    let values = constraint.columns.map { store.gather(kept, count: found, column: $0) }
    let parents = try ParentLookup.find(
      values, count: found, constraint, of: child, in: transaction)
    if parents.missing.count > 0 {
      throw violation(Int(parents.missing.positions[0]), values)
    }
    try transaction.writeDeferred(child.id) { (writer) throws(SQLError) in
      do throws(KeyConflict) {
        try writer.setParents(key, kept, count: found, to: parents.parents)
      } catch {
        throw Self.duplicate(of: child, error, writer.current)
      }
    }
  }

  /// The error for a row that has found its parents, and with them an equal row.
  private static func duplicate(
    of table: TableDefinition, _ conflict: KeyConflict, _ store: TableStore
  ) -> SQLError {
    if let interruption = conflict.interruption { return interruption }
    guard let index = store.key(violatedBy: conflict), index < table.keys.count else {
      return .internal("a junction refused an edge that its key allows")
    }
    let position = Buffer<UInt32>(repeating: conflict.row, count: 1)
    let values = table.keys[index].columns.map { store.gather(position, count: 1, column: $0) }
    return Violations.unique(table.keys[index], of: table, row: 0, in: values)
  }
}

/// Rows whose deferrable key may stand twice.
final class DeferredKeyCheck: PendingCheck {
  private let table: ObjectID
  private let key: Int
  private let positions: Buffer<UInt32>
  private let count: Int

  init(table: ObjectID, key: Int, positions: Buffer<UInt32>, count: Int) {
    self.table = table
    self.key = key
    self.positions = positions
    self.count = count
  }

  func run(in transaction: OpenTransaction) throws(SQLError) {
    guard let table = transaction.catalog.tables[table], key < table.keys.count else { return }
    let store = try transaction.readableTable(table.id)
    let constraint = table.keys[key]
    for row in 0..<count where store.isLive(positions[row]) {
      let one = positions.slice(row..<(row + 1))
      let values = constraint.columns.map { store.gather(one, count: 1, column: $0) }
      if !constraint.nullsNotDistinct, values.contains(where: { !$0.isValid(0) }) { continue }
      if store.keys[key].pairs(values, count: 1, in: store).count > 1 {
        throw Violations.unique(constraint, of: table, row: 0, in: values)
      }
    }
  }
}
