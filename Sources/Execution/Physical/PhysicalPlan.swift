package import Catalog
package import Planning

/// How a query is carried out: a tree of operators with every access path and algorithm chosen.
///
/// Expressions still speak of columns by identity; an operator finds a column by its place in the
/// `outputs` of its input when it is set up. No plan is correlated, except below `apply`.
package struct PhysicalPlan: Sendable {
  package indirect enum Node: Sendable {
    case scan(TableScan)
    case keyLookup(KeyLookup)
    case adjacencyLookup(AdjacencyLookup)
    case values(rows: [[BoundExpression]])
    case filter(PhysicalPlan, [BoundExpression])
    /// One expression for each output.
    case project(PhysicalPlan, [BoundExpression])
    case projectSet(PhysicalPlan, [ProjectedColumn], [TableFunctionCall])
    case tableFunction(TableFunctionNode)
    case hashJoin(HashJoin)
    case nestedLoopJoin(NestedLoopJoin)
    case unlinkedPairs(UnlinkedPairs)
    case lookupJoin(LookupJoin)
    case expand(Expand)
    case listJoin(ListJoin)
    case intersection(Intersection)
    case edgeCount(EdgeCount)
    case walk(Walk)
    case neighbourCount(NeighbourCount)
    case pairCount(PairCount)
    case remainingRows(RemainingRows)
    case storedOrder(StoredOrderScan)
    case neighbourAggregate(NeighbourAggregate)
    case rowSummary(RowSummary)
    case cycleCount(CycleCount)
    case pathSearch(PathSearch)
    case apply(Apply)
    case aggregate(AggregateNode)
    case leadingRows(PhysicalPlan, LeadingRows)
    case window(PhysicalPlan, [(column: PlanColumn, call: WindowCall)])
    case sort(PhysicalPlan, [SortKey])
    /// Sort and limit in one: the first `offset + count` rows are kept in a heap.
    case topN(PhysicalPlan, [SortKey], LimitPlan)
    case limit(PhysicalPlan, LimitPlan)
    case distinct(PhysicalPlan, on: [BoundExpression]?)
    /// UNION ALL; column *i* of each input becomes output *i*.
    case append([PhysicalPlan])
    /// INTERSECT and EXCEPT [ALL], and UNION through `distinct` of `append`.
    case setOperation(SetOperationPlan.Kind, isAll: Bool, PhysicalPlan, PhysicalPlan)
    case closure(Closure)
    case recursive(id: Int, anchor: PhysicalPlan, step: PhysicalPlan, isAll: Bool)
    case workingTable(id: Int)
    /// The groups that an aggregation has made first; see `PartialGroups`.
    case partialGroups(id: Int)
    case withCommon(id: Int, definition: PhysicalPlan, body: PhysicalPlan)
    case commonReference(id: Int)
    case modify(ModifyPlan, input: PhysicalPlan)
  }
  package var node: Node
  /// The columns handed up, in order.
  package var outputs: [PlanColumn]
  /// The optimiser's guess of the number of rows.
  package var estimatedRows: Double
  /// Into how many partitions, each of whole groups, an aggregation's or DISTINCT's input is dealt out before it is grouped; a power
  /// of two, 1 for not at all.
  package var partitionCount = 1

  package init(_ node: Node, outputs: [PlanColumn], estimatedRows: Double) {
    self.node = node
    self.outputs = outputs
    self.estimatedRows = estimatedRows
  }
}

extension PhysicalPlan {
  /// Whether the rows are all of those of a table, so that who keeps them keeps its columns.
  package var givesAllRows: Bool {
    switch node {
    case .scan(let scan): return scan.filters.isEmpty
    case .project(let input, _): return input.givesAllRows
    case .keyLookup, .adjacencyLookup, .values, .filter, .projectSet, .tableFunction, .hashJoin,
      .nestedLoopJoin, .unlinkedPairs, .lookupJoin, .expand, .listJoin, .intersection, .edgeCount,
      .walk, .neighbourCount, .pairCount, .remainingRows, .storedOrder, .neighbourAggregate,
      .rowSummary, .cycleCount, .pathSearch, .apply, .aggregate, .leadingRows, .window, .sort,
      .topN, .limit,
      .distinct, .append, .setOperation, .closure, .recursive, .workingTable, .partialGroups,
      .withCommon, .commonReference, .modify:
      return false
    }
  }
}

