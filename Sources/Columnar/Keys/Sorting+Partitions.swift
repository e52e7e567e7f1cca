import Diagnostics

/// Sorting on all cores: rows are first brought into partitions by the highest bits of their keys, each of which then stays in the
/// cache while it is sorted.
///
/// One pass over memory in place of one for every eleven bits of the key; every row keeps its place among equal ones.
///
/// Source: O. Polychroniou and K. Ross, "A Comprehensive Study of Main-Memory Partitioning and its Application to
/// Large-Scale Comparison- and Radix-Sort" (SIGMOD 2014).
extension Sorting {
  /// Fewer rows are sorted in one piece.
  static var partitionedRowCount: Int { 1 << 15 }

  /// Sorts rows by their keys; stable.
  ///
  /// - Complexity: O(*n*), shared by the workers, where the keys fit 64 bits and few are the same in their highest bits.
  static func sortPartitioned<Key: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ keys: Buffer<Key>, _ rows: Buffer<UInt32>, _ count: Int
  ) throws(SQLError) -> Buffer<UInt32> {
    let partitions = try KeyPartitions(keys, rows, count)
    let sorted = Buffer<UInt32>(uninitialized: count)
    let restBits = partitions.restBits
    let rowBits = partitions.rowBits
    if restBits + rowBits <= 64 {
      let entries = Buffer<PackedEntry<Key>>(uninitialized: count)
      try partitions.scatter(to: entries)
      try partitions.forEach { (range) throws(SQLError) in
        try sortPacked(entries.slice(range), restBits, rowBits: rowBits, range, to: sorted)
      }
    } else {
      let entries = Buffer<SortEntry<Key>>(uninitialized: count)
      try partitions.scatter(to: entries)
      try partitions.forEach { (range) throws(SQLError) in
        try sortEntries(entries.slice(range), restBits, range, to: sorted)
      }
    }
    return sorted
  }
}

/// What stands for a row while it is sorted.
protocol PartitionEntry: BitwiseCopyable, Sendable {
  associatedtype Key
  /// `rowBits` are as many as the greatest row has.
  init(key: Key, row: UInt32, rowBits: Int)
}

/// Where rows go by the highest bits of their keys.
private struct KeyPartitions<Key: FixedWidthInteger & BitwiseCopyable & Sendable>: Sendable {
  private let keys: Buffer<Key>
  private let rows: Buffer<UInt32>
  private let count: Int
  private let least: Key
  /// The bits of a key, less the least of all, below those that say its partition.
  let restBits: Int
  /// The bits of the greatest row.
  let rowBits: Int
  private let partitionCount: Int
  /// Where each partition begins; one more than there are.
  private let starts: Buffer<UInt32>
  /// For each piece of the rows, where the next of a partition goes.
  private let places: Buffer<UInt32>

  private static var digitBits: Int { 11 }
  private static var pieceLength: Int { 1 << 17 }

  init(_ keys: Buffer<Key>, _ rows: Buffer<UInt32>, _ count: Int) throws(SQLError) {
    let (least, greatest, lastRow) = try Self.bounds(keys, rows, count)
    let bits = Key.bitWidth - (greatest &- least).leadingZeroBitCount
    let digitBits = min(bits, Self.digitBits)
    let restBits = bits - digitBits
    let partitionCount = 1 << digitBits
    let pieces = Self.pieceCount(count)
    let places = Buffer<UInt32>(zeroed: pieces * partitionCount)
    try parallelForThrowing(tasks: pieces) { piece in
      let own = places.slice((piece * partitionCount)..<((piece + 1) * partitionCount))
      for index in Self.piece(piece, count) {
        own[Int(truncatingIfNeeded: (keys[rows[index]] &- least) &>> Key(restBits))] &+= 1
      }
    }
    let starts = Buffer<UInt32>(uninitialized: partitionCount + 1)
    var next: UInt32 = 0
    for partition in 0..<partitionCount {
      starts[partition] = next
      for piece in 0..<pieces {
        let place = piece &* partitionCount &+ partition
        let size = places[place]
        places[place] = next
        next &+= size
      }
    }
    starts[partitionCount] = next
    (self.keys, self.rows, self.count, self.least) = (keys, rows, count, least)
    (self.restBits, self.partitionCount) = (restBits, partitionCount)
    rowBits = 32 - lastRow.leadingZeroBitCount
    (self.starts, self.places) = (starts, places)
  }

  /// Writes an entry for each row, made of the rest of its key, partition by partition.
  func scatter<Entry: PartitionEntry>(
    to entries: Buffer<Entry>
  ) throws(SQLError) where Entry.Key == Key {
    let mask = restBits == 0 ? 0 : Key.max &>> Key(Key.bitWidth - restBits)
    try parallelForThrowing(tasks: Self.pieceCount(count)) { piece in
      let own = places.slice((piece * partitionCount)..<((piece + 1) * partitionCount))
      for index in Self.piece(piece, count) {
        let row = rows[index]
        let key = keys[row] &- least
        let partition = Int(truncatingIfNeeded: key &>> Key(restBits))
        let place = own[partition]
        own[partition] = place &+ 1
        entries[place] = Entry(key: key & mask, row: row, rowBits: rowBits)
      }
    }
  }

  /// Hands over the places of each partition that has some, on all cores.
  func forEach(
    _ body: @escaping @Sendable (Range<Int>) throws(SQLError) -> Void
  ) throws(SQLError) {
    // Several partitions to a task, but no more rows than make a piece unless one partition has them.
    var tasks = [0]
    for partition in 0..<partitionCount
    where Int(starts[partition + 1] - starts[tasks[tasks.count - 1]]) > Self.taskRows {
      tasks.append(partition + 1)
    }
    if tasks.last != partitionCount { tasks.append(partitionCount) }
    let bounds = tasks
    try parallelForThrowing(tasks: bounds.count - 1) { (task) throws(SQLError) in
      for partition in bounds[task]..<bounds[task + 1] {
        let range = Int(starts[partition])..<Int(starts[partition + 1])
        if !range.isEmpty { try body(range) }
      }
    }
  }

  private static var taskRows: Int { 1 << 15 }

  private static func pieceCount(_ count: Int) -> Int { (count + pieceLength - 1) / pieceLength }

  private static func piece(_ piece: Int, _ count: Int) -> Range<Int> {
    (piece * pieceLength)..<min(count, (piece + 1) * pieceLength)
  }

  private static func bounds(
    _ keys: Buffer<Key>, _ rows: Buffer<UInt32>, _ count: Int
  ) throws(SQLError) -> (least: Key, greatest: Key, lastRow: UInt32) {
    let pieces = pieceCount(count)
    let bounds = Buffer<Key>(uninitialized: 2 * pieces)
    let last = Buffer<UInt32>(zeroed: pieces)
    try parallelForThrowing(tasks: pieces) { index in
      var (least, greatest) = (Key.max, Key.min)
      var lastRow: UInt32 = 0
      for place in piece(index, count) {
        let key = keys[rows[place]]
        least = min(least, key)
        greatest = max(greatest, key)
        lastRow = max(lastRow, rows[place])
      }
      bounds[2 * index] = least
      bounds[2 * index + 1] = greatest
      last[index] = lastRow
    }
    var (least, greatest) = (Key.max, Key.min)
    var lastRow: UInt32 = 0
    for piece in 0..<pieces {
      least = min(least, bounds[2 * piece])
      greatest = max(greatest, bounds[2 * piece + 1])
      lastRow = max(lastRow, last[piece])
    }
    return (least, greatest, lastRow)
  }
}
