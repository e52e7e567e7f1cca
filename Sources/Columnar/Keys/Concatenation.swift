import Diagnostics

extension Vector {
  /// The rows of all parts, one part after another, flat; texts are shared, not copied.
  ///
  /// - Complexity: O(*n*).
  package static func concatenate(_ parts: [Vector], type: LogicalType) -> Vector {
    // Exact numbers stay small where all parts agree on where the point stands.
    let digits = DecimalForm(ofAll: parts)
    if parts.count == 1 { return parts[0].flattened(as: digits) }
    let total = parts.reduce(0) { $0 + $1.count }
    let stride = digits?.stride ?? type.physical.stride
    let flat = parts.map { $0.flattened(as: digits) }
    let validity = concatenateValidity(flat, total)
    switch type.physical {
    case .record:
      return concatenateRecords(flat, type, total, validity) { concatenate($0, type: $1) }
    case .list:
      return concatenateLists(flat, type, total, validity) { concatenate($0, type: $1) }
    case .bool, .int16, .int32, .int64, .float, .double, .numeric, .interval, .uuid, .text:
      let block = MemoryBlock(byteCount: total * stride)
      let target = block.buffer(of: UInt8.self)
      var offset = 0
      for part in flat {
        let bytes = part.count * stride
        target.copy(part.storage.buffer(of: UInt8.self), count: bytes, to: offset)
        offset += bytes
      }
      return Vector(
        type: type, count: total, storage: block, validity: validity, heaps: heaps(of: flat),
        digits: digits)
    }
  }

  /// The rows of lists or records, one part after another, flat, in slices.
  ///
  /// - Throws: 57014, 53200.
  static func concatenateNested(
    _ parts: [Vector], type: LogicalType
  ) throws(SQLError) -> Vector {
    let total = parts.reduce(0) { $0 + $1.count }
    let flat = parts.map { $0.flattened() }
    let validity = concatenateValidity(flat, total)
    try RunningStatement.reserve(total * type.physical.stride)
    if type.physical == .record {
      return try concatenateRecords(flat, type, total, validity) {
        (parts, type) throws(SQLError) in try concatenateInSlices(parts, type: type)
      }
    }
    let lists = flat.map { $0.withOwnElements() }
    if lists.reduce(0, { $0 + $1.children[0].count }) > Int(UInt32.max) {
      throw SQLError(
        .programLimitExceeded,
        "arrays of more than \(UInt32.max) elements in all cannot be put together",
        hint: "Ask for fewer rows at once.")
    }
    return try concatenateLists(lists, type, total, validity) {
      (parts, type) throws(SQLError) in try concatenateInSlices(parts, type: type)
    }
  }

  /// Lists without the elements of other rows, if these are more than half of all.
  ///
  /// A part of a longer vector shares the elements of the whole. Whoever puts many parts together and took all elements of each would
  /// multiply them.
  ///
  /// - Precondition: the vector is flat, and holds lists.
  /// - Complexity: O(*n*) in the rows and their elements.
  func withOwnElements() -> Vector {
    let slices = values(ListSlice.self)
    var used = 0
    for row in 0..<count where validity.isValid(row) { used &+= Int(slices[row].count) }
    if used >= children[0].count / 2 { return self }
    let positions = Buffer<UInt32>(uninitialized: max(used, 1))
    let moved = Buffer<ListSlice>(uninitialized: max(count, 1))
    var next: UInt32 = 0
    for row in 0..<count {
      let slice = validity.isValid(row) ? slices[row] : ListSlice(offset: 0, count: 0)
      moved[row] = ListSlice(offset: next, count: slice.count)
      for place in 0..<slice.count { positions[next &+ place] = slice.offset &+ place }
      next &+= slice.count
    }
    let elements = children[0].gathered(positions, count: used).flattened()
    return Vector(
      type: type, count: count, storage: moved.block, validity: validity, children: [elements],
      heaps: heaps)
  }

