import Columnar
import Diagnostics
import Planning

/// The whole number that a look-up asks for: one for a run.
enum PointKey {
  case parameter(Int)
  case computed(any Evaluator)

  /// nil for an expression that is no whole number, not known before the first row, or not short.
  init?(_ expression: BoundExpression) {
    guard expression.type.isInteger, expression.isKnown, expression.isShort else { return nil }
    if case .parameter(let index, _) = expression {
      self = .parameter(index)
      return
    }
    guard let evaluator = try? ExpressionCompiler([]).compile(expression) else { return nil }
    self = .computed(evaluator)
  }

  /// The parameter that it is, if it is nothing more.
  var parameter: Int? {
    if case .parameter(let index) = self { return index }
    return nil
  }

  /// The number in a run, unless it is given; nil for NULL.
  ///
  /// - Throws: what the expression throws; XX000 without a run.
  func number(_ context: ExecutionContext?, or given: Int64?) throws(SQLError) -> Int64? {
    if let given { return given }
    guard let context else { throw SQLError.withoutParameters }
    switch self {
    case .parameter(let index):
      guard index < context.parameters.count else { return nil }
      return context.parameters[index].wholeNumber(at: 0)
    case .computed(let evaluator):
      var row = DataChunk([], count: 1)
      return try evaluator.evaluate(&row, context).wholeNumber(at: 0)
    }
  }
}

extension SQLError {
  /// A look-up that asks for parameters was given none.
  static var withoutParameters: SQLError { .internal("a look-up was given no parameters") }
}

extension BoundExpression {
  /// Whether it asks for a row and for parameters alone, and takes no time worth cancelling.
  var isShort: Bool {
    switch self {
    case .column, .constant, .parameter: true
    case .and(let list), .or(let list), .coalesce(let list, _), .extreme(let list, _, _):
      list.allSatisfy(\.isShort)
    case .not(let operand), .isNull(let operand, _), .isBoolean(let operand, _, _):
      operand.isShort
    case .comparison(_, let left, let right), .distinct(let left, let right, _):
      left.isShort && right.isShort && !left.type.hasParts
    case .inList(let operand, let list, _):
      operand.isShort && list.allSatisfy(\.isShort) && !operand.type.hasParts
    case .caseWhen(let branches, let otherwise, _):
      branches.allSatisfy { $0.condition.isShort && $0.result.isShort } && otherwise.isShort
    case .cast(let cast):
      cast.operand.isShort && cast.operand.type.isNumeric && cast.target.type.isNumeric
    case .call(let call):
      call.isOperator && call.volatility == .immutable && call.arguments.allSatisfy(\.isShort)
        && (call.arguments.allSatisfy { $0.type.isNumeric || $0.type == .date }
          || call.hasWholePattern)
    case .quantified, .quantifiedCall, .array, .row, .field, .shared, .decoded, .local, .session,
      .subquery, .aggregate, .window:
      false
    }
  }
}

extension ExpressionCompiler {
  /// Short expressions; nil for others.
  func short(_ expressions: [BoundExpression]) -> [any Evaluator]? {
    guard expressions.allSatisfy(\.isShort) else { return nil }
    var compiled: [any Evaluator] = []
    for expression in expressions {
      guard let evaluator = try? compile(expression) else { return nil }
      compiled.append(evaluator)
    }
    return compiled
  }
}
