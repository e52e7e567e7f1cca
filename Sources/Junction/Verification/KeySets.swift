import Columnar
import Diagnostics
import Storage

/// The numbers of all keys of a table.
///
/// Of hashes it takes equal ones for equal keys: of 2⁶⁴ numbers a wrong key hits one of those that are there by accident
/// less often than memory changes a bit by itself.
struct DigestSet: Sendable {
  /// Numbers by where they fall, 0 for none.
  private let slots: Buffer<UInt64>
  private let mask: Int
  /// Whether the number 0 is in the set, too.
  private let hasZero: Bool

  /// The memory that the keys of so many rows take.
  static func byteCount(_ count: Int) -> Int { slotCount(count) * 8 }

  private static func slotCount(_ count: Int) -> Int {
    1 << (Int.bitWidth - (2 * max(8, count) - 1).leadingZeroBitCount)
  }

  /// The numbers of all whole keys.
  ///
  /// - Complexity: O(*n*).
  /// - Throws: 57014, 53200.
  init(_ keys: KeyDigests) throws(SQLError) {
    let slots = try Buffer<UInt64>(zeroedInSlices: Self.slotCount(keys.count))
    let mask = slots.count - 1
    var hasZero = false
    try (0..<keys.count).inSlices { slice in
      for position in slice where keys.row(position) == .present {
        let digest = keys.digests[position]
        if digest == 0 {
          hasZero = true
          continue
        }
        var slot = Int(truncatingIfNeeded: KeyCells.mixed(digest)) & mask
        while slots[slot] != 0, slots[slot] != digest { slot = (slot &+ 1) & mask }
        slots[slot] = digest
      }
    }
    (self.slots, self.mask, self.hasZero) = (slots, mask, hasZero)
  }

  @inline(__always)
  func contains(_ digest: UInt64) -> Bool {
    if digest == 0 { return hasZero }
    var slot = Int(truncatingIfNeeded: KeyCells.mixed(digest)) & mask
    while slots[slot] != 0 {
      if slots[slot] == digest { return true }
      slot = (slot &+ 1) & mask
    }
    return false
  }
}

/// The rows of keys in parts: equal keys are in one, and a part is small enough for the cache.
struct DigestParts: Sendable {
  /// Where each part begins among the positions; one more than there are parts.
  private let starts: Buffer<Int>
  private let positions: Buffer<UInt32>
  private let keys: KeyDigests
  /// The rows that are in some part.
  let count: Int

  /// The memory that the keys of so many rows take.
  static func byteCount(_ count: Int) -> Int { count * 4 + partCount(count) * 16 }

  private static func partCount(_ count: Int) -> Int {
    1 << max(0, Int.bitWidth - (count >> 12).leadingZeroBitCount)
  }

  /// All rows whose keys are not NULL, or with `takesNulls` all rows.
  ///
  /// - Complexity: O(*n*).
  /// - Throws: 57014, 53200.
  init(_ keys: KeyDigests, takesNulls: Bool) throws(SQLError) {
    self.keys = keys
    let parts = Self.partCount(keys.count)
    let shift = UInt64(64 - parts.trailingZeroBitCount)
    func part(_ position: Int) -> Int? {
      switch keys.row(position) {
      case .deleted: return nil
      case .partlyNull, .null: if !takesNulls { return nil }
      case .present: break
      }
      // A shift by all bits is none.
      let mixed = KeyCells.mixed(keys.digests[position])
      return parts == 1 ? 0 : Int(truncatingIfNeeded: mixed &>> shift)
    }
    let starts = Buffer<Int>(zeroed: parts + 1)
    try (0..<keys.count).inSlices { slice in
      for position in slice {
        if let part = part(position) { starts[part &+ 1] &+= 1 }
      }
    }
    for part in 0..<parts { starts[part + 1] += starts[part] }
    count = starts[parts]
    let positions = Buffer<UInt32>(uninitialized: max(1, count))
    let next = Buffer<Int>(uninitialized: parts)
    next.copy(starts, count: parts, to: 0)
    try (0..<keys.count).inSlices { slice in
      for position in slice {
        guard let part = part(position) else { continue }
        positions[next[part]] = UInt32(truncatingIfNeeded: position)
        next[part] &+= 1
      }
    }
    (self.starts, self.positions) = (starts, positions)
  }

  /// The first row whose key another one before it has, too.
  ///
  /// - Complexity: O(*n*) expected, on all cores.
  /// - Throws: 57014, 53200.
  func firstRepeat() throws(SQLError) -> Int? {
    let parts = starts.count - 1
    let found = Buffer<Int>(repeating: .max, count: parts)
    parallelFor(tasks: parts) { part in
      if RunningStatement.isInterrupted { return }
      found[part] = firstRepeat(starts[part]..<starts[part + 1])
    }
    try RunningStatement.check()
    let first = (0..<parts).reduce(Int.max) { min($0, found[$1]) }
    return first == .max ? nil : first
  }

  /// As above, of one part, of which the positions rise; `Int.max` if there is none.
  private func firstRepeat(_ range: Range<Int>) -> Int {
    let slotCount = 1 << (Int.bitWidth - (2 * max(8, range.count) - 1).leadingZeroBitCount)
    let slots = Buffer<UInt32>(repeating: .max, count: slotCount)
    for place in range {
      let position = positions[place]
      let digest = keys.digests[position]
      var slot = Int(truncatingIfNeeded: KeyCells.mixed(digest)) & (slotCount &- 1)
      while slots[slot] != .max {
        let other = slots[slot]
        if keys.digests[other] == digest, isEqual(Int(other), Int(position)) {
          return Int(position)
        }
        slot = (slot &+ 1) & (slotCount &- 1)
      }
      slots[slot] = position
    }
    return .max
  }

  /// Whether two keys with equal numbers are equal; different ones have one number hardly ever.
  private func isEqual(_ first: Int, _ second: Int) -> Bool {
    keys.isExact || keys.bytes(at: first) == keys.bytes(at: second)
  }
}
