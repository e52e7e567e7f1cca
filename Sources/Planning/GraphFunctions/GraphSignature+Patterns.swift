import Columnar

/// Signatures that several algorithms have in common, and those of algorithms about pairs, groups and small patterns.
extension GraphSignature {
  /// Pairs of vertices that have a neighbour in common, and how alike both are.
  static let likeness = GraphSignature(
    parameters: [
      .init("source", .vertices, .null), .init("top", .value(.integer), .null),
      .init("min", .value(.double), .double(0)),
    ], vertices: ["id", "other_id"],
    results: [.init("similarity", .double), .init("common", .bigint)], direction: .none,
    takesTable: true)

  /// Communities of the greatest modularity that is found.
  static func communities(_ own: [Parameter] = []) -> GraphSignature {
    GraphSignature(
      parameters: [
        .init("resolution", .value(.double), .double(1)),
        .init("seed", .value(.integer), .int32(0)),
      ] + own, results: [.init("community", .bigint), .init("modularity", .double)],
      direction: .none, takesWeight: true)
  }

  /// A number for each pair of neighbours.
  static let trussNumbers = GraphSignature(
    vertices: ["id", "other_id"], results: [.init("truss", .bigint)], direction: .none)

  static let fourCycles = GraphSignature(results: [.init("cycles", .bigint)], direction: .none)

  /// How often each kind of pattern occurs.
  static let motifs = GraphSignature(
    vertices: [], results: [.init("kind", .text), .init("count", .bigint)])

  /// Walks, whose parameters of their own come behind those that all have.
  static func walks(_ own: [Parameter] = []) -> GraphSignature {
    GraphSignature(
      parameters: [
        .init("source", .vertices, .null), .init("length", .value(.integer), .int32(10)),
        .init("walks", .value(.integer), .int32(1)),
      ] + own + [.init("seed", .value(.integer), .int32(0))],
      results: [.init("walk", .bigint), .init(path: "path")], takesWeight: true)
  }

  static let edges = GraphSignature(
    vertices: ["id", "other_id"], results: [.init("weight", .double)], direction: .none,
    takesWeight: true)

  static let layout = GraphSignature(
    parameters: [
      .init("iterations", .value(.integer), .int32(100)),
      .init("seed", .value(.integer), .int32(0)),
    ], results: [.init("x", .double), .init("y", .double)], direction: .none)
}
