package import Columnar
import Diagnostics

/// An index from the values of a key to the positions of the rows that have them.
///
/// A unique key of one whole number is kept as an array from number to position as far as the numbers
/// are dense; everything else in a hash table. Rows with a NULL in the key are left out, unless NULLs
/// count as equal. A key that the edges of a junction keep is an index of nothing.
package struct KeyIndex: Sendable {
  package private(set) var key: TableLayout.Key
  private let types: [LogicalType]
  private(set) var dense: DenseIndex?
  /// Finds what is in `dense`, in plain bytes: to go through `dense` itself counts the references of all its parts.
  private(set) var numbers: NumberReader?
  /// The column of a unique key of one whole number, -1 for any other.
  private(set) var numberColumn = -1
  private(set) var hash: HashIndex

  init(_ key: TableLayout.Key, types: [LogicalType]) {
    self.key = key
    self.types = types
    hash = HashIndex(isUnique: key.isUnique, nulls: key.nullsNotDistinct ? .equal : .unequal)
    if key.isUnique && types.count == 1 && !key.nullsNotDistinct && key.junction == nil {
      if types[0].physical == .int16 || types[0].physical == .int32 || types[0].physical == .int64 {
        dense = DenseIndex()
      }
    }
    noteDense()
  }

  private mutating func noteDense() {
    numbers = dense?.reader
    numberColumn = dense == nil ? -1 : key.columns[0]
  }

  mutating func setParts(_ dense: DenseIndex?, _ hash: HashIndex) {
    self.dense = dense
    self.hash = hash
    noteDense()
  }

  /// The same index for a table whose columns were numbered anew.
  func renumbered(_ columns: [Int]) -> KeyIndex {
    var copy = self
    copy.key.columns = columns
    copy.noteDense()
    return copy
  }

  /// The number of rows in the index.
  package var rowCount: Int { (dense?.count ?? 0) + hash.count }

  /// The number of different keys, if it is known exactly.
  package var distinctCount: Int { (dense?.count ?? 0) + hash.keyCount }

  /// Whether every key is found by one array access.
  package var isDense: Bool { dense != nil && hash.count == 0 }

  // MARK: Lookup

  /// The position of the row with each key, or `TableStore.noRow`; of one of them if the key is not unique.
  ///
  /// - Precondition: `keys` are the key's columns in its order, of the same physical types (whole numbers
  ///   may be of other widths for a key of one column). No junction keeps the key: its rows are found
  ///   by `TableStore.edge(ofJunction:from:to:)`.
  /// - Complexity: O(*n*).
  package func lookup(_ keys: [Vector], count: Int, in table: TableStore) -> Buffer<UInt32> {
    precondition(key.junction == nil, "the edges of a junction are not found by values")
    if let dense, keys.count == 1 {
      if let found = dense.serialPositions(keys[0], count: count) { return found }
      let numbers = WholeNumbers(keys[0], count: count)
      let result = dense.lookup(numbers, count: count)
      guard hash.count > 0 else { return result }
      let others = hash.lookup(numbers, count: count, column: table.columns[key.columns[0]])
      for row in 0..<count where result[row] == .max { result[row] = others[row] }
      return result
    }
    if keys.count == 1, key.isUnique, let numbers = WholeNumbers(ifWhole: keys[0], count: count),
      !key.nullsNotDistinct
    {
      return hash.lookup(numbers, count: count, column: table.columns[key.columns[0]])
    }
    return hash.lookup(keys, count: count, columns: key.columns.map { table.columns[$0] })
  }

  /// Every pair of a row of `keys` and the position of a row that has its key, by rising row.
  package func pairs(
    _ keys: [Vector], count: Int, in table: TableStore
  ) -> (rows: Buffer<UInt32>, positions: Buffer<UInt32>, count: Int) {
    let found = lookup(keys, count: count, in: table)
    return key.isUnique ? Self.pairs(found, count: count) : hash.pairs(heads: found, count: count)
  }

  /// Each row that has a position, with it; the positions are moved in place.
  package static func pairs(
    _ found: Buffer<UInt32>, count: Int
  ) -> (rows: Buffer<UInt32>, positions: Buffer<UInt32>, count: Int) {
    let rows = Buffer<UInt32>(uninitialized: max(count, 1))
    var missing: UInt32 = 0
    for row in 0..<count {
      missing |= found[row] == TableStore.noRow ? 1 : 0
      rows[row] = UInt32(truncatingIfNeeded: row)
    }
    if missing == 0 { return (rows, found, count) }
    var pairs = 0
    for row in 0..<count {
      let position = found[row]
      rows[pairs] = UInt32(truncatingIfNeeded: row)
      found[pairs] = position
      pairs &+= bit(position != TableStore.noRow)
    }
    return (rows, found, pairs)
  }

  /// The position of the row with this whole number as its key, or `TableStore.noRow`.
  ///
  /// - Complexity: O(1), without allocation.
  package func lookup(_ number: Int64, in table: TableStore) -> UInt32 {
    if let numbers {
      let position = numbers.position(of: number)
      if position != .max || hash.count == 0 { return position }
    }
    return hash.lookup(number, column: table.columns[key.columns[0]])
  }

  /// The position of the row with this text as its key, or `TableStore.noRow`.
  ///
  /// - Precondition: the key is one column of text other than `character`.
  /// - Complexity: O(1) in rows; no allocation for texts of at most 12 bytes.
  func lookup(_ text: TextView, among columns: [ColumnStore]) -> UInt32 {
    let column = key.columns[0]
    return hash.lookup(hash: Hashing.hash(text: text)) {
      columns[column].element($0, as: TextView.self) == text
    }
  }

  /// The position of the row with this UUID as its key, or `TableStore.noRow`.
  func lookup(_ uuid: UUIDValue, among columns: [ColumnStore]) -> UInt32 {
    let column = key.columns[0]
    return hash.lookup(hash: Hashing.hash(uuid: uuid)) {
      columns[column].element($0, as: UUIDValue.self) == uuid
    }
  }

  /// The rows with the same key as the row at `position`, that row first; for keys that are not unique.
  package func next(after position: UInt32) -> UInt32 { hash.next(after: position) }

  /// The junction whose edges keep the key.
  var junction: Int? { key.junction }

  // MARK: Maintenance

  /// Enters a row with a number that no row has.
  ///
  /// - Precondition: the index has a `numberColumn`.
  mutating func insertNew(number: Int64, _ position: UInt32, epoch: Epoch) {
    switch dense?.insert(number, position, epoch: epoch, reader: &numbers) ?? .outside {
    case .entered: break
    case .taken: preconditionFailure("the key of a single row was looked up beforehand")
    case .outside: hash.insertNew(Hashing.hash(int64: number), position, epoch: epoch)
    }
  }

  /// The rows of `keys` that take part: all, or those without NULL.
  private func entered(_ keys: [Vector], count: Int) -> SelectionVector? {
    if key.nullsNotDistinct || !keys.contains(where: { $0.mayHaveNulls }) { return nil }
    let kept = Buffer<UInt32>(uninitialized: count)
    var found = 0
    for row in 0..<count where keys.allSatisfy({ $0.isValid(row) }) {
      kept[found] = UInt32(truncatingIfNeeded: row)
      found += 1
    }
    return SelectionVector(kept, count: found)
  }

  /// Enters rows whose keys stand in the table's columns already.
  ///
  /// The first pair of equals is returned.
  mutating func insert(
    _ keys: [Vector], positions: Buffer<UInt32>, count: Int, columns: [ColumnStore], epoch: Epoch
  ) -> (row: UInt32, existing: UInt32)? {
    if key.junction != nil { return nil }
    let chosen = entered(keys, count: count)
    if dense != nil {
      return insertNumbers(keys[0], positions, count, chosen, columns, epoch)
    }
    let hashes = Hashing.hash(keys, count: count)
    for index in 0..<(chosen?.count ?? count) {
      let row = chosen.map { Int($0.positions[index]) } ?? index
      let position = positions[row]
      let found = hash.insert(hashes[row], position, columns: columns, epoch: epoch)
      if found != .max { return (position, found) }
    }
    return nil
  }

  private mutating func insertNumbers(
    _ keys: Vector, _ positions: Buffer<UInt32>, _ count: Int, _ chosen: SelectionVector?,
    _ columns: [ColumnStore], _ epoch: Epoch
  ) -> (row: UInt32, existing: UInt32)? {
    let numbers = WholeNumbers(keys, count: count)
    for index in 0..<(chosen?.count ?? count) {
      let row = chosen.map { Int($0.positions[index]) } ?? index
      let number = numbers.values[row]
      let position = positions[row]
      if hash.count > 0 {
        let existing = hash.lookup(number, column: columns[0])
        if existing != .max { return (position, existing) }
      }
      switch dense?.insert(number, position, epoch: epoch, reader: &self.numbers) ?? .outside {
      case .entered: continue
      case .taken(let existing): return (position, existing)
      case .outside:
        let found = hash.insert(
          Hashing.hash(int64: number), position, columns: columns, epoch: epoch)
        if found != .max { return (position, found) }
      }
    }
    return nil
  }

  /// Takes rows out, whose keys still stand in `keys`.
  mutating func remove(
    _ keys: [Vector], positions: Buffer<UInt32>, count: Int, epoch: Epoch
  ) {
    if key.junction != nil { return }
    let chosen = entered(keys, count: count)
    let numbers = dense == nil ? nil : WholeNumbers(keys[0], count: count)
    let hashes = dense == nil || hash.count > 0 ? Hashing.hash(keys, count: count) : nil
    defer { noteDense() }
    for index in 0..<(chosen?.count ?? count) {
      let row = chosen.map { Int($0.positions[index]) } ?? index
      if let numbers, dense?.remove(numbers.values[row], positions[row], epoch: epoch) == true {
        continue
      }
      if let hashes { hash.remove(hashes[row], positions[row], epoch: epoch) }
    }
  }

  /// Fills an empty index with all rows of a table that are not deleted.
  ///
  /// - Throws: 57014, 53200; the index must then be dropped.
  mutating func build(
    _ table: TableStore, epoch: Epoch
  ) throws(SQLError) -> (row: UInt32, existing: UInt32)? {
    self = KeyIndex(key, types: types)
    if key.junction != nil { return nil }
    let columns = key.columns.map { table.columns[$0] }
    if dense != nil {
      var built = DenseIndex()
      if try built.buildSerial(columns[0], table) {
        dense = built
        noteDense()
        return nil
      }
      if let range = try DenseIndex.range(of: columns[0], table) {
        let conflict = try built.build(columns[0], table, range: range, epoch: epoch)
        dense = built
        noteDense()
        return conflict
      }
      dense = nil
      noteDense()
    }
    return try hash.build(columns, table, epoch: epoch)
  }
}

