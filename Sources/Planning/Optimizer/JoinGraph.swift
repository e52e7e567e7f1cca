import Catalog
import Columnar

/// The tables of one block of inner joins, what joins them, and what hangs on them by outer, semi-,
/// anti- and mark joins.
///
/// Relations are numbered; a set of them is a bit mask. Relation 0 … are inner unless `kinds` says
/// otherwise; one that is
/// not inner may only be joined as the whole right side, to a left side that holds all of what its
/// condition uses.
/// All of these joins commute with the inner joins around them, as those keep or drop left rows
/// whole.
struct JoinGraph {
  /// One input of the block.
  struct Relation {
    var plan: LogicalPlan
    var profile: RelationProfile
    /// nil for an inner relation.
    var outer: JoinPlan?
    /// The relations that must stand on the left before this one can be joined.
    var required: UInt64 = 0
    /// What it costs to have all rows.
    var cost = 0.0
  }
  /// A condition of inner joins.
  struct Edge {
    var condition: BoundExpression
    var relations: UInt64
    var selectivity: Double
    /// Equalities of one class of equal columns have a number in common: between two sets one of them says it all.
    var group = 0
  }
  /// Two relations between which conditions name a whole key of one.
  struct KeyLink {
    var parent: UInt64
    var child: UInt64
    /// The groups of the edges between the two.
    var groups: Set<Int>
    /// The share of pairs that match.
    var share: Double
  }
  /// A search for paths between a vertex of one relation and one of another: a join of the sets that hold them.
  struct Search {
    /// Its sides are those that the order of joins gives it.
    var path: PathPlan
    var start: UInt64
    var end: UInt64
    var forward: PathReach
    var backward: PathReach

    /// Whether one of two sets holds the start, and the other the end.
    func joins(_ one: UInt64, _ two: UInt64) -> Bool {
      start & one != 0 && end & two != 0 || start & two != 0 && end & one != 0
    }
  }
  private(set) var relations: [Relation] = []
  private(set) var edges: [Edge] = []
  private(set) var searches: [Search] = []
  private(set) var keyLinks: [KeyLink] = []
  private let statistics: StatisticsSource
  private let commons: [Int: RelationProfile]
  private var owners: ColumnMap<Int> = [:]
  /// The columns of paths, which are there when both ends are.
  private var searchColumns: ColumnMap<UInt64> = [:]
  /// Right sides of joins whose left sides are being taken apart: a relation each at least.
  private var pendingCount = 0

  /// The most relations that fit a mask.
  static let relationLimit = 64

  /// Takes the block at the top of `plan` apart; `optimize` treats what stands below each relation.
  init(
    _ plan: LogicalPlan, statistics: StatisticsSource, commons: [Int: RelationProfile],
    optimize: (LogicalPlan) -> LogicalPlan
  ) {
    self.statistics = statistics
    self.commons = commons
    var conditions: [BoundExpression] = []
    collect(plan, &conditions, optimize)
    for condition in conditions {
      let mask = mask(of: condition.columns)
      edges.append(Edge(condition: condition, relations: mask, selectivity: 1))
    }
    addTransitiveEdges()
    groupEdges()
    placeSingleRows()
    let all = relations.reduce(into: RelationProfile(rows: 1)) { $0.merge($1.profile) }
    var wide = all
    wide.rows = .greatestFiniteMagnitude
    for index in edges.indices {
      edges[index].selectivity =
        edges[index].relations.nonzeroBitCount < 2
        ? 1 : wide.selectivity(of: edges[index].condition)
    }
    keyLinks = all.keyMatches(edges.map(\.condition)).compactMap { match in
      guard let parent = owners[match.parent], let child = owners[match.child], parent != child
      else { return nil }
      return KeyLink(
        parent: 1 << UInt64(parent), child: 1 << UInt64(child),
        groups: Set(match.conditions.map { edges[$0].group }), share: match.share)
    }
  }

  /// Whether a join may become two relations; what no longer fits is ordered by itself and counts as one.
  private var hasRoom: Bool { relations.count + pendingCount < Self.relationLimit - 1 }

