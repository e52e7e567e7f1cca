package import Diagnostics

/// How long a relation lives, and whether its changes are logged.
package enum Persistence: String, Sendable, Hashable {
  case permanent = ""
  case temporary = "TEMPORARY"
  case unlogged = "UNLOGGED"
}

/// CASCADE or RESTRICT, the latter also if neither was written.
package enum DropBehavior: String, Sendable, Hashable {
  case restrict = "RESTRICT"
  case cascade = "CASCADE"
}

/// CREATE TABLE, also in its form `CREATE TABLE … AS`.
package struct CreateTableStatement: Sendable {
  /// What becomes of a temporary table's rows at commit.
  package enum OnCommit: String, Sendable, Hashable {
    case preserveRows = "PRESERVE ROWS"
    case deleteRows = "DELETE ROWS"
    case drop = "DROP"
  }
  /// The query of `CREATE TABLE … AS`.
  package struct Source: Sendable {
    /// A SELECT, VALUES, TABLE or EXECUTE.
    package var statement: Statement
    /// Names of the first columns.
    package var columnNames: [Identifier]
    /// Whether the rows are wanted: false for WITH NO DATA.
    package var withData: Bool
  }
  package var name: QualifiedName
  package var persistence: Persistence
  package var ifNotExists: Bool
  package var elements: [TableElement]
  package var source: Source?
  /// INHERITS.
  package var inherits: [QualifiedName]
  /// PARTITION BY, PARTITION OF or OF type: read only as far as needed to refuse them by name.
  package var partitioning: Partitioning?
  package var accessMethod: Identifier?
  package var options: [DefinitionOption]
  package var onCommit: OnCommit?
  package var tablespace: Identifier?
  package var range: SourceRange
}

/// Clauses that make a table a partition, a partitioned one, or one of a composite type.
package struct Partitioning: Sendable, Hashable {
  package enum Kind: Sendable, Hashable { case partitionBy, partitionOf, ofType }
  package var kind: Kind
  /// The text of the clause is read, not understood.
  package var range: SourceRange
}

/// One entry in the parentheses of CREATE TABLE.
package enum TableElement: Sendable {
  case column(ColumnDefinition)
  case constraint(TableConstraint)
  case like(LikeClause)
}

/// `LIKE table [INCLUDING | EXCLUDING what …]`.
package struct LikeClause: Sendable {
  /// What can be copied beside names, types and NOT NULL.
  package enum Aspect: String, Sendable, Hashable, CaseIterable {
    case comments = "COMMENTS"
    case compression = "COMPRESSION"
    case constraints = "CONSTRAINTS"
    case defaults = "DEFAULTS"
    case generated = "GENERATED"
    case identity = "IDENTITY"
    case indexes = "INDEXES"
    case statistics = "STATISTICS"
    case storage = "STORAGE"
  }
  package var table: QualifiedName
  /// What is copied after all INCLUDING and EXCLUDING are applied in order.
  package var including: [Aspect]
  package var range: SourceRange
}

/// A column of CREATE TABLE or ADD COLUMN.
package struct ColumnDefinition: Sendable {
  package var name: Identifier
  package var type: TypeName
  package var collation: QualifiedName?
  package var constraints: [ColumnConstraint]
  package var range: SourceRange
}

/// A constraint written with a column.
package struct ColumnConstraint: Sendable {
  package enum Kind: Sendable {
    case notNull
    case null
    case defaultValue(Expression)
    case check(Expression)
    case primaryKey
    case unique(nullsNotDistinct: Bool)
    /// `GENERATED ALWAYS AS (expression) STORED`.
    case generated(Expression)
    case identity(isAlways: Bool, options: [SequenceOption])
    case references(ReferencesClause)
  }
  /// The name after CONSTRAINT.
  package var name: Identifier?
  package var kind: Kind
  package var timing: ConstraintTiming
  /// WITH (…) of a key.
  package var options: [DefinitionOption]
  package var range: SourceRange
}

/// A constraint of a whole table.
package struct TableConstraint: Sendable {
  package enum Kind: Sendable {
    case check(Expression)
    case primaryKey(KeyColumns)
    case unique(KeyColumns)
    case foreignKey([Identifier], ReferencesClause)
    case cardinality(CardinalityClause)
    /// EXCLUDE, read so that it can be refused by name.
    case exclude
  }
  /// The name after CONSTRAINT.
  package var name: Identifier?
  package var kind: Kind
  package var timing: ConstraintTiming
  package var range: SourceRange
}

/// The columns of PRIMARY KEY or UNIQUE.
package struct KeyColumns: Sendable {
  package var columns: [Identifier]
  package var including: [Identifier]
  /// UNIQUE NULLS NOT DISTINCT.
  package var nullsNotDistinct: Bool
  /// `USING INDEX name` of ALTER TABLE ADD; there are then no columns.
  package var existingIndex: Identifier?
  package var options: [DefinitionOption]
}

/// `CARDINALITY (columns) BETWEEN low AND high`: how many rows refer to each row of the parent.
package struct CardinalityClause: Sendable {
  /// The columns of a foreign key.
  package var columns: [Identifier]
  package var low: Int64
  package var high: Int64
  /// Where the bounds stand.
  package var boundsRange: SourceRange
}

/// When and how far a constraint holds.
package struct ConstraintTiming: Sendable, Hashable {
  package var isDeferrable = false
  package var isInitiallyDeferred = false
  /// NOT VALID: existing rows are not checked.
  package var isNotValid = false
  /// NO INHERIT, for checks.
  package var isNoInherit = false
  /// ENFORCED or NOT ENFORCED; nil if neither was written.
  package var isEnforced: Bool?

  /// A constraint checked at once, and for all rows.
  package init() {}
}

/// REFERENCES with its actions.
package struct ReferencesClause: Sendable {
  package enum Match: String, Sendable, Hashable {
    case simple = "SIMPLE"
    case full = "FULL"
    case partial = "PARTIAL"
  }
  /// What happens to referencing rows.
  package enum Action: Sendable {
    case noAction, restrict, cascade
    /// SET NULL, of these columns only if any are given.
    case setNull([Identifier])
    /// SET DEFAULT, of these columns only if any are given.
    case setDefault([Identifier])
  }
  package var table: QualifiedName
  /// The referenced columns; none means the primary key.
  package var columns: [Identifier]
  package var match: Match
  package var onDelete: Action
  package var onUpdate: Action
  package var range: SourceRange
}

/// CREATE INDEX.
package struct CreateIndexStatement: Sendable {
  /// The index's name, if given.
  package var name: Identifier?
  package var table: NamedTable
  package var isUnique: Bool
  package var isConcurrent: Bool
  package var ifNotExists: Bool
  /// The method after USING, such as `btree`.
  package var method: Identifier?
  package var elements: [IndexElement]
  package var including: [Identifier]
  package var nullsNotDistinct: Bool
  package var options: [DefinitionOption]
  package var filter: Expression?
  package var range: SourceRange
}

/// One key of an index or of ON CONFLICT.
package struct IndexElement: Sendable {
  /// A column is the kind `column` with a name of one part.
  package var expression: Expression
  package var collation: QualifiedName?
  package var operatorClass: QualifiedName?
  package var isDescending: Bool
  package var nulls: SortItem.Nulls?
  package var range: SourceRange
}

extension IndexElement {
  /// A column in ascending order.
  package init(column: String) {
    self.init(
      expression: Expression(.column(QualifiedName(Identifier(column)))), collation: nil,
      operatorClass: nil, isDescending: false, nulls: nil, range: .none)
  }
}
