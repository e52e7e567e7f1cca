import Columnar
import Diagnostics
import Planning

/// How exact arithmetic is estimated by doubles, so that a bound rules out most rows before quotients are computed to their last
/// digit.
///
/// Only what is costly is estimated: the operands, up to the operators of `numeric`, are computed as they are, and fail as they
/// would.
indirect enum KeyEstimate {
  case operand(BoundExpression)
  case negated(KeyEstimate)
  case rounded(KeyEstimate, digits: Int)
  case operation(Operation, KeyEstimate, KeyEstimate)

  enum Operation: String { case add = "+", subtract = "-", multiply = "*", divide = "/" }

  /// nil for expressions without a division, which are soon computed.
  init?(_ expression: BoundExpression) {
    let isPlaced = expression.contains { part in
      switch part {
      case .shared, .local: true
      case .column, .constant, .parameter, .call, .cast, .and, .or, .not, .comparison, .distinct,
        .isNull, .isBoolean, .caseWhen, .coalesce, .extreme, .inList, .quantified,
        .quantifiedCall, .array, .row, .field, .decoded, .session, .subquery, .aggregate, .window:
        false
      }
    }
    guard expression.type == .numeric, !isPlaced, !expression.isVolatile else { return nil }
    self = .of(expression)
    guard divides else { return nil }
  }

  private static func of(_ expression: BoundExpression) -> KeyEstimate {
    if case .cast(let cast) = expression, cast.operand.type.isInteger, cast.target.type == .numeric,
      cast.target.modifier == .none
    {
      return .operand(cast.operand)
    }
    guard case .call(let call) = expression, call.type == .numeric,
      call.arguments.first?.type == .numeric
    else { return .operand(expression) }
    let (first, second) = (call.arguments[0], call.arguments.dropFirst().first)
    if call.name == "round", call.arguments.count == 1 { return .rounded(of(first), digits: 0) }
    if call.name == "round", case .int32(let digits)? = second?.asConstant, 0...20 ~= digits {
      return .rounded(of(first), digits: Int(digits))
    }
    if call.isOperator, call.name == "-", second == nil { return .negated(of(first)) }
    if call.isOperator, let operation = Operation(rawValue: call.name), let second,
      second.type == .numeric
    {
      return .operation(operation, of(first), of(second))
    }
    return .operand(expression)
  }

  private var divides: Bool {
    switch self {
    case .operand: false
    case .negated(let operand), .rounded(let operand, _): operand.divides
    case .operation(.divide, _, _): true
    case .operation(_, let left, let right): left.divides || right.divides
    }
  }

  func evaluator(_ compiler: ExpressionCompiler) throws(SQLError) -> EstimateEvaluator {
    switch self {
    case .operand(let expression): .operand(try compiler.compile(expression))
    case .negated(let operand): .negated(try operand.evaluator(compiler))
    case .rounded(let operand, let digits): .rounded(try operand.evaluator(compiler), digits)
    case .operation(let operation, let left, let right):
      .operation(operation, try left.evaluator(compiler), try right.evaluator(compiler))
    }
  }
}

/// An estimate, made ready for chunks.
indirect enum EstimateEvaluator {
  case operand(any Evaluator)
  case negated(EstimateEvaluator)
  case rounded(EstimateEvaluator, Int)
  case operation(KeyEstimate.Operation, EstimateEvaluator, EstimateEvaluator)

  /// The estimates of a chunk's rows; nil where operands are no numbers.
  func evaluate(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> EstimatedNumbers? {
    switch self {
    case .operand(let evaluator):
      return EstimatedNumbers(try evaluator.evaluateCompact(&chunk, context))
    case .negated(let operand): return try operand.evaluate(&chunk, context)?.negated
    case .rounded(let operand, let digits):
      return try operand.evaluate(&chunk, context)?.rounded(toDigits: digits)
    case .operation(let operation, let left, let right):
      guard let one = try left.evaluate(&chunk, context),
        let two = try right.evaluate(&chunk, context)
      else { return nil }
      switch operation {
      case .add: return one.adding(two)
      case .subtract: return one.subtracting(two)
      case .multiply: return one.multiplied(by: two)
      case .divide: return one.divided(by: two)
      }
    }
  }
}
