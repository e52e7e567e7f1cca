package import Catalog
package import Columnar
package import Diagnostics
import Planning
import Storage

/// One row of a load that breaks a rule of its table.
package struct BulkViolation: Sendable {
  /// The row, counted from 0 over all that was appended.
  package var row: Int
  /// The error as INSERT would give it.
  package var error: SQLError
}

/// Loads many rows into one table inside the running statement of a transaction.
///
/// Rows go straight into the column pages. Into an empty table they go without a look at indices, which are
/// built in bulk at the end; keys and foreign keys are then checked for all rows at once. Unlike INSERT a load
/// finds every violation, so that a loader can name the lines; if there is any, the caller abandons the
/// statement.
///
/// Sendable by rule: one thread at a time uses it.
package final class BulkInsert: @unchecked Sendable {
  package let table: TableDefinition
  private let transaction: Transaction
  private let context: ExecutionContext
  private let target: TargetTable
  /// Whether indices are left out until the end.
  private let isDeferred: Bool
  private let firstPosition: Int
  private var violations: [BulkViolation] = []
  /// Whether all keys could be built.
  private var hasIndexes = true
  /// How many rows have been given, those left out included.
  package private(set) var rowCount = 0
  /// Rows whose parent has not been found yet, by foreign key: ordinals and positions.
  private var waiting: [[(row: Int, position: UInt32)]]

  /// A load into a table; each chunk then has all columns of the table in its order, with defaults and
  /// casts applied.
  ///
  /// - Throws: what binding the table's checks throws.
  package init(
    _ table: TableDefinition, in transaction: Transaction, context: ExecutionContext
  ) throws(SQLError) {
    self.table = table
    self.transaction = transaction
    self.context = context
    let (rules, row) = try RowRules.bind(for: table, in: transaction.catalog)
    target = try TargetTable(
      table, writer: try transaction.writer(of: table.id), rules: rules, row: row,
      context: context)
    firstPosition = target.writer.current.rowCount
    isDeferred = firstPosition == 0
    waiting = Array(repeating: [], count: table.foreignKeys.count)
  }

  /// Adds rows.
  ///
  /// - Throws: only what ends the load at once, such as an error inside a check.
  package func append(_ rows: DataChunk) throws(SQLError) {
    guard rows.count > 0 else { return }
    var chunk = rows
    for (index, column) in table.columns.enumerated()
    where chunk.columns[index].type != column.type {
      chunk.columns[index] = try KeyConversion.retyped(chunk.columns[index], column.type)
    }
    try target.fillGenerated(&chunk)
    let base = rowCount
    rowCount += chunk.count
    var bad = RowSet(count: chunk.count)
    try target.findBadRows(&chunk) { row, error in
      violations.append(BulkViolation(row: base + row, error: error))
      bad.insert(row)
    }
    if !isDeferred {
      target.findTakenKeys(chunk) { row, error in
        violations.append(BulkViolation(row: base + row, error: error))
        bad.insert(row)
      }
    }
    try store(chunk, base: base, bad: bad)
  }

  private func store(_ rows: DataChunk, base: Int, bad: RowSet) throws(SQLError) {
    var chunk = rows
    var kept: SelectionVector?
    if !isDeferred, bad.count > 0 {
      let good = bad.complement
      chunk = rows.gathered(good)
      kept = good
    }
    guard chunk.count > 0 else { return }
    var parents: [Buffer<UInt32>] = []
    let start = target.writer.current.rowCount
    // A deferred load finds all parents at its end: those loaded along with it have no index yet.
    for (index, key) in table.foreignKeys.enumerated() where !isDeferred {
      let found = try ParentLookup.find(
        key.columns.map { chunk.columns[$0] }, count: chunk.count, key, of: table,
        in: transaction)
      parents.append(found.parents)
      for place in 0..<found.missing.count {
        let row = Int(found.missing.positions[place])
        let ordinal = base + (kept.map { Int($0.positions[row]) } ?? row)
        waiting[index].append((ordinal, UInt32(truncatingIfNeeded: start + row)))
      }
    }
    do throws(KeyConflict) {
      try target.writer.append(chunk, parents: parents, maintainingIndexes: !isDeferred)
    } catch {
      throw target.violation(error, chunk, row: Int(error.row) - start)
    }
  }

  // MARK: The end

  /// Ends several loads at once: first the keys of all tables, then foreign keys, so that tables may refer to
  /// each other in any order.
  ///
  /// - Returns: for each load all violations by rising row; if there are any the statement has to be
  ///   abandoned.
  package static func finish(_ loads: [BulkInsert]) throws(SQLError) -> [[BulkViolation]] {
    for load in loads { try load.buildIndexes() }
    for load in loads { try load.resolveParents() }
    return loads.map { load in load.violations.sorted { $0.row < $1.row } }
  }

  /// Ends this load alone.
  package func finish() throws(SQLError) -> [BulkViolation] {
    try Self.finish([self]).first ?? []
  }

  private func buildIndexes() throws(SQLError) {
    guard isDeferred, rowCount > 0 else { return }
    do throws(KeyConflict) {
      try target.writer.rebuildKeys()
    } catch {
      hasIndexes = false
      try findDuplicates()
    }
  }

  /// Every row whose key an earlier row has, for every unique key.
  private func findDuplicates() throws(SQLError) {
    let store = target.writer.current
    for index in target.immediateKeys {
      let key = table.keys[index]
      let groups = GroupTable(types: key.columns.map { table.columns[$0].type })
      for page in 0..<store.pageCount {
        try context.check()
        let chunk = store.scan(page: page, columns: key.columns)
        let columns = chunk.columns.map { $0.flattened() }
        let fresh = groups.insertNew(columns, count: chunk.count)
        if fresh.count == chunk.count { continue }
        let repeats = fresh.complement(of: chunk.count)
        for place in 0..<repeats.count {
          let row = Int(repeats.positions[place])
          if !key.nullsNotDistinct, columns.contains(where: { !$0.isValid(row) }) { continue }
          violations.append(
            BulkViolation(
              row: page * TableStore.pageCapacity + row,
              error: Violations.unique(key, of: table, row: row, in: columns)))
        }
      }
    }
  }

  private func resolveParents() throws(SQLError) {
    if isDeferred {
      try resolveAll()
      return
    }
    for index in table.foreignKeys.indices where !waiting[index].isEmpty {
      try resolveWaiting(index)
    }
  }

  /// Finds the parents of all rows of a deferred load, now that every key is there, and builds the
  /// adjacency indices over them in bulk rather than edge by edge.
  ///
  /// - Complexity: O(*n*) for each foreign key.
  private func resolveAll() throws(SQLError) {
    guard rowCount > 0, !table.foreignKeys.isEmpty else { return }
    let store = target.writer.current
    var parents: [Int: Buffer<UInt32>] = [:]
    for (index, key) in table.foreignKeys.enumerated() {
      // Without its own index a table cannot tell which of its rows are missing.
      if key.parent == table.id && !hasIndexes { continue }
      parents[index] = try parentsOfAllRows(index, in: store)
    }
    guard hasIndexes, violations.isEmpty else { return }
    do throws(KeyConflict) {
      try target.writer.setLayout(table.layout, parents: parents)
    } catch {
      throw .internal("an index refused rows that it has held before")
    }
  }

  private func parentsOfAllRows(
    _ index: Int, in store: TableStore
  ) throws(SQLError) -> Buffer<UInt32> {
    let key = table.foreignKeys[index]
    let parents = Buffer<UInt32>(repeating: TableStore.noRow, count: max(store.rowCount, 1))
    for page in 0..<store.pageCount {
      try context.check()
      let chunk = store.page(page, columns: key.columns)
      let values = chunk.columns.map { $0.flattened() }
      let found = try ParentLookup.find(
        values, count: chunk.count, key, of: table, in: transaction)
      let base = page * TableStore.pageCapacity
      parents.copy(found.parents, count: chunk.count, to: base)
      note(found.missing, values, index, base: base)
    }
    return parents
  }

  private func note(
    _ missing: SelectionVector, _ values: [Vector], _ index: Int, base: Int
  ) {
    let key = table.foreignKeys[index]
    guard let parent = transaction.catalog.tables[key.parent] else { return }
    for place in 0..<missing.count {
      let row = Int(missing.positions[place])
      violations.append(
        BulkViolation(
          row: base + row,
          error: Violations.missingParent(
            key, of: table, parent: parent, row: row, in: values)))
    }
  }

  /// Rows whose parent was not there when they came.
  private func resolveWaiting(_ index: Int) throws(SQLError) {
    let key = table.foreignKeys[index]
    let list = waiting[index]
    guard let parent = transaction.catalog.tables[key.parent] else { return }
    var start = 0
    while start < list.count {
      let part = Array(list[start..<min(list.count, start + Vector.chunkCapacity)])
      start += part.count
      let positions = Buffer(part.map(\.position))
      let values = key.columns.map {
        target.writer.current.gather(positions, count: part.count, column: $0)
      }
      let found = try ParentLookup.find(
        values, count: part.count, key, of: table, in: transaction)
      for place in 0..<found.missing.count {
        let row = Int(found.missing.positions[place])
        violations.append(
          BulkViolation(
            row: part[row].row,
            error: Violations.missingParent(
              key, of: table, parent: parent, row: row, in: values)))
      }
      guard violations.isEmpty else { continue }
      do throws(KeyConflict) {
        try target.writer.setParents(index, positions, count: part.count, to: found.parents)
      } catch {
        throw .internal("a junction refused an edge that its key allows")
      }
    }
  }
}

/// A set of rows of one chunk.
struct RowSet {
  private var flags: [Bool]
  private(set) var count = 0

  init(count: Int) { flags = Array(repeating: false, count: count) }

  mutating func insert(_ row: Int) {
    if !flags[row] {
      flags[row] = true
      count += 1
    }
  }

  /// The rows that are not in the set.
  var complement: SelectionVector {
    let kept = Buffer<UInt32>(uninitialized: max(flags.count, 1))
    var found = 0
    for row in flags.indices where !flags[row] {
      kept[found] = UInt32(truncatingIfNeeded: row)
      found += 1
    }
    return SelectionVector(kept, count: found)
  }
}