/// The whole numbers of a vector in one width.
struct WholeNumbers {
  let values: Buffer<Int64>
  let validity: ValidityMask

  /// - Precondition: the vector is of whole numbers.
  init(_ vector: Vector, count: Int) {
    let flat = vector.flattened()
    validity = flat.validity
    switch flat.type.physical {
    case .int16: values = Self.widen(flat.values(Int16.self), count)
    case .int32: values = Self.widen(flat.values(Int32.self), count)
    case .int64: values = flat.values(Int64.self)
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      assertionFailure("\(flat.type.name) is not a whole number")
      values = Buffer(zeroed: count)
    }
  }

  init?(ifWhole vector: Vector, count: Int) {
    if vector.type.physical == .int16 || vector.type.physical == .int32
      || vector.type.physical == .int64
    {
      self.init(vector, count: count)
    } else {
      return nil
    }
  }

  private static func widen<Element: FixedWidthInteger & BitwiseCopyable>(
    _ source: Buffer<Element>, _ count: Int
  ) -> Buffer<Int64> {
    let result = Buffer<Int64>(uninitialized: count)
    for row in 0..<count { result[row] = Int64(truncatingIfNeeded: source[row]) }
    return result
  }
}

extension ColumnStore {
  /// The whole number at a position, in one width.
  @inline(__always)
  func wholeNumber(_ position: UInt32) -> Int64 {
    switch physical {
    case .int16: Int64(element(position, as: Int16.self))
    case .int32: Int64(element(position, as: Int32.self))
    case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      element(position, as: Int64.self)
    }
  }

