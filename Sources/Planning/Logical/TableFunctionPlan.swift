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

  package init(
    name: String, arguments: [BoundExpression], columns: [PlanColumn], isStrict: Bool,
    isVolatile: Bool = false, kernel: @escaping SetReturningKernel
  ) {
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
