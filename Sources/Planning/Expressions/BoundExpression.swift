package import Columnar

/// A value expression with every name and type settled.
///
/// Operands of comparisons are of one type; implicit casts are explicit nodes. Subqueries stand only
/// between binder and unnesting, aggregates and window calls only inside the binder. The height of a tree is
/// bounded by the parser's limit.
package indirect enum BoundExpression: Sendable {
  case column(ColumnID, LogicalType)
  case constant(Value, LogicalType)
  /// `$n`, or an argument of an inlined function; counted from 0.
  case parameter(Int, LogicalType)
  /// A built-in function or operator.
  case call(BoundCall)
  /// A conversion; `kernel` does it for a whole vector.
  case cast(BoundCast)
  case and([BoundExpression])
  case or([BoundExpression])
  case not(BoundExpression)
  /// Both sides are of one type, or differ only in ways that share a physical type (text, varchar).
  case comparison(ComparisonOperator, BoundExpression, BoundExpression)
  /// `IS [NOT] DISTINCT FROM`: never NULL.
  case distinct(BoundExpression, BoundExpression, negated: Bool)
  case isNull(BoundExpression, negated: Bool)
  /// `IS [NOT] TRUE/FALSE`; UNKNOWN is `isNull`.
  case isBoolean(BoundExpression, Bool, negated: Bool)
  /// Searched CASE. A simple CASE is bound to comparisons; its operand is repeated in them.
  case caseWhen([BoundBranch], otherwise: BoundExpression, LogicalType)
  case coalesce([BoundExpression], LogicalType)
  /// GREATEST and LEAST: NULLs are passed over.
  case extreme([BoundExpression], isGreatest: Bool, LogicalType)
  /// `x [NOT] IN (list)`, all of one type.
  case inList(BoundExpression, [BoundExpression], negated: Bool)
  /// `x op ANY/ALL (array)`.
  case quantified(ComparisonOperator, BoundExpression, array: BoundExpression, isAll: Bool)
  /// The same with an operator that is no comparison (LIKE …): the kernel is applied to each element.
  case quantifiedCall(BoundCall, element: BoundExpression, array: BoundExpression, isAll: Bool)
  /// `ARRAY[…]`; the type is the array's.
  case array([BoundExpression], LogicalType)
  case row([BoundExpression], RecordType)
  case field(BoundExpression, Int, LogicalType)
  /// A part in which the values of a list, each computed once, are used by place.
  ///
  /// - Invariant: `shared` expressions around a `local` stand between it and no other: what is put into a body
  ///   has no local of its own.
  case shared([BoundExpression], in: BoundExpression)
  /// A value of the list of the innermost `shared` around.
  case local(Int, ColumnType)
  /// The value that a code of a column stands for, NULL for NULL.
  case decoded(BoundExpression, CodedColumn, LogicalType)
  /// `nextval` and other functions that act on the session.
  case session(SessionFunction, [BoundExpression], LogicalType)
  case subquery(BoundSubquery)
  /// An aggregate before the binder has moved it into an `aggregate` operator.
  case aggregate(AggregateCall)
  /// A window call before the binder has moved it into a `window` operator.
  case window(WindowCall)
}

/// The comparisons of SQL.
package enum ComparisonOperator: String, Sendable, Hashable {
  case equal = "="
  case notEqual = "<>"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="

  /// The operator with its sides exchanged.
  package var commuted: ComparisonOperator {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }

  /// The operator that is true where this one is false.
  package var negated: ComparisonOperator {
    switch self {
    case .equal: .notEqual
    case .notEqual: .equal
    case .less: .greaterOrEqual
    case .lessOrEqual: .greater
    case .greater: .lessOrEqual
    case .greaterOrEqual: .less
    }
  }
}

/// A call of a built-in function or operator.
package struct BoundCall: Sendable {
  package var name: String
  package var arguments: [BoundExpression]
  package var type: LogicalType
  /// Whether a NULL argument makes the result NULL without a call.
  package var isStrict: Bool
  package var volatility: FunctionVolatility
  package var kernel: ScalarKernel
  /// Whether it is written between its arguments, for EXPLAIN.
  package var isOperator: Bool

  package init(
    name: String, arguments: [BoundExpression], type: LogicalType, isStrict: Bool,
    volatility: FunctionVolatility, isOperator: Bool = false, kernel: @escaping ScalarKernel
  ) {
    self.name = name
    self.arguments = arguments
    self.type = type
    self.isStrict = isStrict
    self.volatility = volatility
    self.isOperator = isOperator
    self.kernel = kernel
  }
}

/// A conversion of a value to another type.
package struct BoundCast: Sendable {
  package var operand: BoundExpression
  package var target: ColumnType
  package var isExplicit: Bool
  package var kernel: ScalarKernel

  package init(
    _ operand: BoundExpression, to target: ColumnType, isExplicit: Bool,
    kernel: @escaping ScalarKernel
  ) {
    self.operand = operand
    self.target = target
    self.isExplicit = isExplicit
    self.kernel = kernel
  }
}

