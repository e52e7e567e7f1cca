import Catalog
import Columnar
import Diagnostics
import Execution
import SQLSyntax
import Storage

/// PRIMARY KEY, UNIQUE and FOREIGN KEY, from the columns alone.
extension Verifier {
  mutating func verifyKeys(_ table: TableDefinition, _ store: TableStore) throws(SQLError) {
    let (evaluation, memory) = (self.evaluation, self.memory)
    for key in table.keys {
      let check = key.isPrimary ? "primary key" : "unique"
      try add(check, "\(name(table)) \(SQLPrinter.quoted(key.name))") { () throws(SQLError) in
        let form = key.nullsNotDistinct ? .hash : KeyDigests.form(store.types, key.columns)
        let byteCount =
          store.rowCount * KeyDigests.byteCountOfRow + DigestParts.byteCount(store.rowCount)
        return try memory.holding(byteCount) { () throws(SQLError) in
          let digests = try KeyDigests(store, key.columns, form, evaluation)
          let parts = try DigestParts(digests, takesNulls: key.nullsNotDistinct)
          try evaluation.checkCancellation()
          guard let repeated = try parts.firstRepeat() else { return (parts.count, nil) }
          let names = key.columns.map { table.columns[$0].name }
          return (
            parts.count,
            SQLError(
              .uniqueViolation,
              "duplicate key value violates unique constraint \"\(key.name)\"",
              detail: "Key \(digests.text(at: repeated, names)) stands more than once.")
          )
        }
      }
    }
    try verifyExpressionKeys(table)
  }

  /// Unique indexes over expressions, or over some rows only.
  private mutating func verifyExpressionKeys(_ table: TableDefinition) throws(SQLError) {
    for index in table.indexes where index.isUnique {
      let keys = index.keys.map { key in
        switch key {
        case .column(let column, _): SQLPrinter.quoted(table.columns[column].name)
        case .expression(let expression, _): "(\(SQLPrinter.text(of: expression)))"
        }
      }
      let conditions =
        keys.map { "\($0) IS NOT NULL" }
        + (index.predicate.map { ["(\(SQLPrinter.text(of: $0)))"] } ?? [])
      try verify(
        "unique", "\(name(table)) \(SQLPrinter.quoted(index.name))", table,
        "SELECT count(*) FROM (SELECT 1 FROM ONLY \(name(table)) WHERE "
          + conditions.joined(separator: " AND ")
          + " GROUP BY \(keys.joined(separator: ", ")) HAVING count(*) > 1) v",
        SQLError(
          .uniqueViolation, "duplicate key value violates unique constraint \"\(index.name)\""))
    }
  }

  // MARK: Foreign keys

  /// That each row has its parent, and that the position kept for it is where that parent stands.
  mutating func verifyReferences(_ table: TableDefinition, _ store: TableStore) throws(SQLError) {
    let version = self.version
    let evaluation = self.evaluation
    let (damage, memory) = (self.damage, self.memory)
    for (reference, key) in table.foreignKeys.enumerated() {
      guard let parent = version.catalog.tables[key.parent],
        let parentStore = version.tables[key.parent]
      else { continue }
      let object = "\(name(table)) \(SQLPrinter.quoted(key.name))"
      let areComparable = zip(key.columns, key.parentColumns).allSatisfy {
        KeyDigests.areComparable(store.types[$0], parentStore.types[$1])
      }
      guard areComparable else { continue }
      let forms = (
        KeyDigests.form(store.types, key.columns),
        KeyDigests.form(parentStore.types, key.parentColumns)
      )
      let form = forms.0 == forms.1 ? forms.0 : .hash
      let byteCount =
        (store.rowCount + parentStore.rowCount) * KeyDigests.byteCountOfRow
        + DigestSet.byteCount(parentStore.rowCount)
      var keys: (child: KeyDigests, parent: KeyDigests)?
      defer { if keys != nil { memory.release(byteCount) } }
      try add("foreign key", object) { () throws(SQLError) in
        try memory.charge(byteCount)
        let child = try KeyDigests(store, key.columns, form, evaluation)
        let other =
          table.id == parent.id && key.columns == key.parentColumns
          ? child : try KeyDigests(parentStore, key.parentColumns, form, evaluation)
        keys = (child, other)
        if !key.isValidated { return (0, nil) }
        guard
          let orphans = try Self.orphans(
            child, of: try DigestSet(other), isMatchFull: key.isMatchFull, evaluation)
        else { return (store.liveRowCount, nil) }
        let names = key.columns.map { table.columns[$0].name }
        return (
          store.liveRowCount,
          SQLError(
            .foreignKeyViolation,
            "insert or update on table \"\(table.name.name)\" violates foreign key constraint \"\(key.name)\"",
            detail: "Key \(child.text(at: orphans.first, names)) is not present in table"
              + " \"\(parent.name.name)\"; \(orphans.count) rows have no parent.")
        )
      }
      guard let (child, other) = keys else { continue }
      try add("reference", object) { () throws(SQLError) in
        let found = try Self.firstMisplaced(
          store, reference, child, other, isValidated: key.isValidated, evaluation)
        guard let (position, place) = found else { return (store.liveRowCount, nil) }
        return (
          store.liveRowCount,
          damage(
            "a row of table \"\(table.name.name)\" is kept with another parent than its key names",
            "The row at position \(position) is kept with that at \(place).")
        )
      }
    }
  }

