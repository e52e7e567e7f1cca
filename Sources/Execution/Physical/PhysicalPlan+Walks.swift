import Catalog
import Columnar
import Planning

/// A plan whose rows are those that a walk arrives at, each as often as some edge leads there.
///
/// Where nobody can tell how often a row comes, the walk's set of rows takes its place.
struct ReachedRows {
  var start: Walk.Start
  var steps: [AdjacencyStep]
  var table: TableDefinition
  /// The plan's columns that were asked for, in their order, as columns of the table.
  var columns: [ScanPlan.Column]
  /// Whether no row comes twice.
  var isSet: Bool

  /// Whether the columns are just these of the table, in their order.
  func isKey(_ indices: [Int], of id: ObjectID) -> Bool {
    table.id == id && columns.map(\.index) == indices
  }
}

extension PhysicalPlan {
  /// The plan's rows as those of a walk, if all of the columns asked for are of the rows arrived at.
  func reached(_ ids: [ColumnID]) -> ReachedRows? {
    if case .project(let input, let list) = node {
      var below: [ColumnID] = []
      for id in ids {
        guard let place = outputs.firstIndex(where: { $0.id == id }), let own = list[place].asColumn
        else { return nil }
        below.append(own)
      }
      guard var found = input.reached(below) else { return nil }
      for (place, id) in ids.enumerated() {
        guard let column = outputs.first(where: { $0.id == id }) else { return nil }
        found.columns[place].column = column
      }
      return found
    }
    if case .distinct(let input, on: nil) = node {
      guard var found = input.reached(ids) else { return nil }
      // Rows that differ in a column not asked for are different all the same.
      found.isSet = found.isSet || ColumnSet(ids) == outputs.ids && found.hasKey
      return found
    }
    if case .walk(let walk) = node {
      guard walk.rounds == nil, walk.filters.isEmpty, let table = walk.steps.last?.arrival?.table,
        let columns = walk.columns.named(ids)
      else { return nil }
      return ReachedRows(
        start: walk.start, steps: walk.steps, table: table, columns: columns, isSet: true)
    }
    if case .adjacencyLookup(let lookup) = node {
      guard let arrival = lookup.step.walkedArrival, let columns = arrival.columns.named(ids) else {
        return nil
      }
      return ReachedRows(
        start: .keys(lookup.keys), steps: [lookup.step], table: arrival.table, columns: columns,
        isSet: lookup.keys.count == 1 && lookup.step.isUnique)
    }
    if case .expand(let expand) = node {
      guard expand.kind.isInner, let arrival = expand.step.walkedArrival,
        let columns = arrival.columns.named(ids)
      else { return nil }
      let (start, steps) = expand.walkedInput
      return ReachedRows(
        start: start, steps: steps + [expand.step], table: arrival.table, columns: columns,
        isSet: false)
    }
    return nil
  }
}

extension PhysicalPlan {
  /// The plan's rows as those of a walk to rows of a table, known by the columns of its key, each of which some expression
  /// gives.
  func reached(_ keys: [Int: BoundExpression], of table: TableDefinition) -> ReachedRows? {
    let indices = keys.keys.sorted()
    let ids = indices.compactMap { keys[$0]?.asColumn }
    guard ids.count == indices.count, let found = reached(ids), found.isKey(indices, of: table.id),
      found.hasKey
    else { return nil }
    return found
  }
}

extension PhysicalPlan {
  /// The rows whose edges are joined with them, each once, where nothing but those rows is asked for: whether there is an edge
  /// takes less than going through all of them.
  func linkedRows(_ columns: [PlanColumn]) -> PhysicalPlan? {
    if case .project(let input, let list) = node {
      // Which columns the projection reads, and how it names them.
      var read: [PlanColumn] = []
      for expression in list {
        guard case .column(let id, let type) = expression else { return nil }
        read.append(PlanColumn(id, "", type))
      }
      guard let below = input.linkedRows(read) else { return nil }
      var result = self
      result.node = .project(below, list)
      return result
    }
    guard case .expand(var expand) = node, expand.kind.isInner,
      !expand.step.filters.contains(where: \.isVolatile)
    else { return nil }
    let foreign = expand.step.edgeTable.foreignKeys[expand.step.from]
    var list: [BoundExpression] = []
    for column in columns {
      if expand.input.outputs.contains(where: { $0.id == column.id }) {
        list.append(column.reference)
        continue
      }
      // An edge says by which key it hangs on the row.
      guard column.type.isInteger,
        let edge = expand.step.columns.first(where: { $0.id == column.id }),
        let place = expand.step.edgeColumns.first(where: { $0.column.id == edge.id })
          .flatMap({ foreign.columns.firstIndex(of: $0.index) }),
        expand.keys[place].type == column.type
      else { return nil }
      list.append(expand.keys[place])
    }
    expand.kind = .semi
    let semi = PhysicalPlan(
      .expand(expand), outputs: expand.input.outputs,
      estimatedRows: min(expand.input.estimatedRows, estimatedRows))
    return PhysicalPlan(
      .project(semi, list), outputs: columns, estimatedRows: semi.estimatedRows)
  }
}

