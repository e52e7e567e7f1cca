import Diagnostics

/// Groups of keys that are one number each: open addressing with the key in its slot.
final class PackedIndex<Key: FixedWidthInteger & UnsignedInteger & BitwiseCopyable> {
  /// A key beside its group + 1, so that both are in one cache line; 0 = empty.
  private struct Slot: BitwiseCopyable {
    var key: Key
    var group: UInt32
  }
  /// None before the first key has come.
  private var slots = Buffer<Slot>(uninitialized: 0)
  private var used = 0
  /// How many groups there may come to be, as far as anybody knows.
  var expectedCount = 0
  /// Where NULL goes if the key is one column, whose bits fill the number.
  private var nullGroup = UInt32.max
  private let keyBits: Int
  private let seed = Hashing.seed

  init(keyBits: Int) {
    self.keyBits = keyBits
  }

  var byteCount: Int { slots.count * MemoryLayout<Slot>.stride }

  /// Finds keys of which texts are a part; says false, having changed nothing, where one to be inserted
  /// is too long.
  func lookUpShort(
    _ columns: [Vector], _ count: Int, _ result: Buffer<UInt32>, _ fresh: FreshRows?
  ) throws(SQLError) -> Bool {
    let packed = Buffer<Key>(uninitialized: count)
    // A longer text is found nowhere.
    if !KeyPacking.packShort(columns, count, into: packed) && fresh != nil { return false }
    try lookUp(packed, .allValid, count, result, fresh)
    return true
  }

  func lookUp(
    _ columns: [Vector], _ count: Int, _ result: Buffer<UInt32>, _ fresh: FreshRows?
  ) throws(SQLError) {
    let packed = Buffer<Key>(uninitialized: count)
    var validity = ValidityMask.allValid
    if columns.count == 1 {
      let wide = Buffer<Int64>(uninitialized: count)
      KeyPacking.widen(columns[0], count, into: wide)
      for row in 0..<count { packed[row] = Key(truncatingIfNeeded: wide[row]) }
      validity = columns[0].validity
    } else {
      KeyPacking.pack(columns, count, into: packed)
    }
    try lookUp(packed, validity, count, result, fresh)
  }

  /// Finds keys that are packed already.
  func lookUp(
    _ packed: Buffer<Key>, _ validity: ValidityMask, _ count: Int, _ result: Buffer<UInt32>,
    _ fresh: FreshRows?
  ) throws(SQLError) {
    if fresh != nil { try reserve(used + count) }
    if slots.count == 0 {
      result.fill(0..<count, with: .max)
      return
    }
    let places = Buffer<Int>(uninitialized: count)
    for row in 0..<count { places[row] = home(packed[row]) }
    let slots = slots
    let mask = slots.count &- 1
    for row in 0..<count {
      guard validity.isValid(row) else {
        if nullGroup == .max, let fresh { nullGroup = fresh.add(row) }
        result[row] = nullGroup
        continue
      }
      let key = packed[row]
      var place = places[row]
      while true {
        let slot = slots[place]
        if slot.group == 0 {
          guard let fresh else {
            result[row] = .max
            break
          }
          let made = fresh.add(row)
          slots[place] = Slot(key: key, group: made &+ 1)
          used &+= 1
          result[row] = made
          break
        }
        if slot.key == key {
          result[row] = slot.group &- 1
          break
        }
        place = (place &+ 1) & mask
      }
    }
  }

  @inline(__always)
  private func home(_ key: Key) -> Int {
    var hash = Hashing.mix(UInt64(truncatingIfNeeded: key), seed)
    if Key.bitWidth > 64 {
      hash = Hashing.combine(hash, UInt64(truncatingIfNeeded: key >> 64))
      hash = Hashing.mix(hash, seed)
    }
    return Int(truncatingIfNeeded: hash) & (slots.count &- 1)
  }

  private func reserve(_ wanted: Int) throws(SQLError) {
    if Self.hold(slots.count, wanted) { return }
    var size = max(slots.count, Self.leastSlots)
    while !Self.hold(size, wanted) { size *= 2 }
    // Once there are many, those that are expected have their room at once, and are not moved again and again. Nobody is refused
    // room for what is there as there is none for what is only expected.
    var expected = size
    while size >= Self.manySlots && expected < Self.expectedSlots
      && !Self.hold(expected, expectedCount)
    {
      expected *= 2
    }
    if expected > size, (try? RunningStatement.reserve(expected * MemoryLayout<Slot>.stride)) != nil
    {
      size = expected
    }
    try RunningStatement.reserve(size * MemoryLayout<Slot>.stride)
    let old = slots
    let slots = try Buffer<Slot>(zeroedInSlices: size)
    self.slots = slots
    do throws(SQLError) {
      try (0..<old.count).inSlices { slice in
        for index in slice where old[index].group != 0 {
          var place = home(old[index].key)
          while slots[place].group != 0 { place = (place &+ 1) & (size &- 1) }
          slots[place] = old[index]
        }
      }
    } catch {
      self.slots = old
      throw error
    }
  }

  private static var leastSlots: Int { 64 }

  /// Whether so many slots are enough for so many keys: half of them stay free, and of many, which no cache holds, three eighths.
  private static func hold(_ slots: Int, _ keys: Int) -> Bool {
    slots < largeSlots ? keys * 2 <= slots : keys * 8 <= slots * 5
  }

  private static var manySlots: Int { 1 << 13 }
  private static var largeSlots: Int { 1 << 17 }
  private static var expectedSlots: Int { 1 << 21 }
}
