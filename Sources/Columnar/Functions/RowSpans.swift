package import Diagnostics

/// The rows that a set-returning function gives for rows of arguments: so many for each, whose values are told by place.
package struct RowSpans: Sendable {
  /// How many rows there are for each row of arguments.
  package let counts: Buffer<Int64>
  private let values:
    @Sendable (
      _ rows: Buffer<UInt32>, _ places: Buffer<Int64>, _ count: Int
    ) -> Vector

  /// Spans whose values are made of rows of arguments and places below their counts.
  init(
    _ counts: Buffer<Int64>,
    values: @escaping @Sendable (Buffer<UInt32>, Buffer<Int64>, Int) -> Vector
  ) {
    self.counts = counts
    self.values = values
  }

  /// The elements of flat or constant lists.
  init(lists: Vector, count: Int) {
    let lists = lists.flattened()
    let (slices, elements) = (lists.values(ListSlice.self), lists.children[0])
    let counts = Buffer<Int64>(uninitialized: max(count, 1))
    for row in 0..<count {
      counts[row] = lists.validity.isValid(row) ? Int64(slices[row].count) : 0
    }
    self.init(counts) { (rows, places, count) in
      let positions = Buffer<UInt32>(uninitialized: max(count, 1))
      for index in 0..<count {
        positions[index] =
          slices[rows[index]].offset &+ UInt32(truncatingIfNeeded: places[index])
      }
      return elements.gathered(positions, count: count)
    }
  }

  /// The values at places of rows of arguments; with `isWithin` all places are below their row's count, or else the values of those
  /// that are not are NULL.
  ///
  /// - Complexity: O(*n*).
  package func column(
    _ rows: Buffer<UInt32>, _ places: Buffer<Int64>, count: Int, isWithin: Bool
  ) -> Vector {
    if isWithin { return values(rows, places, count) }
    let found = Buffer<UInt32>(uninitialized: max(count, 1))
    let (heldRows, heldPlaces) = (
      Buffer<UInt32>(uninitialized: max(count, 1)), Buffer<Int64>(uninitialized: max(count, 1))
    )
    var held = 0
    for index in 0..<count {
      let isHeld = places[index] < counts[rows[index]]
      found[index] = isHeld ? UInt32(truncatingIfNeeded: held) : .max
      heldRows[held] = rows[index]
      heldPlaces[held] = places[index]
      held &+= isHeld ? 1 : 0
    }
    return values(heldRows, heldPlaces, held).flattened().gatheredOptional(found, count: count)
  }
}

/// Goes over the rows of spans that stand side by side, a chunk at a time.
package struct SpanCursor {
  private let spans: [RowSpans]
  /// How many rows come of each row of arguments: as many as the longest of the spans has.
  private let lengths: Buffer<Int64>
  private let count: Int
  /// Whether a row of arguments without rows comes once.
  private let isOuter: Bool
  private var row = 0
  private var taken: Int64 = 0

  package init(_ spans: [RowSpans], count: Int, isOuter: Bool) {
    self.spans = spans
    self.count = count
    self.isOuter = isOuter
    lengths = Buffer(repeating: isOuter ? 1 : 0, count: max(count, 1))
    for span in spans {
      let counts = span.counts
      for row in 0..<count { lengths[row] = max(lengths[row], counts[row]) }
    }
  }

  /// Rows of spans: the row of arguments that each is of, and its place among the rows of that, from 0 on.
  package struct Part {
    package var rows: Buffer<UInt32>
    package var places: Buffer<Int64>
    package var count: Int
  }

  /// The next rows, at most a chunk; nil behind the last.
  package mutating func next() -> Part? {
    let capacity = Vector.chunkCapacity
    let rows = Buffer<UInt32>(uninitialized: capacity)
    let places = Buffer<Int64>(uninitialized: capacity)
    var found = 0
    while row < count && found < capacity {
      let length = lengths[row]
      let part = Int(min(length &- taken, Int64(capacity &- found)))
      for index in 0..<part {
        rows[found &+ index] = UInt32(truncatingIfNeeded: row)
        places[found &+ index] = taken &+ Int64(index)
      }
      found &+= part
      taken &+= Int64(part)
      if taken == length { (row, taken) = (row &+ 1, 0) }
    }
    return found == 0 ? nil : Part(rows: rows, places: places, count: found)
  }

  /// The columns of a part, a column of each of the spans.
  package func columns(_ part: Part) -> [Vector] {
    let isWithin = spans.count == 1 && !isOuter
    return spans.map {
      $0.column(part.rows, part.places, count: part.count, isWithin: isWithin)
    }
  }

  /// Which rows of a part stand for a row of arguments without rows.
  package func missing(_ part: Part) -> ValidityMask {
    var validity = ValidityMask.allValid
    guard isOuter else { return validity }
    for index in 0..<part.count where part.places[index] == 0 {
      let row = part.rows[index]
      if spans.allSatisfy({ $0.counts[row] == 0 }) { validity.setNull(index, count: part.count) }
    }
    return validity
  }
}

extension SetReturningKernel {
  /// Gives the rows for vectors of one row.
  package func rows(
    _ arguments: [Vector], _ context: EvaluationContext,
    _ emit: (DataChunk) throws(SQLError) -> Bool
  ) throws(SQLError) {
    switch self {
    case .rows(let kernel): try kernel(arguments, context, emit)
    case .spans(let kernel):
      var cursor = SpanCursor([try kernel(arguments, 1, context)], count: 1, isOuter: false)
      while let part = cursor.next() {
        try context.checkCancellation()
        if try !emit(DataChunk(cursor.columns(part), count: part.count)) { return }
      }
    }
  }
}
