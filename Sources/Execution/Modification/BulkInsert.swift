package import Catalog
package import Columnar
package import Diagnostics
import Planning
import Storage
import Synchronization

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
/// One thread at a time uses it.
package final class BulkInsert {
  package let table: TableDefinition
  private let transaction: OpenTransaction
  private let context: ExecutionContext
  private let target: TargetTable
  /// Whether indices are left out until the end.
  private let isDeferred: Bool
  /// Whether different values are counted.
  private let isSketching: Bool
  private let firstPosition: Int
  private var violations: [BulkViolation] = []
  /// Whether all keys with an index of their own could be built.
  private var hasIndexes = true
  /// Whether equal edges have been looked for one by one.
  private var hasSoughtEdges = false
  /// How many rows have been given, those left out included.
  package private(set) var rowCount = 0
  /// Rows whose parent has not been found yet, by foreign key: ordinals and positions.
  private var waiting: [[(row: Int, position: UInt32)]]

  /// A load into a table; each chunk then has all columns of the table in its order, with defaults and
  /// casts applied.
  ///
  /// Without `sketching`, different values are not counted, which takes as long as some questions.
  ///
  /// - Throws: what binding the table's checks throws.
  package init(
    _ table: TableDefinition, in transaction: OpenTransaction, context: ExecutionContext,
    sketching: Bool = true
  ) throws(SQLError) {
    self.table = table
    self.transaction = transaction
    self.context = context
    let (rules, row) = try RowRules.bind(for: table, in: transaction.catalog)
    target = try TargetTable(
      table, in: transaction, rules: rules, row: row, context: context)
    firstPosition = target.writer.current.rowCount
    isDeferred = firstPosition == 0
    isSketching = sketching
    waiting = Array(repeating: [], count: table.foreignKeys.count)
  }

  /// Adds rows.
  ///
  /// - Throws: only what ends the load at once, such as an error inside a check.
  package func append(_ rows: DataChunk) throws(SQLError) {
    guard rows.count > 0 else { return }
    try checkRoom(for: rows.count)
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
      try target.findTakenKeys(chunk) { row, error in
        violations.append(BulkViolation(row: base + row, error: error))
        bad.insert(row)
      }
    }
    try store(chunk, base: base, bad: bad)
  }

  /// Adds rows that come many at a time, in the memory in which they are where that is possible.
  ///
  /// - Throws: as `append`.
  package func append(_ chunks: [DataChunk]) throws(SQLError) {
    let areAsStored = table.columns.indices.allSatisfy { index in
      let column = table.columns[index]
      return column.generated == nil
        && chunks.allSatisfy { chunk in
          let vector = chunk.columns[index]
          return vector.type == column.type && !(column.isNotNull && vector.mayHaveNulls)
        }
    }
    guard isDeferred, areAsStored, table.checks.isEmpty else {
      for chunk in chunks { try append(chunk) }
      return
    }
    let count = chunks.reduce(0) { $0 + $1.count }
    try checkRoom(for: count)
    target.writer.load(chunks, adopting: true)
    rowCount += count
  }

  /// - Throws: 54000 if the table cannot hold so many more rows.
  private func checkRoom(for count: Int) throws(SQLError) {
    if firstPosition + rowCount + count > TableStore.rowLimit {
      throw SQLError(
        .programLimitExceeded,
        "table \"\(table.name.name)\" cannot hold more than \(TableStore.rowLimit) rows",
        hint: "Split the rows over several tables.")
    }
  }

  private func store(_ rows: DataChunk, base: Int, bad: RowSet) throws(SQLError) {
    if isDeferred {
      // Parents are found at the end: those loaded along with the rows have no index yet.
      target.writer.load(rows)
      return
    }
    var chunk = rows
    var kept: SelectionVector?
    if bad.count > 0 {
      let good = bad.complement
      chunk = rows.gathered(good)
      kept = good
    }
    guard chunk.count > 0 else { return }
    var parents: [Buffer<UInt32>] = []
    let start = target.writer.current.rowCount
    for (index, key) in table.foreignKeys.enumerated() {
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
      try target.writer.append(chunk, parents: parents)
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
    // What refers to a table whose keys do not hold cannot be checked.
    var broken = Set(loads.filter { !$0.hasIndexes }.map(\.table.id))
    // A key that the edges of a junction keep is there once those are, and others may refer to it.
    for load in loads where load.isDeferred {
      try load.resolve(load.plainReferences, isLast: load.lateReferences.isEmpty, &broken)
    }
    for load in loads {
      if load.isDeferred {
        try load.resolve(load.lateReferences, isLast: true, &broken)
      } else {
        try load.resolveWaiting()
      }
    }
    // What was needed to build indexes is needed no more.
    MemoryBlock.releaseSpare()
    return loads.map { load in load.violations.sorted { $0.row < $1.row } }
  }

  /// Ends this load alone.
  package func finish() throws(SQLError) -> [BulkViolation] {
    try Self.finish([self]).first ?? []
  }

  /// The rows that were added, once the load has ended well.
  ///
  /// - Complexity: O(*n*) in the rows.
  package func rows(ofColumns columns: [Int]) -> [DataChunk] {
    let store = target.writer.current
    return stride(from: 0, to: rowCount, by: Vector.chunkCapacity).map { start in
      let count = min(rowCount - start, Vector.chunkCapacity)
      let positions = Buffer<UInt32>(uninitialized: count)
      for row in 0..<count {
        positions[row] = UInt32(truncatingIfNeeded: firstPosition + start + row)
      }
      return store.gather(positions, count: count, columns: columns)
    }
  }

  private func buildIndexes() throws(SQLError) {
    guard isDeferred, rowCount > 0 else { return }
    target.writer.finishLoading(sketching: isSketching)
    do throws(KeyConflict) {
      try target.writer.rebuildKeys()
    } catch {
      if let interruption = error.interruption { throw interruption }
      hasIndexes = false
      try findDuplicates { $0.junction == nil }
    }
  }

  /// Every row whose key an earlier row has, for the unique keys that are chosen.
  ///
  /// They come before violations that are known already: a row that breaks several rules is reported for
  /// its key.
  private func findDuplicates(_ isChosen: (TableLayout.Key) -> Bool) throws(SQLError) {
    let store = target.writer.current
    var found: [BulkViolation] = []
    for index in target.immediateKeys where isChosen(store.layout.keys[index]) {
      let key = table.keys[index]
      let groups = GroupTable(types: key.columns.map { table.columns[$0].type })
      for page in 0..<store.pageCount {
        try context.check()
        let chunk = store.scan(page: page, columns: key.columns)
        let columns = chunk.columns.map { $0.flattened() }
        let fresh = try groups.insertNew(columns, count: chunk.count)
        if fresh.count == chunk.count { continue }
        let repeats = fresh.complement(of: chunk.count)
        for place in 0..<repeats.count {
          let row = Int(repeats.positions[place])
          if !key.nullsNotDistinct, columns.contains(where: { !$0.isValid(row) }) { continue }
          found.append(
            BulkViolation(
              row: page * TableStore.pageCapacity + row,
              error: Violations.unique(key, of: table, row: row, in: columns)))
        }
      }
    }
    violations = found + violations
  }

  // MARK: Parents

  /// The foreign keys that name keys with an index.
  private var plainReferences: [Int] {
    table.foreignKeys.indices.filter { !namesEdges(table.foreignKeys[$0]) }
  }

  /// The foreign keys that name a key that the edges of a junction keep.
  private var lateReferences: [Int] {
    table.foreignKeys.indices.filter { namesEdges(table.foreignKeys[$0]) }
  }

  private func namesEdges(_ key: ForeignKeyConstraint) -> Bool {
    guard key.columns.count > 1, let parent = try? transaction.readableTable(key.parent) else {
      return false
    }
    return parent.layout.keys.contains {
      $0.junction != nil && Set($0.columns) == Set(key.parentColumns)
    }
  }

  /// Finds the parents of all rows of a deferred load, now that the keys are there, and builds the
  /// adjacency indices over them in bulk rather than edge by edge.
  ///
  /// - Parameters:
  ///   - chosen: the foreign keys to look at.
  ///   - isLast: whether no others follow, for which rows count as without a parent until then.
  ///   - broken: tables whose keys do not hold.
  /// - Throws: what ends the load at once.
  /// - Complexity: O(*n*) for each foreign key.
  private func resolve(
    _ chosen: [Int], isLast: Bool, _ broken: inout Set<ObjectID>
  ) throws(SQLError) {
    guard rowCount > 0, !chosen.isEmpty || !isLast else { return }
    let store = target.writer.current
    var parents: [Int: Buffer<UInt32>] = [:]
    for index in chosen where !broken.contains(table.foreignKeys[index].parent) {
      parents[index] = try parentsOfAllRows(index, in: store)
    }
    let hasJunctionKey = store.layout.keys.contains { $0.junction != nil }
    if broken.contains(table.id) && !hasJunctionKey { return }
    var holds = !broken.contains(table.id) && violations.isEmpty && parents.count == chosen.count
    if holds {
      if !isLast {
        for index in table.foreignKeys.indices where parents[index] == nil {
          parents[index] = Self.noParents(store)
        }
      }
      do throws(KeyConflict) {
        try target.writer.setLayout(table.layout, parents: consume parents)
      } catch {
        if let interruption = error.interruption { throw interruption }
        holds = false
      }
    }
    if !holds, hasJunctionKey, !hasSoughtEdges {
      hasSoughtEdges = true
      try findDuplicates { $0.junction != nil }
      broken.insert(table.id)
    }
  }

  private static func noParents(_ store: TableStore) -> Buffer<UInt32> {
    Buffer(repeating: TableStore.noRow, count: store.pageCount * TableStore.pageCapacity)
  }

  /// The rows of one foreign key that have no parent, found by one task.
  private struct Missing: Sendable {
    var rows: [(page: Int, rows: SelectionVector)] = []
    var error: SQLError?
  }

  /// The parents of all rows by one foreign key, on all cores.
  private func parentsOfAllRows(
    _ index: Int, in store: TableStore
  ) throws(SQLError) -> Buffer<UInt32> {
    let key = table.foreignKeys[index]
    let lookup = try ParentLookup(key, of: table, in: transaction)
    let capacity = TableStore.pageCapacity
    let parents = Buffer<UInt32>(uninitialized: store.pageCount * capacity, pages: .small)
    let pagesATask = 32
    let tasks = (store.pageCount + pagesATask - 1) / pagesATask
    let results = Mutex([Missing](repeating: Missing(), count: tasks))
    let context = context
    parallelFor(tasks: tasks) { task in
      var missing = Missing()
      do throws(SQLError) {
        try context.check()
        for page in (task * pagesATask)..<min(store.pageCount, (task + 1) * pagesATask) {
          let chunk = store.page(page, columns: key.columns)
          let found = try lookup.find(
            chunk.columns.map { $0.flattened() }, count: chunk.count)
          parents.copy(found.parents, count: chunk.count, to: page * capacity)
          if found.missing.count > 0 { missing.rows.append((page, found.missing)) }
        }
      } catch {
        missing.error = error
      }
      if missing.error != nil || !missing.rows.isEmpty {
        results.withLock { [missing] in $0[task] = missing }
      }
    }
    for missing in results.withLock({ $0 }) {
      try context.check()
      if let error = missing.error { throw error }
      for (page, rows) in missing.rows {
        let values = store.page(page, columns: key.columns).columns.map { $0.flattened() }
        note(rows, values, index, base: page * capacity)
      }
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

  private func resolveWaiting() throws(SQLError) {
    for index in table.foreignKeys.indices where !waiting[index].isEmpty {
      try resolveWaiting(index)
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
        let row = part.firstIndex { $0.position == error.row } ?? 0
        let chunk = target.rows(positions, count: part.count)
        violations.append(
          BulkViolation(row: part[row].row, error: target.violation(error, chunk, row: row)))
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
