import Catalog
import Columnar
import Diagnostics
import Execution
import Planning
import Storage

/// Numbers from a seed, the same on every machine.
struct RowGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// A table of whole numbers for tests: what a model computes with, and what a plan scans.
final class Relation {
  let columns: [PlanColumn]
  let rows: [[Int?]]
  let table: TableDefinition
  let store: TableStore

  /// Columns are named `c0`, …, and numbered from `firstID`.
  init(firstID: Int32, width: Int, rows: [[Int?]]) {
    self.rows = rows
    columns = (0..<width).map {
      PlanColumn(ColumnID(firstID + Int32($0)), "c\($0)", .integer)
    }
    table = TableDefinition(
      id: ObjectID(UInt32(firstID)), name: ObjectName("t\(firstID)"),
      columns: columns.map { TableColumn(name: $0.name, columnType: ColumnType(.integer)) })
    let writer = TableWriter(TableStore(types: columns.map(\.type)))
    let vectors = (0..<width).map { column in
      Vector(
        .integer,
        rows.map { row in row[column].map { Value.int32(Int32($0)) } ?? .null })
    }
    // A table without keys takes any rows.
    _ = try? writer.append(DataChunk(vectors, count: rows.count))
    store = writer.freeze()
  }

  /// Random rows; a value is NULL one time in eight.
  static func random(
    firstID: Int32, width: Int, count: Int, values: Int, seed: UInt64
  ) -> Relation {
    var generator = RowGenerator(seed)
    let rows = (0..<count).map { _ in
      (0..<width).map { _ -> Int? in
        Int.random(in: 0..<8, using: &generator) == 0
          ? nil : Int.random(in: 0..<max(values, 1), using: &generator)
      }
    }
    return Relation(firstID: firstID, width: width, rows: rows)
  }

  var scan: PhysicalPlan {
    let read = columns.enumerated().map { ScanPlan.Column($0.element, index: $0.offset) }
    return PhysicalPlan(
      .scan(TableScan(table: table, alias: table.name.name, columns: read, filters: [])),
      outputs: columns, estimatedRows: Double(rows.count))
  }

  func column(_ index: Int) -> BoundExpression { .column(columns[index].id, .integer) }
}

/// Runs a plan over relations and gives its rows as numbers.
func run(
  _ plan: PhysicalPlan, over relations: [Relation], parameters: [Vector] = []
) throws(SQLError) -> [[Int?]] {
  var tables: [ObjectID: TableStore] = [:]
  for relation in relations { tables[relation.table.id] = relation.store }
  let context = ExecutionContext(
    evaluation: EvaluationContext(transactionTime: 0, statementTime: 0),
    tables: TableSet(tables), parameters: parameters)
  let executor = try QueryExecutor(plan)
  // One that is cancelled while its stages are made leaves nothing behind.
  let cancelled = EvaluationContext(transactionTime: 0, statementTime: 0)
  cancelled.cancel()
  RunningStatement.within(cancelled) {
    _ = try? executor.execute(
      in: ExecutionContext(
        evaluation: cancelled, tables: TableSet(tables), parameters: parameters))
  }
  _ = try executor.execute(in: context)
  // A second run over the same state must give the same rows.
  return rows(of: try executor.execute(in: context))
}

func rows(of result: QueryResult) -> [[Int?]] {
  var found: [[Int?]] = []
  for chunk in result.chunks {
    precondition(
      chunk.count > 0 && chunk.count <= QueryExecutor.resultChunkLimit, "a chunk is of good size")
    for row in 0..<chunk.count { found.append(chunk.columns.map { number($0.value(at: row)) }) }
  }
  return found
}

func number(_ value: Value) -> Int? {
  switch value {
  case .boolean(let value): value ? 1 : 0
  case .int16(let value): Int(value)
  case .int32(let value): Int(value)
  case .int64(let value): Int(value)
  default: nil
  }
}

/// Rows in an order of their own, for results without one.
func sorted(_ rows: [[Int?]]) -> [[Int?]] {
  rows.sorted { left, right in
    for (a, b) in zip(left, right) where a != b { return (a ?? Int.min) < (b ?? Int.min) }
    return false
  }
}
