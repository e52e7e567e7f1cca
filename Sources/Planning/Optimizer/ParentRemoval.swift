import Catalog
import Columnar

/// A join with a parent of which nothing but its key is used has no effect: the foreign key promises that every child has
/// one, and the child has the key too.
///
/// Patterns over a graph are full of such joins, as a vertex stands between any two edges; so are queries that were
/// written table by table. The columns of the parent are those of the child from there on.
struct ParentRemoval {
  /// What a plan has become, and what stands for columns that it no longer hands up.
  private typealias Result = (plan: LogicalPlan, renamed: ColumnMap<BoundExpression>)

  /// The plan with the same columns in the same order; scans must read no more columns than are used.
  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    let (below, renamed) = removing(plan)
    if renamed.isEmpty { return below }
    return .project(
      below, plan.outputs.map { ProjectedColumn($0, renamed[$0.id] ?? $0.reference) })
  }

  private func removing(_ plan: LogicalPlan) -> Result {
    switch plan {
    case .join(let join): return removing(join)
    case .filter(let input, _), .sort(let input, _), .limit(let input, _),
      .distinct(let input, on: .some), .window(let input, _):
      let (below, renamed) = removing(input)
      return (plan.over([below], renamed), renamed)
    case .project(let input, _), .projectSet(let input, _, _):
      let (below, renamed) = removing(input)
      return (plan.over([below], renamed), [:])
    case .aggregate(let aggregate):
      let (below, renamed) = removing(aggregate.input)
      return (plan.over([below], renamed), [:])
    case .scan, .values, .path, .distinct, .setOperation, .recursive, .workingTable, .withCommon,
      .commonReference, .tableFunction, .modify:
      return (plan.mapInputs(applied), [:])
    }
  }

  private func removing(_ plan: JoinPlan) -> Result {
    var join = plan
    if join.isLateral { return (LogicalPlan.join(join).mapInputs(applied), [:]) }
    switch join.kind {
    case .inner:
      var block = Block()
      block.collect(.join(join)) { removing($0) }
      let count = block.relations.count
      while removeOne(from: &block) {}
      guard block.relations.count < count, let first = block.relations.first else {
        return (block.rebuilt(.join(join)), block.renamed)
      }
      let joined = block.relations.dropFirst().reduce(first) {
        .join(JoinPlan(.inner, $0, $1, on: []))
      }
      return (joined.filtered(block.conditions), block.renamed)
    case .left, .semi, .anti, .mark, .single:
      let (left, renamed) = removing(join.left)
      join.left = left
      join.right = applied(join.right)
      join.conditions = join.conditions.map { $0.replacing(renamed) }
      return (.join(join), renamed)
    case .right, .full: return (LogicalPlan.join(join).mapInputs(applied), [:])
    }
  }

  // MARK: Blocks of inner joins

  /// The inputs of a block of inner joins, and what joins them.
  private struct Block {
    var relations: [LogicalPlan] = []
    var conditions: [BoundExpression] = []
    var renamed: ColumnMap<BoundExpression> = [:]
    /// Whether some input is no longer what it was.
    private var isChanged = false

    mutating func collect(_ plan: LogicalPlan, _ remove: (LogicalPlan) -> Result) {
      if case .join(let join) = plan {
        if case .inner = join.kind, !join.isLateral {
          collect(join.left, remove)
          collect(join.right, remove)
          conditions += join.conditions.map { $0.replacing(renamed) }
          return
        }
      } else if case .filter(let input, let own) = plan {
        if case .join(let join) = input, case .inner = join.kind, !join.isLateral,
          !own.contains(where: \.isVolatile)
        {
          collect(input, remove)
          conditions += own.map { $0.replacing(renamed) }
          return
        }
      }
      let (relation, names) = remove(plan)
      relations.append(relation)
      if relation.scanCount != plan.scanCount { isChanged = true }
      renamed.merge(names) { first, _ in first }
    }

    /// The block as it stood, over inputs that may have changed.
    func rebuilt(_ plan: LogicalPlan) -> LogicalPlan {
      guard isChanged, let first = relations.first else { return plan }
      return relations.dropFirst().reduce(first) { .join(JoinPlan(.inner, $0, $1, on: [])) }
        .filtered(conditions)
    }
  }

  /// Removes a parent whose key is all that is read of it; false if there is none.
  private func removeOne(from block: inout Block) -> Bool {
    let equal = block.conditions.equalColumns
    var scans: [[ScanPlan]]?
    for (index, relation) in block.relations.enumerated() {
      guard case .scan(let parent) = relation, parent.readsKey else { continue }
      let joined = scans ?? block.relations.map(\.joinedScans)
      scans = joined
      guard
        let columns = parent.keyNamed(
          by: joined.enumerated().lazy.filter { $0.offset != index }.flatMap(\.element), equal,
          where: { $0.count == parent.columns.count })
      else { continue }
      var others = block.relations
      others.remove(at: index)
      // A foreign key that is NULL has no parent.
      let known = others.reduce(into: ColumnSet()) { $0.formUnion($1.notNullColumns) }
      var conditions: [BoundExpression] = []
      for (_, child) in columns.sorted(by: { $0.key < $1.key }) {
        guard let id = child.asColumn, !known.contains(id) else { continue }
        conditions.append(.isNull(child, negated: true))
      }
      conditions += (block.conditions + parent.filters).replacing(keys: columns)
      block.relations = others
      block.conditions = conditions
      block.renamed = block.renamed.mapValues { $0.replacing(columns) }
      block.renamed.merge(columns) { first, _ in first }
      return true
    }
    return false
  }
}

extension ScanPlan {
  /// Whether as many columns are read as some key of the table has.
  fileprivate var readsKey: Bool {
    table.keys.contains { $0.columns.count == columns.count }
  }
}

extension LogicalPlan {
  /// The operator over other inputs, with columns in its own expressions replaced.
  fileprivate func over(
    _ inputs: [LogicalPlan], _ renamed: ColumnMap<BoundExpression>
  ) -> LogicalPlan {
    var next = inputs.makeIterator()
    let plan = mapInputs { next.next() ?? $0 }
    return renamed.isEmpty ? plan : plan.mapExpressions { $0.replacing(renamed) }
  }

  /// The scans whose rows are all part of every row that the plan gives, so that their columns are its own.
  fileprivate var joinedScans: [ScanPlan] {
    if case .scan(let scan) = self {
      return [scan]
    } else if case .filter(let input, _) = self {
      return input.joinedScans
    } else if case .join(let join) = self {
      if join.isLateral { return [] }
      switch join.kind {
      case .inner: return join.left.joinedScans + join.right.joinedScans
      case .left, .semi, .anti, .mark, .single: return join.left.joinedScans
      case .right, .full: return []
      }
    } else if case .path(let path) = self {
      return path.input.joinedScans + path.target.joinedScans
    } else {
      return []
    }
  }
}
