import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// What a search for paths walks through in one run: an automaton whose moves are edges of one version of the database.
///
/// A vertex has one number in the whole search: the position of its row behind the rows of the tables before its own. A
/// state says how far along the pattern a path is; the states of a segment are numbered by how often it has come and
/// the hop that is next, and those of an unbounded segment stop counting at its minimum.
final class PathGraph: Sendable {
  /// A way to walk on from a state.
  struct Move: Sendable {
    let lists: EdgeLists
    /// The entry of the pattern's edges.
    let edge: UInt32
    /// The table that it leads from, and the number of that table's first vertex.
    let fromTable: Int
    let fromBase: UInt32
    let toTable: Int
    let toBase: UInt32
    /// Bits of rows that may be left, walked along and arrived at; nil for all.
    let departures: Buffer<UInt64>?
    let edges: Buffer<UInt64>?
    let arrivals: Buffer<UInt64>?
    let skipsLoops: Bool
    /// The entry of the costs that has what the edge costs; -1 for nothing.
    let cost: Int
  }

  /// A segment with its states.
  struct Segment: Sendable {
    let minimum: Int
    let maximum: Int?
    /// Moves by hop.
    let moves: [[Move]]
    /// The first of its states.
    let base: Int
    /// Counts go up to this.
    let countLimit: Int

    var width: Int { moves.count }
    var stateCount: Int { (countLimit + 1) * width }
  }

  /// A place in the pattern.
  struct Place {
    var segment: Int
    var count: Int
    var hop: Int
  }

  let pattern: PathSearchPattern
  let segments: [Segment]
  /// What vertices between segments must be: the rows by table, nil for a table of which none may.
  private let gates: [[Int: Buffer<UInt64>?]]
  /// The number of the first vertex of each table that the search passes; 0 for others.
  let bases: [UInt32]
  private let limits: [UInt32]
  let vertexCount: Int
  /// The state of a path that has met the whole pattern.
  let finalState: Int
  /// Rows of the tables of edges and vertices, for the values of elements.
  let edgeTables: [TableStore?]
  let vertexTables: [TableStore?]
  /// What edges cost; nil where it does not matter.
  let costs: PathCosts?

  /// - Throws: 54000 for a pattern with more states than can be numbered.
  init(
    _ pattern: PathSearchPattern, conditions: [Buffer<UInt64>], links: [[DataChunk]],
    costs: PathCosts?, _ tables: any TableSource
  ) throws(SQLError) {
    self.pattern = pattern
    self.costs = costs
    let moves = pattern.segments.flatMap(\.hops).joined()
    var passed: Set<Int> = [pattern.startTable, pattern.endTable]
    for move in moves { passed.formUnion([move.from, move.to]) }
    var stores: [TableStore?] = []
    var bases: [UInt32] = []
    var limits: [UInt32] = []
    var total = 0
    for (index, table) in pattern.vertices.enumerated() {
      let store = passed.contains(index) ? try tables.table(table.id) : nil
      stores.append(store)
      bases.append(UInt32(truncatingIfNeeded: total))
      total += store?.rowCount ?? 0
      limits.append(UInt32(truncatingIfNeeded: total))
    }
    let walked = Set(moves.map(\.edge))
    var edges: [TableStore?] = []
    for (index, table) in pattern.edges.enumerated() {
      edges.append(walked.contains(index) ? try tables.table(table.id) : nil)
    }
    vertexTables = stores
    edgeTables = edges
    self.bases = bases
    self.limits = limits
    vertexCount = total
    let compiler = MoveCompiler(
      vertices: stores, edges: edges, bases: bases, conditions: conditions, links: links)
    var segments: [Segment] = []
    var states = 0
    for segment in pattern.segments {
      let compiled = try compiler.segment(segment, base: states)
      segments.append(compiled)
      let (count, isOver) = states.addingReportingOverflow(compiled.stateCount)
      guard !isOver, count < Int(Int32.max) else { throw Self.tooManyStates() }
      states = count
    }
    guard !(states + 1).multipliedReportingOverflow(by: max(1, total)).overflow,
      total < Int(UInt32.max)
    else { throw Self.tooManyStates() }
    self.segments = segments
    finalState = states
    gates = pattern.gates.map { rules in
      var allowed: [Int: Buffer<UInt64>?] = [:]
      for rule in rules { allowed[rule.table] = .some(rule.condition.map { conditions[$0] }) }
      return allowed
    }
  }

  private static func tooManyStates() -> SQLError {
    SQLError(
      .programLimitExceeded, "the quantifiers of the path are too great for a search",
      hint: "Write smaller bounds, or * with ANY SHORTEST.")
  }

  // MARK: Numbers

  /// The table of a vertex.
  func table(of vertex: UInt32) -> Int {
    var table = 0
    while table + 1 < limits.count, vertex >= limits[table] { table += 1 }
    return table
  }

  func place(of state: Int) -> Place {
    var index = segments.count - 1
    while index > 0, segments[index].base > state { index -= 1 }
    let segment = segments[index]
    let offset = state - segment.base
    return Place(segment: index, count: offset / segment.width, hop: offset % segment.width)
  }

