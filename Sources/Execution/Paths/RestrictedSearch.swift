import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// A search that goes breadth first over all paths that a mode allows, where some of them are to be chosen by length.
///
/// No vertex can be left out because it was reached before: the shorter way to it may be one that cannot go on.
final class RestrictedSearch: PathFinder {
  /// A path by its last edge and the path before it.
  private struct Node: BitwiseCopyable {
    /// -1 for the start.
    var parent: Int32
    var length: Int32
    var next: Int
    var step: PathStep
  }

  /// What has been given for one end.
  private struct Given {
    var paths = 0
    var lengths = 0
    var length: Int32 = -1
  }

  private let lengthLimit: Int
  private let pathLimit: Int
  private var nodes: [Node] = []
  private var given: [UInt32: Given] = [:]
  private var path = OpenPath()
  private var doneCount = 0

  override init(_ graph: PathGraph, _ rules: RoundRules?) {
    (lengthLimit, pathLimit) = graph.pattern.selector.limits
    super.init(graph, rules)
  }

  override func search(
    from start: UInt32, into found: PathCollector
  ) throws(SQLError) -> Bool {
    nodes.removeAll(keepingCapacity: true)
    given.removeAll(keepingCapacity: true)
    doneCount = 0
    forgetSeen()
    let step = PathStep(state: 0, edge: 0, row: 0, vertex: start)
    nodes.append(Node(parent: -1, length: 0, next: 0, step: step))
    var index = 0
    while index < nodes.count, doneCount != found.endCount {
      if try !visit(index, start, found) { return false }
      index += 1
      if index & 255 == 0 {
        try found.check()
        try account.set(nodes.capacity * MemoryLayout<Node>.stride + seenByteCount)
      }
    }
    return true
  }

  private func visit(
    _ index: Int, _ start: UInt32, _ found: PathCollector
  ) throws(SQLError) -> Bool {
    read(index, from: start)
    let node = nodes[index]
    var state = node.next
    while true {
      if state == graph.finalState {
        if found.wants(node.step.vertex), isNew(path.steps),
          try !give(node.step.vertex, node.length, found)
        {
          return false
        }
      } else {
        guard nodes.count < Int(Int32.max) / 2 else {
          throw SQLError(
            .programLimitExceeded, "a search for paths has found too many of them",
            hint: "Bound the path by a quantifier such as {1,5}.")
        }
        try path.forEachStep(on: state, graph, rules, found) { (candidate) throws(SQLError) in
          nodes.append(
            Node(
              parent: Int32(truncatingIfNeeded: index), length: node.length + 1,
              next: candidate.next, step: candidate.step))
        }
      }
      guard state != graph.finalState, let skipped = graph.skip(from: state, at: node.step.vertex)
      else {
        return true
      }
      state = skipped
    }
  }

  /// Makes `path` that of a node.
  private func read(_ index: Int, from start: UInt32) {
    path.start(at: start)
    var current = index
    while nodes[current].parent >= 0 {
      path.append(nodes[current].step)
      current = Int(nodes[current].parent)
    }
    path.reverse()
  }

  private func give(
    _ end: UInt32, _ length: Int32, _ found: PathCollector
  ) throws(SQLError) -> Bool {
    var known = given[end] ?? Given()
    if known.length != length {
      known.length = length
      known.lengths += 1
    }
    guard known.lengths <= lengthLimit, known.paths < pathLimit else { return true }
    known.paths += 1
    given[end] = known
    if known.paths == pathLimit { doneCount += 1 }
    return try found.take(end: end, length: length, path.steps)
  }
}
