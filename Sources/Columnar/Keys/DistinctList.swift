import Diagnostics

/// Pairs of a group and a number, listed as they come and made different from time to time: by sorting them by group, and
/// then each group's numbers.
///
/// No hash table keeps up with that where the pairs are many and seldom come again: all memory is gone through in order, or by
/// groups.
struct DistinctList {
  private var groups = Buffer<UInt32>(uninitialized: 0)
  private var numbers = Buffer<Int64>(uninitialized: 0)
  /// How many pairs are listed, some of them more than once.
  private(set) var listedCount = 0
  /// The number that came last in each group, which often comes again at once; `Int64.min` for none.
  private var last = Buffer<Int64>(uninitialized: 0)
  /// At how many pairs the list is made different anew.
  private var nextLook = 1 << 16
  private var isDifferent = true
  /// Whether half of the pairs were there already when the list was last made different: a hash table finds that out sooner.
  private(set) var repeatsMuch = false

  var byteCount: Int { groups.count * 4 + numbers.count * 8 + last.count * 8 }

  /// Whether numbers can be listed: all but the least of all can.
  static func takes(_ numbers: Buffer<Int64>, count rows: Int) -> Bool {
    var misfits = 0
    for row in 0..<rows { misfits |= bit(numbers[row] == .min) }
    return misfits == 0
  }

  /// Makes room for `rows` pairs and for groups below `groupCount`.
  ///
  /// - Throws: 57014, 53200.
  mutating func makeRoom(for rows: Int, groupCount: Int) throws(SQLError) {
    let groupCount = max(groupCount, 1)
    if groupCount > last.count {
      let room = max(groupCount, last.count * 2, 16)
      let grown = Buffer<Int64>(repeating: .min, count: room)
      grown.copy(last, count: last.count, to: 0)
      last = grown
    }
    guard listedCount + rows > numbers.count else { return }
    if listedCount >= nextLook {
      let before = listedCount
      try makeDifferent(groupCount: groupCount)
      repeatsMuch = listedCount <= before / 2
      nextLook = max(listedCount * 2, 1 << 16)
    }
    let room = max(listedCount + rows, min(numbers.count * 2, nextLook + rows), 1 << 12)
    guard room > numbers.count else { return }
    try RunningStatement.reserve(byteCount + room * 12)
    let grownGroups = Buffer<UInt32>(uninitialized: room)
    let grownNumbers = Buffer<Int64>(uninitialized: room)
    try grownGroups.copyInSlices(groups, from: 0, count: listedCount, to: 0)
    try grownNumbers.copyInSlices(numbers, from: 0, count: listedCount, to: 0)
    (groups, numbers) = (grownGroups, grownNumbers)
  }

  /// Adds pairs.
  ///
  /// - Precondition: there is room.
  /// - Complexity: O(*n*).
  mutating func insert(
    _ added: Buffer<Int64>, _ addedGroups: Buffer<UInt32>, count rows: Int
  ) {
    let (groups, numbers, last) = (groups, numbers, last)
    var end = listedCount
    for row in 0..<rows {
      let (number, group) = (added[row], addedGroups[row])
      numbers[end] = number
      groups[end] = group
      end &+= bit(last[group] != number)
      last[group] = number
    }
    listedCount = end
    isDifferent = false
  }

  /// Adds the pairs of `other`, whose group *i* is group `mapping[i]` here.
  ///
  /// - Throws: 57014, 53200.
  mutating func append(
    _ other: DistinctList, mapping: Buffer<UInt32>, groupCount: Int
  ) throws(SQLError) {
    try makeRoom(for: other.listedCount, groupCount: groupCount)
    let mapped = Buffer<UInt32>(uninitialized: Range<Int>.sliceLength)
    for start in stride(from: 0, to: other.listedCount, by: Range<Int>.sliceLength) {
      try RunningStatement.check()
      let length = min(Range<Int>.sliceLength, other.listedCount - start)
      for row in 0..<length { mapped[row] = mapping[other.groups[start &+ row]] }
      insert(other.numbers.slice(start..<(start + length)), mapped, count: length)
    }
  }

  /// Leaves each pair once, group after group, each group's numbers in rising order.
  ///
  /// - Complexity: O(pairs + groups) where a group's numbers lie near each other or come in order.
  /// - Throws: 57014, 53200.
  mutating func makeDifferent(groupCount: Int) throws(SQLError) {
    if isDifferent { return }
    let groupCount = max(groupCount, 1)
    let (groups, numbers) = (groups, numbers)
    let slices = try GroupSlices(groups, count: listedCount, groupCount: groupCount) { numbers[$0] }
    try RunningStatement.check()
    let counts = Buffer<UInt32>(uninitialized: groupCount)
    let parts = Self.parts(slices, groupCount: groupCount)
    try parallelForThrowing(tasks: parts.count) { (part) throws(SQLError) in
      var scratch = NumberSet()
      for group in parts[part] {
        let range = slices.range(of: group)
        let count = try Self.makeDifferent(slices.items.slice(range), range.count, &scratch)
        counts[group] = UInt32(truncatingIfNeeded: count)
        if group & 0xFFF == 0 { try RunningStatement.check() }
      }
    }
    var end = 0
    var nextCheck = Range<Int>.sliceLength
    for group in 0..<groupCount {
      let count = Int(counts[group])
      let start = slices.range(of: group).lowerBound
      numbers.copy(slices.items, from: start, count: count, to: end)
      groups.fill(end..<(end + count), with: UInt32(truncatingIfNeeded: group))
      end += count
      if start + group > nextCheck {
        try RunningStatement.check()
        nextCheck = start + group + Range<Int>.sliceLength
      }
    }
    listedCount = end
    isDifferent = true
  }

