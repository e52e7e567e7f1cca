import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// The keys of GROUP BY.
struct Grouping {
  var keys: [ProjectedColumn] = []
  /// The sets of GROUPING SETS and its like; nil if there are none.
  var sets: [[Int]]?
  /// The key that an entry of the select list is; only known where there are sets, which may leave out one
  /// of two equal entries.
  var keyOfItem: [Int: Int] = [:]
}

extension BindingSession {
  /// GROUP BY.
  func bindGroupBy(
    _ clause: GroupByClause, items: [OutputItem], in scope: Scope
  ) throws(SQLError) -> Grouping {
    var grouping = Grouping()
    var sets: [[Int]] = [[]]
    let hasSets = clause.elements.contains { element in
      if case .expression = element { false } else { true }
    }
    if hasSets { grouping.sets = [] }
    for element in clause.elements {
      let next = try bindElement(element, &grouping, items, in: scope)
      guard sets.count * next.count <= 4096 else {
        throw SQLError(
          .statementTooComplex, "too many grouping sets present (maximum 4096)")
      }
      sets = sets.flatMap { set in next.map { set + $0.filter { !set.contains($0) } } }
    }
    if hasSets {
      if clause.isDistinct {
        var seen: Set<Set<Int>> = []
        sets = sets.filter { seen.insert(Set($0)).inserted }
      }
      grouping.sets = sets
    }
    return grouping
  }

  private func bindElement(
    _ element: GroupingElement, _ grouping: inout Grouping, _ items: [OutputItem],
    in scope: Scope
  ) throws(SQLError) -> [[Int]] {
    switch element {
    case .expression(let expression):
      return [try bindKeys(expression, &grouping, items, in: scope)]
    case .empty: return [[]]
    case .rollup(let list, _):
      var parts: [[Int]] = []
      for item in list { parts.append(try bindKeys(item, &grouping, items, in: scope)) }
      return (0...parts.count).reversed().map { Array(parts.prefix($0).joined()) }
    case .cube(let list, let range):
      guard list.count <= 12 else {
        throw SQLError(SQLState("54011"), "CUBE is limited to 12 elements", at: range)
      }
      var parts: [[Int]] = []
      for item in list { parts.append(try bindKeys(item, &grouping, items, in: scope)) }
      // Every subset, the whole set first.
      return (0..<(1 << parts.count)).reversed().map { mask in
        parts.indices.filter { mask & (1 << (parts.count - 1 - $0)) != 0 }.flatMap { parts[$0] }
      }
    case .sets(let list, _):
      var result: [[Int]] = []
      for item in list { result += try bindElement(item, &grouping, items, in: scope) }
      return result
    }
  }

  /// The keys that an entry means; several if it is a row in parentheses.
  private func bindKeys(
    _ expression: Expression, _ grouping: inout Grouping, _ items: [OutputItem], in scope: Scope
  ) throws(SQLError) -> [Int] {
    if case .row(let list, isExplicit: false) = expression.kind {
      var keys: [Int] = []
      for item in list { keys += try bindKeys(item, &grouping, items, in: scope) }
      return keys
    }
    let value: BoundExpression
    let position = try groupPosition(of: expression, items, in: scope)
    if let index = position {
      value = try settled(items[index].expression, at: expression.range)
      if !scope.aggregates.isEmpty {
        let produced = ColumnSet(scope.aggregates.map(\.column.id))
        if !value.columns.isDisjoint(with: produced) {
          throw SQLError(
            .groupingError, "aggregate functions are not allowed in GROUP BY",
            at: items[index].range)
        }
      }
      if value.columns.contains(where: { id in
        scope.windowCalls.contains { $0.column.id == id }
      }) {
        throw SQLError(
          .windowingError, "window functions are not allowed in GROUP BY", at: items[index].range)
      }
    } else {
      value = try settled(try bind(expression, in: scope), at: expression.range)
    }
    try checkEquality(value, at: expression.range)
    let item = position ?? items.firstIndex { isSame($0.expression, value) }
    if grouping.sets != nil, let item {
      if let key = grouping.keyOfItem[item] { return [key] }
      grouping.keyOfItem[item] = grouping.keys.count
    } else if let index = grouping.keys.firstIndex(where: { isSame($0.expression, value) }) {
      return [index]
    }
    grouping.keys.append(
      ProjectedColumn(makeColumn(outputName(of: expression), for: value), value))
    return [grouping.keys.count - 1]
  }

