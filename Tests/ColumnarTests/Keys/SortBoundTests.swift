import Testing

@testable import Columnar

@Suite("The bound of a sort with a limit")
struct SortBoundTests {
  private static let columns: [(String, LogicalType, [Value])] = [
    ("whole numbers", .integer, [.int32(5), .null, .int32(-3), .int32(5), .int32(7), .int32(0)]),
    ("small numbers", .smallint, [.int16(1), .int16(.max), .null, .int16(.min), .int16(1)]),
    (
      "floats", .double,
      [.double(0), .double(.nan), .double(-.infinity), .null, .double(-0.0), .double(1.5)]
    ),
    (
      "texts", .text,
      ["b", "", "aaaaaaaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaaaaaaaa", "b", "é"].map {
        .text(Array($0.utf8))
      } + [.null]
    ),
    ("padded texts", .character, ["b ", "b", "a", "c"].map { .text(Array($0.utf8)) } + [.null]),
    (
      "exact numbers", .numeric,
      [
        .numeric(Numeric(coefficient: 15, scale: 1)), .numeric(Numeric(coefficient: 150, scale: 2)),
        .null,
        .numeric(Numeric(coefficient: -2, scale: 0)),
      ]
    ),
    ("truths", .boolean, [.boolean(true), .null, .boolean(false)]),
  ]

  @Test(
    "keeps the rows that do not come behind it, in any order of any values",
    arguments: 0..<columns.count)
  func kept(place: Int) throws {
    let (name, type, values) = Self.columns[place]
    let column = Vector(type, values)
    for descending in [false, true] {
      for nullsFirst in [false, true] {
        let order = SortOrder(descending: descending, nullsFirst: nullsFirst)
        for row in values.indices {
          let bound = try #require(SortBound(column, row: row, order: order))
          let kept = try #require(bound.rowsNotBehind(column, count: values.count))
          let found = (0..<kept.count).map { Int(kept.positions[$0]) }
          let expected = values.indices.filter { order.compare(column, $0, column, row) <= 0 }
          #expect(found == expected, "\(name)")
          for other in values.indices {
            let second = try #require(SortBound(column, row: other, order: order))
            #expect(
              bound.isTighter(than: second) == (order.compare(column, row, column, other) < 0))
          }
        }
      }
    }
  }
}
