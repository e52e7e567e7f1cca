/// Brings the few rows that a filter leaves of each chunk together, so that what comes behind works on chunks
/// worth their overhead.
///
/// Values are copied, texts are shared. One chunk alone is handed back as it came.
package struct ChunkCompactor {
  /// One column put together.
  private struct Column {
    let type: LogicalType
    let digits: DecimalForm?
    let block: MemoryBlock
    var validity = ValidityMask.allValid
    var heaps: [TextHeap] = []
  }
  private var first: DataChunk?
  private var columns: [Column] = []
  private var count = 0
  /// How many chunks have been brought together.
  package private(set) var chunkCount = 0

  package init() {}

  package var isEmpty: Bool { chunkCount == 0 }

  /// Adds the rows of a chunk; says false, having changed nothing, where they do not go with those before.
  ///
  /// - Complexity: O(*n*) for each column.
  package mutating func add(_ chunk: DataChunk) -> Bool {
    if chunkCount == 0 {
      guard chunk.columns.allSatisfy(\.canBeCompacted) else { return false }
      first = chunk
      count = chunk.count
      chunkCount = 1
      return true
    }
    guard count + chunk.count <= Vector.chunkCapacity, fits(chunk) else { return false }
    if let first {
      columns = first.columns.map { column in
        return Column(
          type: column.type, digits: column.digits,
          block: MemoryBlock(byteCount: column.valueStride * Vector.chunkCapacity))
      }
      self.first = nil
      append(first, at: 0)
    }
    append(chunk, at: count)
    count += chunk.count
    chunkCount += 1
    return true
  }

  private func fits(_ chunk: DataChunk) -> Bool {
    // By place, as copies of vectors would count references.
    for index in chunk.columns.indices {
      let digits = first == nil ? columns[index].digits : first?.columns[index].digits
      if chunk.columns[index].digits != digits || !chunk.columns[index].canBeCompacted {
        return false
      }
    }
    return true
  }

  /// The rows so far, which are then forgotten.
  package mutating func take() -> DataChunk {
    defer {
      first = nil
      columns = []
      count = 0
      chunkCount = 0
    }
    if let first { return first }
    let vectors = columns.map { column in
      Vector(
        type: column.type, count: count, storage: column.block, validity: column.validity,
        heaps: column.heaps, digits: column.digits)
    }
    return DataChunk(vectors, count: count)
  }

  private mutating func append(_ chunk: DataChunk, at start: Int) {
    for index in columns.indices {
      let source = chunk.columns[index]
      source.copy(to: columns[index].block, at: start)
      if source.mayHaveNulls {
        columns[index].validity.write(
          source.rowValidity, count: chunk.count, at: start, capacity: Vector.chunkCapacity)
      }
      for heap in source.heaps where !columns[index].heaps.contains(where: { $0 === heap }) {
        columns[index].heaps.append(heap)
      }
    }
  }
}

extension Vector {
  /// Whether all of a value stands in one place.
  fileprivate var canBeCompacted: Bool {
    if type.physical == .list || type.physical == .record {
      false
    } else {
      heaps.count < 64
    }
  }

  /// Copies the values of all rows to `block` from row `start` on.
  fileprivate func copy(to block: MemoryBlock, at start: Int) {
    switch valueStride {
    case 1: copy(to: block, at: start, UInt8.self)
    case 2: copy(to: block, at: start, UInt16.self)
    case 4: copy(to: block, at: start, UInt32.self)
    case 8: copy(to: block, at: start, UInt64.self)
    case 16: copy(to: block, at: start, SIMD2<UInt64>.self)
    default: copy(to: block, at: start, Numeric.self)
    }
  }

  private func copy<Element: BitwiseCopyable>(
    to block: MemoryBlock, at start: Int, _ element: Element.Type
  ) {
    let source = storage.buffer(of: element)
    let target = block.buffer(of: element)
    switch form {
    case .flat: target.copy(source, count: count, to: start)
    case .constant: target.fill(start..<(start + count), with: source[0])
    case .indirect:
      guard let indices else { return }
      for row in 0..<count { target[start &+ row] = source[indices[row]] }
    }
  }
}
