import Diagnostics
import Planning

/// An edge of a path with the vertex that it leads to.
struct PathStep: BitwiseCopyable {
  /// The state of the path before it, which tells the edge's place in the pattern.
  var state: UInt32
  /// The entry of the pattern's edges.
  var edge: UInt32
  /// The edge's row.
  var row: UInt32
  /// The vertex arrived at.
  var vertex: UInt32
  /// The number of the move among those of its hop, where it matters what edges cost.
  var move: UInt32 = 0
}

/// Looks for the paths from one vertex at a time; one for each worker.
class PathFinder {
  final let graph: PathGraph
  /// What paths must meet within one time of a segment, if there is such.
  final let rules: RoundRules?
  final let account = MemoryAccount()

  /// Paths from the vertex in hand, where one can be met in several ways that count once.
  private final var seen: Set<[UInt64]> = []
  /// About the bytes of those.
  private(set) final var seenByteCount = 0
  /// Whether a path can be met in several ways.
  final let isAmbiguous: Bool

  init(_ graph: PathGraph, _ rules: RoundRules?) {
    self.graph = graph
    self.rules = rules
    isAmbiguous = graph.pattern.isAmbiguous
  }

  /// Hands each path that is wanted to `found`, and says whether more are.
  func search(from start: UInt32, into found: PathCollector) throws(SQLError) -> Bool { true }

  /// Whether all ways to a pair of a state and a vertex come to the same: not within one time of a part whose conditions
  /// look back.
  final func merges(_ state: Int) -> Bool {
    guard let rules, state != graph.finalState else { return true }
    let place = graph.place(of: state)
    return place.hop == 0 || !rules.apply(at: place)
  }

  /// The edges that lead on from a vertex where it matters what this time of the segment has passed.
  final func allowed(
    _ rules: RoundRules, behind round: RoundRules.Round, on state: Int, at vertex: UInt32,
    _ found: PathCollector
  ) throws(SQLError) -> [PathCandidate] {
    var held: [PathCandidate] = []
    try graph.forEachMove(from: state, at: vertex) { (next, step, _) throws(SQLError) in
      held.append(PathCandidate(next: next, step: step))
    }
    return try rules.allowed(
      held, behind: round, at: graph.place(of: state), graph, found.context)
  }

  /// Forgets the paths from another vertex.
  final func forgetSeen() {
    if isAmbiguous { seen.removeAll(keepingCapacity: true) }
    seenByteCount = 0
  }

  /// Whether a path comes for the first time: its edges, and what names they have.
  ///
  /// - Complexity: O(length of the path) where paths may come several times, else O(1).
  @inline(__always)
  final func isNew(_ steps: [PathStep]) -> Bool { !isAmbiguous || insertSeen(steps) }

  /// The same for a path that has come to a state at a vertex, which need not be whole.
  @inline(__always)
  final func isNew(_ steps: [PathStep], at key: Int) -> Bool {
    !isAmbiguous || insertSeen(steps, at: UInt64(truncatingIfNeeded: key))
  }

  private final func insertSeen(_ steps: [PathStep], at place: UInt64 = 0) -> Bool {
    let key =
      [place]
      + steps.map { step in
        let segment = graph.place(of: Int(step.state)).segment
        let mark = UInt64(truncatingIfNeeded: graph.pattern.segments[segment].mark)
        return mark << 48 | UInt64(step.edge) << 32 | UInt64(step.row)
      }
    guard seen.insert(key).inserted else { return false }
    seenByteCount += 64 + key.count * 8
    return true
  }
}
