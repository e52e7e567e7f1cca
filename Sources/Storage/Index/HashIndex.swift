import Columnar

/// What a probe needs of a partition.
struct HashSlots: BitwiseCopyable {
  let entries: PagePointer<UInt64>
  let capacity: UInt32
}

/// One partition of a hash index: open addressing with linear probing.
///
/// An entry is the upper half of the key's hash and the position of a row; the key itself stands in the
/// table's columns.
final class HashPartition: VersionedPage, @unchecked Sendable {
  // Sendable by the rule of `VersionedPage`.
  let owner: Epoch
  var entries: Buffer<UInt64>
  var count: Int
  static let empty = UInt64.max

  init(owner: Epoch, capacity: Int) {
    self.owner = owner
    entries = Buffer(repeating: Self.empty, count: max(capacity, 8))
    count = 0
  }

  private init(owner: Epoch, entries: Buffer<UInt64>, count: Int) {
    self.owner = owner
    self.entries = entries
    self.count = count
  }

  var slot: HashSlots {
    HashSlots(
      entries: PagePointer(entries), capacity: UInt32(truncatingIfNeeded: entries.count))
  }

  func copy(owner: Epoch) -> HashPartition {
    let copied = Buffer<UInt64>(uninitialized: entries.count)
    copied.copy(entries, count: entries.count, to: 0)
    return HashPartition(owner: owner, entries: copied, count: count)
  }

  /// Where an entry would stand if nobody stood there: 12 bits of the hash, scaled to the capacity.
  @inline(__always)
  static func home(_ tag: UInt32, _ capacity: UInt32) -> Int {
    Int(truncatingIfNeeded: (UInt64(tag & 0xFFF) &* UInt64(capacity)) &>> 12)
  }

  /// Adds an entry; nobody looks for equals.
  func add(_ entry: UInt64) {
    if (count &+ 1) &* 4 > entries.count &* 3 { grow(to: entries.count &* 3 / 2 &+ 8) }
    var index = Self.home(
      UInt32(truncatingIfNeeded: entry &>> 32), UInt32(truncatingIfNeeded: entries.count))
    while entries[index] != Self.empty {
      index &+= 1
      if index == entries.count { index = 0 }
    }
    entries[index] = entry
    count &+= 1
  }

  private func grow(to capacity: Int) {
    let old = entries
    entries = Buffer(repeating: Self.empty, count: capacity)
    count = 0
    for index in 0..<old.count where old[index] != Self.empty { add(old[index]) }
  }

  /// The place of the entry of a row; nil if there is none.
  func place(_ tag: UInt32, _ position: UInt32) -> Int? {
    let entry = UInt64(tag) &<< 32 | UInt64(position)
    var index = Self.home(tag, UInt32(truncatingIfNeeded: entries.count))
    while entries[index] != Self.empty {
      if entries[index] == entry { return index }
      index &+= 1
      if index == entries.count { index = 0 }
    }
    return nil
  }

  func replace(_ place: Int, position: UInt32) {
    entries[place] = entries[place] & ~0xFFFF_FFFF | UInt64(position)
  }

  /// Takes an entry out and closes the gap, so that no tombstones gather.
  func remove(_ place: Int) {
    let capacity = entries.count
    var hole = place
    var index = place
    while true {
      index &+= 1
      if index == capacity { index = 0 }
      let entry = entries[index]
      if entry == Self.empty { break }
      let home = Self.home(
        UInt32(truncatingIfNeeded: entry &>> 32), UInt32(truncatingIfNeeded: capacity))
      // The entry may fill the hole unless its home lies behind the hole, on the way to the entry.
      let distanceToHome = index >= home ? index &- home : index &+ capacity &- home
      let distanceToHole = index >= hole ? index &- hole : index &+ capacity &- hole
      if distanceToHome >= distanceToHole {
        entries[hole] = entry
        hole = index
      }
    }
    entries[hole] = Self.empty
    count &-= 1
  }
}

