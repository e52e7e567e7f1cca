import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// A scan of the table that is changed.
private struct BoundTarget {
  var plan: LogicalPlan
  /// The position of each row.
  var position: PlanColumn
  var entry: RangeEntry
  /// The columns of the table as the scan gives them.
  var row: [PlanColumn]
}

extension BindingSession {
  /// A scan of the table that is changed, with the position of each row.
  private func bindTarget(
    _ target: ModificationTarget, alias: TableAlias?, in scope: Scope
  ) throws(SQLError) -> BoundTarget {
    let (found, columns) = makeScan(target.table, alias: alias?.name.name)
    var scan = found
    let position = makeColumn("position", .integer)
    scan.columns.append(ScanPlan.Column(position, index: ScanPlan.positionIndex))
    let entry = try rowEntry(target, alias: alias, row: columns)
    let conditions = try viewConditions(of: target, row: columns)
    scope.registered.append(entry)
    let plan = LogicalPlan.scan(scan)
    return BoundTarget(
      plan: conditions.isEmpty ? plan : .filter(plan, conditions), position: position,
      entry: entry, row: columns)
  }

  /// The other tables of UPDATE … FROM and DELETE … USING, joined to the target.
  private func joinOthers(
    _ references: [TableReference], to target: LogicalPlan, entry: RangeEntry, in scope: Scope
  ) throws(SQLError) -> (LogicalPlan, [RangeEntry]) {
    guard !references.isEmpty else {
      scope.entries = [entry]
      return (target, [])
    }
    let others = try bindFrom(references, in: scope)
    let entries = scope.entries
    for reference in references {
      try checkConflicts([entry], entries, at: reference.range)
    }
    scope.entries = [entry] + entries
    return (join(.inner, target, others, on: [], isLateral: false), entries)
  }

  /// UPDATE.
  func bindUpdate(
    _ update: UpdateStatement, outer: Scope
  ) throws(SQLError) -> BoundQuery {
    var changes: [BoundQuery] = []
    for goal in family(of: try findTarget(update.table, verb: "update")) {
      changes.append(try bindUpdate(update, of: goal, outer: outer))
    }
    return together(changes)
  }

  private func bindUpdate(
    _ update: UpdateStatement, of goal: ModificationTarget, outer: Scope
  ) throws(SQLError) -> BoundQuery {
    let table = goal.table
    let scope = Scope(parent: outer)
    let target = try bindTarget(goal, alias: update.table.alias, in: scope)
    let position = target.position
    var (plan, others) = try joinOthers(
      update.from, to: target.plan, entry: target.entry, in: scope)
    if let filter = update.filter {
      scope.clause = .filter
      let condition = try bindBoolean(filter, for: "WHERE", in: scope)
      plan = .filter(addMarkers(of: scope, to: plan), conjuncts(condition))
    }
    scope.clause = .update
    let assignments = try bindAssignments(update.assignments, of: goal, input: &plan, in: scope)
    try requireNoLeftovers(of: scope)
    var inputs: [ProjectedColumn] = [
      ProjectedColumn(position, .column(position.id, position.type))
    ]
    var pairs: [(column: Int, value: ColumnID)] = []
    for (index, value) in assignments {
      let column = makeColumn(table.columns[index].name, for: value)
      inputs.append(ProjectedColumn(column, value))
      pairs.append((index, column.id))
    }
    let row = makeRow(of: table)
    let newRow = try rowEntry(goal, alias: update.table.alias, row: row)
    let returning = try bindReturning(
      update.returning, entries: [newRow] + others, outer: outer)
    inputs += passed(plan, usedBy: returning?.columns ?? [], besides: position)
    var new = target.row
    for (index, id) in pairs {
      new[index] = PlanColumn(id, table.columns[index].name, table.columns[index].type)
    }
    if goal.filters.contains(where: \.isChecked) {
      let known = ColumnSet(inputs.map(\.column.id))
      inputs += new.filter { !known.contains($0.id) }
        .map { ProjectedColumn($0, .column($0.id, $0.type)) }
    }
    var input = LogicalPlan.project(plan, inputs)
    let checks = try viewChecks(of: goal, row: row, input: &input, newRow: new)
    var modify = ModifyPlan(
      table: table, action: .update(position: position.id, assignments: pairs),
      input: input, inputColumns: inputs.map(\.column),
      rules: try rowRules(of: table, row: row), row: row, returning: returning?.columns)
    modify.viewChecks = checks
    return modification(modify, .update, ranges: returning?.ranges ?? [])
  }

