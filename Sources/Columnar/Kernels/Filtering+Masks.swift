/// Filters of whole chunks, which look at every row and make bits of what they find.
extension Filtering {
  /// The rows at which `left op right` is true, where a column of fixed width or of few values is compared with a constant or with
  /// another such column; nil for other operands.
  package static func mask(
    _ comparison: Comparison, _ left: Vector, _ right: Vector, count: Int
  ) -> RowMask? {
    if left.form == .constant && right.form == .flat {
      return mask(comparison.commuted, right, left, count: count)
    }
    if left.form == .flat && right.form == .flat {
      return pairMask(comparison, left, right, count: count)
    }
    if left.form == .indirect && right.form == .constant {
      return dictionaryMask(comparison, left, right, count: count)
    }
    guard left.form == .flat, right.form == .constant, right.validity.isValid(0) else { return nil }
    if left.decimals != nil {
      guard
        case .compare(let reduced, let a, let b) = DecimalComparison.reduce(comparison, left, right)
      else { return nil }
      switch a.type.physical {
      case .int16: return whole(reduced, a, b, Int16.self, count)
      case .int32: return whole(reduced, a, b, Int32.self, count)
      case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
        return whole(reduced, a, b, Int64.self, count)
      }
    }
    guard left.type.physical == right.type.physical else { return nil }
    switch left.type.physical {
    case .bool: return whole(comparison, left, right, UInt8.self, count)
    case .int16: return whole(comparison, left, right, Int16.self, count)
    case .int32: return whole(comparison, left, right, Int32.self, count)
    case .int64: return whole(comparison, left, right, Int64.self, count)
    case .float: return whole(comparison, left, right, Float.self, count)
    case .double: return whole(comparison, left, right, Double.self, count)
    case .text:
      guard comparison == .equal || comparison == .notEqual, comparesBytes(left, right) else {
        return nil
      }
      let constant = right.values(TextView.self)[0]
      let wanted = comparison == .equal
      let mask = RowMask(left.values(TextView.self), count: count) { ($0 == constant) == wanted }
      mask.keep(left.validity)
      return mask
    case .numeric, .interval, .uuid, .list, .record: return nil
    }
  }

  /// The rows of a column by dictionary whose values compare so with a constant, where each value is that of several rows; nil
  /// for other columns.
  ///
  /// Only values of some row are looked at: others may be none.
  private static func dictionaryMask(
    _ comparison: Comparison, _ left: Vector, _ right: Vector, count: Int
  ) -> RowMask? {
    let stride = left.valueStride
    guard let places = left.indices, stride > 0, left.storage.byteCount / stride <= count / 4 else {
      return nil
    }
    let placeCount = left.storage.byteCount / stride
    let used = Buffer<UInt8>(zeroed: placeCount)
    for row in 0..<count { used[places[row]] = 1 }
    let asked = Buffer<UInt32>(uninitialized: placeCount)
    var askedCount = 0
    for place in 0..<placeCount {
      asked[askedCount] = UInt32(truncatingIfNeeded: place)
      askedCount &+= Int(used[place])
    }
    let values = Vector(
      type: left.type, count: askedCount, form: .indirect, storage: left.storage,
      validity: left.validity, indices: asked, children: left.children, heaps: left.heaps,
      digits: left.digits)
    let kept = select(
      comparison, values, right.resized(to: askedCount), count: askedCount,
      among: .all(askedCount))
    let holds = Buffer<UInt8>(zeroed: placeCount)
    for index in 0..<kept.count { holds[asked[kept.positions[index]]] = 1 }
    return RowMask(places, count: count) { holds[$0] != 0 }
  }