/// A scan of all live rows of a table, page by page, passing over pages that their zone map
/// excludes.
package struct TableScan: Sendable {
  package var table: TableDefinition
  package var alias: String
  package var columns: [ScanPlan.Column]
  package var filters: [BoundExpression]

  package init(
    table: TableDefinition, alias: String, columns: [ScanPlan.Column], filters: [BoundExpression]
  ) {
    self.table = table
    self.alias = alias
    self.columns = columns
    self.filters = filters
  }
}

/// Rows found through a key index from values known before execution.
package struct KeyLookup: Sendable {
  package var table: TableDefinition
  package var alias: String
  package var columns: [ScanPlan.Column]
  /// The columns of the key index, by index in the table.
  package var keyColumns: [Int]
  /// One list of values for each key looked up; the expressions are free of columns.
  package var keys: [[BoundExpression]]
  package var filters: [BoundExpression]

  package init(
    table: TableDefinition, alias: String, columns: [ScanPlan.Column], keyColumns: [Int],
    keys: [[BoundExpression]], filters: [BoundExpression]
  ) {
    self.table = table
    self.alias = alias
    self.columns = columns
    self.keyColumns = keyColumns
    self.keys = keys
    self.filters = filters
  }
}

/// One step along a foreign key, or along two through a junction table, by an adjacency index.
package struct AdjacencyStep: Sendable {
  /// The table whose rows are the edges: the child of the foreign key, or the junction table.
  package var edgeTable: TableDefinition
  package var edgeAlias: String
  /// The foreign key (by index into `edgeTable.foreignKeys`) whose parent's row the step starts
  /// from.
  package var from: Int
  /// The table that the step starts from, if its key is kept by edges of its own.
  package var parentTable: TableDefinition?
  /// For a junction: the foreign key whose parent's row the step arrives at.
  package var to: Int?
  /// Columns read from the edge's row.
  package var edgeColumns: [ScanPlan.Column]
  /// The table arrived at, if columns of it are wanted.
  package var neighbourTable: TableDefinition?
  package var neighbourAlias: String
  package var neighbourColumns: [ScanPlan.Column]
  /// Conditions over all columns of the step (and, in an `expand`, its input).
  package var filters: [BoundExpression]
  /// Where the step could arrive at a neighbour, whose key the edge repeats.
  package var arrivals: [Arrival] = []

  /// A column of the edge that is the key of a neighbour, which an index leads to.
  package struct Arrival: Sendable {
    /// The foreign key, by index into `edgeTable.foreignKeys`.
    package var to: Int
    package var table: TableDefinition
    /// The edge's column, and the neighbour's of the same value.
    package var edgeColumn: Int
    package var neighbourColumn: Int
  }

  package init(
    edgeTable: TableDefinition, edgeAlias: String, from: Int, parentTable: TableDefinition? = nil,
    to: Int? = nil,
    edgeColumns: [ScanPlan.Column], neighbourTable: TableDefinition? = nil,
    neighbourAlias: String = "", neighbourColumns: [ScanPlan.Column] = [],
    filters: [BoundExpression] = []
  ) {
    self.edgeTable = edgeTable
    self.edgeAlias = edgeAlias
    self.from = from
    self.parentTable = parentTable
    self.to = to
    self.edgeColumns = edgeColumns
    self.neighbourTable = neighbourTable
    self.neighbourAlias = neighbourAlias
    self.neighbourColumns = neighbourColumns
    self.filters = filters
  }
}

extension AdjacencyStep {
  /// Takes out the conditions that can be asked of all edges in their order, whichever a walk comes to: those of the edge alone
  /// that cannot fail.
  func takeEdgeConditions(from filters: inout [BoundExpression]) -> RowCondition {
    let own = ColumnSet(edgeColumns.filter { $0.index >= 0 }.map(\.column.id))
    func isAsked(_ filter: BoundExpression) -> Bool {
      !filter.columns.isEmpty && filter.columns.isSubset(of: own) && filter.dependsOnRowAlone
        && filter.cannotFail
    }
    var taken = RowCondition()
    taken.filters = filters.filter(isAsked)
    filters.removeAll(where: isAsked)
    let used = taken.filters.columns
    taken.columns = edgeColumns.filter { used.contains($0.column.id) }
    return taken
  }
}

