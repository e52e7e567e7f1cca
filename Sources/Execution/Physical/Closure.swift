import Catalog
package import Columnar
package import Planning
package import Storage

/// A recursion whose step only walks along a foreign key: rows are positions of a table, and a round is a look into the adjacency
/// index for each that is new.
///
/// Outputs: the columns of the recursion, then `columns`.
package struct Closure: Sendable {
  /// Where the walk begins.
  package enum Seeds: Sendable {
    /// At the neighbours of one row.
    case neighbours(AdjacencyLookup)
    /// At one row, which is reached by that if it `isGiven`, else only where a way leads back to it.
    case row(KeyLookup, isGiven: Bool)
    /// At the rows of a plan.
    case rows(PhysicalPlan)
    /// At both ends of all edges that are walked along, which the plan gives as well.
    case edges(PhysicalPlan)
  }
  package var seeds: Seeds
  package var walk: ClosureWalk
  /// How often a row may come.
  package var repetition: AdjacencyClosure.Repetition
  /// What is read of the rows reached beside their key, all of which are rows of the table; and how it is named.
  package var columns: [ScanPlan.Column] = []
  package var alias = ""

  /// The ends of paths along the step of a walk from one row, each once.
  init(
    from start: KeyLookup, isGiven: Bool, _ walk: ClosureWalk, reading columns: [ScanPlan.Column]
  ) {
    seeds = .row(start, isGiven: isGiven)
    self.walk = walk
    self.columns = columns
    repetition = .never
  }

  /// nil for any other recursion.
  init?(_ id: Int, _ anchor: PhysicalPlan, _ step: PhysicalPlan, isAll: Bool) {
    guard var walk = ClosureWalk(step, working: id), anchor.outputs.map(\.type) == walk.types else {
      return nil
    }
    if let rounds = walk.rounds {
      guard let starting = rounds.starting(at: anchor) else { return nil }
      walk.rounds = starting
    }
    self.walk = walk
    // Rows of different rounds differ by the column that counts these.
    repetition = isAll ? .always : walk.rounds == nil ? .never : .byRound
    // A walk to the neighbours reaches each once.
    if walk.carriedCount == 0, let lookup = walk.neighbours(anchor), !isAll || lookup.step.isUnique
    {
      seeds = .neighbours(lookup)
    } else if walk.carriedCount == 0, let lookup = walk.row(anchor) {
      seeds = .row(lookup, isGiven: true)
    } else {
      seeds = !isAll && walk.isAllEdges(anchor) ? .edges(anchor) : .rows(anchor)
    }
  }

  /// The same where it is enough that each row comes once, in the first round that leads to it; nil where that is so already, or
  /// where the column that counts rounds could have run out of its type.
  var once: Closure? {
    if case .never = repetition { return nil }
    if let rounds = walk.rounds {
      let isSlow = rounds.increment == 1 || rounds.increment == -1
      guard isSlow, rounds.column.type.physical != .int16 else { return nil }
    }
    var result = self
    result.repetition = .never
    return result
  }

  var input: PhysicalPlan? {
    switch seeds {
    case .neighbours, .row: nil
    case .rows(let plan), .edges(let plan): plan
    }
  }

  /// Whether it starts from rows of the table only, and so reaches no others.
  var reachesRowsOnly: Bool {
    switch seeds {
    case .neighbours, .row: true
    case .rows, .edges: false
    }
  }

  /// The column of the table that is walked along.
  var keyColumn: Int { walk.step.edgeTable.foreignKeys[walk.step.from].parentColumns[0] }

  /// The rows reached, and what is read of them as `outputs`.
  func rows(_ outputs: [PlanColumn]) -> StepArrival? {
    let key = ScanPlan.Column(outputs[walk.place], index: keyColumn)
    return walk.vertices.map { StepArrival(table: $0, columns: [key] + columns) }
  }

  /// Whether a column of the output is the key of the row that is stood on.
  func isKey(_ place: Int) -> Bool {
    place == walk.place
      || place >= walk.types.count && columns[place - walk.types.count].index == keyColumn
  }

  /// The table whose rows are reached.
  var table: ObjectID { walk.step.edgeTable.foreignKeys[walk.step.from].parent }

  func mappingInput(_ change: (PhysicalPlan) -> PhysicalPlan) -> Closure {
    var result = self
    switch seeds {
    case .neighbours, .row: break
    case .rows(let plan): result.seeds = .rows(change(plan))
    case .edges(let plan): result.seeds = .edges(change(plan))
    }
    return result
  }
}

