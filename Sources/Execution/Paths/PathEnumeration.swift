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
      if try !visit(pending.next, pending.step.vertex, found) { return false }
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
    _ state: Int, _ vertex: UInt32, _ found: PathCollector
  ) throws(SQLError) -> Bool {
    var state = state
    while true {
      if state == graph.finalState {
        if found.wants(vertex), isNew(path.steps),
          try !found.take(end: vertex, length: Int32(path.steps.count), path.steps)
        {
          return false
        }
      } else if !path.isClosed(graph.pattern.mode) {
        let depth = path.steps.count
        let mode = graph.pattern.mode
        let from = UInt32(truncatingIfNeeded: state)
        try graph.forEachStep(from: state, at: vertex) {
          (next, vertex, edge, row) throws(SQLError) in
          if path.allows(edge, row, vertex, mode) {
            let step = PathStep(state: from, edge: edge, row: row, vertex: vertex)
            pending.append(Pending(depth: depth, next: next, step: step))
          }
        }
      }
      guard state != graph.finalState, let skipped = graph.skip(from: state, at: vertex) else {
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

  /// Whether nothing may follow: a simple path that has come back to its start.
  func isClosed(_ mode: PathPrefix.Mode) -> Bool {
    guard mode == .simple, let last = steps.last else { return false }
    return last.vertex == first
  }

  /// Whether the path may go on by an edge to a vertex.
  ///
  /// - Complexity: O(length of the path).
  func allows(_ edge: UInt32, _ row: UInt32, _ vertex: UInt32, _ mode: PathPrefix.Mode) -> Bool {
    switch mode {
    case .walk: return true
    case .trail:
      for step in steps where step.row == row && step.edge == edge { return false }
      return true
    case .acyclic, .simple:
      if vertex == first { return mode == .simple }
      for step in steps where step.vertex == vertex { return false }
      return true
    }
  }
}
