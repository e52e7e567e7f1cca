import Columnar
import Diagnostics

/// The edges along which something flows when as much as can be flows from `source` to `target`, and how much.
///
/// What flows from the sources in all is the sum over the edges from them, less what flows back.
///
/// - Complexity: as of `FlowNetwork`; 24 bytes an edge for the result.
struct MaximumFlow: GraphAlgorithm {
  private let ends: FlowEnds

  init(_ arguments: GraphArgumentValues) throws(SQLError) { ends = try FlowEnds(arguments) }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    try ends.filled(graph, work).flows(work)
  }
}

/// The edges of least capacity in all without which nothing can flow from `source` to `target`.
///
/// Of several such cuts, it is the one nearest to the targets. Its capacity is that of the greatest flow.
///
/// - Complexity: as of `MaximumFlow`.
struct MinimumCut: GraphAlgorithm {
  private let ends: FlowEnds

  init(_ arguments: GraphArgumentValues) throws(SQLError) { ends = try FlowEnds(arguments) }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    try ends.filled(graph, work).cut(work)
  }
}

/// The vertices between which something flows.
private struct FlowEnds {
  let sources: [UInt32]
  let targets: [UInt32]
  let function: String

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    sources = Array(Set(try arguments.vertices(0))).sorted()
    targets = try arguments.vertices(1)
    function = arguments.function
    try arguments.require(
      Set(sources).isDisjoint(with: targets), "source and target must not be the same vertex")
  }

  func filled(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> FlowNetwork {
    let network = try FlowNetwork(graph, function, work)
    try network.fill(from: sources, to: targets, work)
    return network
  }
}
