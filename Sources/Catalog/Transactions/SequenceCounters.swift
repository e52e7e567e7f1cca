package import Diagnostics
import Synchronization

/// Where a sequence stands.
package struct SequencePosition: Sendable, Hashable {
  /// The last value given, or the first one to give.
  package var value: Int64
  /// Whether `value` has been given already.
  package var isCalled: Bool

  package init(value: Int64, isCalled: Bool) {
    self.value = value
    self.isCalled = isCalled
  }
}

/// The counters of all sequences of a database.
///
/// They stand outside of versions: a value once given is never given again, also if the transaction that
/// took it is rolled back. Any thread may call any function.
package final class SequenceCounters: Sendable {
  private let positions = Mutex<[ObjectID: SequencePosition]>([:])
  private let changeCount = Atomic<UInt64>(0)

  package init() {}

  /// Counters of their own that stand where these do.
  func copy() -> SequenceCounters {
    let copy = SequenceCounters()
    let positions = positions.withLock { $0 }
    copy.positions.withLock { $0 = positions }
    return copy
  }

  /// Takes `count` values in a row, and gives the first; the others follow by the increment.
  ///
  /// Gives fewer than `count` where the sequence ends or turns over in between.
  /// - Throws: 2200H at the end of a sequence that does not cycle.
  /// - Complexity: O(1).
  package func take(
    _ count: Int, of sequence: SequenceDefinition
  ) throws(SQLError) -> (first: Int64, count: Int) {
    precondition(count > 0, "at least one value is taken")
    let result: Result<(first: Int64, count: Int), SQLError> = change { positions in
      let known =
        positions[sequence.id] ?? SequencePosition(value: sequence.start, isCalled: false)
      guard let first = Self.following(known, sequence) else {
        return .failure(Self.exhausted(sequence))
      }
      var last = first
      var taken = 1
      while taken < count {
        let (next, overflow) = last.addingReportingOverflow(sequence.increment)
        if overflow || next > sequence.maximum || next < sequence.minimum { break }
        last = next
        taken += 1
      }
      positions[sequence.id] = SequencePosition(value: last, isCalled: true)
      return .success((first, taken))
    }
    return try result.get()
  }

  /// The value after `position`; nil where there is none.
  private static func following(
    _ position: SequencePosition, _ sequence: SequenceDefinition
  ) -> Int64? {
    if !position.isCalled { return position.value }
    let (next, overflow) = position.value.addingReportingOverflow(sequence.increment)
    if !overflow && next <= sequence.maximum && next >= sequence.minimum { return next }
    guard sequence.cycles else { return nil }
    return sequence.increment > 0 ? sequence.minimum : sequence.maximum
  }

  private static func exhausted(_ sequence: SequenceDefinition) -> SQLError {
    let (bound, limit) =
      sequence.increment > 0 ? ("maximum", sequence.maximum) : ("minimum", sequence.minimum)
    return SQLError(
      .sequenceLimitExceeded,
      "nextval: reached \(bound) value of sequence \"\(sequence.name.name)\" (\(limit))")
  }

  /// Sets where a sequence stands: `setval`.
  ///
  /// - Throws: 22003 outside the sequence's bounds.
  package func set(
    _ sequence: SequenceDefinition, to value: Int64, isCalled: Bool
  ) throws(SQLError) {
    guard value >= sequence.minimum && value <= sequence.maximum else {
      throw SQLError(
        .numericOutOfRange,
        "setval: value \(value) is out of bounds for sequence \"\(sequence.name.name)\""
          + " (\(sequence.minimum)..\(sequence.maximum))")
    }
    restore(sequence.id, SequencePosition(value: value, isCalled: isCalled))
  }

  /// Lets a sequence begin anew at `value`.
  package func restart(_ id: ObjectID, at value: Int64) {
    restore(id, SequencePosition(value: value, isCalled: false))
  }

  /// Lets the sequence stand behind every value up to `value`, as after loading rows with given keys.
  package func advance(_ sequence: SequenceDefinition, past value: Int64) {
    change { positions in
      let known =
        positions[sequence.id] ?? SequencePosition(value: sequence.start, isCalled: false)
      let isBehind = known.isCalled ? known.value < value : known.value <= value
      if isBehind && value >= sequence.minimum && value <= sequence.maximum {
        positions[sequence.id] = SequencePosition(value: value, isCalled: true)
      }
    }
  }

  /// Where a sequence stands.
  package func position(of sequence: SequenceDefinition) -> SequencePosition {
    positions.withLock { $0[sequence.id] }
      ?? SequencePosition(value: sequence.start, isCalled: false)
  }

  /// Puts a sequence where a snapshot or log says that it stood.
  package func restore(_ id: ObjectID, _ position: SequencePosition) {
    change { $0[id] = position }
  }

  /// Another number whenever some counter may stand elsewhere than before.
  package var revision: UInt64 { changeCount.load(ordering: .acquiring) }

  /// Changes counters, and says so afterwards.
  private func change<Result>(
    _ body: (inout [ObjectID: SequencePosition]) -> Result
  ) -> Result {
    positions.withLock { positions in
      defer { changeCount.wrappingAdd(1, ordering: .releasing) }
      return body(&positions)
    }
  }

  /// All counters, for a snapshot.
  package var all: [ObjectID: SequencePosition] { positions.withLock { $0 } }

  /// Forgets a sequence that was dropped.
  package func remove(_ id: ObjectID) { _ = change { $0.removeValue(forKey: id) } }
}

/// What one session remembers of the sequences it has used: `currval` and `lastval`.
///
/// Sendable by rule: one thread at a time uses a session.
package final class SessionSequences: @unchecked Sendable {
  private var lastValues: [ObjectID: Int64] = [:]
  private var lastUsed: ObjectID?
  /// The sequences that were moved since `takeMoved()`.
  private var moved: Set<ObjectID> = []

  package init() {}

  /// Notes that `nextval` or `setval` moved a sequence.
  package func noteMove(of sequence: ObjectID) { moved.insert(sequence) }

  /// Whether some sequence was moved since `takeMoved()`.
  package var hasMoved: Bool { !moved.isEmpty }

  /// The sequences that were moved, each once, which are forgotten with that.
  package func takeMoved() -> Set<ObjectID> {
    defer { moved = [] }
    return moved
  }

  /// Notes a value that `nextval` or `setval` gave.
  package func note(_ value: Int64, of sequence: ObjectID, isNext: Bool = true) {
    lastValues[sequence] = value
    if isNext { lastUsed = sequence }
  }

  /// The last value that `nextval` gave in this session.
  ///
  /// - Throws: 55000 before the first.
  package func currentValue(of sequence: SequenceDefinition) throws(SQLError) -> Int64 {
    guard let value = lastValues[sequence.id] else {
      throw SQLError(
        .objectNotInPrerequisiteState,
        "currval of sequence \"\(sequence.name.name)\" is not yet defined in this session")
    }
    return value
  }

  /// The last value that `nextval` gave for any sequence.
  ///
  /// - Throws: 55000 before the first.
  package func lastValue(in catalog: CatalogSnapshot) throws(SQLError) -> Int64 {
    guard let lastUsed, catalog.sequences[lastUsed] != nil, let value = lastValues[lastUsed] else {
      throw SQLError(
        .objectNotInPrerequisiteState, "lastval is not yet defined in this session")
    }
    return value
  }

  /// Forgets everything: DISCARD SEQUENCES.
  package func reset() {
    lastValues = [:]
    lastUsed = nil
  }
}
