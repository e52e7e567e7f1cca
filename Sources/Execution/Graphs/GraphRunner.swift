import Columnar
import Diagnostics
import Planning
import Storage

/// Runs one call of a graph algorithm, once for each row that it is called for, over a graph that is opened once.
final class GraphRunner {
  private let call: GraphCall
  /// The columns that come out.
  private let columns: [PlanColumn]
  private let readers: [GraphReader]
  private let graphAccount = MemoryAccount()
  private let account = MemoryAccount()
  private var open: OpenGraph?

  init(_ call: GraphCall, _ columns: [PlanColumn], _ readers: [GraphReader]) {
    self.call = call
    self.columns = columns
    self.readers = readers
  }

  /// Opens the graph in the version that a run sees.
  func prepare(_ context: ExecutionContext) throws(SQLError) {
    open = nil
    graphAccount.reset(context)
    account.reset(context)
    defer { for reader in readers { reader.letGo() } }
    open = try GraphOpening(call: call, context: context, account: graphAccount, readers: readers)
      .open()
  }

  func letGo() { open = nil }

  /// The columns of the algorithm's own that nobody uses, which stand behind those of vertices.
  private var unusedResults: Set<String> {
    let results = call.function.signature.results
    let first = columns.count - results.count
    return Set(results.indices.filter { call.unused.contains(first + $0) }.map { results[$0].name })
  }

  /// Hands over the rows for some arguments, each a vector of one row.
  func run(
    _ arguments: [Vector], _ context: ExecutionContext,
    _ body: (DataChunk) throws(SQLError) -> Bool
  ) throws(SQLError) {
    guard let open else { throw SQLError.internal("a graph algorithm ran before its start") }
    account.reset(context)
    let algorithm = try call.function.algorithm(
      GraphArgumentValues(
        values: arguments, names: open.names, function: call.function.rawValue, table: call.table,
        columns: open.columns, unused: unusedResults))
    let result = try algorithm.run(
      open.topology, GraphWork(context: context, account: account, names: open.names))
    let emitter = GraphEmitter(
      result: result, graph: open, types: columns.map(\.type), unused: call.unused,
      table: call.table, hasKinds: open.topology.tables.count > 1 && call.table == nil)
    try emitter.emit(context, body)
  }
}

extension GraphFunction {
  /// - Throws: 22023.
  fileprivate func algorithm(
    _ arguments: GraphArgumentValues
  ) throws(SQLError) -> any GraphAlgorithm {
    switch self {
    case .degree: Degrees(arguments)
    case .pageRank: try PageRank(arguments)
    case .weakComponents: WeakComponents(arguments)
    case .strongComponents: StrongComponents(arguments)
    case .bfs: try BreadthFirstSearch(arguments)
    case .dijkstra: try CheapestWays(arguments)
    case .triangles: Triangles(arguments)
    case .clustering: Clustering(arguments)
    case .coreNumbers: CoreNumbers(arguments)
    case .labelPropagation: try LabelPropagation(arguments)

    case .betweenness: try Betweenness(arguments)
    case .closeness: Closeness(arguments)
    case .harmonic: HarmonicCentrality(arguments)
    case .eigenvector: try Eigenvector(arguments)
    case .hits: try HubsAndAuthorities(arguments)
    case .biconnectedComponents: BiconnectedComponents(arguments)
    case .bridges: Bridges(arguments)
    case .articulationPoints: ArticulationPoints(arguments)
    case .topologicalOrder: TopologicalOrder(arguments)
    case .transitiveReduction: TransitiveReduction(arguments)
    case .deltaStepping: try DeltaStepping(arguments)
    case .aStar: try AStar(arguments)
    case .kShortestPaths: try KShortestPaths(arguments)
    case .allPairsShortestPaths: AllPairsShortestPaths(arguments)
    case .spanningForest: SpanningForest(arguments)
    case .maxFlow: try MaximumFlow(arguments)
    case .minCut: try MinimumCut(arguments)
    case .matching: try BipartiteMatching(arguments)

    case .jaccard: try Likeness<JaccardMeasure>(arguments)
    case .cosine: try Likeness<CosineMeasure>(arguments)
    case .overlap: try Likeness<OverlapMeasure>(arguments)
    case .adamicAdar: try Likeness<AdamicAdarMeasure>(arguments)
    case .louvain: try Louvain(arguments)
    case .leiden: try Leiden(arguments)
    case .trussNumbers: TrussNumbers(arguments)
    case .fourCycles: FourCycles(arguments)
    case .motifs: Motifs(arguments)
    case .randomWalks: try RandomWalks(arguments)
    case .node2VecWalks: try Node2VecWalks(arguments)
    case .graphLayout: try GraphLayout(arguments)
    case .graphEdges: EdgeList(arguments)
    }
  }
}

/// Makes chunks of an algorithm's result: vertices become keys.
private struct GraphEmitter {
  let result: GraphResult
  let graph: OpenGraph
  /// The types of the columns, and those that nobody uses, which come as NULLs.
  let types: [LogicalType]
  let unused: Set<Int>
  /// The table that all vertices are of, if there is but one or it was chosen.
  let table: Int?
  /// Whether the table of a vertex comes out.
  let hasKinds: Bool

  func emit(
    _ context: ExecutionContext, _ body: (DataChunk) throws(SQLError) -> Bool
  ) throws(SQLError) {
    let rows = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
    var next = 0
    while true {
      try context.check()
      let count = fill(rows, &next)
      if count == 0 { return }
      if try !body(try chunk(rows, count: count)) { return }
    }
  }

