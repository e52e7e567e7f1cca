import Catalog
import Columnar

/// Groups, windows and joins behind EXISTS made for those keys only that few rows on the other side of a join ask for.
///
/// `SELECT f.b, x.n FROM friend f JOIN (SELECT student_id, count(*) AS n … GROUP BY student_id) x ON x.student_id = f.b WHERE f.a = 7`
/// asks for the groups of four students. Whatever stands between a join and the tables below an aggregation, no order of joins takes
/// it across. So the few rows become a common table expression, and their keys, each once, are joined with the tables below: there an
/// index leads from a key to its rows. That is sideways information passing by magic sets: Mumick and Pirahesh, "Implementation of
/// Magic-sets in a Relational Database System", SIGMOD 1994. It is done once joins are ordered, as only then it is known what
/// comes to a join from its other side, and the joins below are ordered anew.
struct MagicSets {
  let statistics: StatisticsSource
  let factory: ColumnFactory
  let numbers: CommonNumbers
  /// What is known of the common table expressions around.
  private var commons: [Int: RelationProfile] = [:]

  /// Fewer rows are soon made, as prices of joins count them.
  private static let priceMin = 2000.0
  /// The most of all keys that is worth asking for.
  private static let shareMax = 0.125
  /// So many times as much it costs at least to make all rows.
  private static let gainMin = 4.0
  /// What a scan costs that is told of keys, of its price: most rows are dropped where they are read.
  private static let toldPrice = 0.3

  init(statistics: StatisticsSource, factory: ColumnFactory, numbers: CommonNumbers) {
    self.statistics = statistics
    self.factory = factory
    self.numbers = numbers
  }

  func applied(_ plan: LogicalPlan) -> LogicalPlan { changed(plan) ?? plan }

  private func changed(_ plan: LogicalPlan) -> LogicalPlan? {
    if RunningStatement.isInterrupted { return nil }
    switch plan {
    case .join(let join) where !join.isLateral:
      return changed(join)
    case .withCommon(let id, let definition, let body):
      let own = changed(definition)
      let below = knowing(id, own ?? definition).changed(body)
      if own == nil && below == nil { return nil }
      return .withCommon(id: id, definition: own ?? definition, body: below ?? body)
    case .join(var join):
      // What stands to the right is computed for one row at a time.
      guard let left = changed(join.left) else { return nil }
      join.left = left
      return .join(join)
    case .recursive: return nil
    case .scan, .values, .filter, .project, .projectSet, .path, .aggregate, .window, .sort, .limit,
      .distinct, .setOperation, .workingTable, .commonReference, .tableFunction, .modify:
      return plan.changingInputs(changed)
    }
  }

  /// The same rule inside of a common table expression's body.
  private func knowing(_ id: Int, _ definition: LogicalPlan) -> MagicSets {
    var inner = self
    inner.commons[id] = profile(definition).shared(as: definition.outputs)
    return inner
  }

  private func profile(_ plan: LogicalPlan) -> RelationProfile {
    .of(plan, statistics: statistics, commons: commons)
  }

  private func changed(_ join: JoinPlan) -> LogicalPlan? {
    if let asked = below(join, isRight: true) { return asked }
    if join.kind.isInner, let asked = below(join, isRight: false) { return asked }
    let (left, right) = (changed(join.left), changed(join.right))
    if left == nil && right == nil { return nil }
    var result = join
    result.left = left ?? join.left
    result.right = right ?? join.right
    return .join(result)
  }

  // MARK: One join

