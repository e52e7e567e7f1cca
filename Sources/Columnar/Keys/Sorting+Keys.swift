import Diagnostics

/// A key and the row that it belongs to.
struct SortEntry<Key: FixedWidthInteger & BitwiseCopyable>: BitwiseCopyable {
  var key: Key
  var row: UInt32
}

extension Sorting {
  /// Below this many rows a merge sort beats the passes of a radix sort.
  private static let radixThreshold = 256

  /// Sorts rows by 64-bit keys of which the low `bits` bits matter; stable.
  static func sortNarrow(
    _ keys: Buffer<UInt64>, bits: Int, _ rows: Buffer<UInt32>, _ count: Int
  ) throws(SQLError) -> Buffer<UInt32> {
    if count < radixThreshold { return try mergeSort(keys, rows, count) }
    if bits <= 32 { return try sortPacked(keys, bits: bits, rows, count) }
    var source = Buffer<SortEntry<UInt64>>(uninitialized: count)
    var target = try Buffer<SortEntry<UInt64>>(uninitializedInSlices: count)
    try (0..<count).inSlices { slice in
      for index in slice { source[index] = SortEntry(key: keys[rows[index]], row: rows[index]) }
    }
    let digits = Buffer<UInt32>(uninitialized: 1 << 11)
    var shift = 0
    while shift < bits {
      let moved = try radixPass(source, target, count, digits) {
        Int(truncatingIfNeeded: $0.key &>> UInt64(shift) & 0x7FF)
      }
      if moved { swap(&source, &target) }
      shift += 11
    }
    let result = Buffer<UInt32>(uninitialized: count)
    try (0..<count).inSlices { slice in
      for index in slice { result[index] = source[index].row }
    }
    return result
  }

  /// Sorts keys of at most 32 bits, each in one word with its row.
  private static func sortPacked(
    _ keys: Buffer<UInt64>, bits: Int, _ rows: Buffer<UInt32>, _ count: Int
  ) throws(SQLError) -> Buffer<UInt32> {
    var source = Buffer<UInt64>(uninitialized: count)
    var target = try Buffer<UInt64>(uninitializedInSlices: count)
    try (0..<count).inSlices { slice in
      for index in slice {
        let row = rows[index]
        source[index] = keys[row] &<< 32 | UInt64(row)
      }
    }
    let digits = Buffer<UInt32>(uninitialized: 1 << 11)
    var shift = 32
    while shift < 32 + bits {
      let moved = try radixPass(source, target, count, digits) {
        Int(truncatingIfNeeded: $0 &>> UInt64(shift) & 0x7FF)
      }
      if moved { swap(&source, &target) }
      shift += 11
    }
    let result = Buffer<UInt32>(uninitialized: count)
    try (0..<count).inSlices { slice in
      for index in slice { result[index] = UInt32(truncatingIfNeeded: source[index]) }
    }
    return result
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

  /// A stable bottom-up merge sort of rows by their keys.
  static func mergeSort<Key: FixedWidthInteger & BitwiseCopyable>(
    _ keys: Buffer<Key>, _ rows: Buffer<UInt32>, _ count: Int
  ) throws(SQLError) -> Buffer<UInt32> {
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
