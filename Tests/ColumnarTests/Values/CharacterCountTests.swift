import Columnar
import Testing

@Suite("Characters of UTF-8")
struct CharacterCountTests {
  @Test("are counted in texts of every length", arguments: 0..<40)
  func counts(length: Int) {
    let alphabet: [Unicode.Scalar] = ["a", "\u{7F}", "é", "ß", "߿", "क", "€", "\u{FFFD}", "😀", "𝄞"]
    for round in 0..<50 {
      let scalars = (0..<length).map { _ in
        round == 0 ? alphabet[0] : alphabet.randomElement() ?? alphabet[0]
      }
      let bytes = Array(String(String.UnicodeScalarView(scalars)).utf8)
      let buffer = Buffer(bytes)
      #expect(buffer.bytes(0..<bytes.count).characterCount == length, "\(scalars)")
    }
  }
}
