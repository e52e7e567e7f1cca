import Diagnostics

/// A key and the row that it belongs to.
struct SortEntry<Key: FixedWidthInteger & BitwiseCopyable & Sendable>: PartitionEntry {
  var key: Key
  var row: UInt32

  @inline(__always)
  init(key: Key, row: UInt32, rowBits: Int = 32) { (self.key, self.row) = (key, row) }
}

/// The same in one word, if the bits of key and row are no more than that has: the row in the low ones.
struct PackedEntry<Key: FixedWidthInteger & BitwiseCopyable & Sendable>: PartitionEntry {
  var word: UInt64

  @inline(__always)
  init(key: Key, row: UInt32, rowBits: Int) {
    word = UInt64(truncatingIfNeeded: key) &<< UInt64(rowBits) | UInt64(row)
  }
}

extension Sorting {
  /// Below this many rows a merge sort beats the passes of a radix sort.
  private static let radixThreshold = 256

  /// Sorts rows by 64-bit keys of which the low `bits` bits matter; stable.
  static func sortNarrow(
    _ keys: Buffer<UInt64>, bits: Int, _ rows: Buffer<UInt32>, _ count: Int
  ) throws(SQLError) -> Buffer<UInt32> {
    if count < radixThreshold { return try mergeSort(keys, rows, count) }
    if count >= partitionedRowCount { return try sortPartitioned(keys, rows, count) }
    let result = Buffer<UInt32>(uninitialized: count)
    let rowBits = 64 - keys.count.leadingZeroBitCount
    if bits + rowBits <= 64 {
      let entries = Buffer<PackedEntry<UInt64>>(uninitialized: count)
      try (0..<count).inSlices { slice in
        for index in slice {
          entries[index] = PackedEntry(key: keys[rows[index]], row: rows[index], rowBits: rowBits)
        }
      }
      try sortPacked(entries, bits, rowBits: rowBits, 0..<count, to: result)
      return result
    }
    let entries = Buffer<SortEntry<UInt64>>(uninitialized: count)
    try (0..<count).inSlices { slice in
      for index in slice {
        entries[index] = SortEntry(key: keys[rows[index]], row: rows[index])
      }
    }
    try sortEntries(entries, bits, 0..<count, to: result)
    return result
  }

  /// Sorts entries by keys of so many bits, and writes their rows to a range; stable.
  static func sortPacked<Key>(
    _ entries: Buffer<PackedEntry<Key>>, _ bits: Int, rowBits: Int, _ range: Range<Int>,
    to sorted: Buffer<UInt32>
  ) throws(SQLError) {
    let count = range.count
    let mask = UInt64(1) &<< UInt64(rowBits) &- 1
    var source = entries
    if count <= fewEntries {
      insertionSort(source, rowBits: rowBits, count)
    } else {
      var target = Buffer<PackedEntry<Key>>(uninitialized: count)
      try radixSort(&source, &target, count, bits) { $0.word &>> UInt64(rowBits) }
    }
    for place in 0..<count {
      sorted[range.lowerBound &+ place] = UInt32(truncatingIfNeeded: source[place].word & mask)
    }
  }

  /// The same for keys of more bits.
  static func sortEntries<Key: FixedWidthInteger & BitwiseCopyable>(
    _ entries: Buffer<SortEntry<Key>>, _ bits: Int, _ range: Range<Int>,
    to sorted: Buffer<UInt32>
  ) throws(SQLError) {
    let count = range.count
    var source = entries
    var target = Buffer<SortEntry<Key>>(uninitialized: count)
    // The bits of wider keys, or of fewer rows, make more passes than there are merges.
    if bits <= 64 && count >= Self.manyEntries {
      try radixSort(&source, &target, count, bits) { UInt64(truncatingIfNeeded: $0.key) }
    } else {
      try sort(&source, &target, 0..<count)
    }
    for place in 0..<count { sorted[range.lowerBound &+ place] = source[place].row }
  }

  private static let fewEntries = 48
  private static let manyEntries = 1 << 12

  /// So few are sorted in place.
  private static func insertionSort<Key>(
    _ entries: Buffer<PackedEntry<Key>>, rowBits: Int, _ count: Int
  ) {
    let shift = UInt64(rowBits)
    for index in 0..<count {
      let entry = entries[index]
      var place = index
      while place > 0 && entries[place &- 1].word &>> shift > entry.word &>> shift {
        entries[place] = entries[place &- 1]
        place &-= 1
      }
      entries[place] = entry
    }
  }

