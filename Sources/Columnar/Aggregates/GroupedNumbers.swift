import Diagnostics

/// The whole numbers that each group was given, for aggregates that need a group's values in order.
///
/// Few different numbers are counted: each group has a row of counters, one for each number from the least to the greatest.
/// As soon as there would be many more counters than numbers, the numbers are listed as they come.
struct GroupedNumbers {
  /// Counter *g* · `width` + *n* − `least` says how often number *n* came in group *g*.
  private var counters = Buffer<UInt32>(zeroed: 0)
  private var least: Int64 = 0
  private var width = 0
  /// For how many groups there are counters.
  private var groupRoom = 0
  private var isListed = false
  private var numbers = Buffer<Int64>(uninitialized: 0)
  private var groups = Buffer<UInt32>(uninitialized: 0)
  /// How many numbers there are.
  private(set) var count = 0
  private(set) var groupCount = 0
  /// So many counters are always taken, and above that so many for each number.
  private static let alwaysMax = 1 << 20
  private static let spreadMax = 2

  var byteCount: Int { counters.count * 4 + numbers.count * 8 + groups.count * 4 }

  mutating func grow(to groupCount: Int) { self.groupCount = max(self.groupCount, groupCount) }

  /// Adds those of `length` numbers that are there; number *i* belongs to group `rowGroups[i]`, or to group 0.
  ///
  /// - Throws: 57014, 53200.
  mutating func append(
    _ values: Buffer<Int64>, _ validity: ValidityMask, groups rowGroups: Buffer<UInt32>?,
    count length: Int
  ) throws(SQLError) {
    if !isListed, try cover(values, validity, length) {
      let (counters, width, least) = (counters, width, least)
      forEachPresent(validity, groups: rowGroups, count: length) { row, group in
        let place = group &* width &+ Int(truncatingIfNeeded: values[row] &- least)
        counters[place] &+= 1
      }
      count += length
      return
    }
    try makeRoom(for: length)
    let (numbers, groups) = (numbers, groups)
    var end = count
    forEachPresent(validity, groups: rowGroups, count: length) { row, group in
      numbers[end] = values[row]
      groups[end] = UInt32(truncatingIfNeeded: group)
      end &+= 1
    }
    count = end
  }

  /// Adds the numbers of `other`, whose group *i* is group `mapping[i]` here.
  ///
  /// - Throws: 57014, 53200.
  mutating func append(_ other: GroupedNumbers, mapping: Buffer<UInt32>) throws(SQLError) {
    var other = other
    if !other.isListed, !isListed, try merge(counted: other, mapping) { return }
    try other.list()
    for start in stride(from: 0, to: other.count, by: Range<Int>.sliceLength) {
      try RunningStatement.check()
      let length = min(Range<Int>.sliceLength, other.count - start)
      let mapped = Buffer<UInt32>(uninitialized: length)
      for row in 0..<length { mapped[row] = mapping[other.groups[start &+ row]] }
      try append(
        other.numbers.slice(start..<(start + length)), .allValid, groups: mapped, count: length)
    }
  }

  private mutating func merge(
    counted other: GroupedNumbers, _ mapping: Buffer<UInt32>
  ) throws(SQLError) -> Bool {
    if other.width == 0 { return true }
    let ends = Buffer([other.least, other.least &+ Int64(other.width &- 1)])
    guard try cover(ends, .allValid, 2, arriving: other.count) else { return false }
    let offset = Int(other.least &- least)
    let (counters, width, added, addedWidth) = (counters, width, other.counters, other.width)
    for group in 0..<min(other.groupCount, other.groupRoom) {
      let source = group &* addedWidth
      let target = Int(mapping[group]) &* width &+ offset
      try (0..<addedWidth).inSlices { slice in
        for place in slice { counters[target &+ place] &+= added[source &+ place] }
      }
    }
    count += other.count
    return true
  }

