package import Catalog

/// What a query computes, as a tree of operators over columns with identities.
///
/// Each operator's `outputs` are exactly the columns that it hands up. An operator may use columns that nothing
/// below it produces: it is then correlated, and unnesting removes that before execution (function arguments of
/// a lateral call excepted, see `tableFunction`).
package indirect enum LogicalPlan: Sendable {
  /// Rows of a stored table.
  case scan(ScanPlan)
  /// Rows written out; one row without columns is the input of a SELECT without FROM.
  case values(rows: [[BoundExpression]], columns: [PlanColumn])
  /// Rows for which every condition is true.
  case filter(LogicalPlan, [BoundExpression])
  /// Computed columns; a column that is passed on is listed as itself.
  case project(LogicalPlan, [ProjectedColumn])
  /// Computed columns, some of them set-returning: as many rows as the longest of them gives.
  case projectSet(LogicalPlan, [ProjectedColumn], [TableFunctionCall])
  case join(JoinPlan)
  /// Rows joined by the paths between them.
  case path(PathPlan)
  case aggregate(AggregatePlan)
  /// The input's columns and one more for each call.
  case window(LogicalPlan, [(column: PlanColumn, call: WindowCall)])
  case sort(LogicalPlan, [SortKey])
  case limit(LogicalPlan, LimitPlan)
  /// `on` nil: rows that differ in some column. Else the first row, in the input's order, for each value of `on`.
  case distinct(LogicalPlan, on: [BoundExpression]?)
  case setOperation(SetOperationPlan)
  case recursive(RecursivePlan)
  /// The rows that the previous round of the recursion `id` gave.
  case workingTable(id: Int, columns: [PlanColumn])
  /// A common table expression computed once; `body` may refer to it any number of times.
  case withCommon(id: Int, definition: LogicalPlan, body: LogicalPlan)
  /// The rows of a `withCommon` around it; column *i* is its column *i* under a new identity.
  case commonReference(id: Int, columns: [PlanColumn])
  /// A set-returning function in FROM; its arguments may use columns of what stands to its left (see `JoinPlan.isLateral`).
  case tableFunction(TableFunctionPlan)
  case modify(ModifyPlan)
}

/// Rows of a stored table.
///
/// Every rule hands on the scans of a plan, and few rules change one: copies share what they say.
package struct ScanPlan: Sendable {
  /// One column read.
  package struct Column: Sendable {
    package var column: PlanColumn
    /// The column's index in the table; `ScanPlan.positionIndex` is the row's position, and `ScanPlan.codeIndex(of:)` the
    /// code of a column.
    package var index: Int
    package init(_ column: PlanColumn, index: Int) {
      self.column = column
      self.index = index
    }
  }
  /// The index that stands for the row's position, an `integer` whose bits are a UInt32.
  package static let positionIndex = -1
  /// The index that stands for the codes of a column by dictionary, an `integer` that is NULL where the column is, and whose
  /// order is that of the values.
  package static func codeIndex(of column: Int) -> Int { -2 - column }
  /// The column of which an index stands for the codes; nil for any other.
  package static func codedColumn(_ index: Int) -> Int? { index < -1 ? -2 - index : nil }
  @usableFromInline final class Parts: Sendable {
    @usableFromInline let table: TableDefinition
    @usableFromInline let alias: String
    @usableFromInline let columns: [Column]
    @usableFromInline let filters: [BoundExpression]
    let columnIDs: ColumnSet

    init(
      _ table: TableDefinition, _ alias: String, _ columns: [Column], _ filters: [BoundExpression]
    ) {
      var ids = ColumnSet()
      for place in columns.indices { ids.insert(columns[place].column.id) }
      columnIDs = ids
      self.table = table
      self.alias = alias
      self.columns = columns
      self.filters = filters
    }
  }

  @usableFromInline var parts: Parts

  package init(
    table: TableDefinition, alias: String, columns: [Column], filters: [BoundExpression] = []
  ) {
    parts = Parts(table, alias, columns, filters)
  }

  package var table: TableDefinition { @inlinable get { parts.table } }
  /// The name it goes by in the statement.
  package var alias: String { @inlinable get { parts.alias } }
  package var columns: [Column] {
    @inlinable get { parts.columns }
    set { parts = Parts(table, alias, newValue, filters) }
  }
  /// Conditions moved into the scan; all must be true.
  package var filters: [BoundExpression] {
    @inlinable get { parts.filters }
    set { parts = Parts(table, alias, columns, newValue) }
  }

  /// The column that is read of an index of the table.
  package func columnID(_ index: Int) -> ColumnID? { columns.last { $0.index == index }?.column.id }

  /// The identities of the columns.
  package var columnIDs: ColumnSet { parts.columnIDs }

  /// What tells the scan from any other as long as it is there: one that is changed becomes another.
  var identity: ObjectIdentifier { ObjectIdentifier(parts) }
}

