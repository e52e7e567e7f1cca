import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// A search that goes depth first from one vertex and gives every path that the pattern and its mode allow.
final class PathEnumeration: PathFinder, @unchecked Sendable {
  /// An edge to be walked when the path is as long again as it was when the edge was seen.
  private struct Pending: BitwiseCopyable {
    var depth: Int
    var next: Int
    /// The vertex that the step leads to, or the round within which that is.
    var at: UInt32
    var step: PathStep
  }

  private var path = OpenPath()
  private var pending: [Pending] = []

  override func search(
    from start: UInt32, into found: PathCollector
  ) throws(SQLError) -> Bool {
    path.start(at: start)
    pending.removeAll(keepingCapacity: true)
    forgetSeen()
    guard try visit(0, start, found) else { return false }
    var rounds = 0
    while let pending = pending.popLast() {
      path.shorten(to: pending.depth)
      path.append(pending.step)
      if try !visit(pending.next, pending.at, found) { return false }
      rounds += 1
      if rounds & 1023 == 0 {
        try found.check()
        try account.set(self.pending.capacity * MemoryLayout<Pending>.stride + seenByteCount)
      }
    }
    return true
  }

  /// Gives the path that ends here, if the pattern is met, and looks where it can go on.
  private func visit(
    _ state: Int, _ number: UInt32, _ found: PathCollector
  ) throws(SQLError) -> Bool {
    var state = state
    while true {
      if state == graph.finalState {
        if found.wants(number), isNew(path.steps),
          try !found.take(end: number, length: Int32(path.steps.count), path.steps)
        {
          return false
        }
      } else {
        let depth = path.steps.count
        let from = UInt32(truncatingIfNeeded: state)
        try graph.forEachStep(from: state, at: number) { (next, at, edge, row) throws(SQLError) in
          let step = PathStep(
            state: from, edge: edge, row: row, vertex: graph.vertex(at, in: next))
          if path.allows(step, graph) {
            pending.append(Pending(depth: depth, next: next, at: at, step: step))
          }
        }
      }
      guard state != graph.finalState, let skipped = graph.skip(from: state, at: number) else {
        return true
      }
      state = skipped
    }
  }
}

/// A path while it is walked.
struct OpenPath {
  private(set) var first: UInt32 = 0
  private(set) var steps: [PathStep] = []

  mutating func start(at vertex: UInt32) {
    first = vertex
    steps.removeAll(keepingCapacity: true)
  }

  mutating func shorten(to length: Int) {
    if length < steps.count { steps.removeLast(steps.count - length) }
  }

  mutating func append(_ step: PathStep) { steps.append(step) }

  mutating func reverse() { steps.reverse() }

  /// Whether the path may go on by a step.
  ///
  /// - Complexity: O(length of the path) for a mode other than WALK, of the whole path or of a part.
  @inline(__always)
  func allows(_ step: PathStep, _ graph: PathGraph) -> Bool {
    let pattern = graph.pattern
    return allows(step, pattern.mode, from: 0)
      && (pattern.parts.isEmpty || partsAllow(step, graph))
  }

  private func partsAllow(_ step: PathStep, _ graph: PathGraph) -> Bool {
    let segment = graph.place(of: Int(step.state)).segment
    return graph.pattern.parts.allSatisfy { part in
      guard part.segments.contains(segment) else { return true }
      // Segments come in order, so that the part's steps are the last ones.
      var start = steps.count
      while start > 0,
        graph.place(of: Int(steps[start - 1].state)).segment >= part.segments.lowerBound
      {
        start -= 1
      }
      return allows(step, part.mode, from: start)
    }
  }

  /// Whether a mode that holds for the steps from some place on lets another one follow.
  private func allows(_ step: PathStep, _ mode: PathPrefix.Mode, from start: Int) -> Bool {
    switch mode {
    case .walk: return true
    case .trail:
      for known in steps[start...] where known.row == step.row && known.edge == step.edge {
        return false
      }
      return true
    case .acyclic, .simple:
      let first = start == 0 ? self.first : steps[start - 1].vertex
      // A simple path that has come back to its start is closed.
      if let last = steps.last, start < steps.count, last.vertex == first { return false }
      if step.vertex == first { return mode == .simple }
      for known in steps[start...] where known.vertex == step.vertex { return false }
      return true
    }
  }
}
