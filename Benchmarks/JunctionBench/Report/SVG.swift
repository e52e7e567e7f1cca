import Foundation

/// Marked-up text under construction: escaped where it comes from outside, short in its numbers.
struct Markup {
  private(set) var text = ""

  mutating func raw(_ markup: String) { text += markup }

  mutating func line(_ markup: String) { text += markup + "\n" }

  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// A coordinate with as many decimals as can be seen.
  static func number(_ value: Double) -> String {
    let rounded = (value * 100).rounded() / 100
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }
}

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

  /// "100 ns", "1 ms": a power of ten without decimals.
  static func timeLabel(_ seconds: Double) -> String {
    for (unit, size) in [("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3)] where seconds < size * 999.5 {
      let number = seconds / size
      return number < 0.95 ? "\(number) \(unit)" : "\(Int(number.rounded())) \(unit)"
    }
    return "\(Int(seconds.rounded())) s"
  }
}

/// Labels beside the ends of lines, moved apart where they would cover one another.
enum LabelPlacement {
  /// - Returns: places in the order given, at least `gap` apart, within the bounds where they fit.
  static func spread(_ places: [Double], gap: Double, within bounds: ClosedRange<Double>)
    -> [Double]
  {
    let order = places.indices.sorted { places[$0] < places[$1] }
    var spread = places
    var previous = bounds.lowerBound - gap
    for index in order {
      spread[index] = max(places[index], previous + gap)
      previous = spread[index]
    }
    // What ran over the lower edge pushes its neighbours back up.
    var next = bounds.upperBound + gap
    for index in order.reversed() {
      spread[index] = min(spread[index], next - gap)
      next = spread[index]
    }
    return spread
  }
}
