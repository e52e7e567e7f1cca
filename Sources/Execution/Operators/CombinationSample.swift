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
      guard let scan, !scan.filters.isEmpty else { return try unfiltered(distinctCount) }
      return try filtered(scan, context)
    } catch {
      return nil
    }
  }

  /// The combinations in rows that meet conditions.
  private func filtered(
    _ scan: ScanPlan, _ context: ExecutionContext
  ) throws(SQLError) -> Double? {
    let (positions, looked) = table.spreadPositions(Self.looks)
    let asked = scan.filters.columns
    let read = scan.columns.filter { asked.contains($0.column.id) }
    let filter = try ConjunctiveFilter(
      scan.filters.cheapFirst, ExpressionCompiler(read.map(\.column)))
    let combinations = GroupTable(types: columns.map { table.types[$0] })
    let sizes = Buffer<UInt32>(zeroed: looked + 1)
    var met = 0
    var stretches = Stretches()
    for start in stride(from: 0, to: looked, by: Vector.chunkCapacity) {
      let count = min(Vector.chunkCapacity, looked - start)
      var rows = positions.slice(start..<(start + count))
      var found = count
      var chunk = try TableColumns(read).sample(rows, count: count, of: table)
      if let kept = try filter.select(&chunk, context) {
        let all = rows
        rows = Buffer<UInt32>(uninitialized: max(1, kept.count))
        for row in 0..<kept.count { rows[row] = all[kept.positions[row]] }
        found = kept.count
      }
      let values = columns.map { table.column($0).look(rows, count: found) }
      let groups = try combinations.findOrInsert(values, count: found)
      if table.streamed != nil { stretches.add(groups, count: found, combinations.groupCount) }
      for row in 0..<found { sizes[groups[row]] += 1 }
      met += found
    }
    return estimate(sizes, combinations.groupCount, met: met, of: looked, stretches)
  }

  /// The combinations in all rows.
  ///
  /// Columns are asked for together with one after another of the others, so their values in the sample are kept as numbers.
  private func unfiltered(_ distinctCount: (Int) -> Double?) throws(SQLError) -> Double? {
    let (positions, looked) = table.spreadPositions(Self.unfilteredLooks)
    var numbers: [Buffer<UInt32>] = []
    for column in columns {
      guard
        let own = table.sampledValues(
          ofColumn: column,
          make: { try? Self.numbers(ofColumn: column, positions, looked, in: table) })
      else { return nil }
      numbers.append(own)
    }
    let sizes = Buffer<UInt32>(zeroed: looked + 1)
    var stretches = Stretches()
    let groupCount = try Self.groups(of: numbers, looked) { groups, count, groupCount in
      if table.streamed != nil { stretches.add(groups, count: count, groupCount) }
      for row in 0..<count { sizes[groups[row]] += 1 }
    }
    let estimate = estimate(sizes, groupCount, met: looked, of: looked, stretches)
    guard let estimate, table.streamed == nil,
      let product = try independent(numbers, looked, groupCount, columns.map(distinctCount))
    else { return estimate }
    return max(estimate, product)
  }

  /// The values of a column at some positions, as numbers of different ones.
  private static func numbers(
    ofColumn column: Int, _ positions: Buffer<UInt32>, _ looked: Int, in table: TableStore
  ) throws(SQLError) -> Buffer<UInt32> {
    let different = GroupTable(types: [table.types[column]])
    let numbers = Buffer<UInt32>(uninitialized: max(1, looked))
    for start in stride(from: 0, to: looked, by: Vector.chunkCapacity) {
      let count = min(Vector.chunkCapacity, looked - start)
      let values = table.column(column).look(positions.slice(start..<(start + count)), count: count)
      let groups = try different.findOrInsert([values], count: count)
      numbers.copy(groups, count: count, to: start)
    }
    return numbers
  }

  /// Gives the groups of combinations of numbers, a chunk at a time with the number of groups so far, and says how many there are.
  private static func groups(
    of numbers: [Buffer<UInt32>], _ looked: Int,
    _ body: (_ groups: Buffer<UInt32>, _ count: Int, _ groupCount: Int) -> Void
  ) throws(SQLError) -> Int {
    let combinations = GroupTable(types: numbers.map { _ in .integer })
    for start in stride(from: 0, to: looked, by: Vector.chunkCapacity) {
      let count = min(Vector.chunkCapacity, looked - start)
      let values = numbers.map { numbers in
        let signed = Buffer<Int32>(uninitialized: max(1, count))
        for row in 0..<count { signed[row] = Int32(bitPattern: numbers[start + row]) }
        return Vector(.integer, signed, count: count)
      }
      let groups = try combinations.findOrInsert(values, count: count)
      body(groups, count, combinations.groupCount)
    }
    return combinations.groupCount
  }

  /// The number of combinations in all rows from the sizes of those in `met` rows of a sample of `looked`; nil of no rows.
  private func estimate(
    _ sizes: Buffer<UInt32>, _ groupCount: Int, met: Int, of looked: Int, _ stretches: Stretches
  ) -> Double? {
    if met == 0 { return nil }
    let all = Double(table.liveRowCount) * Double(met) / Double(looked)
    let estimate = Self.estimate(sizes, groupCount, of: Double(met), all)
    return stretches.areApart(estimate, Double(groupCount))
      ? Double(groupCount) * all / Double(met) : estimate
  }

  /// The number of combinations of columns that have nothing to do with each other, where most of them have rows.
  ///
  /// Rows of few values fall together often, so that an estimate by how often they do finds too few combinations of those of many. It
  /// is nil where there may be more combinations than have rows, and where the rows looked at fall together more often than if
  /// each column had its values from another row, or too seldom to tell.
  private func independent(
    _ numbers: [Buffer<UInt32>], _ looked: Int, _ groupCount: Int, _ counts: [Double?]
  ) throws(SQLError) -> Double? {
    let known = counts.compactMap { $0 }
    let rows = Double(table.liveRowCount)
    let product = known.reduce(1, *)
    guard counts.count > 1, known.count == counts.count, product <= rows / 4 else { return nil }
    let shifted = numbers.enumerated().map { place, numbers in
      let shift = place * looked / columns.count
      let result = Buffer<UInt32>(uninitialized: max(1, looked))
      for row in 0..<looked { result[row] = numbers[(row + shift) % looked] }
      return result
    }
    let mixed = try Self.groups(of: shifted, looked) { _, _, _ in }
    let chance = Double(looked - mixed)
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