  private mutating func collect(
    _ plan: LogicalPlan, _ conditions: inout [BoundExpression],
    _ optimize: (LogicalPlan) -> LogicalPlan
  ) {
    switch plan {
    case .join(let join) where !join.isLateral && hasRoom:
      switch join.kind {
      case .inner:
        pendingCount += 1
        collect(join.left, &conditions, optimize)
        pendingCount -= 1
        collect(join.right, &conditions, optimize)
        conditions += join.conditions
        return
      case .left, .semi, .anti, .mark, .single:
        let first = relations.count
        pendingCount += 1
        collect(join.left, &conditions, optimize)
        pendingCount -= 1
        let below = Self.mask(first..<relations.count)
        var outer = join
        outer.right = optimize(join.right)
        outer.left = .oneRow
        let used = mask(
          of: join.conditions.reduce(into: ColumnSet()) { $1.collectColumns(into: &$0) })
        // Without a condition on the left any of its relations will do; the first is taken.
        var required = used & below
        // A single join may fail, and must not for rows that the joins below it drop.
        if case .single = join.kind { required = below }
        add(
          outer.right, outer: outer,
          required: required == 0 ? below & (~below &+ 1) : required)
        return
      case .right, .full: break
      }
    case .path(let path) where hasRoom && path.hasLooseEnds:
      pendingCount += 1
      collect(path.input, &conditions, optimize)
      pendingCount -= 1
      collect(path.target, &conditions, optimize)
      addSearch(path, optimize)
      return
    case .filter(let input, let own) where hasRoom:
      // A condition over an outer join's columns is asked once that join is done.
      if input.isTakenApart, !own.contains(where: \.isVolatile) {
        collect(input, &conditions, optimize)
        conditions += own
        return
      }
    case .scan, .values, .filter, .project, .projectSet, .join, .path, .aggregate, .window, .sort,
      .limit, .distinct, .setOperation, .recursive, .workingTable, .withCommon, .commonReference,
      .tableFunction, .modify:
      break
    }
    add(optimize(plan), outer: nil, required: 0)
  }

  private mutating func addSearch(_ path: PathPlan, _ optimize: (LogicalPlan) -> LogicalPlan) {
    var search = path
    search.input = .oneRow
    search.target = .oneRow
    search.conditions = path.conditions.map { optimize($0).restricted(to: $0.outputs) }
    search.links = path.links.map { optimize($0).restricted(to: $0.outputs) }
    search.costs = path.costs.map { optimize($0).restricted(to: $0.outputs) }
    let (start, end) = (mask(of: [path.start]), mask(of: [path.end]))
    searches.append(
      Search(
        path: search, start: start, end: end,
        forward: PathReach(path, statistics: statistics),
        backward: PathReach(path, isReversed: true, statistics: statistics)))
    for output in path.outputs { searchColumns[output.column.id] = start | end }
  }

  private mutating func add(_ plan: LogicalPlan, outer: JoinPlan?, required: UInt64) {
    var profile = RelationProfile.of(plan, statistics: statistics, commons: commons)
    for column in plan.outputs {
      let count = profile.distinctCount(column.id)
      if profile.columns[column.id]?.distinctCount == count { continue }
      profile.columns[column.id, default: ColumnProfile(distinctCount: count, nullFraction: 0)]
        .distinctCount = count
    }
    var relation = Relation(plan: plan, profile: profile, outer: outer, required: required)
    relation.cost = profile.rows
    if case .scan(let scan) = plan {
      relation.cost = max(profile.rows, rowCount(of: scan.table) * 0.3)
    } else if let grouped = plan.grouped {
      // Each row that is grouped is looked up among the groups.
      relation.cost +=
        RelationProfile.of(grouped, statistics: statistics, commons: commons).rows
    }
    let number = relations.count
    switch outer?.kind {
    case .semi, .anti: break
    case .mark(let column): owners[column.id] = number
    case .inner, .left, .right, .full, .single, nil:
      for column in plan.outputs { owners[column.id] = number }
    }
    relations.append(relation)
  }

  /// The number of a table's rows, or a guess.
  func rowCount(of table: TableDefinition) -> Double { statistics(table.id)?.rowCount ?? 1000 }

  /// The relations that produce some columns.
  func mask(of columns: ColumnSet) -> UInt64 {
    var mask: UInt64 = 0
    for column in columns {
      if let owner = owners[column] { mask |= 1 << UInt64(owner) }
      mask |= searchColumns[column] ?? 0
    }
    return mask
  }

  private static func mask(_ range: Range<Int>) -> UInt64 {
    range.reduce(0) { $0 | 1 << UInt64($1) }
  }

