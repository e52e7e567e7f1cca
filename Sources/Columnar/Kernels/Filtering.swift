/// Filters that go from columns to kept rows without a boolean vector between.
package enum Filtering {
  /// The rows at which `left op right` is true, among `candidates` if there are any.
  ///
  /// Indirect columns are read in place. NULLs are left out.
  ///
  /// - Complexity: O(*n*) in the candidates.
  package static func select(
    _ comparison: Comparison, _ left: Vector, _ right: Vector, count: Int,
    among candidates: SelectionVector? = nil
  ) -> SelectionVector {
    if left.isConstantNull || right.isConstantNull {
      return SelectionVector(Buffer(uninitialized: 0), count: 0)
    }
    if left.form == .constant && right.form != .constant {
      return select(comparison.commuted, right, left, count: count, among: candidates)
    }
    if candidates == nil, let mask = mask(comparison, left, right, count: count) {
      return mask.selection
    }
    if left.decimals != nil {
      switch DecimalComparison.reduce(comparison, left, right) {
      case .compare(let comparison, let a, let b):
        return select(comparison, a, b, count: count, among: candidates)
      case .always(true):
        return selectNull(left, isNull: false, count: count, among: candidates)
      case .always(false): return SelectionVector(Buffer(uninitialized: 0), count: 0)
      case nil: break
      }
    }
    let scan = PairScan(
      comparison: comparison, left: left, right: right, count: count, candidates: candidates)
    switch left.type.physical {
    case .bool: return scan.integers(UInt8.self)
    case .int16: return scan.integers(Int16.self)
    case .int32: return scan.integers(Int32.self)
    case .int64: return scan.integers(Int64.self)
    case .float: return scan.floats(Float.self)
    case .double: return scan.floats(Double.self)
    case .text where comparesBytes(left, right) && comparison == .equal:
      return scan.texts { $0 == $1 }
    case .text where comparesBytes(left, right) && comparison == .notEqual:
      return scan.texts { $0 != $1 }
    case .numeric, .interval, .uuid, .text, .list, .record:
      let rows = candidates?.count ?? count
      let a = candidates.map { left.gathered($0) } ?? left
      let b = candidates.map { right.gathered($0) } ?? right
      let truth = Comparisons.compare(comparison, a, b, count: rows)
      let kept = SelectionVector(whereTrue: truth)
      return candidates.map { kept.mapped(through: $0) } ?? kept
    }
  }

  /// Whether texts are equal where their bytes are.
  static func comparesBytes(_ left: Vector, _ right: Vector) -> Bool {
    [left.type, right.type].allSatisfy { $0 != .character && $0 != .jsonb }
  }

  /// The rows at which `value` is, or is not, NULL, among `candidates` if there are any.
  package static func selectNull(
    _ value: Vector, isNull: Bool, count: Int, among candidates: SelectionVector? = nil
  ) -> SelectionVector {
    if value.validity.isAllValid {
      return isNull
        ? SelectionVector(Buffer(uninitialized: 0), count: 0) : candidates ?? .all(count)
    }
    guard let candidates else {
      if let mask = nullMask(value, isNull: isNull, count: count) { return mask.selection }
      return selectNull(value, isNull: isNull, count: count, among: .all(count))
    }
    let kept = Buffer<UInt32>(uninitialized: candidates.count)
    var found = 0
    for index in 0..<candidates.count {
      let row = candidates.positions[index]
      kept[found] = row
      found &+= bit(value.isValid(Int(row)) != isNull)
    }
    return SelectionVector(kept, count: found)
  }
}

extension SelectionVector {
  /// What this selection of the rows of `outer` keeps, as rows of the chunk below.
  package func mapped(through outer: SelectionVector) -> SelectionVector {
    let rows = Buffer<UInt32>(uninitialized: count)
    for index in 0..<count { rows[index] = outer.positions[positions[index]] }
    return SelectionVector(rows, count: count)
  }
}

/// One comparison of a column with a constant or another column.
private struct PairScan {
  let comparison: Comparison
  let left: Vector
  let right: Vector
  let count: Int
  let candidates: SelectionVector?

  @inline(__always)
  func integers<Element: FixedWidthInteger & BitwiseCopyable>(
    _ type: Element.Type
  ) -> SelectionVector {
    switch comparison {
    case .equal: scan(type) { $0 == $1 }
    case .notEqual: scan(type) { $0 != $1 }
    case .less: scan(type) { $0 < $1 }
    case .lessOrEqual: scan(type) { $0 <= $1 }
    case .greater: scan(type) { $0 > $1 }
    case .greaterOrEqual: scan(type) { $0 >= $1 }
    }
  }

  @inline(__always)
  func floats<Element: FloatingPoint & BitwiseCopyable>(_ type: Element.Type) -> SelectionVector {
    switch comparison {
    case .equal: scan(type) { Comparisons.same($0, $1) }
    case .notEqual: scan(type) { !Comparisons.same($0, $1) }
    case .less: scan(type) { Comparisons.precedes($0, $1) }
    case .lessOrEqual: scan(type) { !Comparisons.precedes($1, $0) }
    case .greater: scan(type) { Comparisons.precedes($1, $0) }
    case .greaterOrEqual: scan(type) { !Comparisons.precedes($0, $1) }
    }
  }

  @inline(__always)
  func texts(_ holds: (TextView, TextView) -> Bool) -> SelectionVector {
    scan(TextView.self, holds)
  }

  @inline(__always)
  private func scan<Element: BitwiseCopyable>(
    _ type: Element.Type, _ holds: (Element, Element) -> Bool
  ) -> SelectionVector {
    let total = candidates?.count ?? count
    let kept = Buffer<UInt32>(uninitialized: total)
    let x = left.values(type)
    var found = 0
    if total == 0 { return SelectionVector(kept, count: 0) }
    // The commonest case first: a flat column against a constant.
    if right.form == .constant && left.form == .flat, let rows = candidates?.positions {
      let constant = right.values(type)[0]
      if let present = left.validity.words {
        for index in 0..<total {
          let row = rows[index]
          let isThere = present[Int(row &>> 6)] &>> UInt64(row & 63) & 1
          kept[found] = row
          found &+= Int(truncatingIfNeeded: isThere) & bit(holds(x[row], constant))
        }
      } else {
        for index in 0..<total {
          let row = rows[index]
          kept[found] = row
          found &+= bit(holds(x[row], constant))
        }
      }
      return SelectionVector(kept, count: found)
    }
    let y = right.values(type)
    let rows = (candidates ?? .all(count)).positions
    let allValid = left.validity.isAllValid && right.validity.isAllValid
    for index in 0..<total {
      let row = rows[index]
      let i = left.position(Int(row))
      let j = right.position(Int(row))
      kept[found] = row
      let present = allValid || (left.validity.isValid(i) && right.validity.isValid(j))
      found &+= bit(present && holds(x[i], y[j]))
    }
    return SelectionVector(kept, count: found)
  }
}
