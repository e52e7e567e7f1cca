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
  private var members: [ObjectIdentifier: Reference] = [:]

  nonisolated init(
    _ state: DatabaseState, _ sessions: SessionPool, _ registry: CommitRegistry
  ) {
    self.registry = registry
    self.state = state
    self.sessions = sessions
  }

  func add(_ member: any LiveMember) {
    members[ObjectIdentifier(member)] = Reference(member: member)
    schedule()
  }

  /// Has the members asked in a turn of their own, if they are not going to be; from any thread.
  nonisolated func schedule() {
    if isScheduled.exchange(true, ordering: .sequentiallyConsistent) { return }
    Task { @MainActor in renew() }
  }

  private func renew() {
    // From here on a sign needs another turn.
    isScheduled.store(false, ordering: .sequentiallyConsistent)
    members = members.filter { $0.value.member?.pump === self }
    registry.begin()
    defer { registry.end() }
    // Whatever the snapshot has of commits was marked before it could be seen.
    let snapshot = Snapshot(state.current, sessions)
    for reference in members.values {
      // What another has shown may have led it to another database.
      guard let member = reference.member, member.pump === self,
        member.watcher.needsAnswer(of: snapshot.version)
      else { continue }
      member.renew(from: snapshot)
    }
  }
}
