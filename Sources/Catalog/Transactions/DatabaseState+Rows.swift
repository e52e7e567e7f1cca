package import Diagnostics
import Durability
import Storage

extension DatabaseState {
  /// Changes one row and commits that, as a transaction of its own would.
  ///
  /// Where nobody reads the current version and a commit may be read at once, it becomes the next one in place, and
  /// whoever comes to read it meanwhile waits for the few steps of the change. Otherwise the next version is made
  /// beside it, and published when the commit is durable.
  ///
  /// - Parameters:
  ///   - change: the change.
  ///   - catalogVersion: the catalog for which it was made ready.
  ///   - wait: takes the writer lock if another writer has it.
  /// - Returns: what has become of the change; `refused` also where the catalog is another one.
  /// - Throws: what `wait` throws, and what the log says.
  /// - Complexity: that of the change, and of copying what it touches if there are readers.
  package func changeRow(
    _ change: any SingleRowChange, catalogVersion: UInt64,
    waiting wait: (WriterLock) throws(SQLError) -> Void
  ) throws(SQLError) -> RowChangeOutcome {
    if !writerLock.tryAcquire() { try wait(writerLock) }
    let outcome: RowChangeOutcome
    let log: (any CommitLog)?
    let ticket: UInt64
    var made: MadeChange?
    do {
      defer { writerLock.release() }
      (outcome, log, ticket) = try examine(change, catalogVersion)
      if outcome == .changed { made = make(change, log) }
    }
    if let log, let made, let staged = made.staged {
      try waitAndPublish(staged, log, ticket, made.news)
    } else if let made {
      announce(made.news)
    }
    if let log, made?.staged == nil { try log.wait(for: ticket) }
    return outcome
  }

  /// What was made of a change.
  private struct MadeChange {
    /// The version that is to be published when it is durable; nil if it is already.
    var staged: DatabaseVersion?
    var news: CommitNews
  }

  private func make(_ change: any SingleRowChange, _ log: (any CommitLog)?) -> MadeChange {
    let observer = observer
    let inPlace = log?.publishesAtOnce ?? true
    if inPlace, !(observer?.needsVersions(of: change.table) ?? false) {
      let news = note(change, to: observer)
      if changeInPlace(change) { return MadeChange(news: news) }
      news.notice?.withdraw()
    }
    let season = DatabaseVersion.nextIdentity()
    let old = newest
    let new = old.next(change, season: season)
    let news = CommitNews(
      notice: observer?.note(from: old, to: new), isNoted: observer != nil, number: new.number)
    if log == nil { publish(new, season: season) } else { stage(new) }
    return MadeChange(staged: log == nil ? nil : new, news: news)
  }

  /// Tells of a change before it is made.
  ///
  /// By itself, so that nobody holds the version when it is changed.
  @inline(never)
  private func note(_ change: any SingleRowChange, to observer: (any CommitObserver)?) -> CommitNews
  {
    let version = newest
    var news = CommitNews(isNoted: observer != nil, number: version.number + 1)
    if let observer, let store = version.tables[change.table] {
      news.notice = observer.note(
        change.event, of: change.table, in: store, number: news.number)
    }
    return news
  }

  /// Looks whether the newest version can be changed so, and tells the log.
  ///
  /// By itself, so that nobody holds the version when it is changed.
  @inline(never)
  private func examine(
    _ change: any SingleRowChange, _ catalogVersion: UInt64
  ) throws(SQLError) -> (RowChangeOutcome, (any CommitLog)?, ticket: UInt64) {
    let (version, log) = newestAndLog
    guard version.catalog.version == catalogVersion, let store = version.tables[change.table]
    else { return (.refused, nil, 0) }
    let outcome = change.examine(store) { version.tables[$0] }
    guard outcome == .changed else { return (outcome, nil, 0) }
    guard change.keepsCounts(in: store) else { return (.refused, nil, 0) }
    try damage?.check()
    guard let log else { return (.changed, nil, 0) }
    return (.changed, log, try log.append(change.event, of: change.table, to: version))
  }

  /// Waits until a staged version is durable, lets readers see it, and tells whom it concerns.
  ///
  /// - Throws: 40003 if nobody knows whether it is.
  func waitAndPublish(
    _ version: DatabaseVersion, _ log: any CommitLog, _ ticket: UInt64, _ news: CommitNews
  ) throws(SQLError) {
    do throws(SQLError) { try log.wait(for: ticket) } catch {
      unstage()
      news.notice?.withdraw()
      throw error
    }
    publish(version)
    announce(news)
  }
}
