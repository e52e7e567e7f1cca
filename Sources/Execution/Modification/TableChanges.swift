import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// Writes rows to tables, and carries out what follows from it along foreign keys.
final class TableChanges: PendingCheck {
  let transaction: OpenTransaction
  let context: ExecutionContext
  private var targets: [ObjectID: TargetTable] = [:]
  /// Rows of parents that went or changed their key, and what followed from them.
  var events: [ParentEvent] = []
  /// Where the rows that are being changed by a referential action come from.
  var origin: Origin?
  /// Rows that the statement itself wrote with a foreign key to their own table.
  private(set) var written: [WrittenRows] = []
  /// How many changes the statement itself has made, which come one after another.
  private var changeCount = 0
  private var pending: [ObjectID: [ChildRows]] = [:]
  /// The same rows by the keys that edges would hold.
  private var waiting: [ObjectID: WaitingRows] = [:]

  /// Some rows of a parent that are gone or have another key.
  struct ParentEvent {
    var table: TableDefinition
    var positions: Buffer<UInt32>
    /// The columns that rows of children may name, by index, with the old values.
    var old: [Int: Vector]
    /// The new values; nil if the rows were deleted.
    var new: [Int: Vector]?
    var count: Int
    /// Which change of the statement it is, and which rows of that; of no use for what follows from others.
    var change: Int
    var ordinals: Buffer<UInt32>?
    /// The rows of another event that brought it about; nil for what the statement itself did.
    var origin: Origin?
  }

  /// Rows whose foreign key to their own table is looked at in turn with what is done to parents.
  struct WrittenRows {
    var key: Int
    var positions: Buffer<UInt32>
    var count: Int
    var change: Int
    var ordinals: Buffer<UInt32>?
    /// Whether the key is a new one: another one is not looked at, but may follow its parent.
    var isNew: Bool
  }

  /// What a referential action did rows for.
  struct Origin {
    /// The place of the event that the action followed from.
    var event: Int
    /// For each row that the action changed the row of that event.
    var rows: Buffer<UInt32>
    /// The place of the foreign key among those that refer to the event's table.
    var ordinal: Int
  }

  /// Rows of a child whose parent has to be there.
  private struct ChildRows {
    var key: Int
    var positions: Buffer<UInt32>
    var count: Int
  }

  init(_ transaction: OpenTransaction, _ context: ExecutionContext) {
    self.transaction = transaction
    self.context = context
  }

  /// The table made ready for writing, with rules that are bound already.
  func target(
    _ table: TableDefinition, rules: RowRules, row: [PlanColumn]
  ) throws(SQLError) -> TargetTable {
    let target = try TargetTable(
      table, in: transaction, rules: rules, row: row, context: context)
    targets[table.id] = target
    return target
  }

  /// A table that a referential action leads to.
  func target(_ table: TableDefinition) throws(SQLError) -> TargetTable {
    if let target = targets[table.id] { return target }
    let (rules, row) = try RowRules.bind(for: table, in: transaction.catalog)
    return try target(table, rules: rules, row: row)
  }

  // MARK: Insert

  /// New rows in the column types of the table, with generated columns, NOT NULL and CHECK looked at.
  func prepare(_ rows: DataChunk, for target: TargetTable) throws(SQLError) -> DataChunk {
    var chunk = rows
    for (index, column) in target.table.columns.enumerated()
    where chunk.columns[index].type != column.type {
      chunk.columns[index] = try KeyConversion.retyped(chunk.columns[index], column.type)
    }
    try target.fillGenerated(&chunk)
    var violation = FirstViolation()
    try target.checkRows(&chunk, changed: nil, &violation)
    guard violation.error != nil else { return chunk }
    // An earlier row that breaks a key is the first violation.
    try target.checkKeys(chunk, upTo: violation.row, &violation)
    try violation.check()
    return chunk
  }

  /// Adds rows, and gives them as they are stored.
  func insert(_ rows: DataChunk, into target: TargetTable) throws(SQLError) -> DataChunk {
    try insertPrepared(try prepare(rows, for: target), into: target)
  }

