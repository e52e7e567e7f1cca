import Foundation

/// Measured quantities as people read them: three digits that count, and a unit that fits.
enum Quantity {
  /// "83.1 ns", "1.24 µs", "310 ms", "74.2 s".
  static func time(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds > 0 else { return "0 s" }
    for (unit, size) in [("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3)] {
      // What rounds to a thousand of this unit is one of the next.
      if seconds / size < 999.5 { return "\(digits(seconds / size)) \(unit)" }
    }
    return "\(digits(seconds)) s"
  }

  /// "0.31×", "5.8×", "120×".
  static func ratio(_ ratio: Double) -> String {
    if ratio >= 1000 { return "\(grouped(Int(ratio.rounded())))×" }
    if ratio >= 9.95 { return String(format: "%.0f×", ratio) }
    if ratio < 0.095 { return String(format: "%.3f×", ratio) }
    return String(format: ratio < 0.95 ? "%.2f×" : "%.1f×", ratio)
  }

  /// "0.31", "5.80", "120".
  static func plain(_ ratio: Double) -> String {
    String(format: ratio >= 99.5 ? "%.0f" : "%.2f", ratio)
  }

  /// "31.2 MB", in powers of ten.
  static func bytes(_ bytes: Double) -> String {
    for (unit, size) in [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)] where bytes >= 0.9995 * size {
      return "\(digits(bytes / size)) \(unit)"
    }
    return "\(Int(bytes)) B"
  }

  /// "1 thread", "2 threads".
  static func threads(_ count: Int) -> String { count == 1 ? "1 thread" : "\(count) threads" }

  /// "80 k", "8 M": where there is little room.
  static func short(_ number: Int) -> String {
    for (unit, size) in [("M", 1_000_000), ("k", 1000)] where number >= size {
      let digit = number % size * 10 / size
      return "\(number / size)" + (digit > 0 && number < 10 * size ? ".\(digit)" : "") + " \(unit)"
    }
    return "\(number)"
  }

  /// "8,000,000".
  static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude).utf8)
    var text: [UInt8] = number < 0 ? [45] : []
    for (place, digit) in digits.enumerated() {
      if place > 0 && (digits.count - place) % 3 == 0 { text.append(44) }
      text.append(digit)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// "12 %" of a share of one.
  static func percent(_ share: Double) -> String {
    String(format: abs(share) < 0.0995 ? "%.1f %%" : "%.0f %%", share * 100)
  }

  /// At least three digits, and no more behind the point than make three.
  static func digits(_ number: Double) -> String {
    let decimals = number < 9.995 ? 2 : number < 99.95 ? 1 : 0
    return String(format: "%.\(decimals)f", number)
  }
}

/// A unit that the numbers of one row or column share, so that they can be compared at a glance.
struct SharedUnit: Equatable {
  let name: String
  let size: Double

  private static let times = [("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)]
  private static let bytes = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0)]

  /// The largest unit of time of which the least of the times is a tenth or more.
  static func time(_ seconds: some Sequence<Double>) -> SharedUnit { SharedUnit(times, seconds) }

  /// The same for numbers of bytes.
  static func bytes(_ counts: some Sequence<Double>) -> SharedUnit { SharedUnit(bytes, counts) }

  private init(_ units: [(String, Double)], _ values: some Sequence<Double>) {
    let least = values.filter { $0 > 0 && $0.isFinite }.min() ?? units[0].1
    let unit = units.first { least >= 0.09995 * $0.1 } ?? units[units.count - 1]
    (name, size) = unit
  }

  /// The number alone: "0.573", "16.9", "1,060", with three digits that count.
  func number(_ value: Double) -> String {
    let number = value / size
    guard number.isFinite, abs(number) < 1e15 else { return "∞" }
    if number < 0.9995 { return number > 0 ? String(format: "%.3f", number) : "0" }
    if number < 999.5 { return Quantity.digits(number) }
    let step = pow(10, (log10(number) - 2).rounded(.down))
    return Quantity.grouped(Int(((number / step).rounded() * step).rounded()))
  }
}
