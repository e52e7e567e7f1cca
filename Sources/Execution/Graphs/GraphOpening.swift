import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// A graph that is open for a run, with what its vertices are called.
struct OpenGraph {
  let topology: GraphTopology
  let names: GraphNames
  /// Numbers of the vertices that the algorithm is given; NaN where there is none.
  var columns: [Buffer<Double>] = []
}

/// Opens the graphs of calls: reads what has to be read before, and finds the indices.
struct GraphOpening {
  let call: GraphCall
  let context: ExecutionContext
  let account: MemoryAccount
  /// Run the call's plans.
  let readers: [GraphReader]

  /// - Throws: 22004 and 22023 for weights that are NULL or no number, 54000 for a graph with too many vertices or edges; 53200.
  func open() throws(SQLError) -> OpenGraph {
    switch call.shape {
    case .tables(let vertices, let edges): try openTables(vertices, edges)
    case .pairs(let type, let hasWeights): try openPairs(type, hasWeights)
    }
  }

  // MARK: Tables

  private func openTables(
    _ vertices: [GraphShape.Vertices], _ edges: [GraphShape.Edges]
  ) throws(SQLError) -> OpenGraph {
    var tables: [GraphTopology.Table] = []
    var total = 0
    for part in vertices {
      let store = try context.tables.table(part.table.id)
      tables.append(
        GraphTopology.Table(
          store: store, base: UInt32(truncatingIfNeeded: total), count: store.rowCount))
      total += store.rowCount
      if total >= Int(UInt32.max) { throw Self.tooLarge("vertices") }
    }
    var out: [GraphPartOwner] = []
    var into: [GraphPartOwner] = []
    var hasUnknownWeights = false
    for part in edges {
      let store = try context.tables.table(part.table.id)
      var weights: Buffer<Double>?
      if let plan = part.weights {
        try account.charge(8 * store.rowCount)
        let numbers = Buffer<Double>(zeroed: max(store.rowCount, 1))
        let hasUnknown = try readers[plan].numbers(to: numbers, context)
        hasUnknownWeights = hasUnknownWeights || hasUnknown
        weights = numbers
      }
      out.append(try lists(along: part.forth, of: store, tables, weights))
      into.append(try lists(along: part.back, of: store, tables, weights))
    }
    let topology = GraphTopology(
      tables, live: try live(tables, count: total), out: out, into: into,
      isDirected: call.isDirected)
    let names = try GraphNames.tables(vertices, tables, context, only: call.table)
    if hasUnknownWeights { try EdgeWeight.requireKnown(topology, names, context) }
    return OpenGraph(
      topology: topology, names: names,
      columns: try call.columns.map { (plans) throws(SQLError) in try numbers(plans, tables, total)
      })
  }

  /// The edges of a table in one direction.
  private func lists(
    along hop: PathHop, of edges: TableStore, _ tables: [GraphTopology.Table],
    _ weights: Buffer<Double>?
  ) throws(SQLError) -> GraphPartOwner {
    let (from, to) = (tables[hop.from], tables[hop.to])
    switch hop.access {
    case .junction(let source, let destination):
      if let index = edges.adjacency(from: source, to: destination) {
        return GraphPartOwner(index, of: from.vertices, base: to.base, weights: weights)
      }
      return try gathered(
        from, to, edges, weights,
        sources: { edges.parents(of: $0, count: $1, reference: source) },
        targets: { edges.parents(of: $0, count: $1, reference: destination) })
    case .toChildren(let reference):
      return GraphPartOwner(
        edges.edges(from: reference), of: from.vertices, base: to.base, weights: weights)
    case .toParent(let reference):
      return try gathered(
        from, to, edges, weights, sources: { rows, _ in rows },
        targets: { edges.parents(of: $0, count: $1, reference: reference) })
    case .link(let number, let isReversed): return try linked(number, isReversed, from, to, weights)
    }
  }

  /// Lists of the edges of a table's rows, whose ends follow from their positions.
  private func gathered(
    _ from: GraphTopology.Table, _ to: GraphTopology.Table, _ edges: TableStore,
    _ weights: Buffer<Double>?, sources: (Buffer<UInt32>, Int) -> Buffer<UInt32>,
    targets: (Buffer<UInt32>, Int) -> Buffer<UInt32>
  ) throws(SQLError) -> GraphPartOwner {
    let count = edges.liveRowCount
    try charge(edges: 2 * count, from, to)
    let columns = (0..<3).map { _ in Buffer<UInt32>(uninitialized: max(count, 1)) }
    var start = 0
    for page in 0..<edges.pageCount {
      try context.check()
      // A deleted row keeps what it refers to, and is no edge.
      let rows = edges.positions(ofPage: page)
      columns[0].copy(rows.positions, count: rows.count, to: start)
      columns[1].copy(sources(rows.positions, rows.count), count: rows.count, to: start)
      columns[2].copy(targets(rows.positions, rows.count), count: rows.count, to: start)
      start += rows.count
    }
    let lists = CompressedLists(
      columns[1], columns[2], rows: columns[0], count: start, sourceCount: from.count,
      targetCount: to.count)
    return GraphPartOwner(lists, of: from.vertices, base: to.base, weights: weights)
  }