/// The edges (and neighbours) of parent rows whose keys are known before execution.
///
/// Outputs: `edgeColumns`, then `neighbourColumns`.
package struct AdjacencyLookup: Sendable {
  package var step: AdjacencyStep
  /// Values of the foreign key's columns, one list for each parent looked up; free of columns.
  package var keys: [[BoundExpression]]

  package init(step: AdjacencyStep, keys: [[BoundExpression]]) {
    self.step = step
    self.keys = keys
  }
}

/// For each input row the edges (and neighbours) of the parent row that it names.
///
/// Outputs: the input's columns, then `edgeColumns`, then `neighbourColumns`; only the input's for
/// semi and anti, and a boolean
/// behind them for mark.
package struct Expand: Sendable {
  package var input: PhysicalPlan
  package var step: AdjacencyStep
  /// The parent's key, over the input's columns.
  package var keys: [BoundExpression]
  /// inner, left, semi or anti.
  package var kind: JoinPlan.Kind
  /// Whether the edges of one input row must come one behind another, in one worker.
  package var isClustered = false

  package init(
    input: PhysicalPlan, step: AdjacencyStep, keys: [BoundExpression], kind: JoinPlan.Kind
  ) {
    self.input = input
    self.step = step
    self.keys = keys
    self.kind = kind
  }
}

/// For each input row the number of edges of the parent row that it names, read off the index, and measures of the rows where
/// they arrive.
///
/// Outputs: the input's columns, then those of `measures`.
package struct EdgeCount: Sendable {
  package var input: PhysicalPlan
  /// The step whose edges are counted; it reads no columns.
  package var step: AdjacencyStep
  /// What is wanted of the edges of each row.
  package var measures: [(measure: KeyMeasure, column: PlanColumn)]
  /// The column that is measured, of the rows where the step arrives; nil where edges are only counted.
  package var measured: ScanPlan.Column?
  /// The parent's key, over the input's columns.
  package var keys: [BoundExpression]
  /// The neighbour edges to which do not count.
  package var exclusion: Exclusion?
  /// Whether the input is a scan of all parents, whose numbers of edges are read as they stand.
  package var isOfWholeTable = false

  /// A neighbour that is left out; of a NULL key nothing is known to differ, so that no edge counts.
  package struct Exclusion: Sendable {
    /// The foreign key that leads to neighbours, by index into the step's `edgeTable.foreignKeys`.
    package var to: Int
    package var neighbours: TableDefinition
    /// The edge's column that says which neighbour it leads to, and the key of the one left out, over the input's columns.
    package var column: ScanPlan.Column
    package var key: BoundExpression

    var condition: BoundExpression { .comparison(.notEqual, column.column.reference, key) }
  }
}

/// For each input row the rows of a table found through a key index.
///
/// Outputs: the input's columns, then `columns`; only the input's for semi and anti.
package struct LookupJoin: Sendable {
  package var input: PhysicalPlan
  package var table: TableDefinition
  package var alias: String
  package var columns: [ScanPlan.Column]
  package var keyColumns: [Int]
  /// The key's values, over the input's columns.
  package var keys: [BoundExpression]
  /// Conditions over the input's columns and `columns`.
  package var filters: [BoundExpression]
  /// inner, left, single, semi, anti or mark.
  package var kind: JoinPlan.Kind

  package init(
    input: PhysicalPlan, table: TableDefinition, alias: String, columns: [ScanPlan.Column],
    keyColumns: [Int], keys: [BoundExpression], filters: [BoundExpression], kind: JoinPlan.Kind
  ) {
    self.input = input
    self.table = table
    self.alias = alias
    self.columns = columns
    self.keyColumns = keyColumns
    self.keys = keys
    self.filters = filters
    self.kind = kind
  }
}

