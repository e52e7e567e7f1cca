package import Diagnostics

/// A value expression with its place in the statement.
///
/// Parentheses leave no node behind. The height of a tree is bounded by the parser, so a walk over
/// it may recurse.
package struct Expression: Sendable {
  /// What the expression is.
  package var kind: Kind
  /// Where it stands, without parentheses around it.
  ///
  /// For an operator this is the range from its first operand to its last; `operatorRange`-like
  /// places are kept in the nodes whose errors PostgreSQL puts there.
  package var range: SourceRange

  /// An expression of this kind.
  package init(_ kind: Kind, at range: SourceRange = .none) {
    self.kind = kind
    self.range = range
  }

  /// The forms of a value expression.
  package enum Kind: Sendable {
    /// A constant.
    case literal(Literal)
    /// `$n`.
    case parameter(Int)
    /// A column, or a whole row of a table, by a name of one to four parts.
    case column(QualifiedName)
    /// `t.*` where a value is expected, as in `count(t.*)` or `row(t.*)`.
    case allColumns(QualifiedName)
    /// A prefix operator.
    indirect case unary(Operator, Expression)
    /// An infix operator, left operand first.
    indirect case binary(Operator, Expression, Expression)
    /// Two or more operands of AND, in order; a chain is one node.
    case and([Expression])
    /// Two or more operands of OR, in order; a chain is one node.
    case or([Expression])
    /// NOT.
    indirect case not(Expression)
    /// `IS [NOT] NULL` and its like.
    indirect case isTest(Expression, IsTest, negated: Bool)
    /// `a IS [NOT] DISTINCT FROM b`.
    indirect case isDistinct(Expression, Expression, negated: Bool)
    /// `x [NOT] BETWEEN [SYMMETRIC] low AND high`.
    indirect case between(Between)
    /// `x [NOT] IN (a, b, …)`.
    indirect case inList(Expression, [Expression], negated: Bool)
    /// `x [NOT] IN (SELECT …)`; the left side may be a row.
    indirect case inSubquery(Expression, SelectStatement, negated: Bool)
    /// LIKE, ILIKE and SIMILAR TO.
    indirect case pattern(PatternMatch)
    /// `x op ANY (…)` or `x op ALL (…)`; `SOME` is ANY.
    indirect case quantified(QuantifiedComparison)
    /// `EXISTS (SELECT …)`.
    indirect case exists(SelectStatement)
    /// `(SELECT …)` as a value.
    indirect case subquery(SelectStatement)
    /// `ARRAY[…]`; an inner bare `[…]` is the same kind.
    case array([Expression])
    /// `ARRAY(SELECT …)`.
    indirect case arraySubquery(SelectStatement)
    /// `ROW(…)`, or an implicit row of two or more values in parentheses.
    case row([Expression], isExplicit: Bool)
    /// CASE.
    indirect case caseWhen(CaseExpression)
    /// `CAST(x AS type)` or `x::type`.
    indirect case cast(Expression, TypeName)
    /// `type 'text'`, such as `date '2024-01-01'` or `interval '1' hour`.
    indirect case typedLiteral(TypeName, String)
    /// `x COLLATE name`.
    indirect case collate(Expression, QualifiedName)
    /// A function call, also in one of SQL's own notations.
    indirect case function(FunctionCall)
    /// COALESCE, NULLIF, GREATEST or LEAST.
    case conditional(ConditionalFunction, [Expression])
    /// CURRENT_DATE and the like, with the precision in parentheses if given.
    case sessionValue(SessionValue, precision: Int?)
    /// `GROUPING(…)`.
    case grouping([Expression])
    /// `x[i]`, `x[a:b]`, several in a row.
    indirect case subscripted(Expression, [Subscript])
    /// `(x).name`.
    indirect case field(Expression, Identifier)
    /// `(x).*` where a value is expected; in a select list it is a `SelectItem` of its own.
    indirect case allFields(Expression)
    /// DEFAULT as a value of INSERT or UPDATE; the parser allows it nowhere else.
    case defaultValue
    /// `CURRENT OF cursor` in the WHERE of UPDATE and DELETE.
    case currentOf(Identifier)
  }
}

/// A constant as it was written.
package enum Literal: Sendable, Hashable {
  /// Digits that fit 64 bits; PostgreSQL types them `integer` if they fit 32 bits, else `bigint`.
  case integer(Int64)
  /// A number with a point or exponent, or too large for 64 bits: `numeric`, as text with its sign.
  case decimal(String)
  /// A quoted string with its escapes resolved; its type is unknown until it is used.
  case string(String)
  /// `B'0101'` as binary digits or `X'1F'` as hexadecimal ones.
  case bitString(String, isHexadecimal: Bool)
  /// TRUE or FALSE.
  case boolean(Bool)
  /// NULL.
  case null
}

