import Diagnostics
import Synchronization

/// Hands out morsels to workers and keeps the first error.
final class MorselProgress: Sendable {
  private let morselCount: Int
  private let following: Atomic<Int>
  private let stopped = Atomic<Bool>(false)
  private let failure = Mutex<(morsel: Int, error: SQLError)?>(nil)

  /// Hands out these morsels.
  init(_ morsels: Range<Int>) {
    morselCount = morsels.upperBound
    following = Atomic(morsels.lowerBound)
  }

  /// A morsel that no other worker has, nil if there are none or the run has been stopped.
  func next() -> Int? {
    if stopped.load(ordering: .relaxed) { return nil }
    let morsel = following.wrappingAdd(1, ordering: .relaxed).oldValue
    return morsel < morselCount ? morsel : nil
  }

  /// Lets no further morsel start.
  func stop() { stopped.store(true, ordering: .relaxed) }

  /// Stops the run for an error; of several, that of the first morsel is reported.
  func fail(_ error: SQLError, at morsel: Int) {
    failure.withLock { known in
      if known.map({ morsel < $0.morsel }) ?? true { known = (morsel, error) }
    }
    stop()
  }

  var error: SQLError? { failure.withLock { $0?.error } }
}