  /// Pairs to a part, about.
  private static let partLength = 1 << 15

  /// Groups of about as many pairs, for a worker each.
  private static func parts(_ slices: GroupSlices<Int64>, groupCount: Int) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var first = 0
    var pairs = 0
    for group in 0..<groupCount {
      pairs += slices.range(of: group).count
      if pairs + (group - first) >= partLength {
        parts.append(first..<(group + 1))
        (first, pairs) = (group + 1, 0)
      }
    }
    if first < groupCount { parts.append(first..<groupCount) }
    return parts
  }

  /// Brings the different ones of some numbers to their front, in rising order, and says how many.
  private static func makeDifferent(
    _ numbers: Buffer<Int64>, _ count: Int, _ scratch: inout NumberSet
  ) throws(SQLError) -> Int {
    if count < 2 { return count }
    var (low, high) = (numbers[0], numbers[0])
    var falls = 0
    try (1..<count).inSlices { slice in
      for place in slice {
        falls |= bit(numbers[place] < numbers[place &- 1])
        low = min(low, numbers[place])
        high = max(high, numbers[place])
      }
    }
    if falls != 0 {
      let (span, overflow) = high.subtractingReportingOverflow(low)
      if count <= shortMax {
        insertionSort(numbers, count)
      } else if !overflow && fit(words: span / 64, count) {
        return try scratch.makeDifferent(numbers, count, low, wordCount: Int(span / 64) + 1)
      } else {
        try sort(numbers, count)
      }
    }
    var end = 1
    try (1..<count).inSlices { slice in
      for place in slice {
        let number = numbers[place]
        numbers[end] = number
        end &+= bit(numbers[end &- 1] != number)
      }
    }
    return end
  }

  /// Up to so many numbers are sorted by moving each to its place.
  private static let shortMax = 24
  /// So many words of bits for a number are gone through sooner than the numbers are sorted, as long as a cache holds them.
  private static let wordsMax: Int64 = 128
  private static let cachedWords: Int64 = 1 << 17

  /// Whether numbers are told apart by bits: where these take no more memory than the numbers, or little.
  private static func fit(words: Int64, _ count: Int) -> Bool {
    words < Int64(count) || words < min(Int64(count) * wordsMax, cachedWords)
  }

  private static func insertionSort(_ numbers: Buffer<Int64>, _ count: Int) {
    for place in 1..<count {
      let number = numbers[place]
      var free = place
      while free > 0 && numbers[free &- 1] > number {
        numbers[free] = numbers[free &- 1]
        free &-= 1
      }
      numbers[free] = number
    }
  }

  private static func sort(_ numbers: Buffer<Int64>, _ count: Int) throws(SQLError) {
    let vector = Vector(.bigint, numbers, count: count)
    let order = try Sorting.permutation(columns: [vector], orders: [SortOrder()], count: count)
    let copy = Buffer<Int64>(uninitialized: count)
    try copy.copyInSlices(numbers, from: 0, count: count, to: 0)
    try (0..<count).inSlices { slice in
      for place in slice { numbers[place] = copy[order[place]] }
    }
  }

  /// The groups and numbers of the pairs at some places.
  ///
  /// - Precondition: `makeDifferent` was asked for.
  func pairs(_ range: Range<Int>) -> (groups: Buffer<UInt32>, numbers: Buffer<Int64>) {
    (groups.slice(range), numbers.slice(range))
  }

  /// How many pairs each group has.
  ///
  /// - Precondition: `makeDifferent` was asked for.
  /// - Throws: 57014.
  func counts(groupCount: Int) throws(SQLError) -> Buffer<Int64> {
    let result = Buffer<Int64>(zeroed: max(groupCount, 1))
    let groups = groups
    try (0..<listedCount).inSlices { slice in
      for place in slice { result[Int(groups[place])] &+= 1 }
    }
    return result
  }
}

/// Numbers that lie near each other as bits, and which words of bits have any: the others are not looked at.
private struct NumberSet {
  private var words = Buffer<UInt64>(zeroed: 1 << 10)
  private var marks = Buffer<UInt64>(zeroed: 1 << 4)

  /// Brings the different ones of some numbers, none below `low`, to their front, in rising order, and says how many.
  mutating func makeDifferent(
    _ numbers: Buffer<Int64>, _ count: Int, _ low: Int64, wordCount: Int
  ) throws(SQLError) -> Int {
    if words.count < wordCount {
      words = Buffer(zeroed: wordCount * 2)
      marks = Buffer(zeroed: wordCount / 32 + 1)
    }
    let (words, marks) = (words, marks)
    try (0..<count).inSlices { slice in
      for place in slice {
        let offset = UInt64(bitPattern: numbers[place] &- low)
        words[Int(truncatingIfNeeded: offset &>> 6)] |= 1 &<< (offset & 63)
        marks[Int(truncatingIfNeeded: offset &>> 12)] |= 1 &<< (offset &>> 6 & 63)
      }
    }
    var end = 0
    try (0..<(wordCount + 63) / 64).inSlices { slice in
      for mark in slice {
        var marked = marks[mark]
        marks[mark] = 0
        while marked != 0 {
          let word = mark &* 64 &+ marked.trailingZeroBitCount
          marked &= marked &- 1
          var rest = words[word]
          words[word] = 0
          while rest != 0 {
            numbers[end] = low &+ Int64(word &* 64 &+ rest.trailingZeroBitCount)
            rest &= rest &- 1
            end &+= 1
          }
        }
      }
    }
    return end
  }
}
