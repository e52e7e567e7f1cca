import Foundation

/// A logarithmic scale onto the numbers from 0 to 1.
struct LogScale {
  let low: Double
  let high: Double

  /// A scale for all of the values, of at least one decade; whole decades if `isRounded`.
  init(covering values: [Double], isRounded: Bool = false) {
    let logs = values.filter { $0 > 0 && $0.isFinite }.map { log10($0) }
    var low = logs.min() ?? -6
    var high = logs.max() ?? 0
    if isRounded {
      low = low.rounded(.down)
      high = high.rounded(.up)
    }
    if high - low < 1 {
      let middle = (low + high) / 2
      (low, high) = isRounded ? (low, low + 1) : (middle - 0.5, middle + 0.5)
    }
    (self.low, self.high) = (low, high)
  }

  /// A scale from the least to the greatest of the values, however near they are to one another.
  init(spanning values: [Double]) {
    let logs = values.filter { $0 > 0 && $0.isFinite }.map { log10($0) }
    low = logs.min() ?? 0
    let high = logs.max() ?? 1
    self.high = high > low ? high : low + 1
  }

  func place(_ value: Double) -> Double {
    guard value > 0 else { return 0 }
    return min(1, max(0, (log10(value) - low) / (high - low)))
  }

  /// The powers of ten within the scale; every second or third where there would be too many.
  func decades(most: Int = 10) -> [Double] {
    let first = Int((low - 1e-9).rounded(.up))
    let last = Int((high + 1e-9).rounded(.down))
    guard first <= last else { return [] }
    let step = max(1, (last - first + most) / most)
    return stride(from: first, through: last, by: step).map { pow(10, Double($0)) }
  }

  /// Powers of ten, or also twice and five times those where there are too few to read a value by.
  func ticks(most: Int = 6) -> [Double] {
    let decades = decades(most: most)
    if decades.count >= 3 { return decades }
    let exponents = Int(low.rounded(.down))...Int(high.rounded(.up))
    let all = exponents.flatMap { exponent in
      [1.0, 2, 5].map { $0 * pow(10, Double(exponent)) }
    }
    let within = all.filter { log10($0) >= low - 1e-9 && log10($0) <= high + 1e-9 }
    return within.count <= most ? within : decades
  }

  /// "100 ns", "1 ms": one digit that counts, without decimals.
  static func timeLabel(_ seconds: Double) -> String {
    for (unit, size) in [("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3)] where seconds < size * 999.5 {
      let number = seconds / size
      return number < 0.95 ? "\(number) \(unit)" : "\(Int(number.rounded())) \(unit)"
    }
    return "\(Int(seconds.rounded())) s"
  }
}
