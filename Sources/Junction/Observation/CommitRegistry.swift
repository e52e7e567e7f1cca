import Catalog
import Execution
import Storage
import Synchronization

/// Who watches a database: where what questions have read meets what commits change.
///
/// It is keyed by what was read, so that a commit costs its own rows and not the number of watchers.
final class CommitRegistry: CommitObserver, Sendable {
  /// A commit that cannot be seen yet, or came while a question was being asked.
  fileprivate struct Recent {
    let number: UInt64
    /// nil for a commit that may have changed everything.
    let deltas: [TableDelta]?
    let notice: Notice
  }

  fileprivate struct Content {
    var tables: [ObjectID: TableWatch] = [:]
    var watched: [ObjectIdentifier: (watcher: Watcher, reads: ReadSet)] = [:]
    /// How many questions are being asked, whose reads are not known yet.
    var openCount = 0
    /// The commits that a question may not see though they were told of before it is known what it reads.
    ///
    /// They are those that cannot be seen yet, and those since the oldest question began that is being asked. What they changed is tested
    /// when its reads are known.
    var recent: [Recent] = []
    /// Whether some of those were let go of.
    var isLossy = false
  }

  /// Those who are to be told of a commit.
  fileprivate final class Notice: CommitNotice {
    private struct State {
      var watchers: [Watcher]
      /// Whether the others were told.
      var isAnnounced = false
    }
    let number: UInt64
    private let registry: CommitRegistry
    private let state: Mutex<State>

    init(_ number: UInt64, _ watchers: [Watcher], in registry: CommitRegistry) {
      self.number = number
      self.registry = registry
      state = Mutex(State(watchers: watchers))
    }

    var isAnnounced: Bool { state.withLock { $0.isAnnounced } }

    func announce() {
      let watchers = state.withLock { state in
        state.isAnnounced = true
        defer { state.watchers = [] }
        return state.watchers
      }
      for watcher in watchers { watcher.announce(number) }
      registry.forget(self, unlessAsking: true)
    }

    func withdraw() { registry.forget(self, unlessAsking: false) }

    /// Tells one more, at once if the others were told.
    func add(_ watcher: Watcher) {
      let isLate = state.withLock { state in
        if !state.isAnnounced { state.watchers.append(watcher) }
        return state.isAnnounced
      }
      if isLate { watcher.announce(number) }
    }
  }

  private let content = Mutex(Content())
  private let watches = Atomic(false)
  /// So many commits are kept while a question is being asked.
  fileprivate static let recentLimit = 256

  var isWatching: Bool { watches.load(ordering: .sequentiallyConsistent) }

  func needsVersions(of table: ObjectID) -> Bool {
    content.withLock { $0.tables[table]?.needsValues ?? false }
  }

  // MARK: Commits

  func note(from old: DatabaseVersion, to new: DatabaseVersion) -> (any CommitNotice)? {
    content.withLock { content in
      guard old.catalog.version == new.catalog.version else {
        return content.note(nil, number: new.number, in: self)
      }
      var deltas: [TableDelta] = []
      for table in new.tables.keys {
        // Of a table that nobody has read, what has changed is of use only to a question that is being asked.
        let isRead = content.openCount > 0 || content.tables[table] != nil
        let delta =
          isRead
          ? TableDelta(table, from: old, to: new) : TableDelta(unseen: table, from: old, to: new)
        if let delta { deltas.append(delta) }
      }
      return content.note(deltas, number: new.number, in: self)
    }
  }

  func note(
    _ event: RowEvent, of table: ObjectID, in store: TableStore, number: UInt64
  ) -> (any CommitNotice)? {
    content.withLock { content in
      content.note([TableDelta(event, of: table, in: store)], number: number, in: self)
    }
  }

  func noteUnknown(number: UInt64) -> (any CommitNotice)? {
    content.withLock { $0.note(nil, number: number, in: self) }
  }

