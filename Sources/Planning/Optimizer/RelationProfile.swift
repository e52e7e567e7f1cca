package import Catalog
import Columnar

/// What is guessed of a column's values in the rows of one operator.
package struct ColumnProfile: Sendable {
  /// How many different values there are; of a table, counted when somebody asks.
  package var distinctCount: Double {
    get { own ?? count() }
    set { own = newValue }
  }
  /// The number that is known apart from the table's.
  private var own: Double?
  private let count: @Sendable () -> Double
  package var nullFraction: Double
  /// The least and greatest value as numbers, where the type has an order that numbers show.
  package var range: ClosedRange<Double>?
  /// How many different values lie in `range`, whatever rows are left.
  package var rangeCount: Double? { range == nil ? nil : count() }
  /// Whether no two rows of the table have the same value.
  package var isKey = false
  /// The column of a table of which these are values, as they come in its rows.
  package var stored: StoredColumn?
  /// The table that the column is read from; its columns have no more combinations than it has rows.
  package var origin: ScanOrigin?

  package init(
    distinctCount: @escaping @autoclosure @Sendable () -> Double, nullFraction: Double = 0,
    origin: ScanOrigin? = nil
  ) {
    count = distinctCount
    self.nullFraction = nullFraction
    self.origin = origin
  }
}

/// What is guessed of the rows of one operator.
package struct RelationProfile: Sendable {
  package var rows: Double
  package var columns: ColumnMap<ColumnProfile>
  /// The columns by place, if the rows are those of a common table expression.
  package var order: [ColumnID] = []
  /// The keys of several columns that tables have whose rows are part of these.
  package var keys: [CompositeKey] = []
  /// By which columns rows of scans, named as in `ScanOrigin`, were found by a key of theirs.
  private(set) var determinants: [(scan: ColumnID, by: ColumnID)] = []

  package init(rows: Double, columns: ColumnMap<ColumnProfile> = [:]) {
    self.rows = rows
    self.columns = columns
  }

  /// The number of different values of a column, which is at most the number of rows.
  package func distinctCount(_ column: ColumnID) -> Double {
    min(max(columns[column]?.distinctCount ?? max(rows * 0.1, min(rows, 10)), 1), max(rows, 1))
  }

  /// The profile with another number of rows.
  package func scaled(to rows: Double) -> RelationProfile {
    var result = self
    result.rows = rows
    return result
  }

  package func merging(_ other: RelationProfile, rows: Double) -> RelationProfile {
    var result = RelationProfile(rows: rows, columns: columns)
    result.keys = keys
    result.determinants = determinants
    result.merge(other)
    return result
  }

  /// A profile of other columns of the same rows.
  func keepingRows(_ rows: Double) -> RelationProfile {
    var result = RelationProfile(rows: rows)
    result.determinants = determinants
    return result
  }

  /// Adds the columns and keys of another relation.
  mutating func merge(_ other: RelationProfile) {
    columns.merge(other.columns) { first, _ in first }
    keys += other.keys
    determinants += other.determinants
  }
}

extension RelationProfile {
  /// The profile of rows of which none comes twice: how often a value came in a table's rows says nothing of them.
  func different(_ count: Double) -> RelationProfile {
    var result = scaled(to: count)
    result.columns.changeAll { $0.stored = nil }
    return result
  }

