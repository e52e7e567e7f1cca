package import Diagnostics

/// `json_agg(json_build_object('key', value, …))` with constant keys as one aggregate of the values: no text is made
/// for a row but in its place.
///
/// Where rows come group by group they are written as they come; elsewhere they are kept until the end.
package final class JSONObjectsAccumulator: AggregateAccumulator {
  private let objects: JSONObjectRows
  /// Rows kept; not used where they come group by group.
  private var rows: CollectedRows
  private var sorted: CollectedRows.Sorted?
  private var writer = GroupTextWriter()
  /// Whether rows come group by group: all rows of a group before the first of the next.
  package var isClustered = false

  /// - Parameters:
  ///   - keys: The keys of each object.
  ///   - types: The types of the values, as many.
  package init(keys: [[UInt8]], types: [LogicalType]) {
    objects = JSONObjectRows(keys: keys, types: types)
    rows = CollectedRows(types)
  }

  package var byteCount: Int { rows.byteCount + writer.byteCount }

  /// Forgets all groups, whose results were given; what room is left in the memory in hand takes the next texts.
  ///
  /// - Precondition: rows come group by group.
  package func restart() {
    precondition(isClustered, "rows that are kept cannot be forgotten")
    writer.restart()
  }

  package func grow(to groupCount: Int) {
    if isClustered { writer.grow(to: groupCount) } else { rows.grow(to: groupCount) }
  }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    guard isClustered else {
      try rows.append(arguments, groups: groups, count: count)
      return
    }
    try writer.append(
      objects.chunk(arguments.map { $0.flattened() }), objects, groups: groups, count: count)
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? JSONObjectsAccumulator else { return }
    try rows.append(other.rows, mapping: groups)
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    let vector: Vector
    if isClustered {
      vector = try writer.texts(range)
    } else {
      vector = try sortedTexts(range)
    }
    if objects.isNested {
      let views = vector.values(TextView.self)
      for row in 0..<range.count where vector.validity.isValid(row) {
        try JSONText.checkDepth(views.bytes(at: row))
      }
    }
    return vector
  }

  /// The texts of some groups, from the rows kept.
  private func sortedTexts(_ range: Range<Int>) throws(SQLError) -> Vector {
    let sorted: CollectedRows.Sorted
    if let known = self.sorted { sorted = known } else { sorted = try rows.sorted() }
    self.sorted = sorted
    var writer = GroupTextWriter()
    writer.grow(to: range.count)
    let chunk = objects.chunk(sorted.columns)
    for group in range {
      for place in sorted.range(of: group) {
        try writer.append(
          Int(sorted.rows[place]), of: chunk, objects, to: group - range.lowerBound)
      }
    }
    return try writer.texts(0..<range.count)
  }
}

/// Writes the texts of groups one behind another, each of which ends with `]`.
///
/// A text that outgrows the memory in hand moves to larger memory alone; texts that are complete stay where they are.
/// A writer that starts again goes on behind its last text, so that no memory is left unused between the two.
private struct GroupTextWriter {
  private var bytes = Buffer<UInt8>(uninitialized: 0)
  /// Where the next byte goes.
  private var end = 0
  private var start = 0
  /// Where the first text begins that stands in the memory in hand and is not forgotten.
  private var base = 0
  /// The group whose text is open; -1 for none.
  private var group = -1
  private var views = GroupStates<TextView>()
  private var isPresent = GroupPresence()
  private var full: [TextHeap] = []
  /// The bytes of all memory that was taken since the start.
  private var takenByteCount = 0

  private var scratch = ByteBuilder(capacity: 0)

  private static let capacityMax = 8 << 20
  private static let tooLong = SQLError(
    .programLimitExceeded, "JSON aggregate result of more than 256 MB",
    hint: "Aggregate fewer rows into one value.")

  var byteCount: Int { takenByteCount + views.byteCount }

  /// Forgets all texts, which others keep as they need them, and one that was left open by an error.
  mutating func restart() {
    group = -1
    end = start
    base = start
    views = GroupStates()
    isPresent = GroupPresence()
    full = []
    takenByteCount = 0
  }

  mutating func grow(to groupCount: Int) {
    views.grow(to: groupCount)
    isPresent.grow(to: groupCount)
  }

  /// Makes room for `length` bytes at `end`.
  @inline(__always)
  mutating func reserve(_ length: Int) {
    // One byte stays for the bracket at the end.
    if end &+ length >= bytes.count { move(length) }
  }

  private mutating func move(_ length: Int) {
    let open = end - start
    let capacity = max(
      4096, min(bytes.count * 2, Self.capacityMax), 2 * open + 2 * length + 16)
    let next = Buffer<UInt8>(uninitialized: capacity)
    if open > 0 { next.copy(bytes, from: start, count: open, to: 0) }
    if start > base { full.append(TextHeap(adopting: bytes.slice(base..<start))) }
    bytes = next
    takenByteCount += capacity
    base = 0
    start = 0
    end = open
  }

  /// Adds the objects of the rows of a chunk, row *i* to group `groups[i]`, or all to group 0.
  mutating func append(
    _ chunk: JSONObjectRows.Chunk, _ objects: JSONObjectRows, groups: Buffer<UInt32>?, count: Int
  ) throws(SQLError) {
    for row in 0..<count {
      let group = if let groups { Int(truncatingIfNeeded: groups[row]) } else { 0 }
      try append(row, of: chunk, objects, to: group)
    }
  }

  /// Adds the object of a row.
  @inline(__always)
  mutating func append(
    _ row: Int, of chunk: JSONObjectRows.Chunk, _ objects: JSONObjectRows, to next: Int
  ) throws(SQLError) {
    if group != next {
      try close()
      group = next
      reserve(2)
      bytes[end] = UInt8(ascii: "[")
      end &+= 1
    } else {
      reserve(2)
      bytes[end] = UInt8(ascii: ",")
      bytes[end &+ 1] = UInt8(ascii: " ")
      end &+= 2
    }
    if objects.isPlain {
      reserve(objects.bound(row, chunk))
      end = objects.write(row, chunk, to: bytes, at: end)
    } else {
      try appendAside(row, of: chunk, objects)
    }
  }

  private mutating func appendAside(
    _ row: Int, of chunk: JSONObjectRows.Chunk, _ objects: JSONObjectRows
  ) throws(SQLError) {
    scratch.removeAll()
    try objects.append(row, of: chunk, to: &scratch)
    reserve(scratch.count)
    bytes.copy(scratch.bytes, to: end)
    end &+= scratch.count
    if end &- start >= TextLoop.byteCountMax { throw Self.tooLong }
  }

  /// Ends the text in hand.
  private mutating func close() throws(SQLError) {
    guard group >= 0 else { return }
    if end &- start >= TextLoop.byteCountMax { throw Self.tooLong }
    bytes[end] = UInt8(ascii: "]")
    end &+= 1
    views[group] = TextView(referring: bytes.bytes(start..<end))
    isPresent.mark(group)
    start = end
    group = -1
  }

  /// The texts of some groups; NULL for those without rows.
  mutating func texts(_ range: Range<Int>) throws(SQLError) -> Vector {
    try close()
    let texts = Buffer<TextView>(uninitialized: max(1, range.count))
    for (index, group) in range.enumerated() { texts[index] = views[group] }
    return Vector(
      .json, texts, count: range.count, validity: isPresent.validity(range),
      heaps: full + [TextHeap(adopting: bytes.slice(base..<end))])
  }
}
