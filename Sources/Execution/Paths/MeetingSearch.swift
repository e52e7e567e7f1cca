import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// A search for one shortest walk between two vertices, from both of them: the side with fewer vertices goes on, until one
/// of its edges leads to where the other has been.
///
/// The pattern is one part, repeated as often as it takes; a state is then how many edges of the part have been walked,
/// and a walk is whole when both sides are at the same place of the part.
///
/// Source: I. Pohl, "Bi-directional Search", Machine Intelligence 6 (1971).
final class MeetingSearch: PathFinder {
  /// A vertex that one side has been at.
  private struct Entry: BitwiseCopyable {
    var vertex: UInt32
    /// Edges of the part walked, from this side.
    var hop: Int32
    /// The entry before it; -1 for where the side began.
    var parent: Int32
    var edge: UInt32
    var row: UInt32
  }

  /// What one side knows.
  private final class Side {
    let graph: PathGraph
    var map: StateMap
    var entries: [Entry] = []
    /// The first entry of the last round.
    var first = 0
    var length = 0

    init(_ graph: PathGraph, width: Int) {
      self.graph = graph
      map = StateMap(keyLimit: width * graph.vertexCount)
    }

    func key(_ hop: Int32, _ vertex: UInt32) -> Int { Int(hop) * graph.vertexCount + Int(vertex) }

    func begin(at vertex: UInt32) {
      let keys = entries.map { key($0.hop, $0.vertex) }
      map.clear(keys)
      entries.removeAll(keepingCapacity: true)
      first = 0
      length = 0
      _ = reach(0, vertex, parent: -1, edge: 0, row: 0)
    }

    func reach(
      _ hop: Int32, _ vertex: UInt32, parent: Int32, edge: UInt32, row: UInt32
    ) -> Bool {
      let key = key(hop, vertex)
      if map[key] != StateMap.none { return false }
      map.set(key, UInt32(truncatingIfNeeded: entries.count))
      entries.append(Entry(vertex: vertex, hop: hop, parent: parent, edge: edge, row: row))
      return true
    }
  }

  /// Where both sides have met: their entries, and the edges between them from the first side on.
  private struct Meeting {
    var forth: Int
    var between: [PathStep]
    var back: Int
  }

  private let width: Int
  private let forth: Side
  private let back: Side
  private var steps: [PathStep] = []
  private let minimum: Int
  private let lengthLimit: Int

  /// Edges that are tried for a short cut before whole rounds are walked.
  private static let probeLimit = 1 << 16

  /// A search of the pattern, which must be one that sides can meet in.
  init(_ graph: PathGraph, reversed: PathGraph) {
    let segment = graph.segments[0]
    width = segment.width
    minimum = segment.minimum
    lengthLimit =
      segment.maximum.map { $0.multipliedReportingOverflow(by: segment.width) }
      .map { $0.overflow ? Int.max : $0.partialValue } ?? .max
    forth = Side(graph, width: segment.width)
    back = Side(reversed, width: segment.width)
    super.init(graph, nil)
  }

  /// Whether a search of a pattern may start from both ends.
  static func fits(_ pattern: PathSearchPattern) -> Bool {
    pattern.mode == .walk && (pattern.selector == .shortest(1) || pattern.selector == .any(1))
      && pattern.segments.count == 1 && pattern.segments[0].minimum <= 1
      && !pattern.segments[0].remembers
  }

  override func search(
    from start: UInt32, into found: PathCollector
  ) throws(SQLError) -> Bool {
    guard let end = found.onlyEnd else {
      throw SQLError.internal("a search from both ends has no end")
    }
    if minimum == 0, start == end { return try found.take(end: end, length: 0, []) }
    forth.begin(at: start)
    back.begin(at: end)
    while true {
      try found.check()
      try account.set(forth.map.byteCount + back.map.byteCount)
      let isForth = forth.entries.count - forth.first <= back.entries.count - back.first
      if forth.length + back.length >= lengthLimit { return true }
      var meeting: Meeting?
      // Before both sides have gone out there is nothing near enough to be hit.
      if width > 1, forth.length > 0, back.length > 0,
        (forth.length + back.length) % width == 0
      {
        meeting = try probe(isForth)
      }
      if meeting == nil { meeting = try isForth ? walk(forth, back) : walk(back, forth) }
      if let meeting {
        let length = setSteps(meeting)
        return length <= lengthLimit
          ? try found.take(end: end, length: Int32(clamping: length), steps) : true
      }
      if forth.first == forth.entries.count || back.first == back.entries.count { return true }
    }
  }

  /// The place of the part at which the other side stands when this side has walked some edges of it.
  private func mirrored(_ hop: Int32) -> Int32 { hop == 0 ? 0 : Int32(width) - hop }

  private func next(_ hop: Int32) -> Int32 { Int(hop) + 1 == width ? 0 : hop + 1 }

  // MARK: Rounds

