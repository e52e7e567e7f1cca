import Diagnostics

/// Puts arrays together out of elements of other vectors, by position.
struct ListAssembly {
  private let source: Vector
  private let starts: [Int]
  /// Positions in `source`, `UInt32.max` for NULL: in full parts and one that is being filled, as a single buffer would
  /// be copied again and again while it grows.
  private var parts: [Buffer<UInt32>] = []
  private var last = Buffer<UInt32>(uninitialized: 1 << 8)
  private var lastCount = 0
  private var memory = GrowingMemory()
  /// How many elements there are.
  private var elementCount = 0
  /// As many as make a large block, so that a statement that is cancelled leaves its parts to be freed by another thread.
  private static let partLength = SpareMemory.unit / MemoryLayout<UInt32>.stride
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
    append(UInt32(truncatingIfNeeded: starts[index] &+ position))
  }

  @inline(__always)
  private mutating func append(_ position: UInt32) {
    if lastCount == last.count { makeRoom() }
    last[lastCount] = position
    lastCount &+= 1
    elementCount &+= 1
  }

  @inline(never)
  private mutating func makeRoom() {
    if last.count >= Self.partLength {
      parts.append(last)
      last = Buffer(uninitialized: Self.partLength)
      lastCount = 0
    } else {
      let grown = Buffer<UInt32>(uninitialized: last.count * 4)
      grown.copy(last, count: lastCount, to: 0)
      last = grown
    }
  }

  /// Adds the elements of a slice of source `index` to the current array.
  mutating func add(_ index: Int, _ slice: ListSlice) {
    for position in 0..<Int(slice.count) { add(index, Int(slice.offset) &+ position) }
  }

  /// Adds a NULL element.
  mutating func addNull() { append(.max) }

  /// Ends the array of `row`.
  mutating func end(_ row: Int) {
    slices[row] = ListSlice(
      offset: UInt32(truncatingIfNeeded: first),
      count: UInt32(truncatingIfNeeded: elementCount - first))
    first = elementCount
  }

  /// Looks, now and then, whether the statement may go on, and whether all elements have room.
  ///
  /// - Throws: 57014, 53200, and 54000 for more elements than the arrays of one chunk can have.
  mutating func check() throws(SQLError) {
    guard elementCount < Int(UInt32.max) else {
      throw SQLError(
        .programLimitExceeded, "arrays of more than \(UInt32.max) elements at once",
        hint: "Make fewer or smaller arrays in one statement.")
    }
    try memory.grow(to: elementCount * (8 + max(1, source.type.physical.stride)))
  }

  /// The arrays; rows never ended are empty.
  ///
  /// - Throws: as `check()`.
  mutating func finish(count: Int, validity: ValidityMask) throws(SQLError) -> Vector {
    try check()
    var gathered: [Vector] = []
    for part in parts {
      try RunningStatement.check()
      gathered.append(source.gatheredOptional(part, count: part.count))
    }
    gathered.append(source.gatheredOptional(last, count: lastCount))
    let elements = try Vector.concatenateInSlices(gathered, type: source.type, keepsDecimals: false)
    return Vector(slices, of: elements, count: count, validity: validity)
  }
}
