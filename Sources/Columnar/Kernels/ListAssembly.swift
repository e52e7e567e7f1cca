import Diagnostics

/// Puts arrays together out of elements of other vectors, by position.
struct ListAssembly {
  private let source: Vector
  private let starts: [Int]
  private var positions: [UInt32] = []
  private var slices: Buffer<ListSlice>
  private var first = 0

  /// An assembly of `count` arrays out of the elements of `sources`, which are flat.
  init(_ sources: [Vector], element: LogicalType, count: Int) {
    var starts: [Int] = []
    var total = 0
    for vector in sources {
      starts.append(total)
      total += vector.count
    }
    self.starts = starts
    source = Vector.concatenate(sources, type: element)
    slices = Buffer(zeroed: count)
  }

  /// Adds element `position` of source `index` to the current array.
  @inline(__always)
  mutating func add(_ index: Int, _ position: Int) {
    positions.append(UInt32(truncatingIfNeeded: starts[index] &+ position))
  }

  /// Adds the elements of a slice of source `index` to the current array.
  mutating func add(_ index: Int, _ slice: ListSlice) {
    for position in 0..<Int(slice.count) { add(index, Int(slice.offset) &+ position) }
  }

  /// Adds a NULL element.
  mutating func addNull() { positions.append(.max) }

  /// Ends the array of `row`.
  mutating func end(_ row: Int) {
    slices[row] = ListSlice(
      offset: UInt32(truncatingIfNeeded: first),
      count: UInt32(truncatingIfNeeded: positions.count - first))
    first = positions.count
  }

  /// Looks, now and then, whether the statement may go on, and whether all elements have room.
  ///
  /// - Throws: 57014, 53200, and 54000 for more elements than the arrays of one chunk can have.
  func check() throws(SQLError) {
    guard positions.count < Int(UInt32.max) else {
      throw SQLError(
        .programLimitExceeded, "arrays of more than \(UInt32.max) elements at once",
        hint: "Make fewer or smaller arrays in one statement.")
    }
    try RunningStatement.reserve(positions.count * (8 + max(1, source.type.physical.stride)))
  }

  /// The arrays; rows never ended are empty.
  ///
  /// - Throws: as `check()`.
  func finish(count: Int, validity: ValidityMask) throws(SQLError) -> Vector {
    try check()
    let places = Buffer(positions)
    let elements = try source.gatheredOptionalInSlices(places, count: positions.count)
      .flattenedInSlices()
    return Vector(slices, of: elements, count: count, validity: validity)
  }
}