  /// The next rows whose vertices are of the same tables; 0 at the end.
  private func fill(_ rows: Buffer<UInt32>, _ next: inout Int) -> Int {
    let topology = graph.topology
    var count = 0
    switch result.rows {
    case .vertices:
      var end = topology.vertexCount
      while next < end, count < rows.count {
        let vertex = UInt32(truncatingIfNeeded: next)
        if topology.isVertex(vertex) {
          if count == 0 {
            end = Int(topology.tables[topology.table(of: vertex)].vertices.upperBound)
          }
          rows[count] = vertex
          count += 1
        }
        next += 1
      }
    case .listed(let vertices, let all):
      let first = next
      while next < all, count < rows.count {
        if hasKinds, next > first,
          vertices.contains(where: {
            topology.table(of: $0[next]) != topology.table(of: $0[first])
          })
        {
          break
        }
        rows[count] = UInt32(truncatingIfNeeded: next)
        count += 1
        next += 1
      }
    }
    return count
  }

  private func chunk(_ rows: Buffer<UInt32>, count: Int) throws(SQLError) -> DataChunk {
    var columns: [Vector] = []
    switch result.rows {
    case .vertices:
      let own = Buffer<UInt32>(uninitialized: count)
      own.copy(rows, count: count, to: 0)
      columns = try names(own, count: count, at: 0)
    case .listed(let vertices, _):
      for column in vertices {
        let own = Buffer<UInt32>(uninitialized: count)
        for row in 0..<count { own[row] = column[rows[row]] }
        columns += try names(own, count: count, at: columns.count)
      }
    }
    for column in result.columns {
      columns.append(
        unused.contains(columns.count)
          ? Vector.null(types[columns.count], count: count)
          : try values(column, rows, types[columns.count], count: count))
    }
    return DataChunk(columns, count: count)
  }

  /// The columns of some vertices, of which the first has a place in the result.
  private func names(
    _ vertices: Buffer<UInt32>, count: Int, at place: Int
  ) throws(SQLError) -> [Vector] {
    let places = place..<place + graph.names.width(table) + (hasKinds ? 1 : 0)
    if places.allSatisfy(unused.contains) {
      return places.map { Vector.null(types[$0], count: count) }
    }
    return try graph.names.columns(vertices, count: count, hasKinds: hasKinds)
  }

  private func values(
    _ column: GraphResult.Column, _ rows: Buffer<UInt32>, _ type: LogicalType, count: Int
  ) throws(SQLError) -> Vector {
    switch column {
    case .double(let values): return vector(.double, values, rows, count)
    case .bigint(let values): return vector(.bigint, values, rows, count)
    case .integer(let values): return vector(.integer, values, rows, count)
    case .boolean(let values): return vector(.boolean, values, rows, count)
    case .text(let values):
      let parts = (0..<count).map { row in
        Vector(constant: .string(values[Int(rows[row])]), type: .text, count: 1)
      }
      return Vector.concatenate(parts, type: .text).flattened()
    case .number(let values):
      let wide = Buffer<Int64>(uninitialized: count)
      for row in 0..<count { wide[row] = Int64(values[rows[row]]) }
      return Vector(.bigint, wide, count: count)
    case .vertex(let found): return try vertices(found, rows, type, count)
    case .paths(let starts, let vertices): return try paths(starts, vertices, rows, count)
    case .ways(let ends, let back):
      var (starts, vertices) = ([0], [UInt32]())
      for row in 0..<count {
        var way = [ends[rows[row]]]
        while let last = way.last, back[last] != .max { way.append(back[last]) }
        vertices += way.reversed()
        starts.append(vertices.count)
      }
      let all = Buffer((0..<count).map { UInt32(truncatingIfNeeded: $0) })
      return try paths(starts, vertices, all, count)
    }
  }

  private func vector<Element: BitwiseCopyable>(
    _ type: LogicalType, _ values: Buffer<Element>, _ rows: Buffer<UInt32>, _ count: Int
  ) -> Vector {
    let own = Buffer<Element>(uninitialized: count)
    for row in 0..<count { own[row] = values[rows[row]] }
    return Vector(type, own, count: count)
  }

  /// The keys of vertices, NULL for none.
  private func vertices(
    _ found: Buffer<UInt32>, _ rows: Buffer<UInt32>, _ type: LogicalType, _ count: Int
  ) throws(SQLError) -> Vector {
    guard let some = (0..<count).first(where: { found[rows[$0]] != .max }) else {
      return Vector.null(type, count: count)
    }
    // Some vertex stands in for none, and is then taken out.
    let keys = try graph.names.elements(
      (0..<count).map { row in
        let vertex = found[rows[row]]
        return vertex == .max ? found[rows[some]] : vertex
      })
    var validity = keys.validity
    for row in 0..<count where found[rows[row]] == .max { validity.setNull(row, count: count) }
    return Vector(
      type: keys.type, count: count, storage: keys.storage, validity: validity,
      children: keys.children, heaps: keys.heaps, digits: keys.digits)
  }

  /// Arrays of the keys of vertices.
  private func paths(
    _ starts: [Int], _ vertices: [UInt32], _ rows: Buffer<UInt32>, _ count: Int
  ) throws(SQLError) -> Vector {
    var all: [UInt32] = []
    let slices = Buffer<ListSlice>(uninitialized: count)
    for row in 0..<count {
      let range = starts[Int(rows[row])]..<starts[Int(rows[row]) + 1]
      slices[row] = ListSlice(
        offset: UInt32(truncatingIfNeeded: all.count),
        count: UInt32(truncatingIfNeeded: range.count))
      all += vertices[range]
    }
    return Vector(slices, of: try graph.names.elements(all), count: count)
  }
}
