import Columnar

/// The most digits that an exact number can have, from the types of the columns that it is computed of.
package struct DigitBounds: Sendable {
  /// The digits before the point, and those behind it.
  package var whole: Int
  package var scale: Int

  package init(whole: Int, scale: Int) {
    self.whole = whole
    self.scale = scale
  }

  /// As many digits as every exact number can hold.
  private static let digitMax = 37

  /// Whether all of the digits can be held, so that nothing is refused or rounded.
  private var isHeld: Bool { whole + scale <= Self.digitMax }

  /// The bounds of a sum, a difference or a product of `numeric`s, of a quotient by a constant, or of a column or constant; nil
  /// for all else, and for what may be refused.
  package static func of(
    _ expression: BoundExpression, columns: (ColumnID) -> DigitBounds?
  ) -> DigitBounds? {
    if case .column(let id, let type) = expression { return type == .numeric ? columns(id) : nil }
    if case .constant(.numeric(let value), _) = expression, value.kind == .finite {
      let scale = Int(value.scale)
      let digits = "\(value.coefficient.magnitude)".count
      let bounds = DigitBounds(whole: max(digits - scale, 1), scale: max(scale, 0))
      return scale >= 0 && bounds.isHeld ? bounds : nil
    }
    guard case .call(let call) = expression, call.isOperator, call.arguments.count == 2,
      call.type == .numeric, let one = of(call.arguments[0], columns: columns),
      let two = of(call.arguments[1], columns: columns)
    else { return nil }
    let bounds: DigitBounds
    if call.name == "*" {
      bounds = DigitBounds(whole: one.whole + two.whole, scale: one.scale + two.scale)
    } else if call.name == "+" || call.name == "-" {
      bounds = DigitBounds(
        whole: max(one.whole, two.whole) + 1, scale: max(one.scale, two.scale))
    } else if call.name == "/", case .constant(.numeric(let divisor), _) = call.arguments[1],
      !divisor.isZero
    {
      bounds = one.divided(by: two)
    } else {
      return nil
    }
    return bounds.isHeld ? bounds : nil
  }

  /// The bounds of quotients by a number within `divisor` that is not zero.
  ///
  /// A quotient has 16 digits behind its first group of four, which is the further behind the point the less the dividend
  /// and the greater the divisor; one group more if the dividend's first group is the lesser.
  private func divided(by divisor: DigitBounds) -> DigitBounds {
    let groups = (scale + 3) / 4 + (divisor.whole - 1) / 4 + 1
    return DigitBounds(
      whole: whole + divisor.scale, scale: max(16 + 4 * groups, scale, divisor.scale))
  }
}

extension AggregateCall {
  /// Whether no row can make the aggregate fail, if columns have no more digits than `digits` says.
  package func cannotFail(digits: (ColumnID) -> DigitBounds?) -> Bool {
    let isExact =
      switch name {
      case "count", "min", "max", "bool_and", "bool_or", "every", "percentile_disc", "mode",
        "array_agg":
        true
      default:
        arguments.allSatisfy { $0.type.physical != .float && $0.type.physical != .double }
      }
    return isExact
      && (arguments + [filter].compactMap { $0 }).allSatisfy {
        $0.cannotFail || DigitBounds.of($0, columns: digits) != nil
      }
  }
}
