package import Diagnostics

/// One entry of FROM.
package indirect enum TableReference: Sendable {
  /// A table, view or common table expression by name.
  case table(NamedTable)
  /// `[LATERAL] (SELECT …) alias`; VALUES in FROM is a subquery whose body is `values`.
  case subquery(DerivedTable)
  /// A function, or several in ROWS FROM.
  case function(TableFunction)
  /// A join.
  case join(JoinedTable)
  /// `GRAPH_TABLE (…)`, which may be lateral.
  case graph(GraphTable)

  /// Where it stands.
  package var range: SourceRange {
    switch self {
    case .table(let table): table.range
    case .subquery(let table): table.range
    case .function(let table): table.range
    case .join(let join): join.range
    case .graph(let table): table.range
    }
  }
}

/// `AS alias (column, …)`.
package struct TableAlias: Sendable, Hashable {
  /// The name.
  package var name: Identifier
  /// New names of the first columns.
  package var columns: [Identifier]

  /// An alias.
  package init(_ name: Identifier, columns: [Identifier] = []) {
    self.name = name
    self.columns = columns
  }
}

/// A table by name.
package struct NamedTable: Sendable {
  /// Its name.
  package var name: QualifiedName
  /// Its alias.
  package var alias: TableAlias?
  /// Whether ONLY stood before it.
  package var isOnly: Bool
  /// Whether the name is the path of a file, written as a string.
  package var isFile: Bool
  /// TABLESAMPLE, which is parsed so that it can be refused by name.
  package var sample: TableSample?
  /// Where it stands.
  package var range: SourceRange

  /// A table.
  package init(
    _ name: QualifiedName, alias: TableAlias? = nil, isOnly: Bool = false,
    isFile: Bool = false, sample: TableSample? = nil, at range: SourceRange = .none
  ) {
    self.name = name
    self.alias = alias
    self.isOnly = isOnly
    self.isFile = isFile
    self.sample = sample
    self.range = range
  }
}

/// `TABLESAMPLE method (…) [REPEATABLE (seed)]`.
package struct TableSample: Sendable {
  /// The method, such as `bernoulli`.
  package var method: QualifiedName
  /// Its arguments.
  package var arguments: [Expression]
  /// The seed.
  package var seed: Expression?
  /// Where it stands.
  package var range: SourceRange
}

/// A query in FROM.
package struct DerivedTable: Sendable {
  /// The query.
  package var query: SelectStatement
  /// Its alias, which PostgreSQL 15 demands; the parser refuses its absence.
  package var alias: TableAlias?
  /// Whether LATERAL was written.
  package var isLateral: Bool
  /// Where it stands.
  package var range: SourceRange

  /// A query in FROM.
  package init(
    query: SelectStatement, alias: TableAlias?, isLateral: Bool, range: SourceRange
  ) {
    self.query = query
    self.alias = alias
    self.isLateral = isLateral
    self.range = range
  }
}

/// One or more functions in FROM.
package struct TableFunction: Sendable {
  /// One function with the columns it is said to return.
  package struct Item: Sendable {
    /// The call; one of the kinds `function`, `conditional`, `sessionValue` or `cast`.
    package var call: Expression
    /// `AS (name type, …)` after it.
    package var columns: [ColumnDefinition]

    package init(
      call: Expression, columns: [ColumnDefinition]
    ) {
      self.call = call
      self.columns = columns
    }
  }
  /// The functions; more than one only in ROWS FROM.
  package var items: [Item]
  /// Whether ROWS FROM was written.
  package var isRowsFrom: Bool
  /// Whether WITH ORDINALITY was written.
  package var hasOrdinality: Bool
  /// Whether LATERAL was written; functions in FROM are lateral in any case.
  package var isLateral: Bool
  /// The alias, with new column names.
  package var alias: TableAlias?
  /// `AS alias (name type, …)` of a single function.
  package var columns: [ColumnDefinition]
  /// Where it stands.
  package var range: SourceRange

  package init(
    items: [Item], isRowsFrom: Bool, hasOrdinality: Bool, isLateral: Bool, alias: TableAlias?,
    columns: [ColumnDefinition], range: SourceRange
  ) {
    self.items = items
    self.isRowsFrom = isRowsFrom
    self.hasOrdinality = hasOrdinality
    self.isLateral = isLateral
    self.alias = alias
    self.columns = columns
    self.range = range
  }
}

/// Two table references joined.
package struct JoinedTable: Sendable {
  /// Which unmatched rows are kept.
  package enum Kind: String, Sendable, Hashable {
    case inner = "INNER"
    case left = "LEFT"
    case right = "RIGHT"
    case full = "FULL"
    case cross = "CROSS"
    /// Junction's own: left rows that have a match, each once; the right side is not seen outside of
    /// the join's condition.
    case semi = "LEFT SEMI"
    /// Junction's own: left rows that have none.
    case anti = "LEFT ANTI"
  }
  /// What makes rows match.
  package enum Condition: Sendable {
    /// None: a cross join.
    case none
    /// `ON expression`.
    case on(Expression)
    /// `USING (column, …) [AS alias]`.
    case using([Identifier], alias: Identifier?)
    /// NATURAL.
    case natural
  }
  /// Which unmatched rows are kept.
  package var kind: Kind
  /// What makes rows match.
  package var condition: Condition
  /// The left input.
  package var left: TableReference
  /// The right input.
  package var right: TableReference
  /// The alias of `(a JOIN b) AS alias`, which hides the names within.
  package var alias: TableAlias?
  /// Where it stands.
  package var range: SourceRange

  /// A join of two references.
  package init(
    kind: Kind, condition: Condition, left: TableReference, right: TableReference,
    alias: TableAlias? = nil, range: SourceRange = .none
  ) {
    self.kind = kind
    self.condition = condition
    self.left = left
    self.right = right
    self.alias = alias
    self.range = range
  }
}