  /// The entry of the costs that has what a step costs; -1 for nothing.
  func cost(of step: PathStep) -> Int {
    let place = place(of: Int(step.state))
    return segments[place.segment].moves[place.hop][Int(step.move)].cost
  }

  // MARK: Moves

  /// The state that a path in some state at a vertex is in too without a further edge; nil for none.
  func skip(from state: Int, at vertex: UInt32) -> Int? {
    let place = place(of: state)
    let segment = segments[place.segment]
    guard place.hop == 0, place.count >= segment.minimum else { return nil }
    let table = table(of: vertex)
    if place.segment + 1 == segments.count {
      return table == pattern.endTable ? finalState : nil
    }
    guard let allowed = gates[place.segment][table] else { return nil }
    if let bits = allowed, !bits.contains(vertex &- bases[table]) { return nil }
    return segments[place.segment + 1].base
  }

  /// Hands over each edge that leads on from a vertex: the state and the vertex behind it, and the edge.
  @inline(__always)
  func forEachStep(
    from state: Int, at vertex: UInt32,
    _ body: (_ state: Int, _ vertex: UInt32, _ edge: UInt32, _ row: UInt32) throws(SQLError) -> Void
  ) throws(SQLError) {
    try forEachMove(from: state, at: vertex) { (next, step, _) throws(SQLError) in
      try body(next, step.vertex, step.edge, step.row)
    }
  }

  /// The same with the edge as a step, and the entry of the costs that it has.
  @inline(__always)
  func forEachMove(
    from state: Int, at vertex: UInt32,
    _ body: (_ next: Int, _ step: PathStep, _ cost: Int) throws(SQLError) -> Void
  ) throws(SQLError) {
    if state == finalState { return }
    let place = place(of: state)
    let segment = segments[place.segment]
    if place.hop == 0, let maximum = segment.maximum, place.count >= maximum { return }
    let next =
      place.hop + 1 < segment.width
      ? state + 1
      : segment.base + min(place.count + 1, segment.countLimit) * segment.width
    let table = table(of: vertex)
    for (number, move) in segment.moves[place.hop].enumerated() where move.fromTable == table {
      let row = vertex &- move.fromBase
      if let departures = move.departures, !departures.contains(row) { continue }
      try move.lists.forEachRun(of: row) { (targets, rows, count) throws(SQLError) in
        for index in 0..<count {
          let target = targets[index]
          if target == TableStore.noRow || move.skipsLoops && target == row { continue }
          if let arrivals = move.arrivals, !arrivals.contains(target) { continue }
          if let edges = move.edges, !edges.contains(rows[index]) { continue }
          let step = PathStep(
            state: UInt32(truncatingIfNeeded: state), edge: move.edge, row: rows[index],
            vertex: target &+ move.toBase, move: UInt32(truncatingIfNeeded: number))
          try body(next, step, move.cost)
        }
      }
    }
  }
}

/// Opens the edges that the moves of a search walk along.
private struct MoveCompiler {
  let vertices: [TableStore?]
  let edges: [TableStore?]
  let bases: [UInt32]
  let conditions: [Buffer<UInt64>]
  let links: [[DataChunk]]

  func segment(_ segment: PathSegment, base: Int) throws(SQLError) -> PathGraph.Segment {
    var moves: [[PathGraph.Move]] = []
    for (index, hops) in segment.hops.enumerated() {
      var list: [PathGraph.Move] = []
      for hop in hops {
        // Where one time ends the vertex must be one at which the next can begin, which that one looks at.
        guard let arrival = segment.sites[index + 1].first(where: { $0.table == hop.to }),
          let departure = segment.sites[index].first(where: { $0.table == hop.from })
        else { continue }
        list.append(
          PathGraph.Move(
            lists: try lists(hop), edge: UInt32(truncatingIfNeeded: hop.edge), fromTable: hop.from,
            fromBase: bases[hop.from], toTable: hop.to, toBase: bases[hop.to],
            departures: index == 0 ? departure.condition.map { conditions[$0] } : nil,
            edges: hop.condition.map { conditions[$0] },
            arrivals: arrival.condition.map { conditions[$0] }, skipsLoops: hop.skipsLoops,
            cost: hop.cost ?? -1))
      }
      moves.append(list)
    }
    return PathGraph.Segment(
      minimum: segment.minimum, maximum: segment.maximum, moves: moves, base: base,
      countLimit: segment.maximum ?? segment.minimum)
  }

  private func lists(_ hop: PathHop) throws(SQLError) -> EdgeLists {
    guard let edges = edges[hop.edge], let from = vertices[hop.from] else {
      throw SQLError.internal("a path walks through a table that was not opened")
    }
    switch hop.access {
    case .junction(let source, let destination):
      if let index = edges.adjacency(from: source, to: destination) { return .neighbours(index) }
      return .references(edges.edges(from: source), edges, destination)
    case .toParent(let key): return .parent(edges, key)
    case .toChildren(let key): return .children(edges.edges(from: key))
    case .link(let link, let isReversed):
      return .gathered(
        GatheredEdges(links[link], isReversed: isReversed, vertexCount: from.rowCount))
    }
  }
}
