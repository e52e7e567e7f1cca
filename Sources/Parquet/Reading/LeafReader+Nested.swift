import Columnar
import Diagnostics

/// Levels that were decoded and not used yet.
struct PendingLevels {
  static let capacity = 4096
  let definition = Buffer<UInt8>(uninitialized: PendingLevels.capacity)
  let repetition = Buffer<UInt8>(uninitialized: PendingLevels.capacity)
  var range = 0..<0
}

/// The entries of a nested leaf in some rows: one for each value, NULL and empty list.
///
/// - Invariant: levels are at most those of the schema; `values` has as many as there are definition levels of the greatest.
struct LeafEntries {
  let leaf: SchemaNode
  private(set) var count = 0
  private(set) var definition = Buffer<UInt8>(uninitialized: 256)
  private(set) var repetition = Buffer<UInt8>(uninitialized: 256)
  /// The values that are there, one behind another.
  fileprivate(set) var values: Vector

  /// The most entries that are read at once.
  static let countMax = 1 << 24

  fileprivate init(_ leaf: SchemaNode, _ form: ValueForm) {
    self.leaf = leaf
    values = Vector.null(form.columnType.type, count: 0)
  }

  fileprivate mutating func append(_ levels: PendingLevels, _ range: Range<Int>) throws(Damage) {
    guard count + range.count <= Self.countMax else {
      throw Damage(
        unsupported: "to read more than \(Self.countMax) elements of lists at once",
        hint: "Read fewer rows at a time, or write shorter lists.")
    }
    if count + range.count > definition.count {
      let room = max(definition.count * 2, count + range.count)
      // Elements that are NULL take no bytes in the file, and some here.
      try RunningStatement.look(room * (2 + values.type.physical.stride))
      definition = Self.grown(definition, count, to: room)
      repetition = Self.grown(repetition, count, to: room)
    }
    definition.copy(levels.definition, from: range.lowerBound, count: range.count, to: count)
    repetition.copy(levels.repetition, from: range.lowerBound, count: range.count, to: count)
    count += range.count
  }

  private static func grown(_ old: Buffer<UInt8>, _ count: Int, to room: Int) -> Buffer<UInt8> {
    let grown = Buffer<UInt8>(uninitialized: room)
    grown.copy(old, count: count, to: 0)
    return grown
  }
}

/// Values being put one behind another.
private struct ValueStack {
  var block: MemoryBlock
  var count = 0
  var heaps: [TextHeap] = []
  private let stride: Int

  init(_ form: ValueForm) {
    stride = max(form.stride, 1)
    block = MemoryBlock(byteCount: 256 * stride)
  }

  mutating func reserve(_ extra: Int) {
    if (count + extra) * stride <= block.byteCount { return }
    let grown = MemoryBlock(byteCount: max(block.byteCount * 2, (count + extra) * stride))
    grown.buffer(of: UInt8.self).copy(block.buffer(of: UInt8.self), count: count * stride, to: 0)
    block = grown
  }
}

extension LeafReader {
  /// The entries of the next rows.
  ///
  /// - Throws: 22P04 where there are fewer.
  func readEntries(rows: Int) throws(SQLError) -> LeafEntries {
    var entries = LeafEntries(leaf, form)
    var stack = ValueStack(form)
    var begun = 0
    var isDone = rows == 0
    while !isDone {
      if pending.range.isEmpty {
        if pageLeft == 0, try !nextPage() {
          guard begun == rows else {
            throw error(Damage("its pages end \(rows - begun) rows before its row group does"))
          }
          break
        }
      }
      do throws(Damage) {
        if pending.range.isEmpty { try decodeLevels() }
        let start = pending.range.lowerBound
        var place = start
        var present = 0
        while place < pending.range.upperBound {
          if pending.repetition[place] == 0 {
            if begun == rows {
              isDone = true
              break
            }
            begun += 1
          } else if begun == 0 {
            throw Damage("its first value belongs to a row before")
          }
          present += bit(Int(pending.definition[place]) == leaf.definitionLevel)
          place += 1
        }
        try entries.append(pending, start..<place)
        pending.range = place..<pending.range.upperBound
        try read(present, &stack)
      } catch { throw self.error(error) }
    }
    entries.values = form.vector(
      stack.block, count: stack.count, validity: .allValid, heaps: stack.heaps)
    return entries
  }

  private func decodeLevels() throws(Damage) {
    let length = min(PendingLevels.capacity, pageLeft)
    try readLevels(length, definition: pending.definition, repetition: pending.repetition)
    pageLeft -= length
    pending.range = 0..<length
  }

  private func read(_ count: Int, _ stack: inout ValueStack) throws(Damage) {
    guard let values, count > 0 else { return }
    stack.reserve(count)
    if values.isDictionary, let dictionary {
      let places = Buffer<UInt32>(uninitialized: count)
      try values.readPlaces(count, into: places, at: 0, limit: dictionary.count)
      dictionary.gather(places, count, into: stack.block, at: stack.count, stride: form.stride)
      if stack.heaps.last !== dictionary.heaps.last { stack.heaps += dictionary.heaps }
    } else {
      try conversion.read(count, from: values, into: stack.block, at: stack.count, &stack.heaps)
    }
    stack.count += count
  }
}
