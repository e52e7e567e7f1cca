import Columnar

/// Chooses the order of joins: the one with the fewest rows on the way, by dynamic programming over
/// connected sets of relations
/// (Moerkotte and Neumann, "Analysis of Two Existing and One New Dynamic Programming Algorithm",
/// VLDB 2006) where there are few
/// such sets, and greedily where there are many.
struct JoinOrder {
  let statistics: StatisticsSource
  private var commons: [Int: RelationProfile]

  /// An order of joins in the body of common table expressions of which `commons` says what is known.
  init(statistics: StatisticsSource, commons: [Int: RelationProfile] = [:]) {
    self.statistics = statistics
    self.commons = commons
  }

  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    if RunningStatement.isInterrupted { return plan }
    switch plan {
    case .join(let join) where !join.isLateral && join.kind.isReorderable: return ordered(plan)
    case .path(let path) where path.hasLooseEnds: return ordered(plan)
    case .filter(let input, let conditions):
      if input.isOrdered, !conditions.contains(where: \.isVolatile) { return ordered(plan) }
      return plan.mapInputs(applied)
    case .withCommon(let id, let definition, let body):
      let shared = applied(definition).restricted(to: definition.outputs)
      var inner = self
      inner.commons[id] = RelationProfile.of(shared, statistics: statistics, commons: commons)
        .shared(as: shared.outputs)
      return .withCommon(id: id, definition: shared, body: inner.applied(body))
    case .path, .setOperation, .recursive, .modify, .distinct(_, on: nil):
      return unordered(plan)
    case .scan, .values, .project, .projectSet, .join, .aggregate, .window, .sort, .limit,
      .distinct, .workingTable, .commonReference, .tableFunction:
      return plan.mapInputs(applied)
    }
  }

  private func ordered(_ plan: LogicalPlan) -> LogicalPlan {
    let graph = JoinGraph(
      plan, statistics: statistics, commons: commons, optimize: { applied($0) })
    guard graph.relations.count > 1 else { return graph.relations.first?.plan ?? plan }
    var search = JoinSearch(graph)
    return search.best() ?? unordered(plan)
  }

  /// The price of a block of joins in its best order, or of a relation alone, in rows that are looked at and made.
  func price(of plan: LogicalPlan) -> Double {
    let graph = JoinGraph(plan, statistics: statistics, commons: commons, optimize: { $0 })
    guard graph.relations.count > 1 else { return graph.relations.first?.cost ?? 0 }
    var search = JoinSearch(graph)
    return search.price() ?? .infinity
  }

  /// The plan with inputs whose joins are ordered and whose columns stand as they did.
  private func unordered(_ plan: LogicalPlan) -> LogicalPlan {
    plan.mapInputs { applied($0).restricted(to: $0.outputs) }
  }
}

extension LogicalPlan {
  /// Whether it begins a block of joins that are ordered.
  fileprivate var isOrdered: Bool {
    switch self {
    case .join(let join): !join.isLateral && join.kind.isReorderable
    case .path(let path): path.hasLooseEnds
    case .scan, .values, .filter, .project, .projectSet, .aggregate, .window, .sort, .limit,
      .distinct, .setOperation, .recursive, .workingTable, .withCommon, .commonReference,
      .tableFunction, .modify:
      false
    }
  }
}

extension JoinPlan.Kind {
  fileprivate var isReorderable: Bool {
    switch self {
    case .inner, .left, .semi, .anti, .mark, .single: true
    case .right, .full: false
    }
  }
}

/// One search for the best order of a block's joins.
private struct JoinSearch {
  private typealias Tree = JoinTree
  private let graph: JoinGraph
  private var trees: JoinTrees
  /// For each relation those that a condition connects it with.
  private var neighbours: [UInt64]
  private let outerMask: UInt64
  /// Relations that are joined at the end: they keep all rows, each once as far as is known, and nobody asks for what they add.
  private let lateMask: UInt64
  /// A condition between relations, as far as the price of a join depends on it.
  private struct Link {
    var relations: UInt64
    var selectivity: Double
    var group: Int
  }
  /// Those of one group stand one behind another.
  private let links: [Link]
  /// What is known of each relation beside its rows.
  private let facts: [RelationFacts]
  private var pairCount = 0
  private static let pairLimit = 20_000

