package import Columnar

/// The lists of a group of sources as they are to be written, read where they stand.
package struct ListImage: Sendable {
  /// What keeps the edges in place.
  private let index: AdjacencyIndex
  /// The length of each list.
  package let degrees: Buffer<UInt32>
  /// The targets of all edges in their order.
  fileprivate let targetStretches: FoundStretches
  /// The rows of all edges in their order.
  fileprivate let rowStretches: FoundStretches
  package let edgeCount: Int

  /// Whether edges have rows beside their targets.
  package var hasRows: Bool { index.hasEdgeRows }

  fileprivate init(_ index: AdjacencyIndex, pages: Range<Int>) {
    self.index = index
    let width = AdjacencyPage.sourceCount
    degrees = Buffer(uninitialized: pages.count * width)
    var (targets, rows) = (FoundStretches(), FoundStretches())
    for page in pages {
      let slot = index.pages.slot(page)
      let first = (page - pages.lowerBound) * width
      if slot.longs == 0 {
        let offsets = slot.offsets
        for list in 0..<width {
          degrees[first &+ list] = offsets[list &+ 1] &- offsets[list]
        }
        targets.add(PackedNumbers(slot.targets), offsets[width])
        rows.add(slot.rows, offsets[width])
        continue
      }
      for list in 0..<width {
        degrees[first + list] = UInt32(truncatingIfNeeded: slot.degree(list))
        targets.add(.target, list, of: slot)
        rows.add(.row, list, of: slot)
      }
    }
    (targetStretches, rowStretches) = (targets, rows)
    edgeCount = Int(targets.edgeCount)
  }

  /// The targets of all edges from one on.
  package func targets(from edge: Int = 0) -> EdgeCursor {
    EdgeCursor(self, targetStretches, from: edge)
  }

  /// The rows of all edges from one on.
  package func rows(from edge: Int = 0) -> EdgeCursor {
    EdgeCursor(self, rowStretches, from: edge)
  }
}

/// The numbers at one end of edges that stand one behind another in memory.
private struct EdgeStretch: BitwiseCopyable {
  let numbers: PackedNumbers
  /// The place of the first among all edges.
  let start: UInt32
  var count: UInt32
}

/// The stretches of edges as they are found, list by list: with lists and runs that stand beside each other in one.
private struct FoundStretches: Sendable {
  private(set) var stretches: [EdgeStretch] = []
  private(set) var edgeCount: UInt32 = 0

  mutating func add(_ end: EdgeEnd, _ list: Int, of slot: AdjacencySlot) {
    if slot.isLong(list) {
      let header = slot.long(list).header[0]
      for index in 0..<Int(header.runCount) {
        let run = header.runs[index]
        add(end == .row ? run.rows : PackedNumbers(run.targets), UInt32(run.count))
      }
    } else {
      let start = Int(truncatingIfNeeded: slot.offsets[list])
      let numbers = end == .row ? slot.rows : PackedNumbers(slot.targets)
      add(numbers.advanced(by: start), slot.offsets[list + 1] - slot.offsets[list])
    }
  }

  mutating func add(_ numbers: PackedNumbers, _ count: UInt32) {
    if count == 0 { return }
    let start = edgeCount
    edgeCount += count
    if let last = stretches.last, last.numbers.advanced(by: Int(last.count)) == numbers {
      stretches[stretches.count - 1].count += count
    } else {
      stretches.append(EdgeStretch(numbers: numbers, start: start, count: count))
    }
  }
}

/// Goes through the edges of consecutive sources in their order.
package struct EdgeCursor: ~Copyable {
  /// What keeps the edges in place.
  private let lists: ListImage
  private let stretches: [EdgeStretch]
  /// The stretch to go on with.
  private var next = 0
  /// The stretch that is being read, and how much of it is left.
  private var numbers = PackedNumbers(.none)
  private var left = 0

  fileprivate init(_ lists: ListImage, _ found: FoundStretches, from edge: Int) {
    precondition(edge >= 0 && edge <= lists.edgeCount, "a cursor begins at an edge")
    self.lists = lists
    stretches = found.stretches
    if edge == lists.edgeCount { return }
    // The last stretch that begins at the edge or before it is the one that has it.
    var end = stretches.count
    while end - next > 1 {
      let middle = (next + end) / 2
      if stretches[middle].start <= UInt32(edge) { next = middle } else { end = middle }
    }
    advance()
    let skipped = edge - Int(stretches[next - 1].start)
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
    if left < count || !numbers.isPlain {
      read(count, to: buffer, at: 0)
      return PagePointer(buffer)
    }
    defer {
      numbers = numbers.advanced(by: count)
      left &-= count
    }
    return numbers.plain
  }

  /// Goes on to the next stretch.
  private mutating func advance() {
    precondition(next < stretches.count, "a cursor stays below the last edge")
    let stretch = stretches[next]
    numbers = stretch.numbers
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
