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
      let width = vector.valueStride
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
  /// The group of each combination of positions, `.max` where none is known; nil before it is worth its room.
  private var groups: Buffer<UInt32>?

  /// So many combinations are kept.
  private static let combinationMax = 1 << 16
  /// Takes the place of the group of a combination that is being looked up.
  private static let pending = UInt32.max - 1

  /// Whether the keys of some rows are positions in dictionaries of which combinations are kept.
  ///
  /// They are for the dictionaries that came last, and for new ones that have far fewer combinations than there are rows; others
  /// are expected to come once more.
  func recognises(_ keys: [Vector], count: Int) -> Bool {
    var found: [Dictionary] = []
    for key in keys {
      guard let dictionary = Dictionary(key) else {
        dictionaries = []
        groups = nil
        return false
      }
      found.append(dictionary)
    }
    let isKnown =
      !found.isEmpty && found.count == dictionaries.count
      && zip(found, dictionaries).allSatisfy { $0.isSame(as: $1) }
    if !isKnown {
      dictionaries = found
      groups = nil
    }
    if groups == nil { makeRoom(atMost: isKnown ? Self.combinationMax : count / 4) }
    return groups != nil
  }

  private func makeRoom(atMost limit: Int) {
    if dictionaries.isEmpty { return }
    var combinations = 1
    for dictionary in dictionaries {
      let (product, overflow) = combinations.multipliedReportingOverflow(by: dictionary.count)
      if overflow || product > limit { return }
      combinations = product
    }
    groups = Buffer(repeating: .max, count: combinations)
  }

  /// The first row of each combination whose group is not known.
  ///
  /// - Precondition: the keys were recognised. Groups of all these rows are noted before anything else is asked.
  func unknown(_ keys: [Vector], count: Int) -> SelectionVector {
    guard let groups else { return .all(count) }
    let places = places(keys, count)
    var isAnyUnknown = 0
    for row in 0..<count { isAnyUnknown |= bit(groups[places[row]] == .max) }
    if isAnyUnknown == 0 { return SelectionVector(Buffer(uninitialized: 0), count: 0) }
    let rows = Buffer<UInt32>(uninitialized: count)
    var found = 0
    for row in 0..<count where groups[places[row]] == .max {
      groups[places[row]] = Self.pending
      rows[found] = UInt32(truncatingIfNeeded: row)
      found += 1
    }
    return SelectionVector(rows, count: found)
  }

  /// Notes the groups of rows that were unknown.
  func note(_ found: Buffer<UInt32>, of keys: [Vector], at rows: SelectionVector, count: Int) {
    guard let groups else { return }
    let places = places(keys, count)
    for index in 0..<rows.count { groups[places[rows.positions[index]]] = found[index] }
  }

  /// Forgets all, after groups could not be made.
  func forget() {
    dictionaries = []
    groups = nil
  }

  /// The groups of rows.
  ///
  /// - Precondition: the keys were recognised, and all groups are known.
  func groups(of keys: [Vector], count: Int) -> Buffer<UInt32> {
    let result = Buffer<UInt32>(uninitialized: count)
    guard let groups else { return result }
    let places = places(keys, count)
    for row in 0..<count { result[row] = groups[places[row]] }
    return result
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
