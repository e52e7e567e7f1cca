extension Comparisons {
  /// The greater or the lesser of two values of each row, of which NULL is neither; the held one where they are equal.
  ///
  /// Both are flat and of the type `type`.
  ///
  /// - Complexity: O(*n*).
  package static func extreme(
    _ held: Vector, _ candidate: Vector, isGreatest: Bool, type: LogicalType, count: Int
  ) -> Vector {
    if held.validity.nullCount(count) == 0, candidate.validity.nullCount(count) == 0 {
      switch type.physical {
      case .bool: return whole(held, candidate, isGreatest, type, count, UInt8.self)
      case .int16: return whole(held, candidate, isGreatest, type, count, Int16.self)
      case .int32: return whole(held, candidate, isGreatest, type, count, Int32.self)
      case .int64: return whole(held, candidate, isGreatest, type, count, Int64.self)
      case .float, .double, .numeric, .interval, .uuid, .text, .list, .record: break
      }
    }
    let wins = compare(isGreatest ? .greater : .less, candidate, held, count: count).flattened()
    let flags = wins.values(UInt8.self)
    let both = Vector.concatenate([held, candidate], type: type)
    let places = Buffer<UInt32>(uninitialized: count)
    for row in 0..<count {
      let isBetter = wins.validity.isValid(row) ? flags[row] != 0 : !held.validity.isValid(row)
      places[row] = UInt32(
        truncatingIfNeeded: isBetter && candidate.validity.isValid(row) ? count &+ row : row)
    }
    return both.gathered(places, count: count)
  }

  @inline(__always)
  private static func whole<Element: FixedWidthInteger & BitwiseCopyable>(
    _ held: Vector, _ candidate: Vector, _ isGreatest: Bool, _ type: LogicalType, _ count: Int,
    _ element: Element.Type
  ) -> Vector {
    isGreatest
      ? RowLoop.map([held, candidate], count, type, element, element) { max($0, $1) }
      : RowLoop.map([held, candidate], count, type, element, element) { min($0, $1) }
  }
}
