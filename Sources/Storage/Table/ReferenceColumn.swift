import Columnar

/// What a reader needs of a page of references.
struct ReferenceSlot: BitwiseCopyable {
  let values: PagePointer<UInt32>
  /// What is taken off a value to get a position.
  let bias: UInt32

  @inline(__always)
  subscript(index: Int) -> UInt32 { values[index] &- bias }
}

/// For up to 2,048 rows the positions of their parents' rows: as they are, or as the foreign key's own values less
/// a number that is the same for all of them.
///
/// Where parents have serial keys and stand in their order, the second form holds, and the page takes no memory:
/// it looks into the page of the foreign key's column.
final class ReferencePage: VersionedPage, @unchecked Sendable {
  // Sendable by the rule of `VersionedPage`; rows behind a published count are claimed first.
  let owner: Epoch
  fileprivate(set) var storage: MemoryBlock
  /// Whether known rows of `storage` may be overwritten.
  fileprivate var ownsValues: Bool
  /// Whether `storage` is the column's.
  fileprivate(set) var isShared: Bool
  fileprivate(set) var bias: UInt32

  init(
    owner: Epoch, storage: MemoryBlock, ownsValues: Bool, isShared: Bool = false, bias: UInt32 = 0
  ) {
    self.owner = owner
    self.storage = storage
    self.ownsValues = ownsValues
    self.isShared = isShared
    self.bias = bias
  }

  var slot: ReferenceSlot { ReferenceSlot(values: PagePointer(storage), bias: bias) }

  /// The number of rows that fit.
  fileprivate var room: Int { storage.byteCount / MemoryLayout<UInt32>.stride }

  func copy(owner: Epoch) -> ReferencePage {
    ReferencePage(
      owner: owner, storage: storage, ownsValues: false, isShared: isShared, bias: bias)
  }

  /// Gives the page memory of its own for `rows` known rows and room for `room`.
  fileprivate func moveValues(rows: Int, room: Int) {
    let own = Buffer<UInt32>(uninitialized: room)
    let old = slot
    for row in 0..<rows { own[row] = old[row] }
    storage = own.block
    ownsValues = true
    isShared = false
    bias = 0
  }
}

/// For each row of a table the position of the parent's row by one foreign key, `TableStore.noRow` for none.
struct ReferenceColumn: Sendable {
  private(set) var pages = PageTree<ReferencePage>()
  /// The difference between values and positions on the first page that shares the column's memory; new
  /// pages are tried with it.
  private(set) var bias: UInt32?

  init() {}

  init(pages: PageTree<ReferencePage>, bias: UInt32?) {
    self.pages = pages
    self.bias = bias
  }

  /// References of rows that are there.
  ///
  /// - Parameters:
  ///   - parents: the positions, in memory that nobody changes any more.
  ///   - count: the number of rows, no more than `parents` has.
  ///   - column: the column of the foreign key, if it is one alone; it has all rows.
  ///   - epoch: the writer's.
  init(
    adopting parents: Buffer<UInt32>, count: Int, of column: ColumnStore?, epoch: Epoch
  ) {
    let pageCount = (count + ColumnPage.capacity - 1) / ColumnPage.capacity
    let shared = Buffer<UInt8>(zeroed: max(1, pageCount))
    if let column, column.type.physical == .int32, count > 0, parents[0] != .max {
      let bias = column.element(0, as: UInt32.self) &- parents[0]
      self.bias = bias
      parallelFor(tasks: (pageCount + 63) / 64) { task in
        for page in (task * 64)..<min(pageCount, task * 64 + 64) {
          let start = page * ColumnPage.capacity
          let rows = min(ColumnPage.capacity, count - start)
          let isSame = Self.isShifted(column.pages.slot(page), by: bias, parents, start, rows)
          shared[page] = isSame ? 1 : 0
        }
      }
    }
    for page in 0..<pageCount {
      let start = page * ColumnPage.capacity
      if shared[page] == 1, let bias, let column {
        pages.append(Self.sharing(column.pages[page].storage, bias, epoch), epoch: epoch)
        continue
      }
      let room = min(ColumnPage.capacity, parents.count - start)
      pages.append(
        ReferencePage(
          owner: epoch, storage: parents.block(start..<(start + room)), ownsValues: false),
        epoch: epoch)
    }
    // A single odd page would keep the whole buffer that it was cut from.
    let odd = (0..<pageCount).filter { shared[$0] == 0 }
    guard odd.count * 4 < pageCount else { return }
    for page in odd {
      let rows = min(ColumnPage.capacity, count - page * ColumnPage.capacity)
      pages[page].moveValues(rows: rows, room: ColumnPage.capacity)
      pages.refresh(page, epoch: epoch)
    }
  }

