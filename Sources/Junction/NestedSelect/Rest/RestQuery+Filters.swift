/// An operator of PostgREST's filters, by its name in a request: `.eq`, `.is`, `"cs"`.
public struct RestOperator: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name in a request.
  public let rawValue: String

  /// An operator by its name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// An operator by its name.
  public init(stringLiteral value: String) { rawValue = value }

  /// Equal.
  public static let eq: RestOperator = "eq"
  /// Not equal.
  public static let neq: RestOperator = "neq"
  /// Greater.
  public static let gt: RestOperator = "gt"
  /// Greater or equal.
  public static let gte: RestOperator = "gte"
  /// Less.
  public static let lt: RestOperator = "lt"
  /// Less or equal.
  public static let lte: RestOperator = "lte"
  /// Like a pattern.
  public static let like: RestOperator = "like"
  /// Like a pattern in any case of letters.
  public static let ilike: RestOperator = "ilike"
  /// Fits a regular expression.
  public static let match: RestOperator = "match"
  /// Fits a regular expression in any case of letters.
  public static let imatch: RestOperator = "imatch"
  /// `null`, `true`, `false` or `unknown`.
  public static let `is`: RestOperator = "is"
  /// Not equal, where NULL is a value like any other.
  public static let isdistinct: RestOperator = "isdistinct"
  /// One of `(a,b)`.
  public static let `in`: RestOperator = "in"
  /// Contains, of arrays and JSON.
  public static let cs: RestOperator = "cs"
  /// Is contained, of arrays and JSON.
  public static let cd: RestOperator = "cd"
  /// Overlaps, of arrays.
  public static let ov: RestOperator = "ov"
}

extension RestQuery {
  private func comparing(
    _ column: String, _ comparison: RequestOperation.Comparison, _ value: SQLValue
  ) -> RestQuery {
    adding(.test(column, .compare(comparison, value.literalText), isNegated: false))
  }

  private func comparingEach(
    _ column: String, _ comparison: RequestOperation.Comparison,
    _ quantifier: RequestOperation.Quantifier, _ values: [String]
  ) -> RestQuery {
    let list = SQLValue.array(values.map { .text($0) }).literalText
    return adding(.test(column, .compareEach(comparison, quantifier, list), isNegated: false))
  }

  private func applying(_ symbol: String, _ column: String, _ value: SQLValue) -> RestQuery {
    adding(.test(column, .symbol(symbol, value.literalText), isNegated: false))
  }

  // MARK: One value

  /// Rows whose column has the value; for nil, rows where it is NULL.
  public func eq(_ column: String, value: some SQLValueConvertible) -> RestQuery {
    eq(column, value.sqlValue)
  }

  /// Rows whose column has the value; for nil, rows where it is NULL.
  public func eq(_ column: String, _ value: SQLValue) -> RestQuery {
    value == .null ? isNull(column) : comparing(column, .equal, value)
  }

  /// Rows whose column has another value; for nil, rows where it is not NULL.
  public func neq(_ column: String, value: some SQLValueConvertible) -> RestQuery {
    neq(column, value.sqlValue)
  }

  /// Rows whose column has another value; for nil, rows where it is not NULL.
  public func neq(_ column: String, _ value: SQLValue) -> RestQuery {
    value == .null ? isNotNull(column) : applying("<>", column, value)
  }

  /// Rows whose column is greater.
  public func gt(_ column: String, value: some SQLValueConvertible) -> RestQuery {
    gt(column, value.sqlValue)
  }

  /// Rows whose column is greater.
  public func gt(_ column: String, _ value: SQLValue) -> RestQuery {
    comparing(column, .greater, value)
  }

  /// Rows whose column is greater or equal.
  public func gte(_ column: String, value: some SQLValueConvertible) -> RestQuery {
    gte(column, value.sqlValue)
  }

  /// Rows whose column is greater or equal.
  public func gte(_ column: String, _ value: SQLValue) -> RestQuery {
    comparing(column, .greaterOrEqual, value)
  }

  /// Rows whose column is less.
  public func lt(_ column: String, value: some SQLValueConvertible) -> RestQuery {
    lt(column, value.sqlValue)
  }

  /// Rows whose column is less.
  public func lt(_ column: String, _ value: SQLValue) -> RestQuery {
    comparing(column, .less, value)
  }

  /// Rows whose column is less or equal.
  public func lte(_ column: String, value: some SQLValueConvertible) -> RestQuery {
    lte(column, value.sqlValue)
  }

  /// Rows whose column is less or equal.
  public func lte(_ column: String, _ value: SQLValue) -> RestQuery {
    comparing(column, .lessOrEqual, value)
  }

  /// Rows whose column has another value, where NULL is a value like any other.
  public func isDistinct(_ column: String, value: some SQLValueConvertible) -> RestQuery {
    adding(.test(column, .isDistinct(value.sqlValue.literalText), isNegated: false))
  }

  /// Rows whose column is NULL, true or false; or, for nil, to which no row of an embed belongs.
  public func `is`(_ column: String, value: Bool?) -> RestQuery {
    let truth: RequestOperation.Truth = value.map { $0 ? .yes : .no } ?? .null
    return adding(.test(column, .isTruth(truth), isNegated: false))
  }

  /// Rows whose column is NULL, or to which no row of an embed belongs.
  public func isNull(_ column: String) -> RestQuery {
    adding(.test(column, .isTruth(.null), isNegated: false))
  }

  /// Rows whose column is not NULL, or to which a row of an embed belongs.
  public func isNotNull(_ column: String) -> RestQuery {
    adding(.test(column, .isTruth(.notNull), isNegated: false))
  }

  // MARK: Patterns

