import Diagnostics

/// Set-returning functions that make rows out of few arguments.
package enum SeriesFunctions {
  /// `generate_series(start, stop [, step])` of integer and bigint.
  ///
  /// - Throws: 22023 for a step of zero.
  package static func wholeNumbers(_ type: LogicalType) -> SetReturningKernel {
    {
      (
        arguments: [Vector], context: EvaluationContext,
        emit: (DataChunk) throws(SQLError) -> Bool
      ) throws(SQLError) in
      for argument in arguments where !argument.isValid(0) { return }
      let bounds = arguments.map { whole($0) }
      let step = bounds.count > 2 ? bounds[2] : 1
      if step == 0 { throw SQLError(.invalidParameterValue, "step size cannot equal zero") }
      var next = bounds[0]
      let stop = bounds[1]
      if step > 0 ? next > stop : next < stop { return }
      // The distance between two 64-bit numbers fits 64 bits without sign.
      let distance =
        step > 0
        ? UInt64(bitPattern: stop &- next) / step.magnitude
        : UInt64(bitPattern: next &- stop) / step.magnitude
      var left = distance
      while true {
        try context.checkCancellation()
        let last = left < UInt64(Vector.chunkCapacity)
        let length = last ? Int(left) + 1 : Vector.chunkCapacity
        guard try emit(DataChunk([numbers(type, next, step, length)], count: length)) else {
          return
        }
        if last { return }
        next = next &+ step &* Int64(length)
        left -= UInt64(length)
      }
    }
  }

  private static func whole(_ vector: Vector) -> Int64 {
    let position = vector.position(0)
    return vector.type.physical == .int32
      ? Int64(vector.values(Int32.self)[position]) : vector.values(Int64.self)[position]
  }

  private static func numbers(
    _ type: LogicalType, _ first: Int64, _ step: Int64, _ length: Int
  ) -> Vector {
    if type == .integer {
      let values = Buffer<Int32>(uninitialized: length)
      for row in 0..<length {
        values[row] = Int32(truncatingIfNeeded: first &+ step &* Int64(row))
      }
      return Vector(type, values, count: length)
    }
    let values = Buffer<Int64>(uninitialized: length)
    for row in 0..<length { values[row] = first &+ step &* Int64(row) }
    return Vector(type, values, count: length)
  }

  /// `generate_series(start, stop [, step])` of numeric.
  ///
  /// - Throws: 22023 for a step of zero, or bounds that are no numbers.
  package static let exactNumbers: SetReturningKernel = {
    (
      arguments: [Vector], context: EvaluationContext,
      emit: (DataChunk) throws(SQLError) -> Bool
    ) throws(SQLError) in
    for argument in arguments where !argument.isValid(0) { return }
    let bounds = arguments.map { $0.values(Numeric.self)[$0.position(0)] }
    for (bound, name) in zip(bounds, ["start value", "stop value", "step size"])
    where bound.kind != .finite {
      throw SQLError(
        .invalidParameterValue,
        "\(name) cannot be \(bound.kind == .nan ? "NaN" : "infinity")")
    }
    let step = bounds.count > 2 ? bounds[2] : Numeric(coefficient: 1, scale: 0)
    if step.coefficient == 0 {
      throw SQLError(.invalidParameterValue, "step size cannot equal zero")
    }
    var next = bounds[0]
    let scale = max(bounds[0].scale, step.scale)
    next = try Numeric.round(next, places: Int(scale))
    var isOver = false
    while true {
      try context.checkCancellation()
      let values = Buffer<Numeric>(uninitialized: Vector.chunkCapacity)
      var length = 0
      while length < Vector.chunkCapacity && !isOver {
        let order = ValueOrder.compare(next, bounds[1])
        if step.coefficient > 0 ? order > 0 : order < 0 { break }
        values[length] = next
        length += 1
        do { next = try Numeric.add(next, step) } catch { isOver = true }
      }
      if length == 0 { return }
      let chunk = DataChunk([Vector(.numeric, values, count: length)], count: length)
      guard try emit(chunk), length == Vector.chunkCapacity else { return }
    }
  }

  /// `unnest(array)`: a row for each element.
  package static let unnest: SetReturningKernel = {
    (
      arguments: [Vector], context: EvaluationContext,
      emit: (DataChunk) throws(SQLError) -> Bool
    ) throws(SQLError) in
    // Several arrays stand side by side, the shorter ones filled up with NULL.
    let lists = arguments.map { $0.flattened() }
    let slices = lists.map { list in
      list.count > 0 && list.validity.isValid(0)
        ? list.values(ListSlice.self)[0] : ListSlice(offset: 0, count: 0)
    }
    let total = Int(slices.map(\.count).max() ?? 0)
    var start = 0
    while start < total {
      try context.checkCancellation()
      let length = min(Vector.chunkCapacity, total - start)
      let columns = zip(lists, slices).map { list, slice in
        let positions = Buffer<UInt32>(uninitialized: length)
        for row in 0..<length {
          let index = UInt32(truncatingIfNeeded: start &+ row)
          positions[row] = index < slice.count ? slice.offset &+ index : .max
        }
        return list.children[0].gatheredOptional(positions, count: length)
      }
      guard try emit(DataChunk(columns, count: length)) else { return }
      start += length
    }
  }

  /// `generate_subscripts(array, dimension [, reverse])`.
  package static let subscripts: SetReturningKernel = {
    (
      arguments: [Vector], context: EvaluationContext,
      emit: (DataChunk) throws(SQLError) -> Bool
    ) throws(SQLError) in
    for argument in arguments where !argument.isValid(0) { return }
    let list = arguments[0].flattened()
    let length = Int64(list.values(ListSlice.self)[0].count)
    let dimension = arguments[1].values(Int32.self)[arguments[1].position(0)]
    let isReverse =
      arguments.count > 2 && arguments[2].values(UInt8.self)[arguments[2].position(0)] != 0
    if length == 0 || dimension != 1 { return }
    let bounds: [Value] =
      isReverse
      ? [.int64(length), .int64(1), .int64(-1)] : [.int64(1), .int64(length), .int64(1)]
    try wholeNumbers(.integer)(
      bounds.map { Vector(constant: $0, type: .bigint, count: 1) }, context, emit)
  }

  /// `string_to_table(text, delimiter [, null])`: a row for each piece.
  package static let splitText: SetReturningKernel = {
    (
      arguments: [Vector], context: EvaluationContext,
      emit: (DataChunk) throws(SQLError) -> Bool
    ) throws(SQLError) in
    try unnest([try ListFunctions.split(arguments, 1, context)], context, emit)
  }
}

