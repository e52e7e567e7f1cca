import Columnar
import Diagnostics

/// Vertices by cost, the cheapest first, for searches in which no cost is less than that of the last vertex taken.
///
/// A vertex waits in the bucket of the highest bit in which its cost differs from the last one taken; the bits of doubles that are not
/// negative rise as they do. When the first bucket is empty, the next one is shared out anew, each vertex to a lesser bucket:
/// nothing is compared on the way in, and little on the way out. A bucket is a list through the entries of all.
///
/// Source: R. K. Ahuja, K. Mehlhorn, J. B. Orlin and R. E. Tarjan, "Faster Algorithms for the Shortest Path Problem" (Journal of the ACM 37,
/// 1990), radix heaps.
///
/// - Invariant: nobody else has its entries, as copies would see each other's writes.
struct CostQueue: ~Copyable {
  private struct Entry: BitwiseCopyable {
    var cost: Double
    var vertex: UInt32
    /// The entry after it in its bucket, or of those that are free.
    var next: UInt32
  }

  private static var none: UInt32 { .max }

  private var entries = Buffer<Entry>(uninitialized: 64, pages: .small)
  private var used: UInt32 = 0
  private var free = Self.none
  /// The first entry of each bucket, and which of those behind the first have any.
  private let heads = Buffer<UInt32>(repeating: Self.none, count: 65)
  private var filled: UInt64 = 0
  /// The bits of the last cost taken.
  private var last: UInt64 = 0
  private var charged = 0

  var byteCount: Int { MemoryLayout<Entry>.stride * entries.count }

  /// Holds the memory that it has grown to since the last time.
  ///
  /// - Throws: 53200.
  mutating func charge(_ work: GraphWork) throws(SQLError) {
    let bytes = byteCount
    if bytes > charged {
      try work.account.charge(bytes - charged)
      charged = bytes
    }
  }

  /// Lets a search begin at a vertex.
  ///
  /// - Precondition: nothing has been taken since the queue was empty.
  mutating func begin(with vertex: UInt32) {
    last = 0
    push(vertex, 0)
  }

  /// - Complexity: O(1).
  @inline(__always)
  mutating func push(_ vertex: UInt32, _ cost: Double) {
    var place = free
    if place != Self.none {
      free = entries[place].next
    } else {
      place = used
      used &+= 1
      if Int(truncatingIfNeeded: place) == entries.count { grow() }
    }
    entries[place] = Entry(cost: cost, vertex: vertex, next: Self.none)
    put(place, cost.bitPattern, in: entries)
  }

  /// Puts an entry into its bucket.
  @inline(__always)
  private mutating func put(_ place: UInt32, _ bits: UInt64, in entries: Buffer<Entry>) {
    let bucket = 64 &- (bits ^ last).leadingZeroBitCount
    entries[place].next = heads[bucket]
    heads[bucket] = place
    if bucket > 0 { filled |= 1 &<< UInt64(truncatingIfNeeded: bucket &- 1) }
  }

  @inline(never)
  private mutating func grow() {
    let more = Buffer<Entry>(uninitialized: 2 * entries.count)
    more.copy(entries, count: entries.count, to: 0)
    entries = more
  }

  /// The cheapest vertex.
  ///
  /// - Complexity: O(1) and a share of putting each entry into at most 64 buckets, one lesser than the other.
  @inline(__always)
  mutating func pop() -> (vertex: UInt32, cost: Double)? {
    if heads[0] == Self.none {
      if filled == 0 { return nil }
      share()
    }
    let place = heads[0]
    let entry = entries[place]
    heads[0] = entry.next
    entries[place].next = free
    free = place
    return (entry.vertex, entry.cost)
  }

  /// Shares out the first bucket that has entries, of which the cheapest come to the very first.
  @inline(never)
  private mutating func share() {
    let entries = entries
    let bucket = filled.trailingZeroBitCount &+ 1
    filled &= filled &- 1
    let head = heads[bucket]
    heads[bucket] = Self.none
    var (least, place) = (UInt64.max, head)
    while place != Self.none {
      least = min(least, entries[place].cost.bitPattern)
      place = entries[place].next
    }
    last = least
    place = head
    while place != Self.none {
      let next = entries[place].next
      put(place, entries[place].cost.bitPattern, in: entries)
      place = next
    }
  }
}
