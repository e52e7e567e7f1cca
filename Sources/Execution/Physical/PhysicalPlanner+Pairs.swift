import Catalog
import Columnar
import Planning

extension PhysicalPlanner {
  /// An anti-join of all pairs of two sides with a junction table: for each left row the right rows that are not among its
  /// neighbours, rather than a look-up for each pair.
  func unlinkedPairs(_ join: HashJoin, _ plan: PhysicalPlan) -> PhysicalPlan? {
    guard case .anti = join.kind, join.residual.isEmpty,
      case .nestedLoopJoin(let pairs) = join.left.node, pairs.kind.isInner,
      pairs.conditions.isEmpty, case .scan(let links) = join.right.node, links.filters.isEmpty
    else { return nil }
    let left = pairs.left.outputs.ids
    let right = pairs.right.outputs.ids
    var (ofLeft, ofRight): ([Int: BoundExpression], [Int: BoundExpression]) = ([:], [:])
    for key in join.keys {
      let (end, link) = join.isFlipped ? (key.build, key.probe) : (key.probe, key.build)
      guard !key.nullsMatch, !key.isNullAware, !end.callsSession, let id = link.asColumn,
        let column = links.columns.first(where: { $0.column.id == id }), column.index >= 0,
        end.type.physical == link.type.physical, ofLeft[column.index] == nil,
        ofRight[column.index] == nil
      else { return nil }
      if end.columns.isSubset(of: left) {
        ofLeft[column.index] = end
      } else if end.columns.isSubset(of: right) {
        ofRight[column.index] = end
      } else {
        return nil
      }
    }
    guard let from = reference(links.table, ofLeft), let to = reference(links.table, ofRight),
      from != to
    else { return nil }
    func step(_ from: Int, _ to: Int) -> AdjacencyStep {
      AdjacencyStep(
        edgeTable: links.table, edgeAlias: links.alias, from: from,
        parentTable: tables[links.table.foreignKeys[from].parent], to: to, edgeColumns: [])
    }
    func keys(_ reference: Int, _ values: [Int: BoundExpression]) -> [BoundExpression] {
      links.table.foreignKeys[reference].columns.compactMap { values[$0] }
    }
    let node = UnlinkedPairs(
      left: pairs.left, right: pairs.right, step: step(from, to), back: step(to, from),
      leftKeys: keys(from, ofLeft), rightKeys: keys(to, ofRight))
    let outputs = pairs.left.outputs + pairs.right.outputs
    let result = PhysicalPlan(
      .unlinkedPairs(node), outputs: outputs, estimatedRows: plan.estimatedRows)
    if outputs.map(\.id) == plan.outputs.map(\.id) { return result }
    return PhysicalPlan(
      .project(result, plan.outputs.map(\.reference)), outputs: plan.outputs,
      estimatedRows: plan.estimatedRows)
  }

  /// The foreign key over exactly these columns along which an index leads.
  private func reference(_ table: TableDefinition, _ values: [Int: BoundExpression]) -> Int? {
    table.foreignKeys.firstIndex { key in
      key.columns.count == values.count && key.columns.allSatisfy { values[$0] != nil }
        && isWalkable(key, of: table)
    }
  }
}
