import Columnar
import Synchronization

/// The last pair of a source and a count that can still be among the first, sorted by the counts and then by the sources, or
/// by the sources alone.
///
/// A pair's rank is one number, the least first: the count, or its complement where the greatest are wanted, above the place of
/// the source. Either is 0 for all where the order says nothing of it.
final class CountBound: Sendable {
  /// How pairs are sorted: by their counts, their sources, or the counts and then the sources.
  struct Order: Sendable {
    /// Which counts come first; nil where they are not compared.
    var counts: Direction? = .falling
    /// The pairs of which sources come first, of equal counts if these are compared; nil where sources are not.
    var sources: Direction?
  }
  enum Direction {
    /// The least first.
    case rising
    /// The greatest first.
    case falling
  }

  private let order: Order
  private let wanted: Int
  private let current = Atomic<UInt64>(.max)
  private let known = Mutex<[UInt64]>([])
  /// More are not kept track of.
  private static let wantedLimit = 65_536

  init?(_ wanted: Int, _ order: Order) {
    if wanted > Self.wantedLimit { return nil }
    self.wanted = wanted
    self.order = order
  }

  /// The counts with which a pair of a source may still have a place among those wanted, of those from 0 on.
  func counts(of source: UInt32) -> Range<Int64> {
    let last = current.load(ordering: .relaxed)
    let count = UInt32(truncatingIfNeeded: last >> 32)
    let isTieLost = place(of: source) > UInt32(truncatingIfNeeded: last)
    switch order.counts {
    case .rising: return 0..<Int64(count) + (isTieLost ? 0 : 1)
    case .falling: return Int64(~count) + (isTieLost ? 1 : 0)..<Int64.max
    case nil: return 0..<(isTieLost ? 0 : .max)
    }
  }

  /// Takes note of pairs, each of which is offered once.
  func offer(_ rows: SelectionVector, _ counts: Buffer<Int64>, sources: Buffer<UInt32>) {
    let last = current.load(ordering: .relaxed)
    known.withLock { known in
      for index in 0..<rows.count {
        let row = rows.positions[index]
        let rank = rank(counts[row], sources[row])
        if rank < last { known.append(rank) }
      }
      if known.count < 2 * wanted { return }
      known.sort()
      known.removeLast(known.count - wanted)
      current.store(known[wanted - 1], ordering: .relaxed)
    }
  }

  private func rank(_ count: Int64, _ source: UInt32) -> UInt64 {
    let count = UInt32(clamping: count)
    let place = UInt64(place(of: source))
    switch order.counts {
    case .rising: return UInt64(count) << 32 | place
    case .falling: return UInt64(~count) << 32 | place
    case nil: return place
    }
  }

  /// Where a source stands among equal counts.
  private func place(of source: UInt32) -> UInt32 {
    switch order.sources {
    case .rising: source
    case .falling: ~source
    case nil: 0
    }
  }
}
