/// Texts as they stand in XML and HTML.
enum MarkupEscape {
  /// The text with `&`, `<`, `>` and quotes as entities; control characters, which XML forbids, become visible.
  static func text(_ text: String) -> String {
    var result = ""
    for character in DisplayWidth.visible(text) {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.append(character)
      }
    }
    return result
  }
}
