import Testing

@testable import Columnar

@Suite("Groups of keys by dictionary")
struct DictionaryGroupsTests {
  private static func dictionary(_ type: LogicalType, _ values: [Value]) -> Vector {
    var builder = VectorBuilder(type, capacity: values.count)
    for value in values { builder.append(value) }
    return builder.finish()
  }

  private static func places(_ count: Int, below limit: Int, _ seed: inout UInt64) -> Buffer<UInt32>
  {
    let places = Buffer<UInt32>(uninitialized: count)
    for row in 0..<count {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      places[row] = UInt32(truncatingIfNeeded: (seed >> 33) % UInt64(limit))
    }
    return places
  }

  @Test(
    "are those of the values, whichever dictionaries come",
    arguments: [1, 2, 3], [3, 40, 300])
  func likeValues(keyCount: Int, size: Int) throws {
    var seed = UInt64(size * 7 + keyCount)
    // Two dictionaries of the same values in another order, with NULL and one value twice.
    let values: [Value] =
      [.null, .text(Array("a text that is not short".utf8))]
      + (0..<size).map { .text(Array("v\($0)".utf8)) } + [.text(Array("v1".utf8))]
    let numbers: [Value] = (0..<size).map { .int32(Int32($0 % 9)) }
    let texts = [Self.dictionary(.text, values), Self.dictionary(.text, values.reversed())]
    let whole = Self.dictionary(.integer, numbers)
    let types = [LogicalType.text, .integer, .text].prefix(keyCount)
    let byPlace = GroupTable(types: Array(types))
    let byValue = GroupTable(types: Array(types))
    let newByPlace = GroupTable(types: Array(types))
    let newByValue = GroupTable(types: Array(types))
    for batch in 0..<30 {
      let count = batch % 7 == 3 ? 5 : 500
      let text = texts[batch / 4 % 2]
      let keys = (0..<keyCount).map { key in
        key == 1
          ? whole.gathered(Self.places(count, below: size, &seed), count: count)
          : text.gathered(Self.places(count, below: values.count, &seed), count: count)
      }
      // Now and then a key is no position.
      let mixed = batch % 10 == 9 ? [keys[0].flattened()] + keys.dropFirst() : keys
      let found = try byPlace.findOrInsert(mixed, count: count)
      let expected = try byValue.findOrInsert(keys.map { $0.flattened() }, count: count)
      #expect((0..<count).allSatisfy { found[$0] == expected[$0] })
      let again = try byPlace.find(keys, count: count)
      #expect((0..<count).allSatisfy { again[$0] == expected[$0] })
      let new = try newByPlace.insertNew(mixed, count: count)
      let expectedNew = try newByValue.insertNew(keys.map { $0.flattened() }, count: count)
      #expect(
        new.count == expectedNew.count
          && (0..<new.count).allSatisfy { new.positions[$0] == expectedNew.positions[$0] })
    }
    #expect(byPlace.groupCount == byValue.groupCount)
  }
}
