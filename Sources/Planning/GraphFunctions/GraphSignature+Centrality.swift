import Columnar

extension GraphSignature {
  static var degree: GraphSignature {
    GraphSignature(
      results: [
        .init("degree", .bigint), .init("in_degree", .bigint), .init("out_degree", .bigint),
      ], direction: .none)
  }

  static var pageRank: GraphSignature {
    GraphSignature(
      parameters: [
        .init("damping", .value(.double), .double(0.85)),
        .init("tolerance", .value(.double), .double(1e-6)),
        .init("iterations", .value(.integer), .int32(100)), .init("source", .vertices, .null),
      ], results: [.init("rank", .double)], takesWeight: true)
  }

  static var betweenness: GraphSignature {
    GraphSignature(
      parameters: [
        .init("normalized", .value(.boolean), .boolean(true)),
        .init("samples", .value(.integer), .null), .init("seed", .value(.integer), .int32(0)),
        .init("source", .vertices, .null),
      ], results: [.init("centrality", .double)], takesWeight: true)
  }

  static var closeness: GraphSignature {
    GraphSignature(
      parameters: [.init("wf_improved", .value(.boolean), .boolean(true))],
      results: [.init("centrality", .double)], takesWeight: true)
  }

  static var harmonic: GraphSignature {
    GraphSignature(results: [.init("centrality", .double)], takesWeight: true)
  }

  static var eigenvector: GraphSignature {
    GraphSignature(
      parameters: [
        .init("tolerance", .value(.double), .double(1e-6)),
        .init("iterations", .value(.integer), .int32(100)),
      ], results: [.init("centrality", .double)], takesWeight: true)
  }

  static var hits: GraphSignature {
    GraphSignature(
      parameters: [
        .init("tolerance", .value(.double), .double(1e-8)),
        .init("iterations", .value(.integer), .int32(100)),
      ], results: [.init("hub", .double), .init("authority", .double)], takesWeight: true)
  }
}
