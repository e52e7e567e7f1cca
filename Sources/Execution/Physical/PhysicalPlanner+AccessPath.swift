import Catalog
import Columnar
import Planning
import Storage

/// Values that conditions hold columns of one table equal to.
struct EquatedColumns {
  /// One value or, for IN, several.
  struct Values {
    var values: [BoundExpression]
    /// The condition that says so, by index.
    var condition: Int
  }
  /// For each column once, which goes by its index in the table: conditions speak of few.
  private var known: [(column: Int, values: Values)] = []

  var isEmpty: Bool { known.isEmpty }

  /// What `conditions` hold columns of `scan` equal to, computed from other columns only.
  init(_ scan: ScanPlan, _ conditions: [BoundExpression]) {
    func isOutside(_ expression: BoundExpression) -> Bool {
      !expression.uses(scan.columnIDs) && !expression.isVolatile
    }
    for (number, condition) in conditions.enumerated() {
      if case .comparison(.equal, let left, let right) = condition {
        for (one, two) in [(left, right), (right, left)] {
          guard let id = one.asColumn, let index = scan.column(id), isOutside(two),
            two.type.physical == one.type.physical
          else { continue }
          add(index, [two], number)
        }
      } else if case .inList(let operand, let list, negated: false) = condition {
        guard let id = operand.asColumn, let index = scan.column(id), list.allSatisfy(isOutside),
          list.allSatisfy({ $0.type.physical == operand.type.physical })
        else { continue }
        add(index, list, number)
      } else if case .quantified(
        .equal, let operand, .constant(.list(let values), let type), isAll: false) = condition
      {
        guard let id = operand.asColumn, let index = scan.column(id), let element = type.element,
          element.physical == operand.type.physical
        else { continue }
        add(index, values.map { .constant($0, element) }, number)
      } else {
        continue
      }
    }
  }

  /// Keeps the shorter list where two conditions speak of one column.
  private mutating func add(_ column: Int, _ values: [BoundExpression], _ condition: Int) {
    let found = Values(values: Self.unique(values), condition: condition)
    guard let place = known.firstIndex(where: { $0.column == column }) else {
      known.append((column, found))
      return
    }
    if known[place].values.values.count > values.count { known[place].values = found }
  }

  /// Lists name a value once: an index would give its rows twice.
  private static func unique(_ values: [BoundExpression]) -> [BoundExpression] {
    if values.count < 2 { return values }
    var seen: Set<String> = []
    return values.filter { seen.insert($0.signature).inserted }
  }

  /// The most keys that one lookup takes.
  private static let keyLimit = 4096

  /// The keys of an index over `columns` and the conditions they stand for; nil where a column has
  /// no value.
  ///
  /// Keys written differently, two parameters say, may be equal: they are given only to who finds the rows of equal keys once,
  /// and says that they `mayRepeat`.
  func keys(_ columns: [Int], mayRepeat: Bool = false) -> (
    keys: [[BoundExpression]], conditions: Set<Int>
  )? {
    // Of most indices nothing is known.
    for column in columns where !known.contains(where: { $0.column == column }) { return nil }
    var keys: [[BoundExpression]] = [[]]
    var conditions: Set<Int> = []
    for column in columns {
      guard let found = known.first(where: { $0.column == column })?.values else { return nil }
      guard
        mayRepeat || found.values.count == 1 || found.values.allSatisfy({ $0.asConstant != nil })
      else { return nil }
      if keys.count * found.values.count > Self.keyLimit { return nil }
      keys = keys.flatMap { key in found.values.map { key + [$0] } }
      conditions.insert(found.condition)
    }
    return columns.isEmpty ? nil : (keys, conditions)
  }
}

extension TableDefinition {
  /// The keys and plain indices that a hash index stands behind, unique ones first.
  var hashIndices: [(columns: [Int], isUnique: Bool)] {
    var found = keys.map { (columns: $0.columns, isUnique: !$0.deferral.isDeferrable) }
    for index in indexes where index.predicate == nil {
      var columns: [Int] = []
      for case .column(let column, _) in index.keys { columns.append(column) }
      if columns.count == index.keys.count {
        found.append((columns: columns, isUnique: index.isUnique))
      }
    }
    return found
  }
}

extension PhysicalPlanner {
  /// The best way to the rows of a table that meet the scan's filters.
  func planned(_ scan: ScanPlan) -> PlannedOperator {
    let profile = RelationProfile.of(
      .scan(scan), inputs: [], commons: [:], statistics: statistics)
    let filters = scan.filters.cheapFirst
    if rules.contains(.indexAccess), !filters.isEmpty {
      let equated = EquatedColumns(scan, filters)
      if let found = keyLookup(scan, filters, equated, isUnique: true, profile) { return found }
      if let found = adjacencyLookup(scan, filters, equated, profile) { return found }
      if let found = keyLookup(scan, filters, equated, isUnique: false, profile) { return found }
    }
    let node = TableScan(
      table: scan.table, alias: scan.alias, columns: scan.columns, filters: filters)
    return PlannedOperator(
      .scan(node), outputs: scan.columns.map(\.column), profile: profile)
  }

  private func keyLookup(
    _ scan: ScanPlan, _ filters: [BoundExpression], _ equated: EquatedColumns, isUnique: Bool,
    _ profile: RelationProfile
  ) -> PlannedOperator? {
    for index in scan.table.hashIndices where index.isUnique == isUnique {
      guard let (keys, used) = equated.keys(index.columns, mayRepeat: true) else { continue }
      let rest = filters.indices.filter { !used.contains($0) }.map { filters[$0] }
      let node = KeyLookup(
        table: scan.table, alias: scan.alias, columns: scan.columns, keyColumns: index.columns,
        keys: keys, filters: rest)
      let rows = isUnique ? min(profile.rows, Double(keys.count)) : profile.rows
      return PlannedOperator(
        .keyLookup(node), outputs: scan.columns.map(\.column), profile: profile.scaled(to: rows))
    }
    return nil
  }

