import Columnar
import Testing

@Suite("The square root of a numeric")
struct NumericRootTests {
  /// Roots of up to 19 digits, whose squares need up to 127 bits.
  static let roots: [Int128] = (0..<200).map { number in
    var state = UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int128(state >> UInt64(number % 60)) % 9_000_000_000_000_000_000 + 2
  }

  @Test("is exact for squares, and below and above it beside them")
  func squares() throws {
    for root in Self.roots {
      func squareRoot(_ offset: Int128) throws -> Numeric {
        try Numeric.squareRoot(Numeric(coefficient: root * root + offset, scale: 0))
      }
      let exact = Numeric(coefficient: root, scale: 0)
      #expect(try squareRoot(0) == exact, "of the square of \(root)")
      // The neighbours' roots differ by less than the digits that are kept where numbers are great.
      #expect(try squareRoot(-1) <= exact, "below the square of \(root)")
      #expect(try squareRoot(1) >= exact, "above the square of \(root)")
      if root < 1_000_000 {
        #expect(try squareRoot(-1) < exact && squareRoot(1) > exact, "beside the square of \(root)")
      }
    }
  }

  /// Their roots have so many digits that one more than is kept takes all of 128 bits.
  @Test(
    "has all digits that fit",
    arguments: [
      ("0.04000000000000000000000000000000000000", "0.20000000000000000000000000000000000000"),
      ("0.08999999999999999999999999999999999990", "0.29999999999999999999999999999999999983"),
      ("0.02890000000000000000000000000000000000", "0.17000000000000000000000000000000000000"),
      ("0.10890000000000000000000000000000000000", "0.33000000000000000000000000000000000000"),
    ])
  func longRoots(_ number: String, _ root: String) throws {
    #expect(try Numeric.squareRoot(Numeric(parsing: number)).description == root)
  }
}
