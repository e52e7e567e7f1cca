/// Which NULLs a comparison of rows takes as equal.
package enum NullEquality: Sendable {
  /// As `=`: a NULL matches nothing.
  case unequal
  /// As `IS NOT DISTINCT FROM`, GROUP BY and DISTINCT: NULL matches NULL.
  case equal
}

/// Equality and order of rows of several columns.
package enum RowComparison {
  /// The pairs *p* for which row `leftRows[p]` of `left` equals row `rightRows[p]` of `right` in every column.
  ///
  /// Columns may have any form. The two sides have the same types, column by column.
  ///
  /// - Complexity: O(*n*) for each column in the pairs that are still equal.
  package static func matching(
    _ left: [Vector], _ leftRows: Buffer<UInt32>, _ right: [Vector], _ rightRows: Buffer<UInt32>,
    count: Int, nulls: NullEquality
  ) -> SelectionVector {
    var kept = Buffer<UInt32>(uninitialized: count)
    var found = count
    for pair in 0..<count { kept[pair] = UInt32(truncatingIfNeeded: pair) }
    for column in left.indices where found > 0 {
      let a = positions(of: left[column], rows: leftRows, kept: kept, count: found)
      let b = positions(of: right[column], rows: rightRows, kept: kept, count: found)
      let next = Buffer<UInt32>(uninitialized: found)
      let matcher = PairMatcher(
        left: left[column], leftPositions: a, right: right[column], rightPositions: b, kept: kept,
        count: found, result: next, nullsEqual: nulls == .equal)
      found = matcher.match()
      kept = next
    }
    return SelectionVector(kept, count: found)
  }

  private static func positions(
    of column: Vector, rows: Buffer<UInt32>, kept: Buffer<UInt32>, count: Int
  ) -> Buffer<UInt32> {
    switch column.form {
    case .constant: return Buffer(zeroed: count)
    case .flat:
      let result = Buffer<UInt32>(uninitialized: count)
      for index in 0..<count { result[index] = rows[kept[index]] }
      return result
    case .indirect:
      let result = Buffer<UInt32>(uninitialized: count)
      if let indices = column.indices {
        for index in 0..<count { result[index] = indices[rows[kept[index]]] }
      }
      return result
    }
  }

  /// The order of row `i` of `left` and row `j` of `right`, column by column in the given orders.
  ///
  /// - Precondition: the columns are flat or constant.
  package static func compare(
    _ left: [Vector], _ i: Int, _ right: [Vector], _ j: Int, orders: [SortOrder]
  ) -> Int {
    for column in orders.indices {
      let a = left[column]
      let b = right[column]
      let order = orders[column].compare(a, a.position(i), b, b.position(j))
      if order != 0 { return order }
    }
    return 0
  }
}

/// One column's comparison of many pairs of positions.
private struct PairMatcher {
  let left: Vector
  let leftPositions: Buffer<UInt32>
  let right: Vector
  let rightPositions: Buffer<UInt32>
  let kept: Buffer<UInt32>
  let count: Int
  let result: Buffer<UInt32>
  let nullsEqual: Bool

  /// Writes the pairs that match to `result`, and says how many they are.
  func match() -> Int {
    switch left.type.physical {
    case .bool: return matchIntegers(UInt8.self)
    case .int16: return matchIntegers(Int16.self)
    case .int32: return matchIntegers(Int32.self)
    case .int64: return matchIntegers(Int64.self)
    case .uuid: return match(UUIDValue.self) { $0 == $1 }
    case .float: return match(Float.self) { $0 == $1 || ($0 != $0 && $1 != $1) }
    case .double: return match(Double.self) { $0 == $1 || ($0 != $0 && $1 != $1) }
    case .numeric:
      if left.decimals != nil || right.decimals != nil { return matchNested() }
      return match(Numeric.self) { ValueOrder.compare($0, $1) == 0 }
    case .interval: return match(Interval.self) { ValueOrder.compare($0, $1) == 0 }
    case .text where left.type != .character && left.type != .jsonb:
      return match(TextView.self) { $0 == $1 }
    case .text, .list, .record: return matchNested()
    }
  }

  @inline(__always)
  private func matchIntegers<Element: FixedWidthInteger & BitwiseCopyable>(
    _ type: Element.Type
  ) -> Int {
    match(type) { $0 == $1 }
  }

  @inline(__always)
  private func match<Element: BitwiseCopyable>(
    _ type: Element.Type, _ equal: (Element, Element) -> Bool
  ) -> Int {
    let a = left.values(type)
    let b = right.values(type)
    let leftPositions = leftPositions
    let rightPositions = rightPositions
    let kept = kept
    let result = result
    var found = 0
    if left.validity.isAllValid && right.validity.isAllValid {
      for index in 0..<count {
        result[found] = kept[index]
        found &+= bit(equal(a[leftPositions[index]], b[rightPositions[index]]))
      }
      return found
    }
    for index in 0..<count {
      let i = Int(leftPositions[index])
      let j = Int(rightPositions[index])
      let validLeft = left.validity.isValid(i)
      let validRight = right.validity.isValid(j)
      let same = validLeft && validRight ? equal(a[i], b[j]) : nullsEqual && validLeft == validRight
      result[found] = kept[index]
      found &+= bit(same)
    }
    return found
  }

  private func matchNested() -> Int {
    var found = 0
    for index in 0..<count {
      let i = Int(leftPositions[index])
      let j = Int(rightPositions[index])
      let validLeft = left.validity.isValid(i)
      let validRight = right.validity.isValid(j)
      let same =
        validLeft && validRight
        ? ValueOrder.compare(left, i, right, j) == 0 : nullsEqual && validLeft == validRight
      result[found] = kept[index]
      found &+= bit(same)
    }
    return found
  }
}