/// An operator by its text, such as `+` or `<=`, with the schema if written `OPERATOR(s.+)`.
///
/// `!=` is given as `<>`, as PostgreSQL's lexer does.
package struct Operator: Sendable, Hashable {
  /// The characters of the operator.
  package var name: String
  /// The schema of `OPERATOR(schema.op)`.
  package var schema: String?
  /// Where the operator itself stands: PostgreSQL reports "operator does not exist" there.
  package var range: SourceRange

  /// The operator of this text.
  package init(_ name: String, schema: String? = nil, at range: SourceRange = .none) {
    self.name = name
    self.schema = schema
    self.range = range
  }
}

/// What `IS` asks for.
package enum IsTest: String, Sendable, Hashable {
  case null = "NULL"
  case isTrue = "TRUE"
  case isFalse = "FALSE"
  case unknown = "UNKNOWN"
  case document = "DOCUMENT"
  case normalized = "NORMALIZED"
}

/// `operand [NOT] BETWEEN [SYMMETRIC] lower AND upper`.
package struct Between: Sendable {
  /// The value that is tested.
  package var operand: Expression
  /// The first bound.
  package var lower: Expression
  /// The second bound.
  package var upper: Expression
  /// Whether the bounds may come in either order.
  package var isSymmetric: Bool
  /// Whether NOT stood before BETWEEN.
  package var isNegated: Bool
  /// Where BETWEEN stands.
  package var operatorRange: SourceRange
}

/// `operand [NOT] LIKE pattern [ESCAPE escape]`.
package struct PatternMatch: Sendable {
  /// The languages of patterns.
  package enum Kind: String, Sendable, Hashable {
    case like = "LIKE"
    case ilike = "ILIKE"
    case similarTo = "SIMILAR TO"
  }
  /// The language of the pattern.
  package var kind: Kind
  /// The text that is matched.
  package var operand: Expression
  /// The pattern.
  package var pattern: Expression
  /// The escape character, if given.
  package var escape: Expression?
  /// Whether NOT stood before it.
  package var isNegated: Bool
  /// Where LIKE stands.
  package var operatorRange: SourceRange

  package init(
    kind: Kind, operand: Expression, pattern: Expression, escape: Expression?, isNegated: Bool,
    operatorRange: SourceRange
  ) {
    self.kind = kind
    self.operand = operand
    self.pattern = pattern
    self.escape = escape
    self.isNegated = isNegated
    self.operatorRange = operatorRange
  }
}

/// `operand op ANY (…)` or `operand op ALL (…)`.
package struct QuantifiedComparison: Sendable {
  /// What stands in the parentheses.
  package enum Source: Sendable {
    /// A query of one column (or as many as the row on the left has).
    case subquery(SelectStatement)
    /// An array.
    case array(Expression)
  }
  /// The left side, possibly a row.
  package var operand: Expression
  /// The operator; `LIKE ANY` is `~~`, `NOT LIKE` `!~~`, `ILIKE` `~~*`, `NOT ILIKE` `!~~*`.
  package var comparison: Operator
  /// Whether it is ALL.
  package var isAll: Bool
  /// The values to compare with.
  package var source: Source

  /// A comparison with the values of `source`.
  package init(operand: Expression, comparison: Operator, isAll: Bool, source: Source) {
    self.operand = operand
    self.comparison = comparison
    self.isAll = isAll
    self.source = source
  }
}

/// `CASE [operand] WHEN … THEN … [ELSE …] END`.
package struct CaseExpression: Sendable {
  /// One WHEN.
  package struct Branch: Sendable {
    /// The condition, or the value compared with the operand.
    package var condition: Expression
    /// The result.
    package var result: Expression

    /// A WHEN.
    package init(condition: Expression, result: Expression) {
      self.condition = condition
      self.result = result
    }
  }
  /// The value after CASE, if any.
  package var operand: Expression?
  /// The branches in order, at least one.
  package var branches: [Branch]
  /// The result after ELSE.
  package var otherwise: Expression?

  /// A CASE of these branches.
  package init(operand: Expression?, branches: [Branch], otherwise: Expression?) {
    self.operand = operand
    self.branches = branches
    self.otherwise = otherwise
  }
}

/// Functions that evaluate only as many arguments as they need.
package enum ConditionalFunction: String, Sendable, Hashable {
  case coalesce = "COALESCE"
  case nullIf = "NULLIF"
  case greatest = "GREATEST"
  case least = "LEAST"
}

/// Values that SQL writes without parentheses.
package enum SessionValue: String, Sendable, Hashable {
  case currentDate = "CURRENT_DATE"
  case currentTime = "CURRENT_TIME"
  case currentTimestamp = "CURRENT_TIMESTAMP"
  case localTime = "LOCALTIME"
  case localTimestamp = "LOCALTIMESTAMP"
  case currentUser = "CURRENT_USER"
  case sessionUser = "SESSION_USER"
  case user = "USER"
  case currentRole = "CURRENT_ROLE"
  case currentCatalog = "CURRENT_CATALOG"
  case currentSchema = "CURRENT_SCHEMA"
}

/// One pair of brackets after an array.
package enum Subscript: Sendable {
  /// `[index]`.
  case index(Expression)
  /// `[lower:upper]`, each bound optional.
  case slice(lower: Expression?, upper: Expression?)
}
