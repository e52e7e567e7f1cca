import Testing

@testable import Columnar

@Suite("Division by a number that is the same for all rows")
struct ReciprocalTests {
  @Test(
    "gives what the machine's division gives",
    arguments: [2, 3, 5, 7, 10, 12, 60, 97, 255, 256, 1000, 65_537, 1 << 30, Int64(Int32.max)])
  func quotients(_ divisor: Int64) throws {
    var dividends: [Int64] = [0, 1, 2, divisor - 1, divisor, divisor + 1, 2 * divisor - 1]
    dividends += [Int64(Int32.max), Int64(Int32.max) - 1, 1 << 31, (1 << 31) - divisor]
    var state: UInt64 = 7
    for _ in 0..<2000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      dividends.append(Int64(state >> (33 + state % 30)))
    }
    for divisor in [divisor, -divisor] {
      let reciprocal = try #require(Reciprocal(divisor))
      for value in dividends where value.magnitude <= Reciprocal.dividendLimit {
        for dividend in [value, -value] {
          #expect(reciprocal.quotient(dividend) == dividend / divisor)
          #expect(reciprocal.remainder(dividend) == dividend % divisor)
        }
      }
    }
  }

  @Test("is left to the machine where it may fail, or multiplies nothing")
  func others() {
    for divisor in [0, 1, -1, 1 << 31, Int64.max, Int64.min] { #expect(Reciprocal(divisor) == nil) }
  }

  @Test("is exact for the least number of 32 and of 16 bits")
  func leastNumbers() throws {
    for divisor: Int32 in [2, 3, -7, 1000, .max] {
      let reciprocal = try #require(Reciprocal(divisor))
      #expect(reciprocal.quotient(Int32.min) == Int32.min / divisor)
      #expect(reciprocal.remainder(Int32.min) == Int32.min % divisor)
    }
    for divisor: Int16 in [2, -3, 1000, .max, .min] {
      let reciprocal = try #require(Reciprocal(divisor))
      for dividend in Int16.min...Int16.max {
        #expect(reciprocal.quotient(dividend) == dividend / divisor)
        #expect(reciprocal.remainder(dividend) == dividend % divisor)
      }
    }
  }
}
