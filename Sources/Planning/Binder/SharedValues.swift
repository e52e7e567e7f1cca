import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// Why values are shared.
  enum SharingPurpose {
    /// The same value again takes time only.
    case time
    /// The standard wants one evaluation: of a volatile value two might differ.
    case oneEvaluation
  }

  /// What `body` makes of values that it uses more than once.
  ///
  /// Large values it is given as locals, each of which stands for a value that is computed once: copies of copies would
  /// make an expression grow with the power of its depth. Small ones it is given as they are, as the optimizer knows
  /// conditions on columns by their form.
  ///
  /// - Invariant: nothing that `body` makes around a local shares by itself, as a local belongs to the innermost
  ///   `shared`.
  func sharing(
    _ values: [BoundExpression], where isRepeated: [Bool]? = nil,
    for purpose: SharingPurpose = .time,
    _ body: ([BoundExpression]) throws(SQLError) -> BoundExpression
  ) throws(SQLError) -> BoundExpression {
    var shared: [BoundExpression] = []
    var uses: [BoundExpression] = []
    for (index, value) in values.enumerated() {
      let isShared =
        isRepeated?[index] != false && value.type != .unknown
        && (value.isLarge || (purpose == .oneEvaluation && value.isVolatile))
      uses.append(
        isShared ? .local(shared.count, ColumnType(value.type, modifier(of: value))) : value)
      if isShared { shared.append(value) }
    }
    locals.append(shared)
    defer { locals.removeLast() }
    let result = try body(uses)
    return shared.isEmpty ? result : .shared(shared, in: result)
  }
}

extension BoundExpression {
  /// Whether copies of the expression would cost more than what keeps it together.
  var isLarge: Bool {
    var left = 32
    return !isSmaller(than: &left)
  }

  /// Counts the parts down from `left`, and says false once there are no more to count; a query counts as large.
  private func isSmaller(than left: inout Int) -> Bool {
    left -= 1
    if left <= 0 { return false }
    if case .subquery = self { return false }
    return !containsChild { !$0.isSmaller(than: &left) }
  }
}

extension Expression {
  /// Whether it is `t.*`, which stands for several fields of a row.
  var isAllColumns: Bool {
    if case .allColumns = kind { return true }
    return false
  }
}