  static func sharing(
    _ storage: MemoryBlock, _ bias: UInt32, _ epoch: Epoch
  ) -> ReferencePage {
    ReferencePage(owner: epoch, storage: storage, ownsValues: false, isShared: true, bias: bias)
  }

  /// Whether the first values of a page are positions shifted by `bias`.
  private static func isShifted(
    _ slot: ColumnSlot, by bias: UInt32, _ parents: Buffer<UInt32>, _ start: Int, _ rows: Int
  ) -> Bool {
    guard slot.validity.isNone else { return false }
    let values = slot.values.bound(to: UInt32.self)
    var difference: UInt32 = 0
    var greatest: UInt32 = 0
    for row in 0..<rows {
      let parent = parents[start &+ row]
      difference |= (values[row] &- bias) ^ parent
      greatest = max(greatest, parent)
    }
    return difference == 0 && greatest != .max
  }

  /// The number of pages.
  var pageCount: Int { pages.count }

  /// The pages with rows below `limit` that two versions do not share.
  func pagesNotShared(with other: ReferenceColumn, below limit: Int) -> [Int] {
    pages.pagesNotShared(
      with: other.pages, below: (limit + ColumnPage.capacity - 1) / ColumnPage.capacity)
  }

  /// The position of the parent of a row.
  @inline(__always)
  func parent(of position: UInt32) -> UInt32 {
    let index = Int(truncatingIfNeeded: position)
    return pages.slot(index &>> ColumnStore.pageShift)[index & ColumnStore.pageMask]
  }

  /// The positions of the parents of a whole page of `count` rows; in place where they stand as they are.
  func parents(ofPage page: Int, count: Int) -> Buffer<UInt32> {
    let stored = pages[page]
    if stored.bias == 0 { return stored.storage.buffer(of: UInt32.self).slice(0..<count) }
    let result = Buffer<UInt32>(uninitialized: count)
    let slot = stored.slot
    for row in 0..<count { result[row] = slot[row] }
    return result
  }

  /// Copies the positions of the parents of some rows of a page.
  func copy(_ page: Int, from start: Int, count: Int, to result: Buffer<UInt32>, at place: Int) {
    let slot = pages.slot(page)
    for row in 0..<count { result[place &+ row] = slot[start &+ row] }
  }

  // MARK: Appending

  /// Whether the page of a row shares the memory of the column's page, where the row stands already and names its
  /// parent: nothing is left to be written.
  @inline(__always)
  func hasRow(_ row: Int, parent: UInt32, in column: ColumnSlot) -> Bool {
    let index = row &>> ColumnStore.pageShift
    guard index < pages.count, parent != .max else { return false }
    let slot = pages.slot(index)
    return slot.values == column.values.bound(to: UInt32.self)
      && slot[row & ColumnStore.pageMask] == parent
  }

  /// Adds the parents of rows that are in the column already, as rows `row …`.
  ///
  /// - Precondition: the rows fit one page, and the caller holds the claim to them.
  mutating func append(
    _ parents: Buffer<UInt32>, from: Int, count: Int, at row: Int, of column: ColumnStore?,
    epoch: Epoch
  ) {
    let index = row >> ColumnStore.pageShift
    let offset = row & ColumnStore.pageMask
    if index == pages.count {
      addPage(parents, from: from, count, of: column, index, epoch)
      if pages[index].isShared { return }
    } else if pages[index].isShared {
      if let column, column.pages[index].storage === pages[index].storage,
        Self.areShifted(
          column.pages.slot(index), by: pages[index].bias, offset, parents, from, count)
      {
        return
      }
      own(index, rows: offset, epoch: epoch)
    } else if pages[index].room < offset + count {
      let page = pages.writable(index, epoch: epoch)
      page.moveValues(
        rows: offset, room: min(ColumnPage.capacity, max(offset * 4, offset + count)))
      pages.refresh(index, epoch: epoch)
    }
    pages[index].storage.buffer(of: UInt32.self).copy(
      parents, from: from, count: count, to: offset)
  }

