import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// Aggregates and windows.
extension QueryTranslator {
  /// Whether an aggregate needs its rows numbered beforehand, as Spark's gather them in no order.
  func needsNumber(_ call: AggregateCall) -> Bool {
    dialect == .spark && !call.orderBy.isEmpty && !call.isWithinGroup && !call.isDistinct
      && ["array_agg", "string_agg", "json_agg", "jsonb_agg"].contains(call.name)
  }

  func aggregatePiece(
    _ item: AggregatePlan.Item, _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> Piece {
    let call = item.call
    let number = needsNumber(call) ? columns[rowNumber(of: item.column.id)]?.expression : nil
    return Piece(
      try aggregate(call, columns, number: number), weight: 4,
      isInexact: try isInexact(call, columns))
  }

  /// Whether an aggregate is a numeric in Junction and a double in Spark.
  func isInexact(
    _ call: AggregateCall, _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> Bool {
    guard dialect == .spark, call.type == .numeric else { return false }
    if !["sum", "min", "max"].contains(call.name) { return true }
    for value in call.arguments where try piece(value, columns).isInexact { return true }
    return false
  }

  private func aggregate(
    _ call: AggregateCall, _ columns: [ColumnID: Piece], number: SQLSyntax.Expression? = nil
  ) throws(Refusal) -> SQLSyntax.Expression {
    let pieces = try call.arguments.map { (value) throws(Refusal) in try piece(value, columns) }
    let arguments = pieces.map(\.expression)
    let filter = try call.filter.map { (filter) throws(Refusal) in
      try piece(filter, columns).expression
    }
    if dialect == .spark {
      return try sparkAggregate(call, arguments, filter, number, columns)
    }
    if call.isOrderSensitive && call.orderBy.isEmpty { gathersInAnyOrder = true }
    var function = FunctionCall(
      QualifiedName(Identifier(call.name)), arguments.map { FunctionCall.Argument($0) },
      isStar: arguments.isEmpty && call.name == "count", isDistinct: call.isDistinct,
      orderBy: try sortItems(call.orderBy, columns), isWithinGroup: call.isWithinGroup,
      filter: filter)
    if call.isWithinGroup { function.arguments.removeLast(call.orderBy.count) }
    return Expression(.function(function))
  }

  func window(
    _ call: WindowCall, _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> SQLSyntax.Expression {
    let arguments = try call.arguments.map { (value) throws(Refusal) in
      try piece(value, columns).expression
    }
    let partition = try call.partitionBy.map { (value) throws(Refusal) in
      try piece(value, columns).expression
    }
    let order = try sortItems(call.orderBy, columns)
    let name: String
    var usesFrame = true
    switch call.function {
    case .rowNumber: (name, usesFrame) = ("row_number", false)
    case .rank: (name, usesFrame) = ("rank", false)
    case .denseRank: (name, usesFrame) = ("dense_rank", false)
    case .percentRank: (name, usesFrame) = ("percent_rank", false)
    case .cumeDist: (name, usesFrame) = ("cume_dist", false)
    case .ntile:
      (name, usesFrame) = ("ntile", false)
      let isFixed =
        if case .constant(.int32(1...), _)? = call.arguments.first { true } else { false }
      if dialect == .spark && !isFixed {
        throw Refusal("a number of parts that is no constant", about: .function(name))
      }
    case .lag: (name, usesFrame) = ("lag", false)
    case .lead: (name, usesFrame) = ("lead", false)
    case .firstValue: name = "first_value"
    case .lastValue: name = "last_value"
    case .nthValue: name = "nth_value"
    case .aggregate(let aggregate): name = aggregate.name
    }
    if dialect == .spark, order.isEmpty, !usesFrame {
      throw Refusal("a window function whose rows have no order", about: .function(name))
    }
    let specification = WindowSpecification(
      base: nil, partitionBy: partition, orderBy: order,
      frame: usesFrame ? try frame(call, order.isEmpty, columns) : nil, range: .none)
    if case .aggregate(let aggregate) = call.function {
      return try windowAggregate(aggregate, columns, specification)
    }
    return Expression(
      .function(
        FunctionCall(
          QualifiedName(Identifier(name)), arguments.map { FunctionCall.Argument($0) },
          over: .inline(specification))))
  }

  private func windowAggregate(
    _ call: AggregateCall, _ columns: [ColumnID: Piece], _ window: WindowSpecification
  ) throws(Refusal) -> SQLSyntax.Expression {
    let value = try aggregate(call, columns)
    guard let placed = Self.placing(value, over: window) else {
      throw Refusal("this aggregate over a window", about: .function(call.name))
    }
    return placed
  }

  /// The aggregate with OVER, also where a cast stands around it.
  private static func placing(
    _ value: SQLSyntax.Expression, over window: WindowSpecification
  ) -> SQLSyntax.Expression? {
    switch value.kind {
    case .function(var call):
      call.over = .inline(window)
      return Expression(.function(call))
    case .cast(let inner, let type):
      return placing(inner, over: window).map { Expression(.cast($0, type)) }
    case .binary(let symbol, let left, let right):
      guard let one = placing(left, over: window), let other = placing(right, over: window) else {
        return nil
      }
      return Expression(.binary(symbol, one, other))
    case .conditional(let function, let arguments):
      // NULLIF of an aggregate and a constant.
      guard let first = arguments.first, let placed = placing(first, over: window) else {
        return nil
      }
      return Expression(.conditional(function, [placed] + arguments.dropFirst()))
    case .literal, .parameter, .column, .allColumns, .unary, .and, .or, .not, .isTest,
      .isDistinct, .between, .inList, .inSubquery, .pattern, .quantified, .exists, .subquery,
      .array, .arraySubquery, .row, .caseWhen, .typedLiteral, .collate,
      .sessionValue, .grouping, .subscripted, .field, .allFields, .defaultValue, .currentOf:
      return nil
    }
  }

  private func frame(
    _ call: WindowCall, _ isUnordered: Bool, _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> SQLSyntax.WindowFrame? {
    let own = call.frame
    let isDefault: Bool
    if case (.range, .unboundedPreceding, .currentRow, .none) =
      (own.unit, own.start, own.end, own.exclusion)
    {
      isDefault = true
    } else {
      isDefault = false
    }
    if isDefault && (isUnordered || dialect == .postgres) { return nil }
    if dialect == .spark {
      if own.unit == .groups { throw Refusal("a frame in GROUPS", about: .word("groups")) }
      if own.exclusion != .none { throw Refusal("EXCLUDE in a frame", about: .word("exclude")) }
      let hasOffset = [own.start, own.end].contains { bound in
        switch bound {
        case .preceding, .following: true
        case .unboundedPreceding, .currentRow, .unboundedFollowing: false
        }
      }
      if own.unit == .range, hasOffset, call.orderBy.first?.expression.type.isInteger != true {
        throw Refusal("offsets in RANGE of what is no whole number", about: .word("range"))
      }
    }
    let unit: SQLSyntax.WindowFrame.Unit =
      switch own.unit {
      case .rows: .rows
      case .range: .range
      case .groups: .groups
      }
    let exclusion: SQLSyntax.WindowFrame.Exclusion =
      switch own.exclusion {
      case .none: .noOthers
      case .currentRow: .currentRow
      case .group: .group
      case .ties: .ties
      }
    return SQLSyntax.WindowFrame(
      unit: unit, start: try bound(own.start, columns), end: try bound(own.end, columns),
      isBetween: true, exclusion: exclusion, range: .none)
  }

  private func bound(
    _ bound: WindowCall.WindowFrame.Bound, _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> SQLSyntax.WindowFrame.Bound {
    func offset(_ value: BoundExpression) throws(Refusal) -> SQLSyntax.Expression {
      guard dialect == .spark else { return try piece(value, columns).expression }
      switch value {
      case .constant(.int64(let number), _): return .number(Int(number))
      case .constant(.int32(let number), _): return .number(Int(number))
      case .column, .constant, .parameter, .call, .cast, .and, .or, .not, .comparison, .distinct,
        .isNull, .isBoolean, .caseWhen, .coalesce, .extreme, .inList, .quantified, .quantifiedCall,
        .array, .row, .field, .shared, .local, .decoded, .session, .subquery, .aggregate, .window:
        throw Refusal("a frame whose offset is no constant", about: .word("over"))
      }
    }
    switch bound {
    case .unboundedPreceding: return .unboundedPreceding
    case .currentRow: return .currentRow
    case .unboundedFollowing: return .unboundedFollowing
    case .preceding(let value): return .preceding(try offset(value))
    case .following(let value): return .following(try offset(value))
    }
  }
}
