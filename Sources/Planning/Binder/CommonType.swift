import Columnar
import Diagnostics

extension BindingSession {
  /// The type that all of `types` can become, by PostgreSQL's rules for UNION, CASE and their like.
  ///
  /// - Throws: 42804 `UNION types integer and text cannot be matched`.
  func commonType(
    of types: [LogicalType], for construct: String, at ranges: [SourceRange] = []
  ) throws(SQLError) -> LogicalType {
    var chosen: LogicalType?
    for (index, type) in types.enumerated() where type != .unknown {
      guard let current = chosen else {
        chosen = type
        continue
      }
      if type == current { continue }
      guard type.category == current.category else {
        throw SQLError(
          .datatypeMismatch,
          "\(construct) types \(current.name) and \(type.name) cannot be matched",
          at: index < ranges.count ? ranges[index] : .none)
      }
      if !current.isPreferred, canCoerce(current, to: type), !canCoerce(type, to: current) {
        chosen = type
      }
    }
    return chosen ?? .text
  }

  /// All of `expressions` as values of one type.
  func unify(
    _ expressions: [BoundExpression], for construct: String, at ranges: [SourceRange]
  ) throws(SQLError) -> ([BoundExpression], LogicalType) {
    let type = try commonType(of: expressions.map(\.type), for: construct, at: ranges)
    var result: [BoundExpression] = []
    result.reserveCapacity(expressions.count)
    for (index, expression) in expressions.enumerated() {
      let range = index < ranges.count ? ranges[index] : .none
      result.append(try coerceToCommon(expression, type, for: construct, at: range))
    }
    return (result, type)
  }

  /// `expression` as a value of the common type.
  ///
  /// - Throws: 42846 `CASE could not convert type … to …`.
  func coerceToCommon(
    _ expression: BoundExpression, _ type: LogicalType, for construct: String,
    at range: SourceRange
  ) throws(SQLError) -> BoundExpression {
    if let coerced = try coerce(expression, to: ColumnType(type), at: range) { return coerced }
    throw SQLError(
      .cannotCoerce,
      "\(construct) could not convert type \(expression.type.name) to \(type.name)", at: range)
  }
}
