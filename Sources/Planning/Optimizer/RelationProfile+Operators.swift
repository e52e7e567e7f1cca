import Columnar
import Synchronization

extension RelationProfile {
  /// The profile of an operator's rows, from those of its inputs in their order.
  ///
  /// `commons` has the profiles of common table expressions and recursions around the operator.
  package static func of(
    _ plan: LogicalPlan, inputs: [RelationProfile], commons: [Int: RelationProfile],
    statistics: StatisticsSource
  ) -> RelationProfile {
    let first = inputs.first ?? RelationProfile(rows: 1)
    switch plan {
    case .scan(let scan): return statistics.profile(of: scan)
    case .values(let rows, let columns): return .written(rows, columns)
    case .filter(_, let conditions): return first.filtered(by: conditions)
    case .project(_, let columns): return first.projected(columns)
    case .projectSet(_, let columns, _): return first.projected(columns).scaled(to: first.rows * 10)
    case .join(let join):
      return .join(join.kind, first, inputs[1], on: join.conditions)
    case .path(let path):
      let share = PathReach(path, statistics: statistics).share
      return first.merging(inputs[1], rows: first.rows * inputs[1].rows * share)
    case .aggregate(let aggregate): return first.grouped(aggregate)
    case .window, .sort, .modify: return first
    case .limit(_, let limit):
      var rows = first.rows
      if let offset = limit.offset?.asConstant?.asDouble { rows = max(0, rows - offset) }
      if let count = limit.count?.asConstant?.asDouble { rows = min(rows, max(0, count)) }
      return first.scaled(to: rows)
    case .distinct(let input, let on):
      let columns = on?.compactMap(\.asColumn) ?? input.outputs.map(\.id)
      return first.different(first.groupCount(columns))
    case .setOperation(let operation):
      let sides = [(first, operation.left.outputs), (inputs[1], operation.right.outputs)]
      guard operation.kind == .union else {
        let result = united([sides[0]], as: operation.columns)
        return operation.kind == .except
          ? result : result.scaled(to: min(first.rows, inputs[1].rows))
      }
      let all = united(sides, as: operation.columns)
      return operation.isAll ? all : all.different(all.groupCount(operation.columns.map(\.id)))
    case .recursive: return RelationProfile(rows: max(first.rows, 1) * 10)
    case .workingTable(let id, _): return RelationProfile(rows: commons[id]?.rows ?? 100)
    case .commonReference(let id, let columns):
      return commons[id]?.renamed(columns) ?? RelationProfile(rows: 100)
    case .withCommon: return inputs.last ?? first
    case .tableFunction(let function):
      return first.beside(function, inputs.last, statistics)
    }
  }

  /// The profile of the rows of several relations, one behind another, as rows of `columns`.
  package static func united(
    _ parts: [(profile: RelationProfile, outputs: [PlanColumn])], as columns: [PlanColumn]
  ) -> RelationProfile {
    let rows = parts.reduce(0) { $0 + $1.profile.rows }
    var result = RelationProfile(rows: rows)
    for (place, column) in columns.enumerated() {
      var found: [(own: ColumnProfile, rows: Double)] = []
      for part in parts where part.outputs.indices.contains(place) {
        guard let own = part.profile.columns[part.outputs[place].id] else { continue }
        found.append((own, part.profile.rows))
      }
      if found.count == parts.count { result.columns[column.id] = ColumnProfile(united: found) }
    }
    return result
  }

  private func projected(_ list: [ProjectedColumn]) -> RelationProfile {
    var result = keepingRows(rows)
    for column in list {
      if let source = column.expression.asColumn {
        if let own = columns[source] { result.columns[column.column.id] = own }
      } else {
        // Counted when somebody asks, and once: projections stand on projections.
        let count = CountOnce { self.valueCount(column.expression) }
        result.columns[column.column.id] = ColumnProfile(distinctCount: count.value)
      }
    }
    return result
  }

  /// The profile of rows that `plan` gives, to be read as a common table expression.
  package func shared(as outputs: [PlanColumn]) -> RelationProfile {
    var result = self
    result.order = outputs.map(\.id)
    return result
  }

