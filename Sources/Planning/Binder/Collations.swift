import Catalog
package import Columnar
package import Diagnostics
package import SQLSyntax

/// Collations that order texts otherwise than by their bytes.
///
/// A value with a COLLATE clause is bound as a call that changes nothing. Where an order is asked for, the value gives way to its
/// sort key, whose bytes are in that order; values that are only told apart stay as they are, so that they find their index.
extension BindingSession {
  static let collationMarker = "collate"
  static let sortKeyName = "sort key"
  static let keyTextName = "text of key"

  /// `x COLLATE name`.
  func bindCollation(
    _ operand: Expression, _ name: QualifiedName, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let value = try bind(operand, in: scope)
    let collation = try Collation.found(name)
    guard value.type.isCollatable || value.type == .unknown else {
      throw SQLError(
        .datatypeMismatch, "collations are not supported by type \(value.type.name)", at: range)
    }
    hasCollations = true
    hasCollationClauses = true
    return marked(
      try settled(value, at: operand.range), StatedCollation(collation, isExplicit: true))
  }

  /// Both sides of an operator.
  ///
  /// A literal with a COLLATE clause is of no type yet where it stands beside what is no text.
  func bindOperands(
    _ left: Expression, _ right: Expression, in scope: Scope
  ) throws(SQLError) -> (BoundExpression, BoundExpression) {
    let first = try bind(left, in: scope)
    let second = try bind(right, in: scope)
    return (
      try literal(of: left, beside: second, in: scope) ?? first,
      try literal(of: right, beside: first, in: scope) ?? second
    )
  }

  private func literal(
    of syntax: Expression, beside other: BoundExpression, in scope: Scope
  ) throws(SQLError) -> BoundExpression? {
    guard case .collate(let operand, _) = syntax.kind, case .literal(.string) = operand.kind,
      !other.type.isCollatable, other.type != .unknown
    else { return nil }
    return try bind(operand, in: scope)
  }

  /// A value whose collation is said.
  func marked(_ value: BoundExpression, _ stated: StatedCollation) -> BoundExpression {
    .call(
      BoundCall(
        name: Self.collationMarker,
        arguments: [
          value, .constant(.string(stated.collation.name), .text),
          .constant(.boolean(stated.strength == .explicit), .boolean),
        ], type: value.type, isStrict: true, volatility: .immutable
      ) { (arguments, _, _) throws(SQLError) in
        arguments[0]
      })
  }

  /// A value that is cast to a type that has a collation, which is then that of the value.
  func collated(_ value: BoundExpression, as type: ColumnType) -> BoundExpression {
    guard let collation = type.collation, value.type.isCollatable else { return value }
    hasCollations = true
    return marked(value, StatedCollation(collation, isExplicit: false))
  }

  /// What compares values: nil for the order of bytes.
  ///
  /// - Throws: 42P21 if two clauses say different collations, 42P22 if there is no clause and columns have different ones.
  func collation(
    of values: [Placed], for what: String = "string comparison"
  ) throws(SQLError) -> Collation? {
    guard hasCollations else { return nil }
    var found: StatedCollation?
    for value in values {
      guard let own = try statedCollation(of: value.expression, at: value.range) else { continue }
      found = try found?.merged(with: own, at: value.range) ?? own
    }
    guard let found else { return nil }
    return try settled(found, for: what, at: values.last?.range ?? .none)
  }

  /// What sorts values, or tells them apart: nil for the order of bytes.
  ///
  /// - Throws: 42P21 for a value of columns that have different collations, 42P22 for a column of such values.
  func keyCollation(of value: Placed) throws(SQLError) -> Collation? {
    guard hasCollations,
      let found = try statedCollation(of: value.expression, at: value.range)
    else { return nil }
    if found.strength == .conflict { throw found.conflict(at: value.range) }
    return try settled(found, for: "string comparison", at: value.range)
  }

  private func settled(
    _ found: StatedCollation, for what: String, at range: SourceRange
  ) throws(SQLError) -> Collation? {
    guard found.strength != .none, found.strength != .conflict else {
      throw SQLError(
        .indeterminateCollation, "could not determine which collation to use for \(what)",
        at: range,
        hint: "Use the COLLATE clause to set the collation explicitly.")
    }
    let collation =
      found.collation == .standard ? catalog.defaultCollation ?? .bytes : found.collation
    return collation.isOfBytes ? nil : collation
  }

