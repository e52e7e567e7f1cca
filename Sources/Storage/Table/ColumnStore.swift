package import Columnar

/// All values of one column of a table version, in pages of 2,048.
///
/// - Invariant: every page but the last holds 2,048 rows; a page has a zone map once it is full.
package struct ColumnStore: Sendable {
  package let type: LogicalType
  let physical: PhysicalType
  /// The bytes of one value.
  let stride: Int
  var pages = PageTree<ColumnPage>()
  /// Bounds and distinct counts, one for each row group of which a page is full.
  var summaries: [ColumnSummary] = []
  /// The columns of a composite type's fields; the pages of the column itself then tell only which rows are NULL.
  var fields: [ColumnStore] = []
  /// Where pages of a column that is being loaded come from.
  var arena: PageArena?

  init(_ type: LogicalType) {
    self.type = type
    physical = type.physical
    stride = type.physical.stride
    if case .record(let record) = type { fields = record.fields.map { ColumnStore($0.type) } }
  }

  static var pageShift: Int { 11 }
  static var groupShift: Int { TableStore.rowGroupShift }
  static var pageMask: Int { ColumnPage.capacity &- 1 }

  /// The first `count` values of page `page`, in place.
  func vector(page: Int, count: Int) -> Vector {
    let vector = pages[page].vector(type, count: count)
    if fields.isEmpty { return vector }
    return Vector(
      type: type, count: count, storage: vector.storage, validity: vector.validity,
      children: fields.map { $0.vector(page: page, count: count) })
  }

  /// As `vector`, for somebody who goes through a table: a page of a group that is not in place is read by itself, into
  /// memory that goes when the vector goes.
  ///
  /// Putting a group in place costs more than reading it, most of it for memory that the system has to clear.
  func passingVector(page: Int, count: Int) -> Vector {
    guard let place = pages.missingSection(ofPage: page), fields.isEmpty,
      pages.mayPass(page),
      let read = place.source.columnPage(place.section, type, page: page & 63, rows: count)
    else { return vector(page: page, count: count) }
    return read
  }

  /// The value at a position.
  func value(at position: UInt32) -> Value {
    let row = Int(position) & Self.pageMask
    return vector(page: Int(position) >> Self.pageShift, count: row + 1).value(at: row)
  }

  /// Whether the value at a position is not NULL.
  @inline(__always)
  func isValid(_ position: UInt32) -> Bool {
    let slot = pages.slot(Int(position) &>> Self.pageShift)
    if slot.validity.isNone { return true }
    let row = Int(position) & Self.pageMask
    return slot.validity[row &>> 6] &>> UInt64(truncatingIfNeeded: row & 63) & 1 != 0
  }

  /// The element at a position, without a look at its validity.
  @inline(__always)
  func element<Element: BitwiseCopyable>(_ position: UInt32, as element: Element.Type) -> Element {
    let slot = pages.slot(Int(position) &>> Self.pageShift)
    return slot.values.bound(to: element)[Int(position) & Self.pageMask]
  }

  // MARK: Appending

  /// Adds rows `from ..< from + count` of `vector` as rows `row …` of the column.
  ///
  /// - Precondition: the rows fit one page, and the caller holds the claim to them. Unless `seals`,
  ///   `sealPages(epoch:)` follows.
  /// - Complexity: O(*count*); copies a validity mask on first touch under the epoch.
  mutating func append(
    _ vector: Vector, from: Int, count: Int, at row: Int, epoch: Epoch, seals: Bool = true
  ) {
    let index = row >> Self.pageShift
    let offset = row & Self.pageMask
    let source =
      from == 0 && vector.count == count ? vector : vector.slice(from: from, count: count)
    var flat = source.form == .flat ? source : source.compactFlattened()
    if type.physical == .numeric, index == pages.count {
      flat = (flat.narrowed(count: count) ?? flat).narrowest()
    }
    reserve(
      index, offset: offset, count: count, digits: flat.digits, epoch: epoch, inBulk: !seals)
    if flat.mayHaveNulls { markNulls(flat, count, page: index, offset: offset, epoch: epoch) }
    switch type.physical {
    case .text: appendTexts(flat, count, page: index, offset: offset, epoch: epoch)
    case .list: appendLists(flat, count, page: index, offset: offset, epoch: epoch)
    case .record:
      for field in fields.indices {
        fields[field].append(
          flat.children[field].resized(to: count), from: 0, count: count, at: row, epoch: epoch)
      }
    case .numeric: appendNumbers(flat, count, page: index, offset: offset, epoch: epoch)
    case .bool, .int16, .int32, .int64, .float, .double, .interval, .uuid:
      pages[index].storage.buffer(of: UInt8.self).copy(
        flat.storage.buffer(of: UInt8.self), count: count &* stride, to: offset &* stride)
    }
    if seals && offset + count == ColumnPage.capacity { seal(index, epoch: epoch) }
  }

  /// A page may keep so many bytes of texts alive of which it has few, as those of a dictionary.
  private static let heapsMax = 1 << 16

  /// Makes the memory of a vector that is just a page the column's next page; says false where it is none, holds
  /// anything that stands elsewhere, or stands by itself: rows are found faster where pages stand together.
  mutating func adopt(_ vector: Vector, at row: Int, epoch: Epoch) -> Bool {
    guard vector.form == .flat, vector.count == ColumnPage.capacity, row & Self.pageMask == 0,
      row >> Self.pageShift == pages.count, vector.children.isEmpty,
      type.physical != .numeric || vector.digits != nil, vector.storage.isInStretch,
      vector.digits == vector.narrowestForm
    else { return false }
    var heaps: [TextHeap] = []
    if type.physical == .text {
      guard let longCount = vector.longTextCount else { return false }
      if longCount > 0 {
        // What keeps a few long texts alive may hold many short ones besides.
        let byteCount = vector.heaps.reduce(0) { $0 + $1.byteCount }
        if longCount < ColumnPage.capacity / 2 && byteCount > Self.heapsMax { return false }
        heaps = vector.heaps
      }
    }
    guard vector.storage.byteCount == ColumnPage.capacity * vector.valueStride else { return false }
    let page = ColumnPage(owner: epoch, storage: vector.storage)
    page.digits = vector.digits
    page.heaps = heaps
    page.ownsValues = false
    pages.append(page, epoch: epoch)
    if vector.mayHaveNulls {
      markNulls(vector, vector.count, page: pages.count - 1, offset: 0, epoch: epoch)
    }
    return true
  }

  /// Makes room for `count` rows at `offset` of page `index`; a new page takes its form from `digits`.
  mutating func reserve(
    _ index: Int, offset: Int, count: Int, digits: DecimalForm?, epoch: Epoch,
    inBulk: Bool = false
  ) {
    let wanted = offset + count
    let stride =
      index < pages.count ? pages[index].stride(type) : digits?.stride ?? self.stride
    if index == pages.count {
      // The first page of a table starts small: most tables are.
      let room = index == 0 ? min(ColumnPage.capacity, max(64, wanted)) : ColumnPage.capacity
      let memory =
        inBulk
        ? bulkMemory(page: index, byteCount: room * stride) : MemoryBlock(byteCount: room * stride)
      let page = ColumnPage(owner: epoch, storage: memory)
      page.digits = digits
      if case .array(let element) = type { page.elements = ListElements(element) }
      pages.append(page, epoch: epoch)
    } else if stride > 0 && pages[index].storage.byteCount / stride < wanted {
      let room = min(ColumnPage.capacity, max(offset * 4, wanted))
      let page = pages.writable(index, epoch: epoch)
      page.moveValues(rows: offset, room: room, stride: stride)
      pages.refresh(index, epoch: epoch)
    }
  }

  private mutating func markNulls(
    _ flat: Vector, _ count: Int, page index: Int, offset: Int, epoch: Epoch
  ) {
    guard flat.validity.nullCount(count) > 0 else { return }
    let page = pages.writable(index, epoch: epoch)
    page.ownValidity()
    for row in 0..<count where !flat.validity.isValid(row) {
      page.validity.setNull(offset + row, count: ColumnPage.capacity)
    }
    pages.refresh(index, epoch: epoch)
  }

  private mutating func appendTexts(
    _ flat: Vector, _ count: Int, page index: Int, offset: Int, epoch: Epoch
  ) {
    let values = flat.values(TextView.self)
    let target = pages[index].storage.buffer(of: TextView.self)
    var heap = pages[index].appendHeap
    for row in 0..<count {
      let view = values[row]
      if view.isInline {
        target[offset &+ row] = view
      } else if !flat.validity.isValid(row) {
        target[offset &+ row] = TextView()
      } else if let heap {
        target[offset &+ row] = heap.adopt(view)
      } else {
        let made = pages.writable(index, epoch: epoch).heapForAppend()
        target[offset &+ row] = made.adopt(view)
        heap = made
      }
    }
    if flat.mayHaveNulls {
      for row in 0..<count where !flat.validity.isValid(row) { target[offset &+ row] = TextView() }
    }
  }

  private mutating func appendLists(
    _ flat: Vector, _ count: Int, page index: Int, offset: Int, epoch: Epoch
  ) {
    let page = pages.writable(index, epoch: epoch)
    write(flat, 0..<count, lists: page, heap: page.heapForAppend()) { $0 &+ offset }
  }

  /// Writes lists of `flat` to the rows that `place` names, their elements behind those of the page.
  private func write(
    _ flat: Vector, _ rows: Range<Int>, lists page: ColumnPage, heap: TextHeap,
    place: (Int) -> Int
  ) {
    guard let element = type.element else { return }
    var elements = page.elements ?? ListElements(element)
    let source = flat.values(ListSlice.self)
    let target = page.storage.buffer(of: ListSlice.self)
    var total = 0
    for row in rows where flat.validity.isValid(row) { total += Int(source[row].count) }
    let indices = Buffer<UInt32>(uninitialized: total)
    var next = 0
    for row in rows {
      let slice = flat.validity.isValid(row) ? source[row] : ListSlice(offset: 0, count: 0)
      target[place(row)] = ListSlice(
        offset: UInt32(truncatingIfNeeded: elements.count &+ next), count: slice.count)
      for element in 0..<slice.count {
        indices[next] = slice.offset &+ element
        next &+= 1
      }
    }
    if total > 0 { elements.append(flat.children[0].gathered(indices, count: total), heap: heap) }
    page.elements = elements
  }

  /// Moves the last page, of which `rows` rows are known, to memory that no other version writes to.
  mutating func relocateTail(rows: Int, epoch: Epoch) {
    let index = rows >> Self.pageShift
    let known = rows & Self.pageMask
    guard known > 0, index < pages.count else { return }
    let page = pages.writable(index, epoch: epoch)
    page.moveValues(rows: known, room: ColumnPage.capacity, stride: page.stride(type))
    page.appendHeap = nil
    pages.refresh(index, epoch: epoch)
    for field in fields.indices { fields[field].relocateTail(rows: rows, epoch: epoch) }
  }

  // MARK: Changing

  /// Gives rows `positions` the values of `vector`, row by row.
  ///
  /// - Complexity: O(*count*), and one page's copy for each page on first touch under the epoch.
  mutating func update(
    _ positions: Buffer<UInt32>, count: Int, to vector: Vector, rowCount: Int, epoch: Epoch
  ) {
    var flat = vector.compactFlattened()
    if type.physical == .numeric, count > 0 {
      let wanted = pages[Int(positions[0]) >> Self.pageShift].digits?.scale
      flat = flat.narrowed(count: count, otherwise: wanted ?? 0) ?? flat
    }
    for field in fields.indices {
      fields[field].update(
        positions, count: count, to: flat.children[field].resized(to: count),
        rowCount: rowCount, epoch: epoch)
    }
    var start = 0
    while start < count {
      let index = Int(positions[start]) >> Self.pageShift
      var end = start + 1
      while end < count && Int(positions[end]) >> Self.pageShift == index { end += 1 }
      let page = pages.writable(index, epoch: epoch)
      let known = min(ColumnPage.capacity, rowCount - index << Self.pageShift)
      if !page.ownsValues {
        let stride = page.stride(type)
        let room = stride > 0 ? page.storage.byteCount / stride : 0
        page.moveValues(
          rows: known, room: max(known, min(room, ColumnPage.capacity)), stride: stride)
        if page.heaps.count > 8 { compactTexts(page, rows: known) }
      }
      write(flat, start..<end, to: page, positions, known: known)
      pages.refresh(index, epoch: epoch)
      widenZone(page, index, with: flat, start..<end, epoch: epoch)
      start = end
    }
  }

  private func write(
    _ flat: Vector, _ rows: Range<Int>, to page: ColumnPage, _ positions: Buffer<UInt32>,
    known: Int
  ) {
    let mask = Self.pageMask
    if flat.mayHaveNulls || !page.validity.isAllValid {
      page.ownValidity()
      for row in rows {
        let place = Int(positions[row]) & mask
        if flat.validity.isValid(row) {
          page.validity.setValid(place)
        } else {
          page.validity.setNull(place, count: ColumnPage.capacity)
        }
      }
    }
    switch type.physical {
    case .text:
      let source = flat.values(TextView.self)
      let target = page.storage.buffer(of: TextView.self)
      for row in rows {
        let view = flat.validity.isValid(row) ? source[row] : TextView()
        target[Int(positions[row]) & mask] =
          view.isInline ? view : page.heapForUpdate().adopt(view)
      }
    case .list:
      write(flat, rows, lists: page, heap: page.heapForUpdate()) { Int(positions[$0]) & mask }
    case .numeric: writeNumbers(flat, rows, to: page, positions, known: known)
    case .bool, .int16, .int32, .int64, .float, .double, .interval, .uuid, .record:
      switch stride {
      case 1: move(flat, rows, to: page, positions, UInt8.self)
      case 2: move(flat, rows, to: page, positions, UInt16.self)
      case 4: move(flat, rows, to: page, positions, UInt32.self)
      case 8: move(flat, rows, to: page, positions, UInt64.self)
      case 16: move(flat, rows, to: page, positions, SIMD2<UInt64>.self)
      default: break
      }
    }
  }

  func move<Element: BitwiseCopyable>(
    _ flat: Vector, _ rows: Range<Int>, to page: ColumnPage, _ positions: Buffer<UInt32>,
    _ element: Element.Type
  ) {
    let source = flat.storage.buffer(of: element)
    let target = page.storage.buffer(of: element)
    for row in rows { target[Int(positions[row]) & Self.pageMask] = source[row] }
  }

  /// Copies the texts still in use to one new heap, so that those replaced take no memory.
  private func compactTexts(_ page: ColumnPage, rows: Int) {
    guard type.physical == .text else { return }
    let heap = TextHeap(capacity: 4096)
    let target = page.storage.buffer(of: TextView.self)
    for row in 0..<rows where !target[row].isInline { target[row] = heap.adopt(target[row]) }
    page.heaps = [heap]
    page.updateHeap = heap
    page.appendHeap = nil
  }
}

extension Vector {
  /// How many texts stand elsewhere; nil if the text of a NULL is not empty.
  fileprivate var longTextCount: Int? {
    let views = values(TextView.self)
    var long = 0
    for row in 0..<count { long &+= views[row].isInline ? 0 : 1 }
    if mayHaveNulls {
      for row in 0..<count where !validity.isValid(row) && views[row].count > 0 { return nil }
    }
    return long
  }
}
