import Testing

@testable import Columnar

@Suite("Masks of validity")
struct ValidityMaskTests {
  private static func mask(_ valid: [Bool]) -> ValidityMask {
    var mask = ValidityMask.writable(count: valid.count)
    for (row, isValid) in valid.enumerated() where !isValid {
      mask.setNull(row, count: valid.count)
    }
    return mask
  }

  @Test("are written behind one another as their bits are", arguments: 0..<20)
  func write(_ seed: Int) {
    var random = SplitMix(state: UInt64(seed))
    let capacity = 1000
    var expected: [Bool] = []
    var written = ValidityMask.allValid
    while true {
      let length = Int(random.next() % 3 == 0 ? random.next() % 200 : random.next() % 9)
      if expected.count + length > capacity { break }
      let part = (0..<length).map { _ in random.next() % 3 > 0 }
      let isWhole = random.next() % 3 == 0
      written.write(
        isWhole ? .allValid : Self.mask(part), count: length, at: expected.count,
        capacity: capacity)
      expected += isWhole ? part.map { _ in true } : part
    }
    for (row, isValid) in expected.enumerated() { #expect(written.isValid(row) == isValid) }
    for row in expected.count..<capacity { #expect(written.isValid(row)) }
  }

  @Test("are overwritten by what is written again")
  func again() {
    var mask = Self.mask(Array(repeating: false, count: 300))
    mask.write(.allValid, count: 70, at: 61, capacity: 300)
    for row in 0..<300 { #expect(mask.isValid(row) == (61..<131).contains(row)) }
  }

  @Test("of rows are those of values, whatever form a vector has")
  func rows() {
    let flat = Vector(.integer, [.int32(1), .null, .int32(3), .null])
    let positions = Buffer<UInt32>([3, 0, 1, 2, 2])
    for vector in [
      flat, flat.gathered(positions, count: 5), Vector(constant: .null, type: .integer, count: 5),
      Vector(constant: .int32(1), type: .integer, count: 5),
    ] {
      for row in 0..<vector.count {
        #expect(vector.rowValidity.isValid(row) == vector.isValid(row))
      }
    }
  }
}
