import Columnar

/// What makes one version of a table out of an older one, by positions.
package struct RowChanges: Sendable {
  /// The rows of the older version that are gone, rising.
  package var deleted: [UInt32] = []
  /// The columns in which rows of both versions differ, and those rows, rising.
  package var updated: [(column: Int, rows: [UInt32])] = []
  /// The references by which rows of both versions have other parents, and those rows, rising.
  package var reparented: [(reference: Int, rows: [UInt32])] = []
  /// The positions that the older version does not have, those of deleted rows among them.
  package var appended: Range<Int>

  /// Nothing but rows that are added.
  package init(appended: Range<Int>) { self.appended = appended }

  package var isEmpty: Bool {
    deleted.isEmpty && updated.isEmpty && reparented.isEmpty && appended.isEmpty
  }
}

extension TableStore {
  /// What is to be done to an older version to get this one; nil where that takes more than changes of rows.
  ///
  /// Pages that both versions share are passed over unread. A row that was written over with the values it had does
  /// not count as changed.
  ///
  /// - Complexity: O(pages / 64 + rows of the pages touched) for each column.
  package func changes(since old: TableStore) -> RowChanges? {
    guard types == old.types, layout == old.layout, rowCount >= old.rowCount else { return nil }
    var changes = RowChanges(appended: old.rowCount..<rowCount)
    guard let deleted = deletedRows(since: old) else { return nil }
    changes.deleted = deleted
    for column in columns.indices {
      let rows = columns[column].rows(
        differingFrom: old.columns[column], below: old.rowCount, live)
      if !rows.isEmpty { changes.updated.append((column, rows)) }
    }
    for reference in references.indices {
      let rows = references[reference]
        .rows(differingFrom: old.references[reference], below: old.rowCount).filter(live.isLive)
      if !rows.isEmpty { changes.reparented.append((reference, rows)) }
    }
    return changes
  }

  /// The rows that were there and are not; nil if some have come back.
  fileprivate func deletedRows(since old: TableStore) -> [UInt32]? {
    var rows: [UInt32] = []
    for group in live.groupsNotShared(with: old.live) {
      let pages = (group * Self.pagesPerRowGroup)..<((group + 1) * Self.pagesPerRowGroup)
      for page in pages where page < old.pageCount && !live.shares(page, with: old.live) {
        let (new, known) = (live.mask(page), old.live.mask(page))
        let count = old.rowCount(ofPage: page)
        for word in 0..<ValidityMask.wordCount(count) {
          let (now, then) = (new?[word] ?? ~0, known?[word] ?? ~0)
          if now & ~then != 0 { return nil }
          var gone = then & ~now
          while gone != 0 {
            let row = word << 6 + gone.trailingZeroBitCount
            if row < count { rows.append(UInt32(page * Self.pageCapacity + row)) }
            gone &= gone &- 1
          }
        }
      }
    }
    return rows
  }
}

extension ColumnStore {
  /// The live rows below `limit` whose values are not those of another version of the column; rising.
  ///
  /// Others are not looked at: nothing may ever have been written there.
  fileprivate func rows(
    differingFrom old: ColumnStore, below limit: Int, _ live: LiveRows
  ) -> [UInt32] {
    var rows: [UInt32] = []
    let pageLimit = (limit + ColumnPage.capacity - 1) / ColumnPage.capacity
    for index in pages.pagesNotShared(with: old.pages, below: pageLimit) {
      let start = index * ColumnPage.capacity
      let count = min(ColumnPage.capacity, limit - start)
      let kept = (0..<count).filter { live.isLive(UInt32(truncatingIfNeeded: start + $0)) }
      for row in pages[index].rows(differingFrom: old.pages[index], type, among: kept) {
        rows.append(UInt32(truncatingIfNeeded: start + row))
      }
    }
    if fields.isEmpty { return rows }
    // The fields of a composite type stand in columns of their own.
    var all = Set(rows)
    for field in fields.indices {
      all.formUnion(
        fields[field].rows(differingFrom: old.fields[field], below: limit, live))
    }
    return all.sorted()
  }
}

extension ColumnPage {
  /// Those of some rows whose values are not those of another state of the page.
  fileprivate func rows(
    differingFrom old: ColumnPage, _ type: LogicalType, among rows: [Int]
  ) -> [Int] {
    let stride = stride(type)
    // The rows behind those that are compared may have been added to the same memory.
    let sharesValues = storage === old.storage || stride == 0
    if !sharesValues && digits != old.digits {
      if digits?.scale != old.digits?.scale { return rows }
      return self.rows(ofOtherWidth: old, among: rows)
    }
    let (new, known) = (storage.buffer(of: UInt8.self), old.storage.buffer(of: UInt8.self))
    return rows.filter { row in
      let (isValid, wasValid) = (validity.isValid(row), old.validity.isValid(row))
      if isValid != wasValid { return true }
      if !isValid || sharesValues { return false }
      for byte in (row * stride)..<((row + 1) * stride) where new[byte] != known[byte] {
        // Long texts may have been moved.
        return type.physical != .text || !hasText(row, of: old)
      }
      return type.physical == .list && !hasElements(row, of: old)
    }
  }

