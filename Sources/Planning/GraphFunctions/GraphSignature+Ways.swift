import Columnar

extension GraphSignature {
  static var bfs: GraphSignature {
    GraphSignature(
      parameters: [
        .init("source", .vertices), .init("max_depth", .value(.integer), .null),
      ], results: [.init("depth", .integer)])
  }

  static var dijkstra: GraphSignature {
    GraphSignature(
      parameters: [
        .init("source", .vertices), .init("max_cost", .value(.double), .null),
      ],
      results: [.init("cost", .double), .init(path: "path")], takesWeight: true)
  }
}
