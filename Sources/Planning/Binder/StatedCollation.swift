import Columnar
import Diagnostics
import SQLSyntax

/// What is known of the collation of a value, by the rules of PostgreSQL.
struct StatedCollation: Hashable {
  /// How sure the collation is; the surer one wins.
  enum Strength {
    /// A column of values whose collations differ.
    case none
    /// That of a column, or of the database.
    case implicit
    /// Those of columns that differ.
    case conflict
    /// That of a COLLATE clause.
    case explicit
  }
  var collation: Collation
  var strength: Strength
  /// The other collation of a conflict.
  var other: Collation?

  /// That of the database.
  static let standard = StatedCollation(.standard, isExplicit: false)

  init(_ collation: Collation, isExplicit: Bool) {
    self.collation = collation
    strength = isExplicit ? .explicit : .implicit
  }

  /// What a column of such values has.
  var implicit: StatedCollation {
    var result = self
    result.strength = strength == .explicit || strength == .implicit ? .implicit : .none
    result.other = nil
    return result
  }

  /// What is known of a value that is made of two.
  ///
  /// - Throws: 42P21 if two clauses say different ones.
  func merged(
    with other: StatedCollation, at range: SourceRange
  ) throws(SQLError) -> StatedCollation {
    switch (strength, other.strength) {
    case (.none, _): return other
    case (_, .none): return self
    case (.explicit, .explicit):
      if collation == other.collation { return self }
      throw SQLError(
        .collationMismatch,
        "collation mismatch between explicit collations \"\(collation.name)\" and "
          + "\"\(other.collation.name)\"", at: range)
    case (.explicit, _), (.conflict, .implicit), (.conflict, .conflict): return self
    case (_, .explicit), (.implicit, .conflict): return other
    case (.implicit, .implicit):
      // What a column says goes before what the database says.
      if collation == other.collation || other.collation == .standard { return self }
      if collation == .standard { return other }
      var result = self
      result.strength = .conflict
      result.other = other.collation
      return result
    }
  }

  /// The error of a conflict where values are sorted or told apart by a statement as a whole.
  func conflict(at range: SourceRange) -> SQLError {
    SQLError(
      .collationMismatch,
      "collation mismatch between implicit collations \"\(collation.name)\" and"
        + " \"\((other ?? collation).name)\"", at: range,
      hint: "You can choose the collation by applying the COLLATE clause to one or both"
        + " expressions.")
  }
}

extension ColumnType {
  /// What is known of the collation of a column of the type.
  var stated: StatedCollation? { collation.map { StatedCollation($0, isExplicit: false) } }
}

extension BindingSession {
  /// What is known of the collation of what a function makes of values; nil for what no collation orders.
  ///
  /// - Throws: 42P21.
  func statedCollation(
    of values: [BoundExpression], giving type: LogicalType, at range: SourceRange
  ) throws(SQLError) -> StatedCollation? {
    guard hasCollations, type.isCollatable else { return nil }
    var found: StatedCollation?
    for value in values {
      guard let own = try statedCollation(of: value, at: range) else { continue }
      found = try found?.merged(with: own, at: range) ?? own
    }
    return found
  }

  /// What is known of the collation of a value; nil for one that no collation orders.
  ///
  /// - Throws: 42P21.
  func statedCollation(
    of value: BoundExpression, at range: SourceRange = .none
  ) throws(SQLError) -> StatedCollation? {
    guard hasCollations, value.type.isCollatable || value.type == .unknown else { return nil }
    let own = StatedCollation(value.type == .name ? .bytes : .standard, isExplicit: false)
    switch value {
    case .column(let id, _): return collations[id] ?? own
    case .constant, .parameter, .aggregate, .window, .decoded, .session: return own
    case .local(let place, _):
      guard let values = locals.last, place < values.count else { return own }
      locals.removeLast()
      defer { locals.append(values) }
      return try statedCollation(of: values[place], at: range)
    case .shared(let values, let body):
      locals.append(values)
      defer { locals.removeLast() }
      return try statedCollation(of: body, at: range)
    case .subquery(let subquery):
      guard let first = subquery.plan.outputs.first else { return own }
      return collations[first.id]?.implicit ?? own
    case .call(let call) where call.name == Self.sortKeyName: return nil
    case .call(let call) where call.name == Self.keyTextName:
      return try statedCollation(ofKey: call.arguments[0], at: range) ?? own
    case .call(let call) where call.name == Self.collationMarker && call.arguments.count == 3:
      guard case .constant(.text(let name), _) = call.arguments[1],
        case .constant(.boolean(let isExplicit), _) = call.arguments[2]
      else { return own }
      return Collation.named(String(decoding: name, as: UTF8.self))
        .map { StatedCollation($0, isExplicit: isExplicit) }
    case .call, .cast, .and, .or, .not, .comparison, .distinct, .isNull, .isBoolean, .caseWhen,
      .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array, .row, .field:
      return try statedCollation(of: value.children, giving: .text, at: range) ?? own
    }
  }

  /// What is known of the values that sort keys were made of.
  private func statedCollation(
    ofKey key: BoundExpression, at range: SourceRange
  ) throws(SQLError) -> StatedCollation? {
    if case .call(let call) = key, call.name == Self.sortKeyName {
      return try statedCollation(of: call.arguments[0], at: range)
    }
    guard case .extreme(let keys, _, _) = key else {
      return try statedCollation(of: key, at: range)
    }
    var found: StatedCollation?
    for key in keys {
      guard let next = try statedCollation(ofKey: key, at: range) else { continue }
      found = try found?.merged(with: next, at: range) ?? next
    }
    return found
  }
}
