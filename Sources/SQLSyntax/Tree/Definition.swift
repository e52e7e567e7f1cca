package import Diagnostics

/// CREATE VIEW.
package struct CreateViewStatement: Sendable {
  package enum CheckOption: String, Sendable, Hashable {
    case local = "LOCAL"
    case cascaded = "CASCADED"
  }
  package var name: QualifiedName
  package var columnNames: [Identifier]
  package var query: SelectStatement
  package var orReplace: Bool
  package var isRecursive: Bool
  package var persistence: Persistence
  package var options: [DefinitionOption]
  package var checkOption: CheckOption?
  package var range: SourceRange
}

/// CREATE MATERIALIZED VIEW.
package struct CreateMaterializedViewStatement: Sendable {
  package var name: QualifiedName
  package var columnNames: [Identifier]
  package var query: SelectStatement
  package var ifNotExists: Bool
  package var withData: Bool
  package var options: [DefinitionOption]
  package var range: SourceRange
}

/// REFRESH MATERIALIZED VIEW.
package struct RefreshStatement: Sendable {
  package var name: QualifiedName
  package var isConcurrent: Bool
  package var withData: Bool
  package var range: SourceRange
}

/// One option of a sequence.
package struct SequenceOption: Sendable {
  package enum Kind: Sendable {
    case asType(TypeName)
    case increment(Int64)
    /// nil is NO MINVALUE.
    case minimum(Int64?)
    /// nil is NO MAXVALUE.
    case maximum(Int64?)
    case start(Int64)
    /// nil is RESTART without a value.
    case restart(Int64?)
    case cache(Int64)
    case cycle(Bool)
    /// nil is OWNED BY NONE.
    case ownedBy(QualifiedName?)
    case sequenceName(QualifiedName)
  }
  package var kind: Kind
  package var range: SourceRange
}

/// CREATE SEQUENCE.
package struct CreateSequenceStatement: Sendable {
  package var name: QualifiedName
  package var persistence: Persistence
  package var ifNotExists: Bool
  package var options: [SequenceOption]
  package var range: SourceRange
}

/// CREATE SCHEMA.
package struct CreateSchemaStatement: Sendable {
  /// The name; nil for `AUTHORIZATION role` alone, whose name is then `owner`.
  package var name: Identifier?
  package var owner: Identifier?
  package var ifNotExists: Bool
  /// CREATE statements that follow within the same statement.
  package var elements: [Statement]
  package var range: SourceRange
}

/// CREATE TYPE.
package struct CreateTypeStatement: Sendable {
  package enum Definition: Sendable {
    case enumeration([String])
    case composite([ColumnDefinition])
    /// AS RANGE, a base type or a shell type: its words, for a refusal by name.
    case other(String)
  }
  package var name: QualifiedName
  package var definition: Definition
  package var range: SourceRange
}

/// CREATE DOMAIN.
package struct CreateDomainStatement: Sendable {
  package var name: QualifiedName
  package var type: TypeName
  package var collation: QualifiedName?
  /// NOT NULL, NULL, CHECK and DEFAULT.
  package var constraints: [ColumnConstraint]
  package var range: SourceRange
}

/// One parameter of a function.
package struct FunctionParameter: Sendable {
  package enum Mode: String, Sendable, Hashable {
    case `in` = "IN"
    case out = "OUT"
    case inOut = "INOUT"
    case variadic = "VARIADIC"
    /// A column of RETURNS TABLE.
    case table = "TABLE"
  }
  package var mode: Mode
  package var name: Identifier?
  package var type: TypeName
  package var defaultValue: Expression?
  package var range: SourceRange
}

/// CREATE FUNCTION or CREATE PROCEDURE.
package struct CreateFunctionStatement: Sendable {
  package enum Volatility: String, Sendable, Hashable {
    case immutable = "IMMUTABLE"
    case stable = "STABLE"
    case volatile = "VOLATILE"
  }
  /// What the function does.
  package enum Body: Sendable {
    /// AS 'text'; `textRange` is where the text between the quotes stands, if it holds no escapes.
    case text(String, textRange: SourceRange)
    /// AS 'file', 'symbol'.
    case object(String, String)
    /// RETURN expression.
    case returnExpression(Expression)
    /// BEGIN ATOMIC … END, and its text.
    case atomic([Statement], text: String)
  }
  package var name: QualifiedName
  package var isProcedure: Bool
  package var orReplace: Bool
  /// The parameters; those of RETURNS TABLE are at the end, with the mode `table`.
  package var parameters: [FunctionParameter]
  /// RETURNS type, also SETOF; nil if not written or if RETURNS TABLE was.
  package var returns: TypeName?
  package var returnsTable: Bool
  /// LANGUAGE in lower case; nil if not written.
  package var language: String?
  package var body: Body?
  package var volatility: Volatility?
  /// STRICT or RETURNS NULL ON NULL INPUT.
  package var isStrict: Bool
  package var isWindow: Bool
  /// Other attributes such as `parallel safe` or `cost 100`, as words.
  package var attributes: [String]
  package var range: SourceRange
}

/// DO.
package struct DoStatement: Sendable {
  package var language: String?
  package var body: String
  package var range: SourceRange
}

/// A statement that PostgreSQL has and that is read only far enough to be refused by name.
package struct UnsupportedStatement: Sendable, Hashable {
  /// Its first words, such as `CREATE TRIGGER`.
  package var what: String
  package var range: SourceRange
}
