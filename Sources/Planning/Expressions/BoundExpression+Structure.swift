package import Columnar

extension BoundExpression {
  /// The type of the value.
  package var type: LogicalType {
    switch self {
    case .column(_, let type), .constant(_, let type), .parameter(_, let type): type
    case .call(let call): call.type
    case .cast(let cast): cast.target.type
    case .and, .or, .not, .comparison, .distinct, .isNull, .isBoolean, .inList, .quantified,
      .quantifiedCall:
      .boolean
    case .caseWhen(_, _, let type), .coalesce(_, let type), .extreme(_, _, let type): type
    case .array(_, let type): type
    case .row(_, let record): .record(record)
    case .field(_, _, let type), .decoded(_, _, let type): type
    case .shared(_, let body): body.type
    case .local(_, let type): type.type
    case .session(_, _, let type): type
    case .subquery(let subquery): subquery.type
    case .aggregate(let call): call.type
    case .window(let call): call.type
    }
  }

  /// The operands, in the order in which `mapChildren` gives them to its closure.
  ///
  /// Those of aggregates and window calls include what orders and filters them; the plan of a subquery is
  /// not an operand, its left operands are.
  package var children: [BoundExpression] {
    var found: [BoundExpression] = []
    forEachChild { found.append($0) }
    return found
  }

  /// Gives the operands one after another.
  package func forEachChild(_ body: (BoundExpression) -> Void) {
    _ = containsChild { child in
      body(child)
      return false
    }
  }

  /// Whether an operand meets `predicate`; the first that does ends the search.
  package func containsChild(where predicate: (BoundExpression) -> Bool) -> Bool {
    switch self {
    case .column, .constant, .parameter, .local: return false
    case .call(let call): return call.arguments.contains(where: predicate)
    case .cast(let cast): return predicate(cast.operand)
    case .and(let list), .or(let list), .coalesce(let list, _), .extreme(let list, _, _),
      .array(let list, _), .row(let list, _), .session(_, let list, _):
      return list.contains(where: predicate)
    case .not(let operand), .isNull(let operand, _), .isBoolean(let operand, _, _),
      .field(let operand, _, _), .decoded(let operand, _, _):
      return predicate(operand)
    case .comparison(_, let left, let right), .distinct(let left, let right, _),
      .quantified(_, let left, array: let right, _):
      return predicate(left) || predicate(right)
    case .caseWhen(let branches, let otherwise, _):
      return branches.contains { predicate($0.condition) || predicate($0.result) }
        || predicate(otherwise)
    case .inList(let operand, let list, _):
      return predicate(operand) || list.contains(where: predicate)
    case .quantifiedCall(let call, let element, let array, _):
      return call.arguments.contains(where: predicate) || predicate(element) || predicate(array)
    case .shared(let values, let body): return values.contains(where: predicate) || predicate(body)
    case .subquery(let subquery):
      switch subquery.kind {
      case .any(let left, _), .all(let left, _): return left.contains(where: predicate)
      case .scalar, .exists, .array: return false
      }
    case .aggregate(let call): return call.containsOperand(where: predicate)
    case .window(let call): return call.containsOperand(where: predicate)
    }
  }

