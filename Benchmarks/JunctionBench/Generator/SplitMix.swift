/// Steele, Lea and Flood's SplitMix64: the same numbers on every machine for one seed.
///
/// Source: "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed &>> 31)
  }

  /// A number below `bound`, each as likely as the others to within 2^-64 of `bound`.
  mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }
}

/// Draws indices with given whole-number weights in O(1): Walker's alias method as Vose (1991) builds it.
///
/// All arithmetic is in integers, so that a draw is the same everywhere.
struct WeightedChoice {
  private let thresholds: [UInt64]
  private let aliases: [Int]

  /// - Precondition: there is at least one weight, and all are below 2^40.
  init(weights: [UInt64]) {
    let count = weights.count
    let total = max(1, weights.reduce(0, +))
    // Scaled so that the average is `total`: below it an entry needs an alias, above it can be one.
    var scaled = weights.map { $0 * UInt64(count) }
    var small = scaled.indices.filter { scaled[$0] < total }
    var large = scaled.indices.filter { scaled[$0] >= total }
    var thresholds = [UInt64](repeating: .max, count: count)
    var aliases = Array(0..<count)
    while let less = small.popLast(), let more = large.last {
      thresholds[less] = total.dividingFullWidth((scaled[less], 0)).quotient
      aliases[less] = more
      scaled[more] -= total - scaled[less]
      if scaled[more] < total {
        large.removeLast()
        small.append(more)
      }
    }
    self.thresholds = thresholds
    self.aliases = aliases
  }

  /// An index, drawn with its weight.
  func draw(_ random: inout SplitMix) -> Int {
    let index = random.below(thresholds.count)
    return random.next() < thresholds[index] ? index : aliases[index]
  }
}