  /// Sorts by the low bits of a key, digit by digit from the lowest; what `source` names in the end is sorted.
  @inline(__always)
  private static func radixSort<Entry: BitwiseCopyable>(
    _ source: inout Buffer<Entry>, _ target: inout Buffer<Entry>, _ count: Int, _ bits: Int,
    _ key: (Entry) -> UInt64
  ) throws(SQLError) {
    let width = digitWidth(count, bits)
    let digits = Buffer<UInt32>(uninitialized: 1 << width)
    let mask = UInt64(digits.count - 1)
    for shift in stride(from: 0, to: bits, by: width) {
      let moved = try radixPass(source, target, count, digits) {
        Int(truncatingIfNeeded: key($0) &>> UInt64(shift) & mask)
      }
      if moved { swap(&source, &target) }
    }
  }

  /// The bits of a digit: wider ones take fewer passes, and cost more to count, which few rows do not pay for.
  static func digitWidth(_ count: Int, _ bits: Int) -> Int {
    func cost(_ width: Int) -> Int {
      // A row is looked at twice in a pass, and each value of a digit is cleared and summed up.
      let passes = (bits + width - 1) / width
      return passes * (2 * count + (1 << width) * 3 / 4)
    }
    return cost(8) <= cost(11) ? 8 : 11
  }

  /// One counting pass; says false, having moved nothing, where all digits are the same.
  @inline(__always)
  private static func radixPass<Entry: BitwiseCopyable>(
    _ source: Buffer<Entry>, _ target: Buffer<Entry>, _ count: Int, _ digits: Buffer<UInt32>,
    _ digit: (Entry) -> Int
  ) throws(SQLError) -> Bool {
    digits.fill(0..<digits.count, with: 0)
    try (0..<count).inSlices { slice in
      for index in slice { digits[digit(source[index])] &+= 1 }
    }
    if Int(digits[digit(source[0])]) == count { return false }
    var sum: UInt32 = 0
    for value in 0..<digits.count {
      let size = digits[value]
      digits[value] = sum
      sum &+= size
    }
    try (0..<count).inSlices { slice in
      for index in slice {
        let entry = source[index]
        let value = digit(entry)
        let place = digits[value]
        digits[value] = place &+ 1
        target[place] = entry
      }
    }
    return true
  }

