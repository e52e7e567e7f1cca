import Columnar
import Diagnostics
import SQLSyntax

/// A bound expression and where it stands.
typealias Placed = (expression: BoundExpression, range: SourceRange)

extension BindingSession {
  /// `left op right` where `op` is one of the six comparisons; also of rows.
  func bindComparison(
    _ comparison: ComparisonOperator, _ op: Operator, _ left: Expression, _ right: Expression,
    in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    if case .row(let leftItems, _) = left.kind {
      if case .row(let rightItems, _) = right.kind {
        return try compareRows(comparison, op, leftItems, rightItems, in: scope)
      }
      if case .subquery(let query) = right.kind {
        return try compareRowToSubquery(comparison, op, leftItems, query, right.range, in: scope)
      }
    }
    let (first, second) = try bindOperands(left, right, in: scope)
    return try compare(comparison, op, (first, left.range), (second, right.range))
  }

  /// The comparison of two bound values.
  func compare(
    _ comparison: ComparisonOperator, _ op: Operator, _ left: Placed, _ right: Placed
  ) throws(SQLError) -> BoundExpression {
    let (first, second) = try comparable(op, left, right)
    let collation = try collation(of: [left, right])
    switch comparison {
    case .equal, .notEqual: return .comparison(comparison, uncollated(first), uncollated(second))
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      return .comparison(
        comparison, ordered(first, by: collation), ordered(second, by: collation))
    }
  }

  /// Both values as values of the type in which they are compared.
  ///
  /// - Throws: 42883 if no operator compares them.
  func comparable(
    _ op: Operator, _ left: Placed, _ right: Placed
  ) throws(SQLError) -> (BoundExpression, BoundExpression) {
    let kinds = [left.expression.type, right.expression.type]
    if kinds.allSatisfy({ $0 == .text || $0 == .varchar }) {
      // They lie in memory alike, and a conversion would hide a column from its index.
      return (left.expression, right.expression)
    }
    guard let type = comparisonType(left.expression.type, right.expression.type) else {
      throw missingOperator(op, left.expression.type, right.expression.type)
    }
    guard
      let first = try coerce(left.expression, to: ColumnType(type), at: left.range),
      let second = try coerce(right.expression, to: ColumnType(type), at: right.range)
    else {
      throw missingOperator(op, left.expression.type, right.expression.type)
    }
    return (first, second)
  }

  /// The type in which values of two types are compared; nil if they are not.
  func comparisonType(_ left: LogicalType, _ right: LogicalType) -> LogicalType? {
    if left == .unknown {
      if right == .unknown { return .text }
      return isComparable(right) ? right : nil
    }
    if right == .unknown { return isComparable(left) ? left : nil }
    if left == right { return isComparable(left) ? left : nil }
    if case (.record(let first), .record(let second)) = (left, right) {
      // Rows are compared field by field, whatever their types are called.
      guard first.fields.count == second.fields.count else { return nil }
      var fields: [RecordType.Field] = []
      for (one, other) in zip(first.fields, second.fields) {
        guard let type = comparisonType(one.type, other.type) else { return nil }
        fields.append(RecordType.Field(one.name, type))
      }
      return .record(RecordType(name: nil, fields: fields))
    }
    if left.category == .numeric, right.category == .numeric {
      return wider(left, right)
    }
    if left.isString, right.isString {
      if left == .text || right == .text { return .text }
      if left == .character || right == .character { return .character }
      return .text
    }
    let pair: Set = [left, right]
    if pair == [.date, .timestamp] { return .timestamp }
    if pair == [.date, .timestamptz] || pair == [.timestamp, .timestamptz] { return .timestamptz }
    return pair == [.time, .interval] ? .interval : nil
  }

  private func wider(_ left: LogicalType, _ right: LogicalType) -> LogicalType? {
    let order: [LogicalType] = [.smallint, .integer, .bigint]
    if left == .oid || right == .oid {
      let other = left == .oid ? right : left
      return other.isInteger ? .oid : nil
    }
    if let first = order.firstIndex(of: left), let second = order.firstIndex(of: right) {
      return order[max(first, second)]
    }
    if [left, right].contains(where: { $0 == .double || $0 == .real }) { return .double }
    return .numeric
  }

