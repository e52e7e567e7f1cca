import Diagnostics
import Foundation
import Testing

@Suite("Of a text that cannot be read")
struct BrokenTextTests {
  private func error(_ bytes: [UInt8], width: Int = 2, blockSize: Int = 1 << 16) -> SQLError? {
    #expect(throws: SQLError.self) { try ParsedText(bytes, width: width, blockSize: blockSize) }
  }

  private typealias Case = (
    text: String, encoding: String.Encoding, sequence: String, place: String, guess: String
  )

  private static let cases: [Case] = [
    ("a,b\nM\u{E4}ller,x\n", .isoLatin1, "0xe4 0x6c 0x6c", "Line 2, byte 5", "Latin-1"),
    ("a,b\n\u{201C}x\u{201D},y\n", .windowsCP1252, "0x93", "Line 2, byte 4", "Windows-1252."),
    ("a,b\n1,2\n", .utf16LittleEndian, "0x00", "Line 1, byte 1", "UTF-16 (little-endian, without"),
    ("a,b\n1,2\n", .utf16BigEndian, "0x00", "Line 1, byte 0", "UTF-16 (big-endian, without"),
    ("a,b\n1,2\n", .utf16, "0xff", "Line 1, byte 0", "UTF-16 (little-endian)."),
  ]

  @Test("the encoding is guessed, and line and byte are named", arguments: cases.indices)
  func encodings(_ index: Int) throws {
    let (text, encoding, sequence, place, guess) = Self.cases[index]
    let error = error(Array(try #require(text.data(using: encoding))))
    #expect(error?.state.code == "22021")
    #expect(
      error?.message == "invalid byte sequence for encoding \"UTF8\": \(sequence)",
      "\(error?.message ?? "")")
    #expect(error?.detail?.hasPrefix(place + ": ") == true, "\(error?.detail ?? "")")
    #expect(error?.detail?.contains(guess) == true, "\(error?.detail ?? "")")
    #expect(error?.hint?.contains("iconv") == true)
  }

  private static let oddities: [(before: String, odd: [UInt8], after: String, guess: String)] = [
    ("\u{E4},b\nM", [0xE4], "ller,x\n", "text before it is UTF-8"),
    ("\u{E4},b\n1,", [0xE2, 0x82], "", "cut off"),
    ("a long line without any odd bytes,b\n1,", [0], "2\n", "byte of zero"),
    // A letter at the very end of a file in Latin-1 is no cut.
    ("a,b\n1,Caf", [0xE9], "", "Latin-1"),
  ]

  @Test(
    "one character of another encoding, a cut and a stray NUL are told apart",
    arguments: oddities.indices)
  func telling(_ index: Int) {
    let (before, odd, after, guess) = Self.oddities[index]
    let detail = error(Array(before.utf8) + odd + Array(after.utf8))?.detail ?? ""
    #expect(detail.contains(guess), "\(detail)")
  }

  @Test(
    "an open quote is named by the line and the byte on which it stands", arguments: [16, 1 << 16])
  func openQuote(_ blockSize: Int) {
    let error = error(
      Array("a,b\n\"1\n2\",x\n3,y\"z\n4,u\n5,v\n".utf8), blockSize: blockSize)
    #expect(error?.state.code == "22P04")
    #expect(
      error?.detail
        == "The quote on line 4, byte 15, is still open at the end, on line 7.",
      "\(error?.detail ?? "")")
  }

  @Test("a record of several lines that has too many fields may have an open quote")
  func swallowedLines() throws {
    let parsed = try ParsedText(Array("a,b\n\"1,x\n2,y\n3,z\",u,v\n4,w\n".utf8), width: 2)
    #expect(parsed.rows == [["a", "b"], ["4", "w"]])
    #expect(
      parsed.rejectedDetails == [
        "The record goes on to line 4: perhaps a quote is open from line 2 on."
      ])
  }
}
