import Columnar
import Diagnostics
package import Planning
package import Storage

/// A look at some rows of a table for how many combinations the values of columns make: brands have one maker each, and a year has
/// twelve months, however many there are in all.
package struct CombinationSample {
  /// The rows; nil for all of the table.
  private let scan: ScanPlan?
  private let columns: [Int]
  private let table: TableStore

  /// How many rows are looked at: conditions may leave few of them.
  private static let looks = 8192
  /// The same where all rows count.
  private static let unfilteredLooks = 4096

  /// nil where the conditions depend on the statement's parameters, session or other tables.
  package init?(_ scan: ScanPlan, _ columns: [Int], _ table: TableStore) {
    guard scan.canBeSampled else { return nil }
    self.scan = scan
    self.columns = columns.sorted()
    self.table = table
  }

  /// A look at all rows of a table.
  package init(_ columns: [Int], _ table: TableStore) {
    scan = nil
    self.columns = columns
    self.table = table
  }

  /// A number for the question as one on the table, as that of `ConditionSample`.
  package func fingerprint(statement: UInt64) -> UInt64 {
    var print = scan?.fingerprint(statement: statement) ?? Fingerprint()
    for column in columns { print.add(29, UInt64(truncatingIfNeeded: column)) }
    return print.value
  }

  /// About how many combinations there are; nil if a condition fails, or no row looked at meets them all.
  ///
  /// `distinctCount` gives the number of different values of a column of the table, where that is known.
  ///
  /// The estimate is PostgreSQL's: Haas and Stokes, "Estimating the Number of Classes in a Finite Population", 1998.
  ///
  /// - Complexity: O(1) in the rows of the table.
  package func count(
    _ context: ExecutionContext, distinctCount: (Int) -> Double? = { _ in nil }
  ) -> Double? {
    do throws(SQLError) {
      let filters = scan?.filters ?? []
      let (positions, looked) = table.spreadPositions(
        filters.isEmpty ? Self.unfilteredLooks : Self.looks)
      let asked = filters.columns
      let read = scan?.columns.filter { asked.contains($0.column.id) } ?? []
      let filter = try ConjunctiveFilter(
        filters.cheapFirst, ExpressionCompiler(read.map(\.column)))
      let combinations = GroupTable(types: columns.map { table.types[$0] })
      let sizes = Buffer<UInt32>(zeroed: looked + 1)
      var met = 0
      var stretches = Stretches()
      for start in stride(from: 0, to: looked, by: Vector.chunkCapacity) {
        let count = min(Vector.chunkCapacity, looked - start)
        var rows = positions.slice(start..<(start + count))
        var found = count
        if !filters.isEmpty {
          var chunk = try TableColumns(read).sample(rows, count: count, of: table)
          if let kept = try filter.select(&chunk, context) {
            let all = rows
            rows = Buffer<UInt32>(uninitialized: max(1, kept.count))
            for row in 0..<kept.count { rows[row] = all[kept.positions[row]] }
            found = kept.count
          }
        }
        let values = columns.map { table.column($0).look(rows, count: found) }
        let groups = try combinations.findOrInsert(values, count: found)
        if table.streamed != nil { stretches.add(groups, count: found, combinations.groupCount) }
        for row in 0..<found { sizes[groups[row]] += 1 }
        met += found
      }
      if met == 0 { return nil }
      let all = Double(table.liveRowCount) * Double(met) / Double(looked)
      let groupCount = Double(combinations.groupCount)
      let estimate = Self.estimate(sizes, combinations.groupCount, of: Double(met), all)
      if stretches.areApart(estimate, groupCount) { return groupCount * all / Double(met) }
      guard filters.isEmpty, table.streamed == nil,
        let product = try independent(
          positions, looked, combinations.groupCount, columns.map(distinctCount))
      else { return estimate }
      return max(estimate, product)
    } catch {
      return nil
    }
  }

  /// The number of combinations of columns that have nothing to do with each other, where most of them have rows.
  ///
  /// Rows of few values fall together often, so that an estimate by how often they do finds too few combinations of those of many. It
  /// is nil where there may be more combinations than have rows, and where the rows looked at fall together more often than if
  /// each column had its values from another row, or too seldom to tell.
  private func independent(
    _ positions: Buffer<UInt32>, _ looked: Int, _ groupCount: Int, _ counts: [Double?]
  ) throws(SQLError) -> Double? {
    let known = counts.compactMap { $0 }
    let rows = Double(table.liveRowCount)
    let product = known.reduce(1, *)
    guard counts.count > 1, known.count == counts.count, product <= rows / 4 else { return nil }
    let mixed = GroupTable(types: columns.map { table.types[$0] })
    for start in stride(from: 0, to: looked, by: Vector.chunkCapacity) {
      let count = min(Vector.chunkCapacity, looked - start)
      let values = columns.enumerated().map { place, column in
        let rows = Buffer<UInt32>(uninitialized: count)
        let shift = place * looked / columns.count
        for row in 0..<count { rows[row] = positions[(start + row + shift) % looked] }
        return table.column(column).look(rows, count: count)
      }
      _ = try mixed.findOrInsert(values, count: count)
    }
    let chance = Double(looked - mixed.groupCount)
    guard chance >= Self.leastChance,
      Double(looked - groupCount) <= chance + 3 * chance.squareRoot()
    else { return nil }
    return product * rows / (product + rows)
  }

  /// Fewer rows that fall together say nothing.
  private static let leastChance = 16.0

  /// The number of groups in `all` rows, from the sizes of the groups that `rows` of them are in.
  private static func estimate(
    _ sizes: Buffer<UInt32>, _ groupCount: Int, of rows: Double, _ all: Double
  ) -> Double {
    var once = 0.0
    for group in 0..<groupCount where sizes[group] == 1 { once += 1 }
    return rows * Double(groupCount) / (rows - once + once * rows / max(all, rows))
  }
}

/// Which groups the stretches of rows share that a sample is made of, where rows cannot be had one by one.
private struct Stretches {
  /// The groups of each stretch.
  private var counts: [Double] = []

  /// Notes the groups of a stretch's rows.
  mutating func add(_ groups: Buffer<UInt32>, count: Int, _ groupCount: Int) {
    let seen = Buffer<UInt8>(zeroed: groupCount + 1)
    var found = 0
    for row in 0..<count {
      found &+= seen[groups[row]] == 0 ? 1 : 0
      seen[groups[row]] = 1
    }
    counts.append(Double(found))
  }

  /// Whether the stretches share far fewer groups than they would of so many in any order: values stand together then, as those of
  /// a file that is sorted, and there are more the more rows there are.
  func areApart(_ estimate: Double, _ groupCount: Double) -> Bool {
    let all = counts.reduce(0, +)
    let squares = counts.reduce(0) { $0 + $1 * $1 }
    let expected = (all * all - squares) / 2 / max(estimate, 1)
    return expected >= Self.expectedMin && all - groupCount < expected / 4
  }

  /// Fewer may be chance.
  private static let expectedMin = 8.0
}
