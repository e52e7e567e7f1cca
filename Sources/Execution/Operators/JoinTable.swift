import Columnar
import Diagnostics

/// For each row of a probe chunk, where its candidates stand: `order[starts[i]..<ends[i]]`, or the
/// rows `starts[i]..<ends[i]` themselves where there is no order.
struct CandidateRanges {
  var starts: Buffer<UInt32>
  var ends: Buffer<UInt32>
  var order: Buffer<UInt32>?
  /// Whether no row has more than one candidate.
  var areSingle = false

  /// The same candidates for each of `count` rows.
  init(all candidates: Int, count: Int) {
    starts = Buffer(zeroed: max(count, 1))
    ends = Buffer(repeating: UInt32(truncatingIfNeeded: candidates), count: max(count, 1))
  }

  init(
    starts: Buffer<UInt32>, ends: Buffer<UInt32>, order: Buffer<UInt32>?, areSingle: Bool = false
  ) {
    self.starts = starts
    self.ends = ends
    self.order = order
    self.areSingle = areSingle
  }
}

/// Rows of a build side by key: a compressed index from a key's number to its rows, in their order.
///
/// A key's number is its distance from the least key where the keys are whole numbers that stand close together, or several such
/// of which there are few combinations; how many keys are less where they are farther apart, its place by hash where several whole
/// numbers can be one of 64 bits, and what a `GroupTable` gives it otherwise.
///
/// Only read once it is built.
final class JoinTable {
  private enum Numbering {
    case dense(DenseKeys)
    case ranked(RankedNumbers)
    case joint(JointKeys)
    case grouped(GroupTable)
  }
  private let numbering: Numbering
  /// Where the rows of each key start in `order`; one entry more than there are keys.
  let offsets: Buffer<UInt32>
  /// The rows by key; nil once they stand in this order themselves.
  private(set) var order: Buffer<UInt32>?
  /// How many rows have keys that can match.
  private let presentCount: Int
  /// Whether NULL matches NULL, for each key column.
  private let nullsMatch: [Bool]
  /// How many keys there are at most.
  let keyCount: Int
  /// Whether no two rows have the same key.
  private let isUnique: Bool

  /// A dense table may have this many places for each row, and one for this many rows that are looked up: no look-up by hash is
  /// as fast, but places are zeroed each time the table is built.
  private static let (spreadMax, lookUpsPerPlace) = (8, 16)
  private static let spreadPlaceMax = 1 << 18

  /// Several workers share the work where there is a `context`; `lookUps` is how many rows are expected to be looked up.
  ///
  /// - Precondition: the keys are flat.
  /// - Throws: 57014, 53200.
  init(
    keys: [Vector], nullsMatch: [Bool], count: Int, lookUps: Double = 0,
    sharing context: ExecutionContext? = nil
  ) throws(SQLError) {
    self.nullsMatch = nullsMatch
    let wanted = min(lookUps / Double(Self.lookUpsPerPlace), Double(Self.spreadPlaceMax))
    let spread = Int(max(0, wanted))
    let present = Self.presentRows(keys, nullsMatch, count)
    let rows = present?.count ?? count
    var used = keys
    if let present {
      for index in keys.indices {
        used[index] = try keys[index].gatheredInSlices(present.positions, count: rows)
      }
    }
    let numbers: Buffer<UInt32>
    if !nullsMatch.contains(true),
      let dense = try DenseKeys(used, count: rows, limit: max(4096, spread, rows &* Self.spreadMax))
    {
      numbering = .dense(dense)
      numbers = try dense.numbers(of: used, count: rows)
      keyCount = dense.count
    } else if let ranked = try Self.ranked(used, nullsMatch, rows) {
      numbering = .ranked(ranked)
      numbers = try ranked.numbers(of: used[0], count: rows)
      keyCount = ranked.count
    } else if let packed = try PackedRows(used, count: rows, names: present?.positions) {
      let (keys, offsets) = try Self.arranged(packed, context)
      numbering = .joint(keys)
      keyCount = keys.count
      self.offsets = offsets
      presentCount = rows
      order = packed.order
      isUnique = keyCount == rows
      return
    } else {
      let table = GroupTable(types: keys.map(\.type))
      numbers = Buffer(uninitialized: max(rows, 1))
      var start = 0
      while start < rows {
        let length = min(Vector.chunkCapacity, rows - start)
        try RunningStatement.check()
        let part = try table.findOrInsert(
          used.map { $0.slice(from: start, count: length) }, count: length)
        numbers.copy(part, count: length, to: start)
        start += length
        // As many more as there were of the first.
        if start <= Self.trialRows {
          table.expectedCount = Int(Double(rows) * Double(table.groupCount) / Double(start))
        }
      }
      numbering = .grouped(table)
      keyCount = table.groupCount
    }
    offsets = try Buffer(zeroedInSlices: keyCount + 2)
    presentCount = rows
    if present == nil, try Self.areRising(numbers, rows) {
      order = nil
      try Self.count(numbers, rows, keyCount, offsets)
    } else {
      let order: Buffer<UInt32> = try Buffer(uninitializedInSlices: max(rows, 1))
      try Self.arrange(numbers, rows, present, keyCount, offsets, order)
      self.order = order
    }
    let usedKeys = rows <= keyCount ? try Self.usedKeys(offsets, keyCount) : 0
    isUnique = usedKeys == rows
  }

