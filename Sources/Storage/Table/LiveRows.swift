import Columnar

/// Which rows of 64 pages are not deleted.
final class LiveGroup: @unchecked Sendable {
  // Sendable by the rule of `VersionedPage`: only the owner changes it, before publishing.
  let owner: Epoch
  /// Bit set = live; nil where no row of the page is deleted.
  ///
  /// Bits behind the last row are set.
  fileprivate var masks: [Buffer<UInt64>?]
  /// The pages whose masks this owner made.
  private var owned: UInt64 = 0

  init(owner: Epoch, masks: [Buffer<UInt64>?] = Array(repeating: nil, count: 64)) {
    self.owner = owner
    self.masks = masks
  }

  fileprivate func writableMask(_ page: Int) -> Buffer<UInt64> {
    let flag: UInt64 = 1 << UInt64(page)
    if owned & flag != 0, let mask = masks[page] { return mask }
    let words = ColumnPage.capacity / 64
    let mask = Buffer<UInt64>(repeating: ~0, count: words)
    if let old = masks[page] { mask.copy(old, count: words, to: 0) }
    masks[page] = mask
    owned |= flag
    return mask
  }
}

/// Which rows of a table version are not deleted.
struct LiveRows: Sendable {
  /// One for each row group; missing where no row is deleted.
  private var groups: [LiveGroup?] = []

  /// Says which rows of a page are live, in memory that nobody changes.
  mutating func set(_ page: Int, _ mask: Buffer<UInt64>) {
    while groups.count <= page >> 6 { groups.append(nil) }
    let group = groups[page >> 6] ?? LiveGroup(owner: .next())
    group.masks[page & 63] = mask
    groups[page >> 6] = group
  }

  /// The live rows of page `page`, or nil if all are.
  @inline(__always)
  func mask(_ page: Int) -> Buffer<UInt64>? {
    let group = page &>> 6
    guard group < groups.count else { return nil }
    return groups[group]?.masks[page & 63]
  }

  func isLive(_ position: UInt32) -> Bool {
    guard let mask = mask(Int(position) >> 11) else { return true }
    let row = Int(position) & 2047
    return mask[row &>> 6] &>> UInt64(row & 63) & 1 != 0
  }

  /// Marks a row as deleted; false if it was already.
  mutating func delete(_ position: UInt32, epoch: Epoch) -> Bool {
    let page = Int(position) >> 11
    while groups.count <= page >> 6 { groups.append(nil) }
    let group: LiveGroup
    if let old = groups[page >> 6], old.owner == epoch {
      group = old
    } else {
      group =
        groups[page >> 6].map { LiveGroup(owner: epoch, masks: $0.masks) }
        ?? LiveGroup(owner: epoch)
      groups[page >> 6] = group
    }
    let row = Int(position) & 2047
    let bit: UInt64 = 1 << UInt64(row & 63)
    if let mask = group.masks[page & 63], mask[row >> 6] & bit == 0 { return false }
    group.writableMask(page & 63)[row >> 6] &= ~bit
    return true
  }

  /// The groups of 64 pages of which two versions may know different things.
  func groupsNotShared(with other: LiveRows) -> [Int] {
    (0..<max(groups.count, other.groups.count)).filter { index in
      let own = index < groups.count ? groups[index] : nil
      return own !== (index < other.groups.count ? other.groups[index] : nil)
    }
  }

  /// Whether two versions share what is known of page `page`.
  func shares(_ page: Int, with other: LiveRows) -> Bool {
    switch (mask(page), other.mask(page)) {
    case (nil, nil): true
    case (let a?, let b?): a.block === b.block
    default: false
    }
  }
}