/// A join through a hash table of the build side.
///
/// The probe side is the logical left (whose order is kept), unless `isFlipped` (then build is
/// left, for inner, left, right, full, semi and anti; the last two give the build's rows at the end).
/// Outputs: left's columns then right's, as the logical join has them.
package struct HashJoin: Sendable {
  package struct Key: Sendable {
    package var probe: BoundExpression
    package var build: BoundExpression
    /// IS NOT DISTINCT FROM: NULL matches NULL.
    package var nullsMatch: Bool
    /// For `mark` and `anti`: whether the key counts for IN's NULL (a NULL on either side makes the comparison
    /// unknown).
    ///
    /// An anti-join gives the rows whose mark would be false.
    ///
    /// At most one key of a join does; for every other key NULL is no match, as in a semi-join. So
    /// the mark is
    /// true with a match on all keys; else NULL where, among the build rows equal on the other keys
    /// (all rows
    /// without other keys), some has a NULL in this key, or there are some and the probe's value is
    /// NULL; else false.
    package var isNullAware: Bool

    package init(
      probe: BoundExpression, build: BoundExpression, nullsMatch: Bool = false,
      isNullAware: Bool = false
    ) {
      self.probe = probe
      self.build = build
      self.nullsMatch = nullsMatch
      self.isNullAware = isNullAware
    }
  }
  package var probe: PhysicalPlan
  package var build: PhysicalPlan
  package var keys: [Key]
  /// Further conditions over both sides, part of the join's condition.
  ///
  /// A `mark` join has them only where no key is null-aware; they count as met or not met, never as
  /// unknown.
  package var residual: [BoundExpression]
  /// The logical kind.
  package var kind: JoinPlan.Kind
  package var isFlipped: Bool
  /// Whether the many rows of a key stand in the order of a range key.
  package var isRanged = false

  package init(
    probe: PhysicalPlan, build: PhysicalPlan, keys: [Key], residual: [BoundExpression],
    kind: JoinPlan.Kind, isFlipped: Bool
  ) {
    self.probe = probe
    self.build = build
    self.keys = keys
    self.residual = residual
    self.kind = kind
    self.isFlipped = isFlipped
  }
}

/// A join of every pair; the right side is kept in memory.
package struct NestedLoopJoin: Sendable {
  package var left: PhysicalPlan
  package var right: PhysicalPlan
  package var conditions: [BoundExpression]
  package var kind: JoinPlan.Kind

  package init(
    left: PhysicalPlan, right: PhysicalPlan, conditions: [BoundExpression], kind: JoinPlan.Kind
  ) {
    self.left = left
    self.right = right
    self.conditions = conditions
    self.kind = kind
  }
}

/// All pairs of left and right rows but for those that a junction table links.
///
/// Outputs: left's columns then right's. The right side is kept in memory.
package struct UnlinkedPairs: Sendable {
  package var left: PhysicalPlan
  package var right: PhysicalPlan
  /// From the parent that a left row names to those it is linked with.
  package var step: AdjacencyStep
  /// The same way back, by which right rows are known as parents.
  package var back: AdjacencyStep
  /// The parent's key, over the left's columns, and that of the other parent, over the right's.
  package var leftKeys: [BoundExpression]
  package var rightKeys: [BoundExpression]

  package init(
    left: PhysicalPlan, right: PhysicalPlan, step: AdjacencyStep, back: AdjacencyStep,
    leftKeys: [BoundExpression], rightKeys: [BoundExpression]
  ) {
    self.left = left
    self.right = right
    self.step = step
    self.back = back
    self.leftKeys = leftKeys
    self.rightKeys = rightKeys
  }
}

/// A join whose right side is run anew for each distinct set of values of the left columns it uses:
/// what unnesting could not remove.
package struct Apply: Sendable {
  package var left: PhysicalPlan
  /// Uses the columns `parameters` of the left as if they were its own.
  package var right: PhysicalPlan
  package var parameters: [PlanColumn]
  package var conditions: [BoundExpression]
  package var kind: JoinPlan.Kind
  /// Whether the right side may give other rows for the same parameters, and so is run for each left row.
  package var isVolatile: Bool

  package init(
    left: PhysicalPlan, right: PhysicalPlan, parameters: [PlanColumn],
    conditions: [BoundExpression], kind: JoinPlan.Kind, isVolatile: Bool = false
  ) {
    self.isVolatile = isVolatile
    self.left = left
    self.right = right
    self.parameters = parameters
    self.conditions = conditions
    self.kind = kind
  }
}

/// Set-returning functions, once or for each input row.
package struct TableFunctionNode: Sendable {
  package var input: PhysicalPlan?
  package var calls: [TableFunctionCall]
  package var ordinality: PlanColumn?
  package var isOuter: Bool
  /// What graph algorithms among the calls read before they run, one behind another.
  package var graphPlans: [PhysicalPlan]

  package init(
    input: PhysicalPlan?, calls: [TableFunctionCall], ordinality: PlanColumn?, isOuter: Bool,
    graphPlans: [PhysicalPlan] = []
  ) {
    self.graphPlans = graphPlans
    self.input = input
    self.calls = calls
    self.ordinality = ordinality
    self.isOuter = isOuter
  }
}
