import Diagnostics

extension MarkupEscape {
  /// The text as it stands in a page, with control characters written out.
  static func visible(_ text: String) -> String { Self.text(DisplayWidth.visible(text)) }
}
