package import Columnar

/// A call of a set-returning function.
package struct TableFunctionCall: Sendable {
  package var name: String
  package var arguments: [BoundExpression]
  package var columns: [PlanColumn]
  package var isStrict: Bool
  /// Whether two calls with the same arguments may give different rows.
  package var isVolatile: Bool
  package var kernel: SetReturningKernel
  /// The graph that the function is an algorithm over; it has no kernel then.
  package var graph: GraphCall?

  package init(
    name: String, arguments: [BoundExpression], columns: [PlanColumn], isStrict: Bool,
    isVolatile: Bool = false, kernel: SetReturningKernel, graph: GraphCall? = nil
  ) {
    self.graph = graph
    self.name = name
    self.arguments = arguments
    self.columns = columns
    self.isStrict = isStrict
    self.isVolatile = isVolatile
    self.kernel = kernel
  }
}

/// One or more functions in FROM, side by side as ROWS FROM does.
///
/// With an `input` (what a lateral join has become), the rows of `input` come out once for each row
/// the functions give for them, the functions' columns behind the input's.
package struct TableFunctionPlan: Sendable {
  package var input: LogicalPlan?
  package var calls: [TableFunctionCall]
  /// The column of WITH ORDINALITY.
  package var ordinality: PlanColumn?
  /// Whether an input row without function rows comes out once with NULLs (LEFT JOIN LATERAL).
  package var isOuter: Bool

  package init(
    input: LogicalPlan? = nil, calls: [TableFunctionCall], ordinality: PlanColumn? = nil,
    isOuter: Bool = false
  ) {
    self.input = input
    self.calls = calls
    self.ordinality = ordinality
    self.isOuter = isOuter
  }
}

extension TableFunctionPlan {
  /// What the calls read before they run.
  package var graphPlans: [LogicalPlan] { calls.flatMap { $0.graph?.plans ?? [] } }

  /// The same with what the calls read before they run replaced.
  func mapGraphPlans<Failure: Error>(
    _ transform: (LogicalPlan) throws(Failure) -> LogicalPlan
  ) throws(Failure) -> TableFunctionPlan {
    var plan = self
    for index in calls.indices {
      guard var graph = calls[index].graph else { continue }
      for place in graph.plans.indices { graph.plans[place] = try transform(graph.plans[place]) }
      plan.calls[index].graph = graph
    }
    return plan
  }
}
