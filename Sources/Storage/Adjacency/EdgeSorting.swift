import Columnar
import Diagnostics

/// Sorts edges with rising targets by a moderate number of sources: each edge is written to its place at
/// once, as the cache holds the ends of all lists.
struct DirectScatter: Sendable {
  static let sourceLimit = 1 << 16

  private let edges: EdgeList
  /// Where each thread's share of the edges goes on in each list.
  private let cursors: Buffer<UInt32>
  private let width: Int
  private let shares: Int

  /// Counts the edges, and fills `starts`.
  init(_ edges: EdgeList, starts: Buffer<UInt32>) throws(SQLError) {
    self.edges = edges
    let width = starts.count
    // As few shares as there are threads: each writes to the ends of all lists.
    let shares = edges.count < 1 << 16 ? 1 : parallelWidth
    let cursors = Buffer<UInt32>(zeroed: shares * width)
    let count = edges.count
    let sources = edges.sources
    try parallelForThrowing(tasks: shares) { (share) throws(SQLError) in
      let counts = cursors.slice((share * width)..<((share + 1) * width))
      try ((count * share / shares)..<(count * (share + 1) / shares)).inSlices { slice in
        for place in slice {
          let source = sources[place]
          if source != .max { counts[source] &+= 1 }
        }
      }
    }
    var total: UInt32 = 0
    for source in 0..<width {
      starts[source] = total
      for share in 0..<shares {
        let size = cursors[share &* width &+ source]
        cursors[share &* width &+ source] = total
        total &+= size
      }
    }
    self.cursors = cursors
    self.width = width
    self.shares = shares
  }

  /// Writes the targets and rows of each source one behind another, in the order of the list.
  func run(_ targets: Buffer<UInt32>, _ rows: Buffer<UInt32>?) throws(SQLError) {
    let count = edges.count
    let sources = edges.sources
    try parallelForThrowing(tasks: shares) { (share) throws(SQLError) in
      let ends = cursors.slice((share * width)..<((share + 1) * width))
      try ((count * share / shares)..<(count * (share + 1) / shares)).inSlices { slice in
        for place in slice {
          let source = sources[place]
          if source == .max { continue }
          let end = ends[source]
          ends[source] = end &+ 1
          targets[end] = edges.targets?[place] ?? UInt32(truncatingIfNeeded: place)
          if let rows { rows[end] = edges.row(place) }
        }
      }
    }
  }
}

/// Edges scattered to ranges of sources, each of which is then sorted in cache.
///
/// 1. Split the sources into ranges of whole pages, so that a range's edges fit the cache.
/// 2. Count and scatter the edges by range, each thread its share of the rows.
/// 3. Per range, on all threads: counting sort by source (stable, so rows rise), sort each list by
///    target where it is not sorted yet.
struct EdgePartitions: Sendable {
  /// Source in the upper half, target in the lower.
  private let keys: Buffer<UInt64>
  /// The rows; none if the targets are the rows.
  private let rows: Buffer<UInt32>
  /// Where each part begins; one more than there are parts.
  private let starts: Buffer<Int>
  private let partCount: Int
  private let pageCount: Int
  /// A part holds 2^shift sources.
  private let shift: UInt32

