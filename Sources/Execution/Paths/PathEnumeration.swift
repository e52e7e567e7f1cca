import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// A search that goes depth first from one vertex and gives every path that the pattern and its mode allow.
final class PathEnumeration: PathFinder {
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
      } else {
        let depth = path.steps.count
        try path.forEachStep(on: state, graph, rules, found) { (candidate) throws(SQLError) in
          pending.append(Pending(depth: depth, next: candidate.next, step: candidate.step))
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

  /// Hands over each edge by which the path, which is in some state, may go on.
  @inline(__always)
  func forEachStep(
    on state: Int, _ graph: PathGraph, _ rules: RoundRules?, _ found: PathCollector,
    _ body: (PathCandidate) throws(SQLError) -> Void
  ) throws(SQLError) {
    let vertex = steps.last?.vertex ?? first
    var held: [PathCandidate] = []
    let place = rules.map { _ in graph.place(of: state) }
    let holds = place.flatMap { rules?.apply(at: $0) } ?? false
    try graph.forEachMove(from: state, at: vertex) { (next, step, _) throws(SQLError) in
      guard allows(step, graph) else { return }
      let candidate = PathCandidate(next: next, step: step)
      if holds {
        held.append(candidate)
      } else {
        try body(candidate)
      }
    }
    guard holds, let place, let rules else { return }
    let start = steps.count - place.hop
    let round = RoundRules.Round(
      first: start == 0 ? first : steps[start - 1].vertex, steps: Array(steps[start...]))
    for candidate in try rules.allowed(held, behind: round, at: place, graph, found.context) {
      try body(candidate)
    }
  }

  /// Whether the path may go on by a step.
  ///
  /// - Complexity: O(length of the path) for a mode other than WALK, of the whole path or of a part.
  @inline(__always)
  private func allows(_ step: PathStep, _ graph: PathGraph) -> Bool {
    let pattern = graph.pattern
    return (pattern.mode == .walk || pattern.mode.allows(step, behind: steps[...], from: first))
      && (pattern.parts.isEmpty || partsAllow(step, graph))
  }

  private func partsAllow(_ step: PathStep, _ graph: PathGraph) -> Bool {
    let segment = graph.place(of: Int(step.state)).segment
    return graph.pattern.parts.allSatisfy { part in
      guard part.range.contains(segment) else { return true }
      // Segments come in order, so that the part's steps are the last ones.
      var start = steps.count
      while start > 0,
        graph.place(of: Int(steps[start - 1].state)).segment >= part.range.lowerBound
      {
        start -= 1
      }
      let first = start == 0 ? self.first : steps[start - 1].vertex
      return part.mode.allows(step, behind: steps[start...], from: first)
    }
  }
}
