import Diagnostics

/// What an algorithm takes as the weight of an edge.
enum WeightRule {
  case notNegative, positive
  /// Not infinite either, as strengths are added up and divided by.
  case strength
  case finite

  func allows(_ weight: Double) -> Bool {
    switch self {
    case .strength: weight >= 0 && weight < .infinity
    case .finite: weight.isFinite
    case .notNegative: weight >= 0
    case .positive: weight > 0
    }
  }

  /// - Returns: The error for a weight that `function` does not take.
  func refusal(in function: String) -> SQLError {
    switch self {
    case .notNegative:
      SQLError(
        .invalidParameterValue, "a weight is negative, which \(function) does not take",
        hint: "Leave such edges out with a query, or shift all weights.")
    case .strength:
      SQLError(
        .invalidParameterValue,
        "a weight is negative or infinite, which \(function) does not take",
        hint: "Leave such edges out with a query.")
    case .finite:
      SQLError(
        .invalidParameterValue, "a weight is infinite, which \(function) does not take",
        hint: "Leave such edges out with a query.")
    case .positive:
      SQLError(
        .invalidParameterValue, "a weight is not above 0, which \(function) does not take",
        hint: "Leave such edges out with a query, or shift all weights.")
    }
  }
}

extension GraphWork {
  /// Looks at the weights of all edges.
  ///
  /// - Throws: 22023 for one that the rule does not allow; 57014.
  func require(
    _ rule: WeightRule, of graph: GraphTopology, in function: String
  ) throws(SQLError) {
    if !graph.out.hasWeights { return }
    try forEachBlock(graph.vertexCount) { (range) throws(SQLError) in
      var isAllowed = true
      let out = graph.out
      for vertex in range {
        out.forEachEdge(of: UInt32(truncatingIfNeeded: vertex)) { _, weight in
          isAllowed = isAllowed && rule.allows(weight)
        }
      }
      if !isAllowed { throw rule.refusal(in: function) }
    }
  }
}
