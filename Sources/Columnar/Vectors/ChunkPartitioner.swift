/// Deals the rows of chunks out to partitions, of each of which chunks come that are worth their overhead.
///
/// Values are written straight to where the next chunk of their partition is gathered, a column at a time; texts are shared. Rows of
/// a partition keep their order.
///
/// One thread at a time uses a partitioner.
package final class ChunkPartitioner {
  /// The next chunk of every partition, one column of it.
  private struct Column {
    let type: LogicalType
    var digits: DecimalForm?
    /// Room for a chunk of each partition, one behind another.
    var block: MemoryBlock
    var validity = ValidityMask.allValid
    /// What texts since the first chunk are kept by, and from which of them on a partition's next chunk needs them.
    var heaps: [TextHeap] = []
    var firstHeaps: [Int]

    var stride: Int { digits?.stride ?? type.physical.stride }
  }
  private let count: Int
  private var columns: [Column] = []
  /// So many rows of each partition's next chunk are gathered.
  private let lengths: Buffer<UInt32>
  private var chunks: [[DataChunk]]
  /// The bytes held, but for those of texts.
  package private(set) var byteCount = 0

  /// - Precondition: there are from 1 to 256 partitions.
  package init(count: Int) {
    self.count = count
    lengths = Buffer(zeroed: count)
    chunks = Array(repeating: [], count: count)
  }

  /// Whether values of a type can be dealt out: each stands in one place.
  package static func takes(_ type: LogicalType) -> Bool {
    type.physical != .list && type.physical != .record
  }

  /// Adds the rows of a chunk, each to the partition that is said for it.
  ///
  /// - Complexity: O(*n*) for each column.
  package func add(_ chunk: DataChunk, to partitions: Buffer<UInt8>) {
    if chunk.count == 0 { return }
    if columns.count != chunk.columns.count { makeColumns(like: chunk) }
    for index in columns.indices where columns[index].digits != chunk.columns[index].digits {
      guard let own = columns[index].digits else { continue }
      widen(index, to: own.union(chunk.columns[index].digits))
    }
    let slots = slots(of: partitions, chunk.count)
    for index in columns.indices { write(chunk.columns[index], slots, chunk.count, index) }
  }

  /// Where each row is written to.
  private func slots(of partitions: Buffer<UInt8>, _ rows: Int) -> Buffer<UInt32> {
    let added = Buffer<UInt32>(zeroed: count)
    for row in 0..<rows { added[Int(partitions[row])] &+= 1 }
    for partition in 0..<count
    where Int(lengths[partition] &+ added[partition]) > Vector.chunkCapacity {
      finish(partition)
    }
    let slots = Buffer<UInt32>(uninitialized: rows)
    for row in 0..<rows {
      let partition = Int(partitions[row])
      let start = UInt32(truncatingIfNeeded: partition &* Vector.chunkCapacity)
      slots[row] = start &+ lengths[partition]
      lengths[partition] &+= 1
    }
    return slots
  }

  /// The rows of a partition in chunks, which are then forgotten.
  package func takeChunks(of partition: Int) -> [DataChunk] {
    finish(partition)
    defer { chunks[partition] = [] }
    return chunks[partition]
  }

  private func makeColumns(like chunk: DataChunk) {
    columns = chunk.columns.map { column in
      let stride = column.valueStride
      byteCount += stride * count * Vector.chunkCapacity
      return Column(
        type: column.type, digits: column.digits,
        block: MemoryBlock(byteCount: stride * count * Vector.chunkCapacity),
        firstHeaps: Array(repeating: 0, count: count))
    }
  }

  /// Gives a column of small exact numbers another form, or none.
  private func widen(_ index: Int, to digits: DecimalForm?) {
    if columns[index].digits == digits { return }
    for partition in 0..<count { finish(partition) }
    columns[index].digits = digits
    columns[index].block = MemoryBlock(
      byteCount: columns[index].stride * count * Vector.chunkCapacity)
  }

  // MARK: Columns

  private func write(_ vector: Vector, _ slots: Buffer<UInt32>, _ rows: Int, _ index: Int) {
    let source =
      columns[index].digits == vector.digits ? vector : vector.flattened(as: columns[index].digits)
    let block = columns[index].block
    switch columns[index].stride {
    case 0: break
    case 1: Self.scatter(source, to: block, slots, rows, UInt8.self)
    case 2: Self.scatter(source, to: block, slots, rows, UInt16.self)
    case 4: Self.scatter(source, to: block, slots, rows, UInt32.self)
    case 8: Self.scatter(source, to: block, slots, rows, UInt64.self)
    case 16: Self.scatter(source, to: block, slots, rows, SIMD2<UInt64>.self)
    default: Self.scatter(source, to: block, slots, rows, Numeric.self)
    }
    if source.mayHaveNulls {
      let validity = source.rowValidity
      for row in 0..<rows where !validity.isValid(row) {
        columns[index].validity.setNull(Int(slots[row]), count: count * Vector.chunkCapacity)
      }
    }
    for heap in source.heaps where columns[index].heaps.last !== heap {
      columns[index].heaps.append(heap)
    }
  }

  private static func scatter<Element: BitwiseCopyable>(
    _ source: Vector, to block: MemoryBlock, _ slots: Buffer<UInt32>, _ rows: Int,
    _ element: Element.Type
  ) {
    let values = source.storage.buffer(of: element)
    let target = block.buffer(of: element)
    switch source.form {
    case .flat: for row in 0..<rows { target[slots[row]] = values[row] }
    case .constant:
      let value = values[0]
      for row in 0..<rows { target[slots[row]] = value }
    case .indirect:
      guard let indices = source.indices else { return }
      for row in 0..<rows { target[slots[row]] = values[indices[row]] }
    }
  }

  // MARK: Chunks

  /// Hands the rows gathered for a partition's next chunk over to its chunks.
  private func finish(_ partition: Int) {
    let length = Int(lengths[partition])
    if length == 0 { return }
    lengths[partition] = 0
    let vectors = columns.indices.map { vector($0, of: partition, length) }
    chunks[partition].append(DataChunk(vectors, count: length))
  }

  private func vector(_ index: Int, of partition: Int, _ length: Int) -> Vector {
    let stride = columns[index].stride
    let start = partition * Vector.chunkCapacity
    let block = MemoryBlock(byteCount: max(1, length * stride))
    block.buffer(of: UInt8.self).copy(
      columns[index].block.buffer(of: UInt8.self), from: start * stride, count: length * stride,
      to: 0)
    byteCount += length * stride
    var validity = ValidityMask.allValid
    if let words = columns[index].validity.words {
      let range = start / 64..<(start + Vector.chunkCapacity) / 64
      let own = Buffer<UInt64>(uninitialized: range.count)
      own.copy(words, from: range.lowerBound, count: range.count, to: 0)
      words.fill(range, with: ~0)
      validity = ValidityMask(words: own)
    }
    let heaps = Array(columns[index].heaps[columns[index].firstHeaps[partition]...])
    // A text of the chunk that comes next may stand in the last of them.
    columns[index].firstHeaps[partition] = max(0, columns[index].heaps.count - 1)
    return Vector(
      type: columns[index].type, count: length, storage: block, validity: validity, heaps: heaps,
      digits: columns[index].digits)
  }
}
