import Columnar
import Diagnostics

/// Finds the bounds of RANGE frames with offsets: the rows whose key is within a distance of the row's own.
struct RangeSearch {
  private let key: Vector
  private let offsets: Vector
  private let order: SortOrder
  private let partitions: WindowPartitions
  private let side: String

  init(
    _ key: Vector, _ offsets: Vector, order: SortOrder, partitions: WindowPartitions, side: String
  ) {
    self.key = key
    self.offsets = offsets
    self.order = order
    self.partitions = partitions
    self.side = side
  }

  func bounds(isPreceding: Bool, isStart: Bool) throws(SQLError) -> Buffer<UInt32> {
    // Preceding rows have lesser keys, in a descending order greater ones.
    let subtracts = isPreceding != order.descending
    switch key.type.physical {
    case .int16, .int32, .int64:
      let keys = try wholeKeys()
      let targets = try wholeTargets(keys, subtracts)
      return try search(isStart) { ValueOrder.compare(Int128(keys[$0]), targets[$1]) }
    case .float, .double:
      let keys = doubles(key)
      let targets = try doubleTargets(keys, subtracts, isStart)
      return try search(isStart) { ValueOrder.compare(keys[$0], targets[$1]) }
    case .numeric:
      let keys = key.values(Numeric.self)
      let targets = try numericTargets(keys, subtracts, isStart)
      return try search(isStart) { ValueOrder.compare(keys[$0], targets[$1]) }
    case .interval:
      let keys = key.values(Interval.self)
      let targets = try intervalTargets(keys, subtracts)
      return try search(isStart) { ValueOrder.compare(keys[$0], targets[$1]) }
    case .bool, .uuid, .text, .list, .record:
      throw SQLError(
        .featureNotSupported,
        "RANGE with offset PRECEDING/FOLLOWING is not supported for column type \(key.type.name)")
    }
  }

  /// The bound of each row: by halving the rows of its partition whose key is not NULL.
  ///
  /// `compare` gives the order of the key at a place and the target of another.
  private func search(
    _ isStart: Bool, _ compare: (Int, Int) -> Int
  ) throws(SQLError) -> Buffer<UInt32> {
    let result = Buffer<UInt32>(uninitialized: partitions.count)
    let validity = key.validity
    let (starts, ends) = (try partitions.starts, try partitions.ends)
    let (peerStarts, peerEnds) = (try partitions.peerStarts, try partitions.peerEnds)
    var values = 0..<0
    for place in 0..<partitions.count {
      if place & 0xFFF == 0 { try RunningStatement.check() }
      if Int(starts[place]) == place {
        values = valueRange(place..<Int(ends[place]))
      }
      // A row without a key has its peers for neighbours, as all of them are without.
      guard validity.isValid(place) else {
        result[place] = isStart ? peerStarts[place] : peerEnds[place]
        continue
      }
      var lower = values.lowerBound
      var upper = values.upperBound
      while lower < upper {
        let middle = (lower &+ upper) / 2
        var compared = compare(middle, place)
        if order.descending { compared = 0 &- compared }
        // A frame starts at the first key not before its target, and ends behind the last not after.
        if isStart ? compared < 0 : compared <= 0 {
          lower = middle &+ 1
        } else {
          upper = middle
        }
      }
      result[place] = UInt32(truncatingIfNeeded: lower)
    }
    return result
  }

  /// The places of a partition with a key; those without stand together at one end.
  private func valueRange(_ range: Range<Int>) -> Range<Int> {
    var lower = range.lowerBound
    var upper = range.upperBound
    while lower < upper && !key.validity.isValid(lower) { lower += 1 }
    while upper > lower && !key.validity.isValid(upper - 1) { upper -= 1 }
    return lower..<upper
  }

  private func negative() -> SQLError {
    SQLError(
      SQLState("22013"), "invalid preceding or following size in window function")
  }

  // MARK: Whole numbers, dates and times

  private func wholeKeys() throws(SQLError) -> Buffer<Int64> {
    let result = Buffer<Int64>(uninitialized: key.count)
    switch key.type.physical {
    case .int16:
      let values = key.values(Int16.self)
      for row in 0..<key.count { result[row] = Int64(values[row]) }
    case .int32:
      let values = key.values(Int32.self)
      if key.type != .date {
        for row in 0..<key.count { result[row] = Int64(values[row]) }
        return result
      }
      // A day counts as the timestamp at its start, so that hours can be added to it.
      for row in 0..<key.count {
        result[row] = key.validity.isValid(row) ? try TemporalArithmetic.midnight(values[row]) : 0
      }
    case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      result.copy(key.values(Int64.self), count: key.count, to: 0)
    }
    return result
  }

