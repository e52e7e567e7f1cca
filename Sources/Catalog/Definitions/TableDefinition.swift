package import Columnar
package import SQLSyntax

/// Where a column's value comes from when a statement gives none.
package enum ColumnDefault: Sendable {
  /// An expression without column references, bound anew for each statement.
  case expression(SQLSyntax.Expression)
  /// The next value of a sequence: serial and identity columns.
  case sequence(ObjectID)
}

/// How far an identity column accepts values from outside.
package enum IdentityKind: Sendable, Hashable { case always, byDefault }

/// One column of a table.
package struct TableColumn: Sendable {
  package var name: String
  package var columnType: ColumnType
  package var isNotNull: Bool
  package var defaultValue: ColumnDefault?
  package var identity: IdentityKind?
  /// `GENERATED ALWAYS AS (…) STORED`.
  package var generated: SQLSyntax.Expression?
  /// The domain that the column was declared with.
  package var domain: ObjectID?
  package var comment: String?

  package init(
    name: String, columnType: ColumnType, isNotNull: Bool = false,
    defaultValue: ColumnDefault? = nil, identity: IdentityKind? = nil,
    generated: SQLSyntax.Expression? = nil, comment: String? = nil
  ) {
    self.name = name
    self.columnType = columnType
    self.isNotNull = isNotNull
    self.defaultValue = defaultValue
    self.identity = identity
    self.generated = generated
    self.comment = comment
  }

  package var type: LogicalType { columnType.type }
}

/// When a constraint is checked.
package struct ConstraintDeferral: Sendable, Hashable {
  package var isDeferrable: Bool
  package var isInitiallyDeferred: Bool

  package init(isDeferrable: Bool = false, isInitiallyDeferred: Bool = false) {
    self.isDeferrable = isDeferrable
    self.isInitiallyDeferred = isInitiallyDeferred
  }
}

/// PRIMARY KEY, UNIQUE or a unique index over plain columns.
package struct KeyConstraint: Sendable {
  package var name: String
  /// Indices of the columns, in the order of the key.
  package var columns: [Int]
  package var isPrimary: Bool
  /// Whether it was made by `CREATE UNIQUE INDEX` and so is no constraint by name.
  package var isIndexOnly: Bool
  package var nullsNotDistinct: Bool
  package var deferral: ConstraintDeferral

  package init(
    name: String, columns: [Int], isPrimary: Bool, isIndexOnly: Bool = false,
    nullsNotDistinct: Bool = false, deferral: ConstraintDeferral = ConstraintDeferral()
  ) {
    self.name = name
    self.columns = columns
    self.isPrimary = isPrimary
    self.isIndexOnly = isIndexOnly
    self.nullsNotDistinct = nullsNotDistinct
    self.deferral = deferral
  }
}

/// What happens to referencing rows when the row they refer to goes or changes its key.
package enum ReferentialAction: Sendable, Hashable {
  case noAction, restrict, cascade
  /// The columns that become NULL, by index.
  case setNull([Int])
  /// The columns that take their default, by index.
  case setDefault([Int])
}

/// FOREIGN KEY.
package struct ForeignKeyConstraint: Sendable {
  package var name: String
  /// Columns of the referencing (child) table.
  package var columns: [Int]
  /// The referenced (parent) table.
  package var parent: ObjectID
  /// Columns of the parent, which are a key of it.
  package var parentColumns: [Int]
  package var onDelete: ReferentialAction
  package var onUpdate: ReferentialAction
  /// MATCH FULL: all columns NULL or none.
  package var isMatchFull: Bool
  package var deferral: ConstraintDeferral
  /// Whether all rows have been seen to meet it: not so for one added as NOT VALID.
  package var isValidated = true

  /// Whether it is checked at all; if not, no row keeps the position of its parent, and it only says what joins
  /// with what.
  package var isEnforced = true

  /// Whether every row without a NULL in the columns has its parent at any time, so that walking from parents
  /// misses none.
  package var alwaysHasParent: Bool { !deferral.isDeferrable && isValidated && isEnforced }

  package init(
    name: String, columns: [Int], parent: ObjectID, parentColumns: [Int],
    onDelete: ReferentialAction = .noAction, onUpdate: ReferentialAction = .noAction,
    isMatchFull: Bool = false, deferral: ConstraintDeferral = ConstraintDeferral()
  ) {
    self.name = name
    self.columns = columns
    self.parent = parent
    self.parentColumns = parentColumns
    self.onDelete = onDelete
    self.onUpdate = onUpdate
    self.isMatchFull = isMatchFull
    self.deferral = deferral
  }
}