  /// The rows of a child table whose foreign key has known values.
  private func adjacencyLookup(
    _ scan: ScanPlan, _ filters: [BoundExpression], _ equated: EquatedColumns,
    _ profile: RelationProfile
  ) -> PlannedOperator? {
    if equated.isEmpty { return nil }
    let table = RelationProfile.table(scan.table, columns: scan.columns, statistics: statistics)
    var best: (key: Int, keys: [[BoundExpression]], used: Set<Int>, rows: Double)?
    let foreignKeys = scan.table.foreignKeys
    for number in foreignKeys.indices {
      guard let (keys, used) = equated.keys(foreignKeys[number].columns, mayRepeat: true),
        isWalkable(foreignKeys[number], of: scan.table)
      else { continue }
      let rows = used.reduce(table.rows) { $0 * table.selectivity(of: filters[$1]) }
      if best.map({ rows < $0.rows }) ?? true { best = (number, keys, used, rows) }
    }
    guard let best, !isBetterScanned(scan, filters, best.used, by: best.key, table) else {
      return nil
    }
    let rest = filters.indices.filter { !best.used.contains($0) }.map { filters[$0] }
    var step = AdjacencyStep(
      edgeTable: scan.table, edgeAlias: scan.alias, from: best.key,
      parentTable: tables[scan.table.foreignKeys[best.key].parent],
      edgeColumns: scan.columns, filters: rest)
    step.arrivals = arrivals(from: best.key, of: scan.table)
    let share = rest.reduce(1) { $0 * table.selectivity(of: $1) }
    return PlannedOperator(
      .adjacencyLookup(AdjacencyLookup(step: step, keys: best.keys)),
      outputs: scan.columns.map(\.column), profile: profile.scaled(to: best.rows * share))
  }

  /// Whether so much of a table hangs on the parents that going through all of it is quicker than a look at each place.
  private func isBetterScanned(
    _ scan: ScanPlan, _ filters: [BoundExpression], _ used: Set<Int>, by key: Int,
    _ table: RelationProfile
  ) -> Bool {
    let foreign = scan.table.foreignKeys[key]
    let read = scan.columns.count { !foreign.columns.contains($0.index) }
    let found = used.reduce(table.rows) { $0 * table.selectivity(of: filters[$1]) }
    // Few rows are in the cache at their second look.
    return read > 0 && found >= Self.scannedMin
      && table.rows * Self.scannedCost + found * Double(read) * Self.readCost
        < found * scan.edgeCost(foreign, rows: table.rows)
  }

  private static let scannedMin = 100_000.0
  /// What it costs to ask a condition of a row of a table that is gone through, and to read a column of a row kept, beside
  /// following an edge.
  static let scannedCost = 0.3
  private static let readCost = 0.5

  /// Whether every row of the child hangs on a parent's row, so that walking from parents meets
  /// them all.
  ///
  /// A deferred foreign key may be violated for a while, and its types must be the parent's for
  /// keys to be found.
  func isWalkable(_ key: ForeignKeyConstraint, of table: TableDefinition) -> Bool {
    guard key.alwaysHasParent, let parent = tables[key.parent] else { return false }
    return zip(key.columns, key.parentColumns).allSatisfy { own, other in
      table.columns.indices.contains(own) && parent.columns.indices.contains(other)
        && table.columns[own].type.physical == parent.columns[other].type.physical
    }
  }

  /// The neighbours that an index leads to from the parent of a foreign key.
  func arrivals(from: Int, of table: TableDefinition) -> [AdjacencyStep.Arrival] {
    let foreignKeys = table.foreignKeys
    return foreignKeys.indices.compactMap { number in
      guard foreignKeys[number].columns.count == 1, table.hasJunction(from: from, to: number)
      else { return nil }
      let key = foreignKeys[number]
      guard let parent = tables[key.parent], repeatsKey(key, of: table, in: parent) else {
        return nil
      }
      return AdjacencyStep.Arrival(
        to: number, table: parent, edgeColumn: key.columns[0],
        neighbourColumn: key.parentColumns[0])
    }
  }

  /// Whether a foreign key's column holds just what its parent's key does: equal values of these types are one and the
  /// same, which 1.0 and 1.00 are not.
  func repeatsKey(
    _ key: ForeignKeyConstraint, of table: TableDefinition, in parent: TableDefinition
  ) -> Bool {
    guard key.columns.count == 1, key.parentColumns.count == 1 else { return false }
    let type = table.columns[key.columns[0]].type
    return (type.isInteger || type == .uuid)
      && type == parent.columns[key.parentColumns[0]].type
  }

  /// How many rows of the child hang on a parent that a row of an input names, on average.
  func degree(
    _ foreign: ForeignKeyConstraint, of scan: ScanPlan, from input: PlannedOperator,
    _ key: [BoundExpression]
  ) -> Double {
    let rows = statistics(scan.table.id)?.rowCount ?? 1000
    let average = degree(foreign, of: scan.table, rows: rows)
    guard key.count == 1, let own = key[0].asColumn, let other = scan.columnID(foreign.columns[0])
    else { return average }
    return average
      * RelationProfile.commonSkew((input.profile, own), (statistics.profile(of: scan), other))
  }

  /// How many rows of the child hang on one row of the parent, on average.
  func degree(_ key: ForeignKeyConstraint, of table: TableDefinition, rows: Double) -> Double {
    let parents = max(1, statistics(key.parent)?.rowCount ?? 1000)
    return rows / parents
  }
}
