package import Diagnostics

/// The kinds of objects that DROP, COMMENT, ALTER and GRANT speak of.
package enum ObjectKind: String, Sendable, Hashable {
  case table = "TABLE"
  case view = "VIEW"
  case materializedView = "MATERIALIZED VIEW"
  case foreignTable = "FOREIGN TABLE"
  case index = "INDEX"
  case sequence = "SEQUENCE"
  case schema = "SCHEMA"
  case type = "TYPE"
  case domain = "DOMAIN"
  case function = "FUNCTION"
  case procedure = "PROCEDURE"
  case routine = "ROUTINE"
  case aggregate = "AGGREGATE"
  case `operator` = "OPERATOR"
  case cast = "CAST"
  case collation = "COLLATION"
  case conversion = "CONVERSION"
  case column = "COLUMN"
  case constraint = "CONSTRAINT"
  case database = "DATABASE"
  case eventTrigger = "EVENT TRIGGER"
  case `extension` = "EXTENSION"
  case language = "LANGUAGE"
  case policy = "POLICY"
  case publication = "PUBLICATION"
  case role = "ROLE"
  case rule = "RULE"
  case server = "SERVER"
  case statistics = "STATISTICS"
  case subscription = "SUBSCRIPTION"
  case tablespace = "TABLESPACE"
  case textSearchConfiguration = "TEXT SEARCH CONFIGURATION"
  case textSearchDictionary = "TEXT SEARCH DICTIONARY"
  case transform = "TRANSFORM"
  case trigger = "TRIGGER"
  case accessMethod = "ACCESS METHOD"
  case propertyGraph = "PROPERTY GRAPH"
}

/// One object of DROP or COMMENT.
package struct ObjectReference: Sendable {
  package var name: QualifiedName
  /// The arguments of a function, if a list of them was written.
  package var argumentTypes: [FunctionParameter]?
  /// The table of `trigger ON table`, `rule ON table`, `constraint ON table`.
  package var table: QualifiedName?
  package var range: SourceRange
}

/// DROP of anything.
package struct DropStatement: Sendable {
  package var kind: ObjectKind
  package var ifExists: Bool
  package var isConcurrent: Bool
  package var objects: [ObjectReference]
  package var behavior: DropBehavior
  package var range: SourceRange
}

/// ALTER TABLE, and ALTER VIEW, INDEX, MATERIALIZED VIEW as far as they share its actions.
package struct AlterTableStatement: Sendable {
  /// What kind was named.
  package var kind: ObjectKind
  package var ifExists: Bool
  package var name: NamedTable
  package var actions: [AlterTableAction]
  package var range: SourceRange
}

/// One action of ALTER TABLE.
package struct AlterTableAction: Sendable {
  package enum Kind: Sendable {
    case addColumn(ColumnDefinition, ifNotExists: Bool)
    case dropColumn(Identifier, ifExists: Bool, DropBehavior)
    /// `ALTER COLUMN c TYPE t [COLLATE x] [USING e]`.
    case setType(Identifier, TypeName, collation: QualifiedName?, using: Expression?)
    case setDefault(Identifier, Expression)
    case dropDefault(Identifier)
    case setNotNull(Identifier)
    case dropNotNull(Identifier)
    /// `DROP EXPRESSION [IF EXISTS]`: a generated column becomes a plain one.
    case dropExpression(Identifier, ifExists: Bool)
    case addIdentity(Identifier, isAlways: Bool, options: [SequenceOption])
    /// SET GENERATED …, SET option, RESTART, in order.
    case setIdentity(Identifier, isAlways: Bool?, options: [SequenceOption])
    case dropIdentity(Identifier, ifExists: Bool)
    case addConstraint(TableConstraint)
    case alterConstraint(Identifier, ConstraintTiming)
    case validateConstraint(Identifier)
    case dropConstraint(Identifier, ifExists: Bool, DropBehavior)
    case renameTo(Identifier)
    case renameColumn(Identifier, to: Identifier)
    case renameConstraint(Identifier, to: Identifier)
    case setSchema(Identifier)
    case ownerTo(Identifier)
    /// `INHERIT table`, or `NO INHERIT table`.
    case inherit(QualifiedName, isAdded: Bool)
    /// `SET (…)` or `RESET (…)` of the table's or a column's options.
    case options([DefinitionOption], column: Identifier?, isReset: Bool)
    /// Anything else that PostgreSQL has: its words, for a refusal by name.
    case other(String)
  }
  package var kind: Kind
  package var range: SourceRange
}

/// ALTER … RENAME TO, SET SCHEMA and OWNER TO for objects that are no relations.
package struct AlterObjectStatement: Sendable {
  package enum Action: Sendable {
    case renameTo(Identifier)
    case setSchema(Identifier)
    case ownerTo(Identifier)
  }
  package var kind: ObjectKind
  package var object: ObjectReference
  package var action: Action
  /// Whether it is nothing to complain about that there is no such object.
  package var ifExists = false
  package var range: SourceRange
}

/// ALTER TYPE.
package struct AlterTypeStatement: Sendable {
  package enum Action: Sendable {
    /// `ADD VALUE [IF NOT EXISTS] 'new' [BEFORE | AFTER 'old']`.
    case addValue(String, ifNotExists: Bool, before: String?, after: String?)
    case renameValue(String, to: String)
    case renameAttribute(Identifier, to: Identifier)
    case addAttribute(ColumnDefinition)
    case dropAttribute(Identifier, ifExists: Bool)
    case alterAttribute(Identifier, TypeName)
  }
  package var name: QualifiedName
  package var actions: [Action]
  package var range: SourceRange
}

/// ALTER DOMAIN.
package struct AlterDomainStatement: Sendable {
  package enum Action: Sendable {
    case setDefault(Expression)
    case dropDefault
    case setNotNull
    case dropNotNull
    case addConstraint(ColumnConstraint)
    case dropConstraint(Identifier, ifExists: Bool)
    case renameConstraint(Identifier, to: Identifier)
    case validateConstraint(Identifier)
  }
  package var name: QualifiedName
  package var action: Action
  package var range: SourceRange
}

/// ALTER SEQUENCE with options; its other forms are an `AlterTableStatement`.
package struct AlterSequenceStatement: Sendable {
  package var name: QualifiedName
  package var ifExists: Bool
  package var options: [SequenceOption]
  package var range: SourceRange
}

/// COMMENT ON.
package struct CommentStatement: Sendable {
  package var kind: ObjectKind
  package var object: ObjectReference
  /// The text; nil is NULL, which removes the comment.
  package var text: String?
  package var range: SourceRange
}
