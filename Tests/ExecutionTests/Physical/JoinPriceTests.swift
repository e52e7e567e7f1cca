import Testing

@testable import Execution
@testable import Planning

@Suite("Joins along foreign keys into large tables")
struct JoinPriceTests {
  private static func shop(sales: Double) -> PlanFixture {
    var fixture = PlanFixture()
    fixture.add("day", rows: 2000, "id int,year int", keys: [["id"]])
    fixture.add("item", rows: 20_000, "id int,name text", keys: [["id"]])
    fixture.add(
      "sale", rows: sales, "ticket int,item_id int,day_id int,customer int,price int,cost int",
      keys: [["ticket", "item_id"]],
      references: [(["item_id"], "item"), (["day_id"], "day")])
    fixture.add(
      "refund", rows: sales / 10, "ticket int,item_id int,customer int,amount int",
      references: [(["ticket", "item_id"], "sale")])
    return fixture
  }

  private static let sums =
    "SELECT d.year, sum(s.price), sum(s.cost) FROM day d JOIN sale s ON s.day_id = d.id"

  /// 30 of 200 years.
  private static let years = (1...30).map(String.init).joined(separator: ", ")

  @Test("go through the table where many of its rows are wanted, which is one look at each place")
  func manyRows() throws {
    let plan = try Self.shop(sales: 4e6)
      .explained(
        "\(Self.sums) WHERE d.year IN (\(Self.years)) GROUP BY d.year, s.customer")
    #expect(plan.contains("Hash Join"), "\(plan)")
    #expect(!plan.contains("Adjacency Join"), "\(plan)")
  }

  @Test("follow edges where few rows are wanted, and where the table is small")
  func fewRows() throws {
    for (sales, years) in [(4e6, "1"), (1e5, Self.years)] {
      let plan = try Self.shop(sales: sales)
        .explained("\(Self.sums) WHERE d.year IN (\(years)) GROUP BY d.year, s.customer")
      #expect(plan.contains("Adjacency Join on sale"), "\(plan)")
    }
  }

  @Test("find a row for each that names a whole key, however many columns the key has")
  func wholeKeys() throws {
    let fixture = Self.shop(sales: 4e6)
    for more in ["", " AND s.customer = r.customer"] {
      let plan = try fixture.plan(
        "SELECT s.cost FROM refund r JOIN sale s ON s.ticket = r.ticket AND s.item_id = r.item_id\(more)"
      )
      #expect(plan.estimatedRows == 4e5, "\(plan.estimatedRows) rows\(more)")
    }
  }

  @Test("guess as many rows for a value and a list with it as for the value")
  func valueAndList() throws {
    let fixture = Self.shop(sales: 4e6)
    func rows(_ conditions: String) throws -> Double {
      try fixture.plan("SELECT id FROM day WHERE \(conditions)").estimatedRows
    }
    #expect(try rows("year = 5 AND year IN (4, 5, 6)") == rows("year = 5"))
  }

  @Test("find keys that follow from a table's key, computed ones among them")
  func computedKeys() throws {
    let fixture = Self.shop(sales: 4e6)
    for from in [
      "sale s JOIN item i ON i.id = s.item_id",
      "sale s JOIN (SELECT id, upper(name) AS name FROM item) i ON i.id = s.item_id",
    ] {
      let plan = try fixture.explained(
        "SELECT substr(i.name, 1, 3), i.id, s.cost, count(*) FROM \(from) GROUP BY 1, 2, 3")
      #expect(plan.contains("Determined: substr"), "\(plan)")
    }
    let plan = try fixture.explained(
      "SELECT substr(i.name, s.cost), i.id, count(*) FROM sale s JOIN item i ON i.id = s.item_id GROUP BY 1, 2"
    )
    #expect(!plan.contains("Determined"), "\(plan)")
  }

  @Test("count pairs where the rows between have conditions, and group where the edges do")
  func filteredPairs() throws {
    var fixture = PlanFixture()
    fixture.add("student", rows: 100_000, "id int,city text", keys: [["id"]])
    fixture.add("course", rows: 5000, "id int,name text", keys: [["id"]])
    fixture.add(
      "takes", rows: 800_000, "student int,course int,grade int", keys: [["student", "course"]],
      references: [(["student"], "student"), (["course"], "course")])
    func plan(_ condition: String) throws -> String {
      try fixture.explained(
        """
        SELECT a.course, b.course, count(*) FROM takes a JOIN takes b ON b.student = a.student
        WHERE a.course < b.course AND \(condition) GROUP BY 1, 2
        """)
    }
    let between = try plan("a.student % 2 = 1")
    #expect(between.contains("Pair Count") && between.contains("% 2) = 1"), "\(between)")
    for condition in ["a.grade = 3", "a.grade > a.student"] {
      let edges = try plan(condition)
      #expect(edges.contains("HashAggregate"), "\(edges)")
    }
  }
}
