import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax
import Storage

/// A join by paths: the target's rows and what conditions let pass are gathered first, then each row of the input is
/// searched from.
final class PathOperator: StreamOperator {
  fileprivate let search: PathSearch
  private let compiler: (_ columns: [PlanColumn]) -> ExpressionCompiler
  /// The target's rows, where it is not a whole table; the conditions and the edges without an index.
  private let target: StreamRunner?
  private let conditions: [StreamRunner]
  private let links: [StreamRunner]
  private let costs: [StreamRunner]
  fileprivate let startPlace: Int
  private let endPlace: Int
  fileprivate private(set) var graph: PathGraph?
  /// The graph walked from the other end, where a search goes on from both.
  private var reversedGraph: PathGraph?
  fileprivate private(set) var targets: PathTargets?
  private let account = MemoryAccount()

  init(_ search: PathSearch, _ compiler: PlanCompiler) throws(SQLError) {
    self.search = search
    self.compiler = compiler.makerOfExpressions()
    target =
      search.readsWholeTarget ? nil : StreamRunner(try compiler.stream(search.target))
    var conditions: [StreamRunner] = []
    for plan in search.conditions { conditions.append(StreamRunner(try compiler.stream(plan))) }
    var links: [StreamRunner] = []
    for plan in search.links { links.append(StreamRunner(try compiler.stream(plan))) }
    var costs: [StreamRunner] = []
    for plan in search.costs { costs.append(StreamRunner(try compiler.stream(plan))) }
    self.conditions = conditions
    self.links = links
    self.costs = costs
    guard let start = search.input.outputs.firstIndex(where: { $0.id == search.start }),
      let end = search.target.outputs.firstIndex(where: { $0.id == search.end })
    else { throw SQLError.internal("a path has no ends") }
    startPlace = start
    endPlace = end
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    account.reset(context)
    graph = nil
    let tables = try conditionTables(context)
    var allowed: [Buffer<UInt64>] = []
    for (runner, limit) in zip(conditions, tables) {
      let bits = MarkedNeighbours(limit: limit).bits
      try account.charge(limit / 8)
      for chunk in try runner.chunks(context) {
        let positions = chunk.columns[0].flattened().values(UInt32.self)
        for row in 0..<chunk.count { bits.insert(positions[row]) }
      }
      allowed.append(bits)
    }
    var gathered: [[DataChunk]] = []
    for runner in links {
      let chunks = try runner.chunks(context)
      try account.charge(chunks.reduce(0) { $0 + $1.approximateByteCount })
      gathered.append(chunks)
    }
    let graph = try PathGraph(
      search.pattern, conditions: allowed, links: gathered, costs: try readCosts(context),
      context.tables)
    self.graph = graph
    let table = try context.tables.table(search.pattern.vertices[search.pattern.endTable].id)
    if let target {
      let targets = try PathTargets(
        try target.chunks(context), types: search.target.outputs.map(\.type), place: endPlace,
        limit: table.rowCount)
      self.targets = targets
      reversedGraph = nil
      if targets.only != nil, MeetingSearch.fits(search.pattern) {
        reversedGraph = try PathGraph(
          search.pattern.reversed(), conditions: allowed, links: gathered, costs: nil,
          context.tables)
      }
      return targets.count > 0
    }
    guard case .scan(let scan) = search.target.node else {
      throw SQLError.internal("a whole table is no scan")
    }
    targets = try PathTargets(TableColumns(scan.columns), of: table)
    return table.liveRowCount > 0
  }

  /// What edges cost; nil where it does not matter.
  private func readCosts(_ context: ExecutionContext) throws(SQLError) -> PathCosts? {
    guard let column = search.costs.first?.outputs.last else { return nil }
    var tables: [Int: TableDefinition] = [:]
    for hop in search.pattern.segments.flatMap(\.hops).joined() {
      if let cost = hop.cost { tables[cost] = search.pattern.edges[hop.edge] }
    }
    var reader = PathCostReader(column.type, account)
    for (number, runner) in costs.enumerated() {
      guard let table = tables[number] else { throw SQLError.internal("a cost without edges") }
      try reader.read(runner, of: try context.tables.table(table.id), table, context)
    }
    return try reader.costs()
  }