  private func forget(_ notice: Notice, unlessAsking: Bool) {
    content.withLock { content in
      if unlessAsking && content.openCount > 0 { return }
      content.recent.removeAll { $0.notice === notice }
    }
  }

  // MARK: Questions

  /// Notes that a question is about to be asked; `finish` has to follow.
  func begin() {
    content.withLock { content in
      content.openCount += 1
      watches.store(true, ordering: .sequentiallyConsistent)
    }
  }

  /// Notes what a question has read in a version, so that its watcher is told of every commit after it that matters.
  func finish(_ watcher: Watcher, _ reads: ReadSet, asOf number: UInt64) {
    content.withLock { content in
      content.forget(watcher)
      content.add(watcher, reads)
      content.test(watcher, reads, since: number)
      content.close()
    }
    watcher.answer(number)
  }

  /// Ends what `begin` has begun where nothing was asked.
  func end() {
    content.withLock { $0.close() }
  }

  /// Lets go of a watcher.
  func forget(_ watcher: Watcher) {
    content.withLock { content in
      content.forget(watcher)
      if content.openCount == 0 && content.watched.isEmpty {
        watches.store(false, ordering: .sequentiallyConsistent)
      }
    }
  }

  /// How many watch.
  var watcherCount: Int { content.withLock { $0.watched.count } }
}

extension CommitRegistry.Content {
  /// Marks those whom a commit concerns, all if it may have changed everything, and keeps it until it can be seen; nil where it changes nothing.
  fileprivate mutating func note(
    _ deltas: [TableDelta]?, number: UInt64, in registry: CommitRegistry
  ) -> (any CommitNotice)? {
    if deltas?.isEmpty ?? false { return nil }
    var hits = Hits()
    if let deltas {
      for delta in deltas { tables[delta.table]?.match(delta, into: &hits) }
    } else {
      for (watcher, _) in watched.values { hits.add(watcher) }
    }
    let watchers = hits.watchers
    for watcher in watchers { watcher.mark(number) }
    let notice = CommitRegistry.Notice(number, watchers, in: registry)
    recent.append(CommitRegistry.Recent(number: number, deltas: deltas, notice: notice))
    if openCount > 0 && recent.count > CommitRegistry.recentLimit {
      isLossy = true
      recent.removeFirst(CommitRegistry.recentLimit / 2)
    }
    return notice
  }

  fileprivate mutating func close() {
    openCount -= 1
    if openCount > 0 { return }
    recent.removeAll(where: \.notice.isAnnounced)
    isLossy = false
  }

  fileprivate mutating func add(_ watcher: Watcher, _ reads: ReadSet) {
    watched[ObjectIdentifier(watcher)] = (watcher, reads)
    for (table, reads) in reads.tables {
      tables[table, default: TableWatch()].add(watcher, reads)
    }
  }

  fileprivate mutating func forget(_ watcher: Watcher) {
    guard let (_, reads) = watched.removeValue(forKey: ObjectIdentifier(watcher)) else { return }
    for (table, reads) in reads.tables {
      tables[table]?.remove(watcher, reads)
      if tables[table]?.isEmpty ?? false { tables[table] = nil }
    }
  }

  /// Tells a watcher of the commits that came while its question was being asked.
  fileprivate func test(_ watcher: Watcher, _ reads: ReadSet, since number: UInt64) {
    if recent.isEmpty { return }
    var own: [ObjectID: TableWatch] = [:]
    for (table, reads) in reads.tables {
      own[table, default: TableWatch()].add(watcher, reads)
    }
    for (index, commit) in recent.enumerated() where commit.number > number {
      var hits = Hits()
      for delta in commit.deltas ?? [] { own[delta.table]?.match(delta, into: &hits) }
      if commit.deltas == nil || hits.contains(watcher) || (isLossy && index == 0) {
        watcher.mark(commit.number)
        commit.notice.add(watcher)
      }
    }
  }
}
