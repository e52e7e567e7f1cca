/// Random numbers of an algorithm that follow from its seed.
///
/// Source: G. L. Steele, D. Lea and C. H. Flood, "Fast Splittable Pseudorandom Number Generators" (OOPSLA 2014).
struct GraphRandom {
  private var state: UInt64

  /// The numbers of a seed; those of each stream are others.
  init(seed: Int, stream: UInt64 = 0) {
    state = UInt64(bitPattern: Int64(seed))
    state = next() ^ stream &* 0xD134_2543_DE82_EF95
    state = next()
  }

  @inline(__always)
  mutating func next() -> UInt64 {
    state = state &+ 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed &>> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed &>> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed &>> 31
  }

  /// A number below `count`.
  @inline(__always)
  mutating func below(_ count: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(truncatingIfNeeded: count)).high)
  }

  /// A number from 0 to 1, which it is below.
  @inline(__always)
  mutating func unit() -> Double { Double(next() &>> 11) * 0x1p-53 }
}
