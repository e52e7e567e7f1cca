import Columnar
import Diagnostics
import SQLSyntax

/// Collations that order texts otherwise than by their bytes.
///
/// A value with a COLLATE clause is bound as a call that changes nothing. Where an order is asked for, the value gives way to its
/// sort key, whose bytes are in that order; values that are only told apart stay as they are, so that they find their index.
extension BindingSession {
  private static let markerName = "collate"
  private static let keyName = "sort key"

  /// `x COLLATE name`.
  func bindCollation(
    _ operand: Expression, _ name: QualifiedName, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    var value = try bind(operand, in: scope)
    let collation = Collation.named(name.name)
    guard collation != nil || Collation.byBytes.contains(name.name) else {
      throw .unknownCollation(name.name, at: name.range)
    }
    guard
      value.type.isString || value.type == .unknown || value.type.element?.isString == true
    else {
      throw SQLError(
        .datatypeMismatch, "collations are not supported by type \(value.type.name)", at: range)
    }
    guard let collation else { return value }
    guard value.type.element == nil else {
      throw SQLError(
        .featureNotSupported, "arrays are not ordered by collation \"\(collation.name)\"",
        at: name.range, hint: "Order their elements, which unnest gives.")
    }
    value = try settled(value, at: operand.range)
    hasCollations = true
    return .call(
      BoundCall(
        name: Self.markerName,
        arguments: [value, .constant(.string(collation.name), .text)], type: value.type,
        isStrict: true, volatility: .immutable
      ) { (arguments, _, _) throws(SQLError) in
        arguments[0]
      })
  }

  /// The collation that a clause within the values says, or that is known of a column of theirs; nil for the order of bytes.
  ///
  /// - Throws: 42P21 if two clauses say different ones, 42P22 if there is no clause and columns have different ones.
  func collation(of values: [Placed]) throws(SQLError) -> Collation? {
    var found: StatedCollation?
    for value in values {
      guard let own = statedCollation(of: value.expression) else { continue }
      guard let other = found, other.collation.name != own.collation.name else {
        found = StatedCollation(
          collation: own.collation, isExplicit: own.isExplicit || found?.isExplicit == true)
        continue
      }
      if own.isExplicit != other.isExplicit {
        if own.isExplicit { found = own }
        continue
      }
      if own.isExplicit {
        throw SQLError(
          .collationMismatch,
          "collation mismatch between explicit collations \"\(other.collation.name)\" and "
            + "\"\(own.collation.name)\"", at: value.range)
      }
      throw SQLError(
        .indeterminateCollation, "could not determine which collation to use for string comparison",
        at: value.range, hint: "Use the COLLATE clause to set the collation explicitly.")
    }
    return found?.collation
  }

  /// The collation of a value: that of the first clause within it, or else of the first column that has one.
  func statedCollation(of value: BoundExpression) -> StatedCollation? {
    guard hasCollations, value.type.isString else { return nil }
    switch value {
    case .column(let id, _):
      return collations[id].map { StatedCollation(collation: $0, isExplicit: false) }
    case .constant, .parameter, .local, .subquery, .aggregate, .window, .decoded: return nil
    case .call(let call) where call.name == Self.keyName: return nil
    case .call(let call) where call.name == Self.markerName && call.arguments.count == 2:
      guard case .constant(.text(let name), _) = call.arguments[1] else { return nil }
      return Collation.named(String(decoding: name, as: UTF8.self))
        .map { StatedCollation(collation: $0, isExplicit: true) }
    case .call, .cast, .and, .or, .not, .comparison, .distinct, .isNull, .isBoolean, .caseWhen,
      .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array, .row, .field, .shared,
      .session:
      var found: StatedCollation?
      for child in value.children {
        guard let own = statedCollation(of: child) else { continue }
        if own.isExplicit { return own }
        found = found ?? own
      }
      return found
    }
  }

  /// What orders a value: its sort key, or the value itself.
  func ordered(_ value: BoundExpression, by collation: Collation?) -> BoundExpression {
    guard let collation, value.type.isString else { return value }
    return .call(
      BoundCall(
        name: Self.keyName,
        arguments: [uncollated(value), .constant(.string(collation.name), .text)],
        type: .text, isStrict: true, volatility: .immutable
      ) {
        (arguments, count, _) throws(SQLError) in
        try collation.keys(arguments[0], count: count)
      })
  }

  /// What orders a value by the collation that it says itself.
  func ordered(_ value: Placed) throws(SQLError) -> BoundExpression {
    ordered(value.expression, by: try collation(of: [value]))
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
        name: "text of key", arguments: [key], type: type, isStrict: true, volatility: .immutable
      ) {
        (arguments, count, _) throws(SQLError) in
        try Collation.texts(arguments[0], count: count).retyped(type)
      })
  }

  /// A value that is only told apart from others, which no collation changes.
  func uncollated(_ value: BoundExpression) -> BoundExpression {
    if case .call(let call) = value, call.name == Self.markerName, call.arguments.count == 2 {
      return call.arguments[0]
    }
    return value
  }

  /// - Throws: 0A000 for values with a collation, where an order by it is not known.
  func checkNoCollation(_ values: [Placed], for what: String) throws(SQLError) {
    guard let collation = try collation(of: values) else { return }
    throw SQLError(
      .featureNotSupported, "\(what) does not go by collation \"\(collation.name)\"",
      at: values[0].range, hint: "Compare values one by one, or leave out COLLATE.")
  }
}

/// A collation, and whether a clause within the value says so.
struct StatedCollation {
  var collation: Collation
  var isExplicit: Bool
}
