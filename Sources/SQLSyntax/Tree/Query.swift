package import Diagnostics

/// A whole query: WITH, a body, and what applies to the body's result.
package struct SelectStatement: Sendable {
  /// The WITH clause.
  package var with: WithClause?
  /// The rows.
  package var body: QueryBody
  /// ORDER BY.
  package var orderBy: [SortItem]
  /// LIMIT or FETCH FIRST; `LIMIT ALL` and `LIMIT NULL` are nil and a null literal.
  package var limit: Expression?
  /// OFFSET.
  package var offset: Expression?
  /// Whether FETCH FIRST … WITH TIES was written.
  package var isWithTies: Bool
  /// FOR UPDATE and its like.
  package var locking: [LockingClause]
  /// Where it stands.
  package var range: SourceRange

  /// A query.
  package init(
    with: WithClause? = nil, body: QueryBody, orderBy: [SortItem] = [], limit: Expression? = nil,
    offset: Expression? = nil, isWithTies: Bool = false, locking: [LockingClause] = [],
    at range: SourceRange = .none
  ) {
    self.with = with
    self.body = body
    self.orderBy = orderBy
    self.limit = limit
    self.offset = offset
    self.isWithTies = isWithTies
    self.locking = locking
    self.range = range
  }
}

/// Where the rows of a query come from.
package indirect enum QueryBody: Sendable {
  /// `SELECT …`.
  case select(SelectCore)
  /// `VALUES (…), (…)`.
  case values(ValuesList)
  /// UNION, INTERSECT or EXCEPT.
  case setOperation(SetOperation)
  /// `TABLE t`.
  case table(NamedTable)
  /// A query in parentheses, which may have a WITH, ORDER BY or LIMIT of its own.
  case parenthesised(SelectStatement)
}

/// The rows of VALUES.
package struct ValuesList: Sendable {
  /// The rows; the parser does not check that they are of one length.
  package var rows: [[Expression]]
  /// Where it stands.
  package var range: SourceRange

  package init(
    rows: [[Expression]], range: SourceRange
  ) {
    self.rows = rows
    self.range = range
  }
}

/// Two queries made one.
package struct SetOperation: Sendable {
  /// Which rows are kept.
  package enum Kind: String, Sendable, Hashable {
    case union = "UNION"
    case intersect = "INTERSECT"
    case except = "EXCEPT"
  }
  /// Which rows are kept.
  package var kind: Kind
  /// Whether ALL was written.
  package var isAll: Bool
  /// The left input; chains of one precedence are deep on this side.
  package var left: QueryBody
  /// The right input.
  package var right: QueryBody
  /// Where UNION, INTERSECT or EXCEPT stands.
  package var operatorRange: SourceRange

  package init(
    kind: Kind, isAll: Bool, left: QueryBody, right: QueryBody, operatorRange: SourceRange
  ) {
    self.kind = kind
    self.isAll = isAll
    self.left = left
    self.right = right
    self.operatorRange = operatorRange
  }
}

/// One SELECT with its clauses up to WINDOW.
package struct SelectCore: Sendable {
  /// What DISTINCT asks for.
  package enum Distinct: Sendable {
    /// `DISTINCT`.
    case rows
    /// `DISTINCT ON (…)`.
    case on([Expression])
  }
  /// DISTINCT, if written; `ALL` is nil.
  package var distinct: Distinct?
  /// The select list, which may be empty.
  package var items: [SelectItem]
  /// `INTO table`.
  package var into: IntoClause?
  /// FROM; several entries are a cross join.
  package var from: [TableReference]
  /// WHERE.
  package var filter: Expression?
  /// GROUP BY.
  package var groupBy: GroupByClause?
  /// HAVING.
  package var having: Expression?
  /// WINDOW.
  package var windows: [NamedWindow]
  /// What a translation says of how it is to be run, in the words of the system that it is for.
  package var hints: [String] = []
  /// Where it stands.
  package var range: SourceRange

  /// A SELECT.
  package init(
    distinct: Distinct? = nil, items: [SelectItem], into: IntoClause? = nil,
    from: [TableReference] = [], filter: Expression? = nil, groupBy: GroupByClause? = nil,
    having: Expression? = nil, windows: [NamedWindow] = [], at range: SourceRange = .none
  ) {
    self.distinct = distinct
    self.items = items
    self.into = into
    self.from = from
    self.filter = filter
    self.groupBy = groupBy
    self.having = having
    self.windows = windows
    self.range = range
  }
}

