import Catalog
import Synchronization

/// Something that shows the newest answer to a question.
@MainActor
protocol LiveMember: AnyObject {
  /// Whoever is told that there may be another.
  var watcher: Watcher { get }
  /// What renews it: that of the database that it asks, which may have been another.
  var pump: LivePump { get }
  /// Asks a state again.
  func renew(from snapshot: Snapshot)
}

/// Renews what views show of one database: all of it from one state, in one turn of the main actor, so that a list and its count
/// never disagree on screen.
///
/// A turn costs what was marked and not what there is.
@MainActor
final class LivePump {
  private struct Reference {
    weak var member: (any LiveMember)?
  }

  private nonisolated let state: DatabaseState
  private nonisolated let sessions: SessionPool
  private nonisolated let registry: CommitRegistry
  /// Whether a turn is on its way that has not begun.
  private nonisolated let isScheduled = Atomic(false)
  /// The watchers of those that may need another answer.
  private nonisolated let marked = Mutex<Set<ObjectIdentifier>>([])
  /// By their watchers; some are gone, or follow another question with another watcher.
  private var members: [ObjectIdentifier: Reference] = [:]
  /// At so many members those that are gone are looked for.
  private var roomyCount = 64

  nonisolated init(
    _ state: DatabaseState, _ sessions: SessionPool, _ registry: CommitRegistry
  ) {
    self.registry = registry
    self.state = state
    self.sessions = sessions
  }

  func add(_ member: any LiveMember) {
    if members.count >= roomyCount {
      for key in members.keys where self.member(key) == nil { members[key] = nil }
      roomyCount = 2 * members.count + 64
    }
    members[ObjectIdentifier(member.watcher)] = Reference(member: member)
    note(member.watcher)
    schedule()
  }

  /// Has the member of a watcher looked at in the next turn; from any thread.
  nonisolated func note(_ watcher: Watcher) {
    marked.withLock { _ = $0.insert(ObjectIdentifier(watcher)) }
  }

  /// Has the members asked in a turn of their own, if they are not going to be; from any thread.
  nonisolated func schedule() {
    if isScheduled.exchange(true, ordering: .sequentiallyConsistent) { return }
    Task { @MainActor in renew() }
  }

  private func renew() {
    // From here on a sign needs another turn.
    isScheduled.store(false, ordering: .sequentiallyConsistent)
    registry.begin()
    defer { registry.end() }
    // Whatever the snapshot has of commits was marked before it could be seen.
    let snapshot = Snapshot(state.current, sessions)
    for key in takeMarked() {
      // What another has shown may have led it to another database.
      guard let member = member(key) else {
        members[key] = nil
        continue
      }
      let watcher = member.watcher
      if watcher.needsAnswer(of: snapshot.version) { member.renew(from: snapshot) }
      // A commit that cannot be seen yet was marked, and its sign is still to come.
      if watcher.isMarked { note(watcher) }
    }
  }

  private func takeMarked() -> Set<ObjectIdentifier> {
    marked.withLock { marked in
      defer { marked = [] }
      return marked
    }
  }

  /// The member that has a watcher, if it has it still.
  private func member(_ key: ObjectIdentifier) -> (any LiveMember)? {
    guard let member = members[key]?.member, member.pump === self,
      ObjectIdentifier(member.watcher) == key
    else { return nil }
    return member
  }
}
