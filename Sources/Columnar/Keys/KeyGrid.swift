/// The combinations of several whole-number keys whose ranges are small together, numbered one after the other.
///
/// A key has a place for NULL and one for each number of its range. Numbers of the key with the widest range stand farthest apart, so
/// that rows of one of its numbers have places near each other.
struct KeyGrid {
  /// The range of one key.
  struct Axis {
    fileprivate var least = Int64.max
    fileprivate var greatest = Int64.min
    /// How far apart two neighbours of this key are.
    fileprivate var stride = 1

    fileprivate var isEmpty: Bool { least > greatest }
    /// The places of the key, that of NULL among them; nil for too many to be counted.
    fileprivate var placeCount: Int? {
      if isEmpty { return 1 }
      let (span, overflow) = greatest.subtractingReportingOverflow(least)
      return overflow || span >= KeyGrid.placeMax ? nil : Int(span) + 2
    }

    fileprivate mutating func widen(to other: Axis) {
      least = min(least, other.least)
      greatest = max(greatest, other.greatest)
    }
  }

  private var axes: [Axis]
  /// The keys from that whose numbers stand nearest to each other to that whose stand farthest apart.
  private var order: [Int]
  /// How many places all combinations have.
  private(set) var placeCount = 1

  /// No grid has more places.
  private static let placeMax: Int64 = 1 << 28
  /// Added for a key that is out of its range: whatever else is added, the place stays negative, and 32 bits hold it.
  private static let outside = -(1 << 29)
  /// Of more keys there are hardly ever few combinations.
  static let keyMax = 4

  init(keyCount: Int) {
    axes = Array(repeating: Axis(), count: keyCount)
    order = Array(axes.indices)
  }

  /// Whether keys of these types can be numbered.
  static func takes(_ types: [LogicalType]) -> Bool {
    (2...keyMax).contains(types.count)
      && types.allSatisfy { KeyPacking.bitWidth(of: $0.physical) != nil }
  }