/// A column of a table that is read by dictionary.
package struct CodedColumn: Sendable, Hashable {
  package var table: ObjectID
  package var column: Int

  package init(table: ObjectID, column: Int) {
    self.table = table
    self.column = column
  }
}

/// A column and what it is computed from.
package struct ProjectedColumn: Sendable {
  package var column: PlanColumn
  package var expression: BoundExpression

  package init(_ column: PlanColumn, _ expression: BoundExpression) {
    self.column = column
    self.expression = expression
  }
}

/// Two inputs joined.
package struct JoinPlan: Sendable {
  /// Which rows come out.
  package enum Kind: Sendable {
    case inner, left, right, full
    /// Left rows with at least one match; only the left's columns come out.
    case semi
    /// Left rows for which the condition is not true with any right row; NULL counts as no match (NOT EXISTS).
    case anti
    /// Left rows, and a boolean column: true with a match, NULL where none is true and some is NULL, else false (IN).
    case mark(PlanColumn)
    /// A left join whose right side must match at most once: 21000 otherwise (scalar subquery).
    case single

    package var isInner: Bool {
      if case .inner = self { return true }
      return false
    }
  }
  package var kind: Kind
  package var left: LogicalPlan
  package var right: LogicalPlan
  /// All must be true; none means every pair.
  package var conditions: [BoundExpression]
  /// Whether the right side may use columns of the left; removed by unnesting.
  package var isLateral: Bool

  package init(
    _ kind: Kind, _ left: LogicalPlan, _ right: LogicalPlan, on conditions: [BoundExpression],
    isLateral: Bool = false
  ) {
    self.kind = kind
    self.left = left
    self.right = right
    self.conditions = conditions
    self.isLateral = isLateral
  }
}

/// Grouping and aggregation.
package struct AggregatePlan: Sendable {
  /// One aggregate and the column it gives.
  package struct Item: Sendable {
    package var column: PlanColumn
    package var call: AggregateCall
    package init(_ column: PlanColumn, _ call: AggregateCall) {
      self.column = column
      self.call = call
    }
  }
  package var input: LogicalPlan
  /// The keys; each comes out as its column.
  package var keys: [ProjectedColumn]
  package var aggregates: [Item]
  /// The keys of each set of GROUPING SETS, ROLLUP and CUBE, by index; nil is one set of all keys.
  ///
  /// Keys outside a set come out NULL.
  package var groupingSets: [[Int]]?
  /// Columns for `GROUPING(…)`: the keys it is asked about, by index.
  package var groupings: [(column: PlanColumn, keys: [Int])]

  package init(
    input: LogicalPlan, keys: [ProjectedColumn], aggregates: [Item],
    groupingSets: [[Int]]? = nil, groupings: [(column: PlanColumn, keys: [Int])] = []
  ) {
    self.input = input
    self.keys = keys
    self.aggregates = aggregates
    self.groupingSets = groupingSets
    self.groupings = groupings
  }
}

/// LIMIT and OFFSET; the expressions are free of columns.
package struct LimitPlan: Sendable {
  package var count: BoundExpression?
  package var offset: BoundExpression?
  /// The keys of FETCH FIRST … WITH TIES, by which the input is sorted; rows equal to the last come too.
  package var ties: [SortKey]?

  package init(count: BoundExpression?, offset: BoundExpression?, ties: [SortKey]? = nil) {
    self.count = count
    self.offset = offset
    self.ties = ties
  }
}

/// UNION, INTERSECT or EXCEPT; column *i* of both inputs (same types) becomes `columns[i]`.
package struct SetOperationPlan: Sendable {
  package enum Kind: Sendable, Hashable { case union, intersect, except }
  package var kind: Kind
  package var isAll: Bool
  package var left: LogicalPlan
  package var right: LogicalPlan
  package var columns: [PlanColumn]

  package init(
    _ kind: Kind, isAll: Bool, _ left: LogicalPlan, _ right: LogicalPlan, columns: [PlanColumn]
  ) {
    self.kind = kind
    self.isAll = isAll
    self.left = left
    self.right = right
    self.columns = columns
  }
}

/// WITH RECURSIVE: `anchor` once, then `step` over the rows that were new, until none are.
package struct RecursivePlan: Sendable {
  package var id: Int
  package var anchor: LogicalPlan
  /// Reads the last round's rows through `workingTable(id:)`.
  package var step: LogicalPlan
  /// UNION ALL keeps repeated rows, UNION does not.
  package var isAll: Bool
  package var columns: [PlanColumn]

  package init(
    id: Int, anchor: LogicalPlan, step: LogicalPlan, isAll: Bool, columns: [PlanColumn]
  ) {
    self.id = id
    self.anchor = anchor
    self.step = step
    self.isAll = isAll
    self.columns = columns
  }
}
