import Columnar

/// What some conditions that must all be true say of one column, said with fewer of them.
///
/// `x IN (1, 4, 8) AND x = 4` is `x = 4`, `x > 3 AND x >= 5` is `x >= 5`, `x = 2 AND x > 7` is true of no row, and `x IS NOT
/// NULL` says nothing beside a comparison. Rows are kept where all conditions are true, so that FALSE may stand for NULL:
/// that holds for what WHERE, ON and HAVING ask, not for a value.
struct ColumnConditions {
  /// Columns of types whose values have one order, and one way to be written.
  private static func isOrdered(_ type: LogicalType) -> Bool {
    switch type {
    case .smallint, .integer, .bigint, .numeric, .date, .timestamp, .timestamptz, .text, .uuid: true
    case .boolean, .real, .double, .varchar, .character, .name, .bytea, .time, .timetz, .interval,
      .bit, .varbit, .json, .jsonb, .array, .record, .oid, .enumeration, .unknown, .void:
      false
    }
  }

  /// Longer lists are left alone.
  private static let listMax = 64

  /// What a condition says of a column by a constant.
  private enum Statement {
    case compared(ComparisonOperator, BoundExpression)
    case among([BoundExpression])
    case isNull(Bool)
  }

  private let id: ColumnID
  private let type: LogicalType
  private var statements: [Statement] = []

  /// The conditions with what they say of each column brought together; nil if they stay as they are, and only the constant FALSE
  /// where no row can meet all of them.
  static func merged(_ conditions: [BoundExpression]) -> [BoundExpression]? {
    if conditions.count < 2 { return nil }
    var columns: [ColumnConditions] = []
    // For each condition the place in `columns` of what it speaks of.
    var places: [Int?] = []
    for condition in conditions {
      guard let (id, type, statement) = statement(condition) else {
        places.append(nil)
        continue
      }
      let place = columns.firstIndex { $0.id == id } ?? columns.count
      if place == columns.count { columns.append(ColumnConditions(id: id, type: type)) }
      columns[place].statements.append(statement)
      places.append(place)
    }
    // What now stands for all that is said of a column, by its place.
    var found: [Int: [BoundExpression]] = [:]
    for (place, column) in columns.enumerated() where column.statements.count > 1 {
      guard let merged = column.merged() else { continue }
      if merged.isEmpty { return [.constant(.boolean(false), .boolean)] }
      found[place] = column.conditions(merged)
    }
    if found.isEmpty { return nil }
    var written: Set<Int> = []
    return zip(conditions, places).flatMap { condition, place in
      guard let place, let merged = found[place] else { return [condition] }
      return written.insert(place).inserted ? merged : []
    }
  }

  private init(id: ColumnID, type: LogicalType) {
    self.id = id
    self.type = type
  }

  private static func statement(
    _ condition: BoundExpression
  ) -> (ColumnID, LogicalType, Statement)? {
    switch condition {
    case .comparison(let comparison, .column(let id, let type), .constant(let value, let other))
    where comparison != .notEqual && !value.isNull && type == other && isOrdered(type):
      return (id, type, .compared(comparison, .constant(value, other)))
    case .inList(.column(let id, let type), let list, negated: false)
    where list.count <= listMax && isOrdered(type)
      && list.allSatisfy({ $0.type == type && $0.asConstant != nil }):
      return (id, type, .among(list.filter { $0.asConstant?.isNull != true }))
    case .isNull(.column(let id, let type), let negated) where isOrdered(type):
      return (id, type, .isNull(!negated))
    case .column, .constant, .parameter, .call, .cast, .and, .or, .not, .comparison, .distinct,
      .isNull, .isBoolean, .caseWhen, .coalesce, .extreme, .inList, .quantified, .quantifiedCall,
      .array, .row, .field, .shared, .decoded, .local, .session, .subquery, .aggregate, .window:
      return nil
    }
  }

