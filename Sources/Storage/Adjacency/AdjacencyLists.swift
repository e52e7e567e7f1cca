import Columnar

/// The lists of one index, read without counting references; an object, as the index itself has many of them.
class AdjacencyLists {
  final let index: AdjacencyIndex
  final let reader: ListReader
  private final let hasEdgeRows: Bool
  /// Whether the lists are not all in a cache.
  private final let isLarge: Bool
  /// Keeps reads that bring lists into the cache from being left out.
  private final var warmth: UInt32 = 0

  /// So many lists are brought into the cache together.
  static var warmedCount: Int { 64 }

  init(_ index: AdjacencyIndex) {
    self.index = index
    reader = index.listReader
    hasEdgeRows = index.hasEdgeRows
    isLarge = index.edgeCount >= 1 << 16
  }

  @inline(__always)
  final func degree(of source: UInt32) -> Int { Int(truncatingIfNeeded: reader.degree(of: source)) }

  /// Whether there is an edge from `source` to `target`.
  ///
  /// - Complexity: O(log *n*) in the degree of the source.
  final func contains(_ source: UInt32, _ target: UInt32) -> Bool {
    guard let list = reader.list(of: source) else {
      return reader.longList(of: source).row(of: target, hasRows: hasEdgeRows) != TableStore.noRow
    }
    let place = list.targets.lowerBound(of: target, in: 0..<list.count)
    return place < list.count && list.targets[place] == target
  }

  @inline(__always)
  final func forEach(of source: UInt32, _ body: (UInt32) -> Void) {
    forEachStretch(of: source) { targets, count in
      for place in 0..<count { body(targets[place]) }
    }
  }

  /// Hands over the targets of a source, those that stand together at a time.
  @inline(__always)
  final func forEachStretch(
    of source: UInt32, _ body: (_ targets: PagePointer<UInt32>, _ count: Int) -> Void
  ) {
    if let list = reader.list(of: source) { return body(list.targets, list.count) }
    let long = reader.longList(of: source)
    for number in 0..<long.runCount {
      let run = long.header[0].runs[number]
      body(run.targets, Int(truncatingIfNeeded: run.count))
    }
  }

  /// About how many targets of a source are from `lower` on and below `upper`, as far as lengths tell.
  @inline(__always)
  final func likelyCount(of source: UInt32, from lower: UInt32, below upper: UInt32) -> Int {
    if let list = reader.list(of: source) {
      return lower == 0 && upper == .max ? list.count : list.count / 4
    }
    let long = reader.longList(of: source)
    return long.runs(lower, upper).count &* long.count / max(1, long.runCount)
  }

  /// The targets of a source from `lower` on and below `upper`.
  @inline(__always)
  final func stretches(of source: UInt32, from lower: UInt32, below upper: UInt32)
    -> TargetStretches
  {
    if let list = reader.list(of: source) {
      return TargetStretches(
        lower: lower, upper: upper, targets: list.targets, count: list.count,
        long: LongTable(header: .none), next: 0, end: 0)
    }
    let long = reader.longList(of: source)
    let runs = long.runs(lower, upper)
    return TargetStretches(
      lower: lower, upper: upper, targets: .none, count: 0, long: long, next: runs.lowerBound,
      end: runs.upperBound)
  }

  /// Reads where the lists of some sources start, and their first and last targets.
  ///
  /// Whoever looks at the lists one after the other waits for memory at each of them; here the waits overlap.
  final func warm(_ sources: PagePointer<UInt32>, _ count: Int) {
    if isLarge { warmth &+= reader.touch(sources, count) }
  }

  /// Reads the same of some sources from `start` on, of so many in all.
  final func warm(_ sources: Buffer<UInt32>, from start: Int, of count: Int) {
    if isLarge {
      warm(PagePointer(sources).advanced(by: start), min(Self.warmedCount, count &- start))
    }
  }
}

extension ListReader {
  /// Reads the ends of some lists, and where those that stand apart begin; what comes back means nothing.
  fileprivate func touch(_ sources: PagePointer<UInt32>, _ count: Int) -> UInt32 {
    var read: UInt32 = 0
    for index in 0..<count {
      let source = sources[index]
      guard let slot = slot(Int(truncatingIfNeeded: source) &>> AdjacencyPage.shift) else {
        continue
      }
      let list = AdjacencyIndex.list(source)
      if slot.isLong(list) {
        let long = slot.long(list)
        if long.runCount > 0 { read &+= long.header[0].lasts[0] }
        continue
      }
      let start = Int(truncatingIfNeeded: slot.offsets[list])
      let end = Int(truncatingIfNeeded: slot.offsets[list &+ 1])
      if start < end { read &+= slot.targets[start] &+ slot.targets[end &- 1] }
    }
    return read
  }
}

