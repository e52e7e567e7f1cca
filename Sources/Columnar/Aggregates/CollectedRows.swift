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
  mutating func append(_ vectors: [Vector], groups rowGroups: Buffer<UInt32>?, count length: Int) {
    if count + length > groups.count {
      let grown = Buffer<UInt32>(uninitialized: max(groups.count * 2, count + length))
      grown.copy(groups, count: count, to: 0)
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
  mutating func append(_ other: CollectedRows, mapping: Buffer<UInt32>) {
    let mapped = Buffer<UInt32>(uninitialized: other.count)
    for row in 0..<other.count { mapped[row] = mapping[other.groups[row]] }
    append(other.columns.map { $0.finish() }, groups: mapped, count: other.count)
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
  func sorted() -> Sorted {
    let starts = Buffer<UInt32>(zeroed: groupCount + 2)
    for row in 0..<count { starts[Int(groups[row]) &+ 2] &+= 1 }
    for group in 0..<(groupCount + 1) { starts[group &+ 1] &+= starts[group] }
    let rows = Buffer<UInt32>(uninitialized: max(count, 1))
    for row in 0..<count {
      let place = starts[Int(groups[row]) &+ 1]
      rows[place] = UInt32(truncatingIfNeeded: row)
      starts[Int(groups[row]) &+ 1] = place &+ 1
    }
    return Sorted(columns: columns.map { $0.finish() }, rows: rows, starts: starts)
  }
}