  /// The place of each row, negative where a key is out of its range, and whether none is.
  ///
  /// - Complexity: O(*n*).
  func places<Place: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ columns: [Vector], _ count: Int, as place: Place.Type
  ) -> (places: Buffer<Place>, areInside: Bool) {
    let places = Buffer<Place>(uninitialized: count)
    var parts = places
    for key in columns.indices {
      Self.write(columns[key], axes[key], to: parts, count)
      // Loops by themselves, each of which takes several rows at once.
      if key > 0 {
        for row in 0..<count { places[row] &+= parts[row] }
      } else if columns.count > 1 {
        parts = Buffer<Place>(uninitialized: count)
      }
    }
    var signs: Place = 0
    for row in 0..<count { signs |= places[row] }
    return (places, signs >= 0)
  }

  /// Writes what one key contributes to each place.
  private static func write<Place: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ column: Vector, _ axis: Axis, to parts: Buffer<Place>, _ count: Int
  ) {
    switch column.type.physical {
    case .bool: write(column.values(UInt8.self), axis, to: parts, count)
    case .int16: write(column.values(Int16.self), axis, to: parts, count)
    case .int32: write(column.values(Int32.self), axis, to: parts, count)
    case .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      write(column.values(Int64.self), axis, to: parts, count)
    }
    column.validity.forEachMissing(count) { parts[$0] = 0 }
  }

  @inline(__always)
  private static func write<Element: FixedWidthInteger & BitwiseCopyable, Place>(
    _ keys: Buffer<Element>, _ axis: Axis, to parts: Buffer<Place>, _ count: Int
  ) where Place: FixedWidthInteger & SignedInteger & BitwiseCopyable {
    // Half as wide numbers are twice as many at once. No key is taken for another: both ends of the range have 32 bits.
    if Element.bitWidth <= 32, !axis.isEmpty, Int32(exactly: axis.least) != nil,
      Int32(exactly: axis.greatest) != nil
    {
      write(keys, axis, Int32.self, to: parts, count)
    } else {
      write(keys, axis, Int64.self, to: parts, count)
    }
  }

  @inline(__always)
  private static func write<Element: FixedWidthInteger & BitwiseCopyable, Number, Place>(
    _ keys: Buffer<Element>, _ axis: Axis, _ number: Number.Type, to parts: Buffer<Place>,
    _ count: Int
  )
  where
    Number: FixedWidthInteger, Place: FixedWidthInteger & SignedInteger & BitwiseCopyable
  {
    let least = Number(truncatingIfNeeded: axis.least)
    let stride = Number(truncatingIfNeeded: axis.stride)
    let limit = Number.Magnitude(
      truncatingIfNeeded: axis.isEmpty ? 0 : axis.greatest &- axis.least &+ 1)
    let outside = Number(truncatingIfNeeded: outside)
    for row in 0..<count {
      let offset = Number(truncatingIfNeeded: keys[row]) &- least
      let isInside = Number.Magnitude(truncatingIfNeeded: offset) < limit
      let own = isInside ? (offset &+ 1) &* stride : outside
      parts[row] = Place(truncatingIfNeeded: own)
    }
  }

  /// The grid that holds these rows as well, with room for more where keys come in order; nil for more than `limit` places.
  func covering(_ columns: [Vector], _ count: Int, limit: Int) -> KeyGrid? {
    var wanted = axes
    for (key, column) in columns.enumerated() {
      let numbers = Buffer<Int64>(uninitialized: count)
      KeyPacking.widen(column, count, into: numbers)
      var axis = wanted[key]
      KeyPacking.widen(&axis.least, &axis.greatest, to: numbers, column.validity, count)
      wanted[key] = axis
    }
    return widened(to: wanted, limit: limit)
  }

  /// The grid that holds the places of another as well; nil for more than `limit` places.
  func covering(_ other: KeyGrid, limit: Int) -> KeyGrid? {
    var wanted = axes
    for key in wanted.indices { wanted[key].widen(to: other.axes[key]) }
    return widened(to: wanted, limit: limit)
  }

  private func widened(to wanted: [Axis], limit: Int) -> KeyGrid? {
    guard let exact = Self.arranged(wanted, limit: limit) else { return nil }
    var roomy = wanted
    for key in roomy.indices where !roomy[key].isEmpty && !axes[key].isEmpty {
      let span = roomy[key].greatest &- roomy[key].least &+ 1
      if roomy[key].least < axes[key].least {
        let (lower, overflow) = roomy[key].least.subtractingReportingOverflow(span)
        if !overflow { roomy[key].least = lower }
      }
      if roomy[key].greatest > axes[key].greatest {
        let (upper, overflow) = roomy[key].greatest.addingReportingOverflow(span)
        if !overflow { roomy[key].greatest = upper }
      }
    }
    return Self.arranged(roomy, limit: limit) ?? exact
  }

  private static func arranged(_ axes: [Axis], limit: Int) -> KeyGrid? {
    var grid = KeyGrid(keyCount: axes.count)
    grid.axes = axes
    let counts = axes.compactMap(\.placeCount)
    if counts.count < axes.count { return nil }
    grid.order.sort { counts[$0] < counts[$1] }
    for key in grid.order {
      let count = counts[key]
      grid.axes[key].stride = grid.placeCount
      let (product, overflow) = grid.placeCount.multipliedReportingOverflow(by: count)
      if overflow || product > limit || product > Self.placeMax { return nil }
      grid.placeCount = product
    }
    return grid
  }

  /// Whether both number combinations alike.
  func isSame(as other: KeyGrid) -> Bool {
    order == other.order
      && zip(axes, other.axes).allSatisfy {
        $0.least == $1.least && $0.greatest == $1.greatest && $0.stride == $1.stride
      }
  }

  /// The keys of some places, which the buffer loses.
  ///
  /// - Complexity: O(*n*); a division for each where places do not rise, and fewer where they do.
  func keys(of places: Buffer<Int64>, count: Int, types: [LogicalType]) -> [Vector] {
    var columns: [Int: Vector] = [:]
    for key in order.reversed() {
      columns[key] =
        switch types[key].physical {
        case .bool: Self.take(axes[key], UInt8.self, types[key], from: places, count)
        case .int16: Self.take(axes[key], Int16.self, types[key], from: places, count)
        case .int32: Self.take(axes[key], Int32.self, types[key], from: places, count)
        case .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
          Self.take(axes[key], Int64.self, types[key], from: places, count)
        }
    }
    return axes.indices.compactMap { columns[$0] }
  }

  /// Takes the contribution of one key off the places, which keep those of keys with smaller strides.
  @inline(__always)
  private static func take<Element: FixedWidthInteger & BitwiseCopyable>(
    _ axis: Axis, _ element: Element.Type, _ type: LogicalType, from places: Buffer<Int64>,
    _ count: Int
  ) -> Vector {
    let values = Buffer<Element>(uninitialized: max(count, 1))
    let stride = UInt64(axis.stride)
    var validity = ValidityMask.allValid
    // The keys of one place of this axis stand together where places rise.
    var (start, place): (UInt64, Int64) = (0, 0)
    for row in 0..<count {
      let number = UInt64(bitPattern: places[row])
      if number &- start >= stride {
        place = Int64(bitPattern: number / stride)
        start = UInt64(bitPattern: place) &* stride
      }
      places[row] = Int64(bitPattern: number &- start)
      values[row] = Element(truncatingIfNeeded: axis.least &+ place &- 1)
      if place == 0 { validity.setNull(row, count: count) }
    }
    return Vector(type, values, count: count, validity: validity)
  }
}
