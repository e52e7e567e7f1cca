import Diagnostics

/// How values of fixed width become parts of one number.
enum KeyPacking {
  /// The bits of a value that equality of bits describes, or nil for others.
  static func bitWidth(of type: PhysicalType) -> Int? {
    switch type {
    case .bool: 8
    case .int16: 16
    case .int32: 32
    case .int64: 64
    case .float, .double, .numeric, .interval, .uuid, .text, .list, .record: nil
    }
  }

  /// The bits of a value, with the one that says whether it is there, where texts of up to seven bytes are
  /// numbers as well.
  static func shortBitWidth(of type: LogicalType) -> Int? {
    if let width = bitWidth(of: type.physical) { return width + 1 }
    switch type {
    case .text, .varchar: return 64
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .character, .name,
      .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid,
      .json, .jsonb, .oid, .array, .record, .enumeration, .unknown, .void:
      return nil
    }
  }

  /// Packs the columns, texts of up to seven bytes among them; says false where one is longer.
  ///
  /// Every column is packed in any case: the rows beside a longer text are still looked up by their whole keys.
  static func packShort<Key: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ columns: [Vector], _ count: Int, into keys: Buffer<Key>
  ) -> Bool {
    keys.fill(0..<count, with: 0)
    var areShort = true
    for column in columns {
      switch column.type.physical {
      case .bool: add(column, UInt8.self, 8, count, keys)
      case .int16: add(column, UInt16.self, 16, count, keys)
      case .int32: add(column, UInt32.self, 32, count, keys)
      case .text: areShort = addTexts(column, count, keys) && areShort
      case .int64, .float, .double, .numeric, .interval, .uuid, .list, .record:
        add(column, UInt64.self, 64, count, keys)
      }
    }
    return areShort
  }

  private static func addTexts<Key: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ column: Vector, _ count: Int, _ keys: Buffer<Key>
  ) -> Bool {
    let values = column.values(TextView.self)
    let validity = column.validity
    var longest = 0
    for row in 0..<count {
      // The length is counted from one, so that nothing but NULL is zero.
      var word: UInt64 = 0
      if validity.isValid(row) {
        let view = values[row]
        longest = max(longest, view.count)
        // No short text has this length.
        word = view.count <= 7 ? view.shortWord : 0xFF
      }
      keys[row] = keys[row] << 64 | Key(truncatingIfNeeded: word)
    }
    return longest <= 7
  }

  /// Packs the columns, each behind a bit that says whether the value is there.
  static func pack<Key: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ columns: [Vector], _ count: Int, into keys: Buffer<Key>
  ) {
    keys.fill(0..<count, with: 0)
    for column in columns {
      switch column.type.physical {
      case .bool: add(column, UInt8.self, 8, count, keys)
      case .int16: add(column, UInt16.self, 16, count, keys)
      case .int32: add(column, UInt32.self, 32, count, keys)
      case .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
        add(column, UInt64.self, 64, count, keys)
      }
    }
  }

  @inline(__always)
  private static func add<
    Element: FixedWidthInteger & UnsignedInteger & BitwiseCopyable,
    Key: FixedWidthInteger & UnsignedInteger & BitwiseCopyable
  >(_ column: Vector, _ type: Element.Type, _ width: Int, _ count: Int, _ keys: Buffer<Key>) {
    let values = column.storage.buffer(of: type)
    let validity = column.validity
    if validity.isAllValid {
      for row in 0..<count {
        keys[row] = (keys[row] << 1 | 1) << width | Key(truncatingIfNeeded: values[row])
      }
      return
    }
    for row in 0..<count {
      let upper = keys[row] << 1
      if validity.isValid(row) {
        keys[row] = (upper | 1) << width | Key(truncatingIfNeeded: values[row])
      } else {
        keys[row] = upper << width
      }
    }
  }

  /// Widens a range to hold all keys that are there.
  static func widen(
    _ least: inout Int64, _ greatest: inout Int64, to keys: Buffer<Int64>,
    _ validity: ValidityMask, _ count: Int
  ) {
    var (low, high) = (least, greatest)
    if validity.isAllValid {
      for row in 0..<count {
        low = min(low, keys[row])
        high = max(high, keys[row])
      }
    } else {
      // Without branches, as nobody can tell which rows are NULL.
      for row in 0..<count {
        let isPresent = validity.isValid(row)
        low = min(low, isPresent ? keys[row] : low)
        high = max(high, isPresent ? keys[row] : high)
      }
    }
    (least, greatest) = (low, high)
  }

  /// One column of whole numbers as 64-bit numbers.
  static func widen(_ column: Vector, _ count: Int, into keys: Buffer<Int64>) {
    switch column.type.physical {
    case .bool: widen(column.values(UInt8.self), count, keys)
    case .int16: widen(column.values(Int16.self), count, keys)
    case .int32: widen(column.values(Int32.self), count, keys)
    case .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      widen(column.values(Int64.self), count, keys)
    }
  }

  @inline(__always)
  private static func widen<Element: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Element>, _ count: Int, _ keys: Buffer<Int64>
  ) {
    for row in 0..<count { keys[row] = Int64(truncatingIfNeeded: values[row]) }
  }
}

