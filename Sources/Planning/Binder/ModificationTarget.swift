import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// The table that a statement changes, as the statement sees it: by itself, or through simple views.
struct ModificationTarget {
  /// One column that the statement can name.
  struct Column {
    var name: String
    /// The column's index in the table; nil for a view's column that is computed.
    var index: Int?
    /// What computes it, over the table under `baseAlias`.
    var expression: Expression?
    /// The default that a view has for it; the outermost view's counts.
    var defaultValue: Expression?
  }
  /// The condition of one view.
  struct Filter {
    var condition: Expression
    var alias: TableAlias
    var columns: [Column]
    var view: String
    /// Whether new rows must meet it: WITH CHECK OPTION, of the view itself or CASCADED from above.
    var isChecked: Bool
  }
  var table: TableDefinition
  /// The name of the table or view in messages and, without an alias, in expressions.
  var name: ObjectName
  var columns: [Column]
  /// The conditions of the views in between, over the rows of the table by the name that each view uses.
  var filters: [Filter]
  var isView: Bool
  /// Whether tables that inherit from the table are left out: ONLY.
  var isOnly = false

  /// A table by itself.
  init(_ table: TableDefinition) {
    self.table = table
    name = table.name
    columns = table.columns.enumerated().map { Column(name: $1.name, index: $0) }
    filters = []
    isView = false
  }
}

extension BindingSession {
  /// The table that a statement changes.
  ///
  /// - Throws: 42P01; 55000 for a view that is more than some columns and rows of one table.
  func findTarget(_ table: NamedTable, verb: String) throws(SQLError) -> ModificationTarget {
    let name = table.name
    switch catalog.relation(
      schema: name.qualifier, name.name, searchPath: settings.searchPath)
    {
    case .table(let definition):
      dependencies.insert(definition.id)
      if definition.materialized != nil {
        throw SQLError(
          .wrongObjectType, "cannot change materialized view \"\(definition.name.name)\"")
      }
      var target = ModificationTarget(definition)
      target.isOnly = table.isOnly
      return target
    case .view(let view):
      dependencies.insert(view.id)
      return try expanding(at: name.range) { () throws(SQLError) in
        try target(through: view, verb: verb)
      }
    case .sequence(let sequence):
      throw SQLError(
        .wrongObjectType, "cannot change sequence \"\(sequence.name.name)\"", at: name.range)
    case .graph(let graph):
      throw SQLError(
        .wrongObjectType, "cannot change property graph \"\(graph.name.name)\"", at: name.range,
        hint: "Change the rows of its tables.")
    case nil: throw missingRelation(name, in: nil)
    }
  }

  /// The target below a view that PostgreSQL calls automatically updatable.
  private func target(
    through view: ViewDefinition, verb: String
  ) throws(SQLError) -> ModificationTarget {
    let query = view.query
    func refuse(_ reason: String) -> SQLError {
      let (gerund, event) =
        switch verb {
        case "insert into": ("inserting into", "INSERT")
        case "update": ("updating", "UPDATE")
        default: ("deleting from", "DELETE")
        }
      return SQLError(
        .objectNotInPrerequisiteState, "cannot \(verb) view \"\(view.name.name)\"",
        detail: reason,
        hint: "To enable \(gerund) the view, provide an INSTEAD OF \(event) trigger or"
          + " an unconditional ON \(event) DO INSTEAD rule.")
    }
    func containing(_ what: String) -> SQLError {
      refuse("Views containing \(what) are not automatically updatable.")
    }
    if query.with != nil { throw containing("WITH") }
    if query.limit != nil || query.offset != nil { throw containing("LIMIT or OFFSET") }
    guard case .select(let core) = query.body else {
      throw containing("UNION, INTERSECT, or EXCEPT")
    }
    if core.distinct != nil { throw containing("DISTINCT") }
    if core.groupBy != nil { throw containing("GROUP BY") }
    if core.having != nil { throw containing("HAVING") }
    guard core.from.count == 1, case .table(let base)? = core.from.first, base.sample == nil else {
      throw refuse(
        "Views that do not select from a single table or view are not automatically updatable.")
    }
    let probe = Scope(parent: nil)
    probe.clause = .selectList
    _ = try bindFrom(core.from, in: probe)
    probe.clause = .selectList
    _ = try bindItems(core.items, in: probe, keepsUnknown: false)
    if !probe.aggregates.isEmpty {
      throw refuse("Views that return aggregate functions are not automatically updatable.")
    }
    if !probe.windowCalls.isEmpty {
      throw refuse("Views that return window functions are not automatically updatable.")
    }
    if !probe.setCalls.isEmpty || !probe.setQueries.isEmpty {
      throw refuse("Views that return set-returning functions are not automatically updatable.")
    }
    return try extend(try findTarget(base, verb: verb), by: view, base, core)
  }