  /// The same expression with each operand replaced by what `transform` makes of it.
  package func mapChildren<Failure: Error>(
    _ transform: (BoundExpression) throws(Failure) -> BoundExpression
  ) throws(Failure) -> BoundExpression {
    func all(_ list: [BoundExpression]) throws(Failure) -> [BoundExpression] {
      var result: [BoundExpression] = []
      result.reserveCapacity(list.count)
      for item in list { result.append(try transform(item)) }
      return result
    }
    switch self {
    case .column, .constant, .parameter, .local: return self
    case .call(var call):
      call.arguments = try all(call.arguments)
      return .call(call)
    case .cast(var cast):
      cast.operand = try transform(cast.operand)
      return .cast(cast)
    case .and(let list): return .and(try all(list))
    case .or(let list): return .or(try all(list))
    case .not(let operand): return .not(try transform(operand))
    case .comparison(let comparison, let left, let right):
      return .comparison(comparison, try transform(left), try transform(right))
    case .distinct(let left, let right, let negated):
      return .distinct(try transform(left), try transform(right), negated: negated)
    case .isNull(let operand, let negated): return .isNull(try transform(operand), negated: negated)
    case .isBoolean(let operand, let value, let negated):
      return .isBoolean(try transform(operand), value, negated: negated)
    case .caseWhen(let branches, let otherwise, let type):
      let mapped = try branches.map { (branch) throws(Failure) in
        BoundBranch(
          condition: try transform(branch.condition), result: try transform(branch.result))
      }
      return .caseWhen(mapped, otherwise: try transform(otherwise), type)
    case .coalesce(let list, let type): return .coalesce(try all(list), type)
    case .extreme(let list, let isGreatest, let type):
      return .extreme(try all(list), isGreatest: isGreatest, type)
    case .inList(let operand, let list, let negated):
      return .inList(try transform(operand), try all(list), negated: negated)
    case .quantified(let comparison, let operand, let array, let isAll):
      return .quantified(
        comparison, try transform(operand), array: try transform(array), isAll: isAll)
    case .quantifiedCall(var call, let element, let array, let isAll):
      call.arguments = try all(call.arguments)
      return .quantifiedCall(
        call, element: try transform(element), array: try transform(array), isAll: isAll)
    case .array(let list, let type): return .array(try all(list), type)
    case .row(let list, let type): return .row(try all(list), type)
    case .field(let record, let index, let type): return .field(try transform(record), index, type)
    case .decoded(let operand, let source, let type):
      return .decoded(try transform(operand), source, type)
    case .shared(let values, let body): return .shared(try all(values), in: try transform(body))
    case .session(let function, let arguments, let type):
      return .session(function, try all(arguments), type)
    case .subquery(var subquery):
      switch subquery.kind {
      case .any(let left, let comparison): subquery.kind = .any(try all(left), comparison)
      case .all(let left, let comparison): subquery.kind = .all(try all(left), comparison)
      case .scalar, .exists, .array: break
      }
      return .subquery(subquery)
    case .aggregate(let call): return .aggregate(try call.mapOperands(transform))
    case .window(let call): return .window(try call.mapOperands(transform))
    }
  }

  /// The same expression with those operands replaced of which `change` makes another; nil if it does of none.
  ///
  /// What stays as it is, is not copied: most of what rules look at does.
  package func changingChildren(
    _ change: (BoundExpression) -> BoundExpression?
  ) -> BoundExpression? {
    var changes = Changes<BoundExpression>()
    forEachChild { changes.note(change($0)) }
    return changes.isEmpty ? nil : mapChildren { changes.next(of: $0) }
  }

  /// The same expression with every part of which `change` makes another replaced, from the leaves up; nil if it does of none.
  package func changed(_ change: (BoundExpression) -> BoundExpression?) -> BoundExpression? {
    if isLeaf { return change(self) }
    let inner = changingChildren { $0.changed(change) }
    return change(inner ?? self) ?? inner
  }

  /// The same expression with every part replaced, from the leaves up, by what `transform` makes of it.
  package func rewritten<Failure: Error>(
    _ transform: (BoundExpression) throws(Failure) -> BoundExpression
  ) throws(Failure) -> BoundExpression {
    let inner = try mapChildren { (child) throws(Failure) in try child.rewritten(transform) }
    return try transform(inner)
  }

  /// Whether some part, this one included, meets `predicate`; does not look into subqueries' plans.
  package func contains(where predicate: (BoundExpression) -> Bool) -> Bool {
    if predicate(self) { return true }
    return containsChild { $0.contains(where: predicate) }
  }

  /// Adds the columns that the expression itself uses; those used inside a subquery's plan are not among them.
  package func collectColumns(into columns: inout ColumnSet) {
    // Columns, comparisons of them and constants are most of what rules ask.
    if case .column(let id, _) = self {
      columns.insert(id)
    } else if case .comparison(_, let left, let right) = self {
      left.collectColumns(into: &columns)
      right.collectColumns(into: &columns)
    } else if !isLeaf {
      forEachChild { $0.collectColumns(into: &columns) }
    }
  }

  /// Whether the expression is a column, a constant or a parameter.
  package var isLeaf: Bool {
    switch self {
    case .column, .constant, .parameter: true
    case .call, .cast, .and, .or, .not, .comparison, .distinct, .isNull, .isBoolean, .caseWhen,
      .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array, .row, .field, .shared,
      .local, .decoded, .session, .subquery, .aggregate, .window:
      false
    }
  }

  /// The columns that the expression itself uses.
  package var columns: ColumnSet {
    var found: ColumnSet = []
    collectColumns(into: &found)
    return found
  }

