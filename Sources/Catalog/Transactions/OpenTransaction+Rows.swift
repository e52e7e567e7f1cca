import Columnar
import Storage

extension OpenTransaction {
  /// Changes one row inside the transaction, as a statement of its own would.
  ///
  /// - Returns: what has become of it; `refused` also where the transaction has not written before, or the catalog is
  ///   not that for which the change was made ready.
  /// - Complexity: that of the change, and of copying what it touches if a version or savepoint shares it.
  package func changeRow(
    _ change: any SingleRowChange, catalogVersion: UInt64
  ) -> RowChangeOutcome {
    guard holdsWriterLock, !isReadOnly, statementStart == nil,
      content.catalog.version == catalogVersion
    else { return .refused }
    if isBehind, rowWriterTable == change.table,
      let outcome = writerAtHand.withObject({ carryOut(change, with: $0) })
    {
      return outcome
    }
    guard let writer = makeRowWriter(change.table) else { return .refused }
    return carryOut(change, with: writer)
  }

  private func carryOut(
    _ change: any SingleRowChange, with writer: RowWriter
  ) -> RowChangeOutcome {
    let outcome = change.examine(writer.store) { content.tables[$0] }
    guard outcome == .changed else { return outcome }
    change.apply(to: writer)
    if !isBehind {
      content.isChanged = true
      isBehind = true
    }
    return .changed
  }

  /// A writer that changes a table of the transaction in place.
  private func makeRowWriter(_ id: ObjectID) -> RowWriter? {
    guard writers.isEmpty, let store = content.tables[id] else { return nil }
    if !isBehind && !isKnownUniquelyReferenced(&shown) { ownTables = [] }
    if ownTables.contains(id) {
      return setRowWriter(id, RowWriter(store, forMany: true))
    }
    let own = store.ownCopy(home: 0)
    content.tables[id] = own
    ownTables.append(id)
    return setRowWriter(id, RowWriter(own, forMany: true))
  }

  private func setRowWriter(_ id: ObjectID, _ writer: RowWriter) -> RowWriter {
    rowWriterTable = id
    rowWriter = writer
    return writer
  }
}
