import Columnar
import Testing

@Suite("Lists that are parts of a longer vector")
struct ListConcatenationTests {
  /// Rows of up to four numbers, some of them NULL.
  private func lists(_ count: Int) -> Vector {
    var builder = VectorBuilder(.array(.integer))
    for row in 0..<count {
      if row % 7 == 3 {
        builder.appendNull()
      } else {
        builder.append(.list((0..<(row % 5)).map { .int32(Int32(row + $0)) }))
      }
    }
    return builder.finish()
  }

  private func parts(_ whole: Vector, of length: Int) -> [Vector] {
    stride(from: 0, to: whole.count, by: length).map { start in
      whole.slice(from: start, count: min(length, whole.count - start))
    }
  }

  private func expectSame(_ one: Vector, _ other: Vector) {
    #expect(one.count == other.count)
    #expect((0..<one.count).allSatisfy { "\(one.value(at: $0))" == "\(other.value(at: $0))" })
  }

  @Test("are put together without the elements of the other rows of each")
  func concatenation() throws {
    let whole = lists(20_000)
    let parts = parts(whole, of: 100)
    let joined = Vector.concatenate(parts, type: whole.type)
    expectSame(joined, whole)
    #expect(joined.children[0].count <= 2 * whole.children[0].count + 2 * parts.count)
    let sliced = try Vector.concatenateInSlices(parts, type: whole.type)
    expectSame(sliced, whole)
    #expect(sliced.children[0].count <= 2 * whole.children[0].count + 2 * parts.count)
    var builder = VectorBuilder(whole.type)
    for part in parts { builder.append(part) }
    let built = builder.finish()
    expectSame(built, whole)
    #expect(built.children[0].count <= 2 * whole.children[0].count + 2 * parts.count)
  }

  @Test("in another order, and the same row again and again")
  func gathered() throws {
    let whole = lists(3000)
    let positions = Buffer((0..<40_000).map { UInt32(($0 * 7919) % 3000) })
    let gathered = whole.gathered(positions, count: 40_000)
    let joined = try Vector.concatenateInSlices(
      parts(gathered.flattened(), of: 500), type: whole.type)
    expectSame(joined, gathered.flattened())
    #expect(joined.children[0].count <= 80 * whole.children[0].count)
    let constant = whole.gathered(Buffer(Array(repeating: UInt32(4), count: 5000)), count: 5000)
    var builder = VectorBuilder(whole.type)
    for part in parts(constant.flattened(), of: 50) { builder.append(part) }
    let built = builder.finish()
    expectSame(built, constant.flattened())
    #expect(built.children[0].count <= 5000 * 4 * 2)
  }

  @Test("of lists")
  func nested() throws {
    var builder = VectorBuilder(
      .array(
        .record(RecordType(name: nil, fields: [.init("a", .integer), .init("b", .array(.text))]))))
    for row in 0..<2000 {
      builder.append(
        .list(
          (0..<(row % 3)).map { place in
            .record([.int32(Int32(row)), .list([.string("x\(row)"), .string("y\(place)")])])
          }))
    }
    let whole = builder.finish()
    let joined = try Vector.concatenateInSlices(parts(whole, of: 10), type: whole.type)
    expectSame(joined, whole)
  }
}
