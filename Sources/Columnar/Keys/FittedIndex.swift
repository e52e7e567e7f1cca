import Diagnostics

/// Groups of several whole-number keys whose ranges fit 64 bits together: each key takes as many bits as its range needs.
///
/// Two keys of 32 bits with their NULLs are 66 bits, and numbers of twice the width cost half as much again to look up; yet there
/// are hardly ever more than some million customers, articles or days. What bits are left over are shared out, so that ranges can
/// grow; should one grow out of its bits, all known keys are packed anew.
final class FittedIndex {
  /// How the keys are packed; nil before any have come.
  private var keys: FittedKeys?
  private var index = PackedIndex<UInt64>(keyBits: 64)

  var byteCount: Int { index.byteCount }

  /// How many groups there may come to be.
  var expectedCount: Int {
    get { index.expectedCount }
    set { index.expectedCount = newValue }
  }

  /// Says false, having changed nothing, where the keys to be inserted do not fit 64 bits together with those that are there.
  ///
  /// `known` gives the keys of the groups there are.
  func lookUp(
    _ columns: [Vector], _ count: Int, _ result: Buffer<UInt32>, _ fresh: FreshRows?,
    groupCount: Int, known: () -> [Vector]
  ) throws(SQLError) -> Bool {
    let packed = Buffer<UInt64>(uninitialized: count)
    let areAllThere = keys?.pack(columns, count, into: packed) ?? false
    if !areAllThere {
      guard fresh != nil else {
        guard let keys else {
          result.fill(0..<count, with: .max)
          return true
        }
        try index.lookUp(packed, .allValid, count, result, nil)
        keys.dropOutsiders(columns, count, result)
        return true
      }
      guard try refit(columns, count, groupCount: groupCount, known: known) else { return false }
      _ = keys?.pack(columns, count, into: packed)
    }
    try index.lookUp(packed, .allValid, count, result, fresh)
    return true
  }

  /// Gives each key the bits that known and new values need, and enters the known ones anew.
  private func refit(
    _ columns: [Vector], _ count: Int, groupCount: Int, known: () -> [Vector]
  ) throws(SQLError) -> Bool {
    let stored = known()
    let parts = columns.indices.map { [(stored[$0], groupCount), (columns[$0], count)] }
    guard var wanted = try FittedKeys(parts) else { return false }
    wanted.shareOut()
    let index = PackedIndex<UInt64>(keyBits: 64)
    index.expectedCount = expectedCount
    try enter(stored, groupCount, packed: wanted, in: index)
    keys = wanted
    self.index = index
    return true
  }

  private func enter(
    _ stored: [Vector], _ groupCount: Int, packed keys: FittedKeys,
    in index: PackedIndex<UInt64>
  ) throws(SQLError) {
    var start = 0
    while start < groupCount {
      try RunningStatement.check()
      let length = min(Vector.chunkCapacity, groupCount - start)
      let part = stored.map { $0.slice(from: start, count: length).flattened() }
      let packed = Buffer<UInt64>(uninitialized: length)
      _ = keys.pack(part, length, into: packed)
      let scratch = Buffer<UInt32>(uninitialized: length)
      try index.lookUp(
        packed, .allValid, length, scratch, FreshRows(capacity: length, nextGroup: start))
      start += length
    }
  }
}
