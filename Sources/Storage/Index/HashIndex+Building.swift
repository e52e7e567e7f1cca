import Columnar
import Diagnostics

extension HashIndex {
  /// The partitions that an index over so many rows is built with.
  static func partitionCount(_ rowCount: Int) -> Int { min(1 << 20, max(1, rowCount / load)) }

  /// Fills an empty index with all rows of a table that are not deleted.
  ///
  /// - Throws: 57014, 53200; the index must then be dropped.
  /// - Complexity: O(*n*), on all cores.
  mutating func build(
    _ columns: [ColumnStore], _ table: TableStore, epoch: Epoch
  ) throws(SQLError) -> (row: UInt32, existing: UInt32)? {
    guard table.liveRowCount > 0 else { return nil }
    let partitionCount = Self.partitionCount(table.liveRowCount)
    let (sorted, starts) = try Self.sorted(
      try hashedEntries(columns, table), partitionCount)
    for partition in 0..<partitionCount {
      if partition & 0xFF == 0 { try RunningStatement.check() }
      let size = starts[partition + 1] - starts[partition]
      partitions.append(
        HashPartition(owner: epoch, capacity: size * 3 / 2 + 8), epoch: epoch)
    }
    count = sorted.count
    if isUnique {
      keyCount = sorted.count
      return try fillUnique(sorted, starts, columns)
    }
    try fillChains(sorted, starts, columns, rowCount: table.rowCount, epoch)
    return nil
  }

  /// The tag and position of each row that takes part, in the order of positions.
  private func hashedEntries(
    _ columns: [ColumnStore], _ table: TableStore
  ) throws(SQLError) -> Buffer<UInt64> {
    let pageCount = table.pageCount
    let entries = Buffer<UInt64>(uninitialized: table.rowCount)
    let counts = Buffer<Int>(zeroed: pageCount)
    let nulls = nulls
    try parallelForThrowing(tasks: (pageCount + 15) / 16) { (task) throws(SQLError) in
      for page in (task * 16)..<min(pageCount, task * 16 + 16) {
        let rows = table.rowCount(ofPage: page)
        let vectors = columns.map { $0.vector(page: page, count: rows) }
        let hashes = Hashing.hash(vectors, count: rows)
        let mask = table.live.mask(page)
        let first = page * TableStore.pageCapacity
        var found = first
        for row in 0..<rows {
          if let mask, mask[row &>> 6] &>> UInt64(row & 63) & 1 == 0 { continue }
          if nulls == .unequal && vectors.contains(where: { !$0.validity.isValid(row) }) {
            continue
          }
          entries[found] = UInt64(Self.tag(hashes[row])) &<< 32 | UInt64(first &+ row)
          found &+= 1
        }
        counts[page] = found - first
      }
    }
    // Close the gaps that deleted rows and NULLs left.
    var total = 0
    for page in 0..<pageCount {
      let first = page * TableStore.pageCapacity
      if page & 31 == 0 { try RunningStatement.check() }
      if total != first { entries.copy(entries, from: first, count: counts[page], to: total) }
      total += counts[page]
    }
    return entries.slice(0..<total)
  }

  /// Entries by partition, within each in the order of positions, and where each partition begins.
  private static func sorted(
    _ entries: Buffer<UInt64>, _ partitionCount: Int
  ) throws(SQLError) -> (entries: Buffer<UInt64>, starts: Buffer<Int>) {
    let total = entries.count
    // A share of the entries for each thread, as each counts all partitions.
    let shares = total < 1 << 16 ? 1 : parallelWidth
    let cursors = Buffer<Int>(zeroed: shares * partitionCount)
    try parallelForThrowing(tasks: shares) { (share) throws(SQLError) in
      let counts = cursors.slice((share * partitionCount)..<((share + 1) * partitionCount))
      try ((total * share / shares)..<(total * (share + 1) / shares)).inSlices { slice in
        for index in slice {
          let tag = UInt32(truncatingIfNeeded: entries[index] &>> 32)
          counts[partition(tag, partitionCount)] &+= 1
        }
      }
    }
    let starts = Buffer<Int>(uninitialized: partitionCount + 1)
    var next = 0
    for partition in 0..<partitionCount {
      starts[partition] = next
      for share in 0..<shares {
        let size = cursors[share &* partitionCount &+ partition]
        cursors[share &* partitionCount &+ partition] = next
        next &+= size
      }
    }
    starts[partitionCount] = next
    let sorted = try Buffer<UInt64>(uninitializedInSlices: total)
    try parallelForThrowing(tasks: shares) { (share) throws(SQLError) in
      let ends = cursors.slice((share * partitionCount)..<((share + 1) * partitionCount))
      try ((total * share / shares)..<(total * (share + 1) / shares)).inSlices { slice in
        for index in slice {
          let entry = entries[index]
          let partition = partition(UInt32(truncatingIfNeeded: entry &>> 32), partitionCount)
          sorted[ends[partition]] = entry
          ends[partition] &+= 1
        }
      }
    }
    return (sorted, starts)
  }

