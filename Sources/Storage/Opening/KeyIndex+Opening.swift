import Columnar

// No key is on disk. An array over numbers that stand where their order says is made from what is known of it, a part at
// a time; any other index is built out of the columns when it is first asked.

extension DenseIndex {
  /// What is written of the index.
  var shape: KeyShape {
    .dense(
      base: base, room: positions.count, count: count, serialStart: serial.start,
      serialCount: serial.count)
  }

  /// An array that is filled when it is first touched.
  ///
  /// - Precondition: the numbers are those of a shape that `KeyShape.isPossible` holds for.
  init(
    opening base: Int64, room: Int, count: Int, serial: SerialRun, _ column: ColumnStore,
    _ rows: OpenedRows
  ) {
    self.init(base: base, count: count, serial: serial)
    let epoch = Epoch.next()
    let capacity = PagedArray<UInt32>.pageCapacity
    let pageCount = room / capacity
    if serial.count == count {
      positions = Self.array(of: serial, pageCount: pageCount)
      return
    }
    let array = MadeOnce { Self.fill(base, room, column, rows) }
    positions = PagedArray(initial: .max, pageCount: pageCount) { group in
      ((group * 64)..<min(pageCount, group * 64 + 64)).map { page in
        let elements = array.value.slice((page * capacity)..<((page + 1) * capacity))
        return ElementPage(owner: epoch, elements: elements)
      }
    }
  }

  private static func fill(
    _ base: Int64, _ room: Int, _ column: ColumnStore, _ rows: OpenedRows
  ) -> Buffer<UInt32> {
    let array = Buffer<UInt32>(repeating: .max, count: room)
    column.pages.lazy?.requireAll()
    var faults = 0
    for page in 0..<rows.table.pageCount {
      let count = rows.table.rowCount(ofPage: page)
      let numbers = WholeNumbers(column.vector(page: page, count: count), count: count)
      let mask = rows.table.live.mask(page)
      for row in 0..<count {
        if let mask, mask[row &>> 6] &>> UInt64(row & 63) & 1 == 0 { continue }
        if !numbers.validity.isValid(row) { continue }
        let (offset, overflow) = numbers.values[row].subtractingReportingOverflow(base)
        guard !overflow, offset >= 0, offset < Int64(room), array[Int(offset)] == .max else {
          faults += 1
          continue
        }
        array[Int(offset)] = UInt32(truncatingIfNeeded: page * TableStore.pageCapacity + row)
      }
    }
    if faults > 0 { rows.source.note(damagedTable: "\(faults) rows have a key of others") }
    return array
  }
}

extension HashIndex {
  /// A table that is built when it is first touched.
  init(
    opening key: TableLayout.Key, count: Int, keyCount: Int, _ columns: [ColumnStore],
    _ rows: OpenedRows
  ) {
    self.init(isUnique: key.isUnique, nulls: key.nullsNotDistinct ? .equal : .unequal)
    self.count = count
    self.keyCount = keyCount
    let empty = self
    let built = MadeOnce {
      var index = HashIndex(isUnique: empty.isUnique, nulls: empty.nulls)
      for column in columns { column.requireAll() }
      // Whoever needs it next needs it as well, so no statement that ends ends this.
      let conflict = RunningStatement.within(nil) {
        try? index.build(columns, rows.table, epoch: .next())
      }
      if conflict != nil {
        rows.source.note(damagedTable: "two rows have the same key")
      }
      return index
    }
    let partitionCount = Self.partitionCount(rows.table.liveRowCount)
    partitions = PageTree(pageCount: partitionCount) { group in
      let index = built.value
      return ((group * 64)..<min(partitionCount, group * 64 + 64)).map { index.partitions[$0] }
    }
    if isUnique { return }
    let capacity = PagedArray<UInt32>.pageCapacity
    let pageCount = (rows.table.rowCount + capacity - 1) / capacity
    following = PagedArray(initial: .max, pageCount: pageCount) {
      built.value.following.pages(ofGroup: $0)
    }
    preceding = PagedArray(initial: .max, pageCount: pageCount) {
      built.value.preceding.pages(ofGroup: $0)
    }
  }
}

extension KeyIndex {
  /// An index that is made when it is first asked.
  init(
    opening key: TableLayout.Key, _ shape: KeyShape, _ types: [LogicalType], _ rows: OpenedRows
  ) {
    self.init(key, types: types)
    let columns = key.columns.map { rows.table.columns[$0] }
    switch shape {
    case .empty: break
    case .dense(let base, let room, let count, let start, let serialCount):
      setParts(
        DenseIndex(
          opening: base, room: room, count: count,
          serial: DenseIndex.SerialRun(start: start, count: serialCount), columns[0], rows),
        HashIndex(isUnique: key.isUnique, nulls: .unequal))
    case .hash(let count, let keyCount):
      setParts(
        nil, HashIndex(opening: key, count: count, keyCount: keyCount, columns, rows))
    }
  }

  /// What is written of the index: what the one will be that is made out of the columns.
  func shape(of table: TableStore) -> KeyShape {
    if key.junction != nil || rowCount == 0 { return .empty }
    guard let dense else {
      return .hash(count: rowCount, keyCount: distinctCount)
    }
    if isDense { return dense.shape }
    // Numbers that came later did not fit the array.
    let known = RunningStatement.within(nil) {
      try? DenseIndex.range(of: table.columns[numberColumn], table)
    }
    guard let range = known else {
      return .hash(count: rowCount, keyCount: rowCount)
    }
    let capacity = PagedArray<UInt32>.pageCapacity
    let width = Int(range.upperBound - range.lowerBound) + 1
    return .dense(
      base: range.lowerBound, room: (width + capacity - 1) / capacity * capacity, count: rowCount,
      serialStart: 0, serialCount: 0)
  }
}

extension KeyShape {
  /// Whether an index of a key over such columns can be so.
  func isPossible(for key: TableLayout.Key, _ types: [LogicalType], _ shape: TableShape) -> Bool {
    switch self {
    case .empty: return true
    case .dense(let base, let room, let count, let start, let serialCount):
      let capacity = PagedArray<UInt32>.pageCapacity
      return key.junction == nil && key.isUniqueAndWhole(types) && count > 0
        && count <= shape.liveRowCount && room > 0 && room % capacity == 0
        && room <= 4 * shape.rowCount + 4 * capacity + 4096
        && !base.addingReportingOverflow(Int64(room)).overflow
        && start >= 0 && serialCount >= 0 && start <= room && serialCount <= room - start
        && serialCount <= shape.rowCount && serialCount <= count
    case .hash(let count, let keyCount):
      return key.junction == nil && count <= shape.liveRowCount && keyCount <= count && count > 0
    }
  }
}

extension TableLayout.Key {
  /// Whether the key may be an array over numbers.
  fileprivate func isUniqueAndWhole(_ types: [LogicalType]) -> Bool {
    guard isUnique, types.count == 1, !nullsNotDistinct else { return false }
    return types[0].physical == .int16 || types[0].physical == .int32 || types[0].physical == .int64
  }
}