  /// Widens the counters to hold all numbers and groups; says false, and goes over to a list, where they would be too many.
  private mutating func cover(
    _ values: Buffer<Int64>, _ validity: ValidityMask, _ length: Int, arriving: Int? = nil
  ) throws(SQLError) -> Bool {
    var (low, high) = (Int64.max, Int64.min)
    KeyPacking.widen(&low, &high, to: values, validity, length)
    if low > high { (low, high) = (least, least) }
    if width > 0 {
      let last = least &+ Int64(width &- 1)
      if low >= least && high <= last && groupCount <= groupRoom { return true }
      low = min(low, least)
      high = max(high, last)
    }
    let limit = max(Self.alwaysMax, Self.spreadMax * (count + (arriving ?? length)))
    let (span, overflow) = high.subtractingReportingOverflow(low)
    let groupMax = max(groupCount, 1)
    guard !overflow, span < Int64(limit / groupMax) else {
      try list()
      return false
    }
    // Room for more on the side that grows, so that numbers that come in order are not moved each time.
    let tight = Int(span) + 1
    var (newLeast, newWidth) = (low, tight)
    if width > 0, tight > width, tight <= limit / groupMax / 2 {
      // No further than numbers go.
      if low < least, low > Int64.min &+ Int64(tight) {
        (newLeast, newWidth) = (low &- Int64(tight), 2 * tight)
      } else if low == least, high < Int64.max &- Int64(tight) {
        newWidth = 2 * tight
      }
    }
    let newRoom = newWidth <= limit / groupMax / 2 ? groupMax * 2 : groupMax
    try RunningStatement.reserve(newWidth * newRoom * 4)
    let grown = Buffer<UInt32>(zeroed: newWidth * newRoom)
    if width > 0 {
      let offset = Int(least &- newLeast)
      for group in 0..<groupRoom where group < newRoom {
        grown.copy(
          counters, from: group &* width, count: width, to: group &* newWidth &+ offset)
      }
    }
    (counters, least, width, groupRoom) = (grown, newLeast, newWidth, newRoom)
    return true
  }

  /// Writes the counted numbers out.
  private mutating func list() throws(SQLError) {
    if isListed { return }
    isListed = true
    let room = count
    count = 0
    try makeRoom(for: room)
    let (counters, numbers, groups, width, least) = (counters, numbers, groups, width, least)
    var end = 0
    try (0..<counters.count).inSlices { slice in
      for place in slice where counters[place] > 0 {
        let (group, offset) = place.quotientAndRemainder(dividingBy: width)
        let length = Int(counters[place])
        numbers.fill(end..<(end + length), with: least &+ Int64(offset))
        groups.fill(end..<(end + length), with: UInt32(truncatingIfNeeded: group))
        end &+= length
      }
    }
    count = end
    self.counters = Buffer(zeroed: 0)
    self.width = 0
  }

  private mutating func makeRoom(for length: Int) throws(SQLError) {
    guard count + length > numbers.count else { return }
    let room = max(numbers.count * 2, count + length, 16)
    try RunningStatement.reserve(byteCount + room * 12)
    let grown = Buffer<Int64>(uninitialized: room)
    try grown.copyInSlices(numbers, from: 0, count: count, to: 0)
    let grownGroups = Buffer<UInt32>(uninitialized: room)
    try grownGroups.copyInSlices(groups, from: 0, count: count, to: 0)
    (numbers, groups) = (grown, grownGroups)
  }

  /// Replaces every number by another that stands in the same order to the others.
  ///
  /// - Throws: 57014, 53200.
  mutating func replaceEach(_ replacement: (Int64) -> Int64) throws(SQLError) {
    try list()
    let numbers = numbers
    try (0..<count).inSlices { slice in
      for place in slice { numbers[place] = replacement(numbers[place]) }
    }
  }

  /// Calls `body` with all numbers and their groups, a slice at a time.
  ///
  /// - Throws: 57014, 53200, and what `body` throws.
  mutating func forEachSlice(
    _ body: (Buffer<Int64>, Buffer<UInt32>, Int) throws(SQLError) -> Void
  ) throws(SQLError) {
    try list()
    for start in stride(from: 0, to: count, by: Vector.chunkCapacity) {
      try RunningStatement.check()
      let end = min(count, start + Vector.chunkCapacity)
      try body(numbers.slice(start..<end), groups.slice(start..<end), end - start)
    }
  }