  /// The join with one side made for the keys that the other asks for, below the definition of the rows that ask; nil where that does
  /// not pay.
  private func below(_ join: JoinPlan, isRight: Bool) -> LogicalPlan? {
    let (plan, asking) = isRight ? (join.right, join.left) : (join.left, join.right)
    guard let keys = join.magicKeys(of: plan, by: asking), plan.isBarrier(below: join.kind),
      let ends = plan.ends(of: keys.columns), !plan.isVolatile, !asking.isVolatile
    else { return nil }
    let columns = ends.places.map { keys.columns[$0] }
    let asked = Keys(id: numbers.next(), of: asking, ends.places.map { keys.values[$0] })
    guard pays(ends.ends, asked), plan.freeColumns.isEmpty, asking.freeColumns.isEmpty else {
      return nil
    }
    let inner = knowing(asked.id, asking)
    let narrow = plan.joined(on: columns) { asked.plan(factory) }
    let made = JoinOrder(statistics: statistics, commons: inner.commons).applied(narrow)
      .restricted(to: plan.outputs)
    var result = join
    let rest = LogicalPlan.commonReference(id: asked.id, columns: asking.outputs)
    result.left = isRight ? rest : inner.applied(made)
    result.right = isRight ? inner.applied(made) : rest
    return .withCommon(id: asked.id, definition: applied(asking), body: .join(result))
  }

  /// Whether few of all keys are asked for, and joins that begin with them are much cheaper than those without.
  private func pays(_ ends: [MagicEnds.End], _ asked: Keys) -> Bool {
    let rows = profile(asked.asking)
    let names = asked.values.compactMap(\.asColumn)
    let different = names.count == asked.values.count ? rows.groupCount(names) : rows.rows
    let all = ends.map { profile($0.plan).groupCount($0.columns) }.max() ?? 1
    guard different <= all * Self.shareMax else { return false }
    let inner = knowing(asked.id, asked.asking)
    let (outside, inside) = (
      JoinOrder(statistics: statistics, commons: commons),
      JoinOrder(statistics: statistics, commons: inner.commons)
    )
    let whole = ends.reduce(0) { sum, end in
      sum + outside.price(of: end.plan) * (end.plan.isScan ? Self.toldPrice : 1)
    }
    guard whole >= Self.priceMin, whole >= rows.rows * Self.gainMin else { return false }
    let narrow = ends.reduce(0) { sum, end in
      sum + inside.price(of: end.plan.joined(on: end.columns) { asked.plan(factory) }.unprojected)
    }
    return narrow * Self.gainMin <= whole
  }

  /// The different keys that rows ask for.
  private struct Keys {
    /// The number of the rows as a common table expression.
    let id: Int
    let asking: LogicalPlan
    let values: [BoundExpression]
    private let isUnique: Bool

    init(id: Int, of asking: LogicalPlan, _ values: [BoundExpression]) {
      self.id = id
      self.asking = asking
      self.values = values
      isUnique = asking.isUnique(on: ColumnSet(values.compactMap(\.asColumn)))
    }

    /// The keys, with columns of their own each time.
    func plan(_ factory: ColumnFactory) -> (plan: LogicalPlan, columns: [PlanColumn]) {
      let columns = asking.outputs
      let seen = columns.map { factory.make($0.name, $0.type) }
      var renamed: ColumnMap<BoundExpression> = [:]
      for (column, own) in zip(columns, seen) { renamed[column.id] = own.reference }
      let keys = values.map { value in
        let name = columns.first { $0.id == value.asColumn }?.name ?? "key"
        return ProjectedColumn(factory.make(name, value.type), value.replacing(renamed))
      }
      let all = LogicalPlan.project(.commonReference(id: id, columns: seen), keys)
      return (isUnique ? all : .distinct(all, on: nil), keys.map(\.column))
    }
  }
}

/// Where keys that a plan is asked for lead: tables and joins with an index on what the keys are compared with.
private struct MagicEnds {
  struct End {
    var plan: LogicalPlan
    /// The columns that keys are compared with.
    var columns: [ColumnID]
  }
  /// The places of those of the keys that lead there.
  var places: [Int]
  var ends: [End]
}