  /// Walks every edge from the last round of one side, until one leads to the other side.
  private func walk(_ own: Side, _ other: Side) throws(SQLError) -> Meeting? {
    let end = own.entries.count
    var index = own.first
    own.first = end
    own.length += 1
    let isForth = own === forth
    var meeting: Meeting?
    while index < end, meeting == nil {
      let entry = own.entries[index]
      let hop = next(entry.hop)
      let parent = Int32(truncatingIfNeeded: index)
      let mirror = mirrored(hop)
      var met: (entry: Int, step: PathStep)?
      try own.graph.forEachStep(from: Int(entry.hop), at: entry.vertex) {
        (_, vertex, edge, row) throws(SQLError) in
        if met != nil { return }
        let known = other.map[other.key(mirror, vertex)]
        if known != StateMap.none {
          met = (
            Int(known), PathStep(state: UInt32(entry.hop), edge: edge, row: row, vertex: vertex)
          )
          return
        }
        _ = own.reach(hop, vertex, parent: parent, edge: edge, row: row)
      }
      if let met {
        meeting =
          isForth
          ? Meeting(forth: index, between: [met.step], back: met.entry)
          : Meeting(
            forth: met.entry, between: [reversed(met.step, to: entry.vertex)], back: index)
      }
      index += 1
      if index & 63 == 0 { try checkSize(own) }
    }
    return meeting
  }

  private func checkSize(_ side: Side) throws(SQLError) {
    guard side.entries.count < Int(Int32.max) / 2 else {
      throw SQLError(
        .programLimitExceeded, "a search for paths has reached too many vertices",
        hint: "Bound the path by a quantifier such as {1,5}.")
    }
    try account.set(
      forth.map.byteCount + back.map.byteCount
        + (forth.entries.capacity + back.entries.capacity) * MemoryLayout<Entry>.stride)
  }

  /// An edge walked from the far side as one of the near side, which leads to `vertex`.
  private func reversed(_ step: PathStep, to vertex: UInt32) -> PathStep {
    PathStep(
      state: UInt32(width - 1 - Int(step.state)), edge: step.edge, row: step.row, vertex: vertex)
  }

  // MARK: Short cuts

  /// Looks for one whole part between both sides, which would be the shortest there can be now, without keeping what it
  /// passes; nil where there is none among the first edges.
  private func probe(_ isForth: Bool) throws(SQLError) -> Meeting? {
    let own = isForth ? forth : back
    let other = isForth ? back : forth
    var edges = 0
    var trail: [PathStep] = []
    for index in own.first..<own.entries.count {
      trail.removeAll(keepingCapacity: true)
      let entry = own.entries[index]
      if let known = try probe(own, other, entry.hop, entry.vertex, width, &trail, &edges) {
        var between: [PathStep] = []
        if isForth { return Meeting(forth: index, between: trail, back: known) }
        for place in trail.indices.reversed() {
          let vertex = place == 0 ? entry.vertex : trail[place - 1].vertex
          between.append(reversed(trail[place], to: vertex))
        }
        return Meeting(forth: known, between: between, back: index)
      }
      if edges > Self.probeLimit { return nil }
    }
    return nil
  }

  /// The entry of the other side to which `rest` edges lead, the last of them in `trail`.
  private func probe(
    _ own: Side, _ other: Side, _ hop: Int32, _ vertex: UInt32, _ rest: Int,
    _ trail: inout [PathStep], _ edges: inout Int
  ) throws(SQLError) -> Int? {
    var found: Int?
    let after = next(hop)
    var steps: [PathStep] = []
    try own.graph.forEachStep(from: Int(hop), at: vertex) {
      (_, vertex, edge, row) throws(SQLError) in
      if found != nil || edges > Self.probeLimit { return }
      edges += 1
      let step = PathStep(state: UInt32(hop), edge: edge, row: row, vertex: vertex)
      if rest == 1 {
        let known = other.map[other.key(mirrored(after), vertex)]
        if known != StateMap.none {
          found = Int(known)
          steps = [step]
        }
      } else {
        let depth = trail.count
        trail.append(step)
        found = try probe(own, other, after, vertex, rest - 1, &trail, &edges)
        if found == nil { trail.removeLast(trail.count - depth) }
      }
    }
    trail += steps
    return found
  }

  // MARK: Paths

  /// Makes `steps` the whole path, and says how long it is.
  private func setSteps(_ meeting: Meeting) -> Int {
    steps.removeAll(keepingCapacity: true)
    var index = meeting.forth
    while forth.entries[index].parent >= 0 {
      let entry = forth.entries[index]
      let parent = Int(entry.parent)
      steps.append(
        PathStep(
          state: UInt32(forth.entries[parent].hop), edge: entry.edge, row: entry.row,
          vertex: entry.vertex))
      index = parent
    }
    steps.reverse()
    steps += meeting.between
    index = meeting.back
    while back.entries[index].parent >= 0 {
      let entry = back.entries[index]
      let parent = back.entries[Int(entry.parent)]
      // Walked from the far side, the edge led from the parent to the entry.
      let step = PathStep(
        state: UInt32(parent.hop), edge: entry.edge, row: entry.row, vertex: entry.vertex)
      steps.append(reversed(step, to: parent.vertex))
      index = Int(entry.parent)
    }
    return steps.count
  }
}
