import Columnar
import Diagnostics
import Planning

/// Functions that tell a row's place in its partition.
enum WindowRanking {
  static func compute(
    _ function: WindowCall.Function, _ partitions: WindowPartitions, type: LogicalType
  ) throws(SQLError) -> Vector {
    let count = partitions.count
    switch function {
    case .percentRank, .cumeDist:
      let result = Buffer<Double>(uninitialized: count)
      let (starts, ends) = (try partitions.starts, try partitions.ends)
      let (peerStarts, peerEnds) = (try partitions.peerStarts, try partitions.peerEnds)
      let isCumulative = if case .cumeDist = function { true } else { false }
      for place in 0..<count {
        if place & (Range.sliceLength - 1) == 0 { try RunningStatement.check() }
        let size = Double(ends[place] &- starts[place])
        if isCumulative {
          result[place] = Double(peerEnds[place] &- starts[place]) / size
        } else {
          let before = Double(peerStarts[place] &- starts[place])
          result[place] = size > 1 ? before / (size - 1) : 0
        }
      }
      return Vector(type, result, count: count)
    case .rowNumber, .rank, .denseRank, .ntile, .lag, .lead, .firstValue, .lastValue, .nthValue,
      .aggregate:
      break
    }
    let result = Buffer<Int64>(uninitialized: count)
    let starts = try partitions.starts
    switch function {
    case .rank:
      let peerStarts = try partitions.peerStarts
      try (0..<count).inSlices { slice in
        for place in slice {
          result[place] = Int64(peerStarts[place] &- starts[place]) &+ 1
        }
      }
    case .denseRank:
      let peerStarts = try partitions.peerStarts
      var rank: Int64 = 0
      try (0..<count).inSlices { slice in
        for place in slice {
          if Int(starts[place]) == place { rank = 0 }
          if Int(peerStarts[place]) == place { rank &+= 1 }
          result[place] = rank
        }
      }
    case .rowNumber, .percentRank, .cumeDist, .ntile, .lag, .lead, .firstValue, .lastValue,
      .nthValue, .aggregate:
      try (0..<count).inSlices { slice in
        for place in slice {
          result[place] = Int64(place) &- Int64(starts[place]) &+ 1
        }
      }
    }
    return Vector(type, result, count: count)
  }

  /// - Throws: 22014 for a number of buckets that is not positive.
  static func ntile(
    _ argument: Vector, _ partitions: WindowPartitions, type: LogicalType
  ) throws(SQLError) -> Vector {
    let count = partitions.count
    let result = Buffer<Int32>(zeroed: max(count, 1))
    var validity = ValidityMask.allValid
    let ends = try partitions.ends
    var place = 0
    while place < count {
      let end = Int(ends[place])
      // The number of buckets is that of the partition's first row.
      guard argument.validity.isValid(place) else {
        for row in place..<end { validity.setNull(row, count: count) }
        place = end
        continue
      }
      let buckets: Int =
        switch argument.value(at: place) {
        case .int16(let value): Int(value)
        case .int32(let value): Int(value)
        case .int64(let value): Int(value)
        case .null, .boolean, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: 0
        }
      if buckets <= 0 {
        throw SQLError(SQLState("22014"), "argument of ntile must be greater than zero")
      }
      let size = end - place
      let (each, extra) = size.quotientAndRemainder(dividingBy: buckets)
      let first = place
      try (0..<size).inSlices { slice in
        for index in slice {
          // The first `extra` buckets hold one row more.
          let large = extra * (each + 1)
          let bucket = index < large ? index / (each + 1) : extra + (index - large) / max(each, 1)
          result[first + index] = Int32(truncatingIfNeeded: bucket + 1)
        }
      }
      place = end
    }
    return Vector(type, result, count: count, validity: validity)
  }
}

