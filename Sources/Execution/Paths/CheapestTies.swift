import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// A search for all of the cheapest walks from one vertex: what is reached, with every way to it that costs the least, from which
/// the walks are read backwards.
///
/// Where edges cost nothing, walks in circles of them would be without end; of those that cost the same only those count that
/// come to no vertex twice at the same place of the pattern.
///
/// - Complexity: O(edges · log edges) for each start, with edges once for each state, and the walks.
final class CheapestTies<Cost: PathCost>: PathFinder {
  /// A pair of a state and a vertex with the least cost of coming there.
  private struct Entry: BitwiseCopyable {
    var key: Int
    var cost: Cost
    /// The first of its links; -1 for none, as of the start.
    var link: Int32 = -1
    /// Whether the walk in hand passes it.
    var isPassed = false
  }
  /// A way to an entry.
  private struct Link: BitwiseCopyable {
    var from: Int32
    /// The next link of the same entry; -1 for none.
    var next: Int32
    /// Its edge; nil for the same vertex in another segment.
    var step: PathStep?
  }
  private struct Waiting: HeapEntry {
    let cost: Cost
    let entry: Int32

    @inline(__always)
    static func isBefore(_ one: Waiting, _ other: Waiting) -> Bool {
      one.cost != other.cost ? one.cost < other.cost : one.entry < other.entry
    }
  }

  private let costs: [Buffer<Cost>]
  private var map: StateMap
  private var entries: [Entry] = []
  private var links: [Link] = []
  private var heap = LeastHeap<Waiting>()
  /// Entries of whole walks to vertices that are wanted.
  private var ends: [Int32] = []
  private var steps: [PathStep] = []
  private var trail: [Int32] = []
  private var edgeCount = 0

  init(_ graph: PathGraph, _ rules: RoundRules?, _ costs: [Buffer<Cost>]) {
    self.costs = costs
    map = StateMap(keyLimit: (graph.finalState + 1) * graph.vertexCount)
    super.init(graph, rules)
  }

  override func search(
    from start: UInt32, into found: PathCollector
  ) throws(SQLError) -> Bool {
    defer { forget() }
    forgetSeen()
    try reach(0, start, .nothing, from: -1, nil, found)
    var lastCost = Cost.nothing
    while let next = heap.pop() {
      let entry = entries[Int(next.entry)]
      // Left behind by a cheaper way.
      if entry.cost < next.cost { continue }
      if ends.count == found.endCount, lastCost < entry.cost { break }
      let state = entry.key / graph.vertexCount
      if state == graph.finalState {
        let vertex = UInt32(truncatingIfNeeded: entry.key % graph.vertexCount)
        if found.wants(vertex) {
          ends.append(next.entry)
          lastCost = entry.cost
        }
      } else {
        try walk(from: next.entry, entry, state, found)
      }
    }
    for end in ends where try !give(Int(end), into: found) { return false }
    return true
  }

  private func forget() {
    map.clear(entries.lazy.map(\.key))
    entries.removeAll(keepingCapacity: true)
    links.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    heap.removeAll()
  }

  /// Goes along the edges that lead on from an entry.
  private func walk(
    from number: Int32, _ entry: Entry, _ state: Int, _ found: PathCollector
  ) throws(SQLError) {
    let vertex = UInt32(truncatingIfNeeded: entry.key % graph.vertexCount)
    if let skipped = graph.skip(from: state, at: vertex) {
      try reach(skipped, vertex, entry.cost, from: number, nil, found)
    }
    if let rules, rules.apply(at: graph.place(of: state)) {
      let round = round(at: Int(number), state)
      for candidate in try allowed(rules, behind: round, on: state, at: vertex, found) {
        let cost = graph.cost(of: candidate.step)
        try goOn(from: number, entry, candidate.next, candidate.step, cost, found)
      }
      return
    }
    try graph.forEachMove(from: state, at: vertex) { (next, step, cost) throws(SQLError) in
      try goOn(from: number, entry, next, step, cost, found)
    }
  }

