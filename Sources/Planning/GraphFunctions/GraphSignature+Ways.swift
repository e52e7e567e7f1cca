import Columnar

extension GraphSignature {
  static var bfs: GraphSignature {
    GraphSignature(
      parameters: [
        .init("source", .vertices), .init("max_depth", .value(.integer), .null),
      ], results: [.init("depth", .integer), .init(vertex: "parent")])
  }

  static var dijkstra: GraphSignature {
    GraphSignature(
      parameters: [
        .init("source", .vertices), .init("max_cost", .value(.double), .null),
        .init("target", .vertices, .null),
      ],
      results: [.init("cost", .double), .init(path: "path")], takesWeight: true)
  }

  static var deltaStepping: GraphSignature {
    GraphSignature(
      parameters: [
        .init("source", .vertices), .init("max_cost", .value(.double), .null),
        .init("delta", .value(.double), .null),
      ], results: [.init("cost", .double), .init(path: "path")], takesWeight: true)
  }

  static var aStar: GraphSignature {
    GraphSignature(
      parameters: [
        .init("source", .vertex), .init("target", .vertex), .init("x", .column),
        .init("y", .column),
      ], results: [.init("cost", .double), .init(path: "path")], takesWeight: true)
  }

  static var kShortestPaths: GraphSignature {
    GraphSignature(
      parameters: [
        .init("source", .vertex), .init("target", .vertex), .init("k", .value(.integer)),
      ], vertices: [],
      results: [.init("number", .bigint), .init("cost", .double), .init(path: "path")],
      takesWeight: true)
  }

  static var allPairsShortestPaths: GraphSignature {
    GraphSignature(
      vertices: ["id", "other_id"], results: [.init("cost", .double)], takesWeight: true)
  }

  static var spanningForest: GraphSignature {
    GraphSignature(
      vertices: ["id", "other_id"], results: [.init("weight", .double)], direction: .none,
      takesWeight: true)
  }

  static var maxFlow: GraphSignature {
    GraphSignature(
      parameters: [.init("source", .vertices), .init("target", .vertices)],
      vertices: ["id", "other_id"], results: [.init("flow", .double), .init("capacity", .double)],
      takesWeight: true)
  }

  static var minCut: GraphSignature {
    GraphSignature(
      parameters: [.init("source", .vertices), .init("target", .vertices)],
      vertices: ["id", "other_id"], results: [.init("capacity", .double)], takesWeight: true)
  }

  static var matching: GraphSignature {
    GraphSignature(
      parameters: [
        .init("capacity", .value(.integer), .null), .init("capacities", .column, .null),
      ],
      vertices: ["id", "other_id"], direction: .none)
  }
}