  /// A bare name in GROUP BY is a column of FROM first, and only then an output column.
  private func groupPosition(
    of expression: Expression, _ items: [OutputItem], in scope: Scope
  ) throws(SQLError) -> Int? {
    if case .column(let name) = expression.kind, name.parts.count == 1 {
      let isColumn = scope.entries.contains { entry in
        entry.areColumnsVisible && entry.columns.contains { $0.name == name.name }
      }
      if isColumn { return nil }
    }
    return try outputPosition(of: expression, among: items, for: "GROUP BY")
  }

  /// `GROUPING(a, b)`.
  func bindGrouping(
    _ list: [Expression], at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    switch scope.clause {
    case .selectList, .having, .orderBy, .distinctOn, .windowPartition, .windowOrder: break
    case .other, .from, .function, .on, .filter, .groupBy, .limit, .offset, .values, .returning,
      .update, .aggregateFilter, .windowRange, .windowRows, .windowGroups, .check, .columnDefault,
      .generated, .graphProperty, .index, .indexPredicate, .copyFilter, .mergeWhen, .graphColumns,
      .pathCost:
      throw SQLError(
        .groupingError,
        "grouping operations are not allowed in \(scope.clause.rawValue)", at: range)
    }
    guard list.count < 32 else {
      throw SQLError(.tooManyArguments, "GROUPING must have fewer than 32 arguments", at: range)
    }
    scope.aggregateDepth += 1
    defer { scope.aggregateDepth -= 1 }
    let arguments = try bindAll(list, in: scope)
    let column = makeColumn("grouping", .integer)
    scope.groupings.append((column, arguments, range))
    return .column(column.id, .integer)
  }

  /// Puts grouping and aggregation under the rest of a SELECT.
  func group(_ parts: inout SelectParts, in scope: Scope) throws(SQLError) {
    if scope.hasSelfReference, !scope.aggregates.isEmpty {
      throw SQLError(
        .invalidRecursion,
        "aggregate functions are not allowed in a recursive query's recursive term")
    }
    var input = parts.input
    if let filter = parts.filter { input = .filter(input, conjuncts(filter)) }
    let keys = parts.grouping?.keys.map(\.expression) ?? []
    input = addSetCalls(usedBy: keys, to: input, in: scope)
    var regrouper = Regrouper(
      session: self, scope: scope, grouping: parts.grouping ?? Grouping(),
      local: input.outputIDs)
    for index in parts.items.indices {
      if let key = parts.grouping?.keyOfItem[index].map({ regrouper.grouping.keys[$0].column }) {
        parts.items[index].expression = .column(key.id, key.type)
        continue
      }
      parts.items[index].expression = try regrouper.regroup(
        parts.items[index].expression, at: parts.items[index].range)
    }
    for index in parts.hidden.indices {
      parts.hidden[index].expression = try regrouper.regroup(
        parts.hidden[index].expression, at: parts.hidden[index].range)
    }
    var having: BoundExpression?
    if let (expression, range) = parts.having {
      having = try regrouper.regroup(expression, at: range)
    }
    for index in scope.windowCalls.indices {
      scope.windowCalls[index].call = try scope.windowCalls[index].call.mapOperands {
        (operand) throws(SQLError) in try regrouper.regroup(operand, at: .none)
      }
    }
    for level in scope.setCalls.indices {
      for index in scope.setCalls[level].indices {
        var arguments: [BoundExpression] = []
        for argument in scope.setCalls[level][index].arguments {
          arguments.append(try regrouper.regroup(argument, at: .none))
        }
        scope.setCalls[level][index].arguments = arguments
      }
    }
    var groupings: [(column: PlanColumn, keys: [Int])] = []
    for item in scope.groupings {
      var keys: [Int] = []
      for argument in item.arguments {
        guard
          let key = regrouper.grouping.keys.firstIndex(where: { isSame($0.expression, argument) })
        else {
          throw SQLError(
            .groupingError,
            "arguments to GROUPING must be grouping expressions of the associated query level",
            at: item.range)
        }
        keys.append(key)
      }
      groupings.append((item.column, keys))
    }
    let plan = AggregatePlan(
      input: input, keys: regrouper.grouping.keys, aggregates: scope.aggregates,
      groupingSets: regrouper.grouping.sets, groupings: groupings)
    parts.input = .aggregate(plan)
    if let having { parts.input = .filter(parts.input, conjuncts(having)) }
  }
}

