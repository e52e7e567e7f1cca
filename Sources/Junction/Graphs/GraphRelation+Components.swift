public import Diagnostics
import Planning

// MARK: What hangs together.

extension GraphRelation where From == To {
  /// The components that hang together, whichever way links lead.
  ///
  /// - Parameter db: Where it is asked.
  /// - Returns: All rows, those of a group beside each other.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have.
  /// - Complexity: O(rows + links).
  public func weakComponents(
    _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [Grouped<From>] {
    let question = GraphQuestion(.weakComponents, edges(weighedBy: nil))
    return try question.groups("component", db)
  }

  /// The components in which every row leads to every other.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - directed: Whether links lead one way.
  /// - Returns: All rows, those of a group beside each other.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have.
  /// - Complexity: O(rows + links).
  public func strongComponents(
    _ db: borrowing some Reader & ~Copyable, directed: Bool = true
  ) throws(SQLError) -> [Grouped<From>] {
    let question = GraphQuestion(.strongComponents, edges(weighedBy: nil), directed: directed)
    return try question.groups("component", db)
  }

  /// The links by the components that hang together without any one row.
  ///
  /// - Parameter db: Where it is asked.
  /// - Returns: The ends of links, each pair with its number.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have.
  /// - Complexity: O(rows + links).
  public func biconnectedComponents(
    _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [RankedPair<From, Int>] {
    let question = GraphQuestion(.biconnectedComponents, edges(weighedBy: nil))
    return try question.rankedPairs("component", order: "g.component", db)
  }

  /// The links without which fewer rows hang together.
  ///
  /// - Parameter db: Where it is asked.
  /// - Returns: The ends of these links.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have.
  /// - Complexity: O(rows + links).
  public func bridges(
    _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [RowPair<From, From>] {
    let question = GraphQuestion(.bridges, edges(weighedBy: nil))
    return try question.pairs(db)
  }

  /// The rows without which fewer others hang together.
  ///
  /// - Parameter db: Where it is asked.
  /// - Returns: The rows.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have.
  /// - Complexity: O(rows + links).
  public func articulationPoints(
    _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [From] {
    let question = GraphQuestion(.articulationPoints, edges(weighedBy: nil))
    return try question.rows(From.self, [], order: "", db).rows
  }

  /// The rows in an order in which every link leads onwards.
  ///
  /// ```swift
  /// let plan = try Course.relations.needs.topologicalOrder(db).reversed()
  /// ```
  ///
  /// - Parameter db: Where it is asked.
  /// - Returns: The rows.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 22023 for a cycle, which the error names.
  /// - Complexity: O(rows + links).
  public func topologicalOrder(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> [From] {
    let question = GraphQuestion(.topologicalOrder, edges(weighedBy: nil))
    return try question.rows(From.self, ["position"], order: "g.position", db).rows
  }

  /// The links that are not made needless by ways over others.
  ///
  /// - Parameter db: Where it is asked.
  /// - Returns: The ends of these links.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 22023 for a cycle, which the error names.
  /// - Complexity: O(rows · links) at worst.
  public func transitiveReduction(
    _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [RowPair<From, From>] {
    let question = GraphQuestion(.transitiveReduction, edges(weighedBy: nil))
    return try question.pairs(db)
  }
}
