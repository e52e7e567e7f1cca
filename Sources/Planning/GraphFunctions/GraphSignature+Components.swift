import Columnar

extension GraphSignature {
  static var biconnectedComponents: GraphSignature {
    GraphSignature(
      vertices: ["id", "other_id"], results: [.init("component", .bigint)], direction: .none)
  }

  static var bridges: GraphSignature {
    GraphSignature(vertices: ["id", "other_id"], direction: .none)
  }

  static var articulationPoints: GraphSignature { GraphSignature(direction: .none) }

  /// Edges lead one way, as they are written.
  static var topologicalOrder: GraphSignature {
    GraphSignature(results: [.init("position", .bigint)], direction: .none)
  }

  static var transitiveReduction: GraphSignature {
    GraphSignature(vertices: ["id", "other_id"], direction: .none)
  }
}