extension PagePointer<UInt32> {
  /// Where, in a list that rises, the numbers from `lower` on and below `upper` stand.
  @inline(__always)
  func places(_ count: Int, _ lower: UInt32, _ upper: UInt32) -> Range<Int> {
    if count == 0 { return 0..<0 }
    let first = lower == 0 || self[0] >= lower ? 0 : lowerBound(of: lower, in: 0..<count)
    if upper == .max { return first..<count }
    let end = self[count &- 1] < upper ? count : lowerBound(of: upper, in: first..<count)
    return first..<end
  }

  /// How many numbers of some places are in another list; in both each is greater than the one before.
  ///
  /// Four of the one are compared with four of the other at once, and the four that end first are left behind: no branch depends
  /// on a number.
  ///
  /// Source: D. Lemire, L. Boytsov and N. Kurz, "SIMD Compression and the Intersection of Sorted Integers" (Software:
  /// Practice and Experience 46, 2016).
  @inline(__always)
  func commonCount(_ places: Range<Int>, with other: PagePointer<UInt32>, _ count: Int) -> Int {
    let end = places.upperBound
    var (left, right) = (places.lowerBound, 0)
    var found = SIMD4<UInt32>.zero
    let one = SIMD4<UInt32>(repeating: 1)
    while left &+ 4 <= end && right &+ 4 <= count {
      let (own, its) = (four(at: left), other.four(at: right))
      let (a, b, c, d) = (
        its, its.turned(1, 2, 3, 0), its.turned(2, 3, 0, 1), its.turned(3, 0, 1, 2)
      )
      let isFound = (own .== a) .| (own .== b) .| (own .== c) .| (own .== d)
      found &+= SIMD4.zero.replacing(with: one, where: isFound)
      left &+= 4 &* bit(own[3] <= its[3])
      right &+= 4 &* bit(its[3] <= own[3])
    }
    var result = Int(truncatingIfNeeded: found.wrappedSum())
    while left < end && right < count {
      let (own, its) = (self[left], other[right])
      result &+= bit(own == its)
      left &+= bit(own <= its)
      right &+= bit(its <= own)
    }
    return result
  }

  @inline(__always)
  private func four(at place: Int) -> SIMD4<UInt32> {
    SIMD4(self[place], self[place &+ 1], self[place &+ 2], self[place &+ 3])
  }
}

extension SIMD4<UInt32> {
  /// The elements in another order.
  @inline(__always)
  fileprivate func turned(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> SIMD4 {
    SIMD4(self[a], self[b], self[c], self[d])
  }
}

/// The targets of a list within bounds, those that stand together at a time; plain bytes, gone through without a closure.
struct TargetStretches: BitwiseCopyable {
  /// Targets, which of them are within bounds, and if that is all of them, perhaps their bits.
  struct Stretch {
    let targets: PagePointer<UInt32>
    let places: Range<Int>
    let bits: RunBits
  }

  fileprivate let lower: UInt32
  fileprivate let upper: UInt32
  /// A list that does not stand apart, until it is handed over.
  fileprivate let targets: PagePointer<UInt32>
  fileprivate var count: Int
  /// The runs that are left of one that does.
  fileprivate let long: LongTable
  fileprivate var next: Int
  fileprivate let end: Int

  fileprivate init(
    lower: UInt32, upper: UInt32, targets: PagePointer<UInt32>, count: Int, long: LongTable,
    next: Int, end: Int
  ) {
    (self.lower, self.upper) = (lower, upper)
    (self.targets, self.count) = (targets, count)
    (self.long, self.next, self.end) = (long, next, end)
  }

  /// Targets that stand together, all of them wanted.
  init(all targets: PagePointer<UInt32>, count: Int) {
    self.init(
      lower: 0, upper: .max, targets: targets, count: count, long: LongTable(header: .none),
      next: 0, end: 0)
  }

  @inline(__always)
  mutating func pop() -> Stretch? {
    if count > 0 {
      let places = targets.places(count, lower, upper)
      count = 0
      return Stretch(targets: targets, places: places, bits: RunBits())
    }
    if next == end { return nil }
    let run = long.header[0].runs[next]
    next &+= 1
    let length = Int(truncatingIfNeeded: run.count)
    let places = run.targets.places(length, lower, upper)
    return Stretch(
      targets: run.targets, places: places, bits: places.count == length ? run.bits : RunBits())
  }
}