  /// Twice as wide as the keys, so that a target past all of them is past the greatest too.
  private func wholeTargets(
    _ keys: Buffer<Int64>, _ subtracts: Bool
  ) throws(SQLError) -> Buffer<Int128> {
    let result = Buffer<Int128>(uninitialized: key.count)
    if offsets.type.physical == .interval {
      let intervals = offsets.values(Interval.self)
      for row in 0..<key.count {
        if !key.validity.isValid(row) {
          result[row] = 0
          continue
        }
        result[row] = try moved(keys[row], intervals[row], subtracts)
      }
      return result
    }
    for row in 0..<key.count {
      let distance: Int64
      switch offsets.type.physical {
      case .int16: distance = Int64(offsets.values(Int16.self)[row])
      case .int32: distance = Int64(offsets.values(Int32.self)[row])
      case .int64: distance = offsets.values(Int64.self)[row]
      case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
        throw SQLError.internal("a RANGE offset has another type than its key")
      }
      if distance < 0 { throw negative() }
      result[row] = Int128(keys[row]) + (subtracts ? 0 - Int128(distance) : Int128(distance))
    }
    return result
  }

  /// A time or timestamp moved by a span.
  ///
  /// - Throws: 22008 for a timestamp out of range, 22013.
  private func moved(
    _ value: Int64, _ span: Interval, _ subtracts: Bool
  ) throws(SQLError) -> Int128 {
    if key.type == .time {
      // Of a span only the time counts for times of a day, and there is no next day.
      if span.microseconds < 0 { throw negative() }
      let distance = Int128(span.microseconds)
      return Int128(value) + (subtracts ? 0 - distance : distance)
    }
    if Interval.order(span, Interval()) < 0 { throw negative() }
    let distance = subtracts ? TemporalArithmetic.negated(span) : span
    let zone = RunningStatement.current?.style.zone
    guard key.type == .timestamptz, let zone else {
      return Int128(try TemporalArithmetic.add(value, distance))
    }
    return Int128(try TemporalArithmetic.add(value, distance, zone))
  }

  private func intervalTargets(
    _ keys: Buffer<Interval>, _ subtracts: Bool
  ) throws(SQLError) -> Buffer<Interval> {
    guard offsets.type.physical == .interval else {
      throw SQLError.internal("a RANGE offset has another type than its key")
    }
    let distances = offsets.values(Interval.self)
    let result = Buffer<Interval>(uninitialized: key.count)
    for row in 0..<key.count {
      result[row] = Interval()
      guard key.validity.isValid(row) else { continue }
      if Interval.order(distances[row], Interval()) < 0 { throw negative() }
      result[row] =
        subtracts
        ? try Interval.subtract(keys[row], distances[row])
        : try Interval.add(keys[row], distances[row])
    }
    return result
  }

  // MARK: Other numbers

  private func doubles(_ vector: Vector) -> Buffer<Double> {
    if vector.type.physical == .double { return vector.values(Double.self) }
    let result = Buffer<Double>(uninitialized: vector.count)
    let values = vector.values(Float.self)
    for row in 0..<vector.count { result[row] = Double(values[row]) }
    return result
  }

  /// An infinite distance back from the one infinity to the other reaches all of the rows.
  private func doubleTargets(
    _ keys: Buffer<Double>, _ subtracts: Bool, _ isStart: Bool
  ) throws(SQLError) -> Buffer<Double> {
    guard offsets.type.physical == .double || offsets.type.physical == .float else {
      throw SQLError.internal("a RANGE offset has another type than its key")
    }
    let distances = doubles(offsets)
    let result = Buffer<Double>(uninitialized: key.count)
    for row in 0..<key.count {
      let distance = distances[row]
      if distance < 0 || distance.isNaN { throw negative() }
      let target = subtracts ? keys[row] - distance : keys[row] + distance
      result[row] =
        target.isNaN && !keys[row].isNaN
        ? (isStart != order.descending ? -.infinity : .infinity) : target
    }
    return result
  }

  private func numericTargets(
    _ keys: Buffer<Numeric>, _ subtracts: Bool, _ isStart: Bool
  ) throws(SQLError) -> Buffer<Numeric> {
    guard offsets.type.physical == .numeric else {
      throw SQLError.internal("a RANGE offset has another type than its key")
    }
    let distances = offsets.values(Numeric.self)
    let zero = Numeric(coefficient: 0, scale: 0)
    let result = Buffer<Numeric>(uninitialized: key.count)
    for row in 0..<key.count {
      result[row] = zero
      if distances[row] < zero || distances[row].isNaN { throw negative() }
      guard key.validity.isValid(row) else { continue }
      let distance = subtracts ? Numeric.negate(distances[row]) : distances[row]
      let isLower = isStart != order.descending
      let target = Numeric.limit(keys[row], movedBy: distance, isLower: isLower)
      // The distance and the key are infinities of different signs.
      let isAll = target.isNaN && !keys[row].isNaN
      result[row] =
        isAll && distance.isNegative == isLower
        ? distance : isAll ? keys[row] : target
    }
    return result
  }
}
