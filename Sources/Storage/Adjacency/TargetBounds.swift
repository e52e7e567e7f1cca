package import Columnar

/// For each of some rows which targets of edges are wanted: from one position on, and below another.
package struct TargetBounds: Sendable {
  let lower: Buffer<UInt32>
  let upper: Buffer<UInt32>
  /// The target that is not wanted, `TableStore.noRow` for none.
  let excluded: Buffer<UInt32>
  private let count: Int

  /// Bounds that leave all targets.
  package init(count: Int) {
    self.count = count
    lower = Buffer(zeroed: max(count, 1))
    upper = Buffer(repeating: .max, count: max(count, 1))
    excluded = Buffer(repeating: TableStore.noRow, count: max(count, 1))
  }

  /// Leaves only targets whose key is in a relation to the row's value; none where that is NULL.
  ///
  /// - Parameters:
  ///   - comparison: `key op value`, an order, or once an inequality.
  ///   - values: Whole numbers, one for each row.
  ///   - keys: The key of the targets, which rises with their positions.
  package func narrow(_ comparison: Comparison, _ values: Vector, keys: SerialColumn) {
    let numbers = WholeNumbers(values, count: count)
    for row in 0..<count {
      guard numbers.validity.isValid(row) else {
        upper[row] = 0
        continue
      }
      let (offset, overflow) = numbers.values[row].subtractingReportingOverflow(keys.first)
      let position = overflow ? (numbers.values[row] < 0 ? -1 : Int64.max - 1) : offset
      switch comparison {
      case .less: lowerUpper(row, to: position)
      case .lessOrEqual: lowerUpper(row, to: position &+ 1)
      case .greater: raiseLower(row, to: position &+ 1)
      case .greaterOrEqual: raiseLower(row, to: position)
      case .notEqual:
        if position >= 0 { excluded[row] = UInt32(clamping: position) }
      case .equal: assertionFailure("a bound is no equality")
      }
    }
  }

  private func lowerUpper(_ row: Int, to position: Int64) {
    upper[row] = min(upper[row], UInt32(clamping: position))
  }

  private func raiseLower(_ row: Int, to position: Int64) {
    lower[row] = max(lower[row], UInt32(clamping: position))
  }
}
