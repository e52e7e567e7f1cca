import Synchronization

/// Hash functions over single values and over whole columns, which agree with each other.
///
/// Values that SQL calls equal hash alike: -0.0 with 0.0, every NaN, numerics of different scale, whole
/// numbers of different width, `character(n)` with and without trailing spaces, intervals of the same
/// length. NULL has a hash of its own.
///
/// The seed is drawn once a process, so that nobody can prepare colliding keys; tests may fix it.
package enum Hashing {
  private static let seedCell = Atomic<UInt64>(UInt64.random(in: .min ... .max))

  /// What the hashes of this process are mixed with.
  package static var seed: UInt64 { seedCell.load(ordering: .relaxed) }

  /// Fixes the seed; every table of hashes made before becomes useless.
  package static func setSeed(_ seed: UInt64) { seedCell.store(seed, ordering: .relaxed) }

  @usableFromInline static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
  @usableFromInline static let other: UInt64 = 0xD6E8_FEB8_6659_FD93

  /// Folds the 128-bit product: every bit of the result depends on every bit of both.
  @inlinable @inline(__always)
  static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }

  /// One hash out of two, in order.
  @inlinable @inline(__always)
  package static func combine(_ hash: UInt64, _ next: UInt64) -> UInt64 {
    let mixed = ((hash &<< 25 | hash &>> 39) ^ next) &* multiplier
    return mixed ^ mixed &>> 32
  }

  /// The hash of NULL.
  package static var null: UInt64 { null(seed) }

  static func null(_ seed: UInt64) -> UInt64 { fold(seed ^ 0x5851_F42D_4C95_7F2D, other) }

  @inlinable @inline(__always)
  static func mix(_ bits: UInt64, _ seed: UInt64) -> UInt64 {
    fold(bits ^ seed, multiplier) ^ bits &* other
  }

  /// The hash of a whole number of any width, a date, a time, a boolean as 0 or 1, an enum's index.
  package static func hash(int64 value: Int64) -> UInt64 { mix(UInt64(bitPattern: value), seed) }

  /// The hash of a floating point number; a `real` is widened first.
  package static func hash(double value: Double) -> UInt64 { mix(canonicalBits(value), seed) }

  /// The bits of a number with one zero and one NaN.
  @inlinable @inline(__always)
  package static func canonicalBits(_ value: Double) -> UInt64 {
    if value != value { return 0x7FF8_0000_0000_0000 }
    return (value + 0.0).bitPattern
  }

  /// The hash of a text, bytea or json value.
  package static func hash(text view: TextView) -> UInt64 {
    if view.isInline { return hash(inline: view, seed) }
    let buffer = Buffer<TextView>(repeating: view, count: 1)
    return hash(long: buffer.bytes(at: 0), seed)
  }

  /// The hash of the bytes of a text.
  package static func hash(bytes: TextBytes) -> UInt64 { hash(bytes: bytes, seed) }

  @inline(__always)
  static func hash(bytes: TextBytes, _ seed: UInt64) -> UInt64 {
    if bytes.count > TextView.inlineCapacity { return hash(long: bytes, seed) }
    return hash(inline: TextView(referring: bytes), seed)
  }

  @inline(__always)
  static func hash(inline view: TextView, _ seed: UInt64) -> UInt64 {
    fold(fold(view.head ^ seed, multiplier) ^ view.tail, other) ^ view.tail &* multiplier
  }

  static func hash(long bytes: TextBytes, _ seed: UInt64) -> UInt64 {
    let length = bytes.count
    var hash = seed ^ UInt64(truncatingIfNeeded: length)
    var place = 0
    while place &+ 16 <= length {
      hash = fold(bytes.word(at: place) ^ multiplier, bytes.word(at: place &+ 8) ^ hash)
      place &+= 16
    }
    // The rest overlaps what came before; texts this long have eight bytes at either end.
    let last = length >= 16 ? bytes.word(at: length &- 16) : bytes.word(at: 0)
    hash = fold(last ^ other, bytes.word(at: length &- 8) ^ hash)
    return fold(hash, multiplier)
  }

  /// The hash of an exact number: its residue modulo 2^61 - 1, which does not depend on the scale.
  package static func hash(numeric value: Numeric) -> UInt64 { hash(numeric: value, seed) }

  static func hash(numeric value: Numeric, _ seed: UInt64) -> UInt64 {
    guard value.kind == .finite else { return mix(0xFFFF_0000 | UInt64(value.kind.rawValue), seed) }
    let coefficient = value.coefficient
    let magnitude = coefficient.magnitude
    let modulus = MersenneResidue.modulus
    let low = UInt64(truncatingIfNeeded: magnitude) & modulus
    let middle = UInt64(truncatingIfNeeded: magnitude &>> 61) & modulus
    let high = UInt64(truncatingIfNeeded: magnitude &>> 122)
    var residue = (low &+ middle &+ high) % modulus
    if value.scale > 0 {
      residue = MersenneResidue.product(residue, MersenneResidue.inverseTens[Int(value.scale)])
    }
    if coefficient < 0 && residue != 0 { residue = modulus &- residue }
    return mix(residue, seed)
  }

  /// The hash of an interval: of its length with 30 days a month, as PostgreSQL compares.
  package static func hash(interval value: Interval) -> UInt64 { hash(interval: value, seed) }

  @inline(__always)
  static func hash(interval value: Interval, _ seed: UInt64) -> UInt64 {
    let span = ValueOrder.span(value)
    let low = UInt64(truncatingIfNeeded: span)
    return combine(mix(low, seed), UInt64(truncatingIfNeeded: span &>> 64))
  }

  /// The hash of a UUID.
  package static func hash(uuid value: UUIDValue) -> UInt64 { hash(uuid: value, seed) }

  @inline(__always)
  static func hash(uuid value: UUIDValue, _ seed: UInt64) -> UInt64 {
    fold(value.high ^ seed, multiplier) ^ mix(value.low, seed)
  }
}

/// Arithmetic modulo the prime 2^61 - 1.
enum MersenneResidue {
  static let modulus: UInt64 = 1 << 61 - 1

  /// The product of two residues.
  static func product(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    let folded = (product.low & modulus) &+ (product.high &<< 3 | product.low &>> 61)
    return folded >= modulus ? folded &- modulus : folded
  }

  /// The inverses of the powers of ten, by exponent up to 64.
  static let inverseTens: [UInt64] = {
    // By Fermat's little theorem 10^(p-2) is the inverse of 10.
    var inverse: UInt64 = 1
    var base: UInt64 = 10
    var exponent = modulus - 2
    while exponent > 0 {
      if exponent & 1 == 1 { inverse = product(inverse, base) }
      base = product(base, base)
      exponent >>= 1
    }
    var powers: [UInt64] = [1]
    for _ in 0..<64 { powers.append(product(powers[powers.count - 1], inverse)) }
    return powers
  }()
}
