import Columnar
package import Diagnostics

extension CycleRing {
  /// The ring from the corner on, and in the direction, in which least is to be looked at, as far as a sample of edges tells.
  ///
  /// A few rows have most of the edges, and an order between corners leaves most of them out from one side and few from the
  /// other.
  ///
  /// - Throws: 57014, 53200.
  /// - Complexity: O(pages of the indices).
  package func cheapest(
    large: Int = CycleRing.largeEdgeCount
  ) throws(SQLError) -> CycleRing {
    if steps.allSatisfy({ $0.forth.edgeCount < large }) { return self }
    var best = (ring: self, cost: try cost())
    for corner in steps.indices {
      for isReversed in [false, true] where corner > 0 || isReversed {
        // A square is gone through from both sides anyway.
        if isReversed && steps.count == 4 { continue }
        let ring = turned(to: corner, isReversed: isReversed)
        let cost = try ring.cost()
        // A sample tells no small differences, and what is as good is left as it is written.
        if cost < best.cost * 0.7 { best = (ring, cost) }
      }
    }
    return best.ring
  }

  /// Of so many edges it pays to look at a sample first, and to copy lists in a better form.
  package static var largeEdgeCount: Int { 1 << 16 }

  private static var sampleCount: Int { 1024 }

  /// About how many edges are looked at.
  private func cost() throws(SQLError) -> Double {
    let last = steps.count - 1
    let ahead = try cost(along: steps[0], \.forth, at: 1, then: steps[1])
    if last == 2 { return ahead }
    return try ahead + cost(along: steps[last], \.back, at: last, then: steps[2])
  }

  /// The edges of the first step, and those of the second that they are followed by, to corner 2.
  private func cost(
    along step: Step, _ direction: KeyPath<Step, AdjacencyIndex>, at corner: Int,
    then following: Step
  ) throws(SQLError) -> Double {
    let (index, next) = (step[keyPath: direction], following[keyPath: direction])
    let near = CycleGate(self, corner, knowing: [0])
    let far = CycleGate(self, 2, knowing: [0, corner])
    let lists = AdjacencyLists(next)
    let stride = max(1, index.edgeCount / Self.sampleCount)
    var found = 0.0
    try index.forEachSampledEdge(stride) { source, target in
      var corners = CycleCorners(repeating: source)
      if !near.admits(target, corners) { return }
      corners[corner] = target
      found += 1 + following.share * Double(far.count(lists, of: target, corners))
    }
    return found * step.share * Double(stride)
  }
}

extension AdjacencyIndex {
  /// Hands over each so many-th edge, so that rows come in for as much as they have edges.
  fileprivate func forEachSampledEdge(
    _ stride: Int, _ body: (UInt32, UInt32) -> Void
  ) throws(SQLError) {
    let lists = AdjacencyLists(self)
    var passed = 0
    var next = stride / 2
    for page in 0..<pages.count {
      if page % 4096 == 0 { try RunningStatement.check() }
      guard let slot = lists.reader.slot(page) else { return }
      let together = Int(truncatingIfNeeded: slot.offsets[AdjacencyPage.sourceCount])
      if slot.longs == 0 && next >= passed + together {
        passed += together
        continue
      }
      for list in 0..<AdjacencyPage.sourceCount {
        let source = UInt32(truncatingIfNeeded: page * AdjacencyPage.sourceCount + list)
        lists.forEachStretch(of: source) { targets, count in
          while next < passed + count {
            body(source, targets[next - passed])
            next += stride
          }
          passed += count
        }
      }
    }
  }
}
