import Columnar
import Diagnostics

/// An array from whole numbers to positions, for keys without many holes.
struct DenseIndex: Sendable {
  /// What became of an entry.
  enum Insertion { case entered, taken(UInt32), outside }

  private(set) var base: Int64 = 0
  var positions = PagedArray<UInt32>(initial: .max)
  /// The number of keys.
  private(set) var count = 0
  /// Numbers that stand where their order says, as serial keys of rows that were loaded do.
  private(set) var serial = SerialRun()

  /// - Invariant: the entries from `start` on, `count` of them, are 0, 1, 2, and so on.
  struct SerialRun: BitwiseCopyable, Sendable {
    /// An offset into the array.
    var start = 0
    var count = 0

    mutating func enter(_ offset: Int, _ position: UInt32) {
      guard Int(position) == count, count == 0 || offset == start &+ count else { return }
      if count == 0 { start = offset }
      count &+= 1
    }

    mutating func remove(_ offset: Int) {
      if offset >= start && offset < start &+ count { count = offset &- start }
    }
  }

  init() {}

  init(base: Int64, count: Int, serial: SerialRun) {
    self.base = base
    self.count = count
    self.serial = serial
  }

  /// Holes up to four times the keys are accepted; that is no more memory than a hash table takes.
  private static func limit(_ count: Int) -> Int { count &* 4 &+ 4096 }

  /// Where a number would stand; negative or past the end if nowhere.
  @inline(__always)
  private func offset(_ number: Int64) -> Int {
    let (difference, overflow) = number.subtractingReportingOverflow(base)
    return overflow ? -1 : Int(difference)
  }

  @inline(__always)
  func lookup(_ number: Int64) -> UInt32 {
    let offset = offset(number)
    guard offset >= 0 && offset < positions.count else { return .max }
    let ordinal = offset &- serial.start
    if ordinal >= 0 && ordinal < serial.count { return UInt32(truncatingIfNeeded: ordinal) }
    return positions[offset]
  }

  /// The positions of numbers that all belong to the serial ones, as those of foreign keys to loaded rows mostly do; nil
  /// where one does not.
  ///
  /// - Precondition: the vector is of whole numbers.
  /// - Complexity: O(*n*), several numbers at once and none of the array.
  func serialPositions(_ vector: Vector, count: Int) -> Buffer<UInt32>? {
    guard serial.count > 0, serial.count <= 1 << 31 else { return nil }
    let flat = vector.flattened()
    guard flat.validity.isAllValid else { return nil }
    let first = base &+ Int64(serial.start)
    return switch flat.type.physical {
    case .int16: Self.ordinals(flat.values(Int16.self), from: first, of: serial.count, count)
    case .int32: Self.ordinals(flat.values(Int32.self), from: first, of: serial.count, count)
    case .int64: Self.ordinals(flat.values(Int64.self), from: first, of: serial.count, count)
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: nil
    }
  }

  /// How far each number is from `first`; nil if that is not in 0 ..< `limit` for all of them.
  private static func ordinals<Number: FixedWidthInteger & BitwiseCopyable>(
    _ numbers: Buffer<Number>, from first: Int64, of limit: Int, _ count: Int
  ) -> Buffer<UInt32>? {
    let result = Buffer<UInt32>(uninitialized: max(1, count))
    // The highest bit tells of a number out of range: either its distance or what is left to the last one is negative.
    if Number.bitWidth <= 32, Int32(exactly: first) != nil,
      Int32(exactly: first &+ Int64(limit &- 1)) != nil
    {
      // Both ends have 32 bits, so no number wraps round into the range.
      let start = UInt32(truncatingIfNeeded: first)
      let last = UInt32(truncatingIfNeeded: limit &- 1)
      var signs: UInt32 = 0
      for row in 0..<count {
        let ordinal = UInt32(truncatingIfNeeded: numbers[row]) &- start
        signs |= ordinal | (last &- ordinal)
        result[row] = ordinal
      }
      return signs >> 31 == 0 ? result : nil
    }
    let last = Int64(limit &- 1)
    var signs: Int64 = 0
    for row in 0..<count {
      let ordinal = Int64(truncatingIfNeeded: numbers[row]) &- first
      signs |= ordinal | (last &- ordinal)
      result[row] = UInt32(truncatingIfNeeded: ordinal)
    }
    return signs >= 0 ? result : nil
  }

  func lookup(_ numbers: WholeNumbers, count: Int) -> Buffer<UInt32> {
    let result = Buffer<UInt32>(uninitialized: count)
    let values = numbers.values
    let room = UInt64(positions.count)
    let directory = positions.lazyDirectory
    let lazy = positions.lazy
    let base = base
    let serialStart = UInt64(truncatingIfNeeded: serial.start)
    let serialCount = UInt64(truncatingIfNeeded: serial.count)
    for row in 0..<count {
      // A number below the base wraps round to one that is far too great.
      let offset = UInt64(bitPattern: values[row] &- base)
      var position = UInt32.max
      let ordinal = offset &- serialStart
      if ordinal < serialCount {
        position = UInt32(truncatingIfNeeded: ordinal)
      } else if offset < room {
        let index = Int(truncatingIfNeeded: offset)
        if let lazy { lazy.require(index &>> 17) }
        position = directory[index &>> 17][(index &>> 11) & 63][index & 2047]
      }
      result[row] = position
    }
    if !numbers.validity.isAllValid {
      for row in 0..<count where !numbers.validity.isValid(row) { result[row] = .max }
    }
    return result
  }

