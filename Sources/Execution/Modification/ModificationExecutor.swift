package import Catalog
package import Columnar
package import Diagnostics
package import Planning
import Storage

/// Carries out INSERT, UPDATE, DELETE and MERGE inside the running statement of a transaction.
///
/// Rows are written chunk by chunk through the transaction's table writers. Foreign keys are looked at when all rows
/// are written; what has no parent then is looked at once more at the end of the statement, or at commit if the
/// constraint is deferred.
///
/// Sendable by rule: the thread that runs the statement uses it.
package final class ModificationExecutor: ModificationRunner, @unchecked Sendable {
  package let transaction: OpenTransaction
  /// The rows that the last change inserted, updated or deleted: the number of its command tag.
  package private(set) var affectedRows = 0

  package init(_ transaction: OpenTransaction) { self.transaction = transaction }

  package func modify(
    _ plan: ModifyPlan, columns: [PlanColumn], rows: [DataChunk], in context: ExecutionContext
  ) throws(SQLError) -> [DataChunk] {
    let run = try ModificationRun(plan, columns: columns, transaction, context)
    for chunk in rows where chunk.count > 0 {
      try context.check()
      try run.apply(chunk)
    }
    run.changes.finish()
    affectedRows = run.affectedRows + (plan.continuesCount ? affectedRows : 0)
    return run.returned
  }
}

/// One statement's change of one table, with what follows from it in others.
final class ModificationRun {
  let plan: ModifyPlan
  let changes: TableChanges
  let target: TargetTable
  let context: ExecutionContext
  private let places: [ColumnID: Int]
  private let returning: [any Evaluator]?
  private let conflict: ConflictHandling?
  /// What views WITH CHECK OPTION ask of new rows.
  private let viewChecks: [(view: String, condition: any Evaluator)]
  private(set) var returned: [DataChunk] = []
  private(set) var affectedRows = 0

  init(
    _ plan: ModifyPlan, columns: [PlanColumn], _ transaction: OpenTransaction,
    _ context: ExecutionContext
  ) throws(SQLError) {
    self.plan = plan
    self.context = context
    changes = TableChanges(transaction, context)
    target = try changes.target(plan.table, rules: plan.rules, row: plan.row)
    var places: [ColumnID: Int] = [:]
    for (index, column) in columns.enumerated() { places[column.id] = index }
    self.places = places
    let compiler = ExpressionCompiler(plan.row + columns)
    if let returning = plan.returning {
      self.returning = try compiler.compile(returning.map(\.expression))
    } else {
      returning = nil
    }
    var viewChecks: [(view: String, condition: any Evaluator)] = []
    for check in plan.viewChecks {
      viewChecks.append((check.view, try compiler.compile(check.condition)))
    }
    self.viewChecks = viewChecks
    if case .insert(let conflict?) = plan.action {
      self.conflict = try ConflictHandling(conflict, plan.table, input: columns)
    } else {
      conflict = nil
    }
  }

  /// Carries out what one chunk of the input asks for.
  func apply(_ chunk: DataChunk) throws(SQLError) {
    switch plan.action {
    case .insert: try insert(chunk)
    case .update(let position, let assignments):
      try update(chunk, try vector(position, chunk), assignments)
    case .delete(let position): try delete(chunk, try vector(position, chunk))
    case .merge(let merge): try self.merge(chunk, merge)
    }
  }

  /// A column of the input.
  private func vector(_ id: ColumnID, _ chunk: DataChunk) throws(SQLError) -> Vector {
    guard let place = places[id] else {
      throw .internal("the input of a change lacks column \(id)")
    }
    return chunk.columns[place]
  }

  /// Row positions out of the integers that carry their bits.
  private static func positions(_ vector: Vector) -> Buffer<UInt32> {
    vector.flattened().storage.buffer(of: UInt32.self)
  }

  // MARK: Actions

  private func insert(_ chunk: DataChunk) throws(SQLError) {
    var columns: [Vector] = []
    for column in plan.inputColumns { columns.append(try vector(column.id, chunk)) }
    let rows = DataChunk(columns, count: chunk.count)
    if let conflict {
      try insert(rows, input: chunk, conflict)
      return
    }
    let inserted = try changes.insert(rows, into: target)
    try emit(inserted, input: chunk)
  }

  private func update(
    _ chunk: DataChunk, _ position: Vector, _ assignments: [(column: Int, value: ColumnID)]
  ) throws(SQLError) {
    let positions = Self.positions(position)
    let claimed = target.claim(positions, count: chunk.count)
    guard claimed.count > 0 else { return }
    let part = chunk.gathered(claimed)
    let own = Self.gathered(positions, claimed)
    var values: [(column: Int, value: Vector)] = []
    for (column, id) in assignments { values.append((column, try vector(id, part))) }
    let updated = try changes.update(target, own, count: part.count, values)
    try emit(updated, input: part)
  }