extension ReachedRows {
  /// Whether a key of the table is among the columns, so that different rows have different values.
  var hasKey: Bool {
    let indices = Set(columns.map(\.index))
    let parentColumns = steps.last.flatMap { step in
      step.to.map { step.edgeTable.foreignKeys[$0].parentColumns }
    }
    // Who is arrived at by a foreign key has no NULL in the columns that it refers to.
    if let parentColumns { return indices.isSuperset(of: parentColumns) }
    return table.immediateKeys.contains { key in
      indices.isSuperset(of: key.columns) && key.columns.allSatisfy { table.columns[$0].isNotNull }
    }
  }
}

extension Expand {
  /// Where a walk to the rows starts whose edges are followed, and its steps.
  var walkedInput: (start: Walk.Start, steps: [AdjacencyStep]) {
    let foreign = step.edgeTable.foreignKeys[step.from]
    let ids = keys.compactMap(\.asColumn)
    if ids.count == keys.count, let found = input.reached(ids),
      found.isKey(foreign.parentColumns, of: foreign.parent)
    {
      return (found.start, found.steps)
    }
    return (.plan(input, keys), [])
  }
}

extension Expand {
  /// The same edges, with conditions on the key of the row that an edge hangs on asked of that row, where a step arrives at it; nil if
  /// there are none.
  var askingSources: Expand? {
    guard kind.isInner, !step.filters.isEmpty else { return nil }
    let foreign = step.edgeTable.foreignKeys[step.from]
    var sources: ColumnMap<BoundExpression> = [:]
    for column in step.edgeColumns {
      guard let place = foreign.columns.firstIndex(of: column.index), keys[place].asColumn != nil,
        keys[place].type == column.column.type, column.column.type.equalsOnlyItself
      else { continue }
      sources[column.column.id] = keys[place]
    }
    // They are asked of rows without edges too.
    func isOfSource(_ filter: BoundExpression) -> Bool {
      !filter.columns.isEmpty && filter.columns.allSatisfy { sources[$0] != nil }
        && filter.isRepeatable && filter.cannotFail
    }
    let moved = step.filters.filter(isOfSource).map { $0.replacing(sources) }
    guard !moved.isEmpty, let input = input.asking(moved) else { return nil }
    var result = self
    result.input = input
    result.step.filters.removeAll(where: isOfSource)
    return result
  }
}

extension PhysicalPlan {
  /// The rows that steps arrive at and that meet conditions, which are asked on arrival; nil for any other rows.
  fileprivate func asking(_ conditions: [BoundExpression]) -> PhysicalPlan? {
    var result = self
    if case .project(let input, let list) = node {
      var meaning: ColumnMap<BoundExpression> = [:]
      for (column, expression) in zip(outputs, list) where expression.asColumn != nil {
        meaning[column.id] = expression
      }
      guard conditions.columns.allSatisfy({ meaning[$0] != nil }),
        let below = input.asking(conditions.map { $0.replacing(meaning) })
      else { return nil }
      result.node = .project(below, list)
    } else if case .distinct(let input, on: nil) = node {
      guard let below = input.asking(conditions) else { return nil }
      result.node = .distinct(below, on: nil)
    } else if case .expand(var expand) = node {
      guard expand.kind.isInner,
        conditions.columns.isSubset(of: ColumnSet(expand.step.columns.map(\.id)))
      else { return nil }
      expand.step.filters += conditions
      result.node = .expand(expand)
    } else if case .adjacencyLookup(var lookup) = node {
      guard conditions.columns.isSubset(of: ColumnSet(lookup.step.columns.map(\.id))) else {
        return nil
      }
      lookup.step.filters += conditions
      result.node = .adjacencyLookup(lookup)
    } else {
      return nil
    }
    return result
  }
}

extension AdjacencyStep {
  /// Where the step arrives, if its conditions can be looked at once for each row there.
  var walkedArrival: StepArrival? {
    guard let arrival else { return nil }
    let own = ColumnSet(arrival.columns.map(\.column.id))
    return filters.allSatisfy({
      own.isSuperset(of: $0.columns) && !$0.isVolatile && !$0.callsSession
    }) && arrival.columns.allSatisfy({ $0.index >= 0 }) ? arrival : nil
  }
}

extension [ScanPlan.Column] {
  /// The columns of these identities; nil if one is not there.
  fileprivate func named(_ ids: [ColumnID]) -> [ScanPlan.Column]? {
    var found: [ScanPlan.Column] = []
    for id in ids {
      guard let column = first(where: { $0.column.id == id }) else { return nil }
      found.append(column)
    }
    return found
  }
}
