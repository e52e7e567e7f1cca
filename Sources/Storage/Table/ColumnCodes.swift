package import Columnar
package import Diagnostics
import Synchronization

/// A column of one version of a table by dictionary: a small number for each row, and the value that it stands for.
///
/// Grouping, joining and sorting by numbers costs a fraction of what texts cost. Codes are in the order of the values. NULL has a
/// code as well, the greatest, so that every row has one; deleted rows have the codes of what they held.
package final class ColumnCodes: Sendable {
  /// The code of the row at each position, 0 ..< `values.count`.
  private let codes: Codes
  /// The value of each code, flat.
  package let values: Vector
  /// The code of NULL; of no row if there is none.
  private let nullCode: UInt32

  /// Codes in the fewest bytes that hold all of them, so that more of them are in the caches.
  private enum Codes {
    case ofOneByte(Buffer<UInt8>)
    case ofTwoBytes(Buffer<UInt16>)
    case ofFourBytes(Buffer<UInt32>)
  }

  /// - Complexity: that of grouping all rows by the column.
  /// - Throws: 57014, 53200.
  init(_ column: ColumnStore, rowCount: Int) throws(SQLError) {
    try RunningStatement.reserve(rowCount * 4)
    let codes = Buffer<UInt32>(uninitialized: max(1, rowCount))
    let table = GroupTable(types: [column.type])
    for page in 0..<column.pages.count {
      let start = page << ColumnStore.pageShift
      let count = min(ColumnPage.capacity, rowCount - start)
      if count <= 0 { break }
      if page & 15 == 0 { try RunningStatement.check() }
      let vector = column.vector(page: page, count: count)
      codes.copy(try table.findOrInsert([vector], count: count), count: count, to: start)
    }
    let found = table.keys(0..<table.groupCount)[0]
    let order = try Sorting.permutation(
      columns: [found], orders: [SortOrder()],
      count: table.groupCount)
    let ranks = Buffer<UInt32>(uninitialized: max(1, table.groupCount))
    for rank in 0..<table.groupCount { ranks[order[rank]] = UInt32(truncatingIfNeeded: rank) }
    if table.groupCount <= 1 << 8 {
      self.codes = .ofOneByte(try Self.replaced(codes, by: ranks, rowCount))
    } else if table.groupCount <= 1 << 16 {
      self.codes = .ofTwoBytes(try Self.replaced(codes, by: ranks, rowCount))
    } else {
      self.codes = .ofFourBytes(try Self.replaced(codes, by: ranks, rowCount))
    }
    values = found.gathered(order, count: table.groupCount).flattened()
    let last = table.groupCount - 1
    nullCode =
      last >= 0 && !values.validity.isValid(last) ? UInt32(truncatingIfNeeded: last) : .max
  }

  /// What `ranks` says of each code.
  private static func replaced<Code: FixedWidthInteger & BitwiseCopyable>(
    _ codes: Buffer<UInt32>, by ranks: Buffer<UInt32>, _ count: Int
  ) throws(SQLError) -> Buffer<Code> {
    try RunningStatement.reserve(count * MemoryLayout<Code>.size)
    let result = Buffer<Code>(uninitialized: max(1, count))
    try (0..<count).inSlices { slice in
      for row in slice { result[row] = Code(truncatingIfNeeded: ranks[codes[row]]) }
    }
    return result
  }

  /// The codes of the rows at `positions`, NULL for NULL; with `optional`, NULL for `TableStore.noRow` as well.
  ///
  /// - Complexity: O(*n*).
  package func gather(
    _ positions: Buffer<UInt32>, count: Int, type: LogicalType, optional: Bool = false
  ) -> Vector {
    switch codes {
    case .ofOneByte(let codes): gather(codes, positions, count, type, optional)
    case .ofTwoBytes(let codes): gather(codes, positions, count, type, optional)
    case .ofFourBytes(let codes): gather(codes, positions, count, type, optional)
    }
  }

  @inline(__always)
  private func gather<Code: FixedWidthInteger & BitwiseCopyable>(
    _ codes: Buffer<Code>, _ positions: Buffer<UInt32>, _ count: Int, _ type: LogicalType,
    _ optional: Bool
  ) -> Vector {
    let result = Buffer<UInt32>(uninitialized: count)
    if !optional && nullCode == .max {
      for row in 0..<count { result[row] = UInt32(truncatingIfNeeded: codes[positions[row]]) }
      return Vector(type, result, count: count)
    }
    // Without branches, as nobody can tell which rows are NULL. A code of no row is never read.
    let words = Buffer<UInt64>(zeroed: ValidityMask.wordCount(count) + 1)
    let none = nullCode == .max ? 0 : nullCode
    for start in stride(from: 0, to: count, by: 64) {
      var present: UInt64 = 0
      for row in start..<min(start &+ 64, count) {
        let position = positions[row]
        let isRow = !optional || position != TableStore.noRow
        let code = isRow ? UInt32(truncatingIfNeeded: codes[position]) : none
        result[row] = code
        let isPresent = isRow && code != nullCode
        present |= (isPresent ? 1 : 0) &<< UInt64(truncatingIfNeeded: row &- start)
      }
      words[start &>> 6] = present
    }
    return Vector(type, result, count: count, validity: ValidityMask(words: words))
  }

  /// The values that codes stand for; NULL for NULL.
  ///
  /// - Complexity: O(*n*).
  package func decode(_ column: Vector, count: Int) -> Vector {
    let flat = column.flattened()
    let places = flat.values(UInt32.self)
    let (validity, values) = (flat.validity, values)
    if validity.isAllValid { return values.gathered(places, count: count) }
    let known = Buffer<UInt32>(uninitialized: count)
    for row in 0..<count { known[row] = validity.isValid(row) ? places[row] : TableStore.noRow }
    return values.gatheredOptional(known, count: count)
  }
}

/// The columns of one version of a table that queries have read by dictionary, kept for the next.
final class ColumnDictionaries: Sendable {
  private let columns = Mutex<[Int: ColumnCodes]>([:])

  /// Whether nobody has asked for codes.
  var isEmpty: Bool { columns.withLock { $0.isEmpty } }

  func codes(_ index: Int, make: () throws(SQLError) -> ColumnCodes) throws(SQLError) -> ColumnCodes
  {
    if let known = columns.withLock({ $0[index] }) { return known }
    // Made without the lock: two queries that ask at once make it twice.
    let made = try make()
    return columns.withLock { columns in
      if let known = columns[index] { return known }
      columns[index] = made
      return made
    }
  }
}

extension TableStore {
  /// A column by dictionary.
  ///
  /// - Complexity: O(*n*) in the rows the first time for a version, O(1) later.
  /// - Throws: 57014, 53200.
  package func codes(of column: Int) throws(SQLError) -> ColumnCodes {
    let (store, rowCount) = (columns[column], rowCount)
    return try dictionaries.codes(column) { () throws(SQLError) in
      try ColumnCodes(store, rowCount: rowCount)
    }
  }
}