  /// Rows whose column fits a pattern of LIKE, in which `*` is as good as `%`.
  public func like(_ column: String, pattern: String) -> RestQuery { like(column, pattern) }

  /// Rows whose column fits a pattern of LIKE, in which `*` is as good as `%`.
  public func like(_ column: String, _ pattern: String) -> RestQuery {
    comparing(column, .like, .text(pattern))
  }

  /// Rows whose column fits a pattern of LIKE in any case of letters.
  public func ilike(_ column: String, pattern: String) -> RestQuery { ilike(column, pattern) }

  /// Rows whose column fits a pattern of LIKE in any case of letters.
  public func ilike(_ column: String, _ pattern: String) -> RestQuery {
    comparing(column, .ilike, .text(pattern))
  }

  /// Rows whose column fits all of these patterns of LIKE.
  public func likeAllOf(_ column: String, patterns: [String]) -> RestQuery {
    comparingEach(column, .like, .all, patterns)
  }

  /// Rows whose column fits one of these patterns of LIKE.
  public func likeAnyOf(_ column: String, patterns: [String]) -> RestQuery {
    comparingEach(column, .like, .any, patterns)
  }

  /// Rows whose column fits all of these patterns of LIKE in any case of letters.
  public func iLikeAllOf(_ column: String, patterns: [String]) -> RestQuery {
    comparingEach(column, .ilike, .all, patterns)
  }

  /// Rows whose column fits one of these patterns of LIKE in any case of letters.
  public func iLikeAnyOf(_ column: String, patterns: [String]) -> RestQuery {
    comparingEach(column, .ilike, .any, patterns)
  }

  /// Rows whose column fits a regular expression.
  public func match(_ column: String, pattern: String) -> RestQuery {
    comparing(column, .match, .text(pattern))
  }

  /// Rows whose column fits a regular expression in any case of letters.
  public func imatch(_ column: String, pattern: String) -> RestQuery {
    comparing(column, .imatch, .text(pattern))
  }

  // MARK: Several values

  /// Rows whose column is one of the values; none for no values.
  public func `in`(_ column: String, values: [some SQLValueConvertible]) -> RestQuery {
    `in`(column, values.map(\.sqlValue))
  }

  /// Rows whose column is one of the values; none for no values.
  public func `in`(_ column: String, _ values: [SQLValue]) -> RestQuery {
    adding(.test(column, .isIn(values.map(\.literalText)), isNegated: false))
  }

  /// Rows whose column is none of the values; all that are not NULL for no values.
  public func notIn(_ column: String, values: [some SQLValueConvertible]) -> RestQuery {
    adding(.test(column, .isIn(values.map(\.sqlValue.literalText)), isNegated: true))
  }

  /// Rows whose column, an array or JSON, contains the value.
  public func contains(_ column: String, value: some SQLValueConvertible) -> RestQuery {
    applying("@>", column, value.sqlValue)
  }

  /// Rows whose column, an array or JSON, is contained in the value.
  public func containedBy(_ column: String, value: some SQLValueConvertible) -> RestQuery {
    applying("<@", column, value.sqlValue)
  }

  /// Rows whose column, an array, has an element of the value.
  public func overlaps(_ column: String, value: some SQLValueConvertible) -> RestQuery {
    applying("&&", column, value.sqlValue)
  }

  /// Rows whose columns have these values.
  public func match(_ values: [String: any SQLValueConvertible]) -> RestQuery {
    values.keys.sorted().reduce(self) { query, column in
      values[column].map { query.eq(column, $0.sqlValue) } ?? query
    }
  }

  // MARK: As a request has it

  /// Rows whose column fulfils a condition as a request has it, such as `not.in.(1,2)` or `cs.{a,b}`.
  public func filter(_ column: String, _ condition: String) -> RestQuery {
    adding(.parameter(column, condition))
  }

  /// Rows whose column fulfils a condition of an operator and a value as a request has them.
  public func filter(_ column: String, operator name: String, value: String) -> RestQuery {
    filter(column, "\(name).\(value)")
  }

  /// Rows whose column does not fulfil a condition.
  public func not(
    _ column: String, operator name: RestOperator, value: some SQLValueConvertible
  ) -> RestQuery {
    filter(
      column,
      "not.\(name.rawValue).\(value.sqlValue == .null ? "null" : value.sqlValue.literalText)")
  }

  /// Rows whose column does not fulfil a condition of an operator by its name.
  public func not(
    _ column: String, operator name: String, value: some SQLValueConvertible
  ) -> RestQuery {
    not(column, operator: RestOperator(rawValue: name), value: value)
  }

  /// Rows that fulfil one at least of several conditions, such as `age.lt.6,not.and(age.gt.60,name.is.null)`.
  ///
  /// - Parameters:
  ///   - filters: The conditions as a request has them, without the outer parentheses.
  ///   - referencedTable: The embed that they are about; the outermost rows without it.
  /// - Returns: The query with that added.
  public func or(_ filters: String, referencedTable: String? = nil) -> RestQuery {
    or(filters, on: referencedTable ?? "")
  }

  /// Rows that fulfil one at least of several conditions on the rows of an embed.
  public func or(_ conditions: String, on level: String) -> RestQuery {
    adding(.tree(conditions, level: level, isAny: true))
  }

  /// Rows that fulfil all of several conditions.
  ///
  /// - Parameters:
  ///   - conditions: The conditions as a request has them, without the outer parentheses.
  ///   - level: The embed that they are about; the outermost rows without it.
  /// - Returns: The query with that added.
  public func and(_ conditions: String, on level: String = "") -> RestQuery {
    adding(.tree(conditions, level: level, isAny: false))
  }
}
