import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// A search that goes breadth first from one vertex, and keeps for each pair of a state and a vertex only the first few
/// lengths at which it is reached: for walks of which the shortest, or any, are wanted.
///
/// What is reached is an entry; its links are the ways to it from entries a step nearer, from which the paths are read
/// backwards. A walk of the *k* least lengths to a vertex passes every vertex at one of the *k* least lengths to that,
/// so no more are kept. Within one time of a part whose conditions look back each way to a vertex is an entry of its own.
final class LayeredSearch: PathFinder {
  /// A pair of a state and a vertex, reached by some number of edges.
  private struct Entry: BitwiseCopyable {
    var key: Int
    var length: Int32
    /// How many lengths the pair has been reached at, this one included.
    var rank: Int32
    /// The first of its links; -1 for none, as of the start.
    var link: Int32
  }

  /// A way to an entry.
  private struct Link: BitwiseCopyable {
    var from: Int32
    var edge: UInt32
    var row: UInt32
    /// The next link of the same entry; -1 for none.
    var next: Int32
  }

  private let lengthLimit: Int32
  private let pathLimit: Int
  /// Whether one way to each entry is enough.
  private let isSingle: Bool
  private let keepsLinks: Bool
  private var map: StateMap
  private var entries: [Entry] = []
  private var links: [Link] = []
  /// Entries of whole paths to vertices that are wanted.
  private var ends: [Int32] = []
  private var steps: [PathStep] = []
  private var trail: [Int32] = []
  private var isDone = false
  private var foundCount = 0

  /// Marks a link that is no edge: the same vertex in another segment.
  private static let noEdge = UInt32.max

  init(_ graph: PathGraph, _ rules: RoundRules?, needsSteps: Bool) {
    let (lengths, paths) = graph.pattern.selector.limits
    lengthLimit = Int32(clamping: lengths)
    pathLimit = paths
    isSingle = lengths == 1 && paths == 1
    keepsLinks = needsSteps || !isSingle || rules != nil
    map = StateMap(keyLimit: (graph.finalState + 1) * graph.vertexCount)
    super.init(graph, rules)
  }

  override func search(
    from start: UInt32, into found: PathCollector
  ) throws(SQLError) -> Bool {
    defer { forget() }
    forgetSeen()
    isDone = false
    foundCount = 0
    var goesOn = try reach(0, start, length: 0, from: -1, edge: Self.noEdge, row: 0, found)
    var next = 0
    while goesOn, !isDone, next < entries.count {
      let entry = entries[next]
      let state = entry.key / graph.vertexCount
      let vertex = UInt32(truncatingIfNeeded: entry.key % graph.vertexCount)
      let from = Int32(truncatingIfNeeded: next)
      if let rules, rules.apply(at: graph.place(of: state)) {
        let round = round(at: next, state)
        for candidate in try allowed(rules, behind: round, on: state, at: vertex, found)
        where goesOn && !isDone {
          let step = candidate.step
          goesOn = try reach(
            candidate.next, step.vertex, length: entry.length + 1, from: from, edge: step.edge,
            row: step.row, found)
        }
      } else {
        try graph.forEachStep(from: state, at: vertex) {
          (state, vertex, edge, row) throws(SQLError) in
          if goesOn, !isDone {
            goesOn = try reach(
              state, vertex, length: entry.length + 1, from: from, edge: edge, row: row, found)
          }
        }
      }
      next += 1
      if next & 255 == 0 {
        try found.check()
        try account.set(byteCount)
      }
    }
    if !goesOn { return false }
    return isSingle ? true : try giveAll(into: found)
  }

  /// What this time of a segment has passed before an entry.
  private func round(at entry: Int, _ state: Int) -> RoundRules.Round {
    let hop = graph.place(of: state).hop
    var current = entry
    steps.removeAll(keepingCapacity: true)
    while steps.count < hop {
      let link = links[Int(entries[current].link)]
      append(link, to: current)
      current = Int(link.from)
    }
    steps.reverse()
    let first = UInt32(truncatingIfNeeded: entries[current].key % graph.vertexCount)
    return RoundRules.Round(first: first, steps: steps)
  }

  private var byteCount: Int {
    map.byteCount + entries.capacity * MemoryLayout<Entry>.stride
      + links.capacity * MemoryLayout<Link>.stride
  }

