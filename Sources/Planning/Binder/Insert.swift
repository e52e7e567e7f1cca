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
    var source: LogicalPlan
    var given: [Int: BoundExpression] = [:]
    switch insert.source {
    case .defaultValues: source = .values(rows: [[]], columns: [])
    case .values(let values):
      (source, given) = try bindInsertValues(values, insert, targets, of: table, outer: outer)
    case .query(let query):
      (source, given) = try bindInsertQuery(query, insert, targets, of: table, outer: outer)
    }
    var inputs: [ProjectedColumn] = []
    for (index, column) in table.columns.enumerated() {
      let value: BoundExpression
      if let found = given[index] { value = found } else { value = try defaultValue(of: column) }
      if case .column(let id, let type) = value {
        inputs.append(ProjectedColumn(PlanColumn(id, column.name, type), value))
      } else {
        inputs.append(ProjectedColumn(makeColumn(column.name, for: value), value))
      }
    }
    source = .project(source, inputs)
    let row = makeRow(of: table)
    let entry = try rowEntry(target, alias: insert.table.alias, row: row)
    let conflict = try bindConflict(insert, of: target, outer: outer)
    let returning = try bindReturning(insert.returning, entries: [entry], outer: outer)
    let plan = ModifyPlan(
      table: table, action: .insert(conflict: conflict), input: source,
      inputColumns: inputs.map(\.column), rules: try rowRules(of: table, row: row), row: row,
      returning: returning?.columns)
    return modification(plan, .insert, ranges: returning?.ranges ?? [])
  }

  /// The columns that values are given for, by index.
  private func insertTargets(
    _ insert: InsertStatement, of target: ModificationTarget
  ) throws(SQLError) -> [Int] {
    guard !insert.columns.isEmpty else { return target.columns.compactMap(\.index) }
    var result: [Int] = []
    var seen: Set<Int> = []
    for column in insert.columns {
      let index = try targetColumn(column, of: target, verb: "insert into")
      guard seen.insert(index).inserted else {
        throw SQLError(
          .duplicateColumn, "column \"\(column.column.name)\" specified more than once",
          at: column.column.range)
      }
      result.append(index)
    }
    return result
  }

  /// - Throws: 42601 if the numbers of columns and of values differ.
  private func checkWidth(
    _ width: Int, _ targets: [Int], _ insert: InsertStatement, ranges: [SourceRange]
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
    _ values: ValuesList, _ insert: InsertStatement, _ targets: [Int],
    of table: TableDefinition, outer: Scope
  ) throws(SQLError) -> (LogicalPlan, [Int: BoundExpression]) {
    let scope = Scope(parent: outer)
    scope.clause = .values
    let width = values.rows.first?.count ?? 0
    try checkWidth(width, targets, insert, ranges: values.rows.first?.map(\.range) ?? [])
    let columns = targets.prefix(width).map { table.columns[$0] }
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
          let value: BoundExpression
          if let known = defaults[index] {
            value = known
          } else {
            value = try defaultValue(of: column)
          }
          defaults[index] = value
          row.append(value)
          continue
        }
        let value = try bind(item, in: scope)
        row.append(
          try assign(value, to: column.columnType, column: column.name, at: item.range))
        if column.identity == .always || column.generated != nil {
          try checkMayInsert(column, insert)
        }
      }
      rows.append(row)
    }
    try requireNoLeftovers(of: scope)
    let inputs = columns.map { makeColumn($0.name, $0.columnType.type, $0.columnType.modifier) }
    var given: [Int: BoundExpression] = [:]
    for (index, target) in targets.prefix(width).enumerated()
    where !ignoresValue(table.columns[target], insert) {
      given[target] = .column(inputs[index].id, inputs[index].type)
    }
    return (.values(rows: rows, columns: inputs), given)
  }

  private func bindInsertQuery(
    _ query: SelectStatement, _ insert: InsertStatement, _ targets: [Int],
    of table: TableDefinition, outer: Scope
  ) throws(SQLError) -> (LogicalPlan, [Int: BoundExpression]) {
    var bound = try bindQuery(query, outer: outer, keepsUnknown: true)
    try checkWidth(bound.columns.count, targets, insert, ranges: bound.ranges)
    let types = zip(bound.columns, targets).map { column, target in
      column.type == .unknown ? table.columns[target].type : column.type
    }
    bound = try coerceOutputs(bound, to: types, for: "INSERT")
    var given: [Int: BoundExpression] = [:]
    for (index, (column, target)) in zip(bound.columns, targets).enumerated() {
      let definition = table.columns[target]
      try checkMayInsert(definition, insert)
      let value = try assign(
        .column(column.id, column.type), to: definition.columnType, column: definition.name,
        at: bound.range(index))
      if !ignoresValue(definition, insert) { given[target] = value }
    }
    return (bound.plan, given)
  }

  /// ON CONFLICT.
  private func bindConflict(
    _ insert: InsertStatement, of target: ModificationTarget, outer: Scope
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
    var plan = LogicalPlan.values(rows: [[]], columns: [])
    let bound = try bindAssignments(assignments, of: target, input: &plan, in: scope)
    guard case .values = plan else {
      throw SQLError.unsupported("assignment from a subquery in ON CONFLICT", at: clause.range)
    }
    var condition: BoundExpression?
    if let filter {
      scope.clause = .filter
      condition = try bindBoolean(filter, for: "WHERE", in: scope)
    }
    return ConflictPlan(
      keys: keys,
      update: ConflictPlan.Update(
        existing: existing, excluded: excluded, assignments: bound, filter: condition))
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
