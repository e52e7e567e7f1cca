package import Diagnostics

// What moves the values of vectors that may be far longer than a chunk, as those of sorts, windows and build sides
// are: in slices, between which it looks whether the statement has to end.

extension Buffer {
  /// As `init(zeroed:)`, for what is written all over from the start.
  ///
  /// - Throws: 57014, 53200.
  package init(zeroedInSlices count: Int) throws(SQLError) {
    self.init(zeroed: count)
    try bringPages()
  }

  /// As `init(uninitialized:)`, for what is written all over from the start.
  ///
  /// - Throws: 57014, 53200.
  package init(uninitializedInSlices count: Int) throws(SQLError) {
    self.init(uninitialized: count)
    try bringPages()
  }

  /// As `init(repeating:count:)`.
  ///
  /// - Throws: 57014, 53200.
  package init(repeatingInSlices value: Element, count: Int) throws(SQLError) {
    self.init(uninitialized: count)
    let length = Swift.max(1, SpareMemory.unit / MemoryLayout<Element>.stride)
    try (0..<count).inSlices(of: length) { fill($0, with: value) }
  }

  /// Has the system bring the pages of new memory one after another.
  ///
  /// It clears each page when it is first written to. Writes to random places touch nearly all pages of a table within
  /// the first few thousand rows, so that a loop that looks after each slice of rows would not for half a second.
  private func bringPages() throws(SQLError) {
    let byteCount = count &* MemoryLayout<Element>.stride
    guard byteCount > SpareMemory.unit else { return }
    // A huge page a slice; where a virtual machine has to ask its host for it, that takes some milliseconds.
    try (0..<(byteCount / SpareMemory.unit)).inSlices(of: 1) { slice in
      block.touch(from: slice.lowerBound * SpareMemory.unit, count: SpareMemory.unit)
    }
  }

  /// As `copy`, in slices.
  package func copyInSlices(
    _ source: Buffer<Element>, from start: Int, count length: Int, to offset: Int
  ) throws(SQLError) {
    try (0..<length).inSlices { slice in
      copy(
        source, from: start &+ slice.lowerBound, count: slice.count,
        to: offset &+ slice.lowerBound)
    }
  }
}

extension Buffer where Element == UInt32 {
  /// The numbers from 0 to below `count`.
  package init(rising count: Int) throws(SQLError) {
    self.init(uninitialized: count)
    let numbers = self
    try (0..<count).inSlices { slice in
      for row in slice { numbers[row] = UInt32(truncatingIfNeeded: row) }
    }
  }
}

extension Vector {
  /// Vectors of no more rows are moved in one go.
  private static var shortCount: Int { 1 << 18 }

  /// As `flattened()`.
  ///
  /// - Throws: 57014, 53200.
  package func flattenedInSlices() throws(SQLError) -> Vector {
    if form == .flat && digits == nil { return self }
    if count <= Self.shortCount { return flattened() }
    return try Vector.concatenateInSlices(parts(), type: type, keepsDecimals: false)
  }

  /// As `normalized()`.
  ///
  /// - Throws: 57014, 53200.
  package func normalizedInSlices() throws(SQLError) -> Vector {
    if form == .constant { return normalized() }
    return try flattenedInSlices()
  }

  /// The vector cut up, without moving a value.
  private func parts() -> [Vector] {
    stride(from: 0, to: count, by: Range.sliceLength).map { start in
      slice(from: start, count: min(Range.sliceLength, count - start))
    }
  }

  /// The rows at positions, flat, in slices.
  ///
  /// - Throws: 57014, 53200.
  package func gatheredInSlices(
    _ positions: Buffer<UInt32>, count: Int
  ) throws(SQLError) -> Vector {
    let found = gathered(positions, count: count)
    if count <= Self.shortCount { return found.compactFlattened() }
    return try Vector.concatenateInSlices(found.parts(), type: type)
  }

  /// As `gatheredOptional`, in slices.
  ///
  /// - Throws: 57014, 53200.
  package func gatheredOptionalInSlices(
    _ positions: Buffer<UInt32>, count: Int
  ) throws(SQLError) -> Vector {
    if count <= Self.shortCount { return gatheredOptional(positions, count: count) }
    var parts: [Vector] = []
    try (0..<count).inSlices { slice in
      parts.append(gatheredOptional(positions.slice(slice), count: slice.count))
    }
    return try Vector.concatenateInSlices(parts, type: type)
  }

  /// As `concatenate`, where all parts together may be long.
  ///
  /// - Throws: 57014, 53200.
  package static func concatenateInSlices(
    _ parts: [Vector], type: LogicalType, keepsDecimals: Bool = true
  ) throws(SQLError) -> Vector {
    let total = parts.reduce(0) { $0 + $1.count }
    if type.physical == .record || type.physical == .list {
      try RunningStatement.check()
      return try concatenateNested(parts, type: type)
    }
    if total <= shortCount { return concatenate(parts, type: type) }
    let digits = keepsDecimals ? DecimalForm(ofAll: parts) : nil
    let stride = digits?.stride ?? type.physical.stride
    try RunningStatement.reserve(total * stride)
    let block = MemoryBlock(byteCount: total * stride)
    let target = block.buffer(of: UInt8.self)
    var validity = ValidityMask.allValid
    var heaps: [TextHeap] = []
    var seen: Set<ObjectIdentifier> = []
    var offset = 0
    for long in parts {
      for part in long.count > 2 * Range<Int>.sliceLength ? long.parts() : [long] {
        try RunningStatement.check()
        let flat = part.flattened(as: digits)
        // A part that was flat before and is a slice of a longer vector has its own values in front.
        target.copy(
          flat.storage.buffer(of: UInt8.self), count: flat.count * stride, to: offset * stride)
        validity.write(flat.validity, count: flat.count, at: offset, capacity: total)
        for heap in flat.heaps where seen.insert(ObjectIdentifier(heap)).inserted {
          heaps.append(heap)
        }
        offset += flat.count
      }
    }
    return Vector(
      type: type, count: total, storage: block, validity: validity, heaps: heaps,
      digits: digits)
  }
}

extension DataChunk {
  /// The rows of all chunks, one chunk after another, in flat columns.
  ///
  /// - Throws: 57014, 53200.
  package static func concatenate(
    _ chunks: [DataChunk], types: [LogicalType]
  ) throws(SQLError) -> DataChunk {
    let count = chunks.reduce(0) { $0 + $1.count }
    var columns: [Vector] = []
    for column in types.indices {
      columns.append(
        try Vector.concatenateInSlices(chunks.map { $0.columns[column] }, type: types[column]))
    }
    return DataChunk(columns, count: count)
  }

  /// The rows in flat columns.
  ///
  /// - Throws: 57014, 53200.
  package func flattenedInSlices() throws(SQLError) -> DataChunk {
    var flat: [Vector] = []
    for column in columns { flat.append(try column.flattenedInSlices()) }
    return DataChunk(flat, count: count)
  }
}
