import Diagnostics
import Testing

@testable import Columnar

@Suite("Numbers of more than 38 digits")
struct LongNumberTests {
  private func number(_ random: inout SplitMix, digits: Int) -> BigInteger {
    var result = BigInteger(1)
    for _ in 0..<digits {
      // Digits of ones and zeros only are the hard ones for long division.
      let word = random.next()
      let digit: UInt64 =
        switch word % 4 {
        case 0: 0
        case 1: UInt64(UInt32.max)
        default: word >> 32
        }
      result = result * BigInteger(1 << 32) + BigInteger(UInt128(digit))
    }
    return result
  }

  @Test("quotient and remainder make the dividend again", arguments: [1, 2, 3] as [UInt64])
  func division(_ seed: UInt64) {
    var random = SplitMix(state: seed)
    for _ in 0..<500 {
      let dividend = number(&random, digits: Int(random.next() % 12))
      let divisor = number(&random, digits: Int(random.next() % 8))
      let (quotient, remainder) = dividend.divided(by: divisor)
      #expect(remainder < divisor)
      let product = quotient * divisor + remainder
      #expect(!(product < dividend) && !(dividend < product))
    }
  }

  @Test("a square root is the greatest whose square is not above the number")
  func squareRoots() {
    var random = SplitMix(state: 7)
    for _ in 0..<200 {
      let value = number(&random, digits: Int(random.next() % 10))
      let root = value.squareRoot
      let next = root + BigInteger(1)
      #expect(!(value < root * root))
      #expect(value < next * next)
    }
    #expect(BigInteger.zero.squareRoot.isZero)
  }

  @Test("a quotient of long decimals has the digits of a short one")
  func quotients() throws {
    for (left, right) in [("1", "3"), ("-22.5", "7"), ("0.001", "8"), ("10000", "0.3")] {
      let a = try Numeric(parsing: left)
      let b = try Numeric(parsing: right)
      #expect(
        try "\((BigDecimal(a) / BigDecimal(b)).numeric())" == "\(Numeric.divide(a, b))")
    }
  }

  @Test("real numbers have 38 right digits")
  func reals() throws {
    let two = WideReal.logarithm(Numeric(2))
    #expect(
      try "\(two.numeric(scale: 38))" == "0.69314718055994530941723212145817656808")
    #expect(
      try "\(WideReal(1).exponential.numeric(scale: 37))"
        == "2.7182818284590452353602874713526624978")
    #expect(
      try "\((-two).exponential.numeric(scale: 20))" == "0.50000000000000000000")
    let third = WideReal(1) / WideReal(3)
    #expect(try "\((third - third).numeric(scale: 2))" == "0.00")
    #expect(try "\((third + third).numeric(scale: 5))" == "0.66667")
  }

  @Test(
    "a number without room is refused, and told what room there is",
    arguments: ["1e300", "1e-300"])
  func refused(_ text: String) {
    let bytes = Buffer(Array(text.utf8))
    let error = #expect(throws: SQLError.self) {
      try Numeric.parse(bytes.bytes(0..<bytes.count))
    }
    #expect(error?.state == .numericOutOfRange)
    #expect(error?.detail?.contains("at most 38 digits") == true)
  }
}