  private func forget() {
    map.clear(entries.lazy.map(\.key))
    entries.removeAll(keepingCapacity: true)
    links.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  /// Takes note of a way to a pair; false if no more paths are wanted at all.
  private func reach(
    _ state: Int, _ vertex: UInt32, length: Int32, from: Int32, edge: UInt32, row: UInt32,
    _ found: PathCollector
  ) throws(SQLError) -> Bool {
    let key = state * graph.vertexCount + Int(vertex)
    var rank: Int32 = 1
    let isMerged = merges(state)
    let known = isMerged ? map[key] : StateMap.none
    if known != StateMap.none {
      let entry = entries[Int(known)]
      if entry.length == length {
        if !isSingle { addLink(to: Int(known), from, edge, row) }
        return true
      }
      if entry.rank >= lengthLimit { return true }
      rank = entry.rank + 1
    }
    let number = entries.count
    guard number < Int(Int32.max) else {
      throw SQLError(
        .programLimitExceeded, "a search for paths has reached too many vertices",
        hint: "Bound the path by a quantifier such as {1,5}.")
    }
    entries.append(Entry(key: key, length: length, rank: rank, link: -1))
    if isMerged { map.set(key, UInt32(truncatingIfNeeded: number)) }
    if keepsLinks, from >= 0 { addLink(to: number, from, edge, row) }
    if state == graph.finalState {
      guard found.wants(vertex) else { return true }
      if !isSingle {
        ends.append(Int32(truncatingIfNeeded: number))
        return true
      }
      foundCount += 1
      isDone = foundCount == found.endCount
      return try give(number, into: found)
    }
    guard let skipped = graph.skip(from: state, at: vertex) else { return true }
    return try reach(
      skipped, vertex, length: length, from: Int32(truncatingIfNeeded: number), edge: Self.noEdge,
      row: 0, found)
  }

  private func addLink(to entry: Int, _ from: Int32, _ edge: UInt32, _ row: UInt32) {
    guard keepsLinks, from >= 0 else { return }
    links.append(Link(from: from, edge: edge, row: row, next: entries[entry].link))
    entries[entry].link = Int32(truncatingIfNeeded: links.count - 1)
  }

  // MARK: Paths

  /// Gives the one path to an entry.
  private func give(_ entry: Int, into found: PathCollector) throws(SQLError) -> Bool {
    let vertex = UInt32(truncatingIfNeeded: entries[entry].key % graph.vertexCount)
    steps.removeAll(keepingCapacity: true)
    if keepsLinks {
      var current = entry
      while entries[current].link >= 0 {
        let link = links[Int(entries[current].link)]
        append(link, to: current)
        current = Int(link.from)
      }
      steps.reverse()
    }
    return try found.take(end: vertex, length: entries[entry].length, steps)
  }

  private func append(_ link: Link, to entry: Int) {
    if link.edge == Self.noEdge { return }
    let state = entries[Int(link.from)].key / graph.vertexCount
    steps.append(
      PathStep(
        state: UInt32(truncatingIfNeeded: state), edge: link.edge, row: link.row,
        vertex: UInt32(truncatingIfNeeded: entries[entry].key % graph.vertexCount)))
  }

  /// Gives the paths to all vertices that are wanted, those to one behind each other and the shortest first.
  private func giveAll(into found: PathCollector) throws(SQLError) -> Bool {
    let sorted = ends.sorted { (entries[Int($0)].key, $0) < (entries[Int($1)].key, $1) }
    var key = -1
    var count = 0
    for end in sorted {
      if entries[Int(end)].key != key {
        key = entries[Int(end)].key
        count = 0
      }
      if count < pathLimit, try !giveEvery(Int(end), &count, into: found) { return false }
    }
    return true
  }

  /// Gives every path to an entry, as long as there are fewer than the limit.
  private func giveEvery(
    _ entry: Int, _ count: inout Int, into found: PathCollector
  ) throws(SQLError) -> Bool {
    let end = UInt32(truncatingIfNeeded: entries[entry].key % graph.vertexCount)
    // The links from the end back to the start, each with those that are yet to be tried in its place.
    trail.removeAll(keepingCapacity: true)
    var current = entry
    var tried = 0
    while true {
      let link = entries[current].link
      if link >= 0 {
        trail.append(link)
        current = Int(links[Int(link)].from)
        continue
      }
      setSteps(from: entry)
      if isNew(steps) {
        count += 1
        if try !found.take(end: end, length: entries[entry].length, steps) { return false }
      }
      tried += 1
      if tried & 1023 == 0 {
        try found.check()
        try account.set(byteCount + seenByteCount)
      }
      if count >= pathLimit { return true }
      while let last = trail.popLast() {
        let next = links[Int(last)].next
        if next >= 0 {
          trail.append(next)
          current = Int(links[Int(next)].from)
          break
        }
      }
      if trail.isEmpty { return true }
    }
  }

  /// The steps of the path that `trail` holds.
  private func setSteps(from entry: Int) {
    steps.removeAll(keepingCapacity: true)
    var current = entry
    for number in trail {
      let link = links[Int(number)]
      append(link, to: current)
      current = Int(link.from)
    }
    steps.reverse()
  }
}

extension PathPrefix.Selector {
  /// How many lengths or sums of costs, and how many paths in all, are wanted between two vertices.
  var limits: (lengths: Int, paths: Int) {
    switch self {
    case .all: (.max, .max)
    case .any(let count), .shortest(let count): (count, count)
    case .allShortest: (1, .max)
    case .shortestGroups(let count): (count, .max)
    case .cheapest(let count): (count, count)
    case .allCheapest: (1, .max)
    }
  }
}
