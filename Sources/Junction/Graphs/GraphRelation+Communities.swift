public import Diagnostics
import Planning

// MARK: Which groups there are, and which small patterns.

extension GraphRelation where From == To {
  /// Groups in which rows have taken over the label that most of those linked with them have.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - iterations: No more rounds than this.
  /// - Returns: All rows, those of a group beside each other.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 22023 for arguments out of range.
  /// - Complexity: O(rounds · links).
  public func labelPropagation(
    _ db: borrowing some Reader & ~Copyable, iterations: Int = 10
  ) throws(SQLError) -> [Grouped<From>] {
    var question = GraphQuestion(.labelPropagation, edges(weighedBy: nil))
    question.add("iterations", iterations)
    return try question.groups("community", db)
  }

  /// Groups with more links within than chance would have, found from few rows to many.
  ///
  /// ```swift
  /// let groups = Dictionary(grouping: try Person.relations.friends.louvain(db), by: \.group)
  /// ```
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - resolution: The greater, the smaller groups are.
  ///   - seed: What decides in which order rows are looked at.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  /// - Returns: All rows, those of a group beside each other.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take; 22023 for arguments out of range.
  /// - Complexity: about O(links) a round.
  public func louvain(
    _ db: borrowing some Reader & ~Copyable, resolution: Double = 1, seed: Int = 0,
    weight: EdgeColumn? = nil
  ) throws(SQLError) -> [Grouped<From>] {
    var question = GraphQuestion(.louvain, edges(weighedBy: weight))
    question.add("resolution", resolution)
    question.add("seed", seed)
    return try question.groups("community", db)
  }

  /// Groups with more links within than chance would have, none of which falls apart.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - resolution: The greater, the smaller groups are.
  ///   - seed: What decides in which order rows are looked at.
  ///   - iterations: How often all of it is done.
  ///   - weight: The column with the weights of links; each weighs 1 without one.
  /// - Returns: All rows, those of a group beside each other.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 42703 for a weight that links have not; 22004,
  ///   22023 for weights that it does not take; 22023 for arguments out of range.
  /// - Complexity: about O(links) a round.
  public func leiden(
    _ db: borrowing some Reader & ~Copyable, resolution: Double = 1, seed: Int = 0,
    iterations: Int = 2, weight: EdgeColumn? = nil
  ) throws(SQLError) -> [Grouped<From>] {
    var question = GraphQuestion(.leiden, edges(weighedBy: weight))
    question.add("resolution", resolution)
    question.add("seed", seed)
    question.add("iterations", iterations)
    return try question.groups("community", db)
  }

  /// The greatest number for each row such that it is linked with so many rows of that number or a greater one, the greatest
  /// first.
  ///
  /// - Parameter db: Where it is asked.
  /// - Returns: Rows, each with its number.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have.
  /// - Complexity: O(rows + links).
  public func coreNumbers(
    _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [Ranked<From, Int>] {
    let question = GraphQuestion(.coreNumbers, edges(weighedBy: nil))
    return try question.ranks("core", db)
  }

  /// The greatest number for each link such that it is in two triangles fewer of links of that number or a greater one, the
  /// greatest first.
  ///
  /// - Parameter db: Where it is asked.
  /// - Returns: The ends of links, each pair with its number.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have.
  /// - Complexity: O(links^1.5).
  public func trussNumbers(
    _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [RankedPair<From, Int>] {
    let question = GraphQuestion(.trussNumbers, edges(weighedBy: nil))
    return try question.rankedPairs("truss", order: "g.truss DESC", db)
  }

  /// In how many triangles each row is, the most first.
  ///
  /// - Parameter db: Where it is asked.
  /// - Returns: Rows, each with its number.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have.
  /// - Complexity: O(links^1.5).
  public func triangles(
    _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [Ranked<From, Int>] {
    let question = GraphQuestion(.triangles, edges(weighedBy: nil))
    return try question.ranks("triangles", db)
  }

  /// Which share of the rows linked with each row are linked with each other, the greatest first.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - directed: Whether links lead one way; they lead both ways otherwise.
  /// - Returns: All rows, each with its value.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have.
  /// - Complexity: O(links^1.5).
  public func clustering(
    _ db: borrowing some Reader & ~Copyable, directed: Bool = false
  ) throws(SQLError) -> [Ranked<From, Double>] {
    let question = GraphQuestion(.clustering, edges(weighedBy: nil), directed: directed)
    return try question.ranks("coefficient", db)
  }

  /// In how many circles of four each row is, the most first.
  ///
  /// - Parameter db: Where it is asked.
  /// - Returns: Rows, each with its number.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have.
  /// - Complexity: O(links^1.5).
  public func fourCycles(
    _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [Ranked<From, Int>] {
    let question = GraphQuestion(.fourCycles, edges(weighedBy: nil))
    return try question.ranks("cycles", db)
  }

  /// How often each way to join three rows occurs.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - directed: Whether links lead one way.
  /// - Returns: The kinds with their numbers.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have.
  /// - Complexity: O(links^1.5).
  public func motifs(
    _ db: borrowing some Reader & ~Copyable, directed: Bool = true
  ) throws(SQLError) -> [Motif] {
    let question = GraphQuestion(.motifs, edges(weighedBy: nil), directed: directed)
    return try question.values(Motif.self, "kind, count", db)
  }

  /// A place in a picture for each row, near to those linked with it.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - iterations: How many rounds.
  ///   - seed: What decides where rows begin.
  /// - Returns: All rows.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 22023 for arguments out of range.
  /// - Complexity: O(rounds · (links + rows log rows)).
  public func graphLayout(
    _ db: borrowing some Reader & ~Copyable, iterations: Int = 100, seed: Int = 0
  ) throws(SQLError) -> [Placed<From>] {
    var question = GraphQuestion(.graphLayout, edges(weighedBy: nil))
    question.add("iterations", iterations)
    question.add("seed", seed)
    let answer = try question.rows(From.self, ["x", "y"], order: "", db)
    return zip(
      zip(answer.rows, try answer.values(Double.self, 0)), try answer.values(Double.self, 1)
    ).map { Placed(row: $0.0, x: $0.1, y: $1) }
  }
}