  /// What this time of a segment has passed: each entry within one has one way to it.
  private func round(at entry: Int, _ state: Int) -> RoundRules.Round {
    let hop = graph.place(of: state).hop
    var round = RoundRules.Round(first: 0, steps: [])
    var current = entry
    while round.steps.count < hop {
      let link = links[Int(entries[current].link)]
      if let step = link.step { round.steps.append(step) }
      current = Int(link.from)
    }
    round.steps.reverse()
    round.first = UInt32(truncatingIfNeeded: entries[current].key % graph.vertexCount)
    return round
  }

  @inline(__always)
  private func goOn(
    from number: Int32, _ entry: Entry, _ next: Int, _ step: PathStep, _ cost: Int,
    _ found: PathCollector
  ) throws(SQLError) {
    guard let sum = try entry.cost.adding(cost, of: step.row, costs) else { return }
    try reach(next, step.vertex, sum, from: number, step, found)
  }

  /// Takes note of a way to a pair of a state and a vertex.
  private func reach(
    _ state: Int, _ vertex: UInt32, _ cost: Cost, from: Int32, _ step: PathStep?,
    _ found: PathCollector
  ) throws(SQLError) {
    edgeCount &+= 1
    if edgeCount & 0xFFF == 0 {
      try found.check()
      try account.set(byteCount)
    }
    let key = state * graph.vertexCount + Int(vertex)
    let isMerged = merges(state)
    let known = isMerged ? map[key] : StateMap.none
    var number = entries.count
    if known != StateMap.none {
      number = Int(known)
      if entries[number].cost < cost { return }
      if entries[number].cost == cost { return addLink(to: number, from, step) }
      entries[number].cost = cost
      entries[number].link = -1
    } else {
      guard number < Int(Int32.max) else {
        throw SQLError(
          .programLimitExceeded, "a search for paths has reached too many vertices",
          hint: "Bound the path by a quantifier such as {1,5}.")
      }
      entries.append(Entry(key: key, cost: cost))
      if isMerged { map.set(key, UInt32(truncatingIfNeeded: number)) }
    }
    addLink(to: number, from, step)
    heap.push(Waiting(cost: cost, entry: Int32(truncatingIfNeeded: number)))
  }

  private func addLink(to entry: Int, _ from: Int32, _ step: PathStep?) {
    if from < 0 { return }
    links.append(Link(from: from, next: entries[entry].link, step: step))
    entries[entry].link = Int32(truncatingIfNeeded: links.count - 1)
  }

  private var byteCount: Int {
    map.byteCount + entries.capacity * MemoryLayout<Entry>.stride
      + links.capacity * MemoryLayout<Link>.stride + heap.byteCount + seenByteCount
  }

  // MARK: Walks

  /// Gives every walk to an entry that passes none twice.
  private func give(_ end: Int, into found: PathCollector) throws(SQLError) -> Bool {
    trail.removeAll(keepingCapacity: true)
    var current = end
    var next = entries[end].link
    entries[end].isPassed = true
    var rounds = 0
    while true {
      rounds += 1
      if rounds & 1023 == 0 {
        try found.check()
        try account.set(byteCount)
      }
      while next >= 0, entries[Int(links[Int(next)].from)].isPassed {
        next = links[Int(next)].next
      }
      if next >= 0 {
        trail.append(next)
        current = Int(links[Int(next)].from)
        entries[current].isPassed = true
        // Every walk begins at the first entry, and comes there once.
        next = current == 0 ? -1 : entries[current].link
        if current == 0, try !giveTrail(to: end, into: found) { return false }
        continue
      }
      entries[current].isPassed = false
      guard let last = trail.popLast() else { return true }
      current = trail.last.map { Int(links[Int($0)].from) } ?? end
      next = links[Int(last)].next
    }
  }

  /// Gives the walk that `trail` holds.
  private func giveTrail(to end: Int, into found: PathCollector) throws(SQLError) -> Bool {
    steps.removeAll(keepingCapacity: true)
    for link in trail.reversed() {
      if let step = links[Int(link)].step { steps.append(step) }
    }
    guard isNew(steps) else { return true }
    return try found.take(
      end: UInt32(truncatingIfNeeded: entries[end].key % graph.vertexCount),
      length: Int32(clamping: steps.count), steps, cost: entries[end].cost.bits)
  }
}