  /// Whether the expression itself uses a column of a set.
  package func uses(_ columns: ColumnSet) -> Bool {
    if case .column(let id, _) = self { return columns.contains(id) }
    if case .comparison(_, let left, let right) = self {
      return left.uses(columns) || right.uses(columns)
    }
    return !isLeaf && containsChild { $0.uses(columns) }
  }

  /// Whether the expression itself uses no other columns than those of a set.
  package func usesOnly(_ columns: ColumnSet) -> Bool {
    if case .column(let id, _) = self { return columns.contains(id) }
    if case .comparison(_, let left, let right) = self {
      return left.usesOnly(columns) && right.usesOnly(columns)
    }
    return isLeaf || !containsChild { !$0.usesOnly(columns) }
  }
}

/// Which parts of a node have become others, noted in one round over the parts and taken in the next.
struct Changes<Part> {
  private var list: [(place: Int, part: Part)] = []
  private var noted = 0
  private var passed = 0
  private var taken = 0

  var isEmpty: Bool { list.isEmpty }

  /// Notes what the next part has become; nil for one that stays.
  mutating func note(_ part: Part?) {
    if let part { list.append((noted, part)) }
    noted += 1
  }

  /// What the next part has become, which may be itself.
  mutating func next(of part: Part) -> Part {
    defer { passed += 1 }
    guard taken < list.count, list[taken].place == passed else { return part }
    taken += 1
    return list[taken - 1].part
  }
}

extension AggregateCall {
  /// The columns that its operands use.
  package var columns: ColumnSet {
    var found: ColumnSet = []
    _ = containsOperand { operand in
      operand.collectColumns(into: &found)
      return false
    }
    return found
  }

  fileprivate func containsOperand(where predicate: (BoundExpression) -> Bool) -> Bool {
    arguments.contains(where: predicate) || orderBy.contains { predicate($0.expression) }
      || filter.map(predicate) ?? false
  }

  /// The same call with each operand replaced by what `transform` makes of it.
  package func mapOperands<Failure: Error>(
    _ transform: (BoundExpression) throws(Failure) -> BoundExpression
  ) throws(Failure) -> AggregateCall {
    var call = self
    for index in arguments.indices { call.arguments[index] = try transform(arguments[index]) }
    for index in orderBy.indices {
      call.orderBy[index].expression = try transform(orderBy[index].expression)
    }
    if let filter { call.filter = try transform(filter) }
    return call
  }
}

extension WindowCall {
  fileprivate func containsOperand(where predicate: (BoundExpression) -> Bool) -> Bool {
    if arguments.contains(where: predicate) || partitionBy.contains(where: predicate)
      || orderBy.contains(where: { predicate($0.expression) })
    {
      return true
    }
    if case .aggregate(let call) = function, call.containsOperand(where: predicate) { return true }
    return [frame.start, frame.end].contains { bound in
      switch bound {
      case .preceding(let offset), .following(let offset): predicate(offset)
      case .unboundedPreceding, .currentRow, .unboundedFollowing: false
      }
    }
  }

  /// The same call with each operand replaced by what `transform` makes of it.
  package func mapOperands<Failure: Error>(
    _ transform: (BoundExpression) throws(Failure) -> BoundExpression
  ) throws(Failure) -> WindowCall {
    var call = self
    for index in call.arguments.indices { call.arguments[index] = try transform(arguments[index]) }
    for index in call.partitionBy.indices {
      call.partitionBy[index] = try transform(partitionBy[index])
    }
    for index in call.orderBy.indices {
      call.orderBy[index].expression = try transform(orderBy[index].expression)
    }
    if case .aggregate(let aggregate) = call.function {
      call.function = .aggregate(try aggregate.mapOperands(transform))
    }
    call.frame.start = try Self.map(frame.start, transform)
    call.frame.end = try Self.map(frame.end, transform)
    return call
  }

  private static func map<Failure: Error>(
    _ bound: WindowFrame.Bound,
    _ transform: (BoundExpression) throws(Failure) -> BoundExpression
  ) throws(Failure) -> WindowFrame.Bound {
    switch bound {
    case .preceding(let offset): return .preceding(try transform(offset))
    case .following(let offset): return .following(try transform(offset))
    case .unboundedPreceding, .currentRow, .unboundedFollowing: return bound
    }
  }
}
