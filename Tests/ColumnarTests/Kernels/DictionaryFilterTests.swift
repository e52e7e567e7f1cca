import Testing

@testable import Columnar

@Suite("Filters of columns by dictionary")
struct DictionaryFilterTests {
  @Test(
    "keep the rows that the values keep",
    arguments: [
      Comparison.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ], [LogicalType.text, .integer, .double, .numeric])
  func likeValues(comparison: Comparison, type: LogicalType) {
    let numbers = [3, 1, 4, 1, 5, 9, 2, 6]
    var builder = VectorBuilder(type, capacity: 9)
    for number in numbers {
      if type == .text {
        builder.append(.text(Array("a text that is long \(number)".utf8)))
      } else if type == .integer {
        builder.append(.int32(Int32(number)))
      } else if type == .double {
        builder.append(.double(Double(number)))
      } else {
        builder.append(.numeric(Numeric(coefficient: Int128(number), scale: 1)))
      }
    }
    builder.append(.null)
    let dictionary = builder.finish()
    for count in [1, 7, 36, 64, 500, 2048] {
      let places = Buffer<UInt32>(uninitialized: count)
      for row in 0..<count { places[row] = UInt32((row * 7 + row / 5) % 9) }
      let column = dictionary.gathered(places, count: count)
      for place in 0..<9 {
        let one = Buffer<UInt32>(repeating: UInt32(place), count: 1)
        let value = dictionary.gathered(one, count: 1).flattened()
        let constant = Vector(
          type: type, count: count, form: .constant, storage: value.storage,
          validity: value.validity, heaps: value.heaps)
        let found = Filtering.select(comparison, column, constant, count: count)
        let expected = Filtering.select(
          comparison, column.flattened(), constant, count: count, among: .all(count))
        #expect(found.count == expected.count)
        #expect((0..<found.count).allSatisfy { found.positions[$0] == expected.positions[$0] })
      }
    }
  }
}
