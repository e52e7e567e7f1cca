import Columnar

extension ReferenceColumn {
  /// References whose pages are read when they are first touched.
  ///
  /// `limit` are the positions of the parent's table, `column` is that of the foreign key, if it is one alone.
  init(
    opening rowCount: Int, limit: Int, bias: UInt32?, column: ColumnStore?, origin: SectionOrigin
  ) {
    let epoch = Epoch.next()
    let pageCount = (rowCount + ColumnPage.capacity - 1) / ColumnPage.capacity
    let pages = PageTree<ReferencePage>(pageCount: pageCount, origin: origin) { group in
      let rows = ColumnStore.rows(ofGroup: group, rowCount)
      let section = origin.first + group
      let read = origin.source.parents(section, rows: rows)
      if let read, read.count == rows.count,
        let pages = Self.pages(read, rows, group, limit: limit, column, epoch)
      {
        return pages
      }
      if read != nil {
        origin.source.note(damagedSection: section, "a row has a parent that is not there")
      }
      // A row without a parent is taken for one where no row may be without.
      let parent: UInt32 = limit > 0 ? 0 : .max
      return rows.map {
        ReferencePage(
          owner: epoch, storage: Buffer(repeating: parent, count: $0).block, ownsValues: false)
      }
    }
    self.init(pages: pages, bias: bias)
  }

  /// The pages of a group; nil if some row has a parent that cannot be.
  private static func pages(
    _ contents: [ParentContents], _ rows: [Int], _ group: Int, limit: Int, _ column: ColumnStore?,
    _ epoch: Epoch
  ) -> [ReferencePage]? {
    var pages: [ReferencePage] = []
    pages.reserveCapacity(rows.count)
    for (index, page) in contents.enumerated() {
      switch page {
      case .shifted(let bias):
        guard let column, column.type.physical == .int32 else { return nil }
        let stored = column.pages[group * 64 + index]
        guard stored.validity.isAllValid,
          isBelow(limit, stored.storage.buffer(of: UInt32.self), rows[index], bias)
        else { return nil }
        pages.append(sharing(stored.storage, bias, epoch))
      case .positions(let positions):
        guard isBelowOrNone(limit, positions, rows[index]) else { return nil }
        pages.append(
          ReferencePage(
            owner: epoch, storage: positions.block(0..<rows[index]), ownsValues: false))
      }
    }
    return pages
  }

  /// Whether values less a number are positions below a limit.
  private static func isBelow(
    _ limit: Int, _ values: Buffer<UInt32>, _ count: Int, _ bias: UInt32
  ) -> Bool {
    var greatest: UInt32 = 0
    for row in 0..<count { greatest = max(greatest, values[row] &- bias) }
    return count == 0 || Int(greatest) < limit
  }

  /// Whether the bounds of values say as much.
  private static func isBelow(_ limit: Int, _ zone: Zone, _ bias: UInt32) -> Bool {
    guard zone.valueCount > 0, zone.minimum <= zone.maximum,
      case .int32(let minimum)? = ZoneKey.value(zone.minimum, .integer),
      case .int32(let maximum)? = ZoneKey.value(zone.maximum, .integer)
    else { return false }
    // If the least is not taken past the greatest, none between wraps round.
    let least = UInt32(bitPattern: minimum) &- bias
    let greatest = UInt32(bitPattern: maximum) &- bias
    return least <= greatest && Int(greatest) < limit
  }

  private static func isBelowOrNone(
    _ limit: Int, _ positions: Buffer<UInt32>, _ count: Int
  ) -> Bool {
    for row in 0..<count where positions[row] != .max && Int(positions[row]) >= limit {
      return false
    }
    return true
  }

  /// What is written of the pages of a group of so many rows each; rows that were deleted need not have a parent that is
  /// there.
  func contents(
    ofGroup group: Int, rows: [Int], limit: Int, of column: ColumnStore?
  ) -> [ParentContents] {
    let shifts =
      column.map { self.shifts(ofGroup: group, rows: rows, limit: limit, of: $0) }
      ?? Array(repeating: nil, count: rows.count)
    return rows.indices.map { index in
      if let bias = shifts[index] { return .shifted(bias) }
      let parents = parents(ofPage: group * 64 + index, count: rows[index])
      if Self.isBelowOrNone(limit, parents, rows[index]) { return .positions(parents) }
      let cleaned = Buffer<UInt32>(uninitialized: rows[index])
      for row in 0..<rows[index] {
        cleaned[row] = Int(parents[row]) < limit ? parents[row] : .max
      }
      return .positions(cleaned)
    }
  }

  /// For each page of a group the number that a column's values are less than as positions; nil where they are no such
  /// positions.
  private func shifts(
    ofGroup group: Int, rows: [Int], limit: Int, of column: ColumnStore
  ) -> [UInt32?] {
    if column.type.physical != .int32 { return Array(repeating: nil, count: rows.count) }
    return rows.indices.map { index in
      let page = group * 64 + index
      return shift(pages[page], column.pages[page], rows[index], limit)
    }
  }

  private func shift(
    _ stored: ReferencePage, _ values: ColumnPage, _ count: Int, _ limit: Int
  ) -> UInt32? {
    guard stored.isShared, values.storage === stored.storage, values.validity.isAllValid,
      values.zone.map({ Self.isBelow(limit, $0, stored.bias) }) ?? false
        || Self.isBelow(limit, stored.storage.buffer(of: UInt32.self), count, stored.bias)
    else { return nil }
    return stored.bias
  }

  /// The section that a row group stands in unchanged.
  func section(ofGroup group: Int) -> (source: any SectionSource, section: Int)? {
    pages.section(ofGroup: group)
  }
}
