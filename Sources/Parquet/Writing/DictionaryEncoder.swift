import Columnar

/// Numbers the distinct values of a column chunk in the order in which they come, as long as they are few.
///
/// - Invariant: `slots` has the number plus one of each value at the first slot from its hash on that was free, with the upper half
///   of the hash; at least half of the slots are free, and there is room for half as many values as there are slots.
struct DictionaryEncoder {
  private(set) var count = 0
  /// How many values were looked up.
  private(set) var lookedUp = 0
  /// The bytes that the values take in a dictionary page.
  private(set) var byteCount = 0
  private let lane: WrittenForm.Lane
  private var slots = Buffer<UInt64>(zeroed: 1 << 10)
  /// The hashes of the values at hand.
  private var scratch = Buffer<UInt64>(uninitialized: 0)
  /// Numbers of the lane's width.
  private var numbers = Buffer<UInt64>(uninitialized: 1 << 9)
  private var views = Buffer<TextView>(uninitialized: 0)
  private let heap = TextHeap()

  /// A dictionary has at most so many values and bytes: its numbers stay short, and readers keep it in their caches.
  private static let countMax = 1 << 16
  static let byteCountMax = 1 << 20
  /// From so many values on a dictionary has to pay.
  private static let trialCount = 1 << 12

  /// nil for values of which no dictionary is made.
  init?(_ lane: WrittenForm.Lane) {
    switch lane {
    case .word32, .word64: break
    case .views: views = Buffer(uninitialized: 1 << 9)
    case .bits, .wide: return nil
    }
    self.lane = lane
  }

  /// The values, for the dictionary page and the bounds.
  var values: ValueLane {
    let block: MemoryBlock
    switch lane {
    case .word32, .word64: block = numbers.block
    case .bits, .wide, .views: block = views.block
    }
    return ValueLane(
      count: count, block: block, keeper: Vector(.text, views, count: 0, heaps: [heap]))
  }

  /// Whether the values repeat so seldom that their numbers are not worth it.
  var isPoor: Bool { lookedUp >= Self.trialCount && count > lookedUp / 2 }

  /// The numbers of the values of a lane, to `offset` on of a target that has room; false where they are too many.
  mutating func encode(_ values: ValueLane, into codes: Buffer<UInt32>, at offset: Int) -> Bool {
    let rows = values.count
    let hashes = hashes(of: values)
    var row = 0
    while true {
      let slot: Int
      let size: Int
      switch lane {
      case .word32:
        slot = find(
          values.buffer(of: UInt32.self), numbers.block.buffer(of: UInt32.self), hashes, &row, rows,
          codes, offset)
        size = 4
      case .word64:
        slot = find(values.buffer(of: UInt64.self), numbers, hashes, &row, rows, codes, offset)
        size = 8
      case .bits, .wide, .views:
        slot = findViews(values.buffer(of: TextView.self), hashes, &row, rows, codes, offset)
        size = row < rows ? 4 + values.buffer(of: TextView.self)[row].count : 4
      }
      if row == rows { break }
      guard count < Self.countMax, byteCount + size <= Self.byteCountMax else { return false }
      switch lane {
      case .word32:
        numbers.block.buffer(of: UInt32.self)[count] = values.buffer(of: UInt32.self)[row]
      case .word64: numbers[count] = values.buffer(of: UInt64.self)[row]
      case .bits, .wide, .views:
        views[count] = heap.adopt(values.buffer(of: TextView.self)[row])
      }
      byteCount += size
      count += 1
      slots[slot] = Self.slot(count, hashes[row])
      if count * 2 >= slots.count { grow() }
    }
    lookedUp += rows
    return true
  }

  private mutating func hashes(of values: ValueLane) -> Buffer<UInt64> {
    if scratch.count < values.count { scratch = Buffer(uninitialized: values.count) }
    let type: LogicalType
    switch lane {
    case .word32: type = .integer
    case .word64: type = .bigint
    case .bits, .wide, .views: type = .text
    }
    Hashing.hash(
      Vector(type: type, count: values.count, storage: values.block), into: scratch,
      count: values.count)
    return scratch
  }

  /// A number plus one, and a part of its value's hash above it.
  @inline(__always)
  private static func slot(_ number: Int, _ hash: UInt64) -> UInt64 {
    hash & ~0xFFFF_FFFF | UInt64(truncatingIfNeeded: number)
  }

  /// Writes the numbers of values up to the first that has none; gives the slot that waits for that one.
  private func find<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ known: Buffer<Number>, _ hashes: Buffer<UInt64>, _ row: inout Int,
    _ rows: Int, _ codes: Buffer<UInt32>, _ offset: Int
  ) -> Int {
    let slots = slots
    let mask = slots.count &- 1
    var index = row
    defer { row = index }
    while index < rows {
      let value = values[index]
      var place = Int(truncatingIfNeeded: hashes[index]) & mask
      while true {
        let slot = slots[place]
        if slot == 0 { return place }
        let code = UInt32(truncatingIfNeeded: slot) &- 1
        if known[code] == value {
          codes[offset &+ index] = code
          break
        }
        place = (place &+ 1) & mask
      }
      index &+= 1
    }
    return 0
  }

  private func findViews(
    _ values: Buffer<TextView>, _ hashes: Buffer<UInt64>, _ row: inout Int, _ rows: Int,
    _ codes: Buffer<UInt32>, _ offset: Int
  ) -> Int {
    let (slots, known) = (slots, views)
    let mask = slots.count &- 1
    var index = row
    defer { row = index }
    while index < rows {
      let hash = hashes[index]
      var place = Int(truncatingIfNeeded: hash) & mask
      while true {
        let slot = slots[place]
        if slot == 0 { return place }
        let code = UInt32(truncatingIfNeeded: slot) &- 1
        if (slot ^ hash) &>> 32 == 0, known[code] == values[index] {
          codes[offset &+ index] = code
          break
        }
        place = (place &+ 1) & mask
      }
      index &+= 1
    }
    return 0
  }

  private mutating func grow() {
    let room = slots.count
    slots = Buffer(zeroed: room * 2)
    if lane == .views {
      let grown = Buffer<TextView>(uninitialized: room)
      grown.copy(views, count: count, to: 0)
      views = grown
    } else {
      let grown = Buffer<UInt64>(uninitialized: room)
      grown.copy(numbers, count: min(count, numbers.count), to: 0)
      numbers = grown
    }
    // Only the upper half of a hash is kept.
    let held = scratch
    scratch = Buffer(uninitialized: count)
    let hashes = hashes(of: values)
    scratch = held
    let mask = slots.count - 1
    for code in 0..<count {
      var place = Int(truncatingIfNeeded: hashes[code]) & mask
      while slots[place] != 0 { place = (place &+ 1) & mask }
      slots[place] = Self.slot(code + 1, hashes[code])
    }
  }
}