  /// The share of rows for which a condition is true, 0 to 1.
  ///
  /// The constants for what nothing is known of are those that PostgreSQL uses.
  package func selectivity(of condition: BoundExpression) -> Double {
    switch condition {
    case .constant(.boolean(let value), _): return value ? 1 : 0
    case .constant: return 0
    case .column: return 0.5
    case .and(let list): return list.reduce(1) { $0 * selectivity(of: $1) }
    case .or(let list): return 1 - list.reduce(1) { $0 * (1 - selectivity(of: $1)) }
    case .not(let operand): return max(0, 1 - selectivity(of: operand))
    case .comparison(let comparison, let left, let right):
      return selectivity(comparison, left, right)
    case .distinct(let left, let right, let negated):
      let equal = selectivity(.equal, left, right)
      return negated ? equal : 1 - equal
    case .isNull(let operand, let negated):
      let share = operand.asColumn.flatMap { columns[$0]?.nullFraction } ?? 0.01
      return negated ? 1 - share : share
    case .isBoolean(let operand, let value, let negated):
      let isTrue = selectivity(of: operand)
      return value != negated ? isTrue : 1 - isTrue
    case .inList(let operand, let list, let negated):
      let share = min(1, Double(list.count) * equality(with: operand))
      return negated ? 1 - share : share
    case .quantified(.equal, let operand, let array, isAll: false):
      var count = 10.0
      if case .constant(.list(let values), _) = array { count = Double(values.count) }
      return min(1, count * equality(with: operand))
    case .call(let call) where call.name.hasPrefix("~~"): return 0.05
    case .call(let call) where call.name.hasPrefix("!~"): return 0.95
    case .parameter, .call, .cast, .caseWhen, .coalesce, .extreme, .quantified, .quantifiedCall,
      .array, .row, .field, .shared, .decoded, .local, .session, .subquery, .aggregate, .window:
      return 1.0 / 3
    }
  }

  /// The share of rows for which an expression equals some one value.
  private func equality(with operand: BoundExpression) -> Double {
    guard let column = operand.asColumn, columns[column] != nil else {
      return operand.asColumn == nil ? 0.005 : 1 / distinctCount(operand.asColumn ?? ColumnID(0))
    }
    let share = 1 - (columns[column]?.nullFraction ?? 0)
    return share / distinctCount(column)
  }

  /// The share of pairs in which two columns are equal.
  ///
  /// A calendar has days of two hundred years, and the sales that are joined with it have five. Days outside of these are as
  /// good as not there, and conditions on days are taken as ones on the others: who asks for sales of a year asks for one
  /// that there is.
  private func equality(_ first: ColumnID, _ second: ColumnID) -> Double {
    if let one = columns[first]?.range, let two = columns[second]?.range, one.overlaps(two) {
      let common = one.clamped(to: two).width
      if common < Self.nearlyAll * max(one.width, two.width) {
        func count(_ column: ColumnID, _ range: ClosedRange<Double>) -> Double {
          (columns[column]?.rangeCount ?? distinctCount(column)) * common / range.width
        }
        return 1 / max(count(first, one), count(second, two), 1)
      }
    }
    // Of a key all values of the table count: others name rows that a filter may have dropped.
    func count(_ id: ColumnID) -> Double {
      guard let column = columns[id], column.isKey else { return distinctCount(id) }
      return max(column.rangeCount ?? 1, 1)
    }
    return Self.commonSkew(columns[first], columns[second]) / max(count(first), count(second))
  }

  /// How many times as many pairs are equal as there would be if all values were as frequent: those of one column that are
  /// frequent on one side are so on the other.
  private static func commonSkew(_ one: ColumnProfile?, _ two: ColumnProfile?) -> Double {
    guard let one, let two, let own = one.stored, let other = two.stored, own.isSame(as: other)
    else { return 1 }
    return one.isKey ? 1 : max(1, own.skew)
  }

  /// The part of a range that is taken for the whole of it.
  private static let nearlyAll = 0.9

  private func selectivity(
    _ comparison: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression
  ) -> Double {
    switch comparison {
    case .equal:
      if let first = left.asColumn, let second = right.asColumn, columns[second] != nil,
        columns[first] != nil
      {
        return equality(first, second)
      }
      return right.asColumn != nil && left.asColumn == nil
        ? equality(with: right) : equality(with: left)
    case .notEqual: return 1 - selectivity(.equal, left, right)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      if let column = left.asColumn, let value = right.asConstant?.asDouble {
        return share(of: column, below: comparison == .less || comparison == .lessOrEqual, value)
      }
      if let column = right.asColumn, let value = left.asConstant?.asDouble {
        return share(
          of: column, below: comparison == .greater || comparison == .greaterOrEqual, value)
      }
      return 1.0 / 3
    }
  }

