package import Columnar
package import Diagnostics

/// Takes the edges that an intersection finds.
package protocol IntersectionSink: AnyObject {
  /// Takes edges, whose buffers are not written to again; false if no more are wanted.
  func take(_ found: ListIntersection.Found) throws(SQLError) -> Bool
  /// Whether no more edges of an input row are wanted; asked where the intersection `stopsWhenSettled`.
  func isSettled(_ row: UInt32) -> Bool
  /// Throws where the statement is to stop.
  func check() throws(SQLError)
}

/// Finds the targets that lists of several adjacency indices have in common, input row by input row.
///
/// Each input row has a source in each index; what is found are all combinations of an edge of each list that lead to the
/// same target. Lists rise by target, so that two short ones are merged. Where one source stays the same from row to row,
/// as it does when rows are expanded from it, its targets are marked in a set of bits once, and the other lists are only
/// probed. Of two lists of unlike length the longer one is searched: no more is looked at than the worst case
/// of the answer allows, but for a logarithm.
///
/// Source: H. Ngo, C. Ré and A. Rudra, "Skew Strikes Back: New Developments in the Theory of Join Algorithms" (SIGMOD
/// Record 2013).
///
/// One worker at a time has it.
package final class ListIntersection {
  /// An index whose lists are intersected.
  package struct Arm {
    package var index: AdjacencyIndex
    /// Whether no two edges of a source have the same target.
    package var isUnique: Bool
    package var wantsRows: Bool
    /// The same edges by target, if they are kept so too.
    package var reverse: AdjacencyIndex?

    package init(
      _ index: AdjacencyIndex, isUnique: Bool, wantsRows: Bool, reverse: AdjacencyIndex? = nil
    ) {
      self.index = index
      self.isUnique = isUnique
      self.wantsRows = wantsRows
      self.reverse = reverse
    }
  }

  /// What is looked for.
  package enum Kind: Sendable {
    /// All combinations of edges that meet.
    case combinations
    /// Edges of the first arm whose target the second arm's list has, or does not have.
    case edges(areMet: Bool)
    /// Input rows for which some edges meet, or none do.
    case inputs(areMet: Bool)
  }

  /// What is told of the edges found.
  package struct Wanted {
    package var inputs: Bool
    package var targets: Bool

    package init(inputs: Bool, targets: Bool) {
      self.inputs = inputs
      self.targets = targets
    }
  }

  /// Edges found: the input row of each, the target, and the edge's row in each arm; buffers of what is not wanted have
  /// no room.
  package struct Found {
    package let inputs: Buffer<UInt32>
    package let targets: Buffer<UInt32>
    package let rows: [Buffer<UInt32>]
    /// How many there are; more than the buffers hold where nothing is wanted but this.
    package fileprivate(set) var count = 0
  }

  private let first: Lists
  private let second: Lists
  private let others: [Lists]
  private let kind: Kind
  private let wanted: Wanted
  /// Whether both first lists are one, and an edge is not to be paired with itself.
  private let joinsWithItself: Bool
  /// Whether the sink says when it has enough of an input row.
  private let stopsWhenSettled: Bool
  /// Whether nothing is wanted but a number, and targets can be counted for it.
  private let isCounting: Bool
  private let bits: Buffer<UInt64>
  /// The list whose targets are in `bits`.
  private var marked: (lists: Lists, source: UInt32)?
  private var work = 0
  /// Whether edges of the input row that is looked at have met.
  private var isMet = false
  /// While rows are gone through.
  private var sink: (any IntersectionSink)?
  private var otherSources: [Buffer<UInt32>] = []

  private var count = 0
  private var inputs = Buffer<UInt32>(uninitialized: 0)
  private var targets = Buffer<UInt32>(uninitialized: 0)
  private var firstRows = Buffer<UInt32>(uninitialized: 0)
  private var secondRows = Buffer<UInt32>(uninitialized: 0)
  private var otherRows: [Buffer<UInt32>] = []
  private var matches: [[UInt32]]

  /// A search in a list costs about as much as so many steps along one.
  private static let searchCost = 8
  /// Shorter lists are marked no sooner than others are merged.
  private static let markedCountMin = 4
  /// Of a list of so many targets all are looked at sooner than the wanted ones are searched for.
  private static let walkedCount = 48
  /// Between looks for a cancel at most so many edges are gone through, and one stretch of a list.
  private static let workMax = 1 << 18

  /// - Parameters:
  ///   - kind: What is looked for.
  ///   - arms: Two or more; two where rows of one side are looked for, of which only the first may want rows, or none.
  ///   - wanted: What is told of the edges found.
  ///   - joinsWithItself: Whether the first two arms are one index and always have the same source, and no edge is to be
  ///     paired with itself.
  ///   - stopsWhenSettled: Whether the sink is asked, whenever it was given edges, if it wants more of the same input row.
  ///   - targetLimit: All targets are below it.
  package init(
    _ kind: Kind, _ arms: [Arm], _ wanted: Wanted, joinsWithItself: Bool, stopsWhenSettled: Bool,
    targetLimit: Int
  ) {
    self.kind = kind
    first = Lists(arms[0])
    second = Lists(arms[1])
    others = arms.dropFirst(2).map(Lists.init)
    self.wanted = wanted
    self.joinsWithItself = joinsWithItself
    self.stopsWhenSettled = stopsWhenSettled
    isCounting =
      !wanted.inputs && !wanted.targets && !joinsWithItself && arms.count == 2
      && arms.allSatisfy { $0.isUnique && !$0.wantsRows } && !kind.isOfInputs
    bits = Buffer(zeroed: targetLimit / 64 + 1)
    matches = Array(repeating: [], count: arms.count)
    renew()
  }

  /// The bytes that an intersection holds for targets below a limit.
  package static func byteCount(targetLimit: Int) -> Int { targetLimit / 8 + 8 }

  /// Finds the edges of the input rows, whose source in each arm is given; those left over at the end are handed on too.
  ///
  /// - Returns: false if the sink wants no more.
  /// - Complexity: O(sum over the input rows of the length of their shortest list, times its logarithm) and the edges
  ///   found.
  package func find(
    _ sources: [Buffer<UInt32>], count rowCount: Int, bounds: TargetBounds? = nil,
    into sink: any IntersectionSink
  ) throws(SQLError) -> Bool {
    let (ofFirst, ofSecond) = (sources[0], sources[1])
    otherSources = Array(sources.dropFirst(2))
    self.sink = sink
    defer { self.sink = nil }
    let anchor = anchor(ofFirst, ofSecond, rowCount)
    for row in 0..<rowCount {
      if row % Lists.warmedCount == 0 {
        let count = min(Lists.warmedCount, rowCount &- row)
        if anchor != .first {
          first.warm(PagePointer(ofFirst).advanced(by: row), count)
        }
        if anchor != .second {
          second.warm(PagePointer(ofSecond).advanced(by: row), count)
        }
      }
      let visit = Visit(
        row: UInt32(truncatingIfNeeded: row), first: ofFirst[row], second: ofSecond[row],
        lower: bounds?.lower[row] ?? 0, upper: bounds?.upper[row] ?? .max,
        excluded: bounds?.excluded[row] ?? TableStore.noRow)
      let goesOn =
        switch kind {
        case .combinations: try meet(visit, anchor) || stopsWhenSettled
        case .edges(let areMet): try select(visit, anchor, areMet: areMet)
        case .inputs(let areMet): try decide(visit, anchor, areMet: areMet)
        }
      if !goesOn { return false }
      if isCounting && visit.excluded != TableStore.noRow { leaveOutExcluded(visit) }
      try pause()
    }
    return try flush()
  }

  /// Takes the target that is not wanted off the number, where it was counted.
  private func leaveOutExcluded(_ visit: Visit) {
    let target = visit.excluded
    if !visit.wants(target) || !first.contains(visit.first, target) { return }
    let isMet = second.contains(visit.second, target)
    switch kind {
    case .combinations, .inputs: count &-= bit(isMet)
    case .edges(let areMet): count &-= bit(isMet == areMet)
    }
  }

  /// Looks for a cancel where much has been gone through since the last look.
  @inline(__always)
  private func pause() throws(SQLError) {
    if work <= Self.workMax { return }
    work = 0
    try sink?.check()
  }

  private enum Anchor { case first, second }

  /// The arm whose source is most often that of the row before, if that is so for half of the rows at least.
  private func anchor(_ one: Buffer<UInt32>, _ two: Buffer<UInt32>, _ count: Int) -> Anchor? {
    if count < 2 { return nil }
    var (sameFirst, sameSecond) = (0, 0)
    for row in 1..<count {
      sameFirst &+= bit(one[row] == one[row &- 1])
      sameSecond &+= bit(two[row] == two[row &- 1])
    }
    if max(sameFirst, sameSecond) &* 2 < count { return nil }
    return sameFirst >= sameSecond ? .first : .second
  }

  /// Finds the edges that meet.
  private func meet(_ visit: Visit, _ anchor: Anchor?) throws(SQLError) -> Bool {
    if visit.first == TableStore.noRow || visit.second == TableStore.noRow { return true }
    if joinsWithItself { return try pairs(visit) }
    return switch anchor {
    case .first: try probe(first, second, visit, isSwapped: false)
    case .second: try probe(second, first, visit, isSwapped: true)
    case nil: try merge(visit)
    }
  }

  // MARK: Rows that are met, or not

  /// Takes the edges of the first list whose targets are, or are not, in the second.
  private func select(_ visit: Visit, _ anchor: Anchor?, areMet: Bool) throws(SQLError) -> Bool {
    let probes = visit.first == TableStore.noRow ? 0 : first.degree(of: visit.first)
    if probes == 0 { return true }
    let held = visit.second == TableStore.noRow ? 0 : second.degree(of: visit.second)
    if held == 0 && areMet { return true }
    if isCounting {
      let before = count
      _ = try meet(visit, anchor)
      if !areMet {
        count = before &+ first.count(of: visit.first, visit) &- (count &- before)
      }
      return true
    }
    let isMarked = held > 0 && held <= probes &* Self.searchCost
    if isMarked { mark(second, visit.second) }
    let bits = bits
    return try first.forEachRun(of: visit.first, visit) { (run, count) throws(SQLError) in
      work &+= isMarked ? count : count &* Self.searchCost
      try pause()
      for place in visit.places(run.targets, count) {
        let target = run.targets[place]
        let isMet =
          isMarked
          ? Self.marking(of: target, in: bits) != 0
          : held > 0 && second.contains(visit.second, target)
        if isMet == areMet && target != visit.excluded,
          try !append(target, run.rows[place], 0, visit)
        {
          return false
        }
      }
      return true
    }
  }

  /// Takes the input row if some edges meet, or if none do.
  private func decide(_ visit: Visit, _ anchor: Anchor?, areMet: Bool) throws(SQLError) -> Bool {
    isMet = false
    // The first edges that meet say no more is wanted of this row.
    _ = try meet(visit, anchor)
    return isMet == areMet ? try append(0, 0, 0, visit) : true
  }

  // MARK: Marked targets

  /// Probes the marked targets of one list with those of the other.
  private func probe(
    _ anchor: Lists, _ other: Lists, _ visit: Visit, isSwapped: Bool
  ) throws(SQLError) -> Bool {
    let (source, probing) = isSwapped ? (visit.second, visit.first) : (visit.first, visit.second)
    let (held, probes) = (anchor.degree(of: source), other.degree(of: probing))
    if held == 0 || probes == 0 { return true }
    if held < Self.markedCountMin || probes > held &* Self.searchCost { return try merge(visit) }
    mark(anchor, source)
    work &+= probes
    let bits = bits
    if let list = other.reader.list(of: probing) {
      if isCounting, list.count <= Self.walkedCount {
        for place in 0..<list.count {
          let target = list.targets[place]
          count &+= Self.marking(of: target, in: bits) & bit(visit.wants(target))
        }
        return true
      }
      let places = visit.places(list.targets, list.count)
      if isCounting {
        for place in places { count &+= Self.marking(of: list.targets[place], in: bits) }
        return true
      }
      for place in places where Self.marking(of: list.targets[place], in: bits) != 0 {
        let goesOn = try found(
          list.targets[place], list.rows[place], visit, ofFirst: isSwapped)
        if !goesOn { return false }
      }
      return true
    }
    let long = other.reader.longList(of: probing)
    for number in long.runs(visit.lower, visit.upper) {
      let run = long.header[0].runs[number]
      if isCounting, visit.isUnbounded, run.bits.count > 0 {
        count &+= run.bits.commonCount(with: bits)
        continue
      }
      let places = visit.places(run.targets, Int(truncatingIfNeeded: run.count))
      if isCounting {
        for place in places { count &+= Self.marking(of: run.targets[place], in: bits) }
        continue
      }
      for place in places where Self.marking(of: run.targets[place], in: bits) != 0 {
        if try !found(run.targets[place], run.rows[place], visit, ofFirst: isSwapped) {
          return false
        }
      }
    }
    return true
  }

  private func mark(_ lists: Lists, _ source: UInt32) {
    if let marked {
      if marked.lists === lists && marked.source == source { return }
      let bits = bits
      marked.lists.forEach(of: marked.source) { bits[Int($0 >> 6)] = 0 }
    }
    let bits = bits
    lists.forEach(of: source) { bits[Int($0 >> 6)] |= 1 &<< UInt64($0 & 63) }
    work &+= lists.degree(of: source)
    marked = (lists, source)
  }

  @inline(__always)
  private static func marking(of target: UInt32, in bits: Buffer<UInt64>) -> Int {
    Int(truncatingIfNeeded: bits[Int(target >> 6)] >> UInt64(target & 63) & 1)
  }

  // MARK: Merging

  private func merge(_ visit: Visit) throws(SQLError) -> Bool {
    guard let one = first.reader.list(of: visit.first),
      let two = second.reader.list(of: visit.second),
      max(one.count, two.count) <= Self.searchCost &* (min(one.count, two.count) &+ 2)
    else { return try meetApart(visit) }
    work &+= one.count &+ two.count
    let wanted = visit.places(one.targets, one.count)
    if isCounting {
      count &+= one.targets.commonCount(wanted, with: two.targets, two.count)
      return true
    }
    var (left, right) = (wanted.lowerBound, 0)
    while left < wanted.upperBound && right < two.count {
      let (own, other) = (one.targets[left], two.targets[right])
      if own != other {
        left &+= bit(own < other)
        right &+= bit(other < own)
        continue
      }
      let start = right
      repeat {
        right = start
        repeat {
          let goesOn = try combine(own, one.rows[left], two.rows[right], visit)
          if !goesOn { return false }
          right &+= 1
        } while right < two.count && two.targets[right] == own
        left &+= 1
      } while left < wanted.upperBound && one.targets[left] == own
    }
    return true
  }

  /// Finds the edges that meet where a list stands apart, or one is much longer than the other.
  private func meetApart(_ visit: Visit) throws(SQLError) -> Bool {
    let (one, two) = (first.degree(of: visit.first), second.degree(of: visit.second))
    let (least, most) = (min(one, two), max(one, two))
    // Two long lists: those of the one are marked, as `probe` would have it.
    if least < Self.markedCountMin || most > least &* Self.searchCost { return try search(visit) }
    return one < two
      ? try probe(first, second, visit, isSwapped: false)
      : try probe(second, first, visit, isSwapped: true)
  }

  /// Looks for each target of the shorter list in the longer one.
  private func search(_ visit: Visit) throws(SQLError) -> Bool {
    let isSwapped = first.degree(of: visit.first) > second.degree(of: visit.second)
    let (short, source) = isSwapped ? (second, visit.second) : (first, visit.first)
    let (long, searched) = isSwapped ? (first, visit.first) : (second, visit.second)
    return try short.forEachRun(of: source, visit) { (run, count) throws(SQLError) in
      work &+= count &* Self.searchCost
      try pause()
      for place in visit.places(run.targets, count) {
        let target = run.targets[place]
        guard let edges = long.fewEdges(to: target) else {
          if !long.contains(searched, target) { continue }
          if isCounting {
            self.count &+= 1
          } else if try !found(target, run.rows[place], visit, ofFirst: !isSwapped) {
            return false
          }
          continue
        }
        for other in 0..<edges.count where edges.sources[other] == searched {
          if isCounting {
            self.count &+= 1
            continue
          }
          let (own, partner) = (run.rows[place], edges.rows[other])
          let goesOn =
            try isSwapped
            ? combine(target, partner, own, visit) : combine(target, own, partner, visit)
          if !goesOn { return false }
        }
      }
      return true
    }
  }

  // MARK: A list with itself

  /// Pairs the edges of a list that have the same target.
  private func pairs(_ visit: Visit) throws(SQLError) -> Bool {
    if let list = first.reader.list(of: visit.first) {
      work &+= list.count
      return try pairs(
        list.targets, list.rows, visit.places(list.targets, list.count), visit)
    }
    let long = first.reader.longList(of: visit.first)
    let runs = long.runs(visit.lower, visit.upper)
    // Edges at the end of a run whose target the next one begins with.
    var open: (target: UInt32, rows: [UInt32]) = (0, [])
    for number in runs {
      let run = long.header[0].runs[number]
      let count = Int(truncatingIfNeeded: run.count)
      work &+= count
      try pause()
      let places = visit.places(run.targets, count)
      var (start, end) = (places.lowerBound, places.upperBound)
      if !open.rows.isEmpty {
        while start < end && run.targets[start] == open.target {
          open.rows.append(run.rows[start])
          start &+= 1
        }
        if start == end { continue }
        if try !pairs(open.rows, open.target, visit) { return false }
        open.rows = []
      }
      if number &+ 1 < runs.upperBound, start < end {
        let last = run.targets[end &- 1]
        if long.header[0].runs[number &+ 1].targets[0] == last {
          while end > start && run.targets[end &- 1] == last {
            end &-= 1
            open.rows.append(run.rows[end])
          }
          open.target = last
        }
      }
      if try !pairs(run.targets, run.rows, start..<end, visit) { return false }
    }
    return try pairs(open.rows, open.target, visit)
  }

  /// Pairs the edges at some places that have the same target.
  @inline(__always)
  private func pairs(
    _ targets: PagePointer<UInt32>, _ rows: PackedNumbers, _ places: Range<Int>, _ visit: Visit
  ) throws(SQLError) -> Bool {
    var start = places.lowerBound
    while start &+ 1 < places.upperBound {
      let target = targets[start]
      if targets[start &+ 1] != target {
        start &+= 1
        continue
      }
      var end = start &+ 2
      while end < places.upperBound && targets[end] == target { end &+= 1 }
      for left in start..<end {
        for right in start..<end where left != right {
          if try !combine(target, rows[left], rows[right], visit) { return false }
        }
      }
      start = end
    }
    return true
  }

  /// Pairs edges with one target.
  private func pairs(
    _ rows: [UInt32], _ target: UInt32, _ visit: Visit
  ) throws(SQLError) -> Bool {
    for left in rows.indices {
      for right in rows.indices where left != right {
        if try !combine(target, rows[left], rows[right], visit) { return false }
      }
    }
    return true
  }

  // MARK: Edges found

  /// Takes an edge of one of the two first lists whose target is in the other.
  @inline(__always)
  private func found(
    _ target: UInt32, _ row: UInt32, _ visit: Visit, ofFirst: Bool
  ) throws(SQLError) -> Bool {
    let (partner, source) = ofFirst ? (second, visit.second) : (first, visit.first)
    if partner.isUnique {
      let other = partner.wantsRows ? partner.index.edge(source, target) : 0
      return try ofFirst
        ? combine(target, row, other, visit) : combine(target, other, row, visit)
    }
    guard let list = partner.reader.list(of: source) else {
      return try foundApart(target, row, visit, partner.index.rows(source, target), ofFirst)
    }
    var place = list.targets.lowerBound(of: target, in: 0..<list.count)
    while place < list.count && list.targets[place] == target {
      let other = list.rows[place]
      place &+= 1
      let goesOn =
        try ofFirst
        ? combine(target, row, other, visit) : combine(target, other, row, visit)
      if !goesOn { return false }
    }
    return true
  }

  /// The same with the partners of a list that stands apart.
  private func foundApart(
    _ target: UInt32, _ row: UInt32, _ visit: Visit, _ others: [UInt32], _ ofFirst: Bool
  ) throws(SQLError) -> Bool {
    work &+= others.count
    for other in others {
      let goesOn =
        try ofFirst
        ? combine(target, row, other, visit) : combine(target, other, row, visit)
      if !goesOn { return false }
    }
    return true
  }

  /// Takes a pair of edges with the same target, and all edges of further lists with that target.
  @inline(__always)
  private func combine(
    _ target: UInt32, _ one: UInt32, _ two: UInt32, _ visit: Visit
  ) throws(SQLError) -> Bool {
    if target == visit.excluded { return true }
    if case .inputs = kind {
      isMet = true
      return false
    }
    return others.isEmpty
      ? try append(target, one, two, visit) : try combineAll(target, one, two, visit)
  }

  private func combineAll(
    _ target: UInt32, _ one: UInt32, _ two: UInt32, _ visit: Visit
  ) throws(SQLError) -> Bool {
    for (number, lists) in others.enumerated() {
      let source = otherSources[number][Int(visit.row)]
      if source == TableStore.noRow { return true }
      matches[number] = lists.index.rows(source, target)
      if matches[number].isEmpty { return true }
    }
    // The combinations are counted through like the digits of a number.
    var digits = Array(repeating: 0, count: others.count)
    while true {
      for (number, digit) in digits.enumerated() where others[number].wantsRows {
        otherRows[number][count] = matches[number][digit]
      }
      if try !append(target, one, two, visit) { return false }
      work &+= 1
      var place = 0
      while place < digits.count {
        digits[place] += 1
        if digits[place] < matches[place].count { break }
        digits[place] = 0
        place += 1
      }
      if place == digits.count { return true }
    }
  }

  @inline(__always)
  private func append(
    _ target: UInt32, _ one: UInt32, _ two: UInt32, _ visit: Visit
  ) throws(SQLError) -> Bool {
    if wanted.inputs { inputs[count] = visit.row }
    if wanted.targets { targets[count] = target }
    if first.wantsRows { firstRows[count] = one }
    if second.wantsRows { secondRows[count] = two }
    count &+= 1
    if count < Vector.chunkCapacity { return true }
    let goesOn = try flush()
    return goesOn && !(stopsWhenSettled && sink?.isSettled(visit.row) ?? false)
  }

  private func flush() throws(SQLError) -> Bool {
    guard count > 0, let sink else { return true }
    let found = Found(
      inputs: inputs, targets: targets, rows: [firstRows, secondRows] + otherRows, count: count)
    renew()
    return try sink.take(found)
  }

  /// Makes room for the next edges: those handed on may be kept.
  private func renew() {
    func room(_ isWanted: Bool) -> Buffer<UInt32> {
      Buffer(uninitialized: isWanted ? Vector.chunkCapacity : 0)
    }
    count = 0
    inputs = room(wanted.inputs)
    targets = room(wanted.targets)
    firstRows = room(first.wantsRows)
    secondRows = room(second.wantsRows)
    otherRows = others.map { room($0.wantsRows) }
  }
}

extension ListIntersection.Kind {
  fileprivate var isOfInputs: Bool {
    switch self {
    case .combinations, .edges: false
    case .inputs: true
    }
  }
}
