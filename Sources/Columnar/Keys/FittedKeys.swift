package import Diagnostics

/// How several whole numbers become one of 64 bits: each takes as many bits as its range needs, and NULL is zero.
package struct FittedKeys: Sendable {
  /// How one number is packed: its distance from `least`, plus one.
  private struct Field {
    var least: Int64
    var width: Int
    /// The greatest that has to be packed.
    var greatest: UInt64

    /// The greatest that fits.
    var limit: UInt64 { width >= 64 ? .max : (1 << UInt64(width)) &- 1 }
  }

  private var fields: [Field]

  /// The ranges of some columns, each of which stands in several parts; nil where they do not fit 64 bits together, or a column
  /// has no whole numbers.
  ///
  /// - Complexity: O(*n*).
  /// - Throws: 57014.
  package init?(_ columns: [[(part: Vector, count: Int)]]) throws(SQLError) {
    fields = []
    for parts in columns {
      var (least, greatest) = (Int64.max, Int64.min)
      for (part, count) in parts {
        guard KeyPacking.bitWidth(of: part.type.physical) != nil else { return nil }
        if count == 0 { continue }
        let numbers = Buffer<Int64>(uninitialized: min(count, Vector.chunkCapacity))
        for start in stride(from: 0, to: count, by: Vector.chunkCapacity) {
          try RunningStatement.check()
          let length = min(Vector.chunkCapacity, count - start)
          let slice = part.slice(from: start, count: length).flattened()
          KeyPacking.widen(slice, length, into: numbers)
          KeyPacking.widen(&least, &greatest, to: numbers, slice.validity, length)
        }
      }
      if least > greatest { (least, greatest) = (0, 0) }
      let (span, overflow) = greatest.subtractingReportingOverflow(least)
      guard !overflow, span < Int64.max - 1 else { return nil }
      // The greatest that is packed is the span plus one.
      let number = UInt64(span + 1)
      fields.append(
        Field(least: least, width: 64 - number.leadingZeroBitCount, greatest: number))
    }
    if fields.reduce(0, { $0 + $1.width }) > 64 { return nil }
  }

  /// Shares the bits that are left over among the numbers, and moves their ranges into the middle of what they can hold.
  mutating func shareOut() {
    if fields.isEmpty { return }
    let more = (64 - fields.reduce(0) { $0 + $1.width }) / fields.count
    for key in fields.indices {
      fields[key].width += more
      // Ranges grow at either end, so each time half of the room is left below: keys that fall or rise are soon either
      // within their bits or past them, and are not packed anew for each batch.
      let room = fields[key].limit - fields[key].greatest
      let (least, overflow) = fields[key].least
        .subtractingReportingOverflow(Int64(clamping: room / 2))
      if !overflow { fields[key].least = least }
    }
  }

  /// Packs flat columns; says whether all numbers are in their ranges.
  func pack(_ columns: [Vector], _ count: Int, into packed: Buffer<UInt64>) -> Bool {
    packed.fill(0..<count, with: 0)
    var areAllThere = true
    for (column, field) in zip(columns, fields) {
      let fits =
        switch column.type.physical {
        case .bool: add(column, column.values(UInt8.self), field, count, packed)
        case .int16: add(column, column.values(Int16.self), field, count, packed)
        case .int32: add(column, column.values(Int32.self), field, count, packed)
        case .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
          add(column, column.values(Int64.self), field, count, packed)
        }
      areAllThere = fits && areAllThere
    }
    return areAllThere
  }

  @inline(__always)
  private func add<Number: FixedWidthInteger & BitwiseCopyable>(
    _ column: Vector, _ values: Buffer<Number>, _ field: Field, _ count: Int,
    _ packed: Buffer<UInt64>
  ) -> Bool {
    let (least, limit, width) = (field.least, field.limit, UInt64(field.width))
    let validity = column.validity
    // Zero is NULL, so the greatest distance there is room for is one less.
    var outside: UInt64 = 0
    if validity.isAllValid {
      for row in 0..<count {
        let distance = UInt64(bitPattern: Int64(truncatingIfNeeded: values[row]) &- least)
        outside |= distance < limit ? 0 : 1
        packed[row] = packed[row] &<< width | (distance &+ 1) & limit
      }
    } else {
      for row in 0..<count {
        let upper = packed[row] &<< width
        guard validity.isValid(row) else {
          packed[row] = upper
          continue
        }
        let distance = UInt64(bitPattern: Int64(truncatingIfNeeded: values[row]) &- least)
        outside |= distance < limit ? 0 : 1
        packed[row] = upper | (distance &+ 1) & limit
      }
    }
    return outside == 0
  }

  /// What is out of its range is found nowhere.
  func dropOutsiders(_ columns: [Vector], _ count: Int, _ result: Buffer<UInt32>) {
    let numbers = Buffer<Int64>(uninitialized: count)
    for (column, field) in zip(columns, fields) {
      KeyPacking.widen(column, count, into: numbers)
      let validity = column.validity
      for row in 0..<count where validity.isValid(row) {
        let distance = UInt64(bitPattern: numbers[row] &- field.least)
        if distance >= field.limit { result[row] = .max }
      }
    }
  }
}
