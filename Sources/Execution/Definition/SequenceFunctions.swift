package import Catalog
package import Columnar
package import Diagnostics
package import Planning

/// `nextval`, `currval`, `setval` and `lastval` for a session.
package struct SequenceFunctions: Sendable {
  private let transaction: OpenTransaction
  private let session: SessionSequences
  private let searchPath: [String]

  package init(
    _ transaction: OpenTransaction, session: SessionSequences,
    searchPath: [String] = ["pg_temp", "public", "pg_catalog"]
  ) {
    self.transaction = transaction
    self.session = session
    self.searchPath = searchPath
  }

  /// The value of a call; nil for a function that has nothing to do with sequences.
  ///
  /// - Throws: 2200H, 55000, 22003, 42P01, 42809.
  package func call(
    _ function: SessionFunction, _ arguments: [Value]
  ) throws(SQLError) -> Value? {
    switch function {
    case .nextval:
      guard let sequence = try sequence(arguments) else { return .null }
      if transaction.isReadOnly {
        throw SQLError(
          .readOnlyTransaction, "cannot execute nextval() in a read-only transaction")
      }
      let value = try transaction.state.sequences.take(1, of: sequence).first
      session.noteMove(of: sequence.id)
      session.note(value, of: sequence.id)
      return .int64(value)
    case .currval:
      guard let sequence = try sequence(arguments) else { return .null }
      return .int64(try session.currentValue(of: sequence))
    case .lastval: return .int64(try session.lastValue(in: transaction.catalog))
    case .setval:
      guard let sequence = try sequence(arguments), arguments.count > 1,
        case .int64(let value) = arguments[1]
      else { return .null }
      var isCalled = true
      if arguments.count > 2 {
        guard case .boolean(let given) = arguments[2] else { return .null }
        isCalled = given
      }
      if transaction.isReadOnly {
        throw SQLError(
          .readOnlyTransaction, "cannot execute setval() in a read-only transaction")
      }
      try transaction.state.sequences.set(sequence, to: value, isCalled: isCalled)
      session.noteMove(of: sequence.id)
      if isCalled { session.note(value, of: sequence.id, isNext: false) }
      return .int64(value)
    case .currentSetting, .setConfig, .serialSequence, .viewDefinition, .relationName,
      .transactionID, .sleep:
      return nil
    }
  }

  /// The sequence that the first argument names, by identity or by text; nil for NULL.
  private func sequence(_ arguments: [Value]) throws(SQLError) -> SequenceDefinition? {
    let catalog = transaction.catalog
    switch arguments.first {
    case .int64(let number):
      let id = ObjectID(UInt32(truncatingIfNeeded: number))
      if let sequence = catalog.sequences[id] { return sequence }
      throw SQLError(.undefinedTable, "relation with OID \(number) does not exist")
    case .text(let bytes):
      let text = String(decoding: bytes, as: UTF8.self)
      let parts = CatalogSnapshot.nameParts(of: text)
      switch catalog.relation(spelled: text, searchPath: searchPath) {
      case .sequence(let sequence): return sequence
      case .some: throw SQLError(.wrongObjectType, "\"\(parts.last ?? "")\" is not a sequence")
      case nil:
        throw SQLError(
          .undefinedTable, "relation \"\(parts.joined(separator: "."))\" does not exist")
      }
    case .null, .boolean, .int16, .int32, .float, .double, .numeric, .interval, .uuid, .list,
      .record, nil:
      return nil
    }
  }
}