  /// The same said with fewer statements, none of them where they contradict each other; nil if all are needed.
  private func merged() -> [Statement]? {
    var (low, high): (Statement?, Statement?) = (nil, nil)
    var members: [BoundExpression]?
    var (wantsNull, wantsValue) = (false, false)
    for statement in statements {
      switch statement {
      case .isNull(true): wantsNull = true
      case .isNull(false): wantsValue = true
      case .among(let list): members = Self.common(members, list)
      case .compared(.equal, let value): members = Self.common(members, [value])
      case .compared(.greater, _), .compared(.greaterOrEqual, _):
        low = Self.tighter(low, statement)
      case .compared(.less, _), .compared(.lessOrEqual, _):
        high = Self.tighter(high, statement)
      case .compared(.notEqual, _): return nil
      }
    }
    let comparesIt = members != nil || low != nil || high != nil
    if wantsNull { return comparesIt || wantsValue ? [] : [.isNull(true)] }
    var result: [Statement] = []
    if let members {
      let kept = members.filter { Self.meets($0, low) && Self.meets($0, high) }
      if kept.isEmpty { return [] }
      result = [kept.count == 1 ? .compared(.equal, kept[0]) : .among(kept)]
    } else {
      if case .compared(let over, let least)? = low,
        case .compared(let under, let greatest)? = high
      {
        let isClosed = over == .greaterOrEqual && under == .lessOrEqual
        if !Self.holds(isClosed ? .lessOrEqual : .less, least, greatest) { return [] }
      }
      result = [low, high].compactMap { $0 }
    }
    if !comparesIt { result = [.isNull(false)] }
    return result.count < statements.count ? result : nil
  }

  /// The statements as conditions.
  private func conditions(_ statements: [Statement]) -> [BoundExpression] {
    let column = BoundExpression.column(id, type)
    return statements.map { statement in
      switch statement {
      case .compared(let comparison, let value): .comparison(comparison, column, value)
      case .among(let list): .inList(column, list, negated: false)
      case .isNull(let isNull): .isNull(column, negated: !isNull)
      }
    }
  }

  // MARK: Constants

  /// Those of a list that another has too.
  private static func common(
    _ known: [BoundExpression]?, _ list: [BoundExpression]
  ) -> [BoundExpression] {
    guard let known else { return list }
    return known.filter { one in list.contains { holds(.equal, one, $0) } }
  }

  /// Of two bounds of the same side the one that lets less through.
  private static func tighter(_ known: Statement?, _ other: Statement) -> Statement {
    guard case .compared(let comparison, let value)? = known,
      case .compared(let next, let bound) = other
    else { return other }
    if holds(.equal, value, bound) {
      let isStrict = next == .less || next == .greater
      return isStrict ? other : .compared(comparison, value)
    }
    return meets(bound, known) ? other : .compared(comparison, value)
  }

  /// Whether a constant meets a comparison with another.
  private static func meets(_ value: BoundExpression, _ bound: Statement?) -> Bool {
    guard case .compared(let comparison, let other)? = bound else { return true }
    return holds(comparison, value, other)
  }

  private static func holds(
    _ comparison: ComparisonOperator, _ one: BoundExpression, _ two: BoundExpression
  ) -> Bool {
    one.holds(comparison, two) ?? false
  }
}

extension BoundExpression {
  /// Whether a comparison of two constants of one type holds; nil for others, and where one is NULL.
  func holds(_ comparison: ComparisonOperator, _ other: BoundExpression) -> Bool? {
    guard case .constant(let one, let type) = self, case .constant(let two, type) = other,
      !one.isNull, !two.isNull
    else { return nil }
    if let one = one.asInteger, let two = two.asInteger { return comparison.holds(one, two) }
    let result = Comparisons.compare(
      comparison.kernel, Vector(constant: one, type: type, count: 1),
      Vector(constant: two, type: type, count: 1), count: 1)
    guard case .boolean(let holds) = result.value(at: 0) else { return nil }
    return holds
  }
}
