package import Columnar

/// The lists of a group of sources as they are to be written, read where they stand.
package struct ListImage: Sendable {
  fileprivate let index: AdjacencyIndex
  fileprivate let firstPage: Int
  /// The length of each list.
  package let degrees: Buffer<UInt32>
  /// Where each list begins among all edges; one more than there are lists.
  fileprivate let starts: Buffer<UInt32>
  package let edgeCount: Int

  /// Whether edges have rows beside their targets.
  package var hasRows: Bool { index.hasEdgeRows }

  fileprivate init(_ index: AdjacencyIndex, pages: Range<Int>) {
    self.index = index
    firstPage = pages.lowerBound
    let width = AdjacencyPage.sourceCount
    degrees = Buffer(uninitialized: pages.count * width)
    starts = Buffer(uninitialized: pages.count * width + 1)
    var (source, next) = (0, 0)
    for page in pages {
      let slot = index.pages.slot(page)
      for list in 0..<width {
        let degree = slot.degree(list)
        degrees[source] = UInt32(truncatingIfNeeded: degree)
        starts[source] = UInt32(truncatingIfNeeded: next)
        next &+= degree
        source &+= 1
      }
    }
    starts[source] = UInt32(truncatingIfNeeded: next)
    edgeCount = next
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

/// Goes through the edges of consecutive sources in their order.
package struct EdgeCursor: ~Copyable {
  /// What keeps the edges in place.
  private let lists: ListImage
  private let readsRows: Bool
  /// The page and list of which the next stretch is, and the run where the list is long.
  private var page = 0
  private var list = 0
  private var run = 0
  /// The stretch that is being read, and how much of it is left.
  private var numbers = PagePointer<UInt32>.none
  private var left = 0

  fileprivate init(_ lists: ListImage, from edge: Int, readsRows: Bool) {
    precondition(edge >= 0 && edge <= lists.edgeCount, "a cursor begins at an edge")
    self.lists = lists
    self.readsRows = readsRows
    if edge == lists.edgeCount { return }
    // The last list that begins at the edge or before it is the one that has it.
    let wanted = UInt32(truncatingIfNeeded: edge)
    let source = lists.starts.lowerBound(of: wanted + 1, in: 0..<lists.starts.count) - 1
    page = source / AdjacencyPage.sourceCount
    let slot = lists.index.pages.slot(lists.firstPage + page)
    if slot.longs != 0 { list = source % AdjacencyPage.sourceCount }
    let begin = page * AdjacencyPage.sourceCount + list
    var skipped = edge - Int(lists.starts[begin])
    advance()
    while skipped >= left {
      skipped -= left
      advance()
    }
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

  /// Goes on to the next stretch, which may be empty: a whole page where no list stands apart, else a list or a run.
  private mutating func advance() {
    precondition(
      page * AdjacencyPage.sourceCount < lists.degrees.count, "a cursor stays below the last edge")
    let slot = lists.index.pages.slot(lists.firstPage + page)
    left = 0
    if slot.longs == 0 {
      numbers = readsRows ? slot.rows : slot.targets
      left = Int(truncatingIfNeeded: slot.offsets[AdjacencyPage.sourceCount])
      page += 1
      return
    }
    if slot.isLong(list) {
      let header = slot.long(list).header[0]
      if run < Int(header.runCount) {
        let stretch = header.runs[run]
        numbers = readsRows ? stretch.rows : stretch.targets
        left = Int(truncatingIfNeeded: stretch.count)
        run += 1
        return
      }
    } else {
      let start = Int(truncatingIfNeeded: slot.offsets[list])
      numbers = (readsRows ? slot.rows : slot.targets).advanced(by: start)
      left = Int(truncatingIfNeeded: slot.offsets[list + 1]) - start
    }
    (list, run) = (list + 1, 0)
    if list == AdjacencyPage.sourceCount { (page, list) = (page + 1, 0) }
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
