import Columnar
import Synchronization

extension AdjacencyIndex {
  /// The edges of a table in bulk: for each row its source and its target.
  struct EdgeList: Sendable {
    /// `TableStore.noRow` for rows that are no edge.
    let sources: Buffer<UInt32>
    /// nil if the target of each edge is its row.
    let targets: Buffer<UInt32>?
    /// The number of rows.
    let count: Int
  }

  /// An index over all edges, built by partitioning the sources and sorting each part in cache.
  ///
  /// 1. Split the sources into ranges of whole pages, so that a range's edges fit the cache.
  /// 2. Count and scatter the edges by range, each thread its share of the rows.
  /// 3. Per range, on all threads: counting sort by source (stable, so rows rise), sort each list by
  ///    target where it is not sorted yet, cut into pages.
  ///
  /// - Complexity: O(*n*), twice through memory.
  /// - Returns: if `isUnique`, two rows with the same source and target, if there are such.
  mutating func build(
    _ edges: EdgeList, isUnique: Bool, epoch: Epoch
  ) -> (row: UInt32, existing: UInt32)? {
    pages = PageTree()
    edgeCount = 0
    let parts = EdgePartitions(edges)
    guard parts.edgeCount > 0 else { return nil }
    let hasRows = hasEdgeRows
    let built = PageSlots(count: parts.pageCount)
    let conflicts = Buffer<UInt64>(repeating: .max, count: parts.partCount)
    parallelFor(tasks: parts.partCount) { part in
      var builder = PartBuilder(
        parts: parts, part: part, hasRows: hasRows, isUnique: isUnique, epoch: epoch)
      built.set(builder.build(), at: parts.firstPage(part))
      conflicts[part] = builder.conflict
    }
    for page in built.pages() { pages.append(page, epoch: epoch) }
    edgeCount = parts.edgeCount
    var first = UInt64.max
    for part in 0..<parts.partCount { first = min(first, conflicts[part]) }
    if first == .max { return nil }
    return (UInt32(truncatingIfNeeded: first &>> 32), UInt32(truncatingIfNeeded: first))
  }
}

/// Edges scattered to ranges of sources.
private struct EdgePartitions: Sendable {
  /// Source in the upper half, target in the lower.
  let keys: Buffer<UInt64>
  /// The rows; none if the targets are the rows.
  let rows: Buffer<UInt32>
  /// Where each part begins; one more than there are parts.
  let starts: Buffer<Int>
  let partCount: Int
  let pageCount: Int
  let edgeCount: Int
  /// A part holds 2^shift sources.
  let shift: UInt32

  func firstPage(_ part: Int) -> Int { (part << Int(shift)) >> AdjacencyPage.shift }

  init(_ edges: AdjacencyIndex.EdgeList) {
    let count = edges.count
    let shares = count < 1 << 16 ? 1 : parallelWidth * 4
    let greatest = Buffer<UInt32>(zeroed: shares)
    let found = Buffer<Int>(zeroed: shares)
    @Sendable func range(_ share: Int) -> Range<Int> {
      (count * share / shares)..<(count * (share + 1) / shares)
    }
    parallelFor(tasks: shares) { share in
      var high: UInt32 = 0
      var present = 0
      for row in range(share) {
        let source = edges.sources[row]
        if source != .max {
          high = max(high, source)
          present &+= 1
        }
      }
      greatest[share] = high
      found[share] = present
    }
    edgeCount = found.array(shares).reduce(0, +)
    let sourceCount = edgeCount == 0 ? 0 : Int(greatest.array(shares).max() ?? 0) + 1
    pageCount = (sourceCount + AdjacencyPage.sourceCount - 1) >> AdjacencyPage.shift
    // About 32,000 edges to a part, but no more than 1,024 parts, which the cache can write to at once.
    let wanted = min(1024, max(1, edgeCount >> 15))
    var width = UInt32(AdjacencyPage.shift)
    while (sourceCount + (1 << Int(width)) - 1) >> Int(width) > wanted { width += 1 }
    let shift = width
    self.shift = shift
    let parts = max(1, (sourceCount + (1 << Int(shift)) - 1) >> Int(shift))
    partCount = parts
    let histograms = Buffer<Int>(zeroed: shares * parts)
    parallelFor(tasks: shares) { share in
      let counts = histograms.slice((share * parts)..<((share + 1) * parts))
      for row in range(share) {
        let source = edges.sources[row]
        if source != .max { counts[source &>> shift] &+= 1 }
      }
    }
    starts = Buffer(zeroed: parts + 1)
    var total = 0
    for part in 0..<parts {
      starts[part] = total
      for share in 0..<shares {
        let size = histograms[share * parts + part]
        histograms[share * parts + part] = total
        total += size
      }
    }
    starts[parts] = total
    let keys = Buffer<UInt64>(uninitialized: total)
    let rows = Buffer<UInt32>(uninitialized: edges.targets == nil ? 0 : total)
    Self.scatter(edges, to: keys, rows, from: histograms, shares: shares, parts: parts, shift)
    self.keys = keys
    self.rows = rows
  }

