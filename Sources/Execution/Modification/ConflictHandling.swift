import Catalog
import Columnar
import Diagnostics
import Planning

/// ON CONFLICT, made ready.
final class ConflictHandling {
  /// What becomes of the rows of a chunk.
  struct Arrangement {
    /// Rows that meet no conflict.
    var fresh: SelectionVector
    /// Rows that do, and the position of the row that is there for each of them.
    var conflicting: SelectionVector
    var existing: Buffer<UInt32>
    /// Whether two rows of the chunk conflict with each other.
    var hasRepeats: Bool
  }

  let isUpdate: Bool
  /// The keys that count, by index.
  private let keys: [Int]
  private let assignments: [(column: Int, evaluator: any Evaluator)]
  private let filter: (any Evaluator)?

  init(
    _ plan: ConflictPlan, _ table: TableDefinition, input: [PlanColumn]
  ) throws(SQLError) {
    keys = plan.keys ?? Array(table.keys.indices)
    isUpdate = plan.update != nil
    guard let update = plan.update else {
      assignments = []
      filter = nil
      return
    }
    let compiler = ExpressionCompiler(update.existing + update.excluded + input)
    var compiled: [(column: Int, evaluator: any Evaluator)] = []
    for (column, value) in update.assignments {
      compiled.append((column, try compiler.compile(value)))
    }
    assignments = compiled
    if let condition = update.filter {
      filter = try compiler.compile(condition)
    } else {
      filter = nil
    }
  }

  func assigns(_ columns: [Int]) -> Bool {
    assignments.contains { columns.contains($0.column) }
  }

  /// Finds the rows that conflict with rows that are there.
  ///
  /// `waiting` are rows whose parents are not there: edges do not tell of them.
  /// - Throws: XX000 if the definitions of tables do not fit.
  func arrange(
    _ rows: DataChunk, _ target: TargetTable, waiting: WaitingRows?
  ) throws(SQLError) -> Arrangement {
    let count = rows.count
    let found = Buffer<UInt32>(repeating: .max, count: max(count, 1))
    var hasRepeats = false
    for index in keys {
      let key = target.table.keys[index]
      let values = key.columns.map { rows.columns[$0] }
      let positions = try target.find(index, values, count: count)
      for row in 0..<count where found[row] == .max { found[row] = positions[row] }
      if let others = try waiting?.find(index, values, count: count) {
        for row in 0..<count where found[row] == .max { found[row] = others[row] }
      }
      if count > 1, !hasRepeats {
        hasRepeats = try KeyRepeats.first(values, count, nullsEqual: key.nullsNotDistinct) != nil
      }
    }
    let fresh = Buffer<UInt32>(uninitialized: max(count, 1))
    let conflicting = Buffer<UInt32>(uninitialized: max(count, 1))
    let existing = Buffer<UInt32>(uninitialized: max(count, 1))
    var freshCount = 0
    var conflictCount = 0
    for row in 0..<count {
      if found[row] == .max {
        fresh[freshCount] = UInt32(truncatingIfNeeded: row)
        freshCount += 1
      } else {
        conflicting[conflictCount] = UInt32(truncatingIfNeeded: row)
        existing[conflictCount] = found[row]
        conflictCount += 1
      }
    }
    if !hasRepeats && isUpdate {
      // Two rows may conflict with one that is there by different keys.
      var seen = PositionSet()
      for row in 0..<conflictCount where !seen.insert(existing[row]) { hasRepeats = true }
    }
    return Arrangement(
      fresh: SelectionVector(fresh, count: freshCount),
      conflicting: SelectionVector(conflicting, count: conflictCount), existing: existing,
      hasRepeats: hasRepeats)
  }

  /// The new values of rows that are there, for those that the condition lets through.
  func evaluate(
    existing: DataChunk, excluded: DataChunk, input: DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> (kept: SelectionVector, values: [(column: Int, value: Vector)]) {
    var chunk = DataChunk(
      existing.columns + excluded.columns + input.columns, count: existing.count)
    var kept = SelectionVector.all(existing.count)
    if let filter {
      kept = SelectionVector(whereTrue: try filter.evaluate(&chunk, context))
      guard kept.count > 0 else { return (kept, []) }
      chunk = chunk.gathered(kept)
    }
    var values: [(column: Int, value: Vector)] = []
    for assignment in assignments {
      values.append((assignment.column, try assignment.evaluator.evaluate(&chunk, context)))
    }
    return (kept, values)
  }
}

/// Finds rows of one chunk whose keys are equal.
enum KeyRepeats {
  /// The first row whose key an earlier row of the chunk has; nil if there is none.
  ///
  /// Keys with a NULL differ from all others unless `nullsEqual`.
  /// - Complexity: O(*n*) on average.
  static func first(
    _ values: [Vector], _ count: Int, nullsEqual: Bool
  ) throws(SQLError) -> Int? {
    guard count > 1 else { return nil }
    var kept = Buffer<UInt32>(uninitialized: count)
    var keptCount = count
    var columns = values
    if !nullsEqual, values.contains(where: \.mayHaveNulls) {
      keptCount = 0
      for row in 0..<count where values.allSatisfy({ $0.isValid(row) }) {
        kept[keptCount] = UInt32(truncatingIfNeeded: row)
        keptCount += 1
      }
      let selected = keptCount
      columns = values.map { $0.gathered(kept, count: selected) }
    } else {
      kept = SelectionVector.all(count).positions
    }
    guard keptCount > 1 else { return nil }
    let table = GroupTable(types: columns.map(\.type))
    let fresh = try table.insertNew(columns, count: keptCount)
    if fresh.count == keptCount { return nil }
    return fresh.complement(of: keptCount).positions.array(1).first.map { Int(kept[Int($0)]) }
  }
}