extension PageTree<HashPartition> {
  /// The head of the key with this hash for which `matches` says that a row has it.
  @inline(__always)
  func head(hash: UInt64, matches: (UInt32) -> Bool) -> UInt32 {
    guard count > 0 else { return .max }
    let tag = HashIndex.tag(hash)
    let slots = slot(HashIndex.partition(tag, count))
    let capacity = Int(truncatingIfNeeded: slots.capacity)
    var index = HashPartition.home(tag, slots.capacity)
    while true {
      let entry = slots.entries[index]
      if entry == HashPartition.empty { return .max }
      if UInt32(truncatingIfNeeded: entry &>> 32) == tag {
        let position = UInt32(truncatingIfNeeded: entry)
        if matches(position) { return position }
      }
      index &+= 1
      if index == capacity { index = 0 }
    }
  }
}

/// A versioned hash table from keys to positions of rows.
///
/// Partitions of several hundred keys are found by linear hashing (Litwin 1980): when the keys grow, one
/// partition after another is split in two, so that no insertion pays for the whole table. A write copies
/// one partition on first touch.
///
/// Rows with the same key form a chain through two arrays by position; the table holds its head.
struct HashIndex: Sendable {
  /// Partitions hold this many keys on average, up to twice as many before they are split.
  static let load = 768

  let isUnique: Bool
  let nulls: NullEquality
  var partitions = PageTree<HashPartition>()
  /// The number of rows.
  var count = 0
  /// The number of different keys.
  var keyCount = 0
  var following = PagedArray<UInt32>(initial: .max)
  var preceding = PagedArray<UInt32>(initial: .max)

  init(isUnique: Bool, nulls: NullEquality) {
    self.isUnique = isUnique
    self.nulls = nulls
  }

