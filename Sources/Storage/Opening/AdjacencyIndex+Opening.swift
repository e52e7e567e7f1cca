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

  /// Cuts lists into pages.
  private static func pages(
    _ lists: ListContents, _ pageCount: Int, _ epoch: Epoch
  ) -> [AdjacencyPage] {
    let width = AdjacencyFrame.wordCount
    let frames = Buffer<UInt32>(uninitialized: pageCount * width)
    var start = 0
    return (0..<pageCount).map { page in
      let own = frames.slice((page * width)..<((page + 1) * width))
      var (next, longest): (UInt32, UInt32) = (0, 0)
      for list in 0..<AdjacencyPage.sourceCount {
        let degree = lists.degrees[page * AdjacencyPage.sourceCount + list]
        own[list] = next
        next &+= degree
        longest = max(longest, degree)
      }
      own[AdjacencyPage.sourceCount] = next
      let range = start..<(start + Int(next))
      start = range.upperBound
      return AdjacencyPage.cut(
        own, longest: longest, lists.targets.slice(range), lists.rows?.slice(range),
        .shared, epoch)
    }
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
  /// The parents of consecutive rows; nil where there are no such rows.
  fileprivate func parents(of rows: Range<Int>) -> Buffer<UInt32>? {
    guard rows.lowerBound >= 0, rows.upperBound <= pageCount * ColumnPage.capacity else {
      return nil
    }
    let result = Buffer<UInt32>(uninitialized: max(1, rows.count))
    // Many groups are read on all cores.
    if rows.count > 1 << 18 { pages.lazy?.requireAll() }
    var row = rows.lowerBound
    while row < rows.upperBound {
      let offset = row & ColumnStore.pageMask
      let count = min(ColumnPage.capacity - offset, rows.upperBound - row)
      copy(
        row >> ColumnStore.pageShift, from: offset, count: count, to: result,
        at: row - rows.lowerBound)
      row += count
    }
    return result
  }
}