  init(_ graph: JoinGraph) {
    self.graph = graph
    links = graph.edges.filter { $0.relations.nonzeroBitCount >= 2 }
      .map { Link(relations: $0.relations, selectivity: $0.selectivity, group: $0.group) }
      .sorted { $0.group < $1.group }
    facts = graph.relations.indices.map { RelationFacts($0, in: graph) }
    var neighbours = [UInt64](repeating: 0, count: graph.relations.count)
    var outers: UInt64 = 0
    var needed: UInt64 = 0
    for edge in graph.edges { needed |= edge.relations }
    for search in graph.searches { needed |= search.start | search.end }
    var late: UInt64 = 0
    // A relation requires none but earlier ones; what only late ones require is there when they are joined.
    for (index, relation) in graph.relations.enumerated().reversed() {
      guard let outer = relation.outer else { continue }
      let own = UInt64(1) << UInt64(index)
      outers |= own
      switch outer.kind {
      case .single, .mark: if needed & own == 0 { late |= own }
      case .left:
        if needed & own == 0, outer.conditions.isEmpty, relation.profile.rows <= 1 { late |= own }
      case .inner, .right, .full, .semi, .anti: break
      }
      if late & own != 0 { continue }
      needed |= relation.required
      relation.required.forEachBit { other in
        neighbours[other] |= own
        neighbours[index] |= 1 << UInt64(other)
      }
    }
    outerMask = outers
    lateMask = late
    for edge in graph.edges where edge.relations.nonzeroBitCount >= 2 {
      edge.relations.forEachBit { member in
        neighbours[member] |= edge.relations & ~(1 << UInt64(member))
      }
    }
    for search in graph.searches {
      search.start.forEachBit { neighbours[$0] |= search.end }
      search.end.forEachBit { neighbours[$0] |= search.start }
    }
    self.neighbours = neighbours
    trees = JoinTrees(relationCount: graph.relations.count)
    for (index, relation) in graph.relations.enumerated() {
      let mask = UInt64(1) << UInt64(index)
      trees[mask] = Tree(relations: mask, rows: max(relation.profile.rows, 0), cost: relation.cost)
    }
  }

  private var everything: UInt64 {
    graph.relations.count == 64 ? .max : (1 << UInt64(graph.relations.count)) - 1
  }

  mutating func best() -> LogicalPlan? {
    guard price() != nil else { return nil }
    var asked = Set<Int>()
    return plan(everything, &asked)
  }

  /// The price of the best order, once it is found; nil if there is none.
  mutating func price() -> Double? {
    let core = everything & ~lateMask
    if core.nonzeroBitCount <= 16 { enumerate(core) }
    if trees[core] == nil { joinGreedily(core) }
    return joinLate(core) ? trees[everything]?.cost : nil
  }

  /// Joins what is left when all else is joined; false where that is not possible.
  private mutating func joinLate(_ core: UInt64) -> Bool {
    guard var tree = trees[core] else { return false }
    var rest = lateMask
    while rest != 0 {
      let mask = rest & (~rest &+ 1)
      rest &= ~mask
      guard let own = trees[mask], let next = attached(tree, own, tree.relations | mask) else {
        return false
      }
      tree = next
      trees[tree.relations] = tree
    }
    return true
  }

  // MARK: Joining two sets

