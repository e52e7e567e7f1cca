import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Tables that others inherit from: a statement that names one without ONLY means them all.
extension BindingSession {
  /// A scan of a table and of all that inherit from it, with the table's columns.
  func bindFamily(
    _ definition: TableDefinition, _ children: [TableDefinition], _ table: NamedTable,
    in scope: Scope
  ) throws(SQLError) -> FromItem {
    let alias = table.alias?.name.name ?? definition.name.name
    var (scan, columns) = makeScan(definition, alias: alias)
    var plan = LogicalPlan.scan(scan)
    for child in children {
      dependencies.insert(child.id)
      let found: [PlanColumn]
      (scan, found) = makeScan(child, alias: alias)
      let passed = definition.columns.map { column -> ProjectedColumn in
        let own = child.column(named: column.name) ?? 0
        return ProjectedColumn(found[own], .column(found[own].id, found[own].type))
      }
      let outputs = definition.columns.map { makeColumn($0.name, $0.columnType) }
      plan = .setOperation(
        SetOperationPlan(
          .union, isAll: true, plan, .project(.scan(scan), passed), columns: outputs))
      columns = outputs
    }
    let source = RangeSource(rowType: definition.rowType, outputs: columns.map(\.id))
    let entry = RangeEntry(
      name: alias, schema: table.alias == nil ? definition.name.schema : nil,
      columns: try renamed(rangeColumns(columns), table.alias, table: alias, at: table.range),
      relationName: table.alias == nil ? nil : definition.name.name, source: source)
    return FromItem(plan: plan, entries: [register(entry, in: scope)])
  }

  /// The targets of a change: the table itself and, unless ONLY stands there, those that inherit from it.
  func family(of goal: ModificationTarget) -> [ModificationTarget] {
    guard !goal.isOnly else { return [goal] }
    return [goal]
      + catalog.descendants(of: goal.table.id).map { child in
        dependencies.insert(child.id)
        return goal.moved(to: child)
      }
  }

  /// One change after another, as one statement: the rows of all are returned, and counted.
  func together(_ changes: [BoundQuery]) -> BoundQuery {
    guard var result = changes.first, changes.count > 1 else { return changes[0] }
    result.plan = result.plan.continuingCount
    var others: [(id: Int, plan: LogicalPlan)] = []
    for (place, change) in changes.dropFirst().enumerated() {
      // The one that is carried out first begins to count.
      let plan = place == 0 ? change.plan : change.plan.continuingCount
      let id = makeCommonID()
      others.append((id, plan))
      guard !result.columns.isEmpty else { continue }
      let columns = change.columns.map(makeCopy)
      let outputs = change.columns.map(makeCopy)
      result.plan = .setOperation(
        SetOperationPlan(
          .union, isAll: true, result.plan, .commonReference(id: id, columns: columns),
          columns: outputs))
      result.columns = outputs
    }
    for other in others.reversed() {
      result.plan = .withCommon(id: other.id, definition: other.plan, body: result.plan)
    }
    return result
  }
}

extension ModificationTarget {
  /// The same target with the columns of a table that inherits from this one's.
  fileprivate func moved(to child: TableDefinition) -> ModificationTarget {
    func moved(_ columns: [Column]) -> [Column] {
      columns.map { column in
        var copy = column
        copy.index = column.index.flatMap { child.column(named: table.columns[$0].name) }
        return copy
      }
    }
    var copy = self
    copy.table = child
    copy.columns = moved(columns)
    for index in copy.filters.indices {
      copy.filters[index].columns = moved(filters[index].columns)
    }
    // The columns that the statement sees are not the child's own.
    copy.isView = true
    return copy
  }
}

extension LogicalPlan {
  /// A change of data whose rows are counted on top of those of the change before.
  fileprivate var continuingCount: LogicalPlan {
    guard case .modify(var plan) = self else { return self }
    plan.continuesCount = true
    return .modify(plan)
  }
}