  /// Enters a key; `reader` then finds it too.
  mutating func insert(
    _ number: Int64, _ position: UInt32, epoch: Epoch, reader: inout NumberReader?
  ) -> Insertion {
    if positions.count == 0 {
      // Keys a little below the first one will fit as well.
      base = number < Int64.min + 4096 ? number : number & ~2047
    }
    let offset = offset(number)
    guard offset >= 0 && offset < max(positions.count, Self.limit(count)) else { return .outside }
    positions.grow(toInclude: offset, epoch: epoch)
    let existing = positions[offset]
    if existing != .max { return .taken(existing) }
    let isInPlace = positions.set(offset, position, epoch: epoch)
    serial.enter(offset, position)
    count += 1
    if isInPlace {
      reader?.serialStart = UInt64(serial.start)
      reader?.serialCount = UInt64(serial.count)
    } else {
      reader = self.reader
    }
    return .entered
  }

  /// Takes a key out; false if it does not stand here under this position.
  mutating func remove(_ number: Int64, _ position: UInt32, epoch: Epoch) -> Bool {
    guard lookup(number) == position else { return false }
    positions.set(offset(number), .max, epoch: epoch)
    serial.remove(offset(number))
    count -= 1
    return true
  }

  // MARK: Building

  /// The least and the greatest key, if an array from one to the other is worth its memory.
  static func range(
    of column: ColumnStore, _ table: TableStore
  ) throws(SQLError) -> ClosedRange<Int64>? {
    var least = Int64.max
    var greatest = Int64.min
    for page in 0..<table.pageCount {
      if page & 15 == 0 { try RunningStatement.check() }
      let count = table.rowCount(ofPage: page)
      let vector = column.vector(page: page, count: count)
      let numbers = WholeNumbers(vector, count: count)
      let mask = table.live.mask(page)
      for row in 0..<count {
        if let mask, mask[row &>> 6] &>> UInt64(row & 63) & 1 == 0 { continue }
        if !numbers.validity.isValid(row) { continue }
        least = min(least, numbers.values[row])
        greatest = max(greatest, numbers.values[row])
      }
    }
    guard least <= greatest else { return nil }
    let (width, overflow) = greatest.subtractingReportingOverflow(least)
    guard !overflow, width < Int64(limit(table.liveRowCount)) else { return nil }
    return least...greatest
  }

  /// Fills the array if the rows of a table have numbers one greater than the one before, as they mostly have after a
  /// load; false if not.
  ///
  /// - Complexity: O(*n*) on all cores; where the numbers are others that is mostly seen at once.
  mutating func buildSerial(
    _ column: ColumnStore, _ table: TableStore
  ) throws(SQLError) -> Bool {
    let rowCount = table.rowCount
    guard rowCount > 0, table.liveRowCount == rowCount, try column.isSerial(rowCount: rowCount)
    else {
      return false
    }
    base = column.wholeNumber(0)
    let pageCapacity = PagedArray<UInt32>.pageCapacity
    let pageCount = (rowCount + pageCapacity - 1) / pageCapacity
    serial = SerialRun(start: 0, count: rowCount)
    positions = Self.array(of: serial, pageCount: pageCount)
    count = rowCount
    return true
  }

  /// An array of numbers of which each stands where its order says.
  ///
  /// As nobody looks such numbers up, it takes memory only where a change touches it.
  static func array(of serial: SerialRun, pageCount: Int) -> PagedArray<UInt32> {
    let epoch = Epoch.next()
    let capacity = PagedArray<UInt32>.pageCapacity
    return PagedArray(initial: .max, pageCount: pageCount) { group in
      ((group * 64)..<min(pageCount, group * 64 + 64)).map { page in
        let elements = Buffer<UInt32>(repeating: .max, count: capacity)
        let offset = page * capacity
        for index in 0..<capacity {
          let position = offset + index - serial.start
          if position >= 0 && position < serial.count {
            elements[index] = UInt32(truncatingIfNeeded: position)
          }
        }
        return ElementPage(owner: epoch, elements: elements)
      }
    }
  }

  /// Fills the array from all rows of a table that are not deleted.
  mutating func build(
    _ column: ColumnStore, _ table: TableStore, range: ClosedRange<Int64>, epoch: Epoch
  ) throws(SQLError) -> (row: UInt32, existing: UInt32)? {
    base = range.lowerBound
    let width = Int(range.upperBound - range.lowerBound) + 1
    let pageCapacity = PagedArray<UInt32>.pageCapacity
    let room = (width + pageCapacity - 1) / pageCapacity * pageCapacity
    let array = try Buffer<UInt32>(repeatingInSlices: .max, count: room)
    var entered = 0
    for page in 0..<table.pageCount {
      if page & 15 == 0 { try RunningStatement.check() }
      let rows = table.rowCount(ofPage: page)
      let numbers = WholeNumbers(column.vector(page: page, count: rows), count: rows)
      let mask = table.live.mask(page)
      let first = UInt32(truncatingIfNeeded: page * TableStore.pageCapacity)
      for row in 0..<rows {
        if let mask, mask[row &>> 6] &>> UInt64(row & 63) & 1 == 0 { continue }
        if !numbers.validity.isValid(row) { continue }
        let offset = Int(numbers.values[row] &- base)
        let position = first &+ UInt32(truncatingIfNeeded: row)
        if array[offset] != .max { return (position, array[offset]) }
        array[offset] = position
        entered &+= 1
      }
    }
    serial = SerialRun()
    while serial.count < width && array[serial.count] == UInt32(serial.count) {
      serial.count &+= 1
    }
    positions = PagedArray(initial: .max, adopting: array, epoch: epoch)
    count = entered
    return nil
  }
}
