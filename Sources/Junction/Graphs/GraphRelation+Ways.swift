public import Diagnostics
import Planning

// MARK: Ways, trees, flows and walks.

extension GraphRelation where From == To {
  /// How many links away rows are, the nearest first; those that cannot be reached do not come.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - sources: The rows where ways begin.
  ///   - maxDepth: No further than this; nil for any distance.
  ///   - directed: Whether links lead one way.
  /// - Returns: Rows, each with its number.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 55000 for a row that has no id yet; 22023 for
  ///   arguments out of range.
  /// - Complexity: O(rows + links).
  public func bfs(
    _ db: borrowing some Reader & ~Copyable, from sources: [From], maxDepth: Int? = nil,
    directed: Bool = true
  ) throws(SQLError) -> [Ranked<From, Int>] {
    var question = GraphQuestion(.bfs, edges(weighedBy: nil), directed: directed)
    question.add("source", rows: sources)
    question.add("max_depth", maxDepth)
    return try question.ranks("depth", isRising: true, db)
  }

  /// The cheapest way to each row, the cheapest first.
  ///
  /// ```swift
  /// let ways = try Town.relations.roads.dijkstra(db, from: [london], to: [york], weight: \.km)
  /// print(ways.first?.path.map(\.name) ?? [])
  /// ```
  ///
  /// Rows that cannot be reached have no way.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - sources: The rows where ways begin.
  ///   - maxCost: No dearer ways than this; nil for any.
  ///   - targets: Where ways end; nil for every row that can be reached.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  ///   - directed: Whether links lead one way.
  /// - Returns: The ways, each with the rows on it.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take; 55000 for a row that has no id yet.
  /// - Complexity: O((rows + links) log rows), and the rows on all ways.
  public func dijkstra(
    _ db: borrowing some Reader & ~Copyable, from sources: [From], maxCost: Double? = nil,
    to targets: [From]? = nil, weight: EdgeColumn? = nil, directed: Bool = true
  ) throws(SQLError) -> [Way<From>] {
    var question = GraphQuestion(.dijkstra, edges(weighedBy: weight), directed: directed)
    question.add("source", rows: sources)
    question.add("max_cost", maxCost)
    question.add("target", rows: targets)
    return try question.ways(From.self, value: "cost", order: "cost", db)
  }

  /// The cheapest way to each row, the cheapest first, looked for by all cores.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - sources: The rows where ways begin.
  ///   - maxCost: No dearer ways than this; nil for any.
  ///   - delta: How far apart in cost the rows may be that are gone on from together; nil for what fits the weights.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  ///   - directed: Whether links lead one way.
  /// - Returns: The ways, each with the rows on it.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take; 55000 for a row that has no id yet.
  /// - Complexity: O((rows + links) log rows), and the rows on all ways.
  public func deltaStepping(
    _ db: borrowing some Reader & ~Copyable, from sources: [From], maxCost: Double? = nil,
    delta: Double? = nil, weight: EdgeColumn? = nil, directed: Bool = true
  ) throws(SQLError) -> [Way<From>] {
    var question = GraphQuestion(.deltaStepping, edges(weighedBy: weight), directed: directed)
    question.add("source", rows: sources)
    question.add("max_cost", maxCost)
    question.add("delta", delta)
    return try question.ways(From.self, value: "cost", order: "cost", db)
  }

  /// The cheapest way between two rows that have a place; nil if there is none.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - source: Where it begins.
  ///   - target: Where it ends.
  ///   - x: The property with the one coordinate of a row.
  ///   - y: The property with the other one.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  ///   - directed: Whether links lead one way.
  /// - Returns: The way.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take; 42703 for a property without a column; 55000 for a row that has no id yet.
  /// - Complexity: O((rows + links) log rows) at worst.
  public func aStar(
    _ db: borrowing some Reader & ~Copyable, from source: From, to target: From,
    x: PartialKeyPath<From>, y: PartialKeyPath<From>, weight: EdgeColumn? = nil,
    directed: Bool = true
  ) throws(SQLError) -> Way<From>? {
    var question = GraphQuestion(.aStar, edges(weighedBy: weight), directed: directed)
    question.add("source", row: source)
    question.add("target", row: target)
    question.add("x", column: x)
    question.add("y", column: y)
    return try question.ways(From.self, value: "cost", order: "cost", db).first
  }

  /// The few cheapest ways between two rows that come to no row twice, the cheapest first.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - count: How many ways.
  ///   - source: Where they begin.
  ///   - target: Where they end.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  ///   - directed: Whether links lead one way.
  /// - Returns: The ways, each with the rows on it.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take; 22023 for arguments out of range; 55000 for a row that has no id yet.
  /// - Complexity: O(count · rows · (rows + links) log rows) at worst.
  public func kShortestPaths(
    _ db: borrowing some Reader & ~Copyable, _ count: Int, from source: From, to target: From,
    weight: EdgeColumn? = nil, directed: Bool = true
  ) throws(SQLError) -> [Way<From>] {
    var question = GraphQuestion(.kShortestPaths, edges(weighedBy: weight), directed: directed)
    question.add("source", row: source)
    question.add("target", row: target)
    question.add("k", count)
    return try question.ways(From.self, value: "cost", order: "number", byKey: false, db)
  }