  @inline(__always)
  static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash &>> 32) }

  /// The partition of a tag among `count`.
  @inline(__always)
  static func partition(_ tag: UInt32, _ count: Int) -> Int {
    let bits = Int(truncatingIfNeeded: tag &>> 12)
    let level = Int.bitWidth &- 1 &- count.leadingZeroBitCount
    let wide = bits & (2 &<< level &- 1)
    return wide < count ? wide : wide & (1 &<< level &- 1)
  }

  // MARK: Lookup

  /// The head of the key with this hash for which `matches` says that a row has it.
  @inline(__always)
  func lookup(hash: UInt64, matches: (UInt32) -> Bool) -> UInt32 {
    partitions.head(hash: hash, matches: matches)
  }

  /// The head of the key that is one whole number.
  func lookup(_ number: Int64, column: ColumnStore) -> UInt32 {
    lookup(hash: Hashing.hash(int64: number)) { column.wholeNumber($0) == number }
  }

  func lookup(_ numbers: WholeNumbers, count: Int, column: ColumnStore) -> Buffer<UInt32> {
    let result = Buffer<UInt32>(repeating: .max, count: count)
    guard partitions.count > 0 else { return result }
    let hashes = Buffer<UInt64>(uninitialized: count)
    let keys = Vector(.bigint, numbers.values, count: count)
    Hashing.hash(keys, into: hashes, count: count)
    probe(hashes, numbers.validity, into: result, count: count)
    // Verified apart from the probe, so that the loads of different rows overlap.
    switch column.type.physical {
    case .int16: verify(hashes, numbers, result, count, column) { Int64($0 as Int16) }
    case .int32: verify(hashes, numbers, result, count, column) { Int64($0 as Int32) }
    case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      verify(hashes, numbers, result, count, column) { $0 as Int64 }
    }
    return result
  }

  @inline(__always)
  private func verify<Element: BitwiseCopyable>(
    _ hashes: Buffer<UInt64>, _ numbers: WholeNumbers, _ result: Buffer<UInt32>, _ count: Int,
    _ column: ColumnStore, _ widen: (Element) -> Int64
  ) {
    for row in 0..<count {
      let position = result[row]
      if position == .max { continue }
      if widen(column.element(position, as: Element.self)) == numbers.values[row] { continue }
      result[row] = lookup(hash: hashes[row]) {
        widen(column.element($0, as: Element.self)) == numbers.values[row]
      }
    }
  }

  /// The first entry with the tag of each row, which may be of another key.
  private func probe(
    _ hashes: Buffer<UInt64>, _ validity: ValidityMask, into result: Buffer<UInt32>, count: Int
  ) {
    for row in 0..<count {
      result[row] = lookup(hash: hashes[row]) { _ in true }
    }
    if !validity.isAllValid {
      for row in 0..<count where !validity.isValid(row) { result[row] = .max }
    }
  }

  /// The head of each key, or `UInt32.max`.
  func lookup(_ keys: [Vector], count: Int, columns: [ColumnStore]) -> Buffer<UInt32> {
    let result = Buffer<UInt32>(repeating: .max, count: count)
    guard partitions.count > 0, count > 0 else { return result }
    let hashes = Hashing.hash(keys, count: count)
    var validity = ValidityMask.allValid
    if nulls == .unequal {
      for key in keys where key.mayHaveNulls {
        validity = .both(validity, key.flattened().validity, count: count)
      }
    }
    probe(hashes, validity, into: result, count: count)
    var rows = Buffer<UInt32>(uninitialized: count)
    var waiting = 0
    for row in 0..<count where result[row] != .max {
      rows[waiting] = UInt32(truncatingIfNeeded: row)
      waiting &+= 1
    }
    // Nearly every row is settled in the first round; a round more for each further entry of equal tag.
    while waiting > 0 {
      let candidates = Buffer<UInt32>(uninitialized: waiting)
      for index in 0..<waiting { candidates[index] = result[rows[index]] }
      let stored = columns.map { $0.gather(candidates, count: waiting) }
      let identity = SelectionVector.all(waiting).positions
      let same = RowComparison.matching(
        keys, rows.slice(0..<waiting), stored, identity, count: waiting, nulls: nulls)
      if same.count == waiting { break }
      let failed = same.complement(of: waiting)
      let next = Buffer<UInt32>(uninitialized: failed.count)
      var left = 0
      for index in 0..<failed.count {
        let row = rows[failed.positions[index]]
        let position = after(hashes[row], result[row])
        result[row] = position
        next[left] = row
        left &+= bit(position != .max)
      }
      rows = next
      waiting = left
    }
    return result
  }

  /// The next entry with the same tag behind that of `position`.
  private func after(_ hash: UInt64, _ position: UInt32) -> UInt32 {
    var seen = false
    return lookup(hash: hash) { candidate in
      if seen { return true }
      seen = candidate == position
      return false
    }
  }

  /// The next row with the same key, or `UInt32.max`.
  @inline(__always)
  func next(after position: UInt32) -> UInt32 {
    Int(position) < following.count ? following[Int(position)] : .max
  }

  /// Each row with its head and all that follow it.
  func pairs(
    heads: Buffer<UInt32>, count: Int
  ) -> (rows: Buffer<UInt32>, positions: Buffer<UInt32>, count: Int) {
    var total = 0
    for row in 0..<count {
      var position = heads[row]
      while position != .max {
        total &+= 1
        position = next(after: position)
      }
    }
    let rows = Buffer<UInt32>(uninitialized: total)
    let positions = Buffer<UInt32>(uninitialized: total)
    var index = 0
    for row in 0..<count {
      var position = heads[row]
      while position != .max {
        rows[index] = UInt32(truncatingIfNeeded: row)
        positions[index] = position
        index &+= 1
        position = next(after: position)
      }
    }
    return (rows, positions, total)
  }

  // MARK: Maintenance

  /// Enters a row whose key stands in the columns already.
  ///
  /// - Returns: for a unique index the position of a row with the same key, which leaves the index as
  ///   it was; otherwise `UInt32.max`.
  /// - Complexity: amortised O(1), and the copy of a partition on first touch under the epoch.
  mutating func insert(
    _ hash: UInt64, _ position: UInt32, columns: [ColumnStore], epoch: Epoch
  ) -> UInt32 {
    if partitions.count == 0 {
      partitions.append(HashPartition(owner: epoch, capacity: 16), epoch: epoch)
    }
    let head = lookup(hash: hash) { other in
      for column in columns where !column.equals(position, other) { return false }
      return true
    }
    if head != .max && isUnique { return head }
    count += 1
    if !isUnique { growChains(toInclude: Int(position), epoch: epoch) }
    if head != .max {
      // The newcomer goes second, so that the partition stays as it is.
      let second = following[Int(head)]
      following.set(Int(position), second, epoch: epoch)
      preceding.set(Int(position), head, epoch: epoch)
      following.set(Int(head), position, epoch: epoch)
      if second != .max { preceding.set(Int(second), position, epoch: epoch) }
      return .max
    }
    addKey(hash, position, epoch)
    return .max
  }

  /// Enters a row whose key no row has into a unique index.
  ///
  /// - Complexity: as of `insert`.
  mutating func insertNew(_ hash: UInt64, _ position: UInt32, epoch: Epoch) {
    if partitions.count == 0 {
      partitions.append(HashPartition(owner: epoch, capacity: 16), epoch: epoch)
    }
    count += 1
    addKey(hash, position, epoch)
  }

  private mutating func addKey(_ hash: UInt64, _ position: UInt32, _ epoch: Epoch) {
    keyCount += 1
    let tag = Self.tag(hash)
    write(Self.partition(tag, partitions.count), epoch) {
      $0.add(UInt64(tag) << 32 | UInt64(position))
    }
    if keyCount > partitions.count * Self.load { split(epoch) }
  }

  private mutating func growChains(toInclude position: Int, epoch: Epoch) {
    following.grow(toInclude: position, epoch: epoch)
    preceding.grow(toInclude: position, epoch: epoch)
  }

  @inline(__always)
  private mutating func write(_ index: Int, _ epoch: Epoch, _ change: (HashPartition) -> Void) {
    change(partitions.writable(index, epoch: epoch))
    partitions.refresh(index, epoch: epoch)
  }

  /// Splits the next partition in turn.
  private mutating func split(_ epoch: Epoch) {
    let old = partitions.count
    guard old < 1 << 20 else { return }
    let level = Int.bitWidth - 1 - old.leadingZeroBitCount
    let source = old - 1 << level
    let entries = partitions[source].entries
    let size = partitions[source].count
    let kept = HashPartition(owner: epoch, capacity: size)
    let moved = HashPartition(owner: epoch, capacity: size)
    for index in 0..<entries.count where entries[index] != HashPartition.empty {
      let tag = UInt32(truncatingIfNeeded: entries[index] &>> 32)
      let target = Self.partition(tag, old + 1)
      (target == old ? moved : kept).add(entries[index])
    }
    partitions.replace(source, with: kept, epoch: epoch)
    partitions.append(moved, epoch: epoch)
  }

  /// Takes out a row with this hash of its key.
  ///
  /// - Complexity: O(1), and the copy of a partition on first touch under the epoch.
  mutating func remove(_ hash: UInt64, _ position: UInt32, epoch: Epoch) {
    guard partitions.count > 0 else { return }
    let tag = Self.tag(hash)
    let index = Self.partition(tag, partitions.count)
    let row = Int(position)
    if let place = partitions[index].place(tag, position) {
      let second = next(after: position)
      write(index, epoch) {
        if second == .max { $0.remove(place) } else { $0.replace(place, position: second) }
      }
      count -= 1
      if second == .max {
        keyCount -= 1
      } else {
        preceding.set(Int(second), .max, epoch: epoch)
        following.set(row, .max, epoch: epoch)
      }
    } else if row < preceding.count, preceding[row] != .max {
      let previous = preceding[row]
      let next = following[row]
      following.set(Int(previous), next, epoch: epoch)
      if next != .max { preceding.set(Int(next), previous, epoch: epoch) }
      following.set(row, .max, epoch: epoch)
      preceding.set(row, .max, epoch: epoch)
      count -= 1
    }
  }
}
