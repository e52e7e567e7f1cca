import Diagnostics

/// Set-returning functions that make rows out of few arguments.
package enum SeriesFunctions {
  /// `generate_series(start, stop [, step])` of integer and bigint.
  ///
  /// - Throws: 22023 for a step of zero.
  package static func wholeNumbers(_ type: LogicalType) -> SetReturningKernel {
    .spans { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> RowSpans in
      let validity = RowLoop.validity(arguments, count)
      let bounds = arguments.map { wholes($0, count) }
      let steps = bounds.count > 2 ? bounds[2] : Buffer(repeating: 1, count: max(count, 1))
      let counts = Buffer<Int64>(uninitialized: max(count, 1))
      for row in 0..<count {
        guard validity.isValid(row) else {
          counts[row] = 0
          continue
        }
        counts[row] = try length(bounds[0][row], bounds[1][row], steps[row])
      }
      let starts = bounds[0]
      return RowSpans(counts) { (rows, places, count) in
        numbers(type, count) { index in
          starts[rows[index]] &+ steps[rows[index]] &* places[index]
        }
      }
    }
  }

  /// How many numbers there are from `start` to `stop`, as many as there can be at most.
  private static func length(
    _ start: Int64, _ stop: Int64, _ step: Int64
  ) throws(SQLError) -> Int64 {
    if step == 0 { throw SQLError(.invalidParameterValue, "step size cannot equal zero") }
    if step > 0 ? start > stop : start < stop { return 0 }
    // The distance between two 64-bit numbers fits 64 bits without sign.
    let distance =
      step > 0
      ? UInt64(bitPattern: stop &- start) / step.magnitude
      : UInt64(bitPattern: start &- stop) / step.magnitude
    return distance < UInt64(Int64.max) ? Int64(distance) + 1 : Int64.max
  }

  private static func wholes(_ vector: Vector, _ count: Int) -> Buffer<Int64> {
    let flat = vector.flattened()
    if flat.type.physical == .int64 { return flat.values(Int64.self) }
    let (result, values) = (Buffer<Int64>(uninitialized: max(count, 1)), flat.values(Int32.self))
    for row in 0..<count { result[row] = Int64(values[row]) }
    return result
  }

  @inline(__always)
  private static func numbers(
    _ type: LogicalType, _ count: Int, _ number: (Int) -> Int64
  ) -> Vector {
    if type == .integer {
      let values = Buffer<Int32>(uninitialized: max(count, 1))
      for row in 0..<count { values[row] = Int32(truncatingIfNeeded: number(row)) }
      return Vector(type, values, count: count)
    }
    let values = Buffer<Int64>(uninitialized: max(count, 1))
    for row in 0..<count { values[row] = number(row) }
    return Vector(type, values, count: count)
  }

  /// `generate_series(start, stop [, step])` of numeric.
  ///
  /// - Throws: 22023 for a step of zero, or bounds that are no numbers.
  package static let exactNumbers = SetReturningKernel.rows {
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
  package static let unnest = SetReturningKernel.spans {
    (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> RowSpans in
    RowSpans(lists: arguments[0], count: count)
  }

  /// `generate_subscripts(array, dimension [, reverse])`.
  package static let subscripts = SetReturningKernel.spans {
    (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> RowSpans in
    let validity = RowLoop.validity(arguments, count)
    let lists = arguments[0].flattened().values(ListSlice.self)
    let dimensions = arguments[1].flattened().values(Int32.self)
    let reversals =
      arguments.count > 2
      ? arguments[2].flattened().values(UInt8.self) : Buffer(zeroed: max(count, 1))
    let counts = Buffer<Int64>(uninitialized: max(count, 1))
    for row in 0..<count {
      counts[row] = validity.isValid(row) && dimensions[row] == 1 ? Int64(lists[row].count) : 0
    }
    return RowSpans(counts) { (rows, places, count) in
      numbers(.integer, count) { index in
        let row = rows[index]
        return reversals[row] != 0 ? counts[row] &- places[index] : places[index] &+ 1
      }
    }
  }

  /// `string_to_table(text, delimiter [, null])`: a row for each piece.
  package static let splitText = SetReturningKernel.spans {
    (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> RowSpans in
    RowSpans(lists: try ListFunctions.split(arguments, count, context), count: count)
  }
}

extension SeriesFunctions {
  /// `generate_series(start, stop, step)` of timestamp and timestamptz.
  ///
  /// - Throws: 22023 for a step of zero, 22008.
  package static func timestamps(_ type: LogicalType) -> SetReturningKernel {
    .rows {
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