  /// Lists of edges that a plan has given: their rows and both ends.
  private func linked(
    _ number: Int, _ isReversed: Bool, _ from: GraphTopology.Table, _ to: GraphTopology.Table,
    _ weights: Buffer<Double>?
  ) throws(SQLError) -> GraphPartOwner {
    let chunks = try readers[number].chunks(context, account)
    let count = chunks.reduce(0) { $0 + $1.count }
    try charge(edges: count, from, to)
    let columns = (0..<3).map { _ in Buffer<UInt32>(uninitialized: max(count, 1)) }
    var start = 0
    for chunk in chunks {
      for (place, column) in columns.enumerated() {
        column.copy(
          chunk.columns[place].flattened().values(UInt32.self), count: chunk.count, to: start)
      }
      start += chunk.count
    }
    let (sources, targets) = isReversed ? (columns[2], columns[1]) : (columns[1], columns[2])
    let lists = CompressedLists(
      sources, targets, rows: columns[0], count: count, sourceCount: from.count,
      targetCount: to.count)
    return GraphPartOwner(lists, of: from.vertices, base: to.base, weights: weights)
  }

  /// A number of each vertex, from the plans for the tables.
  private func numbers(
    _ plans: [Int?], _ tables: [GraphTopology.Table], _ count: Int
  ) throws(SQLError) -> Buffer<Double> {
    try account.charge(8 * count)
    let numbers = Buffer<Double>(repeating: .nan, count: max(count, 1))
    for (plan, table) in zip(plans, tables) {
      guard let plan else { continue }
      _ = try readers[plan].numbers(to: numbers, from: table.base, context)
    }
    return numbers
  }

  /// Which positions of tables hold a row; nil where all do.
  private func live(
    _ tables: [GraphTopology.Table], count: Int
  ) throws(SQLError) -> Buffer<UInt64>? {
    let stores = tables.compactMap { table in table.store.map { (table, $0) } }
    if stores.allSatisfy({ $1.liveRowCount == $1.rowCount }) { return nil }
    try account.charge(count / 8)
    let bits = Buffer<UInt64>(zeroed: count / 64 + 1)
    for (table, store) in stores {
      for page in 0..<store.pageCount {
        try context.check()
        let rows = store.positions(ofPage: page)
        for row in 0..<rows.count { bits.insert(rows.positions[row] &+ table.base) }
      }
    }
    return bits
  }

  // MARK: Pairs

  private func openPairs(
    _ type: LogicalType, _ hasWeights: Bool
  ) throws(SQLError) -> OpenGraph {
    let keys = GroupTable(types: [type])
    let chunks = try readers[0].chunks(context, account)
    let count = chunks.reduce(0) { $0 + $1.count }
    if count >= Int(UInt32.max) { throw Self.tooLarge("edges") }
    try account.charge(8 * count)
    let ends = (0..<2).map { _ in Buffer<UInt32>(uninitialized: max(count, 1)) }
    var weights: Buffer<Double>?
    if hasWeights {
      try account.charge(8 * count)
      weights = Buffer(uninitialized: max(count, 1))
    }
    var start = 0
    var hasUnknownWeights = false
    for chunk in chunks {
      try context.check()
      for (place, end) in ends.enumerated() {
        let column = chunk.columns[place].flattened()
        let valid = (0..<chunk.count).filter { column.isValid($0) }
        let rows = Buffer(valid.map { UInt32(truncatingIfNeeded: $0) })
        for row in 0..<chunk.count { end[start &+ row] = .max }
        if valid.isEmpty { continue }
        let found = try keys.findOrInsert(
          [column.gathered(rows, count: valid.count).flattened()], count: valid.count)
        for (index, row) in valid.enumerated() { end[start &+ row] = found[index] }
      }
      if let weights {
        let values = EdgeWeight.numbers(chunk.columns[2], count: chunk.count)
        weights.copy(values.numbers, count: chunk.count, to: start)
        hasUnknownWeights = hasUnknownWeights || values.hasUnknown
      }
      start += chunk.count
    }
    let table = GraphTopology.Table(store: nil, base: 0, count: keys.groupCount)
    try charge(edges: 2 * count, table, table)
    func part(_ sources: Buffer<UInt32>, _ targets: Buffer<UInt32>) -> GraphPartOwner {
      let lists = CompressedLists(
        sources, targets, rows: nil, count: count, sourceCount: table.count,
        targetCount: table.count)
      return GraphPartOwner(lists, of: table.vertices, base: 0, weights: weights)
    }
    let topology = GraphTopology(
      [table], live: nil, out: [part(ends[0], ends[1])], into: [part(ends[1], ends[0])],
      isDirected: call.isDirected)
    let names = GraphNames.values(keys, keys.keys(0..<keys.groupCount)[0])
    if hasUnknownWeights { try EdgeWeight.requireKnown(topology, names, context) }
    return OpenGraph(topology: topology, names: names)
  }

  // MARK: Limits

  private func charge(
    edges: Int, _ from: GraphTopology.Table, _ to: GraphTopology.Table
  ) throws(SQLError) {
    if edges >= Int(UInt32.max) { throw Self.tooLarge("edges") }
    try account.charge(
      CompressedLists.byteCount(edges: edges, sources: from.count, targets: to.count))
  }

  private static func tooLarge(_ what: String) -> SQLError {
    SQLError(.programLimitExceeded, "a graph can have at most 4,294,967,294 \(what)")
  }
}