  private func fillUnique(
    _ sorted: Buffer<UInt64>, _ starts: Buffer<Int>, _ columns: [ColumnStore]
  ) throws(SQLError) -> (row: UInt32, existing: UInt32)? {
    let partitions = partitions
    let tasks = (partitions.count + 63) / 64
    // The first conflict of each task: the row in the upper half, the one that stood there in the lower.
    let conflicts = Buffer<UInt64>(repeating: .max, count: tasks)
    try parallelForThrowing(tasks: tasks) { (task) throws(SQLError) in
      for index in (task * 64)..<min(partitions.count, task * 64 + 64) {
        let page = partitions[index]
        for place in starts[index]..<starts[index + 1] {
          let entry = sorted[place]
          let existing = page.addUnique(entry, columns)
          if existing != .max {
            conflicts[task] = min(conflicts[task], entry &<< 32 | UInt64(existing))
          }
        }
      }
    }
    var first = UInt64.max
    for task in 0..<tasks { first = min(first, conflicts[task]) }
    guard first != .max else { return nil }
    return (UInt32(truncatingIfNeeded: first &>> 32), UInt32(truncatingIfNeeded: first))
  }

  /// Links rows with the same key, which fall into the same partition and so to the same thread.
  private mutating func fillChains(
    _ sorted: Buffer<UInt64>, _ starts: Buffer<Int>, _ columns: [ColumnStore], rowCount: Int,
    _ epoch: Epoch
  ) throws(SQLError) {
    let capacity = PagedArray<UInt32>.pageCapacity
    let room = (rowCount + capacity - 1) / capacity * capacity
    let following = try Buffer<UInt32>(repeatingInSlices: .max, count: room)
    let preceding = try Buffer<UInt32>(repeatingInSlices: .max, count: room)
    let partitions = partitions
    let tasks = (partitions.count + 63) / 64
    let keyCounts = Buffer<Int>(zeroed: tasks)
    try parallelForThrowing(tasks: tasks) { (task) throws(SQLError) in
      for index in (task * 64)..<min(partitions.count, task * 64 + 64) {
        let page = partitions[index]
        for place in starts[index]..<starts[index + 1] {
          let position = UInt32(truncatingIfNeeded: sorted[place])
          let head = page.addUnique(sorted[place], columns)
          if head == .max {
            keyCounts[task] &+= 1
            continue
          }
          let second = following[head]
          following[position] = second
          preceding[position] = head
          following[head] = position
          if second != .max { preceding[second] = position }
        }
      }
    }
    for task in 0..<tasks { keyCount += keyCounts[task] }
    self.following = PagedArray(initial: .max, adopting: following, epoch: epoch)
    self.preceding = PagedArray(initial: .max, adopting: preceding, epoch: epoch)
  }
}

extension HashPartition {
  /// Adds an entry unless a row with its key stands here, whose position is returned.
  ///
  /// - Precondition: there is room.
  fileprivate func addUnique(_ entry: UInt64, _ columns: [ColumnStore]) -> UInt32 {
    let tag = UInt32(truncatingIfNeeded: entry &>> 32)
    let position = UInt32(truncatingIfNeeded: entry)
    var index = Self.home(tag, UInt32(truncatingIfNeeded: entries.count))
    while entries[index] != Self.empty {
      if UInt32(truncatingIfNeeded: entries[index] &>> 32) == tag {
        let other = UInt32(truncatingIfNeeded: entries[index])
        if columns.allSatisfy({ $0.equals(position, other) }) { return other }
      }
      index &+= 1
      if index == entries.count { index = 0 }
    }
    entries[index] = entry
    count &+= 1
    return .max
  }
}