  /// What the cheapest way from each row to each other costs.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  ///   - directed: Whether links lead one way.
  /// - Returns: Pairs of rows, each with its value.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take.
  /// - Complexity: O(rows · links log rows).
  public func allPairsShortestPaths(
    _ db: borrowing some Reader & ~Copyable, weight: EdgeColumn? = nil, directed: Bool = true
  ) throws(SQLError) -> [RankedPair<From, Double>] {
    let question = GraphQuestion(
      .allPairsShortestPaths, edges(weighedBy: weight), directed: directed)
    return try question.rankedPairs("cost", db)
  }

  /// The links of least weight that keep together what hangs together.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  /// - Returns: Pairs of rows, each with its value.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take.
  /// - Complexity: O(links log links).
  public func spanningForest(
    _ db: borrowing some Reader & ~Copyable, weight: EdgeColumn? = nil
  ) throws(SQLError) -> [RankedPair<From, Double>] {
    let question = GraphQuestion(.spanningForest, edges(weighedBy: weight))
    return try question.rankedPairs("weight", db)
  }

  /// How much flows along each link where as much as can be flows from some rows to others.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - sources: Where the flow begins.
  ///   - targets: Where it ends.
  ///   - weight: The column that says how much can flow along a link; 1 without one.
  ///   - directed: Whether links lead one way.
  /// - Returns: The links along which something flows.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take; 22023 for rows that are both; 55000 for a row that has no id yet.
  /// - Complexity: O(rows² · √links) at worst.
  public func maxFlow(
    _ db: borrowing some Reader & ~Copyable, from sources: [From], to targets: [From],
    weight: EdgeColumn? = nil, directed: Bool = true
  ) throws(SQLError) -> [Flow<From>] {
    var question = GraphQuestion(.maxFlow, edges(weighedBy: weight), directed: directed)
    question.add("source", rows: sources)
    question.add("target", rows: targets)
    let answer = try question.pairs(From.self, From.self, ["flow", "capacity"], order: "", db)
    let flows = try answer.values(Double.self, 0)
    let capacities = try answer.values(Double.self, 1)
    return answer.rows.indices.map { place in
      Flow(
        row: answer.rows[place], other: answer.others[place], flow: flows[place],
        capacity: capacities[place])
    }
  }

  /// The links of least capacity without which nothing flows from some rows to others.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - sources: Where the flow begins.
  ///   - targets: Where it ends.
  ///   - weight: The column that says how much can flow along a link; 1 without one.
  ///   - directed: Whether links lead one way.
  /// - Returns: Pairs of rows, each with its value.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take; 22023 for rows that are both; 55000 for a row that has no id yet.
  /// - Complexity: O(rows² · √links) at worst.
  public func minCut(
    _ db: borrowing some Reader & ~Copyable, from sources: [From], to targets: [From],
    weight: EdgeColumn? = nil, directed: Bool = true
  ) throws(SQLError) -> [RankedPair<From, Double>] {
    var question = GraphQuestion(.minCut, edges(weighedBy: weight), directed: directed)
    question.add("source", rows: sources)
    question.add("target", rows: targets)
    return try question.rankedPairs("capacity", db)
  }

  /// Walks that follow links at random.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - sources: Where walks begin; nil for every row.
  ///   - length: How many rows come behind the first.
  ///   - walks: How many walks begin at each row.
  ///   - seed: What decides where they lead.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  ///   - directed: Whether links lead one way.
  /// - Returns: The rows of each walk.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take; 22023 for arguments out of range; 53200.
  /// - Complexity: O(walks · length).
  public func randomWalks(
    _ db: borrowing some Reader & ~Copyable, from sources: [From]? = nil, length: Int = 10,
    walks: Int = 1, seed: Int = 0, weight: EdgeColumn? = nil, directed: Bool = true
  ) throws(SQLError) -> [[From]] {
    var question = GraphQuestion(.randomWalks, edges(weighedBy: weight), directed: directed)
    question.add("source", rows: sources)
    question.add("length", length)
    question.add("walks", walks)
    question.add("seed", seed)
    return try question.ways(From.self, value: "walk", order: "walk", db).map(\.path)
  }

  /// Walks that follow links at random, and are drawn back or outwards.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - sources: Where walks begin; nil for every row.
  ///   - length: How many rows come behind the first.
  ///   - walks: How many walks begin at each row.
  ///   - p: The greater, the less they go back.
  ///   - q: The greater, the less they go outwards.
  ///   - seed: What decides where they lead.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  ///   - directed: Whether links lead one way.
  /// - Returns: The rows of each walk.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take; 22023 for arguments out of range; 53200.
  /// - Complexity: O(walks · length).
  public func node2VecWalks(
    _ db: borrowing some Reader & ~Copyable, from sources: [From]? = nil, length: Int = 10,
    walks: Int = 1, p: Double = 1, q: Double = 1, seed: Int = 0, weight: EdgeColumn? = nil,
    directed: Bool = true
  ) throws(SQLError) -> [[From]] {
    var question = GraphQuestion(.node2VecWalks, edges(weighedBy: weight), directed: directed)
    question.add("source", rows: sources)
    question.add("length", length)
    question.add("walks", walks)
    question.add("p", p)
    question.add("q", q)
    question.add("seed", seed)
    return try question.ways(From.self, value: "walk", order: "walk", db).map(\.path)
  }
}
