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
  /// The estimate is PostgreSQL's: Haas and Stokes, "Estimating the Number of Classes in a Finite Population", 1998.
  ///
  /// - Complexity: O(1) in the rows of the table.
  package func count(_ context: ExecutionContext) -> Double? {
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
        for row in 0..<found { sizes[groups[row]] += 1 }
        met += found
      }
      if met == 0 { return nil }
      let all = Double(table.liveRowCount) * Double(met) / Double(looked)
      return Self.estimate(sizes, combinations.groupCount, of: Double(met), all)
    } catch {
      return nil
    }
  }

  /// The number of groups in `all` rows, from the sizes of the groups that `rows` of them are in.
  private static func estimate(
    _ sizes: Buffer<UInt32>, _ groupCount: Int, of rows: Double, _ all: Double
  ) -> Double {
    var once = 0.0
    for group in 0..<groupCount where sizes[group] == 1 { once += 1 }
    return rows * Double(groupCount) / (rows - once + once * rows / max(all, rows))
  }
}
