package import Columnar

/// The outermost of a source's neighbours, and their sum: lists rise by target, so the ends of a list are read and no more of it.
extension AdjacencyIndex {
  /// Which end of a list is meant.
  package enum ListEnd: Sendable {
    case first, last
  }

  /// The least or the greatest target of each source but for the one that `excluded` has for it; `TableStore.noRow` where there is
  /// none.
  ///
  /// - Complexity: O(1) for each source, and the edges to the target left out.
  package func outermost(
    _ end: ListEnd, of sources: Buffer<UInt32>, count: Int, but excluded: Buffer<UInt32>?
  ) -> Buffer<UInt32> {
    let found = Buffer<UInt32>(uninitialized: max(count, 1))
    let lists = listReader
    for row in 0..<count {
      let target = lists.outermost(end, of: sources[row])
      found[row] = target
      guard let excluded, target != TableStore.noRow, target == excluded[row] else { continue }
      found[row] = next(to: target, from: end, of: sources[row])
    }
    return found
  }

  /// The target of a list that stands next to all edges to its outermost one.
  private func next(to outermost: UInt32, from end: ListEnd, of source: UInt32) -> UInt32 {
    let list = neighbours(of: source)
    for number in 0..<list.runCount {
      let run = list.run(end == .first ? number : list.runCount - 1 - number)
      for place in 0..<run.count {
        let target = run.targets[end == .first ? place : run.count - 1 - place]
        if target != outermost { return target }
      }
    }
    return TableStore.noRow
  }

  /// The sum of the targets of each source.
  ///
  /// - Complexity: O(edges).
  package func targetSums(of sources: Buffer<UInt32>, count: Int) -> Buffer<Int64> {
    let sums = Buffer<Int64>(uninitialized: max(count, 1))
    let lists = listReader
    for row in 0..<count {
      if let list = lists.list(of: sources[row]) {
        sums[row] = Self.sum(list.targets, list.count)
        continue
      }
      var total: Int64 = 0
      let list = neighbours(of: sources[row])
      for number in 0..<list.runCount {
        let run = list.run(number)
        total &+= Self.sum(PagePointer(run.targets), run.count)
      }
      sums[row] = total
    }
    return sums
  }

  @inline(__always)
  private static func sum(_ targets: PagePointer<UInt32>, _ count: Int) -> Int64 {
    var total: UInt64 = 0
    for index in 0..<count { total &+= UInt64(truncatingIfNeeded: targets[index]) }
    return Int64(truncatingIfNeeded: total)
  }
}

extension ListReader {
  /// The least or the greatest target of a source; `TableStore.noRow` for a source without edges.
  @inline(__always)
  fileprivate func outermost(_ end: AdjacencyIndex.ListEnd, of source: UInt32) -> UInt32 {
    guard let slot = slot(Int(truncatingIfNeeded: source) &>> AdjacencyPage.shift) else {
      return TableStore.noRow
    }
    let list = AdjacencyIndex.list(source)
    if slot.isLong(list) {
      let header = slot.long(list).header[0]
      let runCount = Int(truncatingIfNeeded: header.runCount)
      if header.count == 0 || runCount == 0 { return TableStore.noRow }
      return end == .last ? header.lasts[runCount &- 1] : header.runs[0].targets[0]
    }
    let first = Int(truncatingIfNeeded: slot.offsets[list])
    let past = Int(truncatingIfNeeded: slot.offsets[list &+ 1])
    if first == past { return TableStore.noRow }
    return slot.targets[end == .last ? past &- 1 : first]
  }
}