  /// CARDINALITY, by queries: how many rows refer to each of a parent.
  mutating func verifyCardinalities(_ table: TableDefinition) throws(SQLError) {
    let queries = ConstraintQueries(version.catalog, [])
    for cardinality in table.cardinalities {
      guard let query = queries.miscounts(cardinality, name(table), table) else { continue }
      try verify(
        "cardinality", "\(name(table)) \(SQLPrinter.quoted(cardinality.name))", table, query,
        SQLError(
          .checkViolation,
          "insert or update on table \"\(table.name.name)\" violates cardinality constraint \"\(cardinality.name)\""
        ))
    }
  }

  /// The pages that a thread looks through at once, and how many times as many are between two looks at whether the
  /// statement is to end.
  private static let (pagesATask, taskCount) = (32, 64)

  /// Looks at all pages on all cores; `body` notes what it finds where its task belongs.
  private static func forEachPage(
    _ pageCount: Int, _ evaluation: EvaluationContext,
    _ body: @escaping @Sendable (_ page: Int, _ task: Int) -> Void
  ) throws(SQLError) {
    for first in stride(from: 0, to: pageCount, by: pagesATask * taskCount) {
      try evaluation.checkCancellation()
      parallelFor(tasks: taskCount) { task in
        let start = first + task * pagesATask
        for page in start..<max(start, min(pageCount, start + pagesATask))
        where !RunningStatement.isInterrupted {
          body(page, task)
        }
      }
    }
    try evaluation.checkCancellation()
  }

  /// The first row whose key no row of the parent has, and how many there are; nil for none.
  private static func orphans(
    _ child: KeyDigests, of parent: DigestSet, isMatchFull: Bool, _ evaluation: EvaluationContext
  ) throws(SQLError) -> (first: Int, count: Int)? {
    let firsts = Buffer<Int>(repeating: .max, count: taskCount)
    let counts = Buffer<Int>(zeroed: taskCount)
    let pageCount = (child.count + TableStore.pageCapacity - 1) / TableStore.pageCapacity
    try forEachPage(pageCount, evaluation) { page, task in
      let start = page * TableStore.pageCapacity
      for position in start..<min(child.count, start + TableStore.pageCapacity) {
        switch child.row(position) {
        case .deleted, .null: continue
        case .partlyNull: if !isMatchFull { continue }
        case .present: if parent.contains(child.digests[position]) { continue }
        }
        firsts[task] = min(firsts[task], position)
        counts[task] += 1
      }
    }
    let count = (0..<taskCount).reduce(0) { $0 + counts[$1] }
    return count == 0 ? nil : ((0..<taskCount).reduce(Int.max) { min($0, firsts[$1]) }, count)
  }

  /// The first row that is kept with a position at which its parent does not stand, and that position.
  private static func firstMisplaced(
    _ store: TableStore, _ reference: Int, _ child: KeyDigests, _ parent: KeyDigests,
    isValidated: Bool, _ evaluation: EvaluationContext
  ) throws(SQLError) -> (position: Int, place: UInt32)? {
    let firsts = Buffer<Int>(repeating: .max, count: taskCount)
    let places = Buffer<UInt32>(zeroed: taskCount)
    try forEachPage(store.pageCount, evaluation) { page, task in
      let parents = store.parents(ofPage: page, reference: reference)
      let start = page * TableStore.pageCapacity
      for row in 0..<store.rowCount(ofPage: page) {
        let position = start &+ row
        let place = parents[row]
        let isSound: Bool
        switch child.row(position) {
        case .deleted: continue
        case .null, .partlyNull: isSound = place == TableStore.noRow
        case .present where place == TableStore.noRow: isSound = !isValidated
        case .present:
          isSound =
            Int(place) < parent.count && parent.row(Int(place)) == .present
            && parent.digests[place] == child.digests[position]
        }
        if !isSound, position < firsts[task] {
          firsts[task] = position
          places[task] = place
        }
      }
    }
    let worst = (0..<taskCount).min { firsts[$0] < firsts[$1] } ?? 0
    return firsts[worst] == .max ? nil : (firsts[worst], places[worst])
  }
}
