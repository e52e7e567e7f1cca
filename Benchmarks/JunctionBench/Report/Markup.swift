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
