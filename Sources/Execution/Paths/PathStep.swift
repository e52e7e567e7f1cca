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
  private final let isAmbiguous: Bool

  init(_ graph: PathGraph, _ rules: RoundRules?) {
    self.graph = graph
    self.rules = rules
    isAmbiguous = graph.pattern.isAmbiguous
  }

  /// Hands each path that is wanted to `found`, and says whether more are.
  func search(from start: UInt32, into found: PathCollector) throws(SQLError) -> Bool { true }

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

  private final func insertSeen(_ steps: [PathStep]) -> Bool {
    let key = steps.map { step in
      let segment = graph.place(of: Int(step.state)).segment
      let mark = UInt64(truncatingIfNeeded: graph.pattern.segments[segment].mark)
      return mark << 48 | UInt64(step.edge) << 32 | UInt64(step.row)
    }
    guard seen.insert(key).inserted else { return false }
    seenByteCount += 64 + key.count * 8
    return true
  }
}