  /// The number of positions in the table that each condition is about.
  private func conditionTables(_ context: ExecutionContext) throws(SQLError) -> [Int] {
    var limits = Array(repeating: 0, count: conditions.count)
    let pattern = search.pattern
    func note(_ condition: Int?, _ table: ObjectID) throws(SQLError) {
      if let condition { limits[condition] = try context.tables.table(table).rowCount }
    }
    for rule in pattern.gates.joined() { try note(rule.condition, pattern.vertices[rule.table].id) }
    for segment in pattern.segments {
      for rule in segment.sites.joined() {
        try note(rule.condition, pattern.vertices[rule.table].id)
      }
      for hop in segment.hops.joined() { try note(hop.condition, pattern.edges[hop.edge].id) }
    }
    return limits
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    var values: [PathValues] = []
    for output in search.outputs { values.append(try PathValues(output, search, compiler)) }
    return PathStage(self, values, try RoundRules(search.pattern, compiler), next: next)
  }

  /// What looks for paths of the pattern.
  fileprivate func makeFinder(_ graph: PathGraph, _ rules: RoundRules?) -> PathFinder {
    let pattern = search.pattern
    if pattern.selector == .all { return PathEnumeration(graph, rules) }
    switch graph.costs {
    case .whole(let costs): return finder(graph, rules, costs)
    case .exact(let costs, scale: _): return finder(graph, rules, costs)
    case .real(let costs): return finder(graph, rules, costs)
    case nil: break
    }
    if pattern.mode != .walk || !pattern.parts.isEmpty { return RestrictedSearch(graph, rules) }
    if let reversedGraph { return MeetingSearch(graph, reversed: reversedGraph) }
    return LayeredSearch(graph, rules, needsSteps: search.needsSteps)
  }

  /// What looks for the cheapest paths of the pattern.
  private func finder<Cost: PathCost>(
    _ graph: PathGraph, _ rules: RoundRules?, _ costs: [Buffer<Cost>]
  ) -> PathFinder {
    let pattern = search.pattern
    let isWalk = pattern.mode == .walk && pattern.parts.isEmpty
    if pattern.selector == .allCheapest, isWalk { return CheapestTies(graph, rules, costs) }
    return CheapestSearch(graph, rules, costs, needsSteps: search.needsSteps)
  }
}

/// One worker's part of a join by paths.
private final class PathStage: StreamingStage {
  private let parent: PathOperator
  private let values: [PathValues]
  private let rules: RoundRules?
  private var finder: PathFinder?
  private var collector: PathCollector?

  init(_ parent: PathOperator, _ values: [PathValues], _ rules: RoundRules?, next: Stage) {
    self.parent = parent
    self.values = values
    self.rules = rules
    super.init(next: next)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    try super.start(context)
    // Nothing was opened where an operator further on has told that no rows can come out.
    guard let graph = parent.graph, let targets = parent.targets else { return }
    let finder = parent.makeFinder(graph, rules)
    finder.account.reset(context)
    self.finder = finder
    collector = PathCollector(graph, targets, parent.search, values, into: next, context)
  }

  override func letGo() {
    finder = nil
    collector = nil
    super.letGo()
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    guard let finder, let collector else {
      throw SQLError.internal("a path was searched for before its start")
    }
    let column = chunk.columns[parent.startPlace].flattened()
    let positions = column.values(UInt32.self)
    let base = finder.graph.bases[parent.search.pattern.startTable]
    for row in 0..<chunk.count where column.isValid(row) {
      let start = positions[row] &+ base
      collector.begin(chunk, row: row, start: start)
      if try !finder.search(from: start, into: collector) { return false }
    }
    return try collector.flush()
  }
}

extension PathSearch {
  /// Whether the edges of paths are asked for, not only their ends, lengths and costs.
  var needsSteps: Bool {
    outputs.contains { output in
      switch output.kind {
      case .length(let segments): segments.count < pattern.segments.count
      case .cost(let segments): !hasCost(of: segments)
      case .element, .list, .vertices, .edges: true
      }
    }
  }

  /// Whether a search knows what some segments of a path cost: those of the whole path, unless it adds them up from the other end
  /// and the order matters.
  func hasCost(of segments: Range<Int>) -> Bool {
    segments.count == pattern.segments.count
      && !(isReversed && costs.first?.outputs.last?.type == .double)
  }
}

extension StreamRunner {
  /// All rows of the stream.
  func chunks(_ context: ExecutionContext) throws(SQLError) -> [DataChunk] {
    let gathering = GatheringStage()
    _ = try run(into: gathering, context)
    return gathering.chunks
  }
}

/// Keeps what comes past.
private final class GatheringStage: Stage {
  private(set) var chunks: [DataChunk] = []

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    chunks.append(chunk)
    return true
  }
}
