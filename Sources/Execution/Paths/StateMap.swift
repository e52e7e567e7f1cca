import Columnar

/// What a search knows of pairs of a state and a vertex: a number for each that it has been at.
///
/// Few are kept in a hash table; when they are many of all there can be, each gets a place of its own.
///
/// - Invariant: a hash table is at most half full. Values are below `UInt32.max`, which stands for none.
struct StateMap {
  private enum Form { case hashed, direct }
  private var form = Form.hashed
  /// Keys are below this.
  private let keyLimit: Int
  private var keys: Buffer<UInt64>
  private var values: Buffer<UInt32>
  private var capacity = 256
  private(set) var count = 0

  static let none = UInt32.max
  private static let noKey = UInt64.max
  /// No more places than this are made for keys of their own.
  private static let directLimit = 1 << 28

  init(keyLimit: Int) {
    self.keyLimit = keyLimit
    keys = Buffer(repeating: Self.noKey, count: 256)
    values = Buffer(uninitialized: 256)
  }

  var byteCount: Int { form == .direct ? keyLimit * 4 : capacity * 12 }

  @inline(__always)
  private func slot(_ key: Int) -> Int {
    var slot = Int(
      truncatingIfNeeded: UInt64(truncatingIfNeeded: key) &* 0x9E37_79B9_7F4A_7C15 >> 32)
    slot &= capacity &- 1
    let wanted = UInt64(truncatingIfNeeded: key)
    while keys[slot] != wanted && keys[slot] != Self.noKey { slot = (slot &+ 1) & (capacity &- 1) }
    return slot
  }

  /// The value of a key; `none` if it has none.
  subscript(key: Int) -> UInt32 {
    @inline(__always) get {
      if form == .direct { return values[key] }
      let slot = slot(key)
      return keys[slot] == Self.noKey ? Self.none : values[slot]
    }
  }

  /// Gives a key a value.
  mutating func set(_ key: Int, _ value: UInt32) {
    if form == .direct {
      values[key] = value
      return
    }
    let slot = slot(key)
    values[slot] = value
    if keys[slot] != Self.noKey { return }
    keys[slot] = UInt64(truncatingIfNeeded: key)
    count += 1
    if count * 2 > capacity { grow() }
  }

  private mutating func grow() {
    let (old, oldValues, oldCapacity) = (keys, values, capacity)
    if keyLimit <= Self.directLimit, count > keyLimit / 32 {
      form = .direct
      values = Buffer(repeating: Self.none, count: max(1, keyLimit))
      for slot in 0..<oldCapacity where old[slot] != Self.noKey {
        values[Int(truncatingIfNeeded: old[slot])] = oldValues[slot]
      }
      keys = Buffer(uninitialized: 1)
      return
    }
    capacity *= 2
    keys = Buffer(repeating: Self.noKey, count: capacity)
    values = Buffer(uninitialized: capacity)
    for slot in 0..<oldCapacity where old[slot] != Self.noKey {
      let place = self.slot(Int(truncatingIfNeeded: old[slot]))
      keys[place] = old[slot]
      values[place] = oldValues[slot]
    }
  }

  /// Forgets some keys, which are all there are.
  ///
  /// - Complexity: O(keys); a large hash table keeps its size for the next search.
  mutating func clear(_ used: some Sequence<Int>) {
    if form == .direct {
      for key in used { values[key] = Self.none }
      return
    }
    if count == 0 { return }
    if count > capacity / 16 {
      for slot in 0..<capacity { keys[slot] = Self.noKey }
    } else {
      // Without holes that others were moved past: all go.
      let slots = used.map { slot($0) }
      for slot in slots { keys[slot] = Self.noKey }
    }
    count = 0
  }
}