  private func delete(_ chunk: DataChunk, _ position: Vector) throws(SQLError) {
    let positions = Self.positions(position)
    let claimed = target.claim(positions, count: chunk.count)
    guard claimed.count > 0 else { return }
    let own = Self.gathered(positions, claimed)
    let old = returning == nil ? nil : target.rows(own, count: claimed.count)
    try changes.delete(target, own, count: claimed.count)
    if let old {
      try emit(old, input: chunk.gathered(claimed))
    } else {
      affectedRows += claimed.count
    }
  }

  private func merge(_ chunk: DataChunk, _ merge: MergePlan) throws(SQLError) {
    let branches = try vector(merge.branch, chunk).flattened()
    let values = branches.values(Int32.self)
    if mayTakeKeys(merge) {
      var start = 0
      while start < chunk.count {
        var end = start + 1
        while end < chunk.count, values[end] == values[start] { end += 1 }
        if branches.validity.isValid(start), merge.actions.indices.contains(Int(values[start])) {
          try self.merge(
            chunk.slice(from: start, count: end - start), merge,
            merge.actions[Int(values[start])])
        }
        start = end
      }
      return
    }
    for (number, action) in merge.actions.enumerated() {
      let kept = Buffer<UInt32>(uninitialized: chunk.count)
      var found = 0
      for row in 0..<chunk.count
      where branches.validity.isValid(row) && values[row] == Int32(truncatingIfNeeded: number) {
        kept[found] = UInt32(truncatingIfNeeded: row)
        found += 1
      }
      if found > 0 { try self.merge(chunk.gathered(kept, count: found), merge, action) }
    }
  }

  /// Whether one row of a MERGE may take a key, or refer to one, that another one gives up, so that their order matters.
  private func mayTakeKeys(_ merge: MergePlan) -> Bool {
    let keyColumns = Set(plan.table.keys.flatMap(\.columns))
    if keyColumns.isEmpty { return false }
    let ownReferences = Set(
      plan.table.foreignKeys.filter { $0.parent == plan.table.id }.flatMap(\.columns))
    var (gives, takes) = (0, 0)
    for action in merge.actions {
      switch action {
      case .nothing: break
      case .insert: takes += 1
      case .delete: gives += 1
      case .update(let assignments):
        let changesKey = assignments.contains { keyColumns.contains($0.column) }
        if changesKey { gives += 1 }
        if changesKey || assignments.contains(where: { ownReferences.contains($0.column) }) {
          takes += 1
        }
      }
    }
    return gives > 0 && takes > 0 && gives + takes > 1 && merge.actions.count > 1
  }

  /// Carries out one action of a MERGE for the rows that it is meant for.
  private func merge(
    _ part: DataChunk, _ merge: MergePlan, _ action: MergePlan.Action
  ) throws(SQLError) {
    switch action {
    case .nothing: break
    case .insert(let ids):
      var columns: [Vector] = []
      for id in ids { columns.append(try vector(id, part)) }
      let inserted = try changes.insert(DataChunk(columns, count: part.count), into: target)
      try emit(inserted, input: part)
    case .update(let assignments):
      let position = try vector(merge.position, part)
      try refuseTouched(position, part.count)
      try update(part, position, assignments)
    case .delete:
      let position = try vector(merge.position, part)
      try refuseTouched(position, part.count)
      try delete(part, position)
    }
  }

  /// - Throws: 21000 if MERGE comes to a row for the second time.
  private func refuseTouched(_ position: Vector, _ count: Int) throws(SQLError) {
    let positions = Self.positions(position)
    var seen = PositionSet()
    for row in 0..<count {
      let isFirst = seen.insert(positions[row])
      if !isFirst || target.isTouched(positions[row]) { throw Violations.secondMerge }
    }
  }

  static func gathered(
    _ positions: Buffer<UInt32>, _ selection: SelectionVector
  ) -> Buffer<UInt32> {
    let result = Buffer<UInt32>(uninitialized: max(selection.count, 1))
    for row in 0..<selection.count { result[row] = positions[selection.positions[row]] }
    return result
  }

  // MARK: ON CONFLICT

  private func insert(
    _ rows: DataChunk, input: DataChunk, _ conflict: ConflictHandling
  ) throws(SQLError) {
    var prepared = try changes.prepare(rows, for: target)
    let plain = try conflict.arrange(
      prepared, target, waiting: changes.waitingRows(target))
    if plain.hasRepeats || changesOwnParents(conflict) {
      // A row may conflict with one just before it, or refer to it, so they go one by one.
      for row in 0..<prepared.count {
        var single = prepared.slice(from: row, count: 1)
        let arranged = try conflict.arrange(
          single, target, waiting: changes.waitingRows(target))
        try settle(&single, input.slice(from: row, count: 1), conflict, arranged)
      }
    } else {
      try settle(&prepared, input, conflict, plain)
    }
  }

