package import Columnar

extension BoundExpression {
  /// The parts of a conjunction, nested ones taken apart.
  package var conjuncts: [BoundExpression] {
    if case .and(let list) = self {
      list.flatMap(\.conjuncts)
    } else if case .constant(.boolean(true), _) = self {
      []
    } else {
      [self]
    }
  }

  /// The parts of a disjunction, nested ones taken apart.
  package var disjuncts: [BoundExpression] {
    if case .or(let list) = self { return list.flatMap(\.disjuncts) }
    return [self]
  }

  /// The conjunction of a list: TRUE for none.
  package static func conjunction(_ list: [BoundExpression]) -> BoundExpression {
    switch list.count {
    case 0: .constant(.boolean(true), .boolean)
    case 1: list[0]
    default: .and(list)
    }
  }

  /// Whether a subquery stands somewhere in the expression.
  package var containsSubquery: Bool {
    contains { part in
      if case .subquery = part { return true }
      return false
    }
  }

  /// Whether a parameter stands somewhere in the expression.
  package var containsParameter: Bool {
    contains { part in
      if case .parameter = part { return true }
      return false
    }
  }

  /// Whether the value is one for all rows of a statement, and asks for none of them.
  package var isKnown: Bool { isKnown { _ in false } }

  /// The same where some columns are known, as those of rows further out are to what is run for one of them.
  package func isKnown(_ isKnown: (ColumnID) -> Bool) -> Bool {
    !contains { part in
      switch part {
      case .column(let id, _): !isKnown(id)
      case .session, .subquery, .aggregate, .window, .local, .shared, .decoded: true
      case .call(let call), .quantifiedCall(let call, _, _, _): call.volatility == .volatile
      case .constant, .parameter, .cast, .and, .or, .not, .comparison, .distinct, .isNull,
        .isBoolean, .caseWhen, .coalesce, .extreme, .inList, .quantified, .array, .row, .field:
        false
      }
    }
  }

  /// Whether two evaluations of the expression may differ, or do something.
  package var isVolatile: Bool {
    if isLeaf { return false }
    if case .comparison(_, let left, let right) = self {
      return left.isVolatile || right.isVolatile
    }
    return contains { part in
      switch part {
      case .call(let call), .quantifiedCall(let call, _, _, _): call.volatility == .volatile
      case .session: true
      case .subquery(let subquery): subquery.plan.isVolatile
      case .column, .constant, .parameter, .cast, .and, .or, .not, .comparison, .distinct, .isNull,
        .isBoolean, .caseWhen, .coalesce, .extreme, .inList, .quantified, .array, .row, .field,
        .shared, .decoded, .local, .aggregate, .window:
        false
      }
    }
  }

  /// Whether the expression has a value, or NULL, for every row.
  ///
  /// Says no where that is not known.
  package var cannotFail: Bool {
    switch self {
    case .column, .constant, .parameter, .local: true
    case .and(let list), .or(let list), .coalesce(let list, _), .extreme(let list, _, _):
      list.allSatisfy(\.cannotFail)
    case .not(let operand), .isNull(let operand, _), .isBoolean(let operand, _, _),
      .decoded(let operand, _, _):
      operand.cannotFail
    case .comparison(_, let left, let right), .distinct(let left, let right, _):
      left.cannotFail && right.cannotFail && !left.type.hasParts
    case .inList(let operand, let list, _):
      operand.cannotFail && list.allSatisfy(\.cannotFail) && !operand.type.hasParts
    case .caseWhen(let branches, let otherwise, _):
      branches.allSatisfy { $0.condition.cannotFail && $0.result.cannotFail }
        && otherwise.cannotFail
    case .cast(let cast): cast.operand.cannotFail && (cast.isWidening || cast.isShown)
    case .call(let call):
      (call.dividesByConstant || call.takesAnyText || call.readsCalendar || call.hasWholePattern)
        && call.arguments.allSatisfy(\.cannotFail)
    case .quantified, .quantifiedCall, .array, .row, .field, .shared, .session, .subquery,
      .aggregate, .window:
      false
    }
  }

  /// Whether the condition has a value for every row, or fails for the first one that nothing before it refuses.
  ///
  /// Rows that stand behind others that are kept need not be asked such a condition: what is one value for all rows fails for those
  /// too.
  package var failsAtOnceOrNever: Bool { failsAtOnceOrNever { _ in false } }