/// One WHEN … THEN ….
package struct BoundBranch: Sendable {
  package var condition: BoundExpression
  package var result: BoundExpression

  package init(condition: BoundExpression, result: BoundExpression) {
    self.condition = condition
    self.result = result
  }
}

/// Functions that read or change the session rather than only their arguments.
package enum SessionFunction: String, Sendable, Hashable {
  case nextval, currval, setval, lastval
  case currentSetting = "current_setting"
  case setConfig = "set_config"
  case serialSequence = "pg_get_serial_sequence"
  case viewDefinition = "pg_get_viewdef"
  case relationName = "regclass"
  case transactionID = "txid_current"
  case sleep = "pg_sleep"
}

/// A query that stands in an expression.
package struct BoundSubquery: Sendable {
  /// What the query is asked for.
  package enum Kind: Sendable {
    /// Its one value; NULL for no row, 21000 for more than one.
    case scalar
    /// Whether it has a row.
    case exists(negated: Bool)
    /// `left op ANY (query)`; IN is `=`. Several left operands are a row comparison by `=` or `<>`.
    case any([BoundExpression], ComparisonOperator)
    /// `left op ALL (query)`; NOT IN is `<>`.
    case all([BoundExpression], ComparisonOperator)
    /// All its values as an array, in its order.
    case array
  }
  package var kind: Kind
  package var plan: LogicalPlan
  package var type: LogicalType

  package init(kind: Kind, plan: LogicalPlan, type: LogicalType) {
    self.kind = kind
    self.plan = plan
    self.type = type
  }
}

/// An aggregate over the rows of a group.
package struct AggregateCall: Sendable {
  package var name: String
  package var arguments: [BoundExpression]
  package var isDistinct: Bool
  package var orderBy: [SortKey]
  package var filter: BoundExpression?
  package var type: LogicalType
  package var factory: AggregateFactory
  /// Whether rows with a NULL argument are passed over before the accumulator sees them.
  package var isStrict: Bool
  /// Whether the order of rows shows in the result.
  package var isOrderSensitive: Bool
  /// Whether the call is `WITHIN GROUP`: the last argument is what the rows are ordered by.
  package var isWithinGroup: Bool

  package init(
    name: String, arguments: [BoundExpression], isDistinct: Bool = false, orderBy: [SortKey] = [],
    filter: BoundExpression? = nil, type: LogicalType, isStrict: Bool,
    isOrderSensitive: Bool = false, isWithinGroup: Bool = false,
    factory: @escaping AggregateFactory
  ) {
    self.name = name
    self.arguments = arguments
    self.isDistinct = isDistinct
    self.orderBy = orderBy
    self.filter = filter
    self.type = type
    self.isStrict = isStrict
    self.isOrderSensitive = isOrderSensitive
    self.isWithinGroup = isWithinGroup
    self.factory = factory
  }
}

/// A function over a window.
package struct WindowCall: Sendable {
  /// Which function.
  package enum Function: Sendable {
    case rowNumber, rank, denseRank, percentRank, cumeDist, ntile
    case lag, lead, firstValue, lastValue, nthValue
    case aggregate(AggregateCall)
  }
  package var function: Function
  package var arguments: [BoundExpression]
  package var partitionBy: [BoundExpression]
  package var orderBy: [SortKey]
  package var frame: WindowFrame
  package var type: LogicalType

  package init(
    function: Function, arguments: [BoundExpression], partitionBy: [BoundExpression],
    orderBy: [SortKey], frame: WindowFrame, type: LogicalType
  ) {
    self.function = function
    self.arguments = arguments
    self.partitionBy = partitionBy
    self.orderBy = orderBy
    self.frame = frame
    self.type = type
  }

  /// The frame of a window call.
  package struct WindowFrame: Sendable {
    package enum Unit: Sendable, Hashable { case rows, range, groups }
    package enum Bound: Sendable {
      case unboundedPreceding
      case preceding(BoundExpression)
      case currentRow
      case following(BoundExpression)
      case unboundedFollowing
    }
    package enum Exclusion: Sendable, Hashable { case none, currentRow, group, ties }
    package var unit: Unit
    package var start: Bound
    package var end: Bound
    package var exclusion: Exclusion

    package init(unit: Unit, start: Bound, end: Bound, exclusion: Exclusion = .none) {
      self.unit = unit
      self.start = start
      self.end = end
      self.exclusion = exclusion
    }
  }
}

/// One key to sort by.
package struct SortKey: Sendable {
  package var expression: BoundExpression
  package var isDescending: Bool
  package var nullsFirst: Bool

  package init(_ expression: BoundExpression, isDescending: Bool, nullsFirst: Bool) {
    self.expression = expression
    self.isDescending = isDescending
    self.nullsFirst = nullsFirst
  }
}
