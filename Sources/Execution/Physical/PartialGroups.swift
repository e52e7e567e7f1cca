package import Planning

/// Groups by columns of an aggregation's input that are made first, and from which the groups asked for are made.
///
/// Their rows (`keys`, and `number`, the number of the group) are what `PhysicalPlan.Node.partialGroups` gives to
/// `completion`: joins, conditions and expressions that would otherwise be carried out for each row of the input. It gives each
/// group at most once, so that the states of all groups with the same final keys can be put together.
package struct PartialGroups: Sendable {
  package var id: Int
  package var keys: [PlanColumn]
  package var number: PlanColumn
  package var completion: PhysicalPlan
}
