package import Diagnostics
import Synchronization

/// What was found to be damaged in a snapshot after it was opened.
///
/// From the moment at which something is noted no statement gives rows or commits: what stands for the damaged part
/// may have been read.
package final class SnapshotDamage: Sendable {
  private let isNoted = Atomic<Bool>(false)
  private let first = Mutex<SQLError?>(nil)

  package init() {}

  /// Notes an error, before anybody can see what takes the place of the damaged part.
  package func note(_ error: SQLError) {
    first.withLock { if $0 == nil { $0 = error } }
    isNoted.store(true, ordering: .sequentiallyConsistent)
  }

  /// - Throws: XX001 if something was noted.
  /// - Complexity: O(1), a load.
  @inline(__always)
  package func check() throws(SQLError) {
    if isNoted.load(ordering: .acquiring) { try fail() }
  }

  @inline(never)
  private func fail() throws(SQLError) {
    if let error = first.withLock({ $0 }) { throw error }
  }
}
