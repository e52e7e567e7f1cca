import Synchronization

/// What functions of a database see that is otherwise another each time: the time of day and random numbers.
package struct Surroundings: Sendable {
  /// Microseconds since 2000-01-01 UTC; nil for those of the clock.
  package let time: Int64?
  /// Where random numbers come from; nil for a sequence that begins anywhere.
  package let random: RandomSequence?

  /// The clock, and numbers that nobody knows before.
  package static let usual = Surroundings(time: nil, random: nil)

  package init(time: Int64?, random: RandomSequence?) {
    self.time = time
    self.random = random
  }

  /// The same for another database, whose numbers go on by themselves.
  package var copy: Surroundings { Surroundings(time: time, random: random?.copy) }
}

/// A sequence of random numbers, of which any thread takes the next ones.
///
/// It is SplitMix64 (Steele, Lea and Flood 2014), of which any stretch can be taken at once.
package final class RandomSequence: Sendable {
  private let state: Atomic<UInt64>
  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// The sequence that begins with a seed.
  package init(seed: UInt64) { state = Atomic(seed) }

  /// A sequence that goes on from here by itself.
  package var copy: RandomSequence { RandomSequence(seed: state.load(ordering: .relaxed)) }

  /// Begins again with another seed.
  package func restart(_ seed: UInt64) { state.store(seed, ordering: .relaxed) }

  /// Takes the next numbers.
  func next(_ count: Int) -> RandomStretch {
    let steps = UInt64(truncatingIfNeeded: count)
    return RandomStretch(
      state: state.wrappingAdd(Self.step &* steps, ordering: .relaxed).oldValue, step: Self.step)
  }
}

/// Numbers of a sequence that one loop has taken.
struct RandomStretch {
  fileprivate var state: UInt64
  fileprivate let step: UInt64

  mutating func next() -> UInt64 {
    state = state &+ step
    var mixed = state
    mixed = (mixed ^ mixed &>> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed &>> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed &>> 31
  }
}
