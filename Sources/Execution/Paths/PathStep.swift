import Diagnostics

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
class PathFinder: @unchecked Sendable {
  final let graph: PathGraph
  final let account = MemoryAccount()

  init(_ graph: PathGraph) { self.graph = graph }

  /// Hands each path that is wanted to `found`, and says whether more are.
  func search(from start: UInt32, into found: PathCollector) throws(SQLError) -> Bool { true }

  /// Steps between two looks at whether the run was cancelled.
  final let stepsAtOnce = 4096
}
