import Columnar
package import Diagnostics
package import Planning

/// Turns bound expressions into evaluators over the columns of one input.
package struct ExpressionCompiler {
  let scope: ColumnScope
  /// Columns of queries around this one, which `apply` supplies.
  let outer: [ColumnID: OuterColumn]
  /// Whether what is compiled is computed for the entries of a table, not for rows.
  private var isTabulating = false

  package init(_ columns: [PlanColumn]) {
    self.init(ColumnScope(columns), outer: [:])
  }

  init(_ scope: ColumnScope, outer: [ColumnID: OuterColumn]) {
    self.scope = scope
    self.outer = outer
  }

  /// The evaluator of an expression.
  ///
  /// - Throws: XX000 for a column that the input does not have, or a part that planning should have removed.
  package func compile(_ expression: BoundExpression) throws(SQLError) -> any Evaluator {
    try RunningStatement.check()
    if let tabulated = try tabulated(expression) { return tabulated }
    switch expression {
    case .column(let id, let type): return try column(id, type)
    case .constant(let value, let type): return ConstantEvaluator(value, type)
    case .parameter(let index, let type): return ParameterEvaluator(index, type)
    case .call(let call):
      if let operation = call.decimalOperation {
        return DecimalEvaluator(
          operation, try compile(call.arguments[0]), try compile(call.arguments[1]),
          kernel: call.kernel)
      }
      return CallEvaluator(
        try compile(call.arguments), type: call.type, isStrict: call.isStrict,
        isVolatile: call.volatility == .volatile, takesDecimals: call.isOfDecimal,
        kernel: call.kernel)
    case .cast(let cast):
      if cast.isWholeAsDecimal { return WholeAsDecimalEvaluator(try compile(cast.operand)) }
      return CallEvaluator(
        [try compile(cast.operand)], type: cast.target.type, isStrict: true, isVolatile: false,
        takesDecimals: cast.isDecimalAsDouble, kernel: cast.kernel)
    case .and(let list): return try junction(list, isAnd: true)
    case .or(let list): return try junction(list, isAnd: false)
    case .not(let operand): return NotEvaluator(try compile(operand))
    case .comparison(let comparison, let left, let right):
      return ComparisonEvaluator(comparison, try compile(left), try compile(right))
    case .distinct(let left, let right, let negated):
      return DistinctEvaluator(try compile(left), try compile(right), negated: negated)
    case .isNull(let operand, let negated):
      return NullTestEvaluator(try compile(operand), negated: negated)
    case .isBoolean(let operand, let value, let negated):
      return BooleanTestEvaluator(try compile(operand), value: value, negated: negated)
    case .caseWhen, .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array, .row,
      .field, .shared, .decoded, .local, .session, .subquery, .aggregate, .window:
      return try compileComposite(expression)
    }
  }

  private func compileComposite(
    _ expression: BoundExpression
  ) throws(SQLError) -> any Evaluator {
    switch expression {
    case .caseWhen(let branches, let otherwise, let type):
      var conditions: [ConjunctiveFilter] = []
      for branch in branches { conditions.append(try ConjunctiveFilter([branch.condition], self)) }
      return CaseEvaluator(
        conditions: conditions, results: try guarded(branches.map(\.result) + [otherwise]),
        type: type)
    case .coalesce(let list, let type): return CoalesceEvaluator(try guarded(list), type: type)
    case .extreme(let list, let isGreatest, let type):
      return ExtremeEvaluator(try compile(list), isGreatest: isGreatest, type: type)
    case .inList(let operand, let list, let negated):
      return try inList(operand, list, negated)
    case .quantified(let comparison, let operand, let array, let isAll):
      return QuantifiedEvaluator(
        operand: try compile(operand), array: try compile(array), isAll: isAll,
        test: .comparison(comparison))
    case .quantifiedCall(let call, let element, let array, let isAll):
      return QuantifiedEvaluator(
        operand: try compile(element), array: try compile(array), isAll: isAll,
        test: .kernel(call.kernel))
    case .array(let list, let type): return ArrayEvaluator(try compile(list), type: type)
    case .row(let list, let record): return RowEvaluator(try compile(list), record: record)
    case .field(let operand, let index, let type):
      return FieldEvaluator(try compile(operand), index: index, type: type)
    case .shared(let values, let body): return try shared(values, body)
    case .local(let index, let type):
      guard let place = scope.position(ofLocal: index) else {
        throw SQLError.internal("there is no value \(index + 1) around")
      }
      return ColumnEvaluator(place, type.type)
    case .decoded(let operand, let source, let type):
      return DecodingEvaluator(try compile(operand), source, type)
    case .session(let function, let arguments, let type):
      return SessionEvaluator(function, try compile(arguments), type: type)
    case .subquery: throw SQLError.internal("a subquery was left in a physical plan")
    case .aggregate(let call):
      throw SQLError.internal("the aggregate \(call.name) was left in an expression")
    case .column, .constant, .parameter, .call, .cast, .and, .or, .not, .comparison, .distinct,
      .isNull, .isBoolean, .window:
      throw SQLError.internal("a window call was left in an expression")
    }
  }

  /// An expression over one column that is better looked up than computed; nil for others.
  private func tabulated(_ expression: BoundExpression) throws(SQLError) -> TabulatedEvaluator? {
    guard !isTabulating, let tabulation = expression.tabulation,
      let place = scope.position(of: tabulation.column)
    else { return nil }
    let inner = ColumnScope(below: scope)
    var compiler = below(inner)
    compiler.isTabulating = true
    let evaluator = try compiler.compile(expression)
    return TabulatedEvaluator(evaluator, column: place, mayExceed: tabulation.mayExceed)
  }

  /// AND or OR: what comes first and is cheap is computed for all rows.
  private func junction(
    _ list: [BoundExpression], isAnd: Bool
  ) throws(SQLError) -> JunctionEvaluator {
    let leading = list.prefix { $0.cannotFail && $0.evaluationCost <= Self.wholeCost }
    return JunctionEvaluator(try guarded(list), wholeCount: leading.count, isAnd: isAnd)
  }

  /// What costs no more is quicker to compute for every row than for those that are picked out.
  private static let wholeCost = 3.0

  /// The evaluators of several expressions.
  package func compile(_ list: [BoundExpression]) throws(SQLError) -> [any Evaluator] {
    var result: [any Evaluator] = []
    result.reserveCapacity(list.count)
    for expression in list { result.append(try compile(expression)) }
    return result
  }

  /// The compiler of a part of an expression, with a scope of its own.
  private func below(_ scope: ColumnScope) -> ExpressionCompiler {
    var result = ExpressionCompiler(scope, outer: outer)
    result.isTabulating = isTabulating
    return result
  }

  /// An expression that will be evaluated for some of the rows.
  func guarded(_ expression: BoundExpression) throws(SQLError) -> GuardedEvaluator {
    let inner = ColumnScope(below: scope)
    let evaluator = try below(inner).compile(expression)
    return GuardedEvaluator(evaluator, sources: inner.sources)
  }

  func guarded(_ list: [BoundExpression]) throws(SQLError) -> [GuardedEvaluator] {
    var result: [GuardedEvaluator] = []
    result.reserveCapacity(list.count)
    for expression in list { result.append(try guarded(expression)) }
    return result
  }

  private func column(_ id: ColumnID, _ type: LogicalType) throws(SQLError) -> any Evaluator {
    if let index = scope.position(of: id) { return ColumnEvaluator(index, type) }
    if let column = outer[id] { return OuterColumnEvaluator(column) }
    throw SQLError.internal("column \(id) is not among the operator's inputs")
  }

  /// The values stand before the columns of the chunks that the body is evaluated over.
  private func shared(
    _ values: [BoundExpression], _ body: BoundExpression
  ) throws(SQLError) -> any Evaluator {
    let inner = ColumnScope(below: scope, localCount: values.count)
    let evaluator = try below(inner).compile(body)
    return SharedEvaluator(try compile(values), evaluator, sources: inner.sources)
  }

  /// A list free of columns is looked up in a set; any other is taken value by value, each only for the
  /// rows that no earlier one settled.
  private func inList(
    _ operand: BoundExpression, _ list: [BoundExpression], _ negated: Bool
  ) throws(SQLError) -> any Evaluator {
    let isFree = list.allSatisfy { item in
      switch item {
      case .constant, .parameter: true
      case .column, .call, .cast, .and, .or, .not, .comparison, .distinct, .isNull, .isBoolean,
        .caseWhen, .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array, .row, .field,
        .shared, .decoded, .local, .session, .subquery, .aggregate, .window:
        false
      }
    }
    if isFree {
      return SetMembershipEvaluator(
        try compile(operand), try compile(list), negated: negated)
    }
    let equalities = list.map { BoundExpression.comparison(.equal, operand, $0) }
    let any = try junction(equalities, isAnd: false)
    return negated ? NotEvaluator(any) : any
  }
}

/// A part of an expression with the columns it needs, so that it can be evaluated for some rows.
final class GuardedEvaluator {
  let evaluator: any Evaluator
  /// The places of its columns in the chunk around.
  private let sources: [Int]

  init(_ evaluator: any Evaluator, sources: [Int]) {
    self.evaluator = evaluator
    self.sources = sources
  }

  /// The values for the rows of `selection`, or for all rows where it is nil.
  func evaluate(
    _ selection: SelectionVector?, of chunk: DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> Vector {
    var part: DataChunk
    if let selection, selection.count < chunk.count {
      part = DataChunk(
        sources.map { chunk.columns[$0].gathered(selection) }, count: selection.count)
    } else {
      part = DataChunk(sources.map { chunk.columns[$0] }, count: chunk.count)
    }
    return try evaluator.evaluate(&part, context)
  }
}
