import Diagnostics

/// Entries brought together by group, in the order in which they came.
struct GroupSlices<Item: BitwiseCopyable> {
  /// Group after group.
  let items: Buffer<Item>
  /// Where the items of each group start; that of the next group is where they end.
  let starts: Buffer<UInt32>

  /// Sorts `count` entries, of which entry *i* is of group `groups[i]`; `item` is inlined.
  ///
  /// - Complexity: O(entries + groups), a counting sort.
  /// - Throws: 57014, 53200.
  @inline(__always)
  init(
    _ groups: Buffer<UInt32>, count: Int, groupCount: Int, item: (Int) -> Item
  ) throws(SQLError) {
    try RunningStatement.reserve(count * MemoryLayout<Item>.stride + groupCount * 4)
    let starts = Buffer<UInt32>(zeroed: groupCount + 2)
    try (0..<count).inSlices { slice in
      for entry in slice { starts[Int(groups[entry]) &+ 2] &+= 1 }
    }
    try (0..<(groupCount + 1)).inSlices { slice in
      for group in slice { starts[group &+ 1] &+= starts[group] }
    }
    let items = Buffer<Item>(uninitialized: max(count, 1))
    try (0..<count).inSlices { slice in
      for entry in slice {
        let next = Int(groups[entry]) &+ 1
        items[Int(starts[next])] = item(entry)
        starts[next] &+= 1
      }
    }
    self.items = items
    self.starts = starts
  }

  /// The places of a group's items.
  @inline(__always)
  func range(of group: Int) -> Range<Int> { Int(starts[group])..<Int(starts[group + 1]) }
}