  /// The same where some columns are known, as those of rows further out are to what is run for one of them.
  package func failsAtOnceOrNever(_ isKnown: (ColumnID) -> Bool) -> Bool {
    switch self {
    case .and(let list): list.allSatisfy { $0.failsAtOnceOrNever(isKnown) }
    case .not(let operand), .isNull(let operand, _), .isBoolean(let operand, _, _):
      operand.failsAtOnceOrNever(isKnown)
    case .comparison(_, let left, let right), .distinct(let left, let right, _):
      left.failsAtOnceOrNever(isKnown) && right.failsAtOnceOrNever(isKnown) && !left.type.hasParts
    case .column, .constant, .parameter, .local, .or, .coalesce, .extreme, .decoded, .inList,
      .caseWhen, .cast, .call, .quantified, .quantifiedCall, .array, .row, .field, .shared,
      .session, .subquery, .aggregate, .window:
      self.isKnown(isKnown) || cannotFail
    }
  }

  /// Whether the expression has no columns and gives one value throughout a statement.
  package var isStatementConstant: Bool {
    if isLeaf { return asColumn == nil }
    return !contains { part in
      switch part {
      case .column, .subquery: true
      case .constant, .parameter, .call, .cast, .and, .or, .not, .comparison, .distinct, .isNull,
        .isBoolean, .caseWhen, .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array,
        .row, .field, .shared, .decoded, .local, .session, .aggregate, .window:
        false
      }
    } && !isVolatile
  }

  /// The column that the expression is, if it is nothing more.
  package var asColumn: ColumnID? {
    if case .column(let id, _) = self { return id }
    return nil
  }

  /// The value that the expression is, if it is a constant.
  package var asConstant: Value? {
    if case .constant(let value, _) = self { return value }
    return nil
  }

  /// Whether the expression is the constant `value`.
  package func isConstant(_ value: Bool) -> Bool {
    if case .constant(.boolean(let own), _) = self { return own == value }
    return false
  }

  /// The columns used, those of subqueries' plans that come from outside included.
  package var allColumns: ColumnSet {
    var found = columns
    _ = contains { part in
      if case .subquery(let subquery) = part { found.formUnion(subquery.plan.freeColumns) }
      return false
    }
    return found
  }

  /// The same expression with columns replaced, in the plans of subqueries too.
  package func replacing(_ replacements: ColumnMap<BoundExpression>) -> BoundExpression {
    if replacements.isEmpty { return self }
    return changed { part in
      if case .column(let id, _) = part { return replacements[id] }
      guard case .subquery(var subquery) = part else { return nil }
      subquery.plan = subquery.plan.replacing(replacements)
      return .subquery(subquery)
    } ?? self
  }

  /// Whether the expression is NULL (or an error) whenever all of `nulls` are NULL.
  package func isNull(whenNull nulls: ColumnSet) -> Bool {
    switch self {
    case .column(let id, _): nulls.contains(id)
    case .constant(let value, _): value.isNull
    case .call(let call): call.isStrict && call.arguments.contains { $0.isNull(whenNull: nulls) }
    case .cast(let cast): cast.operand.isNull(whenNull: nulls)
    case .not(let operand): operand.isNull(whenNull: nulls)
    case .comparison(_, let left, let right):
      left.isNull(whenNull: nulls) || right.isNull(whenNull: nulls)
    case .inList(let operand, let list, _): !list.isEmpty && operand.isNull(whenNull: nulls)
    case .and(let list), .or(let list):
      !list.isEmpty && list.allSatisfy { $0.isNull(whenNull: nulls) }
    case .coalesce(let list, _), .extreme(let list, _, _):
      list.allSatisfy { $0.isNull(whenNull: nulls) }
    case .parameter, .distinct, .isNull, .isBoolean, .caseWhen, .quantified, .quantifiedCall,
      .array, .row, .field, .shared, .decoded, .local, .session, .subquery, .aggregate, .window:
      false
    }
  }