/// CHECK.
package struct CheckConstraint: Sendable {
  package var name: String
  package var expression: SQLSyntax.Expression

  package init(name: String, expression: SQLSyntax.Expression) {
    self.name = name
    self.expression = expression
  }
}

/// CARDINALITY: how many rows of the table refer to each row of a parent.
package struct CardinalityConstraint: Sendable {
  package var name: String
  /// The columns of a foreign key of the table, in its order.
  package var columns: [Int]
  package var bounds: ClosedRange<Int>

  package init(name: String, columns: [Int], bounds: ClosedRange<Int>) {
    self.name = name
    self.columns = columns
    self.bounds = bounds
  }

  /// The number of rows that is asked for, in the words of SQL.
  package var boundsText: String { "BETWEEN \(bounds.lowerBound) AND \(bounds.upperBound)" }
}

/// An index made by CREATE INDEX that is not a plain unique key.
package struct IndexDefinition: Sendable {
  /// One key: a column or an expression.
  package enum Key: Sendable {
    case column(Int, isDescending: Bool)
    case expression(SQLSyntax.Expression, isDescending: Bool)
  }
  package var name: String
  package var keys: [Key]
  package var isUnique: Bool
  /// The WHERE of a partial index.
  package var predicate: SQLSyntax.Expression?
  /// The collations that are said of keys, by their place; they change no answer.
  package var collations: [Int: Collation] = [:]

  package init(
    name: String, keys: [Key], isUnique: Bool = false, predicate: SQLSyntax.Expression? = nil
  ) {
    self.name = name
    self.keys = keys
    self.isUnique = isUnique
    self.predicate = predicate
  }
}

extension IndexDefinition {
  /// ` COLLATE "x"` for a key whose collation is said; else nothing.
  package func collationText(_ place: Int) -> String {
    collations[place].map { " COLLATE " + SQLPrinter.quoted($0.name) } ?? ""
  }
}

/// What a materialized view is made of.
package struct MaterializedQuery: Sendable {
  package var query: SelectStatement
  /// The tables, views and functions that the query uses, which cannot be dropped before it.
  package var dependencies: Set<ObjectID>
  /// Whether the rows are there; without them the view cannot be read.
  package var isPopulated: Bool

  package init(query: SelectStatement, dependencies: Set<ObjectID>, isPopulated: Bool) {
    self.query = query
    self.dependencies = dependencies
    self.isPopulated = isPopulated
  }
}