  /// The columns of other tables that RETURNING uses.
  private func passed(
    _ plan: LogicalPlan, usedBy returning: [ProjectedColumn], besides position: PlanColumn
  ) -> [ProjectedColumn] {
    var used: ColumnSet = []
    for item in returning { used.formUnion(item.expression.columnsWithSubqueries) }
    return plan.outputs.filter { used.contains($0.id) && $0.id != position.id }
      .map { ProjectedColumn($0, .column($0.id, $0.type)) }
  }

  /// DELETE.
  func bindDelete(
    _ delete: DeleteStatement, outer: Scope
  ) throws(SQLError) -> BoundQuery {
    var changes: [BoundQuery] = []
    for goal in family(of: try findTarget(delete.table, verb: "delete from")) {
      changes.append(try bindDelete(delete, of: goal, outer: outer))
    }
    return together(changes)
  }

  private func bindDelete(
    _ delete: DeleteStatement, of goal: ModificationTarget, outer: Scope
  ) throws(SQLError) -> BoundQuery {
    let table = goal.table
    let scope = Scope(parent: outer)
    let target = try bindTarget(goal, alias: delete.table.alias, in: scope)
    let position = target.position
    var (plan, others) = try joinOthers(
      delete.using, to: target.plan, entry: target.entry, in: scope)
    if let filter = delete.filter {
      scope.clause = .filter
      let condition = try bindBoolean(filter, for: "WHERE", in: scope)
      plan = .filter(addMarkers(of: scope, to: plan), conjuncts(condition))
    }
    try requireNoLeftovers(of: scope)
    let row = makeRow(of: table)
    let oldRow = try rowEntry(goal, alias: delete.table.alias, row: row)
    let returning = try bindReturning(
      delete.returning, entries: [oldRow] + others, outer: outer)
    let inputs =
      [ProjectedColumn(position, .column(position.id, position.type))]
      + passed(plan, usedBy: returning?.columns ?? [], besides: position)
    let modify = ModifyPlan(
      table: table, action: .delete(position: position.id), input: .project(plan, inputs),
      inputColumns: inputs.map(\.column), rules: RowRules(), row: row,
      returning: returning?.columns)
    return modification(modify, .delete, ranges: returning?.ranges ?? [])
  }

  /// MERGE.
  func bindMerge(_ merge: MergeStatement, outer: Scope) throws(SQLError) -> BoundQuery {
    let goal = try findTarget(merge.table, verb: "update")
    let scope = Scope(parent: outer)
    let source = try bindFrom([merge.source], in: scope)
    let sourceEntries = scope.entries
    let target = try bindTarget(goal, alias: merge.table.alias, in: scope)
    let (position, entry) = (target.position, target.entry)
    try checkConflicts([entry], sourceEntries, at: merge.table.range)
    scope.entries = [entry] + sourceEntries
    scope.clause = .on
    let condition = try bindBoolean(merge.condition, for: "JOIN/ON", in: scope)
    var plan = LogicalPlan.join(
      JoinPlan(.left, source, target.plan, on: conjuncts(condition)))
    let positionValue = BoundExpression.column(position.id, position.type)

    var branches: [BoundBranch] = []
    var values: [[(column: Int, value: BoundExpression)]] = []
    for branch in merge.branches {
      // Only the source is there where nothing matched.
      scope.entries = branch.isMatched ? [entry] + sourceEntries : sourceEntries
      var conditions = [BoundExpression.isNull(positionValue, negated: branch.isMatched)]
      if let syntax = branch.condition {
        scope.clause = .mergeWhen
        conditions.append(try bindBoolean(syntax, for: "WHEN", in: scope))
      }
      branches.append(
        BoundBranch(
          condition: all(conditions),
          result: .constant(.int32(Int32(branches.count)), .integer)))
      scope.clause = .update
      values.append(try bindMergeAction(branch, of: goal, input: &plan, in: scope))
    }
    try requireNoLeftovers(of: scope)
    return try assemble(
      merge, goal, plan, position: position, branches: branches, values: values)
  }