/// Groups of keys of any type: open addressing with a tag of the hash in the slot.
final class HashedIndex {
  /// The hash's high half above group + 1; 0 = empty.
  private var slots: Buffer<UInt64>
  private var hashes: Buffer<UInt64>

  init() {
    slots = Buffer(zeroed: 64)
    hashes = Buffer(uninitialized: 32)
  }

  var byteCount: Int { slots.count * 8 + hashes.count * 8 }

  @inline(__always)
  func home(_ hash: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: Int(truncatingIfNeeded: hash) & (slots.count &- 1))
  }

  @inline(__always)
  func next(_ place: UInt32) -> UInt32 {
    (place &+ 1) & UInt32(truncatingIfNeeded: slots.count &- 1)
  }

  /// Makes room for `wanted` groups, of which `groupCount` are there.
  func reserve(_ wanted: Int, groupCount: Int) throws(SQLError) {
    if wanted > hashes.count {
      let size = max(wanted, hashes.count * 2)
      try RunningStatement.reserve(size * 8)
      let grown = Buffer<UInt64>(uninitialized: size)
      try grown.copyInSlices(hashes, from: 0, count: groupCount, to: 0)
      hashes = grown
    }
    guard wanted * 2 > slots.count else { return }
    var size = slots.count
    while size < wanted * 2 { size *= 2 }
    try RunningStatement.reserve(size * 8)
    let before = slots
    slots = try Buffer(zeroedInSlices: size)
    do throws(SQLError) { try enter(hashes, groupCount) } catch {
      slots = before
      throw error
    }
  }

  private func enter(_ known: Buffer<UInt64>, _ groupCount: Int) throws(SQLError) {
    let slots = slots
    try (0..<groupCount).inSlices { slice in
      for group in slice {
        let hash = known[group]
        var place = home(hash)
        while slots[place] != 0 { place = next(place) }
        slots[place] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(group &+ 1)
      }
    }
  }

  /// Takes over keys of other tables, whose groups are numbered as the hashes are.
  func adopt(_ known: Buffer<UInt64>, groupCount: Int) throws(SQLError) {
    try reserve(groupCount, groupCount: 0)
    try hashes.copyInSlices(known, from: 0, count: groupCount, to: 0)
    try enter(known, groupCount)
  }

  /// Walks from each pending row's place to an empty slot or one with the row's tag.
  ///
  /// An empty slot ends the search: with a new group, or without one. The result is the rows whose
  /// slot must still be compared; `result` holds their candidates.
  func probe(
    _ hashes: Buffer<UInt64>, _ places: Buffer<UInt32>, _ pending: SelectionVector,
    _ result: Buffer<UInt32>, _ fresh: FreshRows?
  ) -> SelectionVector {
    let slots = slots
    let candidates = Buffer<UInt32>(uninitialized: pending.count)
    var found = 0
    let tagMask: UInt64 = 0xFFFF_FFFF_0000_0000
    for index in 0..<pending.count {
      let row = pending.positions[index]
      let hash = hashes[row]
      var place = places[row]
      while true {
        let slot = slots[place]
        if slot == 0 {
          guard let fresh else {
            result[row] = .max
            break
          }
          let group = fresh.add(Int(row))
          slots[place] = hash & tagMask | UInt64(group &+ 1)
          self.hashes[Int(group)] = hash
          result[row] = group
          break
        }
        if (slot ^ hash) & tagMask == 0 {
          result[row] = UInt32(truncatingIfNeeded: slot) &- 1
          candidates[found] = row
          found &+= 1
          break
        }
        place = next(place)
      }
      places[row] = place
    }
    return SelectionVector(candidates, count: found)
  }
}