  /// a = b and b = c make a = c a way to join too; it is asked only where one of the others is not.
  private mutating func addTransitiveEdges() {
    // Kept for blocks small enough that the added edges stay few.
    guard relations.count <= 12 else { return }
    var classes = ColumnClasses()
    var members: ColumnMap<LogicalType> = [:]
    var known: [(ColumnID, ColumnID)] = []
    for edge in edges where edge.relations.nonzeroBitCount == 2 {
      guard case .comparison(.equal, let left, let right) = edge.condition,
        let one = left.asColumn, let two = right.asColumn, left.type == right.type,
        isInner(one), isInner(two)
      else { continue }
      classes.unite(one, two)
      members[one] = left.type
      members[two] = right.type
      known.append((min(one, two), max(one, two)))
    }
    let columns = members.keys
    for (index, one) in columns.enumerated() {
      for two in columns[(index + 1)...]
      where classes.root(one) == classes.root(two) && !known.contains(where: { $0 == (one, two) }) {
        guard let first = owners[one], let second = owners[two], first != second,
          let type = members[one], let other = members[two], type == other
        else { continue }
        edges.append(
          Edge(
            condition: .comparison(.equal, .column(one, type), .column(two, other)),
            relations: 1 << UInt64(first) | 1 << UInt64(second), selectivity: 1))
      }
    }
  }

  private mutating func groupEdges() {
    var classes = ColumnClasses()
    var columns: [(edge: Int, column: ColumnID)] = []
    for (index, edge) in edges.enumerated() {
      guard case .comparison(.equal, let left, let right) = edge.condition,
        let one = left.asColumn, let two = right.asColumn, left.type == right.type
      else { continue }
      classes.unite(one, two)
      columns.append((index, one))
    }
    for index in edges.indices { edges[index].group = -1 - index }
    for (index, column) in columns { edges[index].group = Int(classes.root(column).number) }
  }

  /// A row that depends on no other is joined where a condition compares it with one relation.
  ///
  /// Should there be several such rows, that is found out if the relation has any.
  private mutating func placeSingleRows() {
    for index in relations.indices {
      guard let outer = relations[index].outer, case .single = outer.kind,
        outer.conditions.isEmpty
      else { continue }
      let own = UInt64(1) << UInt64(index)
      let others = edges.filter { $0.relations & own != 0 }.map { $0.relations & ~own }
      let found = others.first {
        $0.nonzeroBitCount == 1 && relations[$0.trailingZeroBitCount].outer == nil
      }
      if let found { relations[index].required = found }
    }
  }

  private func isInner(_ column: ColumnID) -> Bool {
    owners[column].map { relations[$0].outer == nil } ?? false
  }
}

extension PathPlan {
  /// Whether its ends are rows of inner relations of its sides, and nothing else of the sides is looked at within its paths: then
  /// other joins of the sides may come behind the search.
  var hasLooseEnds: Bool {
    let read = LogicalPlan.path(self).expressions.reduce(into: ColumnSet()) {
      $1.collectColumns(into: &$0)
    }
    return input.hasInner(start) && target.hasInner(end)
      && read.isDisjoint(with: input.outputIDs) && read.isDisjoint(with: target.outputIDs)
  }
}

extension LogicalPlan {
  /// Whether it is a join, or a search that is one among joins.
  fileprivate var isTakenApart: Bool {
    switch self {
    case .join: true
    case .path(let path): path.hasLooseEnds
    case .scan, .values, .filter, .project, .projectSet, .aggregate, .window, .sort, .limit,
      .distinct, .setOperation, .recursive, .workingTable, .withCommon, .commonReference,
      .tableFunction, .modify:
      false
    }
  }

  /// Whether a column is of a relation that is not hung on others, whichever of the joins are taken apart.
  fileprivate func hasInner(_ column: ColumnID) -> Bool {
    switch self {
    case .join(let join) where !join.isLateral:
      if case .inner = join.kind, join.right.hasInner(column) { return true }
      return join.left.hasInner(column)
    case .filter(let input, _): return input.hasInner(column)
    case .scan, .values, .project, .projectSet, .join, .path, .aggregate, .window, .sort, .limit,
      .distinct, .setOperation, .recursive, .workingTable, .withCommon, .commonReference,
      .tableFunction, .modify:
      return outputIDs.contains(column)
    }
  }
}

extension LogicalPlan {
  /// The rows that a plan groups, if that is what it does, and perhaps asks something of the groups.
  var grouped: LogicalPlan? {
    switch self {
    case .aggregate(let aggregate): aggregate.input
    case .project(let input, _), .filter(let input, _): input.grouped
    case .scan, .values, .projectSet, .join, .path, .window, .sort, .limit, .distinct,
      .setOperation, .recursive, .workingTable, .withCommon, .commonReference, .tableFunction,
      .modify:
      nil
    }
  }
}
