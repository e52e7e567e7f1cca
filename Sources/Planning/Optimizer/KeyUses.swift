import Columnar

/// The columns of texts that rows of a plan are grouped, joined, sorted or told apart by, or that something is computed of, down
/// to the scans that give them.
struct KeyUses {
  private(set) var columns: ColumnSet = []
  /// The scans that give some of them.
  private(set) var scans: [ScanPlan] = []
  /// The places of them in common table expressions.
  private var places: [Int: Set<Int>] = [:]

  /// Looks at a plan from the top, so that what is asked of an operator is known before it is looked at.
  mutating func collect(_ plan: LogicalPlan) {
    switch plan {
    case .scan(let scan):
      if scan.columns.contains(where: { columns.contains($0.column.id) }) { scans.append(scan) }
      return
    case .project(_, let list):
      for item in list {
        if columns.contains(item.column.id) { note(item.expression) }
        noteParts(of: item.expression)
      }
    case .join(let join):
      for case .comparison(_, let left, let right) in join.conditions {
        note(left)
        note(right)
      }
    case .aggregate(let aggregate):
      for key in aggregate.keys {
        note(key.expression)
        noteParts(of: key.expression)
      }
      for item in aggregate.aggregates {
        for argument in item.call.arguments {
          if item.call.isDistinct || item.call.isExtreme { note(argument) }
          noteParts(of: argument)
        }
        if let filter = item.call.filter { noteParts(of: filter) }
      }
    case .window(_, let calls):
      for (_, call) in calls {
        for key in call.partitionBy { note(key) }
        for key in call.orderBy { note(key.expression) }
      }
    case .sort(_, let keys): for key in keys { note(key.expression) }
    case .distinct(let input, let keys):
      for key in keys ?? input.outputs.map(\.reference) { note(key) }
    case .setOperation(let operation):
      for (place, column) in operation.columns.enumerated()
      where !operation.isAll || columns.contains(column.id) {
        note(operation.left.outputs[place].reference)
        note(operation.right.outputs[place].reference)
      }
    case .commonReference(let id, let list):
      for (place, column) in list.enumerated() where columns.contains(column.id) {
        places[id, default: []].insert(place)
      }
    case .withCommon(let id, let definition, let body):
      collect(body)
      for (place, column) in definition.outputs.enumerated()
      where places[id]?.contains(place) ?? false {
        note(column.reference)
      }
      collect(definition)
      return
    case .values, .filter, .projectSet, .path, .limit, .recursive, .workingTable, .tableFunction,
      .modify:
      break
    }
    for input in plan.inputs { collect(input) }
  }

  private mutating func note(_ key: BoundExpression) {
    if let column = key.asColumn, key.type.isString { columns.insert(column) }
  }

  /// Notes what an expression is computed of, unless it is a column itself.
  private mutating func noteParts(of expression: BoundExpression) {
    expression.forEachChild { child in
      note(child)
      noteParts(of: child)
    }
  }
}