/// Functions that give a value of another row.
enum WindowOffsets {
  /// LAG and LEAD.
  static func compute(
    _ arguments: [Vector], isLead: Bool, _ partitions: WindowPartitions, type: LogicalType
  ) throws(SQLError) -> Vector {
    let count = partitions.count
    let positions = Buffer<UInt32>(uninitialized: count)
    let fallback = arguments.count > 2 ? arguments[2] : nil
    // Fallbacks stand behind the values.
    let missing = fallback.map { _ in UInt32(truncatingIfNeeded: count) }
    if arguments.count > 1 {
      let offsets = try arguments[1].flattenedInSlices()
      try find(offsets, isLead: isLead, partitions, missing: missing, positions)
    } else {
      try findNext(isLead: isLead, partitions, missing: missing, positions)
    }
    let value = arguments[0]
    let found =
      fallback == nil
      ? value
      : try Vector.concatenateInSlices(
        arguments.enumerated().filter { $0.offset != 1 }.map { $0.element.retyped(value.type) },
        type: value.type)
    return try found.gatheredOptionalInSlices(positions, count: count).retyped(type)
  }

  /// The place before or behind each; that of its fallback, or none, outside the partition.
  private static func findNext(
    isLead: Bool, _ partitions: WindowPartitions, missing: UInt32?, _ positions: Buffer<UInt32>
  ) throws(SQLError) {
    let starts = try partitions.starts
    let ends = isLead ? try partitions.ends : starts
    try (0..<partitions.count).inSlices { slice in
      for index in slice {
        let place = UInt32(truncatingIfNeeded: index)
        let isInside = isLead ? place &+ 1 < ends[index] : place > starts[index]
        let outside = missing.map { $0 &+ place } ?? UInt32.max
        positions[index] = isInside ? (isLead ? place &+ 1 : place &- 1) : outside
      }
    }
  }

  /// The place so far from each, given for each row; none where that is NULL.
  private static func find(
    _ offsets: Vector, isLead: Bool, _ partitions: WindowPartitions, missing: UInt32?,
    _ positions: Buffer<UInt32>
  ) throws(SQLError) {
    let (starts, ends) = (try partitions.starts, try partitions.ends)
    for place in 0..<partitions.count {
      if place & (Range.sliceLength - 1) == 0 { try RunningStatement.check() }
      guard offsets.validity.isValid(place) else {
        positions[place] = UInt32.max
        continue
      }
      let distance =
        switch offsets.type.physical {
        case .int16: Int(offsets.values(Int16.self)[place])
        case .int32: Int(offsets.values(Int32.self)[place])
        case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
          Int(offsets.values(Int64.self)[place])
        }
      let (target, overflow) =
        isLead
        ? place.addingReportingOverflow(distance) : place.subtractingReportingOverflow(distance)
      let isInside = !overflow && target >= Int(starts[place]) && target < Int(ends[place])
      let outside = missing.map { $0 &+ UInt32(truncatingIfNeeded: place) } ?? UInt32.max
      positions[place] = isInside ? UInt32(truncatingIfNeeded: target) : outside
    }
  }

  /// FIRST_VALUE, LAST_VALUE and NTH_VALUE.
  ///
  /// - Throws: 22016 for a number that is not positive.
  static func frameValue(
    _ function: WindowCall.Function, _ arguments: [Vector], _ frames: WindowFrames,
    type: LogicalType
  ) throws(SQLError) -> Vector {
    let positions = Buffer<UInt32>(uninitialized: frames.count)
    let none = UInt32.max
    for place in 0..<frames.count {
      if place & (Range.sliceLength - 1) == 0 { try RunningStatement.check() }
      let ranges = frames.ranges(place)
      let index: Int
      switch function {
      case .lastValue: index = ranges.count - 1
      case .nthValue:
        guard case .some(let number) = try nth(arguments[1], place) else {
          positions[place] = none
          continue
        }
        index = number - 1
      case .rowNumber, .rank, .denseRank, .percentRank, .cumeDist, .ntile, .lag, .lead, .firstValue,
        .aggregate:
        index = 0
      }
      let found = index >= 0 ? ranges.place(index) : nil
      positions[place] = found.map { UInt32(truncatingIfNeeded: $0) } ?? none
    }
    return try arguments[0].gatheredOptionalInSlices(positions, count: frames.count).retyped(type)
  }

  private static func nth(_ argument: Vector, _ place: Int) throws(SQLError) -> Int? {
    let number: Int
    switch argument.value(at: place) {
    case .int16(let value): number = Int(value)
    case .int32(let value): number = Int(value)
    case .int64(let value): number = Int(value)
    case .null, .boolean, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      return nil
    }
    if number <= 0 {
      throw SQLError(SQLState("22016"), "argument of nth_value must be greater than zero")
    }
    return number
  }
}