  /// The target as a view over it shows it.
  private func extend(
    _ target: ModificationTarget, by view: ViewDefinition, _ base: NamedTable, _ core: SelectCore
  ) throws(SQLError) -> ModificationTarget {
    var below = target
    let alias = base.alias ?? TableAlias(Identifier(base.name.name))
    var inner = below.columns
    for (index, name) in alias.columns.enumerated() where index < inner.count {
      inner[index].name = name.name
    }
    if view.checkOption == .cascaded {
      for index in below.filters.indices { below.filters[index].isChecked = true }
    }
    if let condition = core.filter {
      below.filters.append(
        ModificationTarget.Filter(
          condition: condition, alias: alias, columns: inner, view: view.name.name,
          isChecked: view.checkOption != nil))
    }
    below.columns = exposed(core.items, inner)
    for (index, value) in view.columnDefaults where index < below.columns.count {
      below.columns[index].defaultValue = value
    }
    for (index, name) in view.columnNames.enumerated() where index < below.columns.count {
      below.columns[index].name = name
    }
    below.name = view.name
    below.isView = true
    return below
  }

  /// The columns that a view's select list makes of those below it.
  private func exposed(
    _ items: [SelectItem], _ inner: [ModificationTarget.Column]
  ) -> [ModificationTarget.Column] {
    items.flatMap { item -> [ModificationTarget.Column] in
      switch item.kind {
      case .all, .allColumns: return inner
      case .expression(let expression):
        let name = item.alias?.name ?? outputName(of: expression)
        if case .column(let column) = expression.kind,
          var found = inner.first(where: { $0.name == column.name })
        {
          found.name = name
          return [found]
        }
        return [ModificationTarget.Column(name: name, index: nil, expression: expression)]
      case .allFields: return []
      }
    }
  }

  /// The index of a column that is assigned to.
  ///
  /// - Throws: 42703 `column "x" of relation "t" does not exist`; 0A000 for a computed column of a view.
  func targetColumn(
    _ syntax: AssignmentTarget, of target: ModificationTarget, verb: String
  ) throws(SQLError) -> Int {
    let name = syntax.column.name
    guard let column = target.columns.first(where: { $0.name == name }) else {
      let near = nearest(to: name, among: target.columns.map(\.name))
      throw SQLError(
        .undefinedColumn,
        "column \"\(name)\" of relation \"\(target.name.name)\" does not exist",
        at: syntax.column.range,
        hint: near.map { "Perhaps you meant the column \"\($0)\"." + quotingRemark($0) })
    }
    guard let index = column.index else {
      throw notUpdatable(name, of: target, verb: verb)
    }
    return index
  }

  /// The error for a computed column of a view that is assigned to.
  func notUpdatable(
    _ name: String, of target: ModificationTarget, verb: String
  ) -> SQLError {
    SQLError(
      .featureNotSupported, "cannot \(verb) column \"\(name)\" of view \"\(target.name.name)\"",
      detail: "View columns that are not columns of their base relation are not updatable.")
  }

