package import Diagnostics

/// Brings rows with keys of whole or exact numbers into the order of their keys' hashes: rows of one key stand together, in the order they
/// had.
///
/// Made in four rounds of pieces, each of which any thread may do once the round before is whole: rows of a slice are packed and
/// counted by the first bits of their hash; they are brought to the partition of these bits; a partition, small enough for a
/// cache, is put in order by itself; and its different keys are numbered.
package struct PackedRows: Sendable {
  private let keys: FittedKeys
  /// How exact numbers among the keys are whole ones; nil where there are none.
  private let decimals: DecimalKeys?
  private let columns: [Vector]
  package let count: Int
  /// What stands for each row in the result; nil for its own number.
  private let names: Buffer<UInt32>?
  private let split: HashSplit
  package let sliceCount: Int
  /// The packed keys by row.
  private let packed: Buffer<UInt64>
  /// For each slice and partition the number of rows, and then where its next row goes.
  private let places: Buffer<UInt32>
  /// Where partitions start, and how many different keys each has.
  private let starts: Buffer<UInt32>
  private let different: Buffer<UInt32>
  /// Packed keys and rows, by partition and then in order.
  private let sortedKeys: Buffer<UInt64>
  private let sortedRows: Buffer<UInt32>
  /// For each bucket the number of its first key, at first among those of its partition.
  private let firsts: Buffer<UInt32>

  private static let sliceRows = 1 << 16
  private static let sliceMax = 16

  /// nil where the keys of the flat columns are neither whole numbers nor exact ones with equally many digits behind the point, or
  /// do not fit 64 bits together.
  ///
  /// - Throws: 57014, 53200.
  package init?(_ columns: [Vector], count: Int, names: Buffer<UInt32>?) throws(SQLError) {
    var decimals = DecimalKeys(columns.map(\.type))
    let whole = decimals == nil ? columns : decimals?.taken(columns, count: count)
    guard let whole, !whole.isEmpty, let keys = try FittedKeys(whole.map { [($0, count)] }) else {
      return nil
    }
    self.keys = keys
    self.decimals = decimals
    self.columns = whole
    self.count = count
    self.names = names
    split = HashSplit(count: count)
    sliceCount = max(1, min(Self.sliceMax, (count + Self.sliceRows - 1) / Self.sliceRows))
    packed = try Buffer(uninitializedInSlices: max(1, count))
    sortedKeys = try Buffer(uninitializedInSlices: max(1, count))
    sortedRows = try Buffer(uninitializedInSlices: max(1, count))
    places = Buffer(zeroed: sliceCount * split.partitionCount)
    starts = Buffer(zeroed: split.partitionCount + 1)
    different = Buffer(zeroed: split.partitionCount)
    firsts = try Buffer(zeroedInSlices: split.bucketCount + 1)
  }

  package var partitionCount: Int { split.partitionCount }

  private func rows(ofSlice slice: Int) -> Range<Int> {
    let length = (count + sliceCount - 1) / sliceCount
    return min(count, slice * length)..<min(count, (slice + 1) * length)
  }

  /// The first round, a slice.
  package func pack(slice: Int) throws(SQLError) {
    let rows = rows(ofSlice: slice)
    let counts = places.slice(
      (slice * partitionCount)..<((slice + 1) * partitionCount))
    for start in stride(from: rows.lowerBound, to: rows.upperBound, by: Vector.chunkCapacity) {
      try RunningStatement.check()
      let length = min(Vector.chunkCapacity, rows.upperBound - start)
      let part = columns.map { $0.slice(from: start, count: length).flattened() }
      let packed = packed.slice(start..<(start + length))
      _ = keys.pack(part, length, into: packed)
      for row in 0..<length { counts[split.partition(of: packed[row])] &+= 1 }
    }
  }

  /// What stands between the first round and the second: where the rows of each slice go.
  package func layOut() {
    var next: UInt32 = 0
    for partition in 0..<partitionCount {
      starts[partition] = next
      for slice in 0..<sliceCount {
        let place = slice * partitionCount + partition
        let length = places[place]
        places[place] = next
        next &+= length
      }
    }
    starts[partitionCount] = next
  }

  /// The second round, a slice.
  package func distribute(slice: Int) throws(SQLError) {
    let rows = rows(ofSlice: slice)
    let next = places.slice((slice * partitionCount)..<((slice + 1) * partitionCount))
    try rows.inSlices { part in
      for row in part {
        let key = packed[row]
        let partition = split.partition(of: key)
        let place = next[partition]
        next[partition] = place &+ 1
        sortedKeys[place] = key
        sortedRows[place] = names.map { $0[row] } ?? UInt32(truncatingIfNeeded: row)
      }
    }
  }

  /// The third round, a partition: its rows by bucket, those of a bucket by key.
  package func arrange(partition: Int) throws(SQLError) {
    try RunningStatement.check()
    let (start, end) = (Int(starts[partition]), Int(starts[partition + 1]))
    let keys = sortedKeys.slice(start..<end)
    let rows = sortedRows.slice(start..<end)
    let length = end - start
    let buckets = split.bucketsPerPartition
    let places = Buffer<UInt32>(zeroed: buckets + 2)
    // Rows of one key, however many, are of one partition.
    try (0..<length).inSlices { slice in
      for row in slice { places[split.bucketInPartition(of: keys[row]) &+ 2] &+= 1 }
    }
    for bucket in 0..<buckets { places[bucket &+ 2] &+= places[bucket &+ 1] }
    let oldKeys = try Buffer<UInt64>(uninitializedInSlices: max(1, length))
    let oldRows = try Buffer<UInt32>(uninitializedInSlices: max(1, length))
    try oldKeys.copyInSlices(keys, from: 0, count: length, to: 0)
    try oldRows.copyInSlices(rows, from: 0, count: length, to: 0)
    try (0..<length).inSlices { slice in
      for row in slice {
        let bucket = split.bucketInPartition(of: oldKeys[row]) &+ 1
        let place = places[bucket]
        places[bucket] = place &+ 1
        keys[place] = oldKeys[row]
        rows[place] = oldRows[row]
      }
    }
    let firsts = firsts.slice((partition * buckets)..<((partition + 1) * buckets))
    var found: UInt32 = 0
    for bucket in 0..<buckets {
      firsts[bucket] = found
      let range = Int(places[bucket])..<Int(places[bucket &+ 1])
      if range.isEmpty { continue }
      found &+= 1
      if range.count == 1 { continue }
      Self.sort(keys, rows, range)
      for row in (range.lowerBound &+ 1)..<range.upperBound {
        found &+= keys[row] == keys[row &- 1] ? 0 : 1
      }
    }
    different[partition] = found
  }

  /// Sorts the rows of a bucket by key, those of one key in the order they had.
  private static func sort(
    _ keys: Buffer<UInt64>, _ rows: Buffer<UInt32>, _ range: Range<Int>
  ) {
    if range.count > insertedMax {
      let first = keys[range.lowerBound]
      if range.allSatisfy({ keys[$0] == first }) { return }
      let entries = range.map { (key: keys[$0], row: rows[$0]) }
      let order = entries.indices.sorted {
        (entries[$0].key, $0) < (entries[$1].key, $1)
      }
      for (place, index) in zip(range, order) {
        keys[place] = entries[index].key
        rows[place] = entries[index].row
      }
      return
    }
    for next in (range.lowerBound &+ 1)..<range.upperBound {
      let (key, row) = (keys[next], rows[next])
      var place = next
      while place > range.lowerBound && keys[place &- 1] > key {
        keys[place] = keys[place &- 1]
        rows[place] = rows[place &- 1]
        place &-= 1
      }
      keys[place] = key
      rows[place] = row
    }
  }

  private static let insertedMax = 24

  /// What stands between the third round and the last: how many different keys there are, and of each partition how many in those
  /// before it.
  package func numberPartitions() -> Int {
    var total: UInt32 = 0
    for partition in 0..<partitionCount {
      let own = different[partition]
      different[partition] = total
      total &+= own
    }
    firsts[split.bucketCount] = total
    return Int(total)
  }

  /// The last round, a partition: writes its different keys, and where the rows of each start.
  package func number(
    partition: Int, keys numbered: Buffer<UInt64>, offsets: Buffer<UInt32>
  ) throws(SQLError) {
    try RunningStatement.check()
    let base = different[partition]
    let buckets = split.bucketsPerPartition
    for bucket in (partition * buckets)..<((partition + 1) * buckets) { firsts[bucket] &+= base }
    var next = base
    var last: UInt64?
    for row in Int(starts[partition])..<Int(starts[partition + 1]) where sortedKeys[row] != last {
      last = sortedKeys[row]
      numbered[next] = sortedKeys[row]
      offsets[next] = UInt32(truncatingIfNeeded: row)
      next &+= 1
    }
  }

  /// The rows in their order, once all rounds are done.
  package var order: Buffer<UInt32> { sortedRows }

  /// The numbers of the keys, once all rounds are done.
  package func numbers(_ numbered: Buffer<UInt64>, count: Int) -> JointKeys {
    JointKeys(
      keys: keys, decimals: decimals, split: split, firsts: firsts, numbered: numbered, count: count
    )
  }
}