  /// Whether rows that are there may get other keys, which other rows of the table refer to.
  private func changesOwnParents(_ conflict: ConflictHandling) -> Bool {
    let own = plan.table.foreignKeys.filter { $0.parent == plan.table.id }
    return !own.isEmpty && conflict.assigns(own.flatMap(\.parentColumns))
  }

  private func settle(
    _ rows: inout DataChunk, _ input: DataChunk, _ conflict: ConflictHandling,
    _ arranged: ConflictHandling.Arrangement
  ) throws(SQLError) {
    var written: [WrittenRows] = []
    if arranged.fresh.count > 0 {
      let fresh = rows.gathered(arranged.fresh)
      let inserted = try changes.insertPrepared(fresh, into: target)
      written.append(WrittenRows(rows: inserted, places: arranged.fresh))
    }
    if conflict.isUpdate, arranged.conflicting.count > 0 {
      let excluded = rows.gathered(arranged.conflicting)
      let count = excluded.count
      for row in 0..<count where target.isTouched(arranged.existing[row]) {
        throw Violations.secondConflictUpdate
      }
      let change = try conflict.evaluate(
        existing: target.rows(arranged.existing, count: count), excluded: excluded,
        input: input.gathered(arranged.conflicting), context)
      if change.kept.count > 0 {
        let own = Self.gathered(arranged.existing, change.kept)
        target.touch(own, count: change.kept.count)
        let updated = try changes.update(target, own, count: change.kept.count, change.values)
        let places = Self.gathered(arranged.conflicting.positions, change.kept)
        written.append(
          WrittenRows(rows: updated, places: SelectionVector(places, count: change.kept.count)))
      }
    }
    try emit(written, input: input)
  }

  /// Rows written, and the row of the input that each comes from, in rising order.
  private struct WrittenRows {
    let rows: DataChunk
    let places: SelectionVector
  }

  /// Returns rows inserted and rows updated together, in the order of the input.
  private func emit(_ written: [WrittenRows], input: DataChunk) throws(SQLError) {
    guard returning != nil, written.count == 2 else {
      for part in written { try emit(part.rows, input: input.gathered(part.places)) }
      return
    }
    let (first, second) = (written[0], written[1])
    let total = first.places.count + second.places.count
    let order = Buffer<UInt32>(uninitialized: total)
    let places = Buffer<UInt32>(uninitialized: total)
    var (one, two) = (0, 0)
    for row in 0..<total {
      let takesFirst =
        two == second.places.count
        || (one < first.places.count
          && first.places.positions[one] < second.places.positions[two])
      if takesFirst {
        order[row] = UInt32(truncatingIfNeeded: one)
        places[row] = first.places.positions[one]
        one += 1
      } else {
        order[row] = UInt32(truncatingIfNeeded: first.places.count + two)
        places[row] = second.places.positions[two]
        two += 1
      }
    }
    var columns: [Vector] = []
    for (own, other) in zip(first.rows.columns, second.rows.columns) {
      columns.append(
        Vector.concatenate([own, other], type: own.type).gathered(order, count: total))
    }
    try emit(DataChunk(columns, count: total), input: input.gathered(places, count: total))
  }

  // MARK: WITH CHECK OPTION

  /// - Throws: 44000 if a view would not show a new row.
  private func checkViews(_ rows: DataChunk, input: DataChunk) throws(SQLError) {
    guard !viewChecks.isEmpty, rows.count > 0 else { return }
    var chunk = DataChunk(rows.columns + input.columns, count: rows.count)
    for check in viewChecks {
      let met = SelectionVector(whereTrue: try check.condition.evaluate(&chunk, context))
      guard met.count < rows.count else { continue }
      let row = Int(met.complement(of: rows.count).positions[0])
      throw Violations.viewCheck(check.view, row: row, in: rows.columns)
    }
  }

  // MARK: RETURNING

  /// Counts rows, and computes what RETURNING gives for them.
  private func emit(_ rows: DataChunk, input: DataChunk) throws(SQLError) {
    affectedRows += rows.count
    try checkViews(rows, input: input)
    guard let returning, rows.count > 0 else { return }
    var chunk = DataChunk(rows.columns + input.columns, count: rows.count)
    var columns: [Vector] = []
    for evaluator in returning { columns.append(try evaluator.evaluate(&chunk, context)) }
    returned.append(DataChunk(columns, count: rows.count))
  }
}
