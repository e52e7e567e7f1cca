import Diagnostics

/// Groups of several whole-number keys whose ranges fit 64 bits together: each key takes as many bits as its range needs.
///
/// Two keys of 32 bits with their NULLs are 66 bits, and numbers of twice the width cost half as much again to look up; yet there
/// are hardly ever more than some million customers, articles or days. What bits are left over are shared out, so that ranges can
/// grow; should one grow out of its bits, all known keys are packed anew.
final class FittedIndex {
  /// How one key is packed: 0 for NULL, else its distance from `least`, plus one.
  private struct Field {
    var least: Int64
    var width: Int
    /// The greatest number that is packed so far.
    var greatest: UInt64 = 0

    /// The greatest number that fits.
    var limit: UInt64 { width >= 64 ? .max : (1 << UInt64(width)) &- 1 }
  }

  private var fields: [Field] = []
  private var index = PackedIndex<UInt64>(keyBits: 64)

  var byteCount: Int { index.byteCount }

  /// How many groups there may come to be.
  var expectedCount: Int {
    get { index.expectedCount }
    set { index.expectedCount = newValue }
  }

  /// Says false, having changed nothing, where the keys to be inserted do not fit 64 bits together with those that are there.
  ///
  /// `known` gives the keys of the groups there are.
  func lookUp(
    _ columns: [Vector], _ count: Int, _ result: Buffer<UInt32>, _ fresh: FreshRows?,
    groupCount: Int, known: () -> [Vector]
  ) throws(SQLError) -> Bool {
    let packed = Buffer<UInt64>(uninitialized: count)
    let areAllThere = pack(columns, count, into: packed)
    if !areAllThere, fresh != nil {
      guard try refit(columns, count, groupCount: groupCount, known: known) else { return false }
      _ = pack(columns, count, into: packed)
    }
    try index.lookUp(packed, .allValid, count, result, fresh)
    if !areAllThere, fresh == nil { dropOutsiders(columns, count, result) }
    return true
  }

  /// Packs the keys; says whether all of them are in their ranges.
  private func pack(_ columns: [Vector], _ count: Int, into packed: Buffer<UInt64>) -> Bool {
    if fields.isEmpty { return false }
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
  private func dropOutsiders(_ columns: [Vector], _ count: Int, _ result: Buffer<UInt32>) {
    if fields.isEmpty { return result.fill(0..<count, with: .max) }
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

  /// Gives each key the bits that known and new values need, and enters the known ones anew.
  private func refit(
    _ columns: [Vector], _ count: Int, groupCount: Int, known: () -> [Vector]
  ) throws(SQLError) -> Bool {
    let stored = known()
    var wanted: [Field] = []
    for key in columns.indices {
      var (least, greatest) = (Int64.max, Int64.min)
      for (column, length) in [(stored[key], groupCount), (columns[key], count)] where length > 0 {
        let numbers = Buffer<Int64>(uninitialized: length)
        KeyPacking.widen(column, length, into: numbers)
        KeyPacking.widen(&least, &greatest, to: numbers, column.validity, length)
      }
      if least > greatest { (least, greatest) = (0, 0) }
      let (span, overflow) = greatest.subtractingReportingOverflow(least)
      guard !overflow, span < Int64.max - 1 else { return false }
      // The greatest number that is packed is the span plus one.
      let number = UInt64(span + 1)
      wanted.append(
        Field(least: least, width: 64 - number.leadingZeroBitCount, greatest: number))
    }
    guard Self.shareOut(&wanted) else { return false }
    let index = PackedIndex<UInt64>(keyBits: 64)
    index.expectedCount = expectedCount
    let before = (fields, self.index)
    fields = wanted
    self.index = index
    do throws(SQLError) { try enter(stored, groupCount) } catch {
      (fields, self.index) = before
      throw error
    }
    return true
  }

  /// Shares the bits that are left over among the keys, and moves their ranges into the middle of what they can hold.
  private static func shareOut(_ fields: inout [Field]) -> Bool {
    let total = fields.reduce(0) { $0 + $1.width }
    guard total <= 64 else { return false }
    let more = (64 - total) / fields.count
    for key in fields.indices {
      fields[key].width += more
      // Ranges grow at either end, so each time half of the room is left below: keys that fall or rise are soon either
      // within their bits or past them, and are not packed anew for each batch.
      let room = fields[key].limit - fields[key].greatest
      let (least, overflow) = fields[key].least
        .subtractingReportingOverflow(Int64(clamping: room / 2))
      if !overflow { fields[key].least = least }
    }
    return true
  }

  private func enter(_ stored: [Vector], _ groupCount: Int) throws(SQLError) {
    var start = 0
    while start < groupCount {
      try RunningStatement.check()
      let length = min(Vector.chunkCapacity, groupCount - start)
      let part = stored.map { $0.slice(from: start, count: length).flattened() }
      let packed = Buffer<UInt64>(uninitialized: length)
      _ = pack(part, length, into: packed)
      let scratch = Buffer<UInt32>(uninitialized: length)
      try index.lookUp(
        packed, .allValid, length, scratch, FreshRows(capacity: length, nextGroup: start))
      start += length
    }
  }
}
