/// Which rules the optimiser may use; for tests that compare answers with and without one.
package struct OptimizerRules: OptionSet, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// EXISTS and IN as semi- and anti-joins where they are whole conditions (mark joins otherwise).
  package static let subqueryAsJoin = OptimizerRules(rawValue: 1 << 0)
  /// Lateral joins as plain joins (`Apply` otherwise).
  package static let unnesting = OptimizerRules(rawValue: 1 << 1)
  package static let simplification = OptimizerRules(rawValue: 1 << 2)
  package static let constantFolding = OptimizerRules(rawValue: 1 << 3)
  package static let filterPushDown = OptimizerRules(rawValue: 1 << 4)
  package static let transitivity = OptimizerRules(rawValue: 1 << 5)
  package static let outerJoinAsInner = OptimizerRules(rawValue: 1 << 6)
  package static let outerJoinAsAnti = OptimizerRules(rawValue: 1 << 7)
  package static let joinRemoval = OptimizerRules(rawValue: 1 << 8)
  package static let projectionPruning = OptimizerRules(rawValue: 1 << 9)
  package static let limitPushDown = OptimizerRules(rawValue: 1 << 10)
  package static let distinctRemoval = OptimizerRules(rawValue: 1 << 11)
  package static let setOperationAsJoin = OptimizerRules(rawValue: 1 << 12)
  package static let sortRemoval = OptimizerRules(rawValue: 1 << 13)
  package static let disjunctionAsList = OptimizerRules(rawValue: 1 << 15)
  package static let joinOrder = OptimizerRules(rawValue: 1 << 16)
  /// Key lookups, adjacency lookups, lookup joins and expands; scans and hash joins otherwise.
  package static let indexAccess = OptimizerRules(rawValue: 1 << 17)
  package static let topN = OptimizerRules(rawValue: 1 << 18)
  /// Aggregates of different values over different rows.
  package static let distinctAggregate = OptimizerRules(rawValue: 1 << 19)
  /// Repeated rows dropped before joins.
  package static let earlyDistinct = OptimizerRules(rawValue: 1 << 20)
  /// No joins with parents of which only the key is used.
  package static let parentRemoval = OptimizerRules(rawValue: 1 << 21)
  /// Closures for paths of which only the ends are asked for.
  package static let pathAsRecursion = OptimizerRules(rawValue: 1 << 22)

  /// Relational division as a count of links, rather than a join of all left rows with all divisors.
  package static let relationalDivision = OptimizerRules(rawValue: 1 << 23)
  /// The number of pairs without a link from the numbers of rows and links.
  package static let countOfUnlinkedPairs = OptimizerRules(rawValue: 1 << 24)
  /// Anti-joins whose condition is an alternative one after another.
  package static let antiJoinByParts = OptimizerRules(rawValue: 1 << 25)
  /// `(SELECT count(*) …) = 0` as NOT EXISTS.
  package static let countAsExistence = OptimizerRules(rawValue: 1 << 26)
  /// Groups made first by few columns, and then completed.
  package static let partialGroups = OptimizerRules(rawValue: 1 << 27)

  /// Aggregates of a CASE as aggregates with FILTER.
  package static let caseAsFilter = OptimizerRules(rawValue: 1 << 28)
  /// Aggregates over the same rows in one pass, wherever they are asked for.
  package static let aggregateSharing = OptimizerRules(rawValue: 1 << 29)

  /// Common table expressions without the rows that no place asks for.
  package static let commonConditions = OptimizerRules(rawValue: 1 << 30)

  /// Outer joins narrowed by what HAVING asks of the matches of a row.
  package static let groupsOfMatches = OptimizerRules(rawValue: 1 << 31)

  /// Texts of smaller tables as codes where rows are grouped, joined and sorted by them.
  package static let textsAsCodes = OptimizerRules(rawValue: 1 << 32)

  /// Counts of columns without NULLs as counts of rows.
  package static let countOfRows = OptimizerRules(rawValue: 1 << 33)

  /// Alternatives of EXISTS as one semi-join.
  package static let marksAsSemiJoin = OptimizerRules(rawValue: 1 << 34)

  /// Greater and smaller matches by the extremes of groups.
  package static let matchByExtreme = OptimizerRules(rawValue: 1 << 35)

  /// Groups by the key of a parent rather than by the column of a child.
  package static let groupsByParent = OptimizerRules(rawValue: 1 << 36)

  /// Aggregates over whole partitions as groups that rows are joined with.
  package static let windowAsJoin = OptimizerRules(rawValue: 1 << 37)

  /// Joins with parents behind the groups whose keys name them.
  package static let lateParents = OptimizerRules(rawValue: 1 << 38)

  /// Aggregates of those groups only that LIMIT leaves by their counts.
  package static let lateAggregates = OptimizerRules(rawValue: 1 << 39)

  /// Semi-joins for joins of which nothing but whether there is a match is seen.
  package static let firstMatch = OptimizerRules(rawValue: 1 << 40)

  /// Groups and joins behind EXISTS for the keys only that few rows ask for.
  package static let magicSets = OptimizerRules(rawValue: 1 << 41)

  /// Alternatives that an index leads to each as one look-up after another.
  package static let disjunctionAsUnion = OptimizerRules(rawValue: 1 << 42)

  package static let all = OptimizerRules(rawValue: (1 << 43) - 1)
}
