import Columnar
import Diagnostics
import Execution
import Planning
import Synchronization
import Testing

@Suite("An expression over one column that is looked up")
struct TabulatedEvaluatorTests {
  private static let rowCount = 60_000

  /// `a * 10 + 1`, -1 for NULL, counting the rows it is computed for; it fails for `refused`.
  private func call(
    _ argument: BoundExpression, refusing refused: Int32? = nil, _ computed: Counter
  ) -> BoundExpression {
    .call(
      BoundCall(
        name: "tenfold", arguments: [argument], type: .integer, isStrict: false,
        volatility: .immutable
      ) { (arguments, count, _) throws(SQLError) in
        computed.rows.withLock { $0 += count }
        let values = arguments[0].flattened()
        let result = Buffer<Int32>(uninitialized: count)
        for row in 0..<count {
          let value = values.values(Int32.self)[row]
          if values.isValid(row) && value == refused {
            throw SQLError(.divisionByZero, "refused")
          }
          result[row] = values.isValid(row) ? value &* 10 &+ 1 : -1
        }
        return Vector(.integer, result, count: count)
      })
  }

  private final class Counter: Sendable {
    let rows = Mutex(0)
  }

  private func expect(
    _ values: [Int?], refusing refused: Int32? = nil
  ) throws -> (computed: Int, isRight: Bool) {
    let input = Relation(firstID: 1, width: 1, rows: values.map { [$0] })
    let counter = Counter()
    let output = PlanColumn(ColumnID(50), "tenfold", .integer)
    let plan = PhysicalPlan(
      .project(
        input.scan, [call(input.column(0), refusing: refused, counter)]),
      outputs: [output], estimatedRows: 1)
    let found = try run(plan, over: [input])
    return (counter.rows.withLock { $0 }, found == values.map { [$0.map { $0 * 10 + 1 } ?? -1] })
  }

  @Test("is computed for each number once it has come up, by each worker")
  func fewValues() throws {
    let (computed, isRight) = try expect(
      (0..<Self.rowCount).map { $0 % 9 == 0 ? nil : $0 * 7919 % 1000 - 300 })
    #expect(isRight)
    #expect(computed < 20_000)
  }

  @Test("is computed for growing numbers not much more often than there are rows")
  func growing() throws {
    let (computed, isRight) = try expect((0..<Self.rowCount).map { $0 / 2 - 7_000 })
    #expect(isRight)
    #expect(computed < 3 * Self.rowCount)
    let (slow, isSlowRight) = try expect((0..<Self.rowCount).map { 100 - $0 / 600 })
    #expect(isSlowRight)
    #expect(slow < 30_000)
  }

  @Test("is computed for rows where numbers are far apart")
  func farApart() throws {
    let (computed, isRight) = try expect(
      (0..<Self.rowCount).map { $0 % 3 == 0 ? nil : $0 * 3_001 % 1_000_003 })
    #expect(isRight)
    // The plan is run twice.
    #expect(computed == 2 * Self.rowCount)
  }

  @Test("does not fail for a number that no row has")
  func failing() throws {
    let values = (0..<Self.rowCount).map { row -> Int? in
      let number = row * 31 % 500
      return number == 250 ? nil : number
    }
    #expect(try expect(values, refusing: 250).isRight)
    // Just beyond the last number, where there is room for more.
    let growing = (0..<Self.rowCount).map { row -> Int? in row / 600 }
    #expect(try expect(growing, refusing: 100).isRight)
    #expect(throws: SQLError.self) { try expect(values, refusing: 13) }
  }
}