  /// - Complexity: O(*n*), twice through memory.
  init(_ edges: EdgeList, _ survey: EdgeList.Survey, pageCount: Int) throws(SQLError) {
    let shares = edges.shareCount
    self.pageCount = pageCount
    let sourceCount = pageCount << AdjacencyPage.shift
    // About 8,000 edges to a part, but no more than 1,024 parts, which the cache can write to at once.
    let wanted = min(1024, max(1, survey.edgeCount >> 13))
    var width = UInt32(AdjacencyPage.shift)
    while (sourceCount + (1 << Int(width)) - 1) >> Int(width) > wanted { width += 1 }
    let shift = width
    self.shift = shift
    let parts = max(1, (sourceCount + (1 << Int(shift)) - 1) >> Int(shift))
    partCount = parts
    let histograms = Buffer<Int>(zeroed: shares * parts)
    try parallelForThrowing(tasks: shares) { (share) throws(SQLError) in
      let counts = histograms.slice((share * parts)..<((share + 1) * parts))
      try edges.share(share).inSlices { slice in
        for place in slice {
          let source = edges.sources[place]
          if source != .max { counts[source &>> shift] &+= 1 }
        }
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
    try Self.scatter(edges, to: keys, rows, from: histograms, parts: parts, shift)
    self.keys = keys
    self.rows = rows
  }

  /// Writes each edge to its part; `histograms` says where each share of the edges begins in each part.
  private static func scatter(
    _ edges: EdgeList, to keys: Buffer<UInt64>, _ rows: Buffer<UInt32>,
    from histograms: Buffer<Int>, parts: Int, _ shift: UInt32
  ) throws(SQLError) {
    try parallelForThrowing(tasks: edges.shareCount) { (share) throws(SQLError) in
      let cursors = histograms.slice((share * parts)..<((share + 1) * parts))
      try edges.share(share).inSlices { slice in
        for place in slice {
          let source = edges.sources[place]
          if source == .max { continue }
          let part = Int(truncatingIfNeeded: source &>> shift)
          let end = cursors[part]
          cursors[part] = end &+ 1
          let row = edges.row(place)
          if let targets = edges.targets {
            keys[end] = UInt64(source) &<< 32 | UInt64(targets[place])
            rows[end] = row
          } else {
            keys[end] = UInt64(source) &<< 32 | UInt64(row)
          }
        }
      }
    }
  }

  /// Writes all edges in order, and where the edges of each source start.
  func sort(
    _ places: Buffer<UInt32>, _ targets: Buffer<UInt32>, _ sortedRows: Buffer<UInt32>?
  ) throws(SQLError) {
    try parallelForThrowing(tasks: partCount) { (part) throws(SQLError) in
      let first = part << Int(shift)
      let end = min(pageCount << AdjacencyPage.shift, (part + 1) << Int(shift))
      let range = starts[part]..<starts[part + 1]
      // Where each source ends, then where it begins, as each edge steps back by one.
      let offsets = places.slice(first..<end)
      for edge in range { offsets[Int(truncatingIfNeeded: keys[edge] &>> 32) &- first] &+= 1 }
      var total = UInt32(truncatingIfNeeded: range.lowerBound)
      for source in 0..<offsets.count {
        total &+= offsets[source]
        offsets[source] = total
      }
      if let sortedRows {
        sortPairs(range, first, offsets, targets, sortedRows)
      } else {
        for edge in range.reversed() {
          let source = Int(truncatingIfNeeded: keys[edge] &>> 32) &- first
          offsets[source] &-= 1
          targets[offsets[source]] = UInt32(truncatingIfNeeded: keys[edge])
        }
      }
    }
    places[pageCount << AdjacencyPage.shift] = UInt32(truncatingIfNeeded: starts[partCount])
  }

  private func sortPairs(
    _ range: Range<Int>, _ first: Int, _ offsets: Buffer<UInt32>, _ targets: Buffer<UInt32>,
    _ sortedRows: Buffer<UInt32>
  ) {
    let base = UInt32(truncatingIfNeeded: range.lowerBound)
    let sorted = Buffer<UInt64>(uninitialized: range.count)
    for edge in range.reversed() {
      let key = keys[edge]
      let source = Int(truncatingIfNeeded: key &>> 32) &- first
      offsets[source] &-= 1
      sorted[offsets[source] &- base] = key &<< 32 | UInt64(rows[edge])
    }
    var scratch = Buffer<UInt64>(uninitialized: 0)
    for source in 0..<offsets.count {
      let start = Int(offsets[source] &- base)
      let end = source + 1 < offsets.count ? Int(offsets[source + 1] &- base) : range.count
      if end - start > 1 { EdgeSorting.sort(sorted, start..<end, &scratch) }
    }
    for index in 0..<range.count {
      targets[range.lowerBound &+ index] = UInt32(truncatingIfNeeded: sorted[index] &>> 32)
      sortedRows[range.lowerBound &+ index] = UInt32(truncatingIfNeeded: sorted[index])
    }
  }
}

/// Sorting of packed edges by target and row, the halves of each.
enum EdgeSorting {
  static func sort(_ edges: Buffer<UInt64>, _ range: Range<Int>, _ scratch: inout Buffer<UInt64>) {
    var falls: UInt64 = 0
    var differing: UInt64 = 0
    for index in (range.lowerBound + 1)..<range.upperBound {
      differing |= edges[index] ^ edges[index &- 1]
      falls |= UInt64(truncatingIfNeeded: bit(edges[index] < edges[index &- 1]))
    }
    if falls == 0 { return }
    if scratch.count < range.count { scratch = Buffer(uninitialized: max(64, range.count * 2)) }
    if range.count <= 16 {
      rankSort(edges, range, scratch)
    } else if range.count <= 48 {
      insertionSort(edges, range)
    } else {
      radixSort(edges.slice(range), scratch, differing)
    }
  }

  /// Each edge goes behind those that are less, of which there are few: no branch is mispredicted.
  ///
  /// - Precondition: no two edges are the same.
  private static func rankSort(
    _ edges: Buffer<UInt64>, _ range: Range<Int>, _ scratch: Buffer<UInt64>
  ) {
    for index in range {
      let edge = edges[index]
      var rank = 0
      for other in range { rank &+= bit(edges[other] < edge) }
      scratch[rank] = edge
    }
    edges.copy(scratch, count: range.count, to: range.lowerBound)
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
