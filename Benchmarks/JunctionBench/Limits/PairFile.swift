/// Two columns of whole numbers, read from a CSV file by one or two threads.
struct PairFile {
  /// The pairs of each thread's part of the file, in the file's order; rows, that is keys less one.
  let left: [Cells<Int32>]
  let right: [Cells<Int32>]
  let counts: [Int]

  /// - Throws: a sentence that names the first bad line's place.
  init(
    _ file: Cells<UInt8>, name: String, leftBound: Int, rightBound: Int, threads: Int
  ) throws(BenchError) {
    var start = 0
    while start < file.count && file[start] != 10 { start += 1 }
    start = min(file.count, start + 1)
    let bounds = Self.bounds(file, from: start, threads: threads)
    // The shortest line has four bytes: "1,1\n".
    let left = (0..<threads).map { Cells<Int32>(count: (bounds[$0 + 1] - bounds[$0]) / 4 + 1) }
    let right = (0..<threads).map { Cells<Int32>(count: (bounds[$0 + 1] - bounds[$0]) / 4 + 1) }
    let counts = Cells<Int>(count: threads)
    defer { counts.free() }
    Threads.run(threads) { thread in
      counts[thread] = Self.parse(
        file, bounds[thread]..<bounds[thread + 1], leftBound, rightBound, left[thread],
        right[thread])
    }
    self.left = left
    self.right = right
    self.counts = (0..<threads).map { counts[$0] }
    if let bad = self.counts.first(where: { $0 < 0 }) {
      throw BenchError("\(name): byte \(-bad) is no pair of keys that exist")
    }
  }

  func free() {
    for cells in left + right { cells.free() }
  }

  /// Where each thread's part begins, just behind a line's end, and where the last ends.
  private static func bounds(_ file: Cells<UInt8>, from start: Int, threads: Int) -> [Int] {
    var bounds = [start]
    for thread in 1..<max(1, threads) + 1 {
      var place = start + (file.count - start) * thread / threads
      while place < file.count && place > start && file[place - 1] != 10 { place += 1 }
      bounds.append(max(bounds[thread - 1], place))
    }
    return bounds
  }

  /// The number of pairs in a part of the file, or less than zero where one is bad.
  private static func parse(
    _ file: Cells<UInt8>, _ range: Range<Int>, _ leftBound: Int, _ rightBound: Int,
    _ left: Cells<Int32>, _ right: Cells<Int32>
  ) -> Int {
    var place = range.lowerBound
    let end = range.upperBound
    var count = 0
    while place < end {
      let first = number(file, &place, end)
      guard place < end, file[place] == 44, first >= 1, first <= leftBound else {
        return -max(1, place)
      }
      place &+= 1
      let second = number(file, &place, end)
      guard second >= 1, second <= rightBound else { return -max(1, place) }
      if place < end {
        guard file[place] == 10 else { return -max(1, place) }
        place &+= 1
      }
      left[count] = Int32(truncatingIfNeeded: first &- 1)
      right[count] = Int32(truncatingIfNeeded: second &- 1)
      count &+= 1
    }
    return count
  }

  /// The digits at `place`: eight at once where the file has eight bytes to load.
  ///
  /// Eight bytes hold `d1 d2 … dn` and what follows; the digits are shifted to the high end, with zeros before them, and added up by
  /// three multiplications (Lemire and Muła). Nine digits or more go on one by one; the file's memory reaches
  /// eight bytes past its end.
  @inline(__always)
  private static func number(_ file: Cells<UInt8>, _ place: inout Int, _ end: Int) -> Int {
    let word = file.word(at: place)
    // A byte that is no digit shows in its high half: 0x30 ... 0x39 become 0 ... 9, and 6 more carries the rest over.
    let plain = word ^ 0x3030_3030_3030_3030
    let odd = (plain | (plain &+ 0x0606_0606_0606_0606)) & 0xF0F0_F0F0_F0F0_F0F0
    let digits = odd == 0 ? 8 : odd.trailingZeroBitCount &>> 3
    guard digits > 0 else { return -1 }
    var value = plain &<< UInt64(truncatingIfNeeded: 64 &- digits &* 8)
    value = (value &* 10) &+ (value &>> 8)
    let low = (value & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let high = ((value &>> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    var result = Int(truncatingIfNeeded: (low &+ high) &>> 32)
    place &+= digits
    if digits == 8 {
      while place < end, file[place] &- 48 < 10, result < 1 << 32 {
        result = result &* 10 &+ Int(file[place] &- 48)
        place &+= 1
      }
    }
    return result
  }
}
