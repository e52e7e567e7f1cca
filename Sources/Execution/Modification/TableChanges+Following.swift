import Catalog
import Columnar
import Diagnostics
import Storage

/// What follows along foreign keys from rows of parents that are gone or have another key.
///
/// PostgreSQL keeps a queue: the foreign keys to a row come one after another, then those to the next row, and what
/// their actions change is queued behind them all. So where one key of a child says CASCADE and another NO ACTION, the
/// one that comes first counts. In the same queue stands each row that was written, to see whether its parent is there.
/// Here a whole level of that queue is looked at together, and gone through row by row only
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
      if level.lowerBound == 0, try changesWritten(level) {
        try followWithChecks(level)
      } else if mayDependOnOrder(level) {
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

  /// Whether an action takes or changes rows of the table that the statement wrote rows to, so that their own keys
  /// must be looked at in turn with it.
  ///
  /// Only a foreign key from a table to itself can do so: rows of other tables are changed later.
  private func changesWritten(_ level: Range<Int>) throws(SQLError) -> Bool {
    if written.isEmpty { return false }
    for event in level {
      for (ordinal, entry) in keys(to: event).enumerated()
      where entry.child.id == events[event].table.id {
        let action = events[event].new == nil ? entry.key.onDelete : entry.key.onUpdate
        if action == .noAction || action == .restrict { continue }
        if try step(event, .all(events[event].count), ordinal) != nil { return true }
      }
    }
    return false
  }

  /// Carries out a level row by row, as the statement changed them, each followed by the look at its own keys.
  private func followWithChecks(_ level: Range<Int>) throws(SQLError) {
    var queue: [(order: [Int], place: Int, row: Int)] = []
    for place in level {
      let event = events[place]
      for row in 0..<event.count {
        let ordinal = event.ordinals.map { Int($0[row]) } ?? row
        queue.append(([event.change, ordinal, 0, place], place, row))
      }
    }
    for (place, rows) in written.enumerated() where rows.isNew {
      try context.check()
      for row in 0..<rows.count {
        let ordinal = rows.ordinals.map { Int($0[row]) } ?? row
        queue.append(([rows.change, ordinal, 1, place], place, row))
      }
    }
    queue.sort { $0.order.lexicographicallyPrecedes($1.order) }
    for entry in queue {
      try context.check()
      let single = Buffer<UInt32>(uninitialized: 1)
      if entry.order[2] == 0 {
        single[0] = UInt32(truncatingIfNeeded: entry.row)
        try follow(entry.place, SelectionVector(single, count: 1))
      } else {
        single[0] = written[entry.place].positions[entry.row]
        try check(single, written[entry.place].key)
      }
    }
  }

  /// Looks whether a row that was written has its parent, unless that can wait for the commit.
  private func check(_ row: Buffer<UInt32>, _ index: Int) throws(SQLError) {
    guard let table = events.first?.table else { return }
    let key = table.foreignKeys[index]
    let constraint = ConstraintReference(table: table.id, name: key.name)
    if transaction.isDeferred(key.deferral, constraint) { return }
    try DeferredChildCheck(table: table.id, key: index, positions: row, count: 1)
      .run(in: transaction)
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
    transaction.catalog.foreignKeys(to: events[event].table.id).filter(\.key.isEnforced)
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
    let action = event.new == nil ? key.onDelete : key.onUpdate
    var matches = try target(child).children(
      index, of: ModificationRun.gathered(event.positions, rows), oldKeys, count: rows.count)
    if child.id == event.table.id, action != .noAction, action != .restrict {
      try addWritten(to: &matches, index, oldKeys, count: rows.count)
    }
    guard matches.count > 0 else { return nil }
    return Step(
      event: place, ordinal: ordinal, child: child, index: index, key: key,
      action: action, rows: rows, oldKeys: oldKeys,
      newKeys: event.new == nil ? nil : new.map { $0.gathered(rows).flattened() },
      matches: matches)
  }

  /// Adds rows that name a key that was gone when they were written, or another row has by now: no edge tells of them.
  private func addWritten(
    to matches: inout ChildMatches, _ index: Int, _ keys: [Vector], count: Int
  ) throws(SQLError) {
    guard let table = events.first?.table, written.contains(where: { $0.key == index }) else {
      return
    }
    var seen = PositionSet()
    var pairs: [(row: UInt32, position: UInt32)] = []
    for place in 0..<matches.count {
      seen.insert(matches.positions[place])
      pairs.append((matches.rows[place], matches.positions[place]))
    }
    let groups = GroupTable(types: keys.map(\.type))
    let parents = try groups.findOrInsert(keys, count: count)
    var rowOfGroup: [UInt32: UInt32] = [:]
    for row in 0..<count { rowOfGroup[parents[row]] = UInt32(truncatingIfNeeded: row) }
    let target = try target(table)
    for rows in written where rows.key == index {
      var values: [Vector] = []
      for (column, key) in zip(table.foreignKeys[index].columns, keys) {
        let own = target.gather(column, rows.positions, count: rows.count)
        values.append(try KeyConversion.comparable(own, key.type).flattened())
      }
      let found = try groups.find(values, count: rows.count)
      for row in 0..<rows.count {
        let position = rows.positions[row]
        guard let parent = rowOfGroup[found[row]], values.allSatisfy({ $0.isValid(row) }),
          target.isLive(position), seen.insert(position)
        else { continue }
        pairs.append((parent, position))
      }
    }
    guard pairs.count > matches.count else { return }
    pairs.sort { ($0.row, $0.position) < ($1.row, $1.position) }
    matches = ChildMatches(
      rows: Buffer(pairs.map(\.row)), positions: Buffer(pairs.map(\.position)),
      count: pairs.count)
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
