import Planning

/// The columns of a query that its conditions hold equal, and the constants that some are equal to.
struct ColumnClasses {
  private var parents: [ColumnID: ColumnID] = [:]
  private var constants: [ColumnID: String] = [:]
  /// What the columns of common table expressions are within these.
  private var commons: [Int: [ColumnID]] = [:]

  func areEqual(_ one: ColumnID, _ other: ColumnID) -> Bool { root(one) == root(other) }

  /// The text of the constant that a column is equal to; nil if there is none.
  func constant(of column: ColumnID) -> String? { constants[root(column)] }

  private func root(_ column: ColumnID) -> ColumnID {
    var current = column
    while let parent = parents[current] { current = parent }
    return current
  }

  private mutating func unite(_ one: ColumnID, _ other: ColumnID) {
    let (a, b) = (root(one), root(other))
    if a == b { return }
    parents[b] = a
    if let known = constants[b], constants[a] == nil { constants[a] = known }
  }

  /// Takes in what a plan says, and what its subqueries say.
  mutating func collect(_ plan: LogicalPlan) {
    switch plan {
    case .scan(let scan): take(scan.filters)
    case .filter(_, let conditions): take(conditions)
    case .join(let join): take(join.conditions)
    case .project(_, let columns): rename(columns)
    case .aggregate(let plan): rename(plan.keys)
    case .withCommon(let id, let definition, _): commons[id] = definition.outputs.map(\.id)
    case .commonReference(let id, let columns):
      for (own, column) in zip(commons[id] ?? [], columns) { unite(own, column.id) }
    case .values, .projectSet, .path, .window, .sort, .limit, .distinct, .setOperation, .recursive,
      .workingTable, .tableFunction, .modify:
      break
    }
    for expression in plan.expressions {
      _ = expression.contains { part in
        if case .subquery(let subquery) = part {
          if case .any(let left, .equal) = subquery.kind {
            for (operand, column) in zip(left, subquery.plan.outputs) {
              if let own = operand.asColumn { unite(own, column.id) }
            }
          }
          collect(subquery.plan)
        }
        return false
      }
    }
    plan.forEachInput { collect($0) }
  }

  private mutating func rename(_ columns: [ProjectedColumn]) {
    for column in columns {
      if let source = column.expression.asColumn { unite(source, column.column.id) }
    }
  }

  private mutating func take(_ conditions: [BoundExpression]) {
    for condition in conditions {
      switch condition {
      case .and(let parts): take(parts)
      case .comparison(.equal, let left, let right):
        if let one = left.asColumn, let other = right.asColumn {
          unite(one, other)
        } else if let column = left.asColumn, case .constant(let value, _) = right {
          constants[root(column)] = "\(value)"
        } else if let column = right.asColumn, case .constant(let value, _) = left {
          constants[root(column)] = "\(value)"
        }
      case .column, .constant, .parameter, .call, .cast, .or, .not, .comparison, .distinct, .isNull,
        .isBoolean, .caseWhen, .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array,
        .row, .field, .shared, .local, .decoded, .session, .subquery, .aggregate, .window:
        break
      }
    }
  }
}
