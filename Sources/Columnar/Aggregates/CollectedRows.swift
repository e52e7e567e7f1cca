import Diagnostics

/// All rows that an aggregate was given, with their groups, for aggregates that need every value at the end.
///
/// Rows of a group keep the order in which they came; those merged from another worker come behind.
struct CollectedRows {
  private var columns: [VectorBuilder]
  private var groups: Buffer<UInt32>
  private(set) var count = 0
  private(set) var groupCount = 0

  init(_ types: [LogicalType]) {
    columns = types.map { VectorBuilder($0) }
    groups = Buffer(uninitialized: 16)
  }

  var byteCount: Int { groups.count * 4 + columns.reduce(0) { $0 + $1.byteCount } }

  mutating func grow(to groupCount: Int) { self.groupCount = max(self.groupCount, groupCount) }

  /// Adds `length` rows; row *i* belongs to group `rowGroups[i]`, or to group 0.
  ///
  /// - Throws: 57014, 53200.
  mutating func append(
    _ vectors: [Vector], groups rowGroups: Buffer<UInt32>?, count length: Int
  ) throws(SQLError) {
    if count + length > groups.count {
      let room = max(groups.count * 2, count + length)
      try RunningStatement.reserve(byteCount + room * 4)
      let grown = Buffer<UInt32>(uninitialized: room)
      try grown.copyInSlices(groups, from: 0, count: count, to: 0)
      groups = grown
    }
    if let rowGroups {
      groups.copy(rowGroups, count: length, to: count)
    } else {
      groups.fill(count..<(count + length), with: 0)
    }
    for index in columns.indices { columns[index].append(vectors[index].resized(to: length)) }
    count += length
  }

  /// Adds the rows of `other`, whose group *i* is group `mapping[i]` here.
  ///
  /// - Throws: 57014, 53200.
  mutating func append(_ other: CollectedRows, mapping: Buffer<UInt32>) throws(SQLError) {
    let columns = other.columns.map { $0.finish() }
    let groups = other.groups
    for start in stride(from: 0, to: other.count, by: Range<Int>.sliceLength) {
      try RunningStatement.check()
      let length = min(Range<Int>.sliceLength, other.count - start)
      let mapped = Buffer<UInt32>(uninitialized: length)
      for row in 0..<length { mapped[row] = mapping[groups[start &+ row]] }
      try append(
        columns.map { $0.slice(from: start, count: length).flattened() }, groups: mapped,
        count: length)
    }
  }

  /// The rows sorted by group, order kept within each.
  struct Sorted {
    let columns: [Vector]
    /// Row numbers, group after group.
    let rows: Buffer<UInt32>
    /// Where the rows of each group start; one more entry than there are groups.
    let starts: Buffer<UInt32>

    /// The places in `rows` that belong to a group.
    func range(of group: Int) -> Range<Int> { Int(starts[group])..<Int(starts[group + 1]) }
  }

  /// Sorts the rows by group.
  ///
  /// - Complexity: O(rows + groups), a counting sort.
  /// - Throws: 57014, 53200.
  func sorted() throws(SQLError) -> Sorted {
    let slices = try GroupSlices(groups, count: count, groupCount: groupCount) {
      UInt32(truncatingIfNeeded: $0)
    }
    return Sorted(columns: columns.map { $0.finish() }, rows: slices.items, starts: slices.starts)
  }
}
