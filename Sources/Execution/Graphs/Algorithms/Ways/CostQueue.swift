import Columnar
import Diagnostics

/// Vertices by cost, the cheapest first, for searches in which no cost is less than that of the last vertex taken.
///
/// A vertex waits in the bucket of the highest bit in which its cost differs from the last one taken; the bits of doubles that are not
/// negative rise as they do. When the first bucket is empty, the next one is shared out anew, each vertex to a lesser bucket:
/// nothing is compared on the way in, and little on the way out. Entries stand in blocks, and each bucket is a list of blocks, so that
/// sharing one out goes through memory in order.
///
/// Source: R. K. Ahuja, K. Mehlhorn, J. B. Orlin and R. E. Tarjan, "Faster Algorithms for the Shortest Path Problem" (Journal of the ACM 37,
/// 1990), radix heaps.
///
/// - Invariant: nobody else has its entries, as copies would see each other's writes.
struct CostQueue: ~Copyable {
  private struct Entry: BitwiseCopyable {
    var cost: Double
    var vertex: UInt32
  }

  private static var none: UInt32 { .max }
  private static var blockSize: UInt32 { 32 }

  private var entries = Buffer<Entry>(uninitialized: 8 * Int(blockSize), pages: .small)
  /// The block before each in its bucket, or the next one that is free.
  private var before = Buffer<UInt32>(uninitialized: 8, pages: .small)
  private var used: UInt32 = 0
  private var free = Self.none
  /// The place behind the last entry of each bucket, 0 for none; all blocks of a bucket but its last are full.
  private let ends = Buffer<UInt32>(repeating: 0, count: 65)
  /// Which buckets behind the first have entries.
  private var filled: UInt64 = 0
  /// The bits of the last cost taken.
  private var last: UInt64 = 0
  private var charged = 0

  var byteCount: Int { MemoryLayout<Entry>.stride * entries.count + 4 * before.count }

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
    let bucket = 64 &- (cost.bitPattern ^ last).leadingZeroBitCount
    var place = ends[bucket]
    if place & (Self.blockSize &- 1) == 0 { place = takeBlock(behind: place) }
    entries[place] = Entry(cost: cost, vertex: vertex)
    ends[bucket] = place &+ 1
    if bucket > 0 { filled |= 1 &<< UInt64(truncatingIfNeeded: bucket &- 1) }
  }

  /// The first place of a block for a bucket that is empty or whose blocks are full.
  @inline(never)
  private mutating func takeBlock(behind end: UInt32) -> UInt32 {
    var block = free
    if block != Self.none {
      free = before[block]
    } else {
      block = used
      used &+= 1
      if Int(truncatingIfNeeded: block) == before.count { grow() }
    }
    before[block] = end == 0 ? Self.none : (end &- 1) / Self.blockSize
    return block &* Self.blockSize
  }

  private mutating func grow() {
    let more = Buffer<Entry>(uninitialized: 2 * entries.count)
    more.copy(entries, count: entries.count, to: 0)
    entries = more
    let blocks = Buffer<UInt32>(uninitialized: 2 * before.count)
    blocks.copy(before, count: before.count, to: 0)
    before = blocks
  }

  /// Gives a block back, and says where the one before it ends.
  @inline(__always)
  private mutating func giveBack(_ block: UInt32) -> UInt32 {
    let other = before[block]
    before[block] = free
    free = block
    return other == Self.none ? 0 : (other &+ 1) &* Self.blockSize
  }

  /// The cheapest vertex.
  ///
  /// - Complexity: O(1) and a share of putting each entry into at most 64 buckets, one lesser than the other.
  @inline(__always)
  mutating func pop() -> (vertex: UInt32, cost: Double)? { pop { _, _ in } }

  /// The same; those that come soon after are handed over before, so that what is kept of them is on its way from memory in time.
  @inline(__always)
  mutating func pop(
    foreseeing foresee: (_ vertex: UInt32, _ cost: Double) -> Void
  ) -> (vertex: UInt32, cost: Double)? {
    if ends[0] == 0 {
      if filled == 0 { return nil }
      share(foreseeing: foresee)
    }
    let place = ends[0] &- 1
    let entry = entries[place]
    if place & (Self.blockSize &- 1) == Self.blockSize &- 1 {
      for place in place &+ 1 &- Self.blockSize..<place {
        foresee(entries[place].vertex, entries[place].cost)
      }
    }
    let isBlockEmpty = place & (Self.blockSize &- 1) == 0
    let end = isBlockEmpty ? giveBack(place / Self.blockSize) : place
    ends[0] = end
    return (entry.vertex, entry.cost)
  }

  /// Shares out the first bucket that has entries, of which the cheapest come to the very first.
  ///
  /// If it has one block, only what is added meanwhile comes before the last of them.
  @inline(__always)
  private mutating func share(foreseeing foresee: (_ vertex: UInt32, _ cost: Double) -> Void) {
    let bucket = filled.trailingZeroBitCount &+ 1
    filled &= filled &- 1
    var end = ends[bucket]
    ends[bucket] = 0
    let isShort = before[(end &- 1) / Self.blockSize] == Self.none
    var (least, rest) = (UInt64.max, end)
    while rest > 0 {
      let block = (rest &- 1) / Self.blockSize
      for place in block &* Self.blockSize..<rest {
        least = min(least, entries[place].cost.bitPattern)
      }
      rest = before[block] == Self.none ? 0 : (before[block] &+ 1) &* Self.blockSize
    }
    last = least
    while end > 0 {
      let block = (end &- 1) / Self.blockSize
      for place in block &* Self.blockSize..<end {
        let entry = entries[place]
        if isShort { foresee(entry.vertex, entry.cost) }
        push(entry.vertex, entry.cost)
      }
      end = giveBack(block)
    }
  }
}