  /// Whether the condition is never true when all of `nulls` are NULL.
  package func rejects(nulls: ColumnSet) -> Bool {
    switch self {
    case .and(let list): list.contains { $0.rejects(nulls: nulls) }
    case .or(let list): !list.isEmpty && list.allSatisfy { $0.rejects(nulls: nulls) }
    case .isNull(let operand, negated: true): operand.isNull(whenNull: nulls)
    case .isBoolean(let operand, true, negated: false): operand.rejects(nulls: nulls)
    case .isBoolean(let operand, false, negated: false): operand.isNull(whenNull: nulls)
    case .distinct(let left, let right, negated: true):
      (left.isNull(whenNull: nulls) && right.isKnownNotNull)
        || (right.isNull(whenNull: nulls) && left.isKnownNotNull)
    case .quantified(_, let operand, _, isAll: false): operand.isNull(whenNull: nulls)
    case .constant(.boolean(false), _): true
    case .column, .constant, .parameter, .call, .cast, .not, .comparison, .distinct, .isNull,
      .isBoolean, .caseWhen, .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array,
      .row, .field, .shared, .decoded, .local, .session, .subquery, .aggregate, .window:
      isNull(whenNull: nulls)
    }
  }

  /// Whether the expression is a constant other than NULL.
  private var isKnownNotNull: Bool { asConstant.map { !$0.isNull } ?? false }

  /// Whether the expression cannot be NULL where `notNull` are columns that are not.
  package func isNeverNull(_ notNull: ColumnSet) -> Bool {
    switch self {
    case .column(let id, _): notNull.contains(id)
    case .constant(let value, _): !value.isNull
    case .isNull, .isBoolean, .distinct: true
    case .comparison(_, let left, let right):
      left.isNeverNull(notNull) && right.isNeverNull(notNull) && !left.type.hasParts
    case .and(let list), .or(let list): list.allSatisfy { $0.isNeverNull(notNull) }
    case .not(let operand): operand.isNeverNull(notNull)
    case .coalesce(let list, _), .extreme(let list, _, _):
      list.contains { $0.isNeverNull(notNull) }
    case .caseWhen(let branches, let otherwise, _):
      branches.allSatisfy { $0.result.isNeverNull(notNull) } && otherwise.isNeverNull(notNull)
    case .inList(let operand, let list, _):
      operand.isNeverNull(notNull) && list.allSatisfy { $0.isNeverNull(notNull) }
    case .array: true
    case .parameter, .call, .cast, .quantified, .quantifiedCall, .row, .field, .shared, .decoded,
      .local,
      .session, .subquery, .aggregate, .window:
      false
    }
  }

  /// How dear one evaluation is, in evaluations of a comparison of numbers; for the order of
  /// conditions.
  package var evaluationCost: Double {
    let own: Double =
      switch self {
      case .column, .constant, .parameter: 0
      case .comparison(_, let left, _): left.type.physical == .text ? 3 : 1
      case .isNull, .isBoolean, .and, .or, .not: 0.5
      case .call(let call): call.evaluationCost
      case .cast(let cast): max(cast.operand.type.handlingCost, cast.target.type.handlingCost)
      case .caseWhen(let branches, _, _): 3 * Double(branches.count)
      case .coalesce(let list, _): 3 * Double(list.count)
      case .inList(let operand, let list, _):
        (operand.type.physical == .text ? 8 : 1) + Double(list.count) * 0.1
      case .decoded: 4
      case .quantified: 10
      case .quantifiedCall: 40
      case .subquery: 1000
      case .session: 100
      case .distinct, .extreme, .array, .row, .field, .shared, .local, .aggregate, .window: 2
      }
    var cost = own
    forEachChild { cost += $0.evaluationCost }
    return cost
  }
}

extension BoundCall {
  /// What a call costs beside its operands.
  fileprivate var evaluationCost: Double {
    if isOperator && type.isNumeric && arguments.allSatisfy({ $0.type.isNumeric }) { return 2 }
    return max(6, arguments.reduce(type.handlingCost) { max($0, $1.type.handlingCost) })
  }
}

extension LogicalType {
  /// How dear it is to make or to take apart a value, as `BoundExpression.evaluationCost` has it.
  fileprivate var handlingCost: Double {
    switch physical {
    case .bool, .int16, .int32, .int64, .float, .double: isTime ? 6 : 1
    case .numeric: 4
    case .interval, .uuid: 6
    case .text, .list, .record: 12
    }
  }

