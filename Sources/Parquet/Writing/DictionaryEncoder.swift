import Columnar

/// Numbers the distinct values of a column chunk in the order in which they come, as long as they are few.
///
/// - Invariant: `slots` has the number plus one of each value at the first slot from its hash on that was free, and at least half
///   of them are; there is room for half as many values as there are slots.
struct DictionaryEncoder {
  private(set) var count = 0
  /// How many values were looked up.
  private(set) var lookedUp = 0
  /// The bytes that the values take in a dictionary page.
  private(set) var byteCount = 0
  private let lane: WrittenForm.Lane
  private var slots = Buffer<UInt32>(zeroed: 1 << 10)
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
    case .word32:
      let narrow = Buffer<UInt32>(uninitialized: max(count, 1))
      for index in 0..<count { narrow[index] = UInt32(truncatingIfNeeded: numbers[index]) }
      block = narrow.block
    case .word64: block = numbers.block
    case .bits, .wide, .views: block = views.block
    }
    return ValueLane(
      count: count, block: block, keeper: Vector(.text, views, count: 0, heaps: [heap]))
  }

  /// Whether the values repeat so seldom that their numbers are not worth it.
  var isPoor: Bool { lookedUp >= Self.trialCount && count > lookedUp / 2 }

  /// The numbers of the values of a lane, to `offset` on of a target that has room; false where they are too many.
  mutating func encode(_ values: ValueLane, into codes: Buffer<UInt32>, at offset: Int) -> Bool {
    if lane == .views { return encodeViews(values, into: codes, at: offset) }
    let isNarrow = lane == .word32
    let narrow = values.buffer(of: UInt32.self)
    let wide = values.buffer(of: UInt64.self)
    var last: UInt64 = 0
    var lastCode: UInt32?
    for row in 0..<values.count {
      let value = isNarrow ? UInt64(narrow[row]) : wide[row]
      // Equal values often stand together.
      if let lastCode, value == last {
        codes[offset &+ row] = lastCode
        continue
      }
      guard let code = code(of: value) else { return false }
      (last, lastCode) = (value, code)
      codes[offset &+ row] = code
    }
    lookedUp += values.count
    return true
  }

  private mutating func code(of value: UInt64) -> UInt32? {
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: Hashing.hash(int64: Int64(bitPattern: value))) & mask
    while slots[slot] != 0 {
      let known = slots[slot] &- 1
      if numbers[known] == value { return known }
      slot = (slot &+ 1) & mask
    }
    let size = lane == .word32 ? 4 : 8
    guard hasRoom(for: size) else { return nil }
    numbers[count] = value
    return admit(size, at: slot)
  }

  private mutating func encodeViews(
    _ values: ValueLane, into codes: Buffer<UInt32>, at offset: Int
  ) -> Bool {
    let source = values.buffer(of: TextView.self)
    for row in 0..<values.count {
      let view = source[row]
      let mask = slots.count &- 1
      var slot = Int(truncatingIfNeeded: Hashing.hash(text: view)) & mask
      var found: UInt32?
      while slots[slot] != 0 {
        let known = slots[slot] &- 1
        if views[known] == view {
          found = known
          break
        }
        slot = (slot &+ 1) & mask
      }
      if found == nil {
        guard hasRoom(for: 4 + view.count) else { return false }
        views[count] = heap.adopt(view)
        found = admit(4 + view.count, at: slot)
      }
      codes[offset &+ row] = found ?? 0
    }
    lookedUp += values.count
    return true
  }

  private func hasRoom(for size: Int) -> Bool {
    count < Self.countMax && byteCount + size <= Self.byteCountMax
  }

  /// Gives the next number to the value that stands behind the others, whose slot is `slot`.
  private mutating func admit(_ size: Int, at slot: Int) -> UInt32 {
    count += 1
    byteCount += size
    slots[slot] = UInt32(truncatingIfNeeded: count)
    if count &* 2 >= slots.count { grow() }
    return UInt32(truncatingIfNeeded: count &- 1)
  }

  private mutating func grow() {
    let room = slots.count
    slots = Buffer(zeroed: room * 2)
    if lane == .views {
      let grown = Buffer<TextView>(uninitialized: room)
      grown.copy(views, count: count, to: 0)
      views = grown
      for code in 0..<count { put(code, Hashing.hash(text: views[code])) }
    } else {
      let grown = Buffer<UInt64>(uninitialized: room)
      grown.copy(numbers, count: count, to: 0)
      numbers = grown
      for code in 0..<count {
        put(code, Hashing.hash(int64: Int64(bitPattern: numbers[code])))
      }
    }
  }

  private func put(_ code: Int, _ hash: UInt64) {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 { slot = (slot &+ 1) & mask }
    slots[slot] = UInt32(truncatingIfNeeded: code + 1)
  }
}
