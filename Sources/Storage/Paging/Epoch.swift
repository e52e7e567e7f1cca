import Synchronization

/// A stretch of one writer's work between two published versions.
///
/// What carries the epoch of a writer was made by that writer since it last published, so no reader has
/// seen it and it may be changed in place; all else is copied on first touch.
struct Epoch: Hashable, Sendable {
  /// Never 0, which stands for nobody where epochs are kept as plain bytes.
  let number: UInt64

  private static let last = Atomic<UInt64>(0)

  /// An epoch that nobody has had.
  static func next() -> Epoch {
    Epoch(number: last.wrappingAdd(1, ordering: .relaxed).newValue)
  }
}

/// How far the memory behind the last row of a table has been given out.
///
/// A writer appends in place behind the published row count if it is the first to claim those rows.
/// After a rollback, or for a second writer that started from the same version, the claim fails, and the
/// writer moves the last page to memory of its own.
final class TailClaim: Sendable {
  private let filled: Atomic<Int>

  init(filled: Int) { self.filled = Atomic(filled) }

  /// Takes the rows from `start` up to `end`, if nobody has.
  func take(from start: Int, to end: Int) -> Bool {
    filled.compareExchange(expected: start, desired: end, ordering: .acquiringAndReleasing)
      .exchanged
  }
}