  /// What a column of the table gets where nothing is given for it: the default of a view, or else its own.
  func defaultValue(
    _ index: Int, of target: ModificationTarget
  ) throws(SQLError) -> BoundExpression {
    let column = target.table.columns[index]
    guard
      let syntax = target.columns.first(where: { $0.index == index && $0.defaultValue != nil })?
        .defaultValue
    else { return try defaultValue(of: column) }
    let scope = Scope(parent: nil)
    scope.clause = .columnDefault
    return try assign(
      try bind(syntax, in: scope), to: column.columnType, column: column.name, at: .none)
  }

  /// What views WITH CHECK OPTION ask of new rows, over `row`; `newRow` are its values among the input's columns.
  ///
  /// A condition with subqueries becomes a column of the input.
  func viewChecks(
    of target: ModificationTarget, row: [PlanColumn], input: inout LogicalPlan,
    newRow: [PlanColumn]
  ) throws(SQLError) -> [ViewCheck] {
    var checks: [ViewCheck] = []
    var added: [ProjectedColumn] = []
    for filter in target.filters where filter.isChecked {
      var condition = try bindFilter(filter, row: row, of: target)
      let isFromInput = condition.containsSubquery
      if isFromInput {
        let value = try bindFilter(filter, row: newRow, of: target)
        let column = makeColumn("check", .boolean)
        added.append(ProjectedColumn(column, value))
        condition = .column(column.id, .boolean)
      }
      checks.append(ViewCheck(view: filter.view, condition: condition, isFromInput: isFromInput))
    }
    if !added.isEmpty {
      let passed = input.outputs.map { ProjectedColumn($0, .column($0.id, $0.type)) }
      input = .project(input, passed + added)
    }
    return checks
  }

  private func bindFilter(
    _ filter: ModificationTarget.Filter, row: [PlanColumn], of target: ModificationTarget
  ) throws(SQLError) -> BoundExpression {
    let scope = Scope(parent: nil)
    scope.clause = .filter
    scope.entries = [
      RangeEntry(
        name: filter.alias.name.name,
        columns: try columns(filter.columns, over: row, of: target.table))
    ]
    scope.registered = scope.entries
    return try bindBoolean(filter.condition, for: "WHERE", in: scope)
  }

  /// The entry that gives names to a row of the target; `row` has a column for each of the table's.
  func rowEntry(
    _ target: ModificationTarget, alias: TableAlias?, row: [PlanColumn]
  ) throws(SQLError) -> RangeEntry {
    var entry = try rowEntry(target.table, alias: alias, row: row)
    guard target.isView else { return entry }
    entry.name = alias?.name.name ?? target.name.name
    entry.schema = alias == nil ? target.name.schema : nil
    entry.relationName = alias == nil ? nil : target.name.name
    entry.columns = try renamed(
      try columns(target.columns, over: row, of: target.table), alias, table: target.name.name,
      at: .none)
    return entry
  }

  private func columns(
    _ list: [ModificationTarget.Column], over row: [PlanColumn], of table: TableDefinition
  ) throws(SQLError) -> [RangeColumn] {
    var result: [RangeColumn] = []
    for column in list {
      if let index = column.index {
        result.append(
          RangeColumn(name: column.name, expression: .column(row[index].id, row[index].type)))
      } else if let syntax = column.expression {
        let scope = Scope(parent: nil)
        scope.entries = [RangeEntry(name: table.name.name, columns: rangeColumns(row))]
        result.append(
          RangeColumn(
            name: column.name, expression: try settled(try bind(syntax, in: scope), at: .none)))
      }
    }
    return result
  }

  /// The conditions of the views between the statement and the table.
  func viewConditions(
    of target: ModificationTarget, row: [PlanColumn]
  ) throws(SQLError) -> [BoundExpression] {
    var result: [BoundExpression] = []
    for filter in target.filters {
      result += conjuncts(try bindFilter(filter, row: row, of: target))
    }
    return result
  }
}
