public import Diagnostics
import Planning

// MARK: Who is alike, and who goes with whom.

extension GraphRelation {
  /// Rows that are alike by the share of rows that belong to both among those that belong to either, the most alike first.
  ///
  /// ```swift
  /// for pair in try Student.relations.courses.jaccard(db, to: [jane], top: 5) {
  ///   print(pair.other.name, pair.similarity, pair.common)
  /// }
  /// ```
  ///
  /// Only rows that have a row in common come.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - sources: The rows to which others are compared; nil for all.
  ///   - top: No more than so many for each row; nil for all.
  ///   - least: No less alike than this.
  /// - Returns: Pairs of rows, each once in both orders.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 22023 for arguments out of range; 55000 for a
  ///   row that has no id yet.
  /// - Complexity: O(pairs of rows that have one in common, as often as they have).
  public func jaccard(
    _ db: borrowing some Reader & ~Copyable, to sources: [From]? = nil, top: Int? = nil,
    least: Double = 0
  ) throws(SQLError) -> [Alike<From>] {
    var question = GraphQuestion(.jaccard, edges(weighedBy: nil), isOfFrom: true)
    question.add("source", rows: sources)
    question.add("top", top)
    question.add("min", least)
    return try question.alike(db)
  }

  /// Rows that are alike by the cosine of what belongs to them, the most alike first.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - sources: The rows to which others are compared; nil for all.
  ///   - top: No more than so many for each row; nil for all.
  ///   - least: No less alike than this.
  /// - Returns: Pairs of rows, each once in both orders.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 22023 for arguments out of range; 55000 for a
  ///   row that has no id yet.
  /// - Complexity: O(pairs of rows that have one in common, as often as they have).
  public func cosine(
    _ db: borrowing some Reader & ~Copyable, to sources: [From]? = nil, top: Int? = nil,
    least: Double = 0
  ) throws(SQLError) -> [Alike<From>] {
    var question = GraphQuestion(.cosine, edges(weighedBy: nil), isOfFrom: true)
    question.add("source", rows: sources)
    question.add("top", top)
    question.add("min", least)
    return try question.alike(db)
  }

  /// Rows that are alike by the share of rows that belong to both among those of the one with fewer, the most alike first.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - sources: The rows to which others are compared; nil for all.
  ///   - top: No more than so many for each row; nil for all.
  ///   - least: No less alike than this.
  /// - Returns: Pairs of rows, each once in both orders.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 22023 for arguments out of range; 55000 for a
  ///   row that has no id yet.
  /// - Complexity: O(pairs of rows that have one in common, as often as they have).
  public func overlap(
    _ db: borrowing some Reader & ~Copyable, to sources: [From]? = nil, top: Int? = nil,
    least: Double = 0
  ) throws(SQLError) -> [Alike<From>] {
    var question = GraphQuestion(.overlap, edges(weighedBy: nil), isOfFrom: true)
    question.add("source", rows: sources)
    question.add("top", top)
    question.add("min", least)
    return try question.alike(db)
  }

  /// Rows that are alike by the rows that belong to both, of which those count less that belong to many, the most alike first.
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - sources: The rows to which others are compared; nil for all.
  ///   - top: No more than so many for each row; nil for all.
  ///   - least: No less alike than this.
  /// - Returns: Pairs of rows, each once in both orders.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 22023 for arguments out of range; 55000 for a
  ///   row that has no id yet.
  /// - Complexity: O(pairs of rows that have one in common, as often as they have).
  public func adamicAdar(
    _ db: borrowing some Reader & ~Copyable, to sources: [From]? = nil, top: Int? = nil,
    least: Double = 0
  ) throws(SQLError) -> [Alike<From>] {
    var question = GraphQuestion(.adamicAdar, edges(weighedBy: nil), isOfFrom: true)
    question.add("source", rows: sources)
    question.add("top", top)
    question.add("min", least)
    return try question.alike(db)
  }

  /// As many pairs of rows that are linked as there can be such that no row is in two.
  ///
  /// ```swift
  /// for pair in try Applicant.relations.offers.matching(db, capacity: 3) {
  ///   print(pair.row.name, pair.other.name)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - capacity: In how many pairs a row may be that links lead to.
  /// - Returns: The pairs.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 22023 for rows that cannot be told into two
  ///   sides; 22023 for arguments out of range.
  /// - Complexity: O(√rows · links).
  public func matching(
    _ db: borrowing some Reader & ~Copyable, capacity: Int = 1
  ) throws(SQLError) -> [RowPair<From, To>] {
    var question = GraphQuestion(.matching, edges(weighedBy: nil))
    question.add("capacity", capacity)
    return try question.pairs(db)
  }

  /// As many pairs of rows that are linked as there can be such that no row is in more than a column of its own says.
  ///
  /// ```swift
  /// for pair in try Student.relations.wishes.matching(db, capacities: \.seats) {
  ///   print(pair.row.name, pair.other.title)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - db: Where it is asked.
  ///   - column: In how many pairs a row may be that links lead to; those that links lead from are in one at most.
  /// - Returns: The pairs.
  /// - Throws: 42703, 42725, 42830 for a relation that the catalog does not have; 22004 and 22023 for a row whose capacity
  ///   is not known or negative; 22023 for rows that cannot be told into two sides; 42804 for a column that holds no numbers.
  /// - Complexity: O(√rows · links).
  public func matching(
    _ db: borrowing some Reader & ~Copyable, capacities column: PartialKeyPath<To>
  ) throws(SQLError) -> [RowPair<From, To>] {
    var question = GraphQuestion(.matching, edges(weighedBy: nil))
    question.add("capacities", column: column, isOfTarget: true)
    return try question.pairs(db)
  }
}

extension GraphQuestion {
  fileprivate func alike<R: Record>(
    _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [Alike<R>] {
    let answer = try pairs(
      R.self, R.self, ["similarity", "common"], order: "g.similarity DESC", db)
    let likeness = try answer.values(Double.self, 0)
    let common = try answer.values(Int.self, 1)
    return answer.rows.indices.map { place in
      Alike(
        row: answer.rows[place], other: answer.others[place], similarity: likeness[place],
        common: common[place])
    }
  }
}
