import Columnar
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
  /// - Throws: 22023 for the first one that the rule does not allow; 57014.
  func require(
    _ rule: WeightRule, of graph: GraphTopology, in function: String
  ) throws(SQLError) {
    if !graph.out.hasWeights { return }
    let blocks = (graph.vertexCount + Self.blockSize - 1) / Self.blockSize
    let isAllowed = Buffer<Bool>(repeating: true, count: max(blocks, 1))
    try forEachBlock(graph.vertexCount) { range in
      var areAllowed = true
      let out = graph.out
      for vertex in range {
        out.forEachEdge(of: UInt32(truncatingIfNeeded: vertex)) { _, weight in
          areAllowed = areAllowed && rule.allows(weight)
        }
      }
      isAllowed[range.lowerBound / Self.blockSize] = areAllowed
    }
    for block in 0..<blocks where !isAllowed[block] {
      let first = block * Self.blockSize
      for vertex in first..<min(first + Self.blockSize, graph.vertexCount) {
        try refuse(rule, from: UInt32(truncatingIfNeeded: vertex), graph.out, in: function)
      }
    }
  }

  /// - Throws: 22023 for the first edge of a vertex whose weight a rule does not allow.
  func refuse(
    _ rule: WeightRule, from vertex: UInt32, _ lists: GraphLists, in function: String
  ) throws(SQLError) {
    var found: (target: UInt32, weight: Double)?
    lists.forEachEdge(of: vertex) { target, weight in
      if found == nil, !rule.allows(weight) { found = (target, weight) }
    }
    guard let found else { return }
    var weight = ByteBuilder()
    weight.append(double: found.weight)
    var error = rule.refusal(in: function)
    error.detail = "The edge \(try names.listed([vertex, found.target])) weighs \(weight.string)."
    throw error
  }
}

/// Weights as they are read.
enum EdgeWeight {
  /// What stands for NULL: not a number, and no other that is none.
  static var null: Double { Double(nan: 1, signaling: false) }

  /// The numbers of a column, and whether one of them is none.
  static func numbers(_ column: Vector, count: Int) -> (numbers: Buffer<Double>, hasUnknown: Bool) {
    let column = column.flattened()
    let values = column.values(Double.self)
    var unknown = 0
    if !column.mayHaveNulls {
      for row in 0..<count { unknown &+= values[row].isNaN ? 1 : 0 }
      return (values, unknown > 0)
    }
    let numbers = Buffer<Double>(uninitialized: max(count, 1))
    for row in 0..<count {
      numbers[row] = column.isValid(row) ? values[row] : null
      unknown &+= numbers[row].isNaN ? 1 : 0
    }
    return (numbers, unknown > 0)
  }

  /// - Throws: 22004 for the first edge whose weight is NULL, 22023 if it is NaN; 57014.
  static func requireKnown(
    _ graph: GraphTopology, _ names: GraphNames, _ context: ExecutionContext
  ) throws(SQLError) {
    for number in 0..<graph.vertexCount {
      if number & 0xFFF == 0 { try context.check() }
      let vertex = UInt32(truncatingIfNeeded: number)
      var found: (target: UInt32, weight: Double)?
      graph.out.forEachEdge(of: vertex) { target, weight in
        if found == nil, weight.isNaN { found = (target, weight) }
      }
      guard let found else { continue }
      let detail = "The edge is \(try names.listed([vertex, found.target]))."
      if found.weight.bitPattern == null.bitPattern {
        throw SQLError(
          .nullNotAllowed, "the weight of an edge is NULL", detail: detail,
          hint: "Leave such edges out, or give them a weight with coalesce.")
      }
      throw SQLError(.invalidParameterValue, "the weight of an edge is NaN", detail: detail)
    }
  }
}