  /// Group by group, for looking at the numbers of each.
  ///
  /// - Complexity: O(groups) for counted numbers, O(numbers + groups) for listed ones.
  /// - Throws: 57014, 53200.
  func arranged() throws(SQLError) -> Arranged {
    guard isListed else {
      return .counted(counters, width: width, least: least, groupCount: min(groupCount, groupRoom))
    }
    let numbers = numbers
    return .listed(
      try GroupSlices(groups, count: count, groupCount: groupCount) { numbers[$0] })
  }

  /// The numbers of all groups, group after group.
  enum Arranged {
    case counted(Buffer<UInt32>, width: Int, least: Int64, groupCount: Int)
    /// Those of a group in any order.
    case listed(GroupSlices<Int64>)

    /// How many numbers a group has.
    ///
    /// - Throws: 57014.
    func count(of group: Int) throws(SQLError) -> Int {
      switch self {
      case .counted(let counters, let width, _, let groupCount):
        if group >= groupCount { return 0 }
        var total = 0
        try ((group &* width)..<((group &+ 1) &* width)).inSlices { slice in
          for place in slice { total &+= Int(counters[place]) }
        }
        return total
      case .listed(let slices): return slices.range(of: group).count
      }
    }

    /// The number at `place`, from 0, among those of a group that has so many, from the least on.
    ///
    /// - Complexity: O(*n*) on average.
    /// - Throws: 57014.
    func number(at place: Int, of group: Int) throws(SQLError) -> Int64 {
      switch self {
      case .counted(let counters, let width, let least, _):
        var passed = 0
        var found = 0
        // All counters are gone through: to stop at the place would take longer than to count on.
        try (0..<width).inSlices { slice in
          for offset in slice {
            passed &+= Int(counters[group &* width &+ offset])
            found &+= bit(passed <= place)
          }
        }
        return least &+ Int64(found)
      case .listed(let slices):
        let range = slices.range(of: group)
        return try Sorting.settle(range.lowerBound + place, of: slices.items, range)
      }
    }

    /// The number that a group has most often, of several the least or the greatest.
    ///
    /// The group has some; the number that is `twin` equals the one after it.
    ///
    /// - Complexity: O(*n* log *n*) for listed numbers.
    /// - Throws: 57014, 53200.
    func mostFrequent(
      of group: Int, greatest: Bool, equalToNext twin: Int64?
    ) throws(SQLError) -> Int64 {
      var best: (number: Int64, count: Int) = (0, 0)
      var twins = 0
      func look(_ number: Int64, _ ownCount: Int) {
        let isSecond = twins > 0 && number == twin.map { $0 + 1 }
        let count = ownCount + (isSecond ? twins : 0)
        if number == twin { twins = ownCount }
        if count > best.count || greatest && count == best.count && count > 0 {
          best = (isSecond && !greatest ? number - 1 : number, count)
        }
      }
      switch self {
      case .counted(let counters, let width, let least, _):
        try (0..<width).inSlices { slice in
          for offset in slice {
            look(least &+ Int64(offset), Int(counters[group &* width &+ offset]))
          }
        }
      case .listed(let slices):
        let range = slices.range(of: group)
        let length = range.count
        let own = slices.items.slice(range)
        let vector = Vector(.bigint, own, count: length)
        let order = try Sorting.permutation(columns: [vector], orders: [SortOrder()], count: length)
        var (number, repeated) = (own[order[0]], 0)
        try (0..<length).inSlices { slice in
          for place in slice {
            let next = own[order[place]]
            if next != number {
              look(number, repeated)
              (number, repeated) = (next, 0)
            }
            repeated &+= 1
          }
        }
        look(number, repeated)
      }
      return best.number
    }
  }
}