  @inline(__always)
  private static func whole<Element: FloatingPoint & BitwiseCopyable>(
    _ comparison: Comparison, _ left: Vector, _ right: Vector, _ type: Element.Type, _ count: Int
  ) -> RowMask {
    let values = left.values(type)
    let constant = right.values(type)[0]
    let mask =
      switch comparison {
      case .equal: RowMask(values, count: count) { Comparisons.same($0, constant) }
      case .notEqual: RowMask(values, count: count) { !Comparisons.same($0, constant) }
      case .less: RowMask(values, count: count) { Comparisons.precedes($0, constant) }
      case .lessOrEqual: RowMask(values, count: count) { !Comparisons.precedes(constant, $0) }
      case .greater: RowMask(values, count: count) { Comparisons.precedes(constant, $0) }
      case .greaterOrEqual: RowMask(values, count: count) { !Comparisons.precedes($0, constant) }
      }
    mask.keep(left.validity)
    return mask
  }

  /// The rows at which a flat `value` is, or is not, NULL; nil for others.
  package static func nullMask(_ value: Vector, isNull: Bool, count: Int) -> RowMask? {
    value.form == .flat ? RowMask(value.validity, isNull: isNull, count: count) : nil
  }

  @inline(__always)
  private static func whole<Element: FixedWidthInteger & BitwiseCopyable>(
    _ comparison: Comparison, _ left: Vector, _ right: Vector, _ type: Element.Type, _ count: Int
  ) -> RowMask {
    whole(comparison, left.values(type), right.values(type)[0], left.validity, count)
  }

  @inline(__always)
  private static func whole<Element: FixedWidthInteger & BitwiseCopyable>(
    _ comparison: Comparison, _ values: Buffer<Element>, _ constant: Element,
    _ validity: ValidityMask, _ count: Int
  ) -> RowMask {
    let mask =
      switch comparison {
      case .equal: RowMask(values, count: count) { $0 == constant }
      case .notEqual: RowMask(values, count: count) { $0 != constant }
      case .less: RowMask(values, count: count) { $0 < constant }
      case .lessOrEqual: RowMask(values, count: count) { $0 <= constant }
      case .greater: RowMask(values, count: count) { $0 > constant }
      case .greaterOrEqual: RowMask(values, count: count) { $0 >= constant }
      }
    mask.keep(validity)
    return mask
  }

  @inline(__always)
  private static func whole<Element: FloatingPoint & BitwiseCopyable>(
    _ comparison: Comparison, _ left: Buffer<Element>, with right: Buffer<Element>, _ count: Int
  ) -> RowMask {
    switch comparison {
    case .equal: RowMask(left, right, count: count) { Comparisons.same($0, $1) }
    case .notEqual: RowMask(left, right, count: count) { !Comparisons.same($0, $1) }
    case .less: RowMask(left, right, count: count) { Comparisons.precedes($0, $1) }
    case .lessOrEqual: RowMask(left, right, count: count) { !Comparisons.precedes($1, $0) }
    case .greater: RowMask(left, right, count: count) { Comparisons.precedes($1, $0) }
    case .greaterOrEqual: RowMask(left, right, count: count) { !Comparisons.precedes($0, $1) }
    }
  }

  @inline(__always)
  private static func whole<Element: FixedWidthInteger & BitwiseCopyable>(
    _ comparison: Comparison, _ left: Buffer<Element>, with right: Buffer<Element>, _ count: Int
  ) -> RowMask {
    switch comparison {
    case .equal: RowMask(left, right, count: count) { $0 == $1 }
    case .notEqual: RowMask(left, right, count: count) { $0 != $1 }
    case .less: RowMask(left, right, count: count) { $0 < $1 }
    case .lessOrEqual: RowMask(left, right, count: count) { $0 <= $1 }
    case .greater: RowMask(left, right, count: count) { $0 > $1 }
    case .greaterOrEqual: RowMask(left, right, count: count) { $0 >= $1 }
    }
  }

