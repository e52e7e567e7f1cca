package import Diagnostics

/// Rows, each kept once: what DISTINCT, UNION and `count(DISTINCT x)` stand on.
///
/// NULLs equal each other. One column of whole numbers that lie near each other is a bitmap, a bit for each number between the least and
/// the greatest; several columns of small ranges are one of all combinations; all else is a hash table. Exact numbers are whole ones
/// as long as they have equally many digits behind the point. A set changes from one to the other by itself.
///
/// One thread at a time uses a set.
package final class DistinctSet {
  package let types: [LogicalType]
  private var bitmap = NumberBitmap()
  /// What numbers in the bitmap mean where rows have several columns.
  private var grid: KeyGrid?
  private var hasNull = false
  /// nil as long as the bitmap holds all.
  private var table: GroupTable?
  private let canBeBitmap: Bool
  /// How exact numbers are whole ones in a bitmap; nil where there are none.
  private var decimals: DecimalKeys?
  /// The types of what the bitmap holds.
  private var numberTypes: [LogicalType] { decimals?.types ?? types }
  /// With how many rows a table of numbers is next looked at again: many lie nearer to each other than few.
  private var nextLook = 512
  /// How many rows a table has that are on their way into the bitmap, so that it is not found too wide for the first of them.
  private var awaited = 0
  /// A bitmap may span so many numbers for each that is in it.
  private static let spanFactor: Int64 = 4096
  /// A grid of so many combinations is always made, and above that one of so many for each row that is in it.
  private static let gridAlways = 1 << 16
  private static let gridFactor = 512
  /// For each row that is only expected there may be so many.
  private static let expectedFactor = 32
  private let expectedCount: Int
  /// The words of a bitmap that are read at a time.
  private static let pieceWords = 512

  /// A set of rows of these types, of which there may come to be so many; 0 where nobody knows.
  package init(types: [LogicalType], expectedCount: Int = 0) {
    self.types = types
    self.expectedCount = expectedCount
    decimals = DecimalKeys(types)
    let numbers = decimals?.types ?? types
    if KeyGrid.takes(numbers) { grid = KeyGrid(keyCount: types.count) }
    canBeBitmap =
      grid != nil || types.count == 1 && [.int16, .int32, .int64].contains(numbers[0].physical)
    table = canBeBitmap ? nil : GroupTable(types: types)
    table?.expectedCount = expectedCount
  }

  /// Whether rows of these types can be a bitmap of all combinations.
  package static func numbersCombinations(of types: [LogicalType]) -> Bool {
    KeyGrid.takes(DecimalKeys(types)?.types ?? types)
  }

  /// How many different rows there are.
  package var count: Int { table?.groupCount ?? bitmap.count + bit(hasNull) }

  /// The bytes held, for memory accounting.
  package var byteCount: Int { table?.byteCount ?? bitmap.byteCount }

  /// Adds the rows, and says which of them were the first of their kind.
  ///
  /// - Complexity: O(*n*) on average.
  package func insertNew(
    _ columns: [Vector], count rows: Int
  ) throws(SQLError) -> SelectionVector {
    if let table {
      let fresh = try table.insertNew(columns, count: rows)
      if canBeBitmap && table.groupCount >= nextLook { try moveToBitmap(table) }
      return fresh
    }
    if let fresh = try insertInBitmap(columns, rows) { return fresh }
    return try moveToTable().insertNew(columns, count: rows)
  }

  /// nil where a bitmap would span too much, or exact numbers have other digits than those before.
  private func insertInBitmap(
    _ columns: [Vector], _ rows: Int
  ) throws(SQLError) -> SelectionVector? {
    var columns = columns
    if decimals != nil {
      guard let taken = decimals?.taken(columns, count: rows) else { return nil }
      columns = taken
    }
    return grid == nil
      ? insertNumbers(columns[0].flattened(), rows)
      : try insertPlaces(columns.map { $0.flattened() }, rows)
  }

  /// nil where there would be too many combinations.
  private func insertPlaces(
    _ columns: [Vector], _ rows: Int
  ) throws(SQLError) -> SelectionVector? {
    guard let grid else { return nil }
    var (places, areInside) = grid.places(columns, rows, as: Int64.self)
    if !areInside {
      let limit = gridLimit(max(bitmap.count + rows, awaited))
      guard let wider = grid.covering(columns, rows, limit: limit), try spread(over: wider) else {
        return nil
      }
      (places, areInside) = wider.places(columns, rows, as: Int64.self)
    }
    let fresh = Buffer<UInt32>(uninitialized: rows)
    if rows > 0, bitmap.byteCount == 0 {
      guard bitmap.cover(0, 0, limit: 1) else { return nil }
    }
    return SelectionVector(fresh, count: bitmap.insert(places, count: rows, fresh: fresh))
  }

  private func gridLimit(_ rows: Int) -> Int {
    let expected = min(expectedCount, Int(NumberBitmap.spanMax) / Self.expectedFactor)
    return max(Self.gridAlways, Self.gridFactor * rows, Self.expectedFactor * expected)
  }

  /// Brings the rows there are to their places in another grid.
  private func spread(over wider: KeyGrid) throws(SQLError) -> Bool {
    try RunningStatement.reserve(wider.placeCount / 8)
    let spread = NumberBitmap()
    let last = Int64(wider.placeCount - 1)
    guard spread.cover(0, last, limit: .max) else { return false }
    try forEachRun { (columns, count) throws(SQLError) in
      let (places, _) = wider.places(columns, count, as: Int64.self)
      _ = spread.insert(places, count: count, fresh: Buffer(uninitialized: count))
    }
    grid = wider
    bitmap = spread
    return true
  }

  /// Hands over the rows of a grid, some at a time, in the order of their places; of all words of the bitmap, or of some.
  private func forEachRun(
    in words: Range<Int>? = nil,
    _ body: (_ columns: [Vector], _ count: Int) throws(SQLError) -> Void
  ) throws(SQLError) {
    guard let grid else { return }
    var rest = words ?? 0..<bitmap.wordCount
    while true {
      try RunningStatement.check()
      let places = Buffer<Int64>(uninitialized: Vector.chunkCapacity)
      let found = bitmap.numbers(in: &rest, into: places, limit: Vector.chunkCapacity)
      if found == 0 { return }
      try body(grid.keys(of: places, count: found, types: numberTypes), found)
    }
  }

  /// nil where the numbers lie too far from each other for a bitmap.
  private func insertNumbers(_ column: Vector, _ rows: Int) -> SelectionVector? {
    switch column.type.physical {
    case .int16: insert(column, column.values(Int16.self), rows)
    case .int32: insert(column, column.values(Int32.self), rows)
    case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      insert(column, column.values(Int64.self), rows)
    }
  }

  private func insert<Element: FixedWidthInteger & BitwiseCopyable>(
    _ column: Vector, _ numbers: Buffer<Element>, _ rows: Int
  ) -> SelectionVector? {
    if let present = SelectionVector.present(in: [column], count: rows) {
      return insertPresent(column, present, rows)
    }
    var least = Element.max
    var greatest = Element.min
    for row in 0..<rows {
      least = min(least, numbers[row])
      greatest = max(greatest, numbers[row])
    }
    if rows == 0 { return SelectionVector(Buffer(uninitialized: 0), count: 0) }
    let limit = Int64(max(bitmap.count + rows, awaited)) * Self.spanFactor
    guard bitmap.cover(Int64(least), Int64(greatest), limit: limit) else { return nil }
    let fresh = Buffer<UInt32>(uninitialized: rows)
    return SelectionVector(fresh, count: bitmap.insert(numbers, count: rows, fresh: fresh))
  }

  /// Rows among which some are NULL.
  private func insertPresent(
    _ column: Vector, _ present: SelectionVector, _ rows: Int
  ) -> SelectionVector? {
    let firstNull = present.complement(of: rows).positions[0]
    let isNew = !hasNull
    let found = insertNumbers(column.gathered(present).flattened(), present.count)
    guard let found else { return nil }
    hasNull = true
    let kept = found.within(present)
    if !isNew { return kept }
    let all = Buffer<UInt32>(uninitialized: kept.count + 1)
    var written = 0
    for index in 0..<kept.count {
      if written == index && kept.positions[index] > firstNull {
        all[written] = firstNull
        written &+= 1
      }
      all[written] = kept.positions[index]
      written &+= 1
    }
    if written == kept.count { all[written] = firstNull }
    return SelectionVector(all, count: kept.count + 1)
  }

  private func moveToTable() throws(SQLError) -> GroupTable {
    let table = GroupTable(types: types)
    table.expectedCount = expectedCount
    for chunk in try chunks() { _ = try table.findOrInsert(chunk.columns, count: chunk.count) }
    self.table = table
    nextLook = max(nextLook, table.groupCount * 2)
    return table
  }

  /// Makes a table a bitmap again if that pays by now.
  private func moveToBitmap(_ table: GroupTable) throws(SQLError) {
    nextLook = table.groupCount * 4
    self.table = nil
    forgetBitmap()
    awaited = table.groupCount
    defer { awaited = 0 }
    // Some at a time, between which the statement may be ended.
    for chunk in try Self.chunks(of: table) {
      try RunningStatement.check()
      if try insertInBitmap(chunk.columns, chunk.count) == nil {
        forgetBitmap()
        self.table = table
        return
      }
    }
  }

  private func forgetBitmap() {
    bitmap = NumberBitmap()
    if grid != nil { grid = KeyGrid(keyCount: types.count) }
    if decimals != nil { decimals = DecimalKeys(types) }
    hasNull = false
  }

  /// The rows of a column that are in the set, or those that are not; NULL counts as not in it.
  ///
  /// - Precondition: the set has one column.
  /// - Complexity: O(*n*) on average.
  package func rows(
    of column: Vector, count rows: Int, in wanted: Bool
  ) throws(SQLError) -> SelectionVector {
    let kept = Buffer<UInt32>(uninitialized: max(rows, 1))
    if let table {
      let column = column.flattened()
      let groups = try table.find([column], count: rows)
      var found = 0
      for row in 0..<rows {
        kept[found] = UInt32(truncatingIfNeeded: row)
        found &+= bit((groups[row] != .max && column.validity.isValid(row)) == wanted)
      }
      return SelectionVector(kept, count: found)
    }
    let column = number(column, rows).flattened()
    let found =
      switch column.type.physical {
      case .int16:
        bitmap.rows(of: column.values(Int16.self), column.validity, rows, in: wanted, kept)
      case .int32:
        bitmap.rows(of: column.values(Int32.self), column.validity, rows, in: wanted, kept)
      case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
        bitmap.rows(of: column.values(Int64.self), column.validity, rows, in: wanted, kept)
      }
    return SelectionVector(kept, count: found)
  }

  /// A column to be looked for as the numbers of the bitmap; NULL is what cannot be in it.
  private func number(_ column: Vector, _ rows: Int) -> Vector {
    guard let decimals else { return column }
    let (columns, strangers) = decimals.sought([column], count: rows)
    if strangers.isEmpty { return columns[0] }
    let flat = columns[0].flattened()
    var validity = flat.validity.copy(count: rows)
    for row in strangers { validity.setNull(row, count: rows) }
    return Vector(flat.type, flat.values(Int64.self), count: rows, validity: validity)
  }

  /// Adds the rows of another set of the same types.
  ///
  /// - Complexity: O(*n*); a word of 64 numbers at a time where both are bitmaps.
  package func formUnion(_ other: DistinctSet) throws(SQLError) {
    let areAlike = agrees(with: other)
    if areAlike && grid != nil {
      if try formUnionOfPlaces(other) { return }
    } else if areAlike {
      let bounds = other.bitmap.bounds
      let limit = Int64(bitmap.count + other.bitmap.count) * Self.spanFactor
      if bounds.map({ bitmap.cover($0.lowerBound, $0.upperBound, limit: limit) }) ?? true {
        bitmap.formUnion(other.bitmap)
        hasNull = hasNull || other.hasNull
        return
      }
    }
    let table: GroupTable
    if let known = self.table { table = known } else { table = try moveToTable() }
    for chunk in try other.chunks() {
      try RunningStatement.check()
      _ = try table.findOrInsert(chunk.columns, count: chunk.count)
    }
  }

  /// Whether both are bitmaps in which numbers mean the same.
  private func agrees(with other: DistinctSet) -> Bool {
    guard table == nil && other.table == nil else { return false }
    guard let ours = decimals, let theirs = other.decimals else { return true }
    if !ours.agrees(with: theirs) { return false }
    decimals?.learn(from: theirs)
    return true
  }

  /// Says false where there would be too many combinations.
  private func formUnionOfPlaces(_ other: DistinctSet) throws(SQLError) -> Bool {
    guard let grid, let otherGrid = other.grid else { return false }
    if other.bitmap.count == 0 { return true }
    let limit = gridLimit(bitmap.count + other.bitmap.count)
    guard let wider = grid.covering(otherGrid, limit: limit) else { return false }
    if !wider.isSame(as: grid), try !spread(over: wider) { return false }
    if !wider.isSame(as: otherGrid) {
      try other.forEachRun { (columns, count) throws(SQLError) in
        let (places, _) = wider.places(columns, count, as: Int64.self)
        _ = bitmap.insert(places, count: count, fresh: Buffer(uninitialized: count))
      }
      return true
    }
    guard bitmap.cover(0, Int64(wider.placeCount - 1), limit: .max) else { return false }
    bitmap.formUnion(other.bitmap)
    return true
  }

  /// All rows, those of a bitmap in rising order with NULL last, or of several columns in the order of the one with the widest range.
  package func chunks() throws(SQLError) -> [DataChunk] {
    if let table { return try Self.chunks(of: table) }
    return try chunks(in: 0..<bitmap.wordCount) + nullChunk
  }

  /// In how many pieces the rows can be read by several workers while none is added; nil where they are better read at once.
  package var pieceCount: Int? {
    table == nil ? max(1, (bitmap.wordCount + Self.pieceWords - 1) / Self.pieceWords) : nil
  }

  /// The rows of a piece, which come behind those of the pieces before.
  package func chunks(ofPiece piece: Int) throws(SQLError) -> [DataChunk] {
    let start = piece * Self.pieceWords
    let end = min(bitmap.wordCount, start + Self.pieceWords)
    let chunks = try chunks(in: start..<max(start, end))
    return end == bitmap.wordCount ? chunks + nullChunk : chunks
  }

  private var nullChunk: [DataChunk] {
    hasNull ? [DataChunk([.null(types[0], count: 1)], count: 1)] : []
  }

  private static func chunks(of table: GroupTable) throws(SQLError) -> [DataChunk] {
    var result: [DataChunk] = []
    for start in stride(from: 0, to: table.groupCount, by: Vector.chunkCapacity) {
      try RunningStatement.check()
      let length = min(Vector.chunkCapacity, table.groupCount - start)
      result.append(DataChunk(table.keys(start..<(start + length)), count: length))
    }
    return result
  }

  /// The rows of some words of the bitmap, but for NULL.
  private func chunks(in words: Range<Int>) throws(SQLError) -> [DataChunk] {
    if grid != nil {
      var result: [DataChunk] = []
      try forEachRun(in: words) { (columns, count) throws(SQLError) in
        result.append(DataChunk(decimals?.given(columns) ?? columns, count: count))
      }
      return result
    }
    return switch numberTypes[0].physical {
    case .int16: try chunks(of: Int16.self, in: words)
    case .int32: try chunks(of: Int32.self, in: words)
    case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      try chunks(of: Int64.self, in: words)
    }
  }

  private func chunks<Element: FixedWidthInteger & BitwiseCopyable>(
    of element: Element.Type, in words: Range<Int>
  ) throws(SQLError) -> [DataChunk] {
    var result: [DataChunk] = []
    var rest = words
    while true {
      try RunningStatement.check()
      let numbers = Buffer<Element>(uninitialized: Vector.chunkCapacity)
      let found = bitmap.numbers(in: &rest, into: numbers, limit: Vector.chunkCapacity)
      if found == 0 { return result }
      let columns = [Vector(numberTypes[0], numbers, count: found)]
      result.append(DataChunk(decimals?.given(columns) ?? columns, count: found))
    }
  }
}