  /// How many keys have rows.
  private static func usedKeys(
    _ offsets: Buffer<UInt32>, _ keyCount: Int
  ) throws(SQLError) -> Int {
    var used = 0
    try (0..<keyCount).inSlices { slice in
      for key in slice { used &+= bit(offsets[key] != offsets[key &+ 1]) }
    }
    return used
  }

  /// Puts rows in order, and says where those of each key start.
  private static func arranged(
    _ rows: PackedRows, _ context: ExecutionContext?
  ) throws(SQLError) -> (JointKeys, offsets: Buffer<UInt32>) {
    func share(
      _ count: Int, _ body: @escaping @Sendable (Int) throws(SQLError) -> Void
    ) throws(SQLError) {
      guard let context, count > 1 else {
        for piece in 0..<count { try body(piece) }
        return
      }
      let workers = Array(0..<max(1, min(Workers.parallelism, context.workerLimit)))
      try Workers.share(count, among: workers, context) {
        (_: Int, piece: Int) throws(SQLError) in try body(piece)
      }
    }
    try share(rows.sliceCount) { (slice) throws(SQLError) in try rows.pack(slice: slice) }
    rows.layOut()
    try share(rows.sliceCount) { (slice) throws(SQLError) in try rows.distribute(slice: slice) }
    try share(rows.partitionCount) { (partition) throws(SQLError) in
      try rows.arrange(partition: partition)
    }
    let keyCount = rows.numberPartitions()
    let keys: Buffer<UInt64> = try Buffer(uninitializedInSlices: max(1, keyCount))
    let offsets: Buffer<UInt32> = try Buffer(uninitializedInSlices: keyCount + 2)
    try share(rows.partitionCount) { (partition) throws(SQLError) in
      try rows.number(partition: partition, keys: keys, offsets: offsets)
    }
    for end in 0..<2 { offsets[keyCount + end] = UInt32(truncatingIfNeeded: rows.count) }
    return (rows.numbers(keys, count: keyCount), offsets)
  }

  /// So many rows tell how many different keys there will be.
  private static let trialRows = 1 << 15
  /// Fewer rows are in a cache, wherever they stand.
  private static let clusterMin = 1 << 17
  /// So many rows a key must have on average for it to pay to bring them together.
  private static let clusterShare = 2

  /// The rows in the order of their keys and behind them those that match nothing, if it pays to bring them into this order: rows
  /// of a key are then read from one place of memory instead of one for each.
  ///
  /// From here on candidates go by their places in that order.
  ///
  /// - Throws: 57014, 53200.
  func takeOrder(rowCount: Int) throws(SQLError) -> Buffer<UInt32>? {
    guard let order, presentCount >= Self.clusterMin else { return nil }
    if isUnique { return nil }
    let used = try Self.usedKeys(offsets, keyCount)
    if used * Self.clusterShare > presentCount { return nil }
    self.order = nil
    if presentCount == rowCount { return order }
    let all: Buffer<UInt32> = try Buffer(uninitializedInSlices: rowCount)
    let isPresent: Buffer<UInt8> = try Buffer(zeroedInSlices: rowCount)
    try (0..<presentCount).inSlices { slice in
      for place in slice {
        all[place] = order[place]
        isPresent[order[place]] = 1
      }
    }
    var next = presentCount
    try (0..<rowCount).inSlices { slice in
      for row in slice where isPresent[row] == 0 {
        all[next] = UInt32(truncatingIfNeeded: row)
        next &+= 1
      }
    }
    return all
  }

  var byteCount: Int {
    var total = (offsets.count + (order?.count ?? 0)) * 4
    switch numbering {
    case .dense: break
    case .ranked(let numbers): total += numbers.byteCount
    case .joint(let keys): total += keys.byteCount
    case .grouped(let table): total += table.byteCount
    }
    return total
  }

