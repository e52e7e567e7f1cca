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
  /// The column of a table from whose rows these values were taken, each once, and of how many rows each on average.
  package private(set) var drawn: (column: StoredColumn, rows: Double)?
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

  /// The profile of the values of several columns, one behind another.
  ///
  /// Values of one column of a table are the same ones in each of them; those of others may all be different.
  init(united parts: [(own: ColumnProfile, rows: Double)]) {
    let stored = parts.map { $0.own.stored ?? $0.own.drawn?.column }
    let areOfOne = stored.allSatisfy { one in
      one.map { $0.table == stored[0]?.table && $0.index == stored[0]?.index } ?? false
    }
    let counts = parts.map { min($0.own.distinctCount, max($0.rows, 1)) }
    let count = areOfOne ? counts.max() ?? 1 : counts.reduce(0, +)
    let rows = parts.reduce(0) { $0 + $1.rows }
    let nulls = parts.reduce(0) { $0 + $1.own.nullFraction * $1.rows }
    self.init(distinctCount: count, nullFraction: rows > 0 ? nulls / rows : 0)
    let ranges = parts.compactMap(\.own.range)
    if ranges.count == parts.count, let low = ranges.map(\.lowerBound).min(),
      let high = ranges.map(\.upperBound).max()
    {
      range = low...high
    }
  }

  /// The profile of the same values, of which `rows` rows have at most `count` different ones, each of them once.
  func different(_ count: Double, of rows: Double) -> ColumnProfile {
    var result = self
    if let stored {
      let count = min(count, distinctCount, rows)
      result.drawn = (stored, min(rows, origin?.rows ?? rows) / max(count, 1))
    }
    result.stored = nil
    return result
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
  var determinants: [(scan: ColumnID, by: ColumnID)] = []

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
  /// The profile of rows of which none comes twice: how often a value came in a table's rows says only that it is there.
  package func different(_ count: Double) -> RelationProfile {
    var result = scaled(to: count)
    result.columns.changeAll { $0 = $0.different(count, of: rows) }
    return result
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
    for (column, share) in sharesOfValues(conditions) {
      if let known = result.columns[column]?.distinctCount {
        result.columns[column]?.distinctCount = max(1, known * share)
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
        table.id, index, found, rowCount: rows, isCoded: coded != nil)
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
    profile = profile.filtered(
      asIn: scan, known, largestRowCount: statistics.largestRowCount)
    guard let first = scan.columns.first else { return profile }
    let origin = ScanOrigin(
      first.column.id, rows: max(profile.rows, 1), isFiltered: !scan.filters.isEmpty
    ) { known?.combinations(scan, $0) }
    profile.columns.changeAll { $0.origin = origin }
    return profile
  }

  /// The profile of the rows of a table that meet the conditions of a scan.
  private func filtered(
    asIn scan: ScanPlan, _ known: TableStatistics?, largestRowCount: Double
  ) -> RelationProfile {
    if scan.filters.isEmpty { return self }
    // Each is asked of an index, for all of its values.
    var (indexed, others): ([BoundExpression], [BoundExpression]) = ([], [])
    for filter in scan.filters {
      if isIndexed(filter) { indexed.append(filter) } else { others.append(filter) }
    }
    var rest = scan
    if !indexed.isEmpty { rest.filters = others }
    let found = filtered(by: indexed)
    // Of few rows that an index finds it does not matter how many meet the other conditions.
    guard indexed.isEmpty || found.rows >= Self.sampledMin else {
      return found.filtered(by: rest.filters)
    }
    let sample = known?.sampled(rest, beside: largestRowCount)
    return found.filtered(by: rest.filters, sample)
  }
}

extension [Int] {
  /// Whether the list has one element, and that is it.
  fileprivate func isOnly(_ element: Int) -> Bool { count == 1 && self[0] == element }
}
