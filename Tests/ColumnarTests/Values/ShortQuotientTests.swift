import Testing

@testable import Columnar

@Suite("Quotients of numbers of 64 bits")
struct ShortQuotientTests {
  /// Numbers of all lengths, with points in all places.
  private static func number(_ state: inout UInt64) -> Numeric {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let digits = Int128(state >> (state & 63 | 1))
    let coefficient = state & 128 == 0 ? digits : -digits
    return Numeric(coefficient: coefficient, scale: Int16(state >> 8 & 15))
  }

  @Test("are those of numbers of any length")
  func sameQuotients() throws {
    var state: UInt64 = 7
    var found = 0
    for _ in 0..<20_000 {
      let (left, right) = (Self.number(&state), Self.number(&state))
      guard let short = Numeric.shortQuotient(left, right) else { continue }
      found += 1
      let wide = try Numeric.divide(left, right, scale: Int(short.scale))
      #expect(short == wide && short.scale == wide.scale, "\(left) / \(right)")
      let (one, two) = (left.leadingGroup, right.leadingGroup)
      let weight = one.weight - two.weight - (one.digits <= two.digits ? 1 : 0)
      let scale = Numeric.quotientScale(weight, Int(left.scale), Int(right.scale))
      #expect(Int(short.scale) == scale, "\(left) / \(right)")
    }
    #expect(found > 5_000)
  }
}
