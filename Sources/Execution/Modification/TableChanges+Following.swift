import Catalog
import Columnar
import Diagnostics
import Storage

/// What follows along foreign keys from rows of parents that are gone or have another key.
///
/// PostgreSQL keeps a queue: the foreign keys to a row come one after another, then those to the next row, and what
/// their actions change is queued behind them all. So where one key of a child says CASCADE and another NO ACTION, the
/// one that comes first counts. Here a whole level of that queue is looked at together, and gone through row by row only
/// if the order may matter.
extension TableChanges {
  /// One foreign key, and the rows of a child that refer by it to rows of an event.
  private struct Step {
    var event: Int
    var ordinal: Int
    var child: TableDefinition
    var index: Int
    var key: ForeignKeyConstraint
    var action: ReferentialAction
    /// Which of the event's rows the old and new keys are of.
    var rows: SelectionVector
    var oldKeys: [Vector]
    var newKeys: [Vector]?
    var matches: ChildMatches

    /// Whether it only takes rows away, which may be done in any order.
    var isDelete: Bool { newKeys == nil && action == .cascade }
  }

  func followEvents() throws(SQLError) {
    var next = 0
    while next < events.count {
      let level = next..<events.count
      next = events.count
      if mayDependOnOrder(level) {
        try followInOrder(level)
      } else {
        for event in level { try follow(event, .all(events[event].count)) }
      }
    }
    events = []
  }

  // MARK: Order

  /// Whether a level has checks, or a table whose rows several foreign keys change in more ways than to delete them.
  private func mayDependOnOrder(_ level: Range<Int>) -> Bool {
    var keyCounts: [ObjectID: Int] = [:]
    var updated: Set<ObjectID> = []
    for event in level {
      let isDelete = events[event].new == nil
      for entry in keys(to: event) {
        let action = isDelete ? entry.key.onDelete : entry.key.onUpdate
        if action == .restrict || action == .noAction { return true }
        keyCounts[entry.child.id, default: 0] += 1
        if !isDelete || action != .cascade { updated.insert(entry.child.id) }
      }
    }
    return updated.contains { keyCounts[$0, default: 0] > 1 }
  }

  private func followInOrder(_ level: Range<Int>) throws(SQLError) {
    var steps: [Step] = []
    for event in level { steps += try self.steps(event, .all(events[event].count)) }
    if steps.isEmpty { return }
    if try isFreeOfOrder(steps) {
      for event in level { try follow(event, .all(events[event].count)) }
      return
    }
    for (event, row) in try rowsInOrder(level) {
      try context.check()
      let single = Buffer<UInt32>(uninitialized: 1)
      single[0] = UInt32(truncatingIfNeeded: row)
      try follow(event, SelectionVector(single, count: 1))
    }
  }

  /// Whether all checks are met as it is, and no child is reached twice but to be deleted.
  private func isFreeOfOrder(_ steps: [Step]) throws(SQLError) -> Bool {
    var updated: Set<ObjectID> = []
    for step in steps {
      if !step.isDelete { updated.insert(step.child.id) }
      switch step.action {
      case .restrict: return false
      case .noAction:
        if transaction.isDeferred(
          step.key.deferral, ConstraintReference(table: step.child.id, name: step.key.name))
        {
          continue
        }
        do throws(SQLError) {
          try check(step).run(in: transaction)
        } catch {
          guard error.state == .foreignKeyViolation else { throw error }
          return false
        }
      case .cascade, .setNull, .setDefault: break
      }
    }
    var reached: [ObjectID: PositionSet] = [:]
    for step in steps where updated.contains(step.child.id) {
      for row in 0..<step.matches.count {
        let isFirst = reached[step.child.id, default: PositionSet()].insert(
          step.matches.positions[row])
        if !isFirst { return false }
      }
    }
    return true
  }

  /// The rows of a level as PostgreSQL would queue them.
  ///
  /// - Complexity: O(rows × depth), but O(1) for a single row.
  private func rowsInOrder(_ level: Range<Int>) throws(SQLError) -> [(event: Int, row: Int)] {
    if level.count == 1, events[level.lowerBound].count == 1 { return [(level.lowerBound, 0)] }
    var rows: [(path: [Int], event: Int, row: Int)] = []
    for event in level {
      for row in 0..<events[event].count {
        try context.check()
        rows.append((path(event, row), event, row))
      }
    }
    rows.sort { $0.path.lexicographicallyPrecedes($1.path) }
    return rows.map { ($0.event, $0.row) }
  }

  /// By what rows and foreign keys it came to a row, from the first on.
  ///
  /// A chain of rows may be as long as a table: it is gone up by a loop.
  private func path(_ event: Int, _ row: Int) -> [Int] {
    var (event, row) = (event, row)
    var upwards: [Int] = []
    while let origin = events[event].origin {
      upwards += [row, origin.ordinal]
      (event, row) = (origin.event, Int(origin.rows[row]))
    }
    return (upwards + [row, event]).reversed()
  }