  /// Whether a set can stand as one side of an inner join or as a left side.
  private func isComplete(_ set: UInt64) -> Bool {
    var rest = set & outerMask
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      rest &= rest &- 1
      if facts[index].required & ~set != 0 || set == 1 << UInt64(index) { return false }
    }
    return true
  }

  /// The tree that joins two sets, in the cheaper of both orders; nil where an outer relation
  /// forbids it.
  private func joined(_ one: Tree, _ two: Tree) -> Tree? {
    let set = one.relations | two.relations
    if two.relations & outerMask == two.relations, two.relations.nonzeroBitCount == 1 {
      return attached(one, two, set)
    }
    if one.relations & outerMask == one.relations, one.relations.nonzeroBitCount == 1 {
      return attached(two, one, set)
    }
    guard isComplete(one.relations), isComplete(two.relations) else { return nil }
    if let search = search(one.relations, two.relations) {
      return graph.isOnlySearch(search, one.relations, two.relations)
        ? walked(graph.searches[search], one, two) : nil
    }
    let pairs = one.rows * two.rows * selectivity(one.relations, two.relations)
    // A row finds at most one partner by a key of the other side.
    let rows = min(
      max(pairs, min(one.rows, two.rows, 1)), findsKey(of: two, from: one) ? one.rows : .infinity,
      findsKey(of: one, from: two) ? two.rows : .infinity)
    // The smaller side stands right, where the hash table is built.
    let (left, right) = one.rows >= two.rows ? (one, two) : (two, one)
    // Rows of the probe side that cannot match are dropped where they are read, and before they are grouped.
    let kept = min(1, 0.25 + rows / max(left.rows, 1))
    let isGrouped =
      left.relations.nonzeroBitCount == 1
      && facts[left.relations.trailingZeroBitCount].isAggregate
    var cost = left.cost * (isGrouped ? kept : 1) + right.cost + left.rows * kept + 2 * right.rows
    cost = min(cost, indexCost(left, right, rows), indexCost(right, left, rows))
    return Tree(
      relations: set, rows: rows, cost: cost + rows, left: left.relations, right: right.relations)
  }

  /// The search for paths that joins two sets.
  private func search(_ one: UInt64, _ two: UInt64) -> Int? {
    graph.searches.firstIndex { $0.joins(one, two) }
  }

  /// The tree that joins two sets by paths, walked from the side that makes it cheaper.
  private func walked(_ search: JoinGraph.Search, _ one: Tree, _ two: Tree) -> Tree {
    let (start, end) = search.start & one.relations != 0 ? (one, two) : (two, one)
    let share = selectivity(one.relations, two.relations) * search.forward.share
    let rows = max(one.rows * two.rows * share, min(one.rows, two.rows, 1))
    let cost = min(
      walkCost(start, search.forward, end), walkCost(end, search.backward, start))
    return Tree(
      relations: one.relations | two.relations, rows: rows, cost: cost + rows,
      left: start.relations, right: end.relations)
  }

  private func walkCost(_ start: Tree, _ reach: PathReach, _ end: Tree) -> Double {
    start.cost + start.rows * reach.work
      + (isOpen(end, from: start, reach) ? 2 * start.rows * reach.ends : end.cost + 2 * end.rows)
  }

  /// Whether it is better to read the rows of a table that paths have led to than all that may be their end.
  private func isOpen(_ end: Tree, from start: Tree, _ reach: PathReach) -> Bool {
    end.relations.nonzeroBitCount == 1 && facts[end.relations.trailingZeroBitCount].isTable
      && start.rows * reach.ends < end.rows
  }

  /// A set with an outer, semi-, anti- or mark join hung on it.
  private func attached(_ left: Tree, _ right: Tree, _ set: UInt64) -> Tree? {
    let number = right.relations.trailingZeroBitCount
    guard facts[number].required & ~left.relations == 0, isComplete(left.relations),
      let kind = facts[number].outer
    else { return nil }
    let joined = facts[number].joinedRows(kind, leftRows: left.rows)
    let rows = joined * selectivity(left.relations, right.relations)
    let kept = min(1, 0.25 + rows / max(left.rows, 1))
    var cost = left.cost + right.cost + left.rows * kept + 2 * right.rows
    if facts[number].isTable {
      cost = min(cost, left.cost + left.rows * 2 + rows)
    }
    return Tree(
      relations: set, rows: rows, cost: cost + rows, left: left.relations, right: right.relations)
  }

  /// The price of looking up rows of `right`, a plain table with an index on what joins it, for
  /// each row of `left`.
  private func indexCost(_ left: Tree, _ right: Tree, _ rows: Double) -> Double {
    let number = right.relations.trailingZeroBitCount
    guard right.relations.nonzeroBitCount == 1, facts[number].isTable else { return .infinity }
    let given = facts[number].equated(with: left.relations)
    if given == 0 { return .infinity }
    var cost = Double.infinity
    for key in facts[number].keys where key.columns & ~given == 0 {
      cost = min(cost, left.rows * key.lookupCost)
    }
    for foreign in facts[number].foreignKeys where foreign.columns & ~given == 0 {
      cost = min(cost, left.rows * 1.5 + rows * (foreign.edgeCost - 1))
    }
    return left.cost + cost + rows
  }

  /// Whether the conditions between two sets give values to a key of `side`, one relation.
  private func findsKey(of side: Tree, from other: Tree) -> Bool {
    guard side.relations.nonzeroBitCount == 1 else { return false }
    let own = facts[side.relations.trailingZeroBitCount]
    if own.uniqueKeys.isEmpty { return false }
    let given = own.equated(with: other.relations)
    return given != 0 && own.uniqueKeys.contains { $0 & ~given == 0 }
  }

  /// The share of pairs that the conditions between two sets let through.
  ///
  /// Of several equalities between the same pair of classes all count, dampened: they are seldom
  /// independent. Those that name a whole key say together what that key does.
  private func selectivity(_ one: UInt64, _ two: UInt64) -> Double {
    var least = 1.0
    var dampened = 1.0
    var group: (number: Int, share: Double)?
    let set = one | two
    let key = graph.keyLinks.first {
      $0.parent & one != 0 && $0.child & two != 0 || $0.parent & two != 0 && $0.child & one != 0
    }
    for own in links
    where own.relations & ~set == 0 && own.relations & one != 0 && own.relations & two != 0 {
      if key?.groups.contains(own.group) ?? false { continue }
      if let known = group, known.number == own.group {
        group = (known.number, min(known.share, own.selectivity))
        continue
      }
      if let known = group {
        least = min(least, known.share)
        dampened *= known.share.squareRoot()
      }
      group = (own.group, own.selectivity)
    }
    if let group {
      least = min(least, group.share)
      dampened *= group.share.squareRoot()
    }
    // The least counts in full.
    return dampened * least.squareRoot() * (key?.share ?? 1)
  }

  // MARK: Dynamic programming

  /// Every pair of connected, disjoint, connected sets, smaller ones first.
  private mutating func enumerate(_ core: UInt64) {
    let count = graph.relations.count
    for start in stride(from: count - 1, through: 0, by: -1) {
      let mask = UInt64(1) << UInt64(start)
      if mask & core == 0 { continue }
      guard emitComplements(mask) else { return abandon() }
      guard enumerateSets(mask, excluding: (mask << 1) &- 1) else { return abandon() }
    }
  }

  /// Forgets an enumeration that turned out too large.
  private mutating func abandon() {
    trees.keepSingles()
  }

  private func neighbourhood(_ set: UInt64, excluding: UInt64) -> UInt64 {
    var result: UInt64 = 0
    var rest = set
    while rest != 0 {
      result |= neighbours[rest.trailingZeroBitCount]
      rest &= rest &- 1
    }
    return result & ~set & ~excluding
  }

  private mutating func enumerateSets(_ set: UInt64, excluding: UInt64) -> Bool {
    let near = neighbourhood(set, excluding: excluding)
    var subset = near & (~near &+ 1)
    while subset != 0 {
      guard emitComplements(set | subset) else { return false }
      subset = (subset &- near) & near
    }
    subset = near & (~near &+ 1)
    while subset != 0 {
      guard enumerateSets(set | subset, excluding: excluding | near) else { return false }
      subset = (subset &- near) & near
    }
    return true
  }

  private mutating func emitComplements(_ set: UInt64) -> Bool {
    let lowest = set & (~set &+ 1)
    let excluded = set | (lowest &- 1) | lowest
    let near = neighbourhood(set, excluding: excluded)
    var rest = near
    while rest != 0 {
      let mask = UInt64(1) << UInt64(63 - rest.leadingZeroBitCount)
      rest &= ~mask
      guard take(set, mask) else { return false }
      let lower = near & ((mask << 1) &- 1)
      guard enumerateComplements(set, mask, excluding: excluded | lower) else { return false }
    }
    return true
  }

  private mutating func enumerateComplements(
    _ set: UInt64, _ other: UInt64, excluding: UInt64
  ) -> Bool {
    let near = neighbourhood(other, excluding: excluding)
    var subset = near & (~near &+ 1)
    while subset != 0 {
      guard take(set, other | subset) else { return false }
      subset = (subset &- near) & near
    }
    subset = near & (~near &+ 1)
    while subset != 0 {
      guard enumerateComplements(set, other | subset, excluding: excluding | near) else {
        return false
      }
      subset = (subset &- near) & near
    }
    return true
  }

  /// Weighs one pair; false once there have been too many.
  private mutating func take(_ one: UInt64, _ two: UInt64) -> Bool {
    pairCount += 1
    if pairCount > Self.pairLimit || RunningStatement.isInterrupted { return false }
    guard let first = trees[one], let second = trees[two], let tree = joined(first, second) else {
      return true
    }
    if let known = trees[tree.relations], known.cost <= tree.cost { return true }
    trees[tree.relations] = tree
    return true
  }

  // MARK: Greedy

  /// Joins the pair that gives the fewest rows, again and again; pairs that no condition connects
  /// come last.
  private mutating func joinGreedily(_ core: UInt64) {
    var parts = graph.relations.indices.compactMap { (index) -> Tree? in
      let mask = UInt64(1) << UInt64(index)
      return mask & core == 0 ? nil : trees[mask]
    }
    while parts.count > 1 {
      var best: (tree: Tree, one: Int, two: Int, isConnected: Bool)?
      for one in parts.indices {
        for two in parts.indices where two > one {
          let near = neighbourhood(parts[one].relations, excluding: 0)
          let isConnected = near & parts[two].relations != 0
          if let best, best.isConnected, !isConnected { continue }
          guard let tree = joined(parts[one], parts[two]) else { continue }
          let isBetter =
            best.map { known in
              if isConnected != known.isConnected { return isConnected }
              return (tree.rows, tree.cost) < (known.tree.rows, known.tree.cost)
            } ?? true
          if isBetter { best = (tree, one, two, isConnected) }
        }
      }
      guard let best else { return }
      trees[best.tree.relations] = best.tree
      parts.remove(at: best.two)
      parts[best.one] = best.tree
    }
  }

  // MARK: The plan

  /// The plan of a set; `asked` collects the conditions that stand in it.
  private func plan(_ set: UInt64, _ asked: inout Set<Int>) -> LogicalPlan {
    guard let tree = trees[set], tree.left != 0 else {
      let relation = graph.relations[set.trailingZeroBitCount]
      var plan = relation.plan
      if relation.outer == nil {
        var own: [BoundExpression] = []
        for (index, edge) in graph.edges.enumerated()
        where edge.relations & ~set == 0 && asked.insert(index).inserted {
          own.append(edge.condition)
        }
        plan = plan.filtered(own)
      }
      return plan
    }
    let left = plan(tree.left, &asked)
    let right = plan(tree.right, &asked)
    var conditions: [BoundExpression] = []
    var classes = ColumnClasses()
    for (index, edge) in graph.edges.enumerated()
    where edge.relations & ~set == 0 && asked.insert(index).inserted {
      // One equality of a class of equal columns joins two sets; the others follow from it.
      if case .comparison(.equal, let one, let two) = edge.condition, let first = one.asColumn,
        let second = two.asColumn
      {
        if isImplied(first, second, tree, classes) { continue }
        classes.unite(first, second)
      }
      conditions.append(edge.condition)
    }
    let outer =
      tree.right.nonzeroBitCount == 1
      ? graph.relations[tree.right.trailingZeroBitCount].outer : nil
    guard var join = outer else {
      guard let number = search(tree.left, tree.right) else {
        return .join(JoinPlan(.inner, left, right, on: conditions))
      }
      return path(graph.searches[number], tree, left, right, conditions)
    }
    join.left = left
    join.right = right
    return LogicalPlan.join(join).filtered(conditions)
  }

  /// A search between two sets; where few rows are reached, conditions on them come behind it.
  private func path(
    _ search: JoinGraph.Search, _ tree: Tree, _ left: LogicalPlan, _ right: LogicalPlan,
    _ conditions: [BoundExpression]
  ) -> LogicalPlan {
    var path = search.path
    (path.input, path.target) = search.start & tree.left != 0 ? (left, right) : (right, left)
    var conditions = conditions
    if let one = trees[tree.left], let two = trees[tree.right] {
      let (start, end) = search.start & tree.left != 0 ? (one, two) : (two, one)
      if start.rows <= end.rows {
        if isOpen(end, from: start, search.forward) { path.target.moveFilters(to: &conditions) }
      } else if isOpen(start, from: end, search.backward) {
        path.input.moveFilters(to: &conditions)
      }
    }
    return LogicalPlan.path(path).filtered(conditions)
  }

  /// Whether equalities inside the two sets and between them make two columns equal already.
  private func isImplied(
    _ one: ColumnID, _ two: ColumnID, _ tree: Tree, _ between: ColumnClasses
  ) -> Bool {
    var classes = between
    for edge in graph.edges
    where edge.relations & ~tree.left == 0 || edge.relations & ~tree.right == 0 {
      guard case .comparison(.equal, let left, let right) = edge.condition,
        let first = left.asColumn, let second = right.asColumn, left.type == right.type
      else { continue }
      classes.unite(first, second)
    }
    return classes.root(one) == classes.root(two)
  }
}

extension JoinGraph {
  /// Whether no other search than one of them joins two sets.
  fileprivate func isOnlySearch(_ number: Int, _ one: UInt64, _ two: UInt64) -> Bool {
    !searches.indices.contains { $0 != number && searches[$0].joins(one, two) }
  }
}

extension LogicalPlan {
  /// Takes the conditions off a scan.
  fileprivate mutating func moveFilters(to conditions: inout [BoundExpression]) {
    guard case .scan(var scan) = self else { return }
    conditions += scan.filters
    scan.filters = []
    self = .scan(scan)
  }
}
