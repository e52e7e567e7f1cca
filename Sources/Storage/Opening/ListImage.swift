package import Columnar

/// The lists of a group of sources as they are to be written, read where they stand.
package struct ListImage: Sendable {
  /// What keeps the edges in place.
  private let index: AdjacencyIndex
  /// The length of each list.
  package let degrees: Buffer<UInt32>
  /// All edges in their order.
  fileprivate let stretches: [EdgeStretch]
  package let edgeCount: Int

  /// Whether edges have rows beside their targets.
  package var hasRows: Bool { index.hasEdgeRows }

  fileprivate init(_ index: AdjacencyIndex, pages: Range<Int>) {
    self.index = index
    let width = AdjacencyPage.sourceCount
    degrees = Buffer(uninitialized: pages.count * width)
    var found = FoundStretches()
    for page in pages {
      let slot = index.pages.slot(page)
      let first = (page - pages.lowerBound) * width
      if slot.longs == 0 {
        let offsets = slot.offsets
        for list in 0..<width {
          degrees[first &+ list] = offsets[list &+ 1] &- offsets[list]
        }
        found.add(slot.targets, slot.rows, offsets[width])
        continue
      }
      for list in 0..<width {
        degrees[first + list] = UInt32(truncatingIfNeeded: slot.degree(list))
        found.add(list, of: slot)
      }
    }
    stretches = found.stretches
    edgeCount = Int(found.edgeCount)
  }

  /// The targets of all edges from one on.
  package func targets(from edge: Int = 0) -> EdgeCursor {
    EdgeCursor(self, from: edge, readsRows: false)
  }

  /// The rows of all edges from one on.
  package func rows(from edge: Int = 0) -> EdgeCursor {
    EdgeCursor(self, from: edge, readsRows: true)
  }
}

/// Edges that stand one behind another in memory.
private struct EdgeStretch: BitwiseCopyable {
  let targets: PagePointer<UInt32>
  let rows: PagePointer<UInt32>
  /// The place of the first among all edges.
  let start: UInt32
  var count: UInt32
}

/// The stretches of edges as they are found, list by list: with lists and runs that stand beside each other in one.
private struct FoundStretches {
  private(set) var stretches: [EdgeStretch] = []
  private(set) var edgeCount: UInt32 = 0

  mutating func add(_ list: Int, of slot: AdjacencySlot) {
    if slot.isLong(list) {
      let header = slot.long(list).header[0]
      for index in 0..<Int(header.runCount) {
        let run = header.runs[index]
        add(run.targets, run.rows, run.count)
      }
    } else {
      let start = Int(truncatingIfNeeded: slot.offsets[list])
      add(
        slot.targets.advanced(by: start), slot.rows.advanced(by: start),
        slot.offsets[list + 1] - slot.offsets[list])
    }
  }

  mutating func add(_ targets: PagePointer<UInt32>, _ rows: PagePointer<UInt32>, _ count: UInt32) {
    if count == 0 { return }
    let start = edgeCount
    edgeCount += count
    if let last = stretches.last, last.targets.advanced(by: Int(last.count)) == targets,
      last.rows.advanced(by: Int(last.count)) == rows
    {
      stretches[stretches.count - 1].count += count
    } else {
      stretches.append(EdgeStretch(targets: targets, rows: rows, start: start, count: count))
    }
  }
}

/// Goes through the edges of consecutive sources in their order.
package struct EdgeCursor: ~Copyable {
  /// What keeps the edges in place.
  private let lists: ListImage
  private let readsRows: Bool
  /// The stretch to go on with.
  private var next = 0
  /// The stretch that is being read, and how much of it is left.
  private var numbers = PagePointer<UInt32>.none
  private var left = 0

  fileprivate init(_ lists: ListImage, from edge: Int, readsRows: Bool) {
    precondition(edge >= 0 && edge <= lists.edgeCount, "a cursor begins at an edge")
    self.lists = lists
    self.readsRows = readsRows
    if edge == lists.edgeCount { return }
    // The last stretch that begins at the edge or before it is the one that has it.
    var end = lists.stretches.count
    while end - next > 1 {
      let middle = (next + end) / 2
      if lists.stretches[middle].start <= UInt32(edge) { next = middle } else { end = middle }
    }
    advance()
    let skipped = edge - Int(lists.stretches[next - 1].start)
    numbers = numbers.advanced(by: skipped)
    left -= skipped
  }

  /// Copies the numbers of the next edges to `place` on.
  ///
  /// - Precondition: there are so many more, and the buffer has room for them.
  package mutating func read(_ count: Int, to buffer: Buffer<UInt32>, at place: Int) {
    precondition(count >= 0 && place >= 0 && place + count <= buffer.count, "edges must fit")
    var place = place
    let end = place + count
    while place < end {
      if left == 0 { advance() }
      let taken = min(left, end &- place)
      numbers.copy(count: taken, to: buffer, at: place)
      numbers = numbers.advanced(by: taken)
      left &-= taken
      place &+= taken
    }
  }

  /// The numbers of the next edges: where they stand if that is one behind another, else copied to a buffer.
  ///
  /// They may be read as long as the cursor and the buffer are there.
  ///
  /// - Precondition: as of `read`.
  package mutating func next(_ count: Int, _ buffer: Buffer<UInt32>) -> PagePointer<UInt32> {
    if left < count {
      read(count, to: buffer, at: 0)
      return PagePointer(buffer)
    }
    defer {
      numbers = numbers.advanced(by: count)
      left &-= count
    }
    return numbers
  }

  /// Goes on to the next stretch.
  private mutating func advance() {
    precondition(next < lists.stretches.count, "a cursor stays below the last edge")
    let stretch = lists.stretches[next]
    numbers = readsRows ? stretch.rows : stretch.targets
    left = Int(truncatingIfNeeded: stretch.count)
    next += 1
  }
}

extension AdjacencyIndex {
  /// What is written of the lists of a group of the first `pageCount` pages.
  ///
  /// - Complexity: O(sources); the edges are read where they stand.
  package func image(ofGroup group: Int, pageCount: Int) -> ListImage {
    let first = group * 64
    return ListImage(self, pages: first..<max(first, min(pageCount, first + 64)))
  }
}
