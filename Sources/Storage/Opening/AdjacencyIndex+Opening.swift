import Columnar

extension AdjacencyIndex {
  /// The sources of a group.
  package static var groupSourceCount: Int { AdjacencyPage.sourceCount * 64 }

  /// An index whose lists are read when they are first touched.
  ///
  /// The lists are bounded by `extent`, whose sources are not looked at; `parents` are those of rows that they lead to.
  init(
    opening shape: (pageCount: Int, edgeCount: Int), _ extent: ListExtent, origin: SectionOrigin,
    parents: ReferenceColumn?
  ) {
    self.init(hasEdgeRows: extent.hasRows)
    edgeCount = shape.edgeCount
    let epoch = Epoch.next()
    pages = PageTree(pageCount: shape.pageCount, origin: origin) { group in
      let pageCount = min(64, shape.pageCount - group * 64)
      let first = group * Self.groupSourceCount
      let own = ListExtent(
        sourceCount: pageCount * AdjacencyPage.sourceCount,
        sourceLimit: max(0, extent.sourceLimit - first), targetLimit: extent.targetLimit,
        rowLimit: extent.rowLimit, hasRows: extent.hasRows)
      let read = origin.source.lists(origin.first + group, own) { rows in
        parents.flatMap { $0.parents(of: rows) }
      }
      if let read { return Self.pages(read, pageCount, epoch) }
      return (0..<pageCount).map { _ in AdjacencyPage(owner: epoch, hasRows: extent.hasRows) }
    }
  }

  /// Cuts lists into pages, on all cores where there are many edges.
  private static func pages(
    _ lists: ListContents, _ pageCount: Int, _ epoch: Epoch
  ) -> [AdjacencyPage] {
    let width = AdjacencyFrame.wordCount
    let frames = Buffer<UInt32>(uninitialized: pageCount * width)
    let starts = Buffer<Int>(uninitialized: pageCount + 1)
    starts[0] = 0
    for page in 0..<pageCount {
      var count = 0
      for list in 0..<AdjacencyPage.sourceCount {
        count &+= Int(lists.degrees[page &* AdjacencyPage.sourceCount &+ list])
      }
      starts[page + 1] = starts[page] + count
    }
    let made = PageSlots(count: pageCount)
    let stretch = lists.edgeCount > ReferenceColumn.manyRows ? 1 : pageCount
    parallelFor(tasks: (pageCount + stretch - 1) / stretch) { task in
      let pages = (task * stretch)..<min(pageCount, (task + 1) * stretch)
      let cut = pages.map { page in
        let own = frames.slice((page * width)..<((page + 1) * width))
        let longest = fill(own, lists.degrees, from: page * AdjacencyPage.sourceCount)
        let range = starts[page]..<starts[page + 1]
        return AdjacencyPage.cut(
          own, longest: longest, lists.targets.slice(range), lists.rows?.slice(range), .shared,
          epoch)
      }
      made.set(cut, at: task)
    }
    return made.pages()
  }

  /// Notes where the lists of a page begin, and gives the length of the longest.
  private static func fill(
    _ own: Buffer<UInt32>, _ degrees: Buffer<UInt32>, from first: Int
  ) -> UInt32 {
    var (next, longest): (UInt32, UInt32) = (0, 0)
    for list in 0..<AdjacencyPage.sourceCount {
      own[list] = next
      let degree = degrees[first + list]
      next &+= degree
      longest = max(longest, degree)
    }
    own[AdjacencyPage.sourceCount] = next
    return longest
  }

  /// The number of edges of each source of a range within a group, for an estimate.
  ///
  /// Lists that are not in place are not put there for it: their lengths stand before them in their section.
  func likelyDegrees(_ sources: Range<Int>) -> Buffer<UInt32> {
    let group = sources.lowerBound / Self.groupSourceCount
    let first = group * Self.groupSourceCount
    let count = min(Self.groupSourceCount, sourceLimit - first)
    guard let place = pages.missingSection(ofPage: group * 64),
      let known = place.source.degrees(place.section, sourceCount: count)
    else { return degrees(sources) }
    return known.slice((sources.lowerBound - first)..<(sources.upperBound - first))
  }

  /// The number of edges of a source, for an estimate.
  package func likelyDegree(of source: UInt32) -> UInt32 {
    let source = Int(source)
    return source < sourceLimit ? likelyDegrees(source..<(source + 1))[0] : 0
  }

  /// The section that a group of the first `pageCount` pages stands in unchanged.
  package func section(
    ofGroup group: Int, pageCount: Int
  ) -> (source: any SectionSource, section: Int)? {
    // The section of a group has all of its pages.
    if pageCount < min(pages.count, group * 64 + 64) { return nil }
    return pages.section(ofGroup: group)
  }
}

extension ReferenceColumn {
  /// What has more edges or rows is done on all cores.
  fileprivate static let manyRows = 1 << 18

  /// The parents of consecutive rows; nil where there are no such rows.
  fileprivate func parents(of rows: Range<Int>) -> Buffer<UInt32>? {
    guard rows.lowerBound >= 0, rows.upperBound <= pageCount * ColumnPage.capacity else {
      return nil
    }
    let result = Buffer<UInt32>(uninitialized: max(1, rows.count))
    if rows.count > Self.manyRows { pages.lazy?.requireAll() }
    let stretch = 1 << ColumnStore.groupShift
    parallelFor(tasks: (rows.count + stretch - 1) / stretch) { task in
      var row = rows.lowerBound + task * stretch
      let end = min(rows.upperBound, row + stretch)
      while row < end {
        let offset = row & ColumnStore.pageMask
        let count = min(ColumnPage.capacity - offset, end - row)
        copy(
          row >> ColumnStore.pageShift, from: offset, count: count, to: result,
          at: row - rows.lowerBound)
        row += count
      }
    }
    return result
  }
}
