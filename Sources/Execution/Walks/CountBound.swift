import Columnar
import Synchronization

/// The last count that can still be among the greatest, or among the least.
final class CountBound: Sendable {
  let takesLeast: Bool
  private let wanted: Int
  private let current: Atomic<Int>
  private let known = Mutex<[Int64]>([])
  /// More are not kept track of.
  private static let wantedLimit = 65_536

  init?(_ wanted: Int, takesLeast: Bool = false) {
    if wanted > Self.wantedLimit { return nil }
    self.wanted = wanted
    self.takesLeast = takesLeast
    current = Atomic(takesLeast ? .max : 0)
  }

  /// A group with a count beyond this has no place among those wanted any more.
  var last: Int64 { Int64(current.load(ordering: .relaxed)) }

  /// Takes note of counts, of groups each of which is offered once.
  func offer(_ chunk: DataChunk, countAt place: Int) {
    let counts = chunk.columns[place].flattened().values(Int64.self)
    let (last, takesLeast) = (last, takesLeast)
    known.withLock { known in
      for row in 0..<chunk.count where takesLeast ? counts[row] < last : counts[row] > last {
        known.append(counts[row])
      }
      if known.count < 2 * wanted { return }
      if takesLeast { known.sort(by: <) } else { known.sort(by: >) }
      known.removeLast(known.count - wanted)
      current.store(Int(known[wanted - 1]), ordering: .relaxed)
    }
  }
}
