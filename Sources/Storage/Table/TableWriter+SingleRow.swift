package import Columnar

/// Changes of one row without a chunk around it.
extension TableWriter {
  /// Adds one row behind the last one, and enters it everywhere.
  ///
  /// - Precondition: no unique key of the row is taken; `parents` has the position of the parent's row for each
  ///   reference, or `TableStore.noRow`.
  /// - Returns: the position of the row.
  /// - Complexity: O(1) in rows; besides what is copied on first touch, some hundred edges are moved for each
  ///   direction.
  @discardableResult
  package func append(_ row: RowImage, parents: Buffer<UInt32>) -> UInt32 {
    let draft = draft
    let start = draft.rowCount
    precondition(start < TableStore.rowLimit, "a table holds at most \(TableStore.rowLimit) rows")
    precondition(row.columnCount == draft.columns.count, "a row has a value for each column")
    claim(start + 1, draft)
    let position = UInt32(truncatingIfNeeded: start)
    for column in 0..<row.columnCount {
      draft.columns[column].append(row, column, at: start, epoch: epoch)
    }
    let outline = draft.outline
    for reference in outline.referenceColumns.indices {
      let column = outline.referenceColumns[reference]
      if column >= 0, column < row.columnCount {
        let slot = draft.columns[column].pages.slot(start &>> ColumnStore.pageShift)
        if draft.references[reference].hasRow(start, parent: parents[reference], in: slot) {
          continue
        }
      }
      draft.references[reference].append(
        parents, from: reference, count: 1, at: start, of: draft.column(ofReference: reference),
        epoch: epoch)
    }
    draft.rowCount = start + 1
    draft.liveRowCount += 1
    for key in outline.indexedKeys { enter(row, key, position, draft) }
    let junctionCount = outline.junctionEnds.count
    for junction in 0..<junctionCount {
      let ends = outline.junctionEnds[junction]
      let source = parents[ends.from]
      let target = parents[ends.to]
      if source == .max || target == .max { continue }
      draft.adjacencies[2 &* junction].insert(source, target, row: position, epoch: epoch)
      draft.adjacencies[2 &* junction &+ 1].insert(target, source, row: position, epoch: epoch)
    }
    for index in (2 * junctionCount)..<draft.directions.count {
      let parent = parents[draft.directions[index].source]
      if parent == .max { continue }
      draft.adjacencies[index].insert(parent, position, row: position, epoch: epoch)
    }
    return position
  }

  private func enter(_ row: RowImage, _ key: Int, _ position: UInt32, _ draft: TableStore) {
    if let column = draft.keys[key].numberColumn {
      if row.isNull(column) { return }
      let conflict = draft.keys[key].insert(
        number: row.number(column), position, draft.columns[column], epoch: epoch)
      precondition(conflict == .max, "the key of a single row was looked up beforehand")
      return
    }
    let columns = draft.keys[key].key.columns.map { draft.columns[$0] }
    let positions = Buffer(repeating: position, count: 1)
    let values = columns.map { $0.gather(positions, count: 1) }
    let conflict = draft.keys[key].insert(
      values, positions: positions, count: 1, columns: columns, epoch: epoch)
    precondition(conflict == nil, "the key of a single row was looked up beforehand")
  }

  /// Deletes one row that is there.
  ///
  /// - Complexity: as of `append(_:parents:)`.
  package func delete(_ position: UInt32) {
    let draft = draft
    guard draft.live.delete(position, epoch: epoch) else { return }
    draft.liveRowCount -= 1
    for key in draft.outline.indexedKeys {
      let positions = Buffer(repeating: position, count: 1)
      let values = draft.keys[key].key.columns.map {
        draft.columns[$0].gather(positions, count: 1)
      }
      draft.keys[key].remove(values, positions: positions, count: 1, epoch: epoch)
    }
    for index in 0..<draft.directions.count {
      let direction = draft.directions[index]
      let source = draft.references[direction.source].parent(of: position)
      if source == .max { continue }
      var target = position
      if let other = direction.target {
        target = draft.references[other].parent(of: position)
        if target == .max { continue }
      }
      draft.adjacencies[index].remove(source, target, row: position, epoch: epoch)
    }
  }
}

extension ColumnStore {
  /// Adds one value of an image as row `row` of the column.
  ///
  /// - Precondition: the caller holds the claim to the row.
  fileprivate mutating func append(
    _ image: RowImage, _ column: Int, at row: Int, epoch: Epoch
  ) {
    if type.physical == .text {
      let view = image.text(column)
      if !view.isInline {
        append(.zero, isNull: false, at: row, epoch: epoch, text: view)
        return
      }
    }
    append(image.bytes(column), isNull: image.isNull(column), at: row, epoch: epoch)
  }

  /// Adds one value, of which `bytes` has as many as the column takes, as row `row` of the column.
  fileprivate mutating func append(
    _ bytes: SIMD2<UInt64>, isNull: Bool, at row: Int, epoch: Epoch, text: TextView? = nil
  ) {
    let index = row &>> Self.pageShift
    let offset = row & Self.pageMask
    reserve(index, offset: offset, count: 1, decimals: nil, epoch: epoch)
    if isNull { markNull(index, offset, epoch: epoch) }
    if let text {
      let heap = pages[index].appendHeap ?? pages.writable(index, epoch: epoch).heapForAppend()
      pages[index].storage.buffer(of: TextView.self)[offset] = heap.adopt(text)
    } else {
      let storage = pages[index].storage
      switch stride {
      case 1: storage.buffer(of: UInt8.self)[offset] = UInt8(truncatingIfNeeded: bytes.x)
      case 2: storage.buffer(of: UInt16.self)[offset] = UInt16(truncatingIfNeeded: bytes.x)
      case 4: storage.buffer(of: UInt32.self)[offset] = UInt32(truncatingIfNeeded: bytes.x)
      case 8: storage.buffer(of: UInt64.self)[offset] = bytes.x
      default: storage.buffer(of: SIMD2<UInt64>.self)[offset] = bytes
      }
    }
    if offset + 1 == ColumnPage.capacity { seal(index, epoch: epoch) }
  }

  private mutating func markNull(_ index: Int, _ offset: Int, epoch: Epoch) {
    let page = pages.writable(index, epoch: epoch)
    page.ownValidity()
    page.validity.setNull(offset, count: ColumnPage.capacity)
    pages.refresh(index, epoch: epoch)
  }
}
