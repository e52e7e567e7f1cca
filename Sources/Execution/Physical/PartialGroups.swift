package import Planning

/// Groups by columns of an aggregation's input that are made first, and from which the groups asked for are made.
///
/// Their rows (`keys`, and `number`, the number of the group) are what `PhysicalPlan.Node.partialGroups` gives to
/// `completion`: joins, conditions and expressions that would otherwise be carried out for each row of the input. It gives each
/// group at most once, so that the states of all groups with the same final keys can be put together.
package struct PartialGroups: Sendable {
  package var id: Int
  /// What rows are grouped by.
  package var keys: [PlanColumn]
  /// The keys that are codes of columns, by place; the completion is given the values that they stand for.
  package var codes: [Int: CodedColumn]
  package var number: PlanColumn
  /// The aggregates of which each group has a state.
  package var calls: [AggregateCall]
  /// For each aggregate asked for what it is put together of: of each group the first part whose condition holds.
  package var parts: [[Part]]
  package var completion: PhysicalPlan

  /// A state of each group, or of those for which a condition holds.
  package struct Part: Sendable {
    /// Over the outputs of `completion`; nil for all groups.
    package var condition: BoundExpression?
    /// By index into `calls`; nil for nothing.
    package var call: Int?
    /// Whether the call is a number of rows, for so many of which the aggregate takes what `completion` gives for the group.
    package var isWeight = false
  }
}

extension [[PartialGroups.Part]] {
  var conditions: [BoundExpression] { flatMap { $0.compactMap(\.condition) } }
}