  /// Whether the rows stand in the order of their keys as they come.
  private static func areRising(_ numbers: Buffer<UInt32>, _ rows: Int) throws(SQLError) -> Bool {
    var start = 1
    while start < rows {
      try RunningStatement.check()
      let end = min(rows, start + Range<Int>.sliceLength)
      var falls = 0
      for row in start..<end { falls |= bit(numbers[row] < numbers[row &- 1]) }
      if falls != 0 { return false }
      start = end
    }
    return true
  }

  /// Where the rows of each key start if they stand in the order of their keys.
  private static func count(
    _ numbers: Buffer<UInt32>, _ rows: Int, _ keyCount: Int, _ offsets: Buffer<UInt32>
  ) throws(SQLError) {
    try (0..<rows).inSlices { slice in
      for row in slice { offsets[Int(numbers[row]) &+ 1] &+= 1 }
    }
    try (0..<(keyCount + 1)).inSlices { slice in
      for key in slice { offsets[key &+ 1] &+= offsets[key] }
    }
  }

  /// A counting sort: rows of one key stand together, in the order they had.
  private static func arrange(
    _ numbers: Buffer<UInt32>, _ rows: Int, _ present: SelectionVector?, _ keyCount: Int,
    _ offsets: Buffer<UInt32>, _ order: Buffer<UInt32>
  ) throws(SQLError) {
    // Counted two places further on, so that filling moves each start to where its key begins.
    try (0..<rows).inSlices { slice in
      for row in slice { offsets[Int(numbers[row]) &+ 2] &+= 1 }
    }
    try (0..<keyCount).inSlices { slice in
      for key in slice { offsets[key &+ 2] &+= offsets[key &+ 1] }
    }
    try (0..<rows).inSlices { slice in
      for row in slice {
        let key = Int(numbers[row]) &+ 1
        let place = offsets[key]
        offsets[key] = place &+ 1
        order[place] = present.map { $0.positions[row] } ?? UInt32(truncatingIfNeeded: row)
      }
    }
  }

  /// The rows whose keys can match anything; nil for all.
  static func presentRows(_ keys: [Vector], _ nullsMatch: [Bool], _ count: Int) -> SelectionVector?
  {
    SelectionVector.present(
      in: zip(keys, nullsMatch).filter { !$0.1 }.map(\.0), count: count)
  }

  private static func ranked(
    _ keys: [Vector], _ nullsMatch: [Bool], _ count: Int
  ) throws(SQLError) -> RankedNumbers? {
    guard keys.count == 1, !nullsMatch[0] else { return nil }
    return try RankedNumbers(keys[0], count: count)
  }

  /// The number of the key of each row, at least `keyCount` where the table has it not.
  ///
  /// - Complexity: O(*n*) on average.
  func numbers(of keys: [Vector], count: Int) throws(SQLError) -> Buffer<UInt32> {
    var flat: [Vector] = []
    for key in keys {
      flat.append(try key.digits == nil ? key.flattenedInSlices() : key.compactFlattened())
    }
    let numbers: Buffer<UInt32>
    switch numbering {
    case .dense(let keys): numbers = try keys.numbers(of: flat, count: count)
    case .ranked(let ranked): numbers = try ranked.numbers(of: flat[0], count: count)
    case .joint(let keys): numbers = try keys.numbers(of: flat, count: count)
    case .grouped(let table): numbers = try table.find(flat, count: count)
    }
    for (key, matches) in zip(flat, nullsMatch) where !matches && !key.validity.isAllValid {
      for row in 0..<count where !key.validity.isValid(row) { numbers[row] = .max }
    }
    return numbers
  }

  /// The candidates of each row of keys.
  func candidates(of keys: [Vector], count: Int) throws(SQLError) -> CandidateRanges {
    let numbers = try numbers(of: keys, count: count)
    let starts = Buffer<UInt32>(uninitialized: max(count, 1))
    let ends = Buffer<UInt32>(uninitialized: max(count, 1))
    let offsets = offsets
    let none = UInt32(truncatingIfNeeded: keyCount)
    for row in 0..<count {
      // A key not there goes to the last entry, which is followed by itself: an empty range.
      let key = Int(min(numbers[row], none))
      starts[row] = offsets[key]
      ends[row] = offsets[min(key &+ 1, keyCount)]
    }
    return CandidateRanges(starts: starts, ends: ends, order: order, areSingle: isUnique)
  }
}