  /// Adds a page for its first rows.
  private mutating func addPage(
    _ parents: Buffer<UInt32>, from: Int, _ count: Int, of column: ColumnStore?, _ index: Int,
    _ epoch: Epoch
  ) {
    if let bias, let column, column.type.physical == .int32, index < column.pages.count,
      Self.areShifted(column.pages.slot(index), by: bias, 0, parents, from, count)
    {
      pages.append(Self.sharing(column.pages[index].storage, bias, epoch), epoch: epoch)
      return
    }
    // The first page of a table starts small: most tables are.
    let room = index == 0 ? min(ColumnPage.capacity, max(64, count)) : ColumnPage.capacity
    let page = ReferencePage(
      owner: epoch, storage: Buffer<UInt32>(uninitialized: room).block, ownsValues: true)
    pages.append(page, epoch: epoch)
  }

  /// Whether some values of a page are positions shifted by `bias`.
  private static func areShifted(
    _ slot: ColumnSlot, by bias: UInt32, _ offset: Int, _ parents: Buffer<UInt32>, _ from: Int,
    _ count: Int
  ) -> Bool {
    let values = slot.values.bound(to: UInt32.self)
    for row in 0..<count {
      let parent = parents[from &+ row]
      if parent == .max || values[offset &+ row] &- bias != parent { return false }
    }
    return true
  }

  /// Adds parents page by page.
  mutating func appendPages(
    _ parents: Buffer<UInt32>, count: Int, at start: Int, of column: ColumnStore?, epoch: Epoch
  ) {
    var row = 0
    while row < count {
      let room = ColumnPage.capacity - (start + row) % ColumnPage.capacity
      let part = min(room, count - row)
      append(parents, from: row, count: part, at: start + row, of: column, epoch: epoch)
      row += part
    }
  }

  /// Moves the last page, of which `rows` rows are known, to memory that no other version writes to.
  mutating func relocateTail(rows: Int, epoch: Epoch) {
    let index = rows >> ColumnStore.pageShift
    guard rows & ColumnStore.pageMask > 0, index < pages.count else { return }
    own(index, rows: rows & ColumnStore.pageMask, epoch: epoch)
  }

  // MARK: Changing

  /// Gives a page memory of its own.
  private mutating func own(_ index: Int, rows: Int, epoch: Epoch) {
    let page = pages.writable(index, epoch: epoch)
    page.moveValues(rows: rows, room: ColumnPage.capacity)
    pages.refresh(index, epoch: epoch)
  }

  /// Lets go of the column's memory where rows of the column are about to change.
  mutating func detach(
    _ positions: Buffer<UInt32>, count: Int, rowCount: Int, epoch: Epoch
  ) {
    for row in 0..<count {
      let index = Int(positions[row]) >> ColumnStore.pageShift
      guard index < pages.count, pages[index].isShared else { continue }
      let known = min(ColumnPage.capacity, rowCount - index << ColumnStore.pageShift)
      own(index, rows: known, epoch: epoch)
    }
  }

  /// Gives rows other parents.
  mutating func update(
    _ positions: Buffer<UInt32>, count: Int, to parents: Buffer<UInt32>, rowCount: Int,
    epoch: Epoch
  ) {
    for row in 0..<count {
      let position = Int(positions[row])
      let index = position >> ColumnStore.pageShift
      let page = pages.writable(index, epoch: epoch)
      if !page.ownsValues {
        let known = min(ColumnPage.capacity, rowCount - index << ColumnStore.pageShift)
        own(index, rows: known, epoch: epoch)
      }
      page.storage.buffer(of: UInt32.self)[position & ColumnStore.pageMask] = parents[row]
    }
  }
}