  private func bindMergeAction(
    _ branch: MergeStatement.Branch, of goal: ModificationTarget, input: inout LogicalPlan,
    in scope: Scope
  ) throws(SQLError) -> [(column: Int, value: BoundExpression)] {
    let table = goal.table
    switch branch.action {
    case .nothing, .delete: return []
    case .update(let assignments):
      return try bindAssignments(assignments, of: goal, input: &input, in: scope)
    case .insert(let columns, let overriding, let items):
      var targets: [Int] = []
      for column in columns {
        targets.append(try targetColumn(column, of: goal, verb: "insert into"))
      }
      if columns.isEmpty { targets = goal.columns.compactMap(\.index) }
      let items = items ?? []
      if items.count > targets.count {
        throw SQLError(
          .syntaxError, "INSERT has more expressions than target columns",
          at: items[targets.count].range)
      }
      if items.count < targets.count, !columns.isEmpty {
        throw SQLError(
          .syntaxError, "INSERT has more target columns than expressions",
          at: columns[items.count].range)
      }
      var given: [Int: BoundExpression] = [:]
      for (target, item) in zip(targets, items) {
        let column = table.columns[target]
        if case .defaultValue = item.kind { continue }
        if column.generated != nil || (column.identity == .always && overriding == nil) {
          throw SQLError(
            .generatedAlways,
            "cannot insert a non-DEFAULT value into column \"\(column.name)\"",
            detail: column.generated != nil
              ? "Column \"\(column.name)\" is a generated column."
              : "Column \"\(column.name)\" is an identity column defined as GENERATED ALWAYS.",
            hint: column.generated != nil ? nil : "Use OVERRIDING SYSTEM VALUE to override.")
        }
        if overriding == .user, column.identity != nil { continue }
        let value = try bind(item, in: scope)
        given[target] = try assign(
          value, to: column.columnType, column: column.name, at: item.range)
      }
      var result: [(column: Int, value: BoundExpression)] = []
      for index in table.columns.indices {
        if let value = given[index] {
          result.append((index, value))
        } else {
          result.append((index, try defaultValue(index, of: goal)))
        }
      }
      return result
    }
  }

  /// Each branch's values are computed only for the rows that take it.
  private func assemble(
    _ merge: MergeStatement, _ goal: ModificationTarget, _ input: LogicalPlan,
    position: PlanColumn, branches: [BoundBranch],
    values: [[(column: Int, value: BoundExpression)]]
  ) throws(SQLError) -> BoundQuery {
    let table = goal.table
    let branch = makeColumn("branch", .integer)
    var first = input.outputs.map { ProjectedColumn($0, .column($0.id, $0.type)) }
    first.append(
      ProjectedColumn(
        branch, .caseWhen(branches, otherwise: .constant(.int32(-1), .integer), .integer)))
    var second = [position, branch].map { ProjectedColumn($0, .column($0.id, $0.type)) }
    var actions: [MergePlan.Action] = []
    for (number, syntax) in merge.branches.enumerated() {
      var pairs: [(column: Int, value: ColumnID)] = []
      for (index, value) in values[number] {
        let guarded = BoundExpression.caseWhen(
          [
            BoundBranch(
              condition: .comparison(
                .equal, .column(branch.id, .integer),
                .constant(.int32(Int32(number)), .integer)), result: value)
          ], otherwise: .constant(.null, value.type), value.type)
        let column = makeColumn(table.columns[index].name, for: guarded)
        second.append(ProjectedColumn(column, guarded))
        pairs.append((index, column.id))
      }
      switch syntax.action {
      case .nothing: actions.append(.nothing)
      case .delete: actions.append(.delete)
      case .update: actions.append(.update(pairs))
      case .insert: actions.append(.insert(pairs.map(\.value)))
      }
    }
    let row = makeRow(of: table)
    var changes = LogicalPlan.project(.project(input, first), second)
    let checks = try viewChecks(of: goal, row: row, input: &changes, newRow: row)
    if checks.contains(where: \.isFromInput) {
      throw SQLError.unsupported("MERGE into a view whose check holds a subquery")
    }
    var plan = ModifyPlan(
      table: table,
      action: .merge(MergePlan(position: position.id, branch: branch.id, actions: actions)),
      input: changes, inputColumns: second.map(\.column),
      rules: try rowRules(of: table, row: row), row: row, returning: nil)
    plan.viewChecks = checks
    return modification(plan, .merge)
  }
}