  /// As `mask`, for two flat columns.
  private static func pairMask(
    _ comparison: Comparison, _ left: Vector, _ right: Vector, count: Int
  ) -> RowMask? {
    if left.decimals != nil {
      guard case .compare(_, let a, let b) = DecimalComparison.reduce(comparison, left, right)
      else { return nil }
      return pairMask(comparison, a, b, count: count)
    }
    guard left.type.physical == right.type.physical else { return nil }
    func whole<Element: FixedWidthInteger & BitwiseCopyable>(_ type: Element.Type) -> RowMask {
      Self.whole(comparison, left.values(type), with: right.values(type), count)
    }
    func whole<Element: FloatingPoint & BitwiseCopyable>(_ type: Element.Type) -> RowMask {
      Self.whole(comparison, left.values(type), with: right.values(type), count)
    }
    let mask: RowMask
    switch left.type.physical {
    case .bool: mask = whole(UInt8.self)
    case .int16: mask = whole(Int16.self)
    case .int32: mask = whole(Int32.self)
    case .int64: mask = whole(Int64.self)
    case .float: mask = whole(Float.self)
    case .double: mask = whole(Double.self)
    case .numeric, .interval, .uuid, .text, .list, .record: return nil
    }
    mask.keep(left.validity)
    mask.keep(right.validity)
    return mask
  }

  // MARK: Ranges

  /// One end of a range: what a column has to be to a constant.
  package typealias Bound = (comparison: Comparison, constant: Vector)

  /// The rows at which a flat column of whole or small exact numbers lies between two constants; nil for other operands.
  ///
  /// - Precondition: `low` is `>` or `>=`, `high` is `<` or `<=`.
  package static func mask(
    _ column: Vector, above low: Bound, below high: Bound, count: Int
  ) -> RowMask? {
    guard column.form == .flat, let least = end(column, low), let greatest = end(column, high)
    else { return nil }
    let mask: RowMask
    let numbers = column.digits == nil ? column : column.scaledNumbers
    switch numbers.type.physical {
    case .int16: mask = between(numbers.values(Int16.self), least, greatest, count)
    case .int32: mask = between(numbers.values(Int32.self), least, greatest, count)
    case .int64: mask = between(numbers.values(Int64.self), least, greatest, count)
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: return nil
    }
    mask.keep(column.validity)
    return mask
  }

  /// The last number that a bound lets through, in the column's form; nil where there is none.
  private static func end(_ column: Vector, _ bound: Bound) -> Int64? {
    guard bound.constant.form == .constant, bound.constant.validity.isValid(0) else { return nil }
    var comparison = bound.comparison
    let value: Int64
    if let decimals = column.decimals {
      guard
        case .number(let reduced, let number) = DecimalComparison.reduce(
          comparison, decimals, bound.constant.numeric(at: 0))
      else { return nil }
      comparison = reduced
      value = number
    } else {
      guard bound.constant.type.physical == column.type.physical else { return nil }
      switch column.type.physical {
      case .int16: value = Int64(bound.constant.values(Int16.self)[0])
      case .int32: value = Int64(bound.constant.values(Int32.self)[0])
      case .int64: value = bound.constant.values(Int64.self)[0]
      case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: return nil
      }
    }
    switch comparison {
    case .lessOrEqual, .greaterOrEqual: return value
    case .less: return value == .min ? nil : value - 1
    case .greater: return value == .max ? nil : value + 1
    case .equal, .notEqual: return nil
    }
  }

  @inline(__always)
  private static func between<Element: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ values: Buffer<Element>, _ least: Int64, _ greatest: Int64, _ count: Int
  ) -> RowMask where Element.Magnitude: BitwiseCopyable {
    let low = max(least, Int64(Element.min))
    let high = min(greatest, Int64(Element.max))
    if low > high { return RowMask(none: count) }
    // The distance from the least, as a number without a sign, is greater than the width for all that is less.
    let base = Element(truncatingIfNeeded: low)
    let width = Element.Magnitude(truncatingIfNeeded: high &- low)
    return RowMask(values, count: count) {
      Element.Magnitude(truncatingIfNeeded: $0 &- base) <= width
    }
  }
}