  /// The share of a column's values on one side of a number, taken as spread evenly.
  private func share(of column: ColumnID, below: Bool, _ value: Double) -> Double {
    guard let range = columns[column]?.range, range.upperBound > range.lowerBound else {
      return 1.0 / 3
    }
    let part = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
    let clamped = min(max(below ? part : 1 - part, 0), 1)
    return max(clamped, 1e-6)
  }

  /// The share of rows for which all conditions are true.
  ///
  /// A bound from below and one from above on the same column leave what lies between them; of a value and a list of values for
  /// a column the narrower counts.
  private func share(of conditions: [BoundExpression]) -> Double {
    var share = 1.0
    var named: ColumnMap<Double> = [:]
    var bounds: ColumnMap<(below: Double, above: Double)> = [:]
    for condition in conditions.flatMap(\.conjuncts) {
      let own = selectivity(of: condition)
      if let column = condition.columnWithValues {
        // One by one, so that the result does not depend on the order of a dictionary.
        let known = named[column] ?? 1
        named[column] = min(known, own)
        share *= own < known ? own / known : 1
        continue
      }
      if case .comparison(let comparison, let left, let right) = condition,
        let column = left.asColumn, right.asConstant != nil, columns[column]?.range != nil
      {
        switch comparison {
        case .less, .lessOrEqual:
          let known = bounds[column] ?? (1, 1)
          bounds[column] = (min(known.below, own), known.above)
          continue
        case .greater, .greaterOrEqual:
          let known = bounds[column] ?? (1, 1)
          bounds[column] = (known.below, min(known.above, own))
          continue
        case .equal, .notEqual: break
        }
      }
      share *= own
    }
    for bound in bounds.values { share *= max(bound.below + bound.above - 1, 1e-4) }
    return share
  }

  /// The profile of the rows that meet all conditions; `sample` is what is known of how many do.
  package func filtered(
    by conditions: [BoundExpression], _ sample: SampledShare? = nil
  ) -> RelationProfile {
    if conditions.isEmpty { return self }
    let guess = share(of: conditions)
    let share = sample?.nearest(to: guess) ?? guess
    // A guess of less than a row would make all that is joined with it nothing, whatever it is.
    var result = scaled(to: max(rows * share, min(rows, 1)))
    for condition in conditions {
      if case .comparison(.equal, let left, let right) = condition {
        for (one, two) in [(left, right), (right, left)] {
          if let column = one.asColumn, columns[column] != nil, two.columns.isEmpty {
            result.columns[column]?.distinctCount = 1
          }
        }
      }
      if case .inList(let operand, let list, negated: false) = condition,
        let column = operand.asColumn, let known = columns[column]?.distinctCount
      {
        result.columns[column]?.distinctCount = min(known, Double(list.count))
      }
    }
    return result
  }

