import Testing

@testable import Diagnostics

@Suite("A text in a page")
struct MarkupEscapeTests {
  @Test(
    "has no markup, and nothing that a page may not have",
    arguments: [
      ("a < b & c > \"d\" 'e'", "a &lt; b &amp; c &gt; &quot;d&quot; &#39;e&#39;"),
      ("\u{1B}[2J\u{7F}", "\u{FFFD}[2J\u{FFFD}"), ("<\u{301}é😀", "&lt;\u{301}é😀"), ("", ""),
    ])
  func escapes(text: String, expected: String) {
    #expect(MarkupEscape.text(text) == expected)
  }
}
