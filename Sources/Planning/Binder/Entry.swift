package import Catalog
package import Columnar
package import Diagnostics
package import SQLSyntax

extension Binder {
  /// What an expression over a table's columns is for; decides what it may hold and the words of errors.
  package enum ExpressionUse: Sendable {
    case check, columnDefault, generated, index, indexPredicate, copyFilter, graphProperty, other

    var clause: Scope.Clause {
      switch self {
      case .check: .check
      case .columnDefault: .columnDefault
      case .generated: .generated
      case .index: .index
      case .indexPredicate: .indexPredicate
      case .copyFilter: .copyFilter
      case .graphProperty: .graphProperty
      case .other: .other
      }
    }
  }

  /// An expression bound outside of any query.
  package struct StandaloneExpression: Sendable {
    package var expression: BoundExpression
    package var modifier: TypeModifier
    package var dependencies: Set<ObjectID>
  }

  /// An expression over columns that the caller provides; those of a table if there is one.
  ///
  /// With `target` the value is assigned to a column of that type. Conditions (`check`,
  /// `indexPredicate`, `copyFilter`) are boolean.
  /// - Throws: as for a query; 0A000 where the use forbids subqueries.
  package func bindExpression(
    _ syntax: Expression, over columns: [PlanColumn] = [], of table: TableDefinition? = nil,
    for use: ExpressionUse = .other, target: (name: String, type: ColumnType)? = nil
  ) throws(SQLError) -> StandaloneExpression {
    let session = makeSession()
    let scope = Scope(parent: nil)
    scope.clause = use.clause
    scope.entries = [
      RangeEntry(name: table?.name.name, columns: session.rangeColumns(columns))
    ]
    for (column, known) in zip(columns, table?.columns ?? []) {
      session.note(known.columnType.stated, of: column)
    }
    scope.registered = scope.entries
    let own = ColumnSet(columns.map(\.id))
    var value: BoundExpression
    switch use {
    case .check:
      value = try session.bindBoolean(syntax, for: "CHECK", in: scope)
    case .indexPredicate, .copyFilter:
      value = try session.bindBoolean(syntax, for: "WHERE", in: scope)
    case .columnDefault:
      scope.entries = []
      do throws(SQLError) {
        value = try session.bind(syntax, in: scope)
      } catch  where error.state == .undefinedColumn {
        throw SQLError(
          .featureNotSupported, "cannot use column reference in DEFAULT expression",
          at: error.range)
      }
    case .generated, .index, .graphProperty, .other: value = try session.bind(syntax, in: scope)
    }
    if let target {
      value = try session.assign(
        value, to: target.type, column: target.name, at: syntax.range)
    } else {
      value = try session.settled(value, at: syntax.range)
    }
    try session.requireNoLeftovers(of: scope)
    try checkContents(of: value, use, at: syntax.range, own: own)
    return StandaloneExpression(
      expression: value, modifier: session.modifier(of: value),
      dependencies: session.dependencies)
  }

  private func checkContents(
    of value: BoundExpression, _ use: ExpressionUse, at range: SourceRange, own: ColumnSet
  ) throws(SQLError) {
    if use == .other || use == .copyFilter { return }
    let hasSubquery = value.contains { part in
      if case .subquery = part { return true }
      return false
    }
    if hasSubquery {
      let place =
        switch use {
        case .check: "check constraint"
        case .columnDefault: "DEFAULT expression"
        case .generated: "column generation expression"
        case .index: "index expression"
        case .graphProperty: "property expression"
        case .indexPredicate, .copyFilter, .other: "index predicate"
        }
      throw SQLError(
        .featureNotSupported, "cannot use subquery in \(place)", at: range)
    }
    if use == .graphProperty, let number = value.parameterNumber {
      throw SQLError(.undefinedParameter, "there is no parameter $\(number)", at: range)
    }
    if use == .graphProperty, value.isVolatile {
      throw SQLError(
        .invalidObjectDefinition, "functions in property expression must not be volatile",
        at: range)
    }
    guard use == .generated || use == .index || use == .indexPredicate else { return }
    let isChanging = value.contains { part in
      if case .call(let call) = part {
        call.volatility != .immutable
      } else if case .session = part {
        true
      } else {
        false
      }
    }
    if isChanging {
      throw SQLError(
        .invalidObjectDefinition,
        use == .generated
          ? "generation expression is not immutable"
          : use == .index
            ? "functions in index expression must be marked IMMUTABLE"
            : "functions in index predicate must be marked IMMUTABLE")
    }
  }

  /// The type that a name in DDL or a cast means.
  ///
  /// - Throws: 42704 `type "x" does not exist`.
  package func columnType(_ name: TypeName) throws(SQLError) -> ColumnType {
    try makeSession().columnType(name)
  }
}

extension BoundExpression {
  /// The number of some parameter that the value depends on; nil for none.
  fileprivate var parameterNumber: Int? {
    var number: Int?
    _ = contains { part in
      if case .parameter(let index, _) = part { number = index + 1 }
      return number != nil
    }
    return number
  }
}

extension Binder {
  /// Checks the body of a function that is being made, and says what it rests on.
  ///
  /// - Throws: what a call of it would throw at any time, such as 42703 for a column that is not there.
  package func check(_ definition: FunctionDefinition) throws(SQLError) -> Set<ObjectID> {
    let session = makeSession()
    let arguments = definition.parameters.enumerated().map {
      BoundExpression.parameter($0, $1.type.type)
    }
    for parameter in definition.parameters {
      guard let syntax = parameter.defaultValue else { continue }
      let scope = Scope(parent: nil)
      scope.clause = .columnDefault
      let value = try session.bind(syntax, in: scope)
      guard
        try session.coerce(
          value, to: ColumnType(parameter.type.type), .assignment, at: syntax.range) != nil
      else {
        throw SQLError(
          .datatypeMismatch,
          "argument of DEFAULT must be type \(parameter.type.type.name),"
            + " not type \(value.type.name)", at: syntax.range)
      }
    }
    // A body that changes data runs statement by statement and is checked then.
    let isQuery = definition.body.allSatisfy { statement in
      if case .select = statement { return true }
      return false
    }
    if isQuery, !definition.body.isEmpty {
      _ = try session.inline(UserCall(definition: definition, arguments: arguments), at: .none)
    }
    return session.dependencies.subtracting([definition.id])
  }
}
