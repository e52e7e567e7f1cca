import Columnar
package import Diagnostics
import Storage

/// Cardinality constraints, which are checked when a transaction commits.
///
/// Statements record nothing: the parents to check are found by comparing the tables of the commit with those that
/// the transaction began with. So savepoints, referential actions, loads and single rows need no code of their own,
/// and a row that came and went costs nothing.
extension OpenTransaction {
  /// Looks at the parents that the transaction has touched.
  ///
  /// - Throws: 23514 for the first of them to which too many or too few rows refer.
  /// - Complexity: O(parents touched), and what `TableStore.touchedParents` takes.
  func checkCardinalities() throws(SQLError) {
    let old = state.newest
    for id in content.catalog.countingTables.sorted() {
      guard let table = content.catalog.tables[id] else { continue }
      for constraint in table.cardinalities {
        try check(constraint, of: table, since: old)
      }
    }
  }

  /// Looks at all rows of the parent.
  ///
  /// - Throws: 23514 for the first to which too many or too few rows refer.
  /// - Complexity: O(rows of the parent).
  package func checkAllParents(
    _ constraint: CardinalityConstraint, of table: TableDefinition
  ) throws(SQLError) {
    guard let check = try CardinalityCheck(constraint, of: table, in: self) else { return }
    try check.runForAll()
  }

  private func check(
    _ constraint: CardinalityConstraint, of table: TableDefinition, since old: DatabaseVersion
  ) throws(SQLError) {
    guard let check = try CardinalityCheck(constraint, of: table, in: self) else { return }
    guard let before = old.catalog.tables[table.id], before.counts(check.key, constraint.bounds),
      let oldChild = old.tables[table.id], let oldParent = old.tables[check.key.parent]
    else { return try check.runForAll() }
    if oldChild === check.child && oldParent === check.parent { return }
    // A look at one row of many costs some looks at rows in a line.
    let limit = max(1_000, check.parent.rowCount / 4)
    guard
      var touched = check.child.touchedParents(by: check.reference, since: oldChild, limit: limit),
      let added = check.parent.addedRows(since: oldParent), added.count <= limit
    else { return try check.runForAll() }
    if constraint.bounds.lowerBound > 0 {
      touched.positions += added.map { UInt32(truncatingIfNeeded: $0) }
    }
    try check.run(for: touched)
  }
}

extension TableDefinition {
  /// Whether rows were counted by the same foreign key, within the same bounds.
  fileprivate func counts(_ key: ForeignKeyConstraint, _ bounds: ClosedRange<Int>) -> Bool {
    cardinalities.contains { known in
      guard known.bounds == bounds, let index = foreignKey(of: known) else { return false }
      return foreignKeys[index].columns == key.columns && foreignKeys[index].parent == key.parent
        && foreignKeys[index].parentColumns == key.parentColumns
    }
  }
}

/// A cardinality constraint with the rows that it speaks of.
private struct CardinalityCheck {
  let constraint: CardinalityConstraint
  let table: TableDefinition
  let reference: Int
  let key: ForeignKeyConstraint
  let child: TableStore
  let parent: TableStore

  /// Nil where the foreign key is gone.
  ///
  /// - Throws: XX000 if a table has no rows of its own.
  init?(
    _ constraint: CardinalityConstraint, of table: TableDefinition,
    in transaction: OpenTransaction
  ) throws(SQLError) {
    guard let reference = table.foreignKey(of: constraint) else { return nil }
    self.constraint = constraint
    self.table = table
    self.reference = reference
    key = table.foreignKeys[reference]
    child = try transaction.readableTable(table.id)
    parent = try transaction.readableTable(key.parent)
  }

  func run(for touched: TouchedParents) throws(SQLError) {
    let edges = child.edges(from: reference)
    for position in Set(touched.positions).sorted() where parent.isLive(position) {
      let degree = edges.degree(of: position)
      if constraint.bounds.contains(degree) { continue }
      throw violation(position, degree, isDelete: touched.lostRows.contains(position))
    }
  }

  func runForAll() throws(SQLError) {
    let edges = child.edges(from: reference)
    for page in 0..<parent.pageCount {
      try RunningStatement.check()
      let start = page * TableStore.pageCapacity
      let degrees = edges.degrees(start..<(start + parent.rowCount(ofPage: page)))
      let live = parent.positions(ofPage: page)
      for row in 0..<live.count {
        let position = live.positions[row]
        let degree = Int(degrees[Int(position) - start])
        if !constraint.bounds.contains(degree) {
          throw violation(position, degree, isDelete: false)
        }
      }
    }
  }

  private func violation(_ position: UInt32, _ degree: Int, isDelete: Bool) -> SQLError {
    let isTooMany = degree > constraint.bounds.upperBound
    let (low, high) = (constraint.bounds.lowerBound, constraint.bounds.upperBound)
    let place = Buffer<UInt32>(repeating: position, count: 1)
    let values = key.parentColumns.map { column in
      RowText.string(parent.gather(place, count: 1, column: column), 0)
    }
    let names = key.columns.map { table.columns[$0].name }
    return SQLError(
      .checkViolation,
      (isDelete && !isTooMany ? "delete on" : "insert or update on")
        + " table \"\(table.name.name)\" violates cardinality constraint \"\(constraint.name)\"",
      detail: "Key (\(names.joined(separator: ", ")))=(\(values.joined(separator: ", ")))"
        + " has \(degree) row\(degree == 1 ? "" : "s"); "
        + (isTooMany ? "at most \(high) are allowed." : "at least \(low) are needed.")
    ).about(
      SQLError.Object(
        schema: table.name.schema, table: table.name.name, constraint: constraint.name),
      breaking: isTooMany ? .maximum(high) : .minimum(low))
  }
}
