import Catalog
import Columnar
import Synchronization
import Testing

@testable import Planning

@Suite("What is guessed of a scan is found out once")
struct StatisticsSourceTests {
  @Test("A scan keeps its guess until it is changed")
  func scans() {
    let looks = Atomic(0)
    let statistics = StatisticsSource { _ in
      TableStatistics(
        rowCount: 1000,
        sample: { _, _ in
          looks.add(1, ordering: .relaxed)
          return SampledShare(met: 500, of: 1000)
        }, column: { _ in nil })
    }
    let column = PlanColumn(ColumnID(1), "a", .integer)
    let table = TableDefinition(
      id: ObjectID(1), name: ObjectName("t"),
      columns: [TableColumn(name: "a", columnType: .init(.integer))])
    let small = BoundExpression.comparison(
      .less, column.reference, .constant(.int32(5), .integer))
    let scan = ScanPlan(
      table: table, alias: "t", columns: [ScanPlan.Column(column, index: 0)], filters: [small])
    let rows = statistics.profile(of: scan).rows
    #expect((400...600).contains(rows))
    #expect(statistics.profile(of: scan).rows == rows)
    #expect(looks.load(ordering: .relaxed) == 1)
    var whole = scan
    whole.filters = []
    #expect(statistics.profile(of: whole).rows == 1000)
    #expect(scan.filters.count == 1)
    // The same conditions, but written anew.
    whole.filters = [small]
    #expect(statistics.profile(of: whole).rows == rows)
    #expect(looks.load(ordering: .relaxed) == 2)
  }
}