  /// Whether values of the type have an order.
  func isComparable(_ type: LogicalType) -> Bool {
    switch type {
    case .json, .void: false
    case .array(let element): isComparable(element)
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
      .varbit, .uuid, .jsonb, .oid, .record, .enumeration, .unknown:
      true
    }
  }

  /// `(a, b) op (c, d)`.
  private func compareRows(
    _ comparison: ComparisonOperator, _ op: Operator, _ left: [Expression], _ right: [Expression],
    in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    guard left.count == right.count else {
      throw SQLError(
        .syntaxError, "unequal number of entries in row expressions", at: op.range)
    }
    guard !left.isEmpty else {
      throw SQLError(
        .featureNotSupported, "cannot compare rows of zero length", at: op.range)
    }
    var first: [Placed] = []
    var second: [Placed] = []
    for (leftItem, rightItem) in zip(left, right) {
      first.append((try bind(leftItem, in: scope), leftItem.range))
      second.append((try bind(rightItem, in: scope), rightItem.range))
    }
    return try compareFields(comparison, op, first, second)
  }

  /// The comparison of two rows, field by field; NULL-exact.
  func compareFields(
    _ comparison: ComparisonOperator, _ op: Operator, _ left: [Placed], _ right: [Placed]
  ) throws(SQLError) -> BoundExpression {
    let isOrder = comparison != .equal && comparison != .notEqual
    var (left, right) = (left, right)
    for index in left.indices {
      let pair = try ordered([left[index], right[index]])
      if isOrder { (left[index], right[index]) = (pair[0], pair[1]) }
    }
    let values = left.map(\.expression) + right.map(\.expression)
    // All but the last fields are compared twice, by order and for being equal.
    let last = left.count - 1
    return try sharing(
      values, where: values.indices.map { isOrder && $0 != last && $0 != values.count - 1 }
    ) { (shared) throws(SQLError) in
      var pairs: [(BoundExpression, BoundExpression)] = []
      for (index, (first, second)) in zip(left, right).enumerated() {
        pairs.append(
          try comparable(
            op, (shared[index], first.range), (shared[left.count + index], second.range)))
      }
      return compared(comparison, pairs)
    }
  }

  private func compared(
    _ comparison: ComparisonOperator, _ pairs: [(BoundExpression, BoundExpression)]
  ) -> BoundExpression {
    switch comparison {
    case .equal: return all(pairs.map { .comparison(.equal, $0.0, $0.1) })
    case .notEqual:
      let list = pairs.map { BoundExpression.comparison(.notEqual, $0.0, $0.1) }
      return list.count == 1 ? list[0] : .or(list)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      let strict: ComparisonOperator =
        comparison == .less || comparison == .lessOrEqual ? .less : .greater
      guard let last = pairs.last else { return .constant(.null, .boolean) }
      var result = BoundExpression.comparison(comparison, last.0, last.1)
      for pair in pairs.dropLast().reversed() {
        result = .or([
          .comparison(strict, pair.0, pair.1),
          .and([.comparison(.equal, pair.0, pair.1), result]),
        ])
      }
      return result
    }
  }

  /// All of `list`, joined by AND.
  func all(_ list: [BoundExpression]) -> BoundExpression {
    list.count == 1 ? list[0] : .and(list)
  }