/// Rewrites expressions over the rows of FROM into expressions over groups.
private struct Regrouper {
  let session: BindingSession
  let scope: Scope
  var grouping: Grouping
  /// Columns of FROM.
  let local: ColumnSet
  private var isInSubquery = false

  init(session: BindingSession, scope: Scope, grouping: Grouping, local: ColumnSet) {
    self.session = session
    self.scope = scope
    self.grouping = grouping
    self.local = local
  }

  mutating func regroup(
    _ expression: BoundExpression, at range: SourceRange
  ) throws(SQLError) -> BoundExpression {
    if case .constant = expression {
      // A constant that is also a key stays itself, unless grouping sets can make it NULL.
      guard grouping.sets != nil else { return expression }
    }
    if let key = grouping.keys.first(where: { isSame($0.expression, expression) }) {
      return .column(key.column.id, key.column.type)
    }
    if case .column(let id, _) = expression {
      guard let source = source(of: id) else { return expression }
      guard isDetermined(source) else { throw ungrouped(id, at: range) }
      let key = ProjectedColumn(
        session.makeColumn(name(of: id).column, for: expression), expression)
      grouping.keys.append(key)
      if let sets = grouping.sets {
        grouping.sets = sets.map { $0 + [grouping.keys.count - 1] }
      }
      return .column(key.column.id, key.column.type)
    }
    if case .subquery(var subquery) = expression {
      let outer = isInSubquery
      isInSubquery = true
      defer { isInSubquery = outer }
      if case .subquery(let mapped) = try mapOperands(of: expression, at: range) {
        subquery.kind = mapped.kind
      }
      if !subquery.plan.freeColumns.isEmpty {
        subquery.plan = try regroup(subquery.plan, at: range)
      }
      return .subquery(subquery)
    }
    return try mapOperands(of: expression, at: range)
  }

  private mutating func mapOperands(
    of expression: BoundExpression, at range: SourceRange
  ) throws(SQLError) -> BoundExpression {
    // `mapChildren` takes a closure that cannot change `self`.
    var copy = self
    let result = try expression.mapChildren { (child) throws(SQLError) in
      try copy.regroup(child, at: range)
    }
    self = copy
    return result
  }

  /// The plan of a subquery with what it takes from this query regrouped.
  private mutating func regroup(
    _ plan: LogicalPlan, at range: SourceRange
  ) throws(SQLError) -> LogicalPlan {
    var copy = self
    let inner = try plan.mapExpressions { (expression) throws(SQLError) in
      try copy.regroup(expression, at: range)
    }
    let result = try inner.mapInputs { (input) throws(SQLError) in
      try copy.regroup(input, at: range)
    }
    self = copy
    return result
  }

  /// The entry of this query's FROM that a column comes from; nil for any other column.
  private func source(of id: ColumnID) -> RangeSource?? {
    for entry in scope.registered {
      if let source = entry.source, source.outputs.contains(id) || source.marker?.id == id {
        return .some(source)
      }
    }
    return local.contains(id) ? .some(nil) : .none
  }

  /// Whether the keys hold a primary key of the table.
  private func isDetermined(_ source: RangeSource?) -> Bool {
    guard let source, let table = source.table, let primary = table.primaryKey,
      !primary.deferral.isDeferrable
    else { return false }
    return primary.columns.allSatisfy { index in
      let wanted = source.outputs[index]
      return grouping.keys.enumerated().contains { position, key in
        guard case .column(let id, _) = key.expression, id == wanted else { return false }
        return grouping.sets?.allSatisfy { $0.contains(position) } ?? true
      }
    }
  }

  private func name(of id: ColumnID) -> (table: String?, column: String) {
    for entry in scope.registered {
      for column in entry.columns {
        if case .column(let other, _) = column.expression, other == id {
          return (entry.name, column.name)
        }
      }
    }
    return (nil, "?column?")
  }

  private func ungrouped(_ id: ColumnID, at range: SourceRange) -> SQLError {
    let (table, column) = name(of: id)
    let full = table.map { "\($0).\(column)" } ?? column
    let places = scope.references.filter { $0.column == id }.map(\.range)
    let place =
      places.first { $0.lower >= range.lower && $0.upper <= range.upper } ?? places.last ?? range
    if isInSubquery {
      return SQLError(
        .groupingError, "subquery uses ungrouped column \"\(full)\" from outer query", at: place)
    }
    return SQLError(
      .groupingError,
      "column \"\(full)\" must appear in the GROUP BY clause or be used in an aggregate function",
      at: place)
  }
}