/// One entry of a select list or of RETURNING.
package struct SelectItem: Sendable {
  /// What it gives.
  package enum Kind: Sendable {
    /// `*`.
    case all
    /// `t.*` or `schema.t.*`; the name is without the star.
    case allColumns(QualifiedName)
    /// `(expression).*`.
    case allFields(Expression)
    /// One value.
    case expression(Expression)
  }
  /// What it gives.
  package var kind: Kind
  /// The output name, if one was written.
  package var alias: Identifier?
  /// Where it stands.
  package var range: SourceRange

  /// An entry.
  package init(_ kind: Kind, alias: Identifier? = nil, at range: SourceRange = .none) {
    self.kind = kind
    self.alias = alias
    self.range = range
  }
}

/// `INTO [TEMPORARY] [TABLE] name` of a SELECT.
package struct IntoClause: Sendable {
  /// The table to make.
  package var name: QualifiedName
  /// How long it lives.
  package var persistence: Persistence
}

/// GROUP BY.
package struct GroupByClause: Sendable {
  /// Whether `GROUP BY DISTINCT` was written.
  package var isDistinct: Bool
  /// The elements in order.
  package var elements: [GroupingElement]

  /// GROUP BY of these elements.
  package init(isDistinct: Bool = false, elements: [GroupingElement]) {
    self.isDistinct = isDistinct
    self.elements = elements
  }
}

/// One element of GROUP BY.
package indirect enum GroupingElement: Sendable {
  /// One key; a bare integer names an output column.
  case expression(Expression)
  /// `()`.
  case empty(SourceRange)
  /// `ROLLUP (…)`; an entry in parentheses is a row expression.
  case rollup([Expression], SourceRange)
  /// `CUBE (…)`.
  case cube([Expression], SourceRange)
  /// `GROUPING SETS (…)`.
  case sets([GroupingElement], SourceRange)
}

/// WITH.
package struct WithClause: Sendable {
  /// Whether RECURSIVE was written.
  package var isRecursive: Bool
  /// The queries in order.
  package var expressions: [CommonTableExpression]
  /// Where it stands.
  package var range: SourceRange

  /// WITH of these expressions.
  package init(
    isRecursive: Bool, expressions: [CommonTableExpression], range: SourceRange = .none
  ) {
    self.isRecursive = isRecursive
    self.expressions = expressions
    self.range = range
  }
}

/// One query of WITH.
package struct CommonTableExpression: Sendable {
  /// SEARCH BREADTH | DEPTH FIRST BY … SET ….
  package struct Search: Sendable {
    package var isBreadthFirst: Bool
    package var columns: [Identifier]
    package var sequenceColumn: Identifier
    package var range: SourceRange
  }
  /// CYCLE … SET … [TO … DEFAULT …] USING ….
  package struct Cycle: Sendable {
    package var columns: [Identifier]
    package var markColumn: Identifier
    /// The mark of a row in a cycle; nil is true.
    package var markValue: Expression?
    /// The mark of any other row; nil is false.
    package var markDefault: Expression?
    package var pathColumn: Identifier
    package var range: SourceRange
  }
  /// Its name.
  package var name: Identifier
  /// Its columns' names, if given.
  package var columnNames: [Identifier]
  /// MATERIALIZED is true, NOT MATERIALIZED false.
  package var isMaterialized: Bool?
  /// SELECT, VALUES, or INSERT, UPDATE, DELETE.
  package var statement: Statement
  /// SEARCH, if given.
  package var search: Search?
  /// CYCLE, if given.
  package var cycle: Cycle?
  /// The most rounds of a recursion, where a translation has to say a number.
  package var recursionLimit: Int?
  /// Where it stands.
  package var range: SourceRange

  /// A query under a name.
  package init(
    name: Identifier, columnNames: [Identifier] = [], isMaterialized: Bool? = nil,
    statement: Statement, search: Search? = nil, cycle: Cycle? = nil, range: SourceRange = .none
  ) {
    self.name = name
    self.columnNames = columnNames
    self.isMaterialized = isMaterialized
    self.statement = statement
    self.search = search
    self.cycle = cycle
    self.range = range
  }
}

/// FOR UPDATE and its like.
package struct LockingClause: Sendable {
  /// How strong the lock is.
  package enum Strength: String, Sendable, Hashable {
    case update = "UPDATE"
    case noKeyUpdate = "NO KEY UPDATE"
    case share = "SHARE"
    case keyShare = "KEY SHARE"
  }
  /// What to do about rows that others have locked.
  package enum Wait: Sendable, Hashable { case block, noWait, skipLocked }
  /// How strong the lock is.
  package var strength: Strength
  /// The tables after OF; none means all.
  package var tables: [QualifiedName]
  /// What to do about rows that others have locked.
  package var wait: Wait
  /// Where it stands.
  package var range: SourceRange
}
