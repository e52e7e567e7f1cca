/// What one operator of a plan did while it ran, for EXPLAIN ANALYZE.
///
/// Operators are numbered in pre-order: the root is 0, and the nodes of an operator's first input
/// follow it
/// (see `PhysicalPlan.inputs`).
package struct OperatorStatistics: Sendable {
  /// The rows handed up, over all runs.
  package var rowCount: Int
  /// How often the operator was run from its start.
  package var loopCount: Int
  /// Nanoseconds spent in the operator and its inputs, over all runs.
  package var nanoseconds: Int64
  /// The pages of a table that were read, over all runs.
  package var pagesRead = 0
  /// Those that were not, by their bounds.
  package var pagesPassedOver = 0

  package init(rowCount: Int = 0, loopCount: Int = 0, nanoseconds: Int64 = 0) {
    self.rowCount = rowCount
    self.loopCount = loopCount
    self.nanoseconds = nanoseconds
  }
}
