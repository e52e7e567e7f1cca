package import Diagnostics

/// A call of a function, aggregate or window function.
///
/// SQL's special notations are given as the plain call that PostgreSQL makes of them, with
/// `notation` remembering what was written: `EXTRACT(year FROM d)` is `extract('year', d)`,
/// `SUBSTRING(s FROM 2 FOR 3)` is `substring(s, 2, 3)`, `POSITION(a IN b)` is `position(b, a)`,
/// `TRIM(LEADING x FROM y)` is `ltrim(y, x)`, `t AT TIME ZONE z` is `timezone(z, t)`.
package struct FunctionCall: Sendable {
  /// How a call was written.
  package enum Notation: Sendable, Hashable {
    case ordinary, extract, substring, substringSimilar, position, overlay, trim, atTimeZone
    case normalize, collationFor
  }

  /// One argument.
  package struct Argument: Sendable {
    /// The name of `name => value` or `name := value`.
    package var name: Identifier?
    /// The value.
    package var value: Expression
    /// Whether VARIADIC stood before it; only the last argument may be so.
    package var isVariadic: Bool

    /// An argument.
    package init(_ value: Expression, name: Identifier? = nil, isVariadic: Bool = false) {
      self.value = value
      self.name = name
      self.isVariadic = isVariadic
    }
  }

  /// The function's name; SQL's notations mean the system's function of that name.
  package var name: QualifiedName
  /// The arguments in order.
  package var arguments: [Argument]
  /// How it was written.
  package var notation: Notation
  /// Whether it is `f(*)`; there are then no arguments.
  package var isStar: Bool
  /// Whether DISTINCT stood before the arguments.
  package var isDistinct: Bool
  /// `ORDER BY` inside the parentheses, or that of `WITHIN GROUP` if `isWithinGroup`.
  package var orderBy: [SortItem]
  /// Whether `orderBy` came from `WITHIN GROUP (ORDER BY …)`.
  package var isWithinGroup: Bool
  /// The condition of `FILTER (WHERE …)`.
  package var filter: Expression?
  /// What follows OVER.
  package var over: WindowReference?

  /// A call.
  package init(
    _ name: QualifiedName, _ arguments: [Argument] = [], notation: Notation = .ordinary,
    isStar: Bool = false, isDistinct: Bool = false, orderBy: [SortItem] = [],
    isWithinGroup: Bool = false, filter: Expression? = nil, over: WindowReference? = nil
  ) {
    self.name = name
    self.arguments = arguments
    self.notation = notation
    self.isStar = isStar
    self.isDistinct = isDistinct
    self.orderBy = orderBy
    self.isWithinGroup = isWithinGroup
    self.filter = filter
    self.over = over
  }
}

/// What follows OVER.
package enum WindowReference: Sendable {
  /// `OVER name`.
  case named(Identifier)
  /// `OVER (…)`.
  case inline(WindowSpecification)
}

/// The inside of `OVER (…)` or of `WINDOW w AS (…)`.
package struct WindowSpecification: Sendable {
  /// The window that this one extends.
  package var base: Identifier?
  /// PARTITION BY.
  package var partitionBy: [Expression]
  /// ORDER BY.
  package var orderBy: [SortItem]
  /// The frame, if one was written.
  package var frame: WindowFrame?
  /// Where it stands, parentheses included.
  package var range: SourceRange

  package init(
    base: Identifier?, partitionBy: [Expression], orderBy: [SortItem], frame: WindowFrame?,
    range: SourceRange
  ) {
    self.base = base
    self.partitionBy = partitionBy
    self.orderBy = orderBy
    self.frame = frame
    self.range = range
  }
}

/// One entry of the WINDOW clause.
package struct NamedWindow: Sendable {
  /// Its name.
  package var name: Identifier
  /// What it is.
  package var specification: WindowSpecification
}

/// The frame of a window.
package struct WindowFrame: Sendable {
  /// The unit of the offsets.
  package enum Unit: String, Sendable, Hashable {
    case rows = "ROWS"
    case range = "RANGE"
    case groups = "GROUPS"
  }
  /// One end.
  package enum Bound: Sendable {
    case unboundedPreceding, currentRow, unboundedFollowing
    case preceding(Expression)
    case following(Expression)
  }
  /// Rows left out of the frame.
  package enum Exclusion: String, Sendable, Hashable {
    case noOthers = "NO OTHERS"
    case currentRow = "CURRENT ROW"
    case group = "GROUP"
    case ties = "TIES"
  }
  /// The unit.
  package var unit: Unit
  /// The start.
  package var start: Bound
  /// The end; `currentRow` if none was written.
  package var end: Bound
  /// Whether it was written with BETWEEN.
  package var isBetween: Bool
  /// Rows left out.
  package var exclusion: Exclusion
  /// Where the frame clause stands.
  package var range: SourceRange

  package init(
    unit: Unit, start: Bound, end: Bound, isBetween: Bool, exclusion: Exclusion, range: SourceRange
  ) {
    self.unit = unit
    self.start = start
    self.end = end
    self.isBetween = isBetween
    self.exclusion = exclusion
    self.range = range
  }
}

/// One key of ORDER BY.
package struct SortItem: Sendable {
  /// Where nulls go, if it was said.
  package enum Nulls: String, Sendable, Hashable {
    case first = "FIRST"
    case last = "LAST"
  }
  /// The key; a bare integer names an output column, a bare name may do so.
  package var expression: Expression
  /// Whether DESC was written.
  package var isDescending: Bool
  /// Where nulls go; nil is last for ascending, first for descending.
  package var nulls: Nulls?
  /// The operator of `USING op`.
  package var usingOperator: Operator?
  /// Where it stands.
  package var range: SourceRange

  /// A key.
  package init(
    _ expression: Expression, isDescending: Bool = false, nulls: Nulls? = nil,
    usingOperator: Operator? = nil, at range: SourceRange = .none
  ) {
    self.expression = expression
    self.isDescending = isDescending
    self.nulls = nulls
    self.usingOperator = usingOperator
    self.range = range
  }
}