  /// `a IS [NOT] DISTINCT FROM b`.
  func bindDistinct(
    _ left: Expression, _ right: Expression, negated: Bool, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let op = Operator("=", at: range)
    if case .row(let leftItems, _) = left.kind, case .row(let rightItems, _) = right.kind {
      guard leftItems.count == rightItems.count else {
        throw SQLError(.syntaxError, "unequal number of entries in row expressions", at: range)
      }
      var parts: [BoundExpression] = []
      for (leftItem, rightItem) in zip(leftItems, rightItems) {
        let (first, second) = try comparable(
          op, (try bind(leftItem, in: scope), leftItem.range),
          (try bind(rightItem, in: scope), rightItem.range))
        _ = try collation(of: [(first, leftItem.range), (second, rightItem.range)])
        parts.append(.distinct(first, second, negated: negated))
      }
      guard parts.count != 1 else { return parts[0] }
      return negated ? .and(parts) : .or(parts)
    }
    let first = try bind(left, in: scope)
    let second = try bind(right, in: scope)
    if case .constant(.null, .unknown) = second { return .isNull(first, negated: !negated) }
    if case .constant(.null, .unknown) = first { return .isNull(second, negated: !negated) }
    _ = try collation(of: [(first, left.range), (second, right.range)])
    let (one, other) = try comparable(op, (first, left.range), (second, right.range))
    return .distinct(one, other, negated: negated)
  }

  /// `x [NOT] BETWEEN [SYMMETRIC] a AND b`.
  func bindBetween(
    _ between: Between, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let parts = [between.operand, between.lower, between.upper]
    let bound = try bindAll(parts, in: scope)
    let placed: [Placed] = zip(bound, parts).map { ($0, $1.range) }
    let collations = (
      lower: try collation(of: [placed[0], placed[1]]),
      upper: try collation(of: [placed[0], placed[2]])
    )
    // The operand has one key for both comparisons, unless they go by different collations.
    let values =
      collations.lower == collations.upper
      ? try placed.map { (value) throws(SQLError) in
        guard collations.lower != nil else { return value.expression }
        return ordered(try settled(value.expression, at: value.range), by: collations.lower)
      } : bound
    let isUsedTwice = [true, between.isSymmetric, between.isSymmetric]
    return try sharing(values, where: isUsedTwice) { (shared) throws(SQLError) in
      try bindBetween(
        between, (shared[0], between.operand.range), (shared[1], between.lower.range),
        (shared[2], between.upper.range))
    }
  }

  private func bindBetween(
    _ between: Between, _ operand: Placed, _ lower: Placed, _ upper: Placed
  ) throws(SQLError) -> BoundExpression {
    func inside(_ low: Placed, _ high: Placed) throws(SQLError) -> BoundExpression {
      let place = between.operatorRange
      return .and([
        try compare(.greaterOrEqual, Operator(">=", at: place), operand, low),
        try compare(.lessOrEqual, Operator("<=", at: place), operand, high),
      ])
    }
    var result = try inside(lower, upper)
    if between.isSymmetric { result = .or([result, try inside(upper, lower)]) }
    return between.isNegated ? .not(result) : result
  }

  /// `x [NOT] IN (a, b, …)`.
  func bindInList(
    _ operand: Expression, _ list: [Expression], negated: Bool, at range: SourceRange,
    in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let op = Operator(negated ? "<>" : "=", at: range)
    let comparison: ComparisonOperator = negated ? .notEqual : .equal
    if case .row(let fields, _) = operand.kind {
      return try bindRowInList(fields, operand, list, comparison, op, in: scope)
    }
    let left = try bind(operand, in: scope)
    let values = try bindAll(list, in: scope)
    let ranges = list.map(\.range)
    if hasCollations {
      _ = try collation(of: [(left, operand.range)] + zip(values, ranges).map { ($0, $1) })
    }
    if let type = try? commonType(of: [left.type] + values.map(\.type), for: "IN"),
      isComparable(type), canCoerce(left.type, to: type)
    {
      let first = try coerceToCommon(left, type, for: "IN", at: operand.range)
      var items: [BoundExpression] = []
      items.reserveCapacity(values.count)
      for (value, place) in zip(values, ranges) {
        items.append(try coerceToCommon(value, type, for: "IN", at: place))
      }
      return .inList(uncollated(first), items, negated: negated)
    }
    var parts: [BoundExpression] = []
    for (value, place) in zip(values, ranges) {
      parts.append(try compare(comparison, op, (left, operand.range), (value, place)))
    }
    guard parts.count != 1 else { return parts[0] }
    return negated ? .and(parts) : .or(parts)
  }