  /// Writes each edge to its part; `histograms` says where each share of the edges begins in each part.
  private static func scatter(
    _ edges: AdjacencyIndex.EdgeList, to keys: Buffer<UInt64>, _ rows: Buffer<UInt32>,
    from histograms: Buffer<Int>, shares: Int, parts: Int, _ shift: UInt32
  ) {
    let count = edges.count
    parallelFor(tasks: shares) { share in
      let cursors = histograms.slice((share * parts)..<((share + 1) * parts))
      for row in (count * share / shares)..<(count * (share + 1) / shares) {
        let source = edges.sources[row]
        if source == .max { continue }
        let part = Int(truncatingIfNeeded: source &>> shift)
        let place = cursors[part]
        cursors[part] = place &+ 1
        let number = UInt32(truncatingIfNeeded: row)
        if let targets = edges.targets {
          keys[place] = UInt64(source) &<< 32 | UInt64(targets[row])
          rows[place] = number
        } else {
          keys[place] = UInt64(source) &<< 32 | UInt64(number)
        }
      }
    }
  }
}

/// Sorts one part and cuts it into pages.
private struct PartBuilder {
  let parts: EdgePartitions
  let part: Int
  let hasRows: Bool
  let isUnique: Bool
  let epoch: Epoch
  /// The greater row of a pair of equal edges in the upper half, the other in the lower.
  var conflict = UInt64.max

  mutating func build() -> [AdjacencyPage] {
    let start = parts.starts[part]
    let count = parts.starts[part + 1] - start
    let firstSource = part << Int(parts.shift)
    let firstPage = parts.firstPage(part)
    let pages = min(parts.pageCount - firstPage, (1 << Int(parts.shift)) >> AdjacencyPage.shift)
    let sources = pages << AdjacencyPage.shift
    let offsets = Buffer<UInt32>(zeroed: sources + 1)
    for index in start..<(start + count) {
      offsets[Int(truncatingIfNeeded: parts.keys[index] &>> 32) &- firstSource &+ 1] &+= 1
    }
    for source in 0..<sources { offsets[source + 1] &+= offsets[source] }
    let cursors = Buffer<UInt32>(uninitialized: sources)
    cursors.copy(offsets, count: sources, to: 0)
    let targets = Buffer<UInt32>(uninitialized: count)
    let rows = hasRows ? Buffer<UInt32>(uninitialized: count) : nil
    if let rows {
      let sorted = Buffer<UInt64>(uninitialized: count)
      for index in start..<(start + count) {
        let key = parts.keys[index]
        let source = Int(truncatingIfNeeded: key &>> 32) &- firstSource
        let place = cursors[source]
        cursors[source] = place &+ 1
        sorted[place] = key &<< 32 | UInt64(parts.rows[index])
      }
      sortLists(sorted, offsets, sources)
      for index in 0..<count {
        targets[index] = UInt32(truncatingIfNeeded: sorted[index] &>> 32)
        rows[index] = UInt32(truncatingIfNeeded: sorted[index])
      }
    } else {
      for index in start..<(start + count) {
        let key = parts.keys[index]
        let source = Int(truncatingIfNeeded: key &>> 32) &- firstSource
        let place = cursors[source]
        cursors[source] = place &+ 1
        targets[place] = UInt32(truncatingIfNeeded: key)
      }
    }
    return (0..<pages).map { cut($0, offsets, targets, rows) }
  }