/// What the step of a recursion walks along, if it does nothing else.
package struct ClosureWalk: Sendable {
  /// A step without conditions whose only column is the key of the rows that it arrives at, which are rows of the table
  /// that it starts from.
  package let step: AdjacencyStep
  /// The same step with its conditions on edges and rows arrived at, and the columns that these read; nil for no
  /// conditions.
  package let conditional: AdjacencyStep?
  /// The columns of the recursion, and which of them is that key.
  package let types: [LogicalType]
  package let place: Int
  /// The column that counts rounds; nil if there is none.
  package fileprivate(set) var rounds: RoundCount?

  /// The table whose rows are walked over.
  var vertices: TableDefinition? { step.to == nil ? step.edgeTable : step.neighbourTable }

  /// The number of columns that stay what they are.
  var carriedCount: Int { types.count - (rounds == nil ? 1 : 2) }

  /// Whether a column stays what it is.
  func carries(_ column: Int) -> Bool {
    column < types.count && column != place && column != rounds?.place
  }

  /// The walk along a step whose only column is the key of the rows that it arrives at, which are rows of the table that it starts
  /// from; `conditional` is the same step with conditions.
  init?(_ step: AdjacencyStep, conditional: AdjacencyStep?, rounds: RoundCount?) {
    guard Self.givesKey(step), let type = step.columns.first?.type, type.isWholeNumber else {
      return nil
    }
    self.step = step
    self.conditional = conditional
    self.rounds = rounds
    types = [type] + (rounds.map { [$0.column.type] } ?? [])
    place = 0
  }

  /// nil for a step of any other form than "the working table's rows, with one column led on along a foreign key", and perhaps one
  /// that counts rounds.
  init?(_ plan: PhysicalPlan, working id: Int) {
    var list = plan.outputs.map(\.reference)
    var source = plan
    if case .project(let input, let expressions) = plan.node {
      list = expressions
      source = input
    }
    guard case .expand(let expand) = source.node, expand.kind.isInner,
      expand.keys.count == 1, let walked = expand.keys[0].asColumn,
      let conditions = expand.input.conditions(onWorking: id)
    else { return nil }
    let working = expand.input.outputs
    guard working.count == list.count else { return nil }
    // What is asked of the row that is walked from is asked of each of its edges.
    let onSource = conditions.filter { $0.columns == [walked] && $0.dependsOnRowAlone }
    let onRound = conditions.filter { !($0.columns == [walked] && $0.dependsOnRowAlone) }
    rounds = RoundCount(list, over: working, onRound)
    if rounds == nil && !onRound.isEmpty { return nil }
    var ids: [ColumnID] = []
    for (index, expression) in list.enumerated() {
      // The column that counts stands for itself: it is one of the working table's, too.
      guard let id = index == rounds?.place ? working[index].id : expression.asColumn else {
        return nil
      }
      ids.append(id)
    }
    guard
      let place = working.firstIndex(where: { $0.id == walked }),
      let arrived = expand.step.columns.first(where: { $0.id == ids[place] }),
      let bare = expand.step.arriving(at: arrived.id), Self.givesKey(bare)
    else { return nil }
    for index in ids.indices where index != place && ids[index] != working[index].id { return nil }
    let types = plan.outputs.map(\.type)
    guard working.map(\.type) == types, arrived.type == types[place], types[place].isWholeNumber
    else { return nil }
    step = bare
    var asked = expand.step.readingConditions(to: bare.to)
    if !onSource.isEmpty {
      let index = expand.step.edgeTable.foreignKeys[expand.step.from].columns[0]
      guard expand.step.edgeTable.columns[index].type == types[place] else { return nil }
      let name = expand.step.edgeTable.columns[index].name
      asked.edgeColumns.append(
        ScanPlan.Column(PlanColumn(walked, name, types[place]), index: index))
      asked.filters += onSource
    }
    conditional = asked.filters.isEmpty ? nil : asked
    self.types = types
    self.place = place
  }

  /// Whether a plan gives the keys of both ends of all edges of the step, and nothing else.
  fileprivate func isAllEdges(_ anchor: PhysicalPlan) -> Bool {
    var plan = anchor
    if case .project(let input, let list) = anchor.node, input.gives(list) { plan = input }
    guard conditional == nil, case .scan(let scan) = plan.node, types.count == 2, rounds == nil,
      scan.filters.isEmpty, scan.table.id == step.edgeTable.id, let to = step.to
    else { return false }
    let columns = plan.outputs.compactMap { output in
      scan.columns.first { $0.column.id == output.id }?.index
    }
    let keys = step.edgeTable.foreignKeys
    return columns.count == 2 && keys[step.from].columns == [columns[1 - place]]
      && keys[to].columns == [columns[place]]
  }

  /// Whether the only column of the step is the key by which it starts, of the rows that it arrives at.
  fileprivate static func givesKey(_ step: AdjacencyStep) -> Bool {
    let foreign = step.edgeTable.foreignKeys[step.from]
    guard foreign.parentColumns.count == 1, step.filters.isEmpty, step.hasIndex else {
      return false
    }
    guard let to = step.to else {
      // A table that refers to itself: its own rows are the edges.
      return step.edgeTable.id == foreign.parent && step.neighbourColumns.isEmpty
        && step.edgeColumns.map(\.index) == foreign.parentColumns
        && step.edgeTable.columns[foreign.parentColumns[0]].isNotNull
    }
    return step.edgeTable.foreignKeys[to].parent == foreign.parent
      && step.neighbourTable?.id == foreign.parent && step.edgeColumns.isEmpty
      && step.neighbourColumns.map(\.index) == foreign.parentColumns
  }

  /// The anchor as one row of the table, looked up by the key that is walked along.
  fileprivate func row(_ anchor: PhysicalPlan) -> KeyLookup? {
    var plan = anchor
    if case .project(let input, let list) = anchor.node,
      rounds == nil ? input.gives(list) : input.gives([list[place]])
    {
      plan = input
    }
    guard case .keyLookup(let lookup) = plan.node, lookup.keys.count == 1, lookup.filters.isEmpty,
      lookup.table.id == step.edgeTable.foreignKeys[step.from].parent,
      lookup.keyColumns == step.edgeTable.foreignKeys[step.from].parentColumns,
      lookup.columns.map(\.index) == lookup.keyColumns
    else { return nil }
    return lookup
  }

  /// The anchor as the rows next to one row, whose positions are all that is wanted.
  fileprivate func neighbours(_ anchor: PhysicalPlan) -> AdjacencyLookup? {
    var plan = anchor
    if case .project(let input, let list) = anchor.node,
      rounds == nil ? input.gives(list) : input.gives([list[place]])
    {
      plan = input
    }
    let foreign = step.edgeTable.foreignKeys[step.from]
    guard case .adjacencyLookup(let lookup) = plan.node, lookup.keys.count == 1,
      lookup.step.to != nil, lookup.step.walkedArrival != nil,
      lookup.step.neighbourTable?.id == foreign.parent,
      lookup.step.neighbourColumns.map(\.index) == foreign.parentColumns
    else { return nil }
    return lookup
  }
}

