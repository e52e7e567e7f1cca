import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// The assignments of SET while they are gathered.
private struct AssignmentList {
  var values: [(column: Int, value: BoundExpression)] = []
  var seen: Set<Int> = []
  /// Columns of which parts are assigned.
  var parts: Set<Int> = []
}

extension BindingSession {
  /// SET; a subquery that gives several columns is joined to `input`.
  func bindAssignments(
    _ assignments: [Assignment], of goal: ModificationTarget, input: inout LogicalPlan,
    in scope: Scope
  ) throws(SQLError) -> [(column: Int, value: BoundExpression)] {
    let table = goal.table
    var list = AssignmentList()
    for assignment in assignments {
      switch assignment {
      case .single(let target, let syntax):
        try add(target, isDefault: syntax.isDefault, to: &list, of: goal, in: scope) {
          (column, type) throws(SQLError) in
          try bindAssigned(syntax, to: column, type, of: goal, in: scope)
        }
      case .multiple(let targets, let syntax):
        if case .row(let items, _) = syntax.kind {
          guard items.count == targets.count else { throw wrongCount(at: syntax.range) }
          for (target, item) in zip(targets, items) {
            try add(target, isDefault: item.isDefault, to: &list, of: goal, in: scope) {
              (column, type) throws(SQLError) in
              try bindAssigned(item, to: column, type, of: goal, in: scope)
            }
          }
          continue
        }
        guard case .subquery(let query) = syntax.kind else {
          throw SQLError(
            .featureNotSupported,
            "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression",
            at: syntax.range)
        }
        let bound = try bindSubquery(query, in: scope)
        guard bound.columns.count == targets.count else { throw wrongCount(at: syntax.range) }
        input = .join(JoinPlan(.single, input, exact(bound), on: [], isLateral: true))
        for (target, source) in zip(targets, bound.columns) {
          try add(target, to: &list, of: goal, in: scope) { (index, type) throws(SQLError) in
            let column = table.columns[index]
            try checkMayUpdate(column)
            return try assign(
              .column(source.id, source.type), to: type, column: column.name,
              at: syntax.range)
          }
        }
      }
    }
    return list.values
  }

  /// Adds one assignment to the others: a part is put into what the column holds, or is given already.
  private func add(
    _ target: AssignmentTarget, isDefault: Bool = false, to list: inout AssignmentList,
    of goal: ModificationTarget, in scope: Scope,
    _ value: (Int, ColumnType) throws(SQLError) -> BoundExpression
  ) throws(SQLError) {
    let index = try targetColumn(target, of: goal, verb: "update")
    let column = goal.table.columns[index]
    guard let step = target.steps.first else {
      guard list.seen.insert(index).inserted else { throw assignedTwice(target) }
      list.values.append((index, try value(index, column.columnType)))
      return
    }
    if isDefault { throw noDefault(step, at: target.range) }
    let part = try value(
      index, try partType(of: column.columnType, target.steps, column: column.name))
    let place = list.values.firstIndex { $0.column == index }
    if place == nil {
      list.seen.insert(index)
      list.parts.insert(index)
    }
    guard list.parts.contains(index) else { throw assignedTwice(target) }
    let old = place.map { list.values[$0].value } ?? currentValue(of: index, in: goal, scope)
    let whole = try assigning(
      part, to: target.steps[...], of: old, type: column.columnType, column: column.name,
      in: scope)
    if let place { list.values[place].value = whole } else { list.values.append((index, whole)) }
  }

  private func assignedTwice(_ target: AssignmentTarget) -> SQLError {
    SQLError(
      .syntaxError, "multiple assignments to same column \"\(target.column.name)\"",
      at: target.range)
  }

  /// What a column of the row that is changed holds: the row's entry is the first in sight.
  private func currentValue(
    of index: Int, in goal: ModificationTarget, _ scope: Scope
  ) -> BoundExpression {
    let type = goal.table.columns[index].columnType.type
    guard let place = goal.columns.firstIndex(where: { $0.index == index }),
      let entry = scope.entries.first, place < entry.columns.count
    else { return .constant(.null, type) }
    return entry.columns[place].expression
  }

  private func wrongCount(at range: SourceRange) -> SQLError {
    SQLError(
      .syntaxError, "number of columns does not match number of values", at: range)
  }

  private func bindAssigned(
    _ syntax: Expression, to index: Int, _ type: ColumnType, of goal: ModificationTarget,
    in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    if case .defaultValue = syntax.kind { return try defaultValue(index, of: goal) }
    let column = goal.table.columns[index]
    try checkMayUpdate(column)
    let value = try bind(syntax, in: scope)
    return try assign(value, to: type, column: column.name, at: syntax.range)
  }

  /// - Throws: 428C9 if the column takes no values from outside.
  private func checkMayUpdate(_ column: TableColumn) throws(SQLError) {
    let message = "column \"\(column.name)\" can only be updated to DEFAULT"
    if column.generated != nil {
      throw SQLError(
        .generatedAlways, message, detail: "Column \"\(column.name)\" is a generated column.")
    }
    if column.identity == .always {
      throw SQLError(
        .generatedAlways, message,
        detail: "Column \"\(column.name)\" is an identity column defined as GENERATED ALWAYS.")
    }
  }
}
