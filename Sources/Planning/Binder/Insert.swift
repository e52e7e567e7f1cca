import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// INSERT.
  func bindInsert(
    _ insert: InsertStatement, outer: Scope
  ) throws(SQLError) -> BoundQuery {
    let target = try findTarget(insert.table, verb: "insert into")
    let table = target.table
    let targets = try insertTargets(insert, of: target)
    if let computed = target.columns.first(where: { $0.index == nil && $0.defaultValue != nil }) {
      throw notUpdatable(computed.name, of: target, verb: "insert into")
    }
    var source: LogicalPlan
    var given: [Int: BoundExpression] = [:]
    switch insert.source {
    case .defaultValues: source = .values(rows: [[]], columns: [])
    case .values(let values) where isRowOfQuery(values):
      // One row of VALUES is a SELECT without FROM: functions in it may give sets.
      let items = values.rows[0].map { SelectItem(.expression($0)) }
      let query = SelectStatement(body: .select(SelectCore(items: items, from: [])))
      (source, given) = try bindInsertQuery(query, insert, targets, of: table, outer: outer)
    case .values(let values):
      (source, given) = try bindInsertValues(values, insert, targets, of: target, outer: outer)
    case .query(let query):
      (source, given) = try bindInsertQuery(query, insert, targets, of: table, outer: outer)
    }
    var inputs: [ProjectedColumn] = []
    for (index, column) in table.columns.enumerated() {
      let value: BoundExpression
      if let found = given[index] {
        value = found
      } else {
        value = try defaultValue(index, of: target)
      }
      if case .column(let id, let type) = value {
        inputs.append(ProjectedColumn(PlanColumn(id, column.name, type), value))
      } else {
        inputs.append(ProjectedColumn(makeColumn(column.name, for: value), value))
      }
    }
    source = .project(source, inputs)
    let columns = inputs.map(\.column)
    let row = makeRow(of: table)
    let entry = try rowEntry(target, alias: insert.table.alias, row: row)
    let conflict = try bindConflict(
      insert, of: target, source: &source, columns: columns, outer: outer)
    let returning = try bindReturning(insert.returning, entries: [entry], outer: outer)
    let checks = try viewChecks(of: target, row: row, input: &source, newRow: columns)
    if conflict?.update != nil, checks.contains(where: \.isFromInput) {
      throw SQLError.unsupported("ON CONFLICT DO UPDATE of a view whose check holds a subquery")
    }
    var plan = ModifyPlan(
      table: table, action: .insert(conflict: conflict), input: source, inputColumns: columns,
      rules: try rowRules(of: table, row: row), row: row, returning: returning?.columns)
    plan.viewChecks = checks
    return modification(plan, .insert, ranges: returning?.ranges ?? [])
  }

  /// Whether VALUES has one row, in which a set-returning function is called.
  private func isRowOfQuery(_ values: ValuesList) -> Bool {
    guard values.rows.count == 1, let row = values.rows.first else { return false }
    var isSet = false
    for item in row {
      if case .defaultValue = item.kind { return false }
      guard case .function(let call) = item.kind, call.name.parts.count == 1 else { continue }
      if !Builtins.shared.setReturning(named: call.name.name).isEmpty { isSet = true }
    }
    return isSet
  }

  /// The columns that values are given for, by index.
  private func insertTargets(
    _ insert: InsertStatement, of target: ModificationTarget
  ) throws(SQLError) -> [InsertTarget] {
    guard !insert.columns.isEmpty else { return try listedTargets(insert, of: target) }
    var result: [InsertTarget] = []
    for column in insert.columns {
      let index = try targetColumn(column, of: target, verb: "insert into")
      let before = result.filter { $0.index == index }
      guard before.isEmpty || !column.steps.isEmpty && before.allSatisfy({ !$0.steps.isEmpty })
      else {
        throw SQLError(
          .duplicateColumn, "column \"\(column.column.name)\" specified more than once",
          at: column.column.range)
      }
      let definition = target.table.columns[index]
      let type = try partType(of: definition.columnType, column.steps, column: definition.name)
      result.append(InsertTarget(index: index, steps: column.steps, type: type))
    }
    return result
  }

  /// The values of columns out of the values given for them and their parts.
  private func putTogether(
    _ values: [(target: InsertTarget, value: BoundExpression)], of table: TableDefinition,
    in scope: Scope
  ) throws(SQLError) -> [Int: BoundExpression] {
    var given: [Int: BoundExpression] = [:]
    for (target, value) in values {
      let column = table.columns[target.index]
      given[target.index] = try assigning(
        value, to: target.steps[...],
        of: given[target.index] ?? .constant(.null, column.columnType.type),
        type: column.columnType, column: column.name, in: scope)
    }
    return given
  }

  /// The columns that values are given for where none are named: as many of the first ones as there are values.
  ///
  /// - Throws: 0A000 for a computed column of a view among them.
  private func listedTargets(
    _ insert: InsertStatement, of target: ModificationTarget
  ) throws(SQLError) -> [InsertTarget] {
    var width = target.columns.count
    if case .values(let values) = insert.source { width = values.rows.first?.count ?? 0 }
    var result: [InsertTarget] = []
    for (position, column) in target.columns.enumerated() {
      guard let index = column.index else {
        if position >= width { break }
        throw notUpdatable(column.name, of: target, verb: "insert into")
      }
      if position < width, result.contains(where: { $0.index == index }) {
        throw SQLError(
          .syntaxError,
          "multiple assignments to same column \"\(target.table.columns[index].name)\"")
      }
      result.append(InsertTarget(index: index, type: target.table.columns[index].columnType))
    }
    return result
  }

  /// - Throws: 42601 if the numbers of columns and of values differ.
  private func checkWidth(
    _ width: Int, _ targets: [InsertTarget], _ insert: InsertStatement, ranges: [SourceRange]
  ) throws(SQLError) {
    if width > targets.count {
      throw SQLError(
        .syntaxError, "INSERT has more expressions than target columns",
        at: targets.count < ranges.count ? ranges[targets.count] : .none)
    }
    if width < targets.count, !insert.columns.isEmpty {
      throw SQLError(
        .syntaxError, "INSERT has more target columns than expressions",
        at: insert.columns[width].range)
    }
  }

  /// - Throws: 428C9 if the column takes no values from outside.
  private func checkMayInsert(
    _ column: TableColumn, _ insert: InsertStatement
  ) throws(SQLError) {
    let message = "cannot insert a non-DEFAULT value into column \"\(column.name)\""
    if column.generated != nil {
      throw SQLError(
        .generatedAlways, message, detail: "Column \"\(column.name)\" is a generated column.")
    }
    if column.identity == .always, insert.overriding == nil {
      throw SQLError(
        .generatedAlways, message,
        detail: "Column \"\(column.name)\" is an identity column defined as GENERATED ALWAYS.",
        hint: "Use OVERRIDING SYSTEM VALUE to override.")
    }
  }

  private func ignoresValue(_ column: TableColumn, _ insert: InsertStatement) -> Bool {
    insert.overriding == .user && column.identity != nil
  }

  /// VALUES of an INSERT: each value is converted to its column by itself.
  ///
  /// - Complexity: O(values).
  private func bindInsertValues(
    _ values: ValuesList, _ insert: InsertStatement, _ targets: [InsertTarget],
    of target: ModificationTarget, outer: Scope
  ) throws(SQLError) -> (LogicalPlan, [Int: BoundExpression]) {
    let table = target.table
    let scope = Scope(parent: outer)
    scope.clause = .values
    let width = values.rows.first?.count ?? 0
    try checkWidth(width, targets, insert, ranges: values.rows.first?.map(\.range) ?? [])
    let columns = targets.prefix(width).map { table.columns[$0.index] }
    var defaults: [BoundExpression?] = Array(repeating: nil, count: width)
    var rows: [[BoundExpression]] = []
    rows.reserveCapacity(values.rows.count)
    for syntax in values.rows {
      guard syntax.count == width else {
        throw SQLError(
          .syntaxError, "VALUES lists must all be the same length",
          at: syntax.first?.range ?? values.range)
      }
      var row: [BoundExpression] = []
      row.reserveCapacity(width)
      for (index, item) in syntax.enumerated() {
        let column = columns[index]
        if case .defaultValue = item.kind {
          if let step = targets[index].steps.first { throw noDefault(step, at: item.range) }
          let value: BoundExpression
          if let known = defaults[index] {
            value = known
          } else if ignoresValue(column, insert) {
            // The default is computed once, where the values given for the column are passed over.
            value = .constant(.null, targets[index].type.type)
          } else {
            value = try defaultValue(targets[index].index, of: target)
          }
          defaults[index] = value
          row.append(value)
          continue
        }
        let value = try assign(
          try bind(item, in: scope), to: targets[index].type, column: column.name, at: item.range)
        // As in PostgreSQL, what one row of VALUES gives in vain is not even computed.
        let isComputed = values.rows.count > 1 || !ignoresValue(column, insert)
        row.append(isComputed ? value : .constant(.null, value.type))
        if column.identity == .always || column.generated != nil {
          try checkMayInsert(column, insert)
        }
      }
      rows.append(row)
    }
    try requireNoLeftovers(of: scope)
    let used = targets.prefix(width)
    let inputs = zip(columns, used).map { makeColumn($0.name, $1.type) }
    let placed = zip(used, inputs).filter { !ignoresValue(table.columns[$0.0.index], insert) }
      .map { (target: $0, value: BoundExpression.column($1.id, $1.type)) }
    return (
      .values(rows: rows, columns: inputs), try putTogether(placed, of: table, in: scope)
    )
  }

  private func bindInsertQuery(
    _ query: SelectStatement, _ insert: InsertStatement, _ targets: [InsertTarget],
    of table: TableDefinition, outer: Scope
  ) throws(SQLError) -> (LogicalPlan, [Int: BoundExpression]) {
    var bound = try bindQuery(query, outer: outer, keepsUnknown: true)
    try checkWidth(bound.columns.count, targets, insert, ranges: bound.ranges)
    let types = zip(bound.columns, targets).map { column, target in
      column.type == .unknown ? target.type.type : column.type
    }
    bound = try coerceOutputs(bound, to: types, for: "INSERT")
    var placed: [(target: InsertTarget, value: BoundExpression)] = []
    for (index, (column, target)) in zip(bound.columns, targets).enumerated() {
      let definition = table.columns[target.index]
      try checkMayInsert(definition, insert)
      let value = try assign(
        .column(column.id, column.type), to: target.type, column: definition.name,
        at: bound.range(index))
      if !ignoresValue(definition, insert) { placed.append((target, value)) }
    }
    let given = try putTogether(placed, of: table, in: Scope(parent: nil))
    return (bound.plan, given)
  }

  /// ON CONFLICT.
  ///
  /// What is assigned mostly is computed for the rows that conflict alone. Where subqueries take part, it is
  /// computed for every row of the input beforehand, beside the row that is there.
  private func bindConflict(
    _ insert: InsertStatement, of target: ModificationTarget, source: inout LogicalPlan,
    columns: [PlanColumn], outer: Scope
  ) throws(SQLError) -> ConflictPlan? {
    guard let clause = insert.onConflict else { return nil }
    let table = target.table
    let keys = try conflictKeys(clause, of: target)
    guard case .update(let assignments, let filter) = clause.action else {
      return ConflictPlan(keys: keys, update: nil)
    }
    if keys == nil {
      throw SQLError(
        .syntaxError,
        "ON CONFLICT DO UPDATE requires inference specification or constraint name",
        at: clause.range, hint: "For example, ON CONFLICT (column_name).")
    }
    let existing = makeRow(of: table)
    let excluded = makeRow(of: table)
    let scope = Scope(parent: outer)
    scope.clause = .update
    scope.entries = [
      try rowEntry(target, alias: insert.table.alias, row: existing),
      try rowEntry(target, alias: TableAlias(Identifier("excluded")), row: excluded),
    ]
    scope.registered = scope.entries
    let position = makeColumn("position", .integer)
    var beside = try besideExisting(
      source, columns, of: table, key: keys?.first, existing: existing, excluded: excluded,
      position: position)
    let bound = try bindAssignments(assignments, of: target, input: &beside, in: scope)
    var condition: BoundExpression?
    if let filter {
      scope.clause = .filter
      condition = try bindBoolean(filter, for: "WHERE", in: scope)
    }
    var update = ConflictPlan.Update(
      existing: existing, excluded: excluded, assignments: bound, filter: condition)
    let values = bound.map(\.value) + (condition.map { [$0] } ?? [])
    var usesSubquery = values.contains(where: \.containsSubquery)
    if case .join(let join) = beside, case .single = join.kind { usesSubquery = true }
    if usesSubquery {
      source = computeBeforehand(&update, over: beside, position: position, columns: columns)
    }
    return ConflictPlan(keys: keys, update: update)
  }

  /// The input, each row of it as `excluded` too and beside the row of the table with its key.
  private func besideExisting(
    _ source: LogicalPlan, _ columns: [PlanColumn], of table: TableDefinition, key: Int?,
    existing: [PlanColumn], excluded: [PlanColumn], position: PlanColumn
  ) throws(SQLError) -> LogicalPlan {
    let passed = columns.map { ProjectedColumn($0, .column($0.id, $0.type)) }
    var copied = zip(columns, excluded).map { ProjectedColumn($1, .column($0.id, $0.type)) }
    for (index, expression) in try rowRules(of: table, row: columns).generated {
      copied[index].expression = expression
    }
    var (scan, _) = makeScan(table, alias: nil)
    scan.columns = existing.enumerated().map { ScanPlan.Column($1, index: $0) }
    scan.columns.append(ScanPlan.Column(position, index: ScanPlan.positionIndex))
    let key = key.map { table.keys[$0].columns } ?? []
    let conditions = key.map { column in
      BoundExpression.comparison(
        .equal, .column(excluded[column].id, excluded[column].type),
        .column(existing[column].id, existing[column].type))
    }
    return .join(
      JoinPlan(.left, .project(source, passed + copied), .scan(scan), on: conditions))
  }

  /// Makes what is assigned columns of the input.
  private func computeBeforehand(
    _ update: inout ConflictPlan.Update, over plan: LogicalPlan, position: PlanColumn,
    columns: [PlanColumn]
  ) -> LogicalPlan {
    var first = plan.outputs.map { ProjectedColumn($0, .column($0.id, $0.type)) }
    var guarding = BoundExpression.isNull(.column(position.id, position.type), negated: true)
    if let filter = update.filter {
      let value = BoundExpression.caseWhen(
        [BoundBranch(condition: guarding, result: filter)],
        otherwise: .constant(.null, .boolean), .boolean)
      let column = makeColumn("condition", .boolean)
      first.append(ProjectedColumn(column, value))
      guarding = .column(column.id, .boolean)
      update.filter = guarding
    }
    var passed = columns
    if case .column(let id, let type)? = update.filter {
      passed.append(PlanColumn(id, "condition", type))
    }
    var second = passed.map { ProjectedColumn($0, .column($0.id, $0.type)) }
    for index in update.assignments.indices {
      let value = update.assignments[index].value
      let column = makeColumn("assigned", value.type)
      second.append(
        ProjectedColumn(
          column,
          .caseWhen(
            [BoundBranch(condition: guarding, result: value)],
            otherwise: .constant(.null, value.type), value.type)))
      update.assignments[index].value = .column(column.id, value.type)
    }
    return .project(.project(plan, first), second)
  }

  /// The keys meant by the target of ON CONFLICT; nil for any.
  ///
  /// - Throws: 42P10, 42704.
  private func conflictKeys(
    _ clause: OnConflict, of target: ModificationTarget
  ) throws(SQLError) -> [Int]? {
    let table = target.table
    switch clause.target {
    case .any: return nil
    case .constraint(let name):
      guard let index = table.keys.firstIndex(where: { $0.name == name.name }) else {
        throw SQLError(
          .undefinedObject,
          "constraint \"\(name.name)\" for table \"\(table.name.name)\" does not exist")
      }
      try checkImmediate([index], of: table)
      return [index]
    case .columns(let elements, _):
      var wanted: Set<Int> = []
      var isPlain = true
      for element in elements {
        guard case .column(let name) = element.expression.kind, name.parts.count == 1 else {
          isPlain = false
          continue
        }
        guard let index = target.columns.first(where: { $0.name == name.name })?.index else {
          throw SQLError(
            .undefinedColumn, "column \"\(name.name)\" does not exist",
            at: element.expression.range)
        }
        wanted.insert(index)
      }
      let keys = table.keys.indices.filter { Set(table.keys[$0].columns) == wanted }
      guard isPlain, !keys.isEmpty else {
        throw SQLError(
          .invalidColumnReference,
          "there is no unique or exclusion constraint matching the ON CONFLICT specification")
      }
      try checkImmediate(keys, of: table)
      return keys
    }
  }

  private func checkImmediate(_ keys: [Int], of table: TableDefinition) throws(SQLError) {
    for key in keys where table.keys[key].deferral.isDeferrable {
      throw SQLError(
        .objectNotInPrerequisiteState,
        "ON CONFLICT does not support deferrable unique constraints/exclusion constraints"
          + " as arbiters")
    }
  }
}