extension JoinPlan {
  /// Columns of one side that must equal something of the other for rows to match, and what that is.
  fileprivate func magicKeys(
    of side: LogicalPlan, by other: LogicalPlan
  ) -> (columns: [ColumnID], values: [BoundExpression])? {
    switch kind {
    case .inner, .left, .semi, .anti, .single: break
    // A NULL among the rows makes the mark unknown.
    case .mark, .right, .full: return nil
    }
    var keys: (columns: [ColumnID], values: [BoundExpression]) = ([], [])
    let (own, others) = (side.outputIDs, other.outputIDs)
    for condition in conditions {
      guard case .comparison(.equal, let left, let right) = condition, left.type == right.type
      else { continue }
      for (one, two) in [(left, right), (right, left)] {
        guard let column = one.asColumn, own.contains(column), !two.columns.isEmpty,
          two.usesOnly(others), !two.isVolatile, !keys.columns.contains(column)
        else { continue }
        keys.columns.append(column)
        keys.values.append(two)
      }
    }
    return keys.columns.isEmpty ? nil : keys
  }
}

extension LogicalPlan {
  /// Whether there is more to the plan than rows of a table, or for an inner join more than joins: these are ordered with it.
  fileprivate func isBarrier(below kind: JoinPlan.Kind) -> Bool {
    switch self {
    case .filter(let input, _), .project(let input, _), .sort(let input, _):
      input.isBarrier(below: kind)
    case .join: !kind.isInner
    case .aggregate, .window, .distinct, .setOperation: true
    case .scan, .values, .projectSet, .path, .limit, .recursive, .workingTable, .withCommon,
      .commonReference, .tableFunction, .modify:
      false
    }
  }

  /// Where keys lead that these columns are compared with, by the places of the keys; nil if none of them leads to an index.
  fileprivate func ends(of keys: [ColumnID?]) -> MagicEnds? {
    if isEnd {
      // Lists of two tables that must meet are intersected as they stand.
      if indexedScanCount(among: keys.compactMap { $0 }) > 1 { return nil }
      let indexed = indexedColumns(among: keys.compactMap { $0 })
      let places = keys.indices.filter { place in keys[place].map(indexed.contains) ?? false }
      if places.isEmpty { return nil }
      return MagicEnds(
        places: places, ends: [MagicEnds.End(plan: self, columns: places.compactMap { keys[$0] })])
    }
    guard let below = sources(of: keys) else { return nil }
    var found = MagicEnds(places: Array(keys.indices), ends: [])
    for (input, own) in zip(inputs, below) {
      guard let ends = input.ends(of: own) else { return nil }
      found.places.removeAll { !ends.places.contains($0) }
      found.ends += ends.ends
    }
    return found.places.isEmpty ? nil : found
  }

  /// For each input the columns that some of the operator's columns are, if rows of the input that have other values there add nothing
  /// to the rows with these; nil for an operator of which that cannot be said.
  private func sources(of columns: [ColumnID?]) -> [[ColumnID?]]? {
    switch self {
    case .filter, .sort: return [columns]
    case .project(_, let list):
      return [columns.map { id in list.first { $0.column.id == id }?.expression.asColumn }]
    case .aggregate(let plan):
      guard plan.groupingSets == nil else { return nil }
      return [columns.map { id in plan.keys.first { $0.column.id == id }?.expression.asColumn }]
    case .window(_, let calls):
      return [
        columns.map { id in
          calls.allSatisfy { $0.call.partitionBy.contains { $0.asColumn == id } } ? id : nil
        }
      ]
    case .distinct(_, let on):
      guard let on else { return [columns] }
      return [columns.map { id in on.contains { $0.asColumn == id } ? id : nil }]
    case .setOperation(let plan):
      let places = columns.map { id in plan.columns.firstIndex { $0.id == id } }
      return [plan.left.outputs, plan.right.outputs].map { outputs in
        places.map { place in place.map { outputs[$0].id } }
      }
    case .scan, .values, .projectSet, .join, .path, .limit, .recursive, .workingTable, .withCommon,
      .commonReference, .tableFunction, .modify:
      return nil
    }
  }