extension PhysicalPlan {
  /// The conditions on the last rows of a recursion, which the plan gives if they are met; nil for any other plan.
  fileprivate func conditions(onWorking id: Int) -> [BoundExpression]? {
    if case .workingTable(id) = node { return [] }
    guard case .filter(let input, let conditions) = node, case .workingTable(id) = input.node else {
      return nil
    }
    return conditions
  }
}

extension LogicalType {
  fileprivate var isWholeNumber: Bool {
    physical == .int16 || physical == .int32 || physical == .int64
  }
}

extension AdjacencyStep {
  /// The step with nothing but the column `id`, as one of the rows arrived at; nil where it is none, or the conditions cannot be
  /// looked at edge by edge.
  fileprivate func arriving(at id: ColumnID) -> AdjacencyStep? {
    let own = ColumnSet(columns.map(\.id))
    guard
      filters.allSatisfy({ own.isSuperset(of: $0.columns) && !$0.isVolatile && !$0.callsSession })
    else { return nil }
    if filters.isEmpty { return columns.count == 1 ? self : nil }
    var result = self
    result.filters = []
    result.edgeColumns.removeAll { $0.column.id != id }
    result.neighbourColumns.removeAll { $0.column.id != id }
    guard to == nil, let column = result.edgeColumns.first, neighbourTable == nil,
      let arrival = arrivals.first(where: { $0.edgeColumn == column.index })
    else { return result }
    // The edge repeats the key of the neighbour that an index leads to.
    result.to = arrival.to
    result.neighbourTable = arrival.table
    result.neighbourAlias = edgeAlias
    result.neighbourColumns = [ScanPlan.Column(column.column, index: arrival.neighbourColumn)]
    result.edgeColumns = []
    return result
  }

  /// The step along the same index as one that arrives by `to`, with the columns that its conditions read.
  fileprivate func readingConditions(to: Int?) -> AdjacencyStep {
    let used = filters.columns
    var result = self
    result.to = to
    result.edgeColumns.removeAll { !used.contains($0.column.id) }
    result.neighbourColumns.removeAll { !used.contains($0.column.id) }
    result.arrive()
    return result
  }
}
