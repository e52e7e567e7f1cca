import Columnar
import Planning
import SQLSyntax

/// Aggregates in Spark's words.
extension QueryTranslator {
  /// Aggregates that are called alike and give the same, numbers aside that are compared as such.
  private static let sameAggregates: Set<String> = [
    "count", "sum", "avg", "min", "max", "bool_and", "bool_or", "every", "stddev", "stddev_samp",
    "stddev_pop", "variance", "var_samp", "var_pop", "corr", "covar_pop", "covar_samp", "bit_and",
    "bit_or", "bit_xor", "regr_count", "regr_avgx", "regr_avgy", "regr_slope", "regr_intercept",
    "regr_r2",
    "regr_sxx", "regr_syy", "regr_sxy",
  ]

  func sparkAggregate(
    _ call: AggregateCall, _ arguments: [SQLSyntax.Expression], _ filter: SQLSyntax.Expression?,
    _ number: SQLSyntax.Expression?, _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> SQLSyntax.Expression {
    let types = call.arguments.map(\.type)
    let refusal = Refusal(
      "aggregate \(call.name)(\(types.map(\.name).joined(separator: ", "))) has no translation",
      about: .function(call.name))
    func plain(_ name: String, _ arguments: [SQLSyntax.Expression]) -> SQLSyntax.Expression {
      let function = FunctionCall(
        QualifiedName(Identifier(name)), arguments.map { FunctionCall.Argument($0) },
        isStar: arguments.isEmpty && name == "count", isDistinct: call.isDistinct, filter: filter)
      return Expression(.function(function))
    }
    if call.isDistinct, let type = types.first {
      try requireComparable(type, "DISTINCT", .word("distinct"))
    }
    if call.name == "avg", types.first == .numeric || types.first == .bigint {
      // The sum is exact, and only the quotient is rounded.
      let count = plain("count", arguments)
      let sum = plain("sum", sumArguments(arguments, types))
      return .infix(
        cast(sum, .double), "/",
        Expression(.conditional(.nullIf, [count, .number(0)])))
    }
    if Self.sameAggregates.contains(call.name) {
      try requireSame(call, types, refusal)
      return plain(call.name, call.name == "sum" ? sumArguments(arguments, types) : arguments)
    }
    switch call.name {
    case "array_agg", "string_agg":
      return try gathered(call, arguments, filter, number, refusal)
    case "json_agg", "jsonb_agg":
      let value = try jsonValue(call.arguments[0], arguments[0], about: call.name)
      guard number != nil || call.orderBy.isEmpty, !call.isDistinct else { throw refusal }
      let list = list("collect_list", part(value, number), filter)
      return .cases(
        [(.infix(.call("size", list), ">", .number(0)), jsonText(Self.values(of: list, number)))],
        otherwise: nil)
    case "percentile_cont", "percentile_disc", "mode":
      return try ordered(call, arguments, filter, columns, refusal)
    default: throw refusal
    }
  }

  private func requireSame(
    _ call: AggregateCall, _ types: [LogicalType], _ refusal: Refusal
  ) throws(Refusal) {
    guard let first = types.first else { return }
    switch call.name {
    case "min", "max": try requireOrder(first, call.name)
    // PostgreSQL adds them up in their own few digits.
    case "sum" where first == .real: throw refusal
    case "count":
      if call.isDistinct { try requireComparable(first, "DISTINCT", .word("distinct")) }
    default:
      if !types.allSatisfy({ $0.isNumeric || $0 == .boolean }) { throw refusal }
    }
    if call.isDistinct && first == .character { throw refusal }
  }

  /// The sum of bigints is a numeric, which has room for more.
  private func sumArguments(
    _ arguments: [SQLSyntax.Expression], _ types: [LogicalType]
  ) -> [SQLSyntax.Expression] {
    guard types.first == .bigint else { return arguments }
    let wide = ColumnType(.numeric, .numeric(precision: 28, scale: 0))
    return [Expression(.cast(arguments[0], Self.typeName(wide)))]
  }

  private func list(
    _ name: String, _ value: SQLSyntax.Expression, _ filter: SQLSyntax.Expression?
  ) -> SQLSyntax.Expression {
    Expression(
      .function(
        FunctionCall(
          QualifiedName(Identifier(name)), [FunctionCall.Argument(value)], filter: filter)))
  }

  /// The values of a list of numbered ones, in the order of the numbers.
  private static func values(
    of list: SQLSyntax.Expression, _ number: SQLSyntax.Expression?
  ) -> SQLSyntax.Expression {
    Expression(.field(number == nil ? list : .call("array_sort", list), Identifier("v")))
  }

  /// A value to be gathered, with its number in the order of the aggregate if that has one; so NULLs are gathered, too.
  private func part(
    _ value: SQLSyntax.Expression, _ number: SQLSyntax.Expression?
  ) -> SQLSyntax.Expression {
    if number == nil { gathersInAnyOrder = true }
    let order: [SQLSyntax.Expression] = number.map { [.string("n"), $0] } ?? []
    return .call("named_struct", order + [.string("v"), value])
  }

  private func unordered(_ call: AggregateCall) -> Refusal {
    Refusal(
      "\(call.name) without ORDER BY gathers in an order that nothing settles",
      about: .function(call.name))
  }

  /// Arrays and texts of gathered values.
  private func gathered(
    _ call: AggregateCall, _ arguments: [SQLSyntax.Expression], _ filter: SQLSyntax.Expression?,
    _ number: SQLSyntax.Expression?, _ refusal: Refusal
  ) throws(Refusal) -> SQLSyntax.Expression {
    let isText = call.name == "string_agg"
    guard !isText || call.arguments[0].type.isString else { throw refusal }
    var condition = filter
    let isThere = arguments[0].isNull(negated: true)
    if isText { condition = filter.map { Expression(.and([$0, isThere])) } ?? isThere }
    var sorted: SQLSyntax.Expression
    let gathered: SQLSyntax.Expression
    if call.isDistinct {
      // The order can only be that of the values themselves, and NULLs are dropped.
      guard isText, let key = call.orderBy.first, call.orderBy.count == 1,
        call.arguments[0].type != .character
      else { throw refusal }
      gathered = list("collect_set", arguments[0], condition)
      sorted = .call("array_sort", gathered)
      if key.isDescending { sorted = .call("reverse", sorted) }
    } else {
      if isText && number == nil { throw unordered(call) }
      gathered = list("collect_list", part(arguments[0], number), condition)
      sorted = Self.values(of: gathered, number)
    }
    if isText {
      guard case .constant = call.arguments[1] else { throw refusal }
      sorted = .call("array_join", sorted, arguments[1])
    }
    return .cases(
      [(.infix(.call("size", gathered), ">", .number(0)), sorted)], otherwise: nil)
  }

  /// Aggregates WITHIN GROUP.
  private func ordered(
    _ call: AggregateCall, _ arguments: [SQLSyntax.Expression], _ filter: SQLSyntax.Expression?,
    _ columns: [ColumnID: Piece], _ refusal: Refusal
  ) throws(Refusal) -> SQLSyntax.Expression {
    guard call.isWithinGroup, let key = call.orderBy.first, call.orderBy.count == 1,
      call.name == "mode" || key.expression.type.isNumeric
    else { throw refusal }
    if call.name == "mode" || call.name == "percentile_disc" && !key.expression.type.isNumeric {
      throw refusal
    }
    let direct = arguments.dropLast(arguments.count > call.orderBy.count ? call.orderBy.count : 0)
    guard direct.count == 1, case .constant(let share, _) = call.arguments[0], !share.isNull,
      call.arguments[0].type.isNumeric
    else { throw refusal }
    return Expression(
      .function(
        FunctionCall(
          QualifiedName(Identifier(call.name)), direct.map { FunctionCall.Argument($0) },
          orderBy: try sortItems(call.orderBy, columns), isWithinGroup: true, filter: filter)))
  }
}
