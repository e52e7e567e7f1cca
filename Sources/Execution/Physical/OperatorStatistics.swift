package import Catalog

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

  package init(rowCount: Int = 0, loopCount: Int = 0, nanoseconds: Int64 = 0) {
    self.rowCount = rowCount
    self.loopCount = loopCount
    self.nanoseconds = nanoseconds
  }
}

extension PhysicalPlan {
  /// The inputs, in the order in which operators are numbered: what is built or defined first
  /// stands where EXPLAIN
  /// prints it, after the probe side and the left side.
  package var inputs: [PhysicalPlan] {
    switch node {
    case .scan, .keyLookup, .adjacencyLookup, .values, .workingTable, .commonReference: []
    case .filter(let input, _), .project(let input, _), .projectSet(let input, _, _),
      .window(let input, _), .sort(let input, _), .topN(let input, _, _), .limit(let input, _),
      .distinct(let input, on: _), .modify(_, let input):
      [input]
    case .tableFunction(let function): function.input.map { [$0] } ?? []
    case .hashJoin(let join): [join.probe, join.build]
    case .nestedLoopJoin(let join): [join.left, join.right]
    case .lookupJoin(let join): [join.input]
    case .expand(let expand): [expand.input]
    case .edgeCount(let count): [count.input]
    case .apply(let apply): [apply.left, apply.right]
    case .aggregate(let aggregate): [aggregate.input]
    case .append(let inputs): inputs
    case .setOperation(_, _, let left, let right): [left, right]
    case .recursive(_, let anchor, let step, _): [anchor, step]
    case .withCommon(_, let definition, let body): [definition, body]
    }
  }

  /// The tables whose rows the plan reads by itself.
  package var tables: Set<ObjectID> {
    var found: Set<ObjectID> = []
    for input in inputs { found.formUnion(input.tables) }
    switch node {
    case .scan(let scan): found.insert(scan.table.id)
    case .keyLookup(let lookup): found.insert(lookup.table.id)
    case .lookupJoin(let join): found.insert(join.table.id)
    case .adjacencyLookup(let lookup): found.insert(lookup.step.edgeTable.id)
    case .expand(let expand): found.insert(expand.step.edgeTable.id)
    case .edgeCount(let count): found.insert(count.step.edgeTable.id)
    default: break
    }
    return found
  }

  /// The number of operators in the plan.
  ///
  /// - Complexity: O(size of the plan).
  package var operatorCount: Int { inputs.reduce(1) { $0 + $1.operatorCount } }
}
