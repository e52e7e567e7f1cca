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

  @Test(
    "is not asked for where values rise or fall: then the first rows stand together",
    arguments: [LogicalType.smallint, .integer, .bigint], [false, true])
  func inOrder(type: LogicalType, descending: Bool) throws {
    let order = SortOrder(descending: descending)
    for count in [2, 63, 64, 65, 66, 130, 500] {
      for width in [1, 3, 70] {
        for falls in [false, true] {
          let rising = (0..<count).map { Self.number(($0 - 40) / width, type) }
          let values = falls ? Array(rising.reversed()) : rising
          let column = Vector(type, values)
          for limit in [1, 2, 40, count - 1] where limit < count {
            let found = try #require(column.firstRows(limit, order: order))
            // All that do not come behind the row at the limit.
            let rows = Array(0..<count).sorted {
              (order.compare(column, $0, column, $1), $0) < (0, $1)
            }
            let expected = (0..<count).filter {
              order.compare(column, $0, column, rows[limit - 1]) <= 0
            }
            #expect(Array(found.rows) == expected, "\(count) \(width) \(falls) \(limit)")
            #expect(order.compare(column, found.last, column, rows[limit - 1]) == 0)
          }
          var off = values
          off.swapAt(count / 2 - 1, count / 2)
          let isSame = order.compare(column, count / 2 - 1, column, count / 2) == 0
          if count > 2 && !isSame {
            #expect(Vector(type, off).firstRows(1, order: order) == nil)
          }
          off[count / 2] = .null
          #expect(Vector(type, off).firstRows(1, order: order) == nil)
        }
      }
    }
  }

  private static func number(_ value: Int, _ type: LogicalType) -> Value {
    switch type.physical {
    case .int16: .int16(Int16(value))
    case .int32: .int32(Int32(value))
    case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      .int64(Int64(value))
    }
  }
}
