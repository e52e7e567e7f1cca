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

  /// The bounds of a sum, a difference or a product of `numeric`s, or of a column or constant; nil for all else, and for what
  /// may be refused.
  package static func of(
    _ expression: BoundExpression, columns: (ColumnID) -> DigitBounds?
  ) -> DigitBounds? {
    switch expression {
    case .column(let id, let type): return type == .numeric ? columns(id) : nil
    case .constant(.numeric(let value), _) where value.kind == .finite:
      let scale = Int(value.scale)
      let digits = "\(value.coefficient.magnitude)".count
      let bounds = DigitBounds(whole: max(digits - scale, 1), scale: max(scale, 0))
      return scale >= 0 && bounds.isHeld ? bounds : nil
    case .call(let call)
    where call.isOperator && call.arguments.count == 2 && call.type == .numeric:
      guard let one = of(call.arguments[0], columns: columns),
        let two = of(call.arguments[1], columns: columns)
      else { return nil }
      let bounds: DigitBounds
      switch call.name {
      case "+", "-":
        bounds = DigitBounds(
          whole: max(one.whole, two.whole) + 1, scale: max(one.scale, two.scale))
      case "*":
        bounds = DigitBounds(whole: one.whole + two.whole, scale: one.scale + two.scale)
      default: return nil
      }
      return bounds.isHeld ? bounds : nil
    default: return nil
    }
  }
}
