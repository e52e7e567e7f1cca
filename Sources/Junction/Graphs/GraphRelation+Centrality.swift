public import Diagnostics
import Planning

// MARK: Who is central.

extension GraphRelation where From == To {
  /// How many links each row has, the most first.
  ///
  /// - Parameter db: Where it is asked.
  /// - Returns: All rows.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have.
  /// - Complexity: O(rows).
  public func degree(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> [Degree<From>] {
    let question = GraphQuestion(.degree, edges(weighedBy: nil))
    let answer = try question.rows(
      From.self, ["degree", "in_degree", "out_degree"], order: "g.degree DESC", db)
    let counts = try (0..<3).map { (place) throws(SQLError) in try answer.values(Int.self, place) }
    return answer.rows.enumerated().map { place, row in
      Degree(
        row: row, count: counts[0][place], incoming: counts[1][place], outgoing: counts[2][place])
    }
  }

  /// How central rows are by the rows that lead to them, the most central first: the share of time that somebody spends there who
  /// follows links at random.
  ///
  /// ```swift
  /// let ranks = try Person.relations.friends.pageRank(db, damping: 0.9)
  /// print(ranks.prefix(3).map(\.row.name))
  /// ```
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - damping: How likely a link is followed, rather than a jump to anywhere.
  ///   - tolerance: How much ranks may still change in the end.
  ///   - iterations: No more rounds than this.
  ///   - sources: Where jumps lead; nil for anywhere.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  ///   - directed: Whether links lead one way.
  /// - Returns: All rows, each with its value.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take; 22023 for arguments out of range.
  /// - Complexity: O(rounds · links).
  public func pageRank(
    _ db: borrowing some Reader & ~Copyable, damping: Double = 0.85, tolerance: Double = 1e-6,
    iterations: Int = 100, from sources: [From]? = nil, weight: EdgeColumn? = nil,
    directed: Bool = true
  ) throws(SQLError) -> [Ranked<From, Double>] {
    var question = GraphQuestion(.pageRank, edges(weighedBy: weight), directed: directed)
    question.add("damping", damping)
    question.add("tolerance", tolerance)
    question.add("iterations", iterations)
    question.add("source", rows: sources)
    return try question.ranks("rank", db)
  }

  /// How many of the shortest ways between others lead over each row, the most first.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - normalized: Whether they are divided by how many there could be.
  ///   - samples: From how many rows ways are looked for; nil for all.
  ///   - seed: What decides which rows those are.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  ///   - directed: Whether links lead one way.
  /// - Returns: All rows, each with its value.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take; 22023 for arguments out of range.
  /// - Complexity: O(rows · links), or O(samples · links).
  public func betweenness(
    _ db: borrowing some Reader & ~Copyable, normalized: Bool = true, samples: Int? = nil,
    seed: Int = 0, weight: EdgeColumn? = nil, directed: Bool = true
  ) throws(SQLError) -> [Ranked<From, Double>] {
    var question = GraphQuestion(.betweenness, edges(weighedBy: weight), directed: directed)
    question.add("normalized", normalized)
    question.add("samples", samples)
    question.add("seed", seed)
    return try question.ranks("centrality", db)
  }

  /// How near rows are to all others, the nearest first.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - improved: Whether it counts as well how many rows can be reached, after Wasserman and Faust.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  ///   - directed: Whether links lead one way.
  /// - Returns: All rows, each with its value.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take.
  /// - Complexity: O(rows · links).
  public func closeness(
    _ db: borrowing some Reader & ~Copyable, improved: Bool = true, weight: EdgeColumn? = nil,
    directed: Bool = true
  ) throws(SQLError) -> [Ranked<From, Double>] {
    var question = GraphQuestion(.closeness, edges(weighedBy: weight), directed: directed)
    question.add("wf_improved", improved)
    return try question.ranks("centrality", db)
  }

  /// How near rows are to all others, by the sum of one over each distance, the nearest first.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  ///   - directed: Whether links lead one way.
  /// - Returns: All rows, each with its value.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take.
  /// - Complexity: O(rows · links).
  public func harmonic(
    _ db: borrowing some Reader & ~Copyable, weight: EdgeColumn? = nil, directed: Bool = true
  ) throws(SQLError) -> [Ranked<From, Double>] {
    let question = GraphQuestion(.harmonic, edges(weighedBy: weight), directed: directed)
    return try question.ranks("centrality", db)
  }

  /// How central rows are by how central those are that lead to them, the most central first.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - tolerance: How much they may still change in the end.
  ///   - iterations: No more rounds than this.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  ///   - directed: Whether links lead one way.
  /// - Returns: All rows, each with its value.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take; 22023 where they still change more in the end.
  /// - Complexity: O(rounds · links).
  public func eigenvector(
    _ db: borrowing some Reader & ~Copyable, tolerance: Double = 1e-6, iterations: Int = 100,
    weight: EdgeColumn? = nil, directed: Bool = true
  ) throws(SQLError) -> [Ranked<From, Double>] {
    var question = GraphQuestion(.eigenvector, edges(weighedBy: weight), directed: directed)
    question.add("tolerance", tolerance)
    question.add("iterations", iterations)
    return try question.ranks("centrality", db)
  }

  /// How good rows are at leading to others, and at being led to, the best to be led to first.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - tolerance: How much they may still change in the end.
  ///   - iterations: No more rounds than this.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  ///   - directed: Whether links lead one way.
  /// - Returns: All rows.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take; 22023 for arguments out of range.
  /// - Complexity: O(rounds · links).
  public func hits(
    _ db: borrowing some Reader & ~Copyable, tolerance: Double = 1e-8, iterations: Int = 100,
    weight: EdgeColumn? = nil, directed: Bool = true
  ) throws(SQLError) -> [HubAndAuthority<From>] {
    var question = GraphQuestion(.hits, edges(weighedBy: weight), directed: directed)
    question.add("tolerance", tolerance)
    question.add("iterations", iterations)
    let answer = try question.rows(
      From.self, ["hub", "authority"], order: "g.authority DESC", db)
    return zip(
      zip(answer.rows, try answer.values(Double.self, 0)), try answer.values(Double.self, 1)
    ).map { HubAndAuthority(row: $0.0, hub: $0.1, authority: $1) }
  }
}
