/// The groups of positions in dictionaries, for keys that come batch after batch as positions in the same ones.
///
/// To look a text up takes a hash and a comparison; a position that was seen before takes a load. The values of a file's
/// column come so, and those of the rows that a join repeats.
final class DictionaryGroups {
  /// The values that positions stand for, by key.
  private struct Dictionary {
    let values: MemoryBlock
    let validity: Buffer<UInt64>?
    let count: Int

    /// nil for a vector that is none of positions.
    init?(_ vector: Vector) {
      guard vector.form == .indirect, vector.children.isEmpty else { return nil }
      let width = vector.decimals == nil ? vector.type.physical.stride : 8
      guard width > 0 else { return nil }
      values = vector.storage
      validity = vector.validity.words
      count = vector.storage.byteCount / width
    }

    func isSame(as other: Dictionary) -> Bool {
      guard values === other.values else { return false }
      guard let validity, let known = other.validity else {
        return validity == nil && other.validity == nil
      }
      return validity.isSame(as: known)
    }
  }

  private var dictionaries: [Dictionary] = []
  /// The group of each combination of positions, `.max` where none is known; nil before the dictionaries have come twice.
  private var groups: Buffer<UInt32>?

  /// So many combinations are kept.
  private static let combinationMax = 1 << 16

  /// Whether the keys come from the dictionaries that the last ones came from; otherwise theirs are expected next.
  func recognises(_ keys: [Vector]) -> Bool {
    var found: [Dictionary] = []
    for key in keys {
      guard let dictionary = Dictionary(key) else {
        dictionaries = []
        groups = nil
        return false
      }
      found.append(dictionary)
    }
    if !found.isEmpty, found.count == dictionaries.count,
      zip(found, dictionaries).allSatisfy({ $0.isSame(as: $1) })
    {
      if groups == nil { makeRoom() }
      return groups != nil
    }
    dictionaries = found
    groups = nil
    return false
  }

  private func makeRoom() {
    var combinations = 1
    for dictionary in dictionaries {
      let (product, overflow) = combinations.multipliedReportingOverflow(by: dictionary.count)
      if overflow || product > Self.combinationMax { return }
      combinations = product
    }
    groups = Buffer(repeating: .max, count: combinations)
  }

  /// The groups of rows, if all of them are known.
  ///
  /// - Precondition: the keys were recognised.
  func find(_ keys: [Vector], count: Int) -> Buffer<UInt32>? {
    guard let groups else { return nil }
    let places = places(keys, count)
    let result = Buffer<UInt32>(uninitialized: count)
    var unknown = 0
    for row in 0..<count {
      let group = groups[places[row]]
      result[row] = group
      unknown |= bit(group == .max)
    }
    return unknown == 0 ? result : nil
  }

  /// Notes the groups of rows.
  ///
  /// - Precondition: the keys were recognised.
  func note(_ found: Buffer<UInt32>, of keys: [Vector], count: Int) {
    guard let groups else { return }
    let places = places(keys, count)
    for row in 0..<count { groups[places[row]] = found[row] }
  }

  /// The number of each row's combination of positions.
  private func places(_ keys: [Vector], _ count: Int) -> Buffer<UInt32> {
    if keys.count == 1, let indices = keys[0].indices { return indices }
    let places = Buffer<UInt32>(zeroed: count)
    var stride: UInt32 = 1
    for (key, dictionary) in zip(keys, dictionaries) {
      guard let indices = key.indices else { continue }
      for row in 0..<count { places[row] &+= indices[row] &* stride }
      stride &*= UInt32(truncatingIfNeeded: dictionary.count)
    }
    return places
  }
}