  /// A stable bottom-up merge sort of rows by their keys; of many, partition by partition.
  static func mergeSort<Key: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ keys: Buffer<Key>, _ rows: Buffer<UInt32>, _ count: Int
  ) throws(SQLError) -> Buffer<UInt32> {
    if count >= partitionedRowCount { return try sortPartitioned(keys, rows, count) }
    var source = Buffer<SortEntry<Key>>(uninitialized: count)
    var target = Buffer<SortEntry<Key>>(uninitialized: count)
    try (0..<count).inSlices { slice in
      for index in slice { source[index] = SortEntry(key: keys[rows[index]], row: rows[index]) }
    }
    try sort(&source, &target, 0..<count)
    let result = Buffer<UInt32>(uninitialized: count)
    try (0..<count).inSlices { slice in
      for index in slice { result[index] = source[index].row }
    }
    return result
  }

  /// Sorts a stretch of entries by key, equal ones in their order; what `source` names in the end is sorted.
  @inline(__always)
  static func sort<Key>(
    _ source: inout Buffer<SortEntry<Key>>, _ target: inout Buffer<SortEntry<Key>>,
    _ range: Range<Int>
  ) throws(SQLError) {
    let end = range.upperBound
    let run = 16
    let entries = source
    // A slice is a whole number of runs.
    try range.inSlices { slice in
      var start = slice.lowerBound
      while start < slice.upperBound {
        insertionSort(entries, start..<min(start &+ run, slice.upperBound))
        start &+= run
      }
    }
    var width = run
    while width < range.count {
      var start = range.lowerBound
      var nextLook = start &+ Range.sliceLength
      while start < end {
        let middle = min(start &+ width, end)
        try mergeRuns(source, target, start, middle, min(middle &+ width, end))
        start &+= 2 &* width
        if start >= nextLook {
          try RunningStatement.check()
          nextLook = start &+ Range.sliceLength
        }
      }
      swap(&source, &target)
      width &*= 2
    }
  }

  @inline(__always)
  private static func insertionSort<Key>(_ entries: Buffer<SortEntry<Key>>, _ range: Range<Int>) {
    for index in range {
      let entry = entries[index]
      var place = index
      while place > range.lowerBound && entries[place &- 1].key > entry.key {
        entries[place] = entries[place &- 1]
        place &-= 1
      }
      entries[place] = entry
    }
  }

  @inline(__always)
  private static func mergeRuns<Key>(
    _ source: Buffer<SortEntry<Key>>, _ target: Buffer<SortEntry<Key>>, _ start: Int, _ middle: Int,
    _ end: Int
  ) throws(SQLError) {
    if middle == end || source[middle &- 1].key <= source[middle].key {
      try target.copyInSlices(source, from: start, count: end &- start, to: start)
      return
    }
    var i = start
    var j = middle
    var place = start
    while i < middle && j < end {
      // Where one of the two runs could end first.
      var steps = min(middle &- i, end &- j, Range.sliceLength)
      if steps == Range.sliceLength { try RunningStatement.check() }
      while steps > 0 {
        let left = source[i]
        let right = source[j]
        let takesRight = right.key < left.key
        target[place] = takesRight ? right : left
        let step = bit(takesRight)
        j &+= step
        i &+= 1 &- step
        place &+= 1
        steps &-= 1
      }
    }
    try target.copyInSlices(source, from: i, count: middle &- i, to: place)
    try target.copyInSlices(source, from: j, count: end &- j, to: place &+ (middle &- i))
  }

  /// The key that stands at `place` when the keys are in order.
  ///
  /// - Complexity: O(*n*) on average, O(*n* log *n*) at worst: after too many rounds it sorts.
  static func nthLeast<Key: FixedWidthInteger & BitwiseCopyable>(
    _ keys: Buffer<Key>, _ count: Int, _ place: Int
  ) throws(SQLError) -> Key {
    let scratch = Buffer<Key>(uninitialized: count)
    try scratch.copyInSlices(keys, from: 0, count: count, to: 0)
    return try settle(place, of: scratch, 0..<count)
  }

  /// The key that stands at `place` when the keys of `range` are in order; they change places for it.
  ///
  /// - Complexity: O(*n*) on average; a bad choice of pivots is mended by chance.
  static func settle<Key: FixedWidthInteger & BitwiseCopyable>(
    _ place: Int, of scratch: Buffer<Key>, _ range: Range<Int>
  ) throws(SQLError) -> Key {
    var lower = range.lowerBound
    var upper = range.upperBound &- 1
    var rounds = 0
    while lower < upper {
      rounds += 1
      let middle = lower &+ (upper &- lower) / 2
      let pivot =
        rounds > 64
        ? spread(scratch, lower, upper) : median(scratch[lower], scratch[middle], scratch[upper])
      var i = lower
      var j = upper
      var nextLook = i &+ Range.sliceLength
      while i <= j {
        // A scan for the next place to swap may be long as well: it stops to look.
        let upperStop = min(nextLook, upper)
        while scratch[i] < pivot && i < upperStop { i &+= 1 }
        if scratch[i] < pivot {
          try RunningStatement.check()
          nextLook = i &+ Range.sliceLength
          continue
        }
        let lowerStop = max(j &- Range.sliceLength, lower)
        while scratch[j] > pivot && j > lowerStop { j &-= 1 }
        if scratch[j] > pivot {
          try RunningStatement.check()
          continue
        }
        if i <= j {
          let held = scratch[i]
          scratch[i] = scratch[j]
          scratch[j] = held
          i &+= 1
          j &-= 1
        }
      }
      if place <= j {
        upper = j
      } else if place >= i {
        lower = i
      } else {
        return scratch[place]
      }
    }
    return scratch[place]
  }

  private static func median<Key: Comparable>(_ a: Key, _ b: Key, _ c: Key) -> Key {
    max(min(a, b), min(max(a, b), c))
  }

  /// A pivot from a random place, for input that defeats the median of three.
  private static func spread<Key>(_ keys: Buffer<Key>, _ lower: Int, _ upper: Int) -> Key {
    keys[Int.random(in: lower...upper)]
  }
}
