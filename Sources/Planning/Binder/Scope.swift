import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// The names that the expressions of one query can use, and what they leave behind: aggregates, window
/// calls and set-returning calls, each replaced by a column in the expression that held it.
final class Scope {
  /// The query around this one.
  let parent: Scope?
  /// What FROM offers at this point; while FROM itself is bound, what stands to the left.
  var entries: [RangeEntry] = []
  /// Every entry of FROM, also those that cannot be referred to here: for hints.
  var registered: [RangeEntry] = []
  /// Common table expressions in sight.
  var commons: CommonTable?
  /// Parameters of the function whose body this is part of.
  var parameters: ParameterScope?
  /// What the query is asked of a graph's matches for, if it stands in GRAPH_TABLE.
  var graph: GraphNames?
  /// The clause being bound.
  var clause: Clause = .other
  /// Whether a `window` or aggregate may stand where the expression is being bound.
  var aggregateDepth = 0
  /// Whether the expression being bound is inside a window call of this query.
  var isInWindowCall = false
  /// Whether the expression being bound is inside CASE or COALESCE, which forbids set-returning calls.
  var conditionalName: String?

  /// Whether FROM reads the recursion that is being bound.
  var hasSelfReference = false
  /// The named windows of the query.
  var windows: [NamedWindow] = []
  var aggregates: [AggregatePlan.Item] = []
  var windowCalls: [(column: PlanColumn, call: WindowCall)] = []
  /// Set-returning calls by how deep they are nested; inner ones first.
  var setCalls: [[TableFunctionCall]] = []
  /// Set-returning functions of users: joined laterally under the select list.
  var setQueries: [BoundQuery] = []
  /// GROUPING calls: the expressions asked about.
  var groupings: [(column: PlanColumn, arguments: [BoundExpression], range: SourceRange)] = []
  /// Columns of this query referred to outside aggregates, with their places.
  var references: [ColumnReference] = []
  /// Whether some aggregate or HAVING makes this a grouped query.
  var isGrouped: Bool { !aggregates.isEmpty || !groupings.isEmpty }

  init(parent: Scope?) {
    self.parent = parent
    commons = parent?.commons
    parameters = parent?.parameters
  }

  /// The clauses that restrict what an expression may hold, with PostgreSQL's words for them.
  enum Clause: String {
    case other = ""
    case selectList = "SELECT"
    case from = "FROM"
    case function = "functions in FROM"
    case on = "JOIN conditions"
    case filter = "WHERE"
    case having = "HAVING"
    case groupBy = "GROUP BY"
    case orderBy = "ORDER BY"
    case distinctOn = "DISTINCT ON"
    case limit = "LIMIT"
    case offset = "OFFSET"
    case values = "VALUES"
    case returning = "RETURNING"
    case update = "UPDATE"
    case aggregateFilter = "FILTER"
    case windowPartition = "window PARTITION BY"
    case windowOrder = "window ORDER BY"
    case windowRange = "window RANGE"
    case windowRows = "window ROWS"
    case windowGroups = "window GROUPS"
    case check = "check constraints"
    case columnDefault = "DEFAULT expressions"
    case generated = "column generation expressions"
    case graphProperty = "property expressions"
    case index = "index expressions"
    case indexPredicate = "index predicates"
    case copyFilter = "COPY FROM WHERE conditions"
    case mergeWhen = "MERGE WHEN conditions"
    case graphColumns = "COLUMNS"
    case pathCost = "COST"
  }
}

/// A use of a column outside aggregates.
struct ColumnReference {
  var column: ColumnID
  var range: SourceRange
}

/// One named source of columns in FROM.
struct RangeEntry {
  /// The name by which columns can be qualified; nil for a join without alias.
  var name: String?
  /// The schema, where the entry is a table or view without alias.
  var schema: String?
  var columns: [RangeColumn]
  /// Whether `name.column` is understood.
  var isRelationVisible = true
  /// Whether `column` alone is understood.
  var areColumnsVisible = true
  /// False on the left of RIGHT and FULL joins, seen from a lateral right side.
  var allowsLateral = true
  /// The entry stands for a join, whose columns are also those of other entries.
  var isJoin = false
  /// The relation's own name, where an alias hides it.
  var relationName: String?
  /// What the entry is, shared by all copies of it.
  var source: RangeSource?
}

/// One column of an entry of FROM.
struct RangeColumn {
  /// A column, or for merged columns of a join an expression over the columns of both sides.
  private enum Meaning {
    case column(ColumnID, LogicalType)
    case computed(BoundExpression)
  }
  var name: String
  private let meaning: Meaning

  init(name: String, expression: BoundExpression) {
    self.name = name
    meaning = .computed(expression)
  }

  /// A column of a plan under its own name.
  ///
  /// Tables have many columns that nobody asks for, so the expression is made for who does.
  init(_ column: PlanColumn) {
    name = column.name
    meaning = .column(column.id, column.type)
  }

  /// What the name stands for.
  var expression: BoundExpression {
    switch meaning {
    case .column(let id, let type): .column(id, type)
    case .computed(let expression): expression
    }
  }
}

/// What an entry of FROM is made of.
final class RangeSource {
  /// The stored table, if it is one.
  let table: TableDefinition?
  /// The type of a whole-row reference, which few ask for.
  private(set) lazy var rowType: RecordType? = givenType ?? table?.rowType
  private let givenType: RecordType?
  /// The entry is a function that returns a scalar: a whole-row reference gives that scalar.
  let isScalarFunction: Bool
  /// The columns of the plan that stands for the entry, by which it is found again.
  let outputs: [ColumnID]
  /// A column that is NULL exactly where an outer join has added NULLs for the entry; made on demand.
  var marker: PlanColumn?
  /// Whether an outer join can add NULLs for the entry.
  var isNullable = false

  init(
    table: TableDefinition? = nil, rowType: RecordType? = nil, isScalarFunction: Bool = false,
    outputs: [ColumnID]
  ) {
    self.table = table
    givenType = rowType
    self.isScalarFunction = isScalarFunction
    self.outputs = outputs
  }
}

/// A common table expression in sight, and those before it.
final class CommonTable {
  enum Kind {
    /// Defined by a `withCommon` of this identity.
    case common
    /// The recursion being bound: a reference reads the working table.
    case working
    /// A name that may not be used yet.
    case forward
  }
  let name: String
  var kind: Kind
  let id: Int
  var columns: [PlanColumn]
  let next: CommonTable?
  var referenceCount = 0
  /// Why a reference to a working table is refused where it stands, if it is.
  var refusal: String?
  /// A statement without RETURNING, which cannot be read from.
  var lacksReturning = false

  init(name: String, kind: Kind, id: Int, columns: [PlanColumn], next: CommonTable?) {
    self.name = name
    self.kind = kind
    self.id = id
    self.columns = columns
    self.next = next
  }
}

/// The parameters of a function whose body is being bound.
final class ParameterScope {
  let functionName: String
  /// Names and what stands for them; nil for parameters without a name.
  let parameters: [(name: String?, expression: BoundExpression)]
  /// How many of them are arguments; the others are OUT parameters or columns of RETURNS TABLE.
  let argumentCount: Int
  /// Whether the body is plpgsql, where a name that is both a column and a parameter is ambiguous.
  let isProcedural: Bool

  init(
    functionName: String, parameters: [(name: String?, expression: BoundExpression)],
    argumentCount: Int, isProcedural: Bool
  ) {
    self.functionName = functionName
    self.parameters = parameters
    self.argumentCount = argumentCount
    self.isProcedural = isProcedural
  }
}