  /// The profile of a table's rows before any filter.
  package static func table(
    _ table: TableDefinition, columns: [ScanPlan.Column], statistics: StatisticsSource
  ) -> RelationProfile {
    let known = statistics(table.id)
    let rows = known?.rowCount ?? 1000
    var profile = RelationProfile(
      rows: rows, columns: ColumnMap(minimumCapacity: columns.count))
    let origin = columns.first.map { ScanOrigin($0.column.id, rows: rows) }
    for column in columns {
      let coded = ScanPlan.codedColumn(column.index)
      guard let index = coded ?? (column.index >= 0 ? column.index : nil) else {
        profile.columns[column.column.id] = ColumnProfile(
          distinctCount: rows, nullFraction: 0, origin: origin)
        continue
      }
      let found = known?.column(index)
      let isKey = table.keys.contains { $0.columns.isOnly(index) }
      // A foreign key has about as many values as its parent has rows, unless more is known.
      let parent = table.foreignKeys.first { $0.columns.isOnly(index) }?.parent
      let guess = parent.map { statistics($0)?.rowCount ?? rows } ?? 200
      var own = ColumnProfile(
        distinctCount: isKey ? rows : max(1, found?.distinctCount ?? min(rows, guess)),
        origin: origin)
      own.isKey = isKey
      own.stored = StoredColumn(
        table.id, index, span: found?.span ?? 1, isCoded: coded != nil, skew: found?.skew)
      if let found {
        own.nullFraction = found.nullFraction
        if coded == nil, let low = found.minimum?.asDouble, let high = found.maximum?.asDouble,
          low <= high
        {
          own.range = low...high
        }
      }
      profile.columns[column.column.id] = own
    }
    guard let origin else { return profile }
    for key in table.keys where key.columns.count > 1 {
      let read = key.columns.compactMap { index in
        columns.first { $0.index == index }?.column.id
      }
      guard read.count == key.columns.count else { continue }
      profile.keys.append(CompositeKey(columns: read, scan: origin.scan, rows: rows))
    }
    return profile
  }

  /// The profile of the rows of a scan.
  static func scanned(_ scan: ScanPlan, _ statistics: StatisticsSource) -> RelationProfile {
    let known = statistics(scan.table.id)
    var profile = table(scan.table, columns: scan.columns, statistics: statistics)
    if !scan.filters.isEmpty {
      let sample = known?.sampled(scan, beside: statistics.largestRowCount)
      profile = profile.filtered(by: scan.filters, sample)
    }
    guard let first = scan.columns.first else { return profile }
    let origin = ScanOrigin(
      first.column.id, rows: max(profile.rows, 1), isFiltered: !scan.filters.isEmpty
    ) { known?.combinations(scan, $0) }
    profile.columns.changeAll { $0.origin = origin }
    return profile
  }

  /// The profile of a join's rows.
  package static func join(
    _ kind: JoinPlan.Kind, _ left: RelationProfile, _ right: RelationProfile,
    on conditions: [BoundExpression]
  ) -> RelationProfile {
    let both = left.merging(right, rows: max(left.rows, right.rows))
    let rows = joinedRows(kind, left, right, both: both, on: conditions)
    switch kind {
    case .inner:
      return both.determined(right, by: conditions).determined(left, by: conditions)
        .scaled(to: rows)
    case .left, .single: return both.determined(right, by: conditions).scaled(to: rows)
    case .right, .full: return both.scaled(to: rows)
    case .semi, .anti: return left.scaled(to: rows)
    case .mark(let column):
      var result = left
      result.columns[column.id] = ColumnProfile(distinctCount: 2, nullFraction: 0)
      return result
    }
  }

  /// Notes of a side's tables by what a join finds their rows.
  private func determined(
    _ side: RelationProfile, by conditions: [BoundExpression]
  ) -> RelationProfile {
    var result = self
    for condition in conditions {
      guard case .comparison(.equal, let left, let right) = condition, let one = left.asColumn,
        let two = right.asColumn
      else { continue }
      for (key, other) in [(one, two), (two, one)] where side.columns[other] == nil {
        guard let found = side.columns[key], found.isKey, let origin = found.origin else {
          continue
        }
        result.determinants.append((origin.scan, other))
      }
    }
    return result
  }