  private var isTime: Bool {
    switch self {
    case .time, .timetz, .timestamp, .timestamptz: true
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .interval, .bit, .varbit, .uuid, .json, .jsonb, .array,
      .record, .oid, .enumeration, .unknown, .void:
      false
    }
  }
}

extension LogicalType {
  /// Whether a value has parts that may be NULL by themselves.
  package var hasParts: Bool {
    switch self {
    case .array, .record: true
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
      .varbit, .uuid, .json, .jsonb, .oid, .enumeration, .unknown, .void:
      false
    }
  }
}

extension [BoundExpression] {
  /// The conditions with cheap ones first, otherwise in their order; a volatile one stays where it
  /// is.
  package var cheapFirst: [BoundExpression] {
    if count < 2 || contains(where: \.isVolatile) { return self }
    let costs = map(\.evaluationCost)
    if indices.dropFirst().allSatisfy({ costs[$0 - 1] <= costs[$0] }) { return self }
    return indices.sorted { left, right in
      costs[left] != costs[right] ? costs[left] < costs[right] : left < right
    }.map { self[$0] }
  }
}

extension LogicalType {
  /// Whether values that are equal are the same in every respect, as 1.0 and 1.00 are not: only then may one stand
  /// for the other.
  package var equalsOnlyItself: Bool {
    switch self {
    case .boolean, .smallint, .integer, .bigint, .oid, .text, .varchar, .name, .bytea, .date, .time,
      .timestamp, .timestamptz, .uuid, .enumeration:
      true
    case .real, .double, .numeric, .character, .timetz, .interval, .bit, .varbit, .json, .jsonb,
      .array, .record, .unknown, .void:
      false
    }
  }
}

extension BoundCall {
  /// Whether whole numbers are divided by one that all of them can be divided by.
  fileprivate var dividesByConstant: Bool {
    guard ["/", "%", "mod"].contains(name), type.isInteger, arguments.count == 2,
      let divisor = arguments[1].wholeNumber
    else { return false }
    return divisor != 0 && divisor != -1
  }

  /// Whether it is a field of a day, which every day and moment has.
  fileprivate var readsCalendar: Bool {
    guard ["extract", "date_part"].contains(name), arguments.count == 2,
      [.date, .timestamp].contains(arguments[1].type),
      case .constant(.text(let field), _) = arguments[0]
    else { return false }
    return Self.calendarFields.contains(String(decoding: field, as: UTF8.self))
  }

  private static let calendarFields: Set = [
    "year", "quarter", "month", "week", "day", "dow", "isodow", "doy", "isoyear",
  ]

  /// Whether it is a function of texts that has a result for all of them that there is room for.
  fileprivate var takesAnyText: Bool {
    Self.textFunctions.contains(name) && volatility == .immutable
      && arguments.allSatisfy { $0.type == .text }
  }

  /// Whether a text is held against a pattern that is written out, and ends with no escape.
  package var hasWholePattern: Bool {
    guard Self.patternOperators.contains(name), isOperator, arguments.count == 2,
      case .constant(.text(let pattern), _) = arguments[1]
    else { return false }
    return pattern.reversed().prefix { $0 == UInt8(ascii: "\\") }.count.isMultiple(of: 2)
  }

  private static let patternOperators: Set = ["~~", "!~~", "~~*", "!~~*"]

  private static let textFunctions: Set = [
    "||", "upper", "lower", "initcap", "length", "char_length", "character_length", "octet_length",
    "reverse", "btrim", "ltrim", "rtrim", "strpos", "position", "starts_with", "md5",
  ]
}

extension BoundCast {
  /// Whether whole numbers become what any of them can be.
  fileprivate var isWidening: Bool {
    guard operand.type.isInteger, target.modifier == .none else { return false }
    if [.numeric, .real, .double].contains(target.type) { return true }
    return target.type == .bigint || target.type == operand.type
      || target.type == .integer && operand.type == .smallint
  }

  /// Whether a plain value is written as text.
  fileprivate var isShown: Bool {
    guard target.type == .text, target.modifier == .none else { return false }
    return operand.type.isNumeric
      || [.boolean, .date, .text, .varchar, .name].contains(operand.type)
  }
}