  /// The rows `(chunks[i], rows[i])`, flat.
  package static func gather(
    _ parts: [Vector], type: LogicalType, chunks: Buffer<UInt32>, rows: Buffer<UInt32>, count: Int
  ) -> Vector {
    var starts: [UInt32] = []
    var total = 0
    for part in parts {
      starts.append(UInt32(truncatingIfNeeded: total))
      total += part.count
    }
    let offsets = Buffer(starts)
    let positions = Buffer<UInt32>(uninitialized: count)
    for row in 0..<count { positions[row] = offsets[chunks[row]] &+ rows[row] }
    return concatenate(parts, type: type).gathered(positions, count: count).flattened()
  }

  /// The rows at `positions`, NULL where a position is `UInt32.max`: an outer join's missing side.
  ///
  /// - Complexity: O(*n*).
  package func gatheredOptional(_ positions: Buffer<UInt32>, count: Int) -> Vector {
    let none = UInt32.max
    var missing = 0
    for row in 0..<count { missing &+= bit(positions[row] == none) }
    if missing == 0 { return gathered(positions, count: count).compactFlattened() }
    if missing == count || self.count == 0 { return Vector.null(type, count: count) }
    // Every missing row fetches row 0, which then is made NULL; so the typed gathers serve as they are.
    let safe = Buffer<UInt32>(uninitialized: count)
    for row in 0..<count {
      let position = positions[row]
      safe[row] = position & (0 &- UInt32(truncatingIfNeeded: bit(position != none)))
    }
    let moved = gathered(safe, count: count).compactFlattened()
    var validity = moved.validity.copy(count: count)
    if validity.isAllValid { validity = .writable(count: count) }
    for row in 0..<count where positions[row] == none { validity.setNull(row, count: count) }
    return Vector(
      type: type, count: count, storage: moved.storage, validity: validity,
      children: moved.children, heaps: moved.heaps, digits: moved.digits)
  }

  /// The heaps of several vectors, each once.
  package static func heaps(of vectors: [Vector]) -> [TextHeap] {
    var seen: Set<ObjectIdentifier> = []
    var result: [TextHeap] = []
    for vector in vectors {
      for heap in vector.heaps where seen.insert(ObjectIdentifier(heap)).inserted {
        result.append(heap)
      }
    }
    return result
  }

  private static func concatenateValidity(_ parts: [Vector], _ total: Int) -> ValidityMask {
    var validity = ValidityMask.allValid
    var offset = 0
    for part in parts {
      validity.write(part.validity, count: part.count, at: offset, capacity: total)
      offset += part.count
    }
    return validity
  }

  private static func concatenateRecords<Failure: Error>(
    _ parts: [Vector], _ type: LogicalType, _ total: Int, _ validity: ValidityMask,
    _ concatenate: ([Vector], LogicalType) throws(Failure) -> Vector
  ) throws(Failure) -> Vector {
    guard case .record(let record) = type else { return .null(type, count: total) }
    var children: [Vector] = []
    for (index, field) in record.fields.enumerated() {
      children.append(
        try concatenate(parts.map { $0.children[index].resized(to: $0.count) }, field.type))
    }
    return Vector(
      type: type, count: total, storage: MemoryBlock(byteCount: 0), validity: validity,
      children: children, heaps: heaps(of: parts))
  }

  private static func concatenateLists<Failure: Error>(
    _ parts: [Vector], _ type: LogicalType, _ total: Int, _ validity: ValidityMask,
    _ concatenate: ([Vector], LogicalType) throws(Failure) -> Vector
  ) throws(Failure) -> Vector {
    let slices = Buffer<ListSlice>(uninitialized: total)
    var offset = 0
    var base: UInt32 = 0
    let parts = parts.map { $0.withOwnElements() }
    for part in parts {
      let source = part.values(ListSlice.self)
      for row in 0..<part.count {
        let slice = source[row]
        slices[offset &+ row] = ListSlice(offset: base &+ slice.offset, count: slice.count)
      }
      offset += part.count
      base &+= UInt32(truncatingIfNeeded: part.children[0].count)
    }
    let elements = try concatenate(parts.map { $0.children[0] }, type.element ?? .unknown)
    return Vector(
      type: type, count: total, storage: slices.block, validity: validity, children: [elements],
      heaps: heaps(of: parts))
  }
}