  /// The number of a join's rows; `both` has the columns of both sides.
  static func joinedRows(
    _ kind: JoinPlan.Kind, _ left: RelationProfile, _ right: RelationProfile,
    both: RelationProfile, on conditions: [BoundExpression]
  ) -> Double {
    switch kind {
    case .single, .mark: return left.rows
    case .semi, .anti:
      let matched = matchedShare(left, right, conditions)
      return left.rows * (kind.isAnti ? max(1 - matched, 0.01) : matched)
    case .inner, .left, .right, .full: break
    }
    var wide = both
    wide.rows = max(left.rows, right.rows)
    let match = wide.keyMatches(conditions).first
    var share = match?.share ?? 1
    for (place, condition) in conditions.enumerated()
    where !(match?.conditions.contains(place) ?? false) {
      share *= min(wide.selectivity(of: condition), greatestShare(left, right, condition))
    }
    let pairs = conditions.reduce(left.rows * right.rows * share) {
      min($0, mostPairs(left, right, $1))
    }
    switch kind {
    case .left: return max(pairs, left.rows)
    case .right: return max(pairs, right.rows)
    case .full: return max(pairs, left.rows, right.rows)
    case .inner, .single, .semi, .anti, .mark: return max(pairs, min(left.rows, right.rows, 1))
    }
  }

  /// The share of pairs in which two columns are equal if all values of the side with fewer are among those of the other.
  private static func greatestShare(
    _ left: RelationProfile, _ right: RelationProfile, _ condition: BoundExpression
  ) -> Double {
    guard case .comparison(.equal, let first, let second) = condition,
      let one = first.asColumn, let two = second.asColumn
    else { return 1 }
    let (own, other) = left.columns[one] != nil ? (one, two) : (two, one)
    guard left.columns[own] != nil, right.columns[other] != nil else { return 1 }
    return commonSkew(left.columns[own], right.columns[other])
      / max(left.distinctCount(own), right.distinctCount(other))
  }

  /// As many pairs as there are at most: a row finds at most one of a table whose key is equal to it.
  private static func mostPairs(
    _ left: RelationProfile, _ right: RelationProfile, _ condition: BoundExpression
  ) -> Double {
    guard case .comparison(.equal, let first, let second) = condition,
      let one = first.asColumn, let two = second.asColumn
    else { return .infinity }
    return min(
      left.mostPairs(by: one, with: right.rows), right.mostPairs(by: one, with: left.rows),
      left.mostPairs(by: two, with: right.rows), right.mostPairs(by: two, with: left.rows))
  }

  /// As many pairs as so many other rows make at most if they name rows by a column.
  private func mostPairs(by id: ColumnID, with others: Double) -> Double {
    // Below a join a row of the table may come several times.
    guard let column = columns[id], column.isKey, let origin = column.origin,
      rows <= max(origin.rows, 1)
    else { return .infinity }
    return others
  }

  /// The share of left rows that find a match.
  private static func matchedShare(
    _ left: RelationProfile, _ right: RelationProfile, _ conditions: [BoundExpression]
  ) -> Double {
    if right.rows < 0.5 { return 0 }
    // The right side is there, and may match more than a guess of so few rows says.
    let right = right.scaled(to: max(right.rows, 1))
    var share = 1.0
    var isFound = false
    for condition in conditions {
      guard case .comparison(.equal, let first, let second) = condition,
        let one = first.asColumn, let two = second.asColumn
      else { continue }
      let (own, other) = left.columns[one] != nil ? (one, two) : (two, one)
      share = min(
        share,
        commonSkew(left.columns[own], right.columns[other]) * right.distinctCount(other)
          / left.distinctCount(own))
      isFound = true
    }
    if isFound { return min(1, share) }
    return conditions.isEmpty ? 1 : 0.5
  }
}

extension [Int] {
  /// Whether the list has one element, and that is it.
  fileprivate func isOnly(_ element: Int) -> Bool { count == 1 && self[0] == element }
}

extension ClosedRange<Double> {
  /// How many whole numbers there are in the range.
  fileprivate var width: Double { upperBound - lowerBound + 1 }
}

extension JoinPlan.Kind {
  fileprivate var isAnti: Bool {
    if case .anti = self { return true }
    return false
  }
}