  /// The plan with the tables at its ends joined with keys that `make` gives, each once, compared with these columns.
  fileprivate func joined(
    on columns: [ColumnID?], _ make: () -> (plan: LogicalPlan, columns: [PlanColumn])
  ) -> LogicalPlan {
    guard let below = sources(of: columns) else {
      return asked(on: columns, make).plan.restricted(to: outputs)
    }
    if case .aggregate(var aggregate) = self, aggregate.input.isEnd {
      // Groups by the keys themselves are groups by rows that an index leads on from.
      let (plan, keys) = aggregate.input.asked(on: below[0], make)
      aggregate.input = plan
      for place in aggregate.keys.indices {
        if let id = aggregate.keys[place].expression.asColumn, let key = keys[id] {
          aggregate.keys[place].expression = key
        }
      }
      return .aggregate(aggregate)
    }
    var place = -1
    return mapInputs { input in
      place += 1
      return input.joined(on: below[place], make)
    }
  }

  /// Tables joined with keys, and by their columns the keys that these are equal to in every respect.
  private func asked(
    on columns: [ColumnID?], _ make: () -> (plan: LogicalPlan, columns: [PlanColumn])
  ) -> (plan: LogicalPlan, keys: ColumnMap<BoundExpression>) {
    let keys = make()
    let outputs = outputs
    var conditions: [BoundExpression] = []
    var equal: ColumnMap<BoundExpression> = [:]
    for (key, id) in zip(keys.columns, columns) {
      guard let column = outputs.first(where: { $0.id == id }) else { continue }
      conditions.append(.comparison(.equal, key.reference, column.reference))
      if column.type == key.type, column.type.equalsOnlyItself { equal[column.id] = key.reference }
    }
    return (.join(JoinPlan(.inner, keys.plan, self, on: conditions)), equal)
  }

  /// Whether it is where keys lead to.
  private var isEnd: Bool {
    switch self {
    case .scan, .join: true
    case .values, .filter, .project, .projectSet, .path, .aggregate, .window, .sort, .limit,
      .distinct, .setOperation, .recursive, .workingTable, .withCommon, .commonReference,
      .tableFunction, .modify:
      false
    }
  }

  /// Those of some columns by which an index leads to rows of a table of the block.
  private func indexedColumns(among columns: [ColumnID]) -> Set<ColumnID> {
    switch self {
    case .scan(let scan): return scan.indexedColumns(among: columns)
    case .filter(let input, _): return input.indexedColumns(among: columns)
    case .join(let join) where !join.isLateral:
      switch join.kind {
      case .inner:
        let found = join.left.indexedColumns(among: columns)
        return found.isEmpty ? join.right.indexedColumns(among: columns) : found
      case .left, .semi, .anti, .mark, .single: return join.left.indexedColumns(among: columns)
      case .right, .full: return []
      }
    case .values, .project, .projectSet, .join, .path, .aggregate, .window, .sort, .limit,
      .distinct, .setOperation, .recursive, .workingTable, .withCommon, .commonReference,
      .tableFunction, .modify:
      return []
    }
  }

  /// How many tables of the block an index leads to from some of the columns.
  private func indexedScanCount(among columns: [ColumnID]) -> Int {
    if case .scan(let scan) = self { return scan.indexedColumns(among: columns).isEmpty ? 0 : 1 }
    var count = 0
    forEachInput { count += $0.indexedScanCount(among: columns) }
    return count
  }

  fileprivate var isScan: Bool {
    if case .scan = self { return true }
    return false
  }

  /// The plan below a projection.
  fileprivate var unprojected: LogicalPlan {
    if case .project(let input, _) = self { return input }
    return self
  }
}

extension ScanPlan {
  /// The columns of a key or of a foreign key, if all of them are among some columns.
  func indexedColumns(among columns: [ColumnID]) -> Set<ColumnID> {
    let indices =
      table.keys.map(\.columns)
      + table.foreignKeys.filter(\.isEnforced).map(\.columns)
      + table.indexes.compactMap(\.plainColumns)
    for index in indices {
      let own = index.compactMap(columnID)
      if own.count == index.count, own.allSatisfy(columns.contains) { return Set(own) }
    }
    return []
  }
}