  private mutating func sortLists(
    _ sorted: Buffer<UInt64>, _ offsets: Buffer<UInt32>, _ sources: Int
  ) {
    var scratch = Buffer<UInt64>(uninitialized: 0)
    for source in 0..<sources {
      let range = Int(offsets[source])..<Int(offsets[source + 1])
      if range.count < 2 { continue }
      EdgeSorting.sort(sorted, range, &scratch)
      guard isUnique else { continue }
      for index in (range.lowerBound + 1)..<range.upperBound
      where sorted[index] &>> 32 == sorted[index &- 1] &>> 32 {
        conflict = min(conflict, sorted[index] &<< 32 | sorted[index &- 1] & 0xFFFF_FFFF)
      }
    }
  }

  private func cut(
    _ index: Int, _ offsets: Buffer<UInt32>, _ targets: Buffer<UInt32>, _ rows: Buffer<UInt32>?
  ) -> AdjacencyPage {
    let first = index << AdjacencyPage.shift
    let start = offsets[first]
    let own = Buffer<UInt32>(uninitialized: AdjacencyPage.sourceCount + 1)
    var longest: UInt32 = 0
    for list in 0...AdjacencyPage.sourceCount {
      own[list] = offsets[first + list] &- start
      if list > 0 { longest = max(longest, own[list] &- own[list - 1]) }
    }
    let total = own[AdjacencyPage.sourceCount]
    let range = Int(start)..<Int(start + total)
    let page = AdjacencyPage(
      owner: epoch, offsets: own, targets: targets.slice(range), rows: rows?.slice(range))
    if total > UInt32(AdjacencyPage.edgeLimit) {
      page.moveApart { own[$0 + 1] - own[$0] > UInt32(AdjacencyPage.shortLimit) }
    } else if longest > UInt32(AdjacencyPage.listLimit) {
      page.moveApart { own[$0 + 1] - own[$0] > UInt32(AdjacencyPage.listLimit) }
    }
    return page
  }
}

/// Sorting of packed edges by the target in their upper half; rows rise already.
private enum EdgeSorting {
  static func sort(_ edges: Buffer<UInt64>, _ range: Range<Int>, _ scratch: inout Buffer<UInt64>) {
    var sorted = true
    var differing: UInt64 = 0
    for index in (range.lowerBound + 1)..<range.upperBound {
      differing |= edges[index] ^ edges[index &- 1]
      if edges[index] < edges[index &- 1] { sorted = false }
    }
    if sorted { return }
    if range.count <= 48 {
      insertionSort(edges, range)
      return
    }
    if scratch.count < range.count { scratch = Buffer(uninitialized: range.count * 2) }
    radixSort(edges.slice(range), scratch, differing)
  }

  private static func insertionSort(_ edges: Buffer<UInt64>, _ range: Range<Int>) {
    for index in (range.lowerBound + 1)..<range.upperBound {
      let edge = edges[index]
      var place = index
      while place > range.lowerBound && edges[place &- 1] > edge {
        edges[place] = edges[place &- 1]
        place &-= 1
      }
      edges[place] = edge
    }
  }

  /// Stable, by those bytes of the target in which edges differ.
  private static func radixSort(
    _ edges: Buffer<UInt64>, _ scratch: Buffer<UInt64>, _ differing: UInt64
  ) {
    let counts = Buffer<Int>(uninitialized: 256)
    var from = edges
    var to = scratch
    for byte in 4..<8 {
      let shift = UInt64(byte * 8)
      if differing &>> shift & 0xFF == 0 { continue }
      counts.fill(0..<256, with: 0)
      for index in 0..<edges.count {
        counts[Int(truncatingIfNeeded: from[index] &>> shift & 0xFF)] &+= 1
      }
      var total = 0
      for digit in 0..<256 {
        let size = counts[digit]
        counts[digit] = total
        total &+= size
      }
      for index in 0..<edges.count {
        let digit = Int(truncatingIfNeeded: from[index] &>> shift & 0xFF)
        to[counts[digit]] = from[index]
        counts[digit] &+= 1
      }
      swap(&from, &to)
    }
    if from.block !== edges.block { edges.copy(from, count: edges.count, to: 0) }
  }
}

/// Pages that several threads make, each its own stretch.
private final class PageSlots: Sendable {
  private let slots: Mutex<[[AdjacencyPage]?]>

  init(count: Int) { slots = Mutex(Array(repeating: nil, count: count)) }

  func set(_ pages: [AdjacencyPage], at first: Int) { slots.withLock { $0[first] = pages } }

  /// All pages in order.
  func pages() -> [AdjacencyPage] { slots.withLock { $0.flatMap { $0 ?? [] } } }
}