  /// As above, for whole numbers that stand in different widths.
  private func rows(ofOtherWidth old: ColumnPage, among rows: [Int]) -> [Int] {
    guard let last = rows.max() else { return [] }
    let (new, known) = (vector(.numeric, count: last + 1), old.vector(.numeric, count: last + 1))
    let (numbers, others) = (new.scaledValues, known.scaledValues)
    return rows.filter { row in
      let (isValid, wasValid) = (new.validity.isValid(row), known.validity.isValid(row))
      return isValid != wasValid || isValid && numbers[row] != others[row]
    }
  }

  /// Whether a list that stands at the same place among the elements of two states of the page is the same list.
  ///
  /// Lists of lists and of rows count as others, which costs no more than that they are written again.
  private func hasElements(_ row: Int, of old: ColumnPage) -> Bool {
    let slice = storage.buffer(of: ListSlice.self)[row]
    if slice.count == 0 { return true }
    guard let new = elements?.vector, let known = old.elements?.vector, new.type == known.type,
      new.digits == known.digits, !new.type.hasNestedParts
    else { return false }
    let stride = new.valueStride
    let (bytes, knownBytes) = (
      new.storage.buffer(of: UInt8.self), known.storage.buffer(of: UInt8.self)
    )
    for element in Int(slice.offset)..<Int(slice.offset) + Int(slice.count) {
      let isValid = new.validity.isValid(element)
      if isValid != known.validity.isValid(element) { return false }
      if !isValid { continue }
      for byte in (element * stride)..<((element + 1) * stride)
      where bytes[byte] != knownBytes[byte] {
        guard new.type.physical == .text,
          new.values(TextView.self).bytes(at: element)
            == known.values(TextView.self)
            .bytes(at: element)
        else { return false }
        break
      }
    }
    return true
  }

  private func hasText(_ row: Int, of old: ColumnPage) -> Bool {
    let (new, known) = (storage.buffer(of: TextView.self), old.storage.buffer(of: TextView.self))
    return new.bytes(at: row) == known.bytes(at: row)
  }
}

/// The rows of a parent whose rows of the child are others in a newer version of the child.
package struct TouchedParents: Sendable {
  /// By positions, each perhaps several times, and `TableStore.noRow` among them.
  package var positions: [UInt32] = []
  /// Those that a row referred to which was deleted.
  package var lostRows: Set<UInt32> = []
}

extension TableStore {
  /// The rows of a parent to which rows refer that have come, gone or changed their parent since an older version; nil
  /// where that takes more than changes of rows, or where there are more than `limit`.
  ///
  /// - Complexity: O(pages / 64 + rows of the pages touched).
  package func touchedParents(
    by reference: Int, since old: TableStore, limit: Int
  ) -> TouchedParents? {
    guard layout == old.layout, rowCount >= old.rowCount, rowCount - old.rowCount <= limit,
      let deleted = deletedRows(since: old), deleted.count <= limit
    else { return nil }
    var touched = TouchedParents()
    let (new, known) = (references[reference], old.references[reference])
    for row in deleted { touched.lostRows.insert(known.parent(of: row)) }
    touched.positions += touched.lostRows
    for row in new.rows(differingFrom: known, below: old.rowCount) where live.isLive(row) {
      touched.positions += [known.parent(of: row), new.parent(of: row)]
    }
    for row in old.rowCount..<rowCount {
      let position = UInt32(truncatingIfNeeded: row)
      if live.isLive(position) { touched.positions.append(new.parent(of: position)) }
    }
    return touched.positions.count <= limit ? touched : nil
  }

  /// The positions that rows were added at since an older version; nil where rows have come back elsewhere.
  ///
  /// - Complexity: O(pages / 64 + rows of the pages touched).
  package func addedRows(since old: TableStore) -> Range<Int>? {
    guard rowCount >= old.rowCount, deletedRows(since: old) != nil else { return nil }
    return old.rowCount..<rowCount
  }
}

extension ReferenceColumn {
  /// The rows below `limit` that have other parents than in another version; rising.
  fileprivate func rows(differingFrom old: ReferenceColumn, below limit: Int) -> [UInt32] {
    var rows: [UInt32] = []
    for index in pagesNotShared(with: old, below: limit) {
      let start = index * ColumnPage.capacity
      for row in start..<min(limit, start + ColumnPage.capacity) {
        let position = UInt32(truncatingIfNeeded: row)
        if parent(of: position) != old.parent(of: position) { rows.append(position) }
      }
    }
    return rows
  }
}