  /// Whether the first rows have whole numbers each of which is one greater than that of the row before.
  ///
  /// - Complexity: O(*n*) on all cores.
  func isSerial(rowCount: Int) throws(SQLError) -> Bool {
    switch type.physical {
    case .int16: try isSerial(rowCount, Int16.self)
    case .int32: try isSerial(rowCount, Int32.self)
    case .int64: try isSerial(rowCount, Int64.self)
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: false
    }
  }

  private func isSerial<Element: FixedWidthInteger & BitwiseCopyable & SendableMetatype>(
    _ rowCount: Int, _ element: Element.Type
  ) throws(SQLError) -> Bool {
    let first = wholeNumber(0)
    let (last, overflow) = first.addingReportingOverflow(Int64(rowCount - 1))
    // With the last number where it is to be, none between wraps round in its width.
    guard !overflow, wholeNumber(UInt32(truncatingIfNeeded: rowCount - 1)) == last else {
      return false
    }
    let pageCount = (rowCount + ColumnPage.capacity - 1) / ColumnPage.capacity
    let tasks = (pageCount + 63) / 64
    let differs = Buffer<UInt8>(zeroed: tasks)
    try parallelForThrowing(tasks: tasks) { (task) throws(SQLError) in
      for page in (task * 64)..<min(pageCount, task * 64 + 64) {
        let slot = pages.slot(page)
        let start = page * ColumnPage.capacity
        let values = slot.values.bound(to: Element.self)
        let wanted = Element(truncatingIfNeeded: first &+ Int64(start))
        var difference: Element = 0
        for row in 0..<min(ColumnPage.capacity, rowCount - start) {
          difference |= values[row] ^ (wanted &+ Element(truncatingIfNeeded: row))
        }
        if difference != 0 || !slot.validity.isNone {
          differs[task] = 1
          return
        }
      }
    }
    return !differs.array(tasks).contains(1)
  }

  /// Whether two rows have the same value (`=`, or with NULL equal to NULL).
  func equals(_ a: UInt32, _ b: UInt32) -> Bool {
    let validA = isValid(a)
    if validA != isValid(b) { return false }
    if !validA { return true }
    switch type.physical {
    case .int16, .int32, .int64: return wholeNumber(a) == wholeNumber(b)
    case .text where type != .character && type != .jsonb:
      return element(a, as: TextView.self) == element(b, as: TextView.self)
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: break
    }
    let rowA = Int(a) & Self.pageMask
    let rowB = Int(b) & Self.pageMask
    let left = vector(page: Int(a) >> Self.pageShift, count: rowA + 1)
    let right = vector(page: Int(b) >> Self.pageShift, count: rowB + 1)
    return ValueOrder.compare(left, rowA, right, rowB) == 0
  }
}