  func insertPrepared(
    _ chunk: DataChunk, into target: TargetTable
  ) throws(SQLError) -> DataChunk {
    var parents: [Buffer<UInt32>] = []
    var missing: [(index: Int, rows: SelectionVector)] = []
    for (index, key) in target.table.foreignKeys.enumerated() {
      let found = try ParentLookup.find(
        key.columns.map { chunk.columns[$0] }, count: chunk.count, key, of: target.table,
        in: transaction)
      parents.append(found.parents)
      missing.append((index, found.missing))
    }
    let start = try target.append(chunk, parents: parents)
    changeCount += 1
    let positions = Buffer<UInt32>(uninitialized: max(chunk.count, 1))
    for row in 0..<chunk.count { positions[row] = start &+ UInt32(truncatingIfNeeded: row) }
    target.touch(positions, count: chunk.count)
    deferKeys(target, nil, positions, count: chunk.count)
    for (index, key) in target.table.foreignKeys.enumerated()
    where key.parent == target.table.id && key.isEnforced {
      noteWritten(index, positions, count: chunk.count)
    }
    try postpone(missing, of: chunk, target, positions)
    return chunk
  }

  /// Lets rows without a parent be looked at again later, and notes their keys.
  ///
  /// - Throws: 23505 if two of them have the same.
  private func postpone(
    _ missing: [(index: Int, rows: SelectionVector)], of chunk: DataChunk, _ target: TargetTable,
    _ positions: Buffer<UInt32>
  ) throws(SQLError) {
    var all: Set<UInt32> = []
    for (index, rows) in missing where rows.count > 0 {
      postpone(rows, index, target, positions)
      all.formUnion(rows.positions.array(rows.count))
    }
    guard !all.isEmpty else { return }
    let rows = waiting[target.table.id] ?? WaitingRows(target)
    waiting[target.table.id] = rows
    try rows.add(chunk, SelectionVector(Buffer(all.sorted()), count: all.count), positions)
  }

  /// The rows of a table whose parents are not there (yet); nil for none.
  func waitingRows(_ target: TargetTable) -> WaitingRows? { waiting[target.table.id] }

  // MARK: Update

  /// Gives rows new values in some columns, and gives the whole new rows.
  func update(
    _ target: TargetTable, _ positions: Buffer<UInt32>, count: Int,
    _ values: [(column: Int, value: Vector)]
  ) throws(SQLError) -> DataChunk {
    let table = target.table
    let old = target.rows(positions, count: count)
    var new = old
    var changed: Set<Int> = []
    for (column, value) in values {
      new.columns[column] = try KeyConversion.retyped(value, table.columns[column].type)
      changed.insert(column)
    }
    if target.hasGenerated {
      try target.fillGenerated(&new)
      changed.formUnion(target.generatedColumns)
    }
    var violation = FirstViolation()
    try target.checkRows(&new, changed: changed, &violation)
    try target.checkKeys(
      new, replacing: old, at: positions, changed: changed, upTo: min(count, violation.row),
      &violation)
    try violation.check()
    // A key that is given the value it has is not changed: its rows need no look at other tables.
    let columns = changed.sorted()
    var parents: [(reference: Int, parents: Buffer<UInt32>)] = []
    var missing: [(index: Int, rows: SelectionVector)] = []
    for (index, key) in table.foreignKeys.enumerated()
    where !changed.isDisjoint(with: key.columns) {
      let found = try ParentLookup.find(
        key.columns.map { new.columns[$0] }, count: count, key, of: table, in: transaction)
      parents.append((index, found.parents))
      missing.append((index, found.missing))
    }
    changeCount += 1
    noteParents(table, positions, old: old, new: new, changed: changed)
    for (index, key) in table.foreignKeys.enumerated()
    where key.parent == table.id && key.isEnforced && !changed.isDisjoint(with: key.columns) {
      let different = Self.different(old, new, key.columns)
      noteWritten(
        index, ModificationRun.gathered(positions, different), count: different.count,
        ordinals: different.positions)
      // A parent that has got another key is no longer found by the key that its children keep.
      for (other, rows) in missing where other == index {
        noteWritten(
          index, ModificationRun.gathered(positions, rows), count: rows.count, isNew: false)
      }
    }
    try target.update(
      columns, positions, count: count, columns.map { new.columns[$0] }, parents: parents,
      new: new)
    deferKeys(target, changed, positions, count: count)
    try postpone(missing, of: new, target, positions)
    return new
  }

  // MARK: Delete

  /// Takes rows away.
  func delete(
    _ target: TargetTable, _ positions: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    let referenced = referencedColumns(of: target.table)
    changeCount += 1
    var old: [Int: Vector] = [:]
    for column in referenced {
      old[column] = Self.kept(target.gather(column, positions, count: count))
    }
    target.delete(positions, count: count)
    if !referenced.isEmpty {
      events.append(
        ParentEvent(
          table: target.table, positions: positions, old: old, new: nil, count: count,
          change: changeCount, origin: origin))
    }
  }

