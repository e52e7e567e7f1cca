package import Diagnostics

/// One name as the statement means it: folded to lower case unless it was quoted.
package struct Identifier: Sendable, Hashable {
  /// The folded or unquoted name.
  package var name: String
  /// Where it stands.
  package var range: SourceRange

  /// A name at a place.
  package init(_ name: String, at range: SourceRange = .none) {
    self.name = name
    self.range = range
  }
}

/// A name of one or more parts, such as `schema.table` or `table.column`.
///
/// - Invariant: `parts` is never empty when the parser made it.
package struct QualifiedName: Sendable, Hashable {
  /// The parts from the outermost to the innermost.
  package var parts: [Identifier]
  /// Where the whole stands.
  package var range: SourceRange

  /// A name of these parts.
  package init(_ parts: [Identifier], at range: SourceRange = .none) {
    self.parts = parts
    self.range = range
  }

  /// A name of one part.
  package init(_ identifier: Identifier) {
    self.init([identifier], at: identifier.range)
  }

  /// The innermost part.
  package var name: String { parts.last?.name ?? "" }

  /// The part before the innermost one.
  package var qualifier: String? { parts.count > 1 ? parts[parts.count - 2].name : nil }

  /// All parts as they were meant, joined by dots, as PostgreSQL shows them in messages.
  package var joined: String { parts.map(\.name).joined(separator: ".") }
}

/// The fields an interval type or literal is restricted to.
package enum IntervalFields: String, Sendable, Hashable {
  case year = "year"
  case month = "month"
  case day = "day"
  case hour = "hour"
  case minute = "minute"
  case second = "second"
  case yearToMonth = "year to month"
  case dayToHour = "day to hour"
  case dayToMinute = "day to minute"
  case dayToSecond = "day to second"
  case hourToMinute = "hour to minute"
  case hourToSecond = "hour to second"
  case minuteToSecond = "minute to second"
}

/// The name of a type with its modifiers.
///
/// The parser replaces SQL's spelled-out types by PostgreSQL's own short names, as PostgreSQL's
/// grammar does: `integer` is `int4`, `double precision` is `float8`, `character varying` is
/// `varchar`, `char(n)` is `bpchar`, `timestamp with time zone` is `timestamptz`.
package struct TypeName: Sendable {
  /// The canonical name; qualified only if it was written so.
  package var name: QualifiedName
  /// The numbers (or words) in parentheses, such as 10 and 2 of `numeric(10,2)`.
  package var modifiers: [Expression]
  /// One entry a dimension, with its bound if one was written; empty if this is no array.
  package var arrayBounds: [Int?]
  /// The fields of an interval type; its precision stands in `modifiers`.
  package var intervalFields: IntervalFields?
  /// Whether `SETOF` stood before it.
  package var isSetOf: Bool
  /// Whether this is `column%TYPE`; `name` is then that of the column.
  package var isColumnType: Bool
  /// Whether the grammar chose the name for a spelled-out type, so that no user type can hide it.
  package var isStandard: Bool
  /// Where it stands.
  package var range: SourceRange

  /// A type of this name.
  package init(
    _ name: QualifiedName, modifiers: [Expression] = [], arrayBounds: [Int?] = [],
    intervalFields: IntervalFields? = nil, isSetOf: Bool = false, isColumnType: Bool = false,
    isStandard: Bool = false, at range: SourceRange = .none
  ) {
    self.name = name
    self.modifiers = modifiers
    self.arrayBounds = arrayBounds
    self.intervalFields = intervalFields
    self.isSetOf = isSetOf
    self.isColumnType = isColumnType
    self.isStandard = isStandard
    self.range = range
  }
}