  /// The profile of a common table expression's rows under the names of one of its references.
  private func renamed(_ outputs: [PlanColumn]) -> RelationProfile {
    var result = RelationProfile(rows: rows)
    guard order.count == outputs.count, let first = outputs.first else { return result }
    // Each reference has rows of its own, of which columns of one table still come together.
    let origin = ScanOrigin(first.id, rows: rows)
    for (source, column) in zip(order, outputs) {
      guard var own = columns[source] else { continue }
      own.origin = origin
      result.columns[column.id] = own
    }
    return result
  }

  /// The number of different combinations of some columns' values.
  ///
  /// Columns of one table have no more combinations than the table has rows, and those that another of the columns determines
  /// make none.
  package func groupCount(_ ids: [ColumnID]) -> Double {
    var telling = ids
    if !determinants.isEmpty {
      for id in ids where telling.count > 1 {
        guard let scan = columns[id]?.origin?.scan else { continue }
        if determinants.contains(where: {
          $0.scan == scan && $0.by != id && telling.contains($0.by)
        }) {
          telling.removeAll { $0 == id }
        }
      }
    }
    let ids = telling
    if ids.isEmpty { return 1 }
    var product = 1.0
    var places: ColumnMap<Int> = [:]
    var tables: [(origin: ScanOrigin, ids: [ColumnID])] = []
    for id in ids {
      guard let origin = columns[id]?.origin else {
        product *= distinctCount(id)
        continue
      }
      if let place = places[origin.scan] {
        tables[place].ids.append(id)
      } else {
        places[origin.scan] = tables.count
        tables.append((origin, [id]))
      }
    }
    for table in tables {
      product *= combinations(of: table.ids, table.origin)
      if product >= rows { return rows }
    }
    return min(product, rows)
  }

  /// Fewer rows are grouped in the time that a look at a sample takes.
  static let sampledMin = 10_000.0

  /// The number of combinations of the values of columns of one table.
  ///
  /// A sample says of brands and their makers what no statistics of single columns do, and how many days there are in two years.
  private func combinations(of ids: [ColumnID], _ origin: ScanOrigin) -> Double {
    let product = min(ids.reduce(1) { $0 * distinctCount($1) }, max(origin.rows, 1))
    let stored = ids.compactMap { columns[$0]?.stored?.index }
    guard rows >= Self.sampledMin, product > 1, ids.count > 1 || origin.isFiltered,
      stored.count == ids.count,
      let sampled = origin.combinations(stored)
    else { return product }
    return max(1, min(product, sampled))
  }

  private func grouped(_ plan: AggregatePlan) -> RelationProfile {
    if plan.keys.isEmpty { return RelationProfile(rows: 1) }
    var sources: [ColumnID] = []
    var computedCount = 1.0
    var result = keepingRows(0)
    for key in plan.keys {
      if let source = key.expression.asColumn, let own = columns[source] {
        result.columns[key.column.id] = own
        sources.append(source)
      } else {
        computedCount *= valueCount(key.expression)
      }
    }
    let count = min(groupCount(sources) * computedCount, rows)
    result.columns.changeAll { $0 = $0.different(count, of: rows) }
    result.rows = count * Double(plan.groupingSets?.count ?? 1)
    return result
  }

  /// The profile of a whole plan.
  ///
  /// - Complexity: O(size of the plan).
  package static func of(
    _ plan: LogicalPlan, statistics: StatisticsSource, commons: [Int: RelationProfile] = [:]
  ) -> RelationProfile {
    var known = commons
    var inputs: [RelationProfile] = []
    for (index, input) in plan.inputs.enumerated() {
      let own = of(input, statistics: statistics, commons: known)
      inputs.append(own)
      if index == 0 {
        if case .withCommon(let id, _, _) = plan {
          known[id] = own.shared(as: input.outputs)
        } else if case .recursive(let recursion) = plan {
          known[recursion.id] = own
        }
      }
    }
    return of(plan, inputs: inputs, commons: known, statistics: statistics)
  }
}

/// A number that is found out when it is asked for.
private final class CountOnce: Sendable {
  private let known = Mutex<Double?>(nil)
  private let count: @Sendable () -> Double

  init(_ count: @escaping @Sendable () -> Double) { self.count = count }

  var value: Double {
    if let found = known.withLock({ $0 }) { return found }
    let found = count()
    known.withLock { $0 = found }
    return found
  }
}
