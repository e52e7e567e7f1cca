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
    let epoch = epoch
    let start = draft.rowCount
    precondition(start < TableStore.rowLimit, "a table holds at most \(TableStore.rowLimit) rows")
    precondition(row.columnCount == draft.columns.count, "a row has a value for each column")
    claim(start + 1, draft)
    let position = UInt32(truncatingIfNeeded: start)
    let outline = draft.outline
    Self.append(row, at: start, to: &draft.columns, epoch)
    Self.append(
      parents, of: outline.referenceColumns, at: start, draft.columns, to: &draft.references, epoch)
    draft.rowCount = start + 1
    draft.liveRowCount += 1
    for key in outline.indexedKeys { enter(row, key, position, draft) }
    Self.link(
      position, parents, outline.junctionEnds, draft.directions, in: &draft.adjacencies, epoch)
    return position
  }

  // What changes the parts of a store is given each of them once: an access to a property of an object costs as much
  // as what is done there.

  private static func append(
    _ row: RowImage, at position: Int, to columns: inout [ColumnStore], _ epoch: Epoch
  ) {
    for column in 0..<row.columnCount {
      columns[column].append(row, column, at: position, epoch: epoch)
    }
  }

  /// Adds the parents of a row whose values are in the columns already.
  private static func append(
    _ parents: Buffer<UInt32>, of referenceColumns: [Int], at position: Int,
    _ columns: [ColumnStore], to references: inout [ReferenceColumn], _ epoch: Epoch
  ) {
    for reference in referenceColumns.indices {
      let column = referenceColumns[reference]
      let isKnown = column >= 0 && column < columns.count
      if isKnown {
        let slot = columns[column].pages.slot(position &>> ColumnStore.pageShift)
        if references[reference].hasRow(position, parent: parents[reference], in: slot) {
          continue
        }
      }
      references[reference].append(
        parents, from: reference, count: 1, at: position, of: isKnown ? columns[column] : nil,
        epoch: epoch)
    }
  }

  /// Enters the edges that a row makes.
  private static func link(
    _ position: UInt32, _ parents: Buffer<UInt32>, _ junctions: [(from: Int, to: Int)],
    _ directions: [TableLayout.Direction], in adjacencies: inout [AdjacencyIndex], _ epoch: Epoch
  ) {
    for junction in junctions.indices {
      let source = parents[junctions[junction].from]
      let target = parents[junctions[junction].to]
      if source == .max || target == .max { continue }
      adjacencies[2 &* junction].insert(source, target, row: position, epoch: epoch)
      adjacencies[2 &* junction &+ 1].insert(target, source, row: position, epoch: epoch)
    }
    for index in (2 &* junctions.count)..<directions.count {
      let parent = parents[directions[index].source]
      if parent == .max { continue }
      adjacencies[index].insert(parent, position, row: position, epoch: epoch)
    }
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
    let epoch = epoch
    guard draft.live.delete(position, epoch: epoch) else { return }
    draft.liveRowCount -= 1
    for key in draft.outline.indexedKeys {
      let positions = Buffer(repeating: position, count: 1)
      let values = draft.keys[key].key.columns.map {
        draft.columns[$0].gather(positions, count: 1)
      }
      draft.keys[key].remove(values, positions: positions, count: 1, epoch: epoch)
    }
    Self.unlink(position, draft.references, draft.directions, in: &draft.adjacencies, epoch)
  }

  /// Takes the edges out that a row makes.
  private static func unlink(
    _ position: UInt32, _ references: [ReferenceColumn], _ directions: [TableLayout.Direction],
    in adjacencies: inout [AdjacencyIndex], _ epoch: Epoch
  ) {
    for index in directions.indices {
      let direction = directions[index]
      let source = references[direction.source].parent(of: position)
      if source == .max { continue }
      var target = position
      if let other = direction.target {
        target = references[other].parent(of: position)
        if target == .max { continue }
      }
      adjacencies[index].remove(source, target, row: position, epoch: epoch)
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
    if physical == .text {
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
    if !isNull, text == nil, index < pages.count,
      (offset &+ 1) &* stride <= pages.slot(index).byteCount
    {
      put(bytes, at: offset, in: pages.slot(index).values)
      if offset &+ 1 == ColumnPage.capacity { seal(index, epoch: epoch) }
      return
    }
    reserve(index, offset: offset, count: 1, decimals: nil, epoch: epoch)
    if isNull { markNull(index, offset, epoch: epoch) }
    if let text {
      let heap = pages[index].appendHeap ?? pages.writable(index, epoch: epoch).heapForAppend()
      pages[index].storage.buffer(of: TextView.self)[offset] = heap.adopt(text)
    } else {
      put(bytes, at: offset, in: PagePointer(pages[index].storage))
    }
    if offset + 1 == ColumnPage.capacity { seal(index, epoch: epoch) }
  }

  /// Writes a value of which `bytes` has as many as the column takes.
  @inline(__always)
  private func put(_ bytes: SIMD2<UInt64>, at offset: Int, in values: PagePointer<UInt8>) {
    switch stride {
    case 1: values.store(UInt8(truncatingIfNeeded: bytes.x), at: offset)
    case 2: values.bound(to: UInt16.self).store(UInt16(truncatingIfNeeded: bytes.x), at: offset)
    case 4: values.bound(to: UInt32.self).store(UInt32(truncatingIfNeeded: bytes.x), at: offset)
    case 8: values.bound(to: UInt64.self).store(bytes.x, at: offset)
    default: values.bound(to: SIMD2<UInt64>.self).store(bytes, at: offset)
    }
  }

  private mutating func markNull(_ index: Int, _ offset: Int, epoch: Epoch) {
    let page = pages.writable(index, epoch: epoch)
    page.ownValidity()
    page.validity.setNull(offset, count: ColumnPage.capacity)
    pages.refresh(index, epoch: epoch)
  }
}
