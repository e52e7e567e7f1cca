/// The rows that a hand-written loop gives: columns of numbers and of texts, used again for each run.
///
/// Sendable by rule: the threads of one loop write to different places.
final class LimitRows: @unchecked Sendable {
  enum Column: Equatable {
    case number(Int)
    case text(Int)
    /// A text of a JSON array.
    case json(Int)
  }

  var count = 0
  /// What the rows' columns are, in order.
  var columns: [Column] = []
  let numbers: [Cells<Int32>]
  /// Where each text starts and how many bytes it has.
  let starts: [Cells<UInt64>]
  let lengths: [Cells<UInt32>]
  /// The bytes that each column's texts lie in.
  var heaps: [Cells<UInt8>]
  private let none = Cells<UInt8>(count: 1)

  init(capacity: Int) {
    numbers = (0..<3).map { _ in Cells(count: capacity) }
    starts = (0..<2).map { _ in Cells(count: capacity) }
    lengths = (0..<2).map { _ in Cells(count: capacity) }
    heaps = [none, none]
  }

  deinit {
    for cells in numbers { cells.free() }
    for cells in starts { cells.free() }
    for cells in lengths { cells.free() }
    none.free()
  }

  /// Makes one row of one number of them, as a query that counts gives.
  func set(_ number: Int) {
    columns = [.number(0)]
    numbers[0][0] = Int32(truncatingIfNeeded: number)
    count = 1
  }

  /// Reads every value as a user would: the sum of numbers, and of the lengths and first bytes of texts.
  func touch() -> Int {
    var sum = 0
    for column in columns {
      switch column {
      case .number(let index):
        let numbers = numbers[index]
        for row in 0..<count { sum &+= Int(truncatingIfNeeded: numbers[row]) }
      case .text(let index), .json(let index):
        let (starts, lengths, heap) = (starts[index], lengths[index], heaps[index])
        for row in 0..<count {
          sum &+= Int(truncatingIfNeeded: lengths[row])
          sum &+= Int(heap[Int(truncatingIfNeeded: starts[row])])
        }
      }
    }
    return sum
  }

  /// Adds all rows to a digest.
  func digest(into digest: inout AnswerDigest) {
    for row in 0..<count {
      for column in columns {
        switch column {
        case .number(let index): digest.add(Int64(numbers[index][row]))
        case .text(let index):
          unsafe digest.add(
            heaps[index].bytes(from: Int(starts[index][row]), count: Int(lengths[index][row])))
        case .json(let index):
          unsafe digest.addJSON(
            heaps[index].bytes(from: Int(starts[index][row]), count: Int(lengths[index][row])))
        }
      }
      digest.endRow()
    }
  }
}

/// What loops write to while they run, made once for each number of threads.
///
/// Sendable by rule: the threads of one loop write to different parts.
final class LimitScratch: @unchecked Sendable {
  /// For each thread.
  let studentBits: [Bits]
  let courseBits: [Bits]
  let courseCounts: [Cells<UInt32>]
  let stack: [Cells<Int32>]
  let stamps: [Cells<UInt32>]
  let sums: Cells<Int>
  let rows: LimitRows
  /// Where B8 writes, made when it is first asked for.
  var json: Cells<UInt8>?

  init(_ school: SchoolArrays, threads: Int) {
    let all = 0..<threads
    studentBits = all.map { _ in Bits(count: school.students) }
    courseBits = all.map { _ in Bits(count: school.courses) }
    courseCounts = all.map { _ in Cells(count: school.courses) }
    stack = all.map { _ in Cells(count: max(school.students, school.courses) + 1) }
    stamps = all.map { _ in Cells(count: school.courses) }
    // Results of two threads stand a cache line apart.
    sums = Cells(count: threads * 16)
    rows = LimitRows(capacity: max(school.students, school.courses) + 1)
  }

  deinit {
    for bits in studentBits + courseBits { bits.free() }
    for cells in courseCounts + stamps { cells.free() }
    for cells in stack { cells.free() }
    json?.free()
    pairMemory?.free()
    for cells in pairPlaces { cells.free() }
    for cells in pairTables { cells.free() }
    sums.free()
  }

  // What B4 alone needs, made when it first asks.
  private var pairMemory: Cells<UInt32>?
  private var pairPlaces: [Cells<UInt64>] = []
  private var pairTables: [Cells<UInt32>] = []

  /// Room for all pairs of courses that students take.
  func pairs(_ count: Int) -> Cells<UInt32> {
    if let pairMemory { return pairMemory }
    let made = Cells<UInt32>(count: count)
    pairMemory = made
    return made
  }

  /// For each thread, a place in the pairs for each range of courses.
  func pairEnds(_ ranges: Int) -> [Cells<UInt64>] {
    if pairPlaces.isEmpty { pairPlaces = stack.map { _ in Cells(count: ranges) } }
    return pairPlaces
  }

  /// A table of zeros for each thread, which must be left so.
  func pairTables(_ count: Int) -> [Cells<UInt32>] {
    if pairTables.isEmpty { pairTables = stack.map { _ in Cells(count: count) } }
    return pairTables
  }
}
