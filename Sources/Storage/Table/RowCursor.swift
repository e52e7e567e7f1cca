import Columnar

/// Where the next rows of a table go, in plain bytes: found once a page, so that a row counts no references.
///
/// It serves a writer that adds one row after another in place. The first row of a page, and the last one, which seals
/// it, go the usual way.
///
/// - Invariant: the store that it was moved behind lives, and nothing but the cursor's writer changes its columns; from
///   `row` up to `end` the last page of each has room in memory that stays where it is, with what it refers to.
final class RowCursor {
  private struct Column: BitwiseCopyable {
    let values: PagePointer<UInt8>
    /// The mask of the page if it may be written to, else none.
    let validity: PagePointer<UInt64>
    let stride: Int
    let isText: Bool
    /// Where long texts go; none before there was one on the page.
    let heap: UncountedReference<TextHeap>
  }

  /// The row that is added next, -1 for none; the one behind the last that may be; and the first of the page.
  private struct Place: BitwiseCopyable {
    var row = -1
    var end = 0
    var first = 0
    var tail = UncountedReference<TailClaim>(nil)
  }

  private let columns: Buffer<Column>
  private let place = Buffer(repeating: Place(), count: 1)

  /// A cursor that stands nowhere.
  init(columnCount: Int) { columns = Buffer(uninitialized: columnCount) }

  /// Moves behind the last row of a table, or nowhere if the next one begins a page or ends it.
  func move(behind table: TableStore, _ epoch: Epoch) {
    place[0] = Place()
    let row = table.rowCount
    let (index, offset) = (row &>> ColumnStore.pageShift, row & ColumnStore.pageMask)
    guard offset > 0, offset < ColumnPage.capacity - 1 else { return }
    var room = ColumnPage.capacity - 1
    for number in table.columns.indices {
      let column = table.columns[number]
      guard column.fields.isEmpty, column.stride > 0, index < column.pages.count else { return }
      let (slot, page) = (column.pages.slot(index), column.pages[index])
      room = min(room, slot.byteCount / column.stride)
      columns[number] = Column(
        values: slot.values,
        validity: page.owner == epoch && page.ownsValidity ? slot.validity : .none,
        stride: column.stride, isText: column.physical == .text,
        heap: UncountedReference(page.appendHeap))
    }
    guard offset < room else { return }
    place[0] = Place(
      row: row, end: row - offset + room, first: row - offset,
      tail: UncountedReference(table.tail))
  }

  /// Adds the values of a row to all columns; false if it has to go the usual way, and nothing was done.
  func append(_ image: RowImage, at row: Int) -> Bool {
    let place = place[0]
    guard row == place.row, row < place.end, takes(image) else { return false }
    var isOurs = false
    place.tail.withObject { isOurs = $0.take(from: row, to: row &+ 1) }
    guard isOurs else { return false }
    let offset = row &- place.first
    for index in 0..<columns.count {
      let column = columns[index]
      if column.isText {
        var view = image.text(index)
        if !view.isInline { column.heap.withObject { view = $0.adopt(view) } }
        column.values.bound(to: TextView.self).store(view, at: offset)
      } else {
        column.values.store(image.bytes(index), stride: column.stride, at: offset)
      }
      if image.isNull(index) {
        let word = offset &>> 6
        column.validity.store(
          column.validity[word] & ~(1 &<< UInt64(truncatingIfNeeded: offset & 63)), at: word)
      }
    }
    self.place[0].row = row &+ 1
    return true
  }

  /// Whether there is a mask for each NULL, and a heap for each long text.
  private func takes(_ image: RowImage) -> Bool {
    for index in 0..<columns.count {
      let column = columns[index]
      if image.isNull(index) {
        if column.validity.isNone { return false }
      } else if column.isText && column.heap.isNone && !image.text(index).isInline {
        return false
      }
    }
    return true
  }
}

extension PagePointer<UInt8> {
  /// Writes as many of the low bytes as a value of a column has.
  @inline(__always)
  func store(_ bytes: SIMD2<UInt64>, stride: Int, at offset: Int) {
    switch stride {
    case 1: store(UInt8(truncatingIfNeeded: bytes.x), at: offset)
    case 2: bound(to: UInt16.self).store(UInt16(truncatingIfNeeded: bytes.x), at: offset)
    case 4: bound(to: UInt32.self).store(UInt32(truncatingIfNeeded: bytes.x), at: offset)
    case 8: bound(to: UInt64.self).store(bytes.x, at: offset)
    default: bound(to: SIMD2<UInt64>.self).store(bytes, at: offset)
    }
  }
}