  // MARK: One event

  /// Carries out all foreign keys for some rows of an event.
  private func follow(_ event: Int, _ rows: SelectionVector) throws(SQLError) {
    try context.check()
    for ordinal in keys(to: event).indices {
      if let step = try step(event, rows, ordinal) { try carryOut(step) }
    }
  }

  private func keys(
    to event: Int
  ) -> [(child: TableDefinition, index: Int, key: ForeignKeyConstraint)] {
    transaction.catalog.foreignKeys(to: events[event].table.id)
  }

  private func steps(_ event: Int, _ rows: SelectionVector) throws(SQLError) -> [Step] {
    try context.check()
    var steps: [Step] = []
    for ordinal in keys(to: event).indices {
      if let step = try step(event, rows, ordinal) { steps.append(step) }
    }
    return steps
  }

  /// What one foreign key has to do for some rows of an event; nil for nothing.
  private func step(
    _ place: Int, _ rows: SelectionVector, _ ordinal: Int
  ) throws(SQLError) -> Step? {
    let event = events[place]
    let (child, index, key) = keys(to: place)[ordinal]
    var old: [Vector] = []
    var new: [Vector] = []
    for column in key.parentColumns {
      guard let values = event.old[column] else { return nil }
      old.append(values)
      if let values = event.new?[column] { new.append(values) }
    }
    var rows = rows
    if event.new != nil {
      let same = RowComparison.matching(
        old, rows.positions, new, rows.positions, count: rows.count, nulls: .equal)
      let different = same.complement(of: rows.count)
      rows = SelectionVector(
        ModificationRun.gathered(rows.positions, different), count: different.count)
    }
    guard rows.count > 0 else { return nil }
    let oldKeys = old.map { $0.gathered(rows).flattened() }
    let matches = try target(child).children(
      index, of: ModificationRun.gathered(event.positions, rows), oldKeys, count: rows.count)
    guard matches.count > 0 else { return nil }
    return Step(
      event: place, ordinal: ordinal, child: child, index: index, key: key,
      action: event.new == nil ? key.onDelete : key.onUpdate, rows: rows, oldKeys: oldKeys,
      newKeys: event.new == nil ? nil : new.map { $0.gathered(rows).flattened() },
      matches: matches)
  }

  private func check(_ step: Step) -> DeferredParentCheck {
    DeferredParentCheck(
      child: step.child.id, key: step.index, parent: events[step.event].table.id,
      positions: step.matches.positions, count: step.matches.count)
  }

  private func carryOut(_ step: Step) throws(SQLError) {
    switch step.action {
    case .noAction:
      let constraint = ConstraintReference(table: step.child.id, name: step.key.name)
      if transaction.isDeferred(step.key.deferral, constraint) {
        transaction.addDeferredCheck(check(step))
      } else {
        try check(step).run(in: transaction)
      }
    case .restrict:
      throw Violations.stillReferenced(
        step.key, of: step.child, parent: events[step.event].table,
        row: Int(step.matches.rows[0]), in: step.oldKeys)
    case .cascade, .setNull, .setDefault:
      let rows = Buffer<UInt32>(uninitialized: step.matches.count)
      for row in 0..<step.matches.count {
        rows[row] = step.rows.positions[step.matches.rows[row]]
      }
      origin = Origin(event: step.event, rows: rows, ordinal: step.ordinal)
      defer { origin = nil }
      try act(step, try target(step.child))
    }
  }

  private func act(_ step: Step, _ target: TargetTable) throws(SQLError) {
    let (count, positions) = (step.matches.count, step.matches.positions)
    switch step.action {
    case .cascade:
      guard let newKeys = step.newKeys else {
        target.touch(positions, count: count)
        try delete(target, positions, count: count)
        return
      }
      var values: [(column: Int, value: Vector)] = []
      for (column, vector) in zip(step.key.columns, newKeys) {
        values.append((column, vector.gathered(step.matches.rows, count: count)))
      }
      target.touch(positions, count: count)
      _ = try update(target, positions, count: count, values)
    case .setNull(let columns):
      target.touch(positions, count: count)
      let values = columns.map { column in
        (column: column, value: Vector.null(target.table.columns[column].type, count: count))
      }
      _ = try update(target, positions, count: count, values)
    case .setDefault(let columns):
      target.touch(positions, count: count)
      var values: [(column: Int, value: Vector)] = []
      for column in columns {
        values.append(
          (column, try DefaultValues.make(column, of: target.table, count, transaction, context)))
      }
      _ = try update(target, positions, count: count, values)
    case .noAction, .restrict: break
    }
  }
}