extension SeriesFunctions {
  /// `generate_series(start, stop, step)` of timestamp and timestamptz.
  ///
  /// - Throws: 22023 for a step of zero, 22008.
  package static func timestamps(_ type: LogicalType) -> SetReturningKernel {
    {
      (
        arguments: [Vector], context: EvaluationContext,
        emit: (DataChunk) throws(SQLError) -> Bool
      ) throws(SQLError) in
      for argument in arguments where !argument.isValid(0) { return }
      let zone = type == .timestamptz ? context.style.zone : .utc
      var next = arguments[0].values(Int64.self)[arguments[0].position(0)]
      let stop = arguments[1].values(Int64.self)[arguments[1].position(0)]
      let step = arguments[2].values(Interval.self)[arguments[2].position(0)]
      let direction = ValueOrder.compare(step, Interval())
      if direction == 0 {
        throw SQLError(.invalidParameterValue, "step size cannot equal zero")
      }
      while true {
        try context.checkCancellation()
        let values = Buffer<Int64>(uninitialized: Vector.chunkCapacity)
        var length = 0
        while length < Vector.chunkCapacity, direction > 0 ? next <= stop : next >= stop {
          values[length] = next
          length += 1
          let later = try TemporalArithmetic.add(next, step, zone)
          // An infinite start, or a step that leads nowhere, would never end.
          if later == next { return }
          next = later
        }
        if length == 0 { return }
        let chunk = DataChunk([Vector(type, values, count: length)], count: length)
        guard try emit(chunk), length == Vector.chunkCapacity else { return }
      }
    }
  }
}