  /// `(a, b) [NOT] IN ((1, 2), …)`: the fields of the row on the left are bound once for all of the list.
  private func bindRowInList(
    _ fields: [Expression], _ operand: Expression, _ list: [Expression],
    _ comparison: ComparisonOperator, _ op: Operator, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let isOfRows = list.allSatisfy { item in
      if case .row(let items, _) = item.kind { return items.count == fields.count }
      return false
    }
    var parts: [BoundExpression] = []
    guard isOfRows, !fields.isEmpty, !fields.contains(where: \.isAllColumns) else {
      for item in list {
        parts.append(try bindComparison(comparison, op, operand, item, in: scope))
      }
      return joined(parts, comparison)
    }
    let values = try bindAll(fields, in: scope)
    return try sharing(values, where: values.map { _ in list.count > 1 }) {
      (shared) throws(SQLError) in
      for item in list {
        guard case .row(let items, _) = item.kind else { continue }
        var left: [Placed] = []
        for (value, field) in zip(shared, fields) {
          // What has no type yet may get one by the first comparison.
          left.append((value.type == .unknown ? try bind(field, in: scope) : value, field.range))
        }
        let right = zip(try bindAll(items, in: scope), items).map { Placed($0, $1.range) }
        parts.append(try compareFields(comparison, op, left, right))
      }
      return joined(parts, comparison)
    }
  }

  /// Whether some of the comparisons hold, or all where they are for what is not equal.
  private func joined(
    _ parts: [BoundExpression], _ comparison: ComparisonOperator
  ) -> BoundExpression {
    if parts.count == 1 { return parts[0] }
    return comparison == .notEqual ? .and(parts) : .or(parts)
  }

  /// `x IS [NOT] NULL`, TRUE, FALSE, UNKNOWN.
  func bindTest(
    _ operand: Expression, _ test: IsTest, negated: Bool, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    switch test {
    case .null:
      let value = try settled(try bind(operand, in: scope), at: operand.range)
      return .isNull(value, negated: negated)
    case .isTrue, .isFalse:
      let clause = "IS \(negated ? "NOT " : "")\(test.rawValue)"
      let value = try bindBoolean(operand, for: clause, in: scope)
      return .isBoolean(value, test == .isTrue, negated: negated)
    case .unknown:
      let clause = "IS \(negated ? "NOT " : "")UNKNOWN"
      return .isNull(try bindBoolean(operand, for: clause, in: scope), negated: negated)
    case .document: throw SQLError.unsupported("IS DOCUMENT", at: range)
    case .normalized:
      let value = try bind(operand, in: scope)
      let call = try callBuiltin("is_normalized", [(value, operand.range)], at: range)
      return negated ? .not(call) : call
    }
  }

  /// LIKE, ILIKE and SIMILAR TO.
  func bindPattern(
    _ match: PatternMatch, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let operand: Placed = (try bind(match.operand, in: scope), match.operand.range)
    var pattern: Placed = (try bind(match.pattern, in: scope), match.pattern.range)
    var escape: [Placed] = []
    if let syntax = match.escape { escape = [(try bind(syntax, in: scope), syntax.range)] }
    let name: String
    switch match.kind {
    case .like: name = match.isNegated ? "!~~" : "~~"
    case .ilike: name = match.isNegated ? "!~~*" : "~~*"
    case .similarTo: name = match.isNegated ? "!~" : "~"
    }
    if match.kind == .similarTo {
      pattern.expression = try callBuiltin(
        "similar_to_escape", [pattern] + escape, at: match.operatorRange)
    } else if !escape.isEmpty {
      pattern.expression = try callBuiltin(
        "like_escape", [pattern] + escape, at: match.operatorRange)
    }
    return try resolveOperator(
      Operator(name, at: match.operatorRange), left: operand, right: pattern,
      at: match.operatorRange)
  }
}
