import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  func resolveOperator(
    _ op: Operator, left: Placed?, right: Placed, at range: SourceRange
  ) throws(SQLError) -> BoundExpression {
    throw missingOperator(op, left?.expression.type, right.expression.type)
  }

  func resolveBuiltin(
    _ call: FunctionCall, _ arguments: CallArguments, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression? { nil }

  func bindSessionCall(
    _ call: FunctionCall, _ arguments: CallArguments, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression? { nil }

  var builtinFunctionNames: Set<String> { [] }

  func isAggregate(_ call: FunctionCall) -> Bool { ["count", "sum"].contains(call.name.name) }

  func functionExists(_ call: FunctionCall, in scope: Scope) throws(SQLError) -> Bool { false }

  func functionHides(_ call: FunctionCall, in scope: Scope) throws(SQLError) -> Bool { false }

  func resolveAggregate(
    _ call: FunctionCall, _ arguments: [Placed], at range: SourceRange
  ) throws(SQLError) -> ResolvedAggregate { throw SQLError.internal("no aggregates yet") }

  func resolveTableFunction(
    _ call: FunctionCall, _ arguments: CallArguments, columns: [PlanColumn]?,
    at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> FunctionSource? {
    try resolveUserSource(call, arguments, at: range)
  }

  func arrayElement(_ array: BoundExpression, _ index: BoundExpression) -> BoundExpression { array }
  func arraySlice(
    _ array: BoundExpression, _ lower: BoundExpression, _ upper: BoundExpression
  ) -> BoundExpression { array }
}