  /// What orders a value: its sort key, or the value itself.
  func ordered(_ value: BoundExpression, by collation: Collation?) -> BoundExpression {
    guard let collation, value.type.isCollatable else { return value }
    return .call(
      BoundCall(
        name: Self.sortKeyName,
        arguments: [value, .constant(.string(collation.name), .text)],
        type: value.type.element == nil ? .text : .array(.text), isStrict: true,
        volatility: .immutable
      ) {
        (arguments, count, _) throws(SQLError) in
        try collation.keys(arguments[0], count: count)
      })
  }

  /// What orders a value by the collation that it says itself.
  func ordered(_ value: Placed) throws(SQLError) -> BoundExpression {
    ordered(value.expression, by: try keyCollation(of: value))
  }

  /// Values that are compared by order, as what orders them.
  func ordered(_ values: [Placed]) throws(SQLError) -> [Placed] {
    guard let collation = try collation(of: values) else { return values }
    var keys: [Placed] = []
    for value in values {
      let expression = try settled(value.expression, at: value.range)
      keys.append((ordered(expression, by: collation), value.range))
    }
    return keys
  }

  /// The text of a sort key.
  func text(ofKey key: BoundExpression, _ type: LogicalType) -> BoundExpression {
    .call(
      BoundCall(
        name: Self.keyTextName, arguments: [key], type: type, isStrict: true,
        volatility: .immutable
      ) {
        (arguments, count, _) throws(SQLError) in
        try Collation.texts(arguments[0], count: count, as: type)
      })
  }

  /// A value that is only told apart from others, which no collation changes.
  func uncollated(_ value: BoundExpression) -> BoundExpression {
    if case .call(let call) = value, call.name == Self.collationMarker, call.arguments.count == 3 {
      return call.arguments[0]
    }
    return value
  }

  /// Remembers the collation of a column, as those who use the column see it.
  func note(_ stated: StatedCollation?, of column: PlanColumn) {
    guard let stated, stated != .standard, column.type.isCollatable else { return }
    collations[column.id] = stated
    hasCollations = true
  }

  /// `pg_collation_for(x)`; nil for another call, whose collation is looked at where it needs one.
  ///
  /// - Throws: 42804, 42P21; 42P22 where letters would be changed by the rules of several languages.
  func collationName(
    _ call: FunctionCall, _ arguments: [Placed], at range: SourceRange
  ) throws(SQLError) -> BoundExpression? {
    if ["lower", "upper", "initcap"].contains(call.name.name) {
      _ = try collation(of: arguments, for: "\(call.name.name)() function")
    }
    guard call.name.name == "pg_collation_for", arguments.count == 1 else { return nil }
    let type = arguments[0].expression.type
    if type == .unknown { return .constant(.null, .text) }
    guard type.isCollatable else {
      throw SQLError(
        .datatypeMismatch, "collations are not supported by type \(type.name)", at: range)
    }
    let stated = try statedCollation(of: arguments[0].expression, at: range)
    let found = stated ?? StatedCollation(type == .name ? .bytes : .standard, isExplicit: false)
    guard found.strength == .implicit || found.strength == .explicit else {
      return .constant(.null, .text)
    }
    return .constant(.string("\"\(found.collation.name)\""), .text)
  }

  /// The columns of a query seen from outside: no clause within it counts as said there.
  func makeCollationsImplicit(of columns: [PlanColumn]) {
    guard hasCollations else { return }
    for column in columns { collations[column.id] = collations[column.id]?.implicit }
  }

  /// The collation of a column that takes its values from several.
  ///
  /// - Throws: 42P21 if they differ, unless that may be so.
  func commonCollation(
    of columns: [(column: PlanColumn, range: SourceRange)], mayDiffer: Bool
  ) throws(SQLError) -> StatedCollation? {
    guard hasCollations else { return nil }
    var found: StatedCollation?
    for (column, range) in columns where column.type.isCollatable {
      let own = collations[column.id] ?? .standard
      let merged = try found?.merged(with: own, at: range) ?? own
      if merged.strength == .conflict, !mayDiffer { throw merged.conflict(at: range) }
      found = merged
    }
    return found?.implicit
  }
}

extension Collation {
  /// The collation of a name as it is written.
  ///
  /// - Throws: 42704 if there is none.
  package static func found(_ name: QualifiedName) throws(SQLError) -> Collation {
    guard name.parts.count == 1 || name.qualifier == "pg_catalog",
      let collation = Collation.named(name.name)
    else { throw .unknownCollation(name.name, at: name.range) }
    return collation
  }
}
