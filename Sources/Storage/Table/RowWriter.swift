package import Columnar

/// Adds and deletes single rows of a store in place, without a chunk around them.
///
/// Use it from one thread at a time. What is written cannot fail: constraints, unique keys among them, are the caller's.
package final class RowWriter {
  /// The table as it stands.
  package let store: TableStore
  private let epoch: Epoch
  private let outline: TableStore.Outline
  /// Where the next row goes; nil for a writer of one.
  private let cursor: RowCursor?

  /// A writer that changes `store` itself.
  ///
  /// - Parameters:
  ///   - store: nobody reads it until the writer is dropped, but through the writer.
  ///   - hasMany: whether many rows are likely to come.
  package init(_ store: TableStore, forMany hasMany: Bool = false) {
    self.store = store
    epoch = store.open()
    outline = store.outline
    cursor = hasMany ? RowCursor(columnCount: store.columns.count) : nil
  }

  /// Adds one row behind the last one, and enters it everywhere.
  ///
  /// - Precondition: no unique key of the row is taken; `parents` has the position of the parent's row for each
  ///   reference, or `TableStore.noRow`.
  /// - Returns: the position of the row.
  /// - Complexity: O(1) in rows; besides what is copied on first touch, some hundred edges are moved for each
  ///   direction.
  @discardableResult
  package func append(_ row: RowImage, parents: Buffer<UInt32>) -> UInt32 {
    let start = store.rowCount
    precondition(start < TableStore.rowLimit, "a table holds at most \(TableStore.rowLimit) rows")
    precondition(row.columnCount == outline.columnCount, "a row has a value for each column")
    let position = UInt32(truncatingIfNeeded: start)
    let isAtCursor = cursor?.append(row, at: start) ?? false
    if !isAtCursor {
      store.claim(start + 1, epoch: epoch)
      Self.append(row, at: start, to: &store.columns, epoch)
    }
    if outline.hasReferences {
      Self.append(
        parents, of: outline.referenceColumns, at: start, store.columns, to: &store.references,
        epoch)
    }
    store.rowCount = start + 1
    store.liveRowCount += 1
    if !isAtCursor, let cursor { cursor.move(behind: store, epoch) }
    enter(row, position, in: &store.keys)
    if outline.hasReferences {
      Self.link(
        position, parents, outline.junctionEnds, store.directions, in: &store.adjacencies, epoch)
    }
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

  /// Enters a row into the indexes of keys.
  private func enter(_ row: RowImage, _ position: UInt32, in keys: inout [KeyIndex]) {
    for place in outline.indexedKeys.indices {
      let key = outline.indexedKeys[place]
      let column = keys[key].numberColumn
      if column >= 0 {
        if row.isNull(column) { continue }
        keys[key].insertNew(number: row.number(column), position, epoch: epoch)
        continue
      }
      let ofKey = keys[key].key.columns.map { store.columns[$0] }
      let positions = Buffer(repeating: position, count: 1)
      let values = ofKey.map { $0.gather(positions, count: 1) }
      let conflict = keys[key].insert(
        values, positions: positions, count: 1, columns: ofKey, epoch: epoch)
      precondition(conflict == nil, "the key of a single row was looked up beforehand")
    }
  }

  /// Deletes one row that is there.
  ///
  /// - Complexity: as of `append(_:parents:)`.
  package func delete(_ position: UInt32) {
    guard store.live.delete(position, epoch: epoch) else { return }
    store.liveRowCount -= 1
    for key in outline.indexedKeys {
      let positions = Buffer(repeating: position, count: 1)
      let values = store.keys[key].key.columns.map {
        store.columns[$0].gather(positions, count: 1)
      }
      store.keys[key].remove(values, positions: positions, count: 1, epoch: epoch)
    }
    Self.unlink(position, store.references, store.directions, in: &store.adjacencies, epoch)
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
      pages.slot(index).values.store(bytes, stride: stride, at: offset)
      if offset &+ 1 == ColumnPage.capacity { seal(index, epoch: epoch) }
      return
    }
    reserve(index, offset: offset, count: 1, digits: nil, epoch: epoch)
    if isNull { markNull(index, offset, epoch: epoch) }
    if let text {
      let heap = pages[index].appendHeap ?? pages.writable(index, epoch: epoch).heapForAppend()
      pages[index].storage.buffer(of: TextView.self)[offset] = heap.adopt(text)
    } else {
      PagePointer<UInt8>(pages[index].storage).store(bytes, stride: stride, at: offset)
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