  /// The rows that have another value in one of the columns.
  private static func different(
    _ old: DataChunk, _ new: DataChunk, _ columns: [Int]
  ) -> SelectionVector {
    let all = SelectionVector.all(old.count)
    return RowComparison.matching(
      columns.map { old.columns[$0] }, all.positions, columns.map { new.columns[$0] },
      all.positions, count: old.count, nulls: .equal
    ).complement(of: old.count)
  }

  private func noteWritten(
    _ key: Int, _ positions: Buffer<UInt32>, count: Int, ordinals: Buffer<UInt32>? = nil,
    isNew: Bool = true
  ) {
    guard origin == nil, count > 0 else { return }
    written.append(
      WrittenRows(
        key: key, positions: positions, count: count, change: changeCount, ordinals: ordinals,
        isNew: isNew))
  }

  /// The columns of a table that foreign keys name.
  private func referencedColumns(of table: TableDefinition) -> Set<Int> {
    let keys = transaction.catalog.foreignKeys(to: table.id).map(\.key)
    return Set(keys.filter(\.isEnforced).flatMap(\.parentColumns))
  }

  /// A vector whose texts do not go when the rows they came from are changed.
  static func kept(_ vector: Vector) -> Vector {
    var builder = VectorBuilder(vector.type, capacity: vector.count)
    builder.append(vector)
    return builder.finish()
  }

  /// Notes the rows whose key, as children may name it, is another one now.
  private func noteParents(
    _ table: TableDefinition, _ positions: Buffer<UInt32>, old: DataChunk, new: DataChunk,
    changed: Set<Int>
  ) {
    let referenced = referencedColumns(of: table).intersection(changed)
    guard !referenced.isEmpty else { return }
    let different = Self.different(old, new, referenced.sorted())
    guard different.count > 0 else { return }
    var before: [Int: Vector] = [:]
    var after: [Int: Vector] = [:]
    for column in referencedColumns(of: table) {
      before[column] = Self.kept(old.columns[column].gathered(different))
      after[column] = Self.kept(new.columns[column].gathered(different))
    }
    var origin = origin
    if let rows = origin?.rows { origin?.rows = ModificationRun.gathered(rows, different) }
    events.append(
      ParentEvent(
        table: table, positions: ModificationRun.gathered(positions, different), old: before,
        new: after, count: different.count, change: changeCount, ordinals: different.positions,
        origin: origin))
  }

  // MARK: Checks that can wait

  /// Lets rows without a parent be looked at again later.
  private func postpone(
    _ rows: SelectionVector, _ index: Int, _ target: TargetTable, _ positions: Buffer<UInt32>
  ) {
    guard rows.count > 0 else { return }
    pending[target.table.id, default: []].append(
      ChildRows(
        key: index, positions: ModificationRun.gathered(positions, rows), count: rows.count))
  }

  /// Lets deferrable keys be looked at later.
  private func deferKeys(
    _ target: TargetTable, _ changed: Set<Int>?, _ positions: Buffer<UInt32>, count: Int
  ) {
    for (index, key) in target.table.keys.enumerated() where key.deferral.isDeferrable {
      if let changed, changed.isDisjoint(with: key.columns) { continue }
      let check = DeferredKeyCheck(
        table: target.table.id, key: index, positions: positions, count: count)
      schedule(check, key.deferral, target.table, key.name)
    }
  }

  func schedule(
    _ check: any PendingCheck, _ deferral: ConstraintDeferral, _ table: TableDefinition,
    _ name: String
  ) {
    let reference = ConstraintReference(table: table.id, name: name)
    if transaction.isDeferred(deferral, reference) {
      transaction.addDeferredCheck(check)
    } else {
      transaction.addStatementCheck(check)
    }
  }

  // MARK: The end

  /// Lets what follows from the changes along foreign keys come at the end of the statement, as that may do more.
  func finish() {
    if !events.isEmpty || !pending.isEmpty { transaction.addStatementCheck(self) }
  }

  /// Follows what was done along foreign keys until nothing is left, and hands over what is to be checked then.
  ///
  /// - Throws: 23503, and the violations of rows that actions change.
  func run(in transaction: OpenTransaction) throws(SQLError) {
    try followEvents()
    for (id, list) in pending.sorted(by: { $0.key < $1.key }) {
      guard let table = transaction.catalog.tables[id] else { continue }
      for rows in list {
        let key = table.foreignKeys[rows.key]
        let check = DeferredChildCheck(
          table: id, key: rows.key, positions: rows.positions, count: rows.count)
        schedule(check, key.deferral, table, key.name)
      }
    }
    pending = [:]
    waiting = [:]
    written = []
  }
}