/// What the catalog knows of one table.
///
/// Plans hand definitions on from operator to operator, and hardly anything changes one: what is known is kept in one place that
/// all copies share.
package struct TableDefinition: Sendable {
  @usableFromInline struct Parts: Sendable {
    @usableFromInline var id: ObjectID
    @usableFromInline var name: ObjectName
    @usableFromInline var columns: [TableColumn]
    @usableFromInline var keys: [KeyConstraint]
    @usableFromInline var foreignKeys: [ForeignKeyConstraint]
    @usableFromInline var checks: [CheckConstraint]
    @usableFromInline var cardinalities: [CardinalityConstraint] = []
    @usableFromInline var indexes: [IndexDefinition]
    @usableFromInline var isTemporary: Bool
    @usableFromInline var parents: [ObjectID] = []
    @usableFromInline var materialized: MaterializedQuery?
    @usableFromInline var comment: String?
  }

  @usableFromInline final class Shared: Sendable {
    @usableFromInline let parts: Parts

    init(_ parts: Parts) { self.parts = parts }
  }

  @usableFromInline var shared: Shared

  package init(
    id: ObjectID, name: ObjectName, columns: [TableColumn], keys: [KeyConstraint] = [],
    foreignKeys: [ForeignKeyConstraint] = [], checks: [CheckConstraint] = [],
    indexes: [IndexDefinition] = [], isTemporary: Bool = false, comment: String? = nil
  ) {
    shared = Shared(
      Parts(
        id: id, name: name, columns: columns, keys: keys, foreignKeys: foreignKeys, checks: checks,
        indexes: indexes, isTemporary: isTemporary, comment: comment))
  }

  /// Whether it is the same definition, which nobody has changed since.
  package func isSame(as other: TableDefinition) -> Bool { shared === other.shared }

  /// Changes this copy alone.
  private mutating func change(_ body: (inout Parts) -> Void) {
    var parts = shared.parts
    body(&parts)
    shared = Shared(parts)
  }

  package var id: ObjectID {
    @inlinable get { shared.parts.id }
    set { change { $0.id = newValue } }
  }
  package var name: ObjectName {
    @inlinable get { shared.parts.name }
    set { change { $0.name = newValue } }
  }
  package var columns: [TableColumn] {
    @inlinable get { shared.parts.columns }
    set { change { $0.columns = newValue } }
  }
  package var keys: [KeyConstraint] {
    @inlinable get { shared.parts.keys }
    set { change { $0.keys = newValue } }
  }
  package var foreignKeys: [ForeignKeyConstraint] {
    @inlinable get { shared.parts.foreignKeys }
    set { change { $0.foreignKeys = newValue } }
  }
  package var checks: [CheckConstraint] {
    @inlinable get { shared.parts.checks }
    set { change { $0.checks = newValue } }
  }
  package var cardinalities: [CardinalityConstraint] {
    @inlinable get { shared.parts.cardinalities }
    set { change { $0.cardinalities = newValue } }
  }
  package var indexes: [IndexDefinition] {
    @inlinable get { shared.parts.indexes }
    set { change { $0.indexes = newValue } }
  }
  package var isTemporary: Bool {
    @inlinable get { shared.parts.isTemporary }
    set { change { $0.isTemporary = newValue } }
  }
  /// The tables that the table inherits its first columns and its checks from.
  package var parents: [ObjectID] {
    @inlinable get { shared.parts.parents }
    set { change { $0.parents = newValue } }
  }
  /// The query whose rows the table keeps, if it is a materialized view.
  package var materialized: MaterializedQuery? {
    @inlinable get { shared.parts.materialized }
    set { change { $0.materialized = newValue } }
  }
  package var comment: String? {
    @inlinable get { shared.parts.comment }
    set { change { $0.comment = newValue } }
  }

  package var primaryKey: KeyConstraint? { keys.first { $0.isPrimary } }

  /// The index of the column of this name.
  package func column(named name: String) -> Int? { columns.firstIndex { $0.name == name } }

  /// Whether some key is exactly these columns, in any order.
  package func isKey(_ columns: [Int]) -> Bool {
    keys.contains { Set($0.columns) == Set(columns) }
  }

  /// The foreign key, by index, that says whose rows a cardinality constraint counts; nil if it is gone.
  package func foreignKey(of cardinality: CardinalityConstraint) -> Int? {
    foreignKey(over: cardinality.columns)
  }

  /// The first foreign key over just these columns whose rows can be counted.
  package func foreignKey(over columns: [Int]) -> Int? {
    foreignKeys.firstIndex {
      $0.isEnforced && $0.isValidated && Set($0.columns) == Set(columns)
    }
  }

  /// Takes out the cardinality constraints whose foreign key is gone.
  package mutating func removeLoneCardinalities() {
    let kept = cardinalities.filter { foreignKey(of: $0) != nil }
    if kept.count < cardinalities.count { cardinalities = kept }
  }

  /// The type of a whole row.
  package var rowType: RecordType {
    RecordType(
      name: name.name, fields: columns.map { RecordType.Field($0.name, $0.columnType.type) })
  }
}
