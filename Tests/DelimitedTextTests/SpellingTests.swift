import Columnar
import DelimitedText
import Testing

@Suite("A guessed type is believed of a text")
struct SpellingTests {
  private func fits(_ text: String, _ type: LogicalType) -> Bool {
    let bytes = Buffer(Array(text.utf8))
    return PlainSpelling.fits(bytes.bytes(0..<bytes.count), type)
  }

  @Test(
    "that is spelled so that nothing is lost",
    arguments: [
      (LogicalType.integer, ["0", "-7", " 12 ", "90210"]),
      (.numeric, ["1", "-0.5", ".5", "1.50", "-0"]),
      (.double, ["1e-300", "1.5", "1.25e+10", "6.02e23"]),
      (.boolean, ["t", "F", "true", "FALSE"]),
      (.date, ["2024-01-31", "2024/1/5"]),
      (.time, ["10:00", "9:59:59", "10:00:00.5", "10:00:00.123456000"]),
      (.timestamp, ["2024-01-01 10:00", "2024-01-01T10:00:00.25"]),
      (
        .timestamptz,
        [
          "2024-01-01T10:00:00Z", "2024-01-01 10:00:00+02", "2024-01-01T10:00:00+02:00",
          "2024-01-01T10:00:00-0330", "2024-01-01 10:00:00 UTC",
        ]
      ),
      (.uuid, ["c0ffee00-1234-5678-9abc-def012345678"]), (.text, ["", "anything"]),
    ])
  func plain(_ type: LogicalType, _ texts: [String]) {
    for text in texts { #expect(fits(text, type), "\(text)") }
  }

  @Test(
    "but not of one that a cast would change",
    arguments: [
      // Codes and telephone numbers.
      (LogicalType.integer, ["007", "00", "+49", "-0", "1.0", "", " ", "1 2", "0x10", "1_000"]),
      (.numeric, ["01.5", "+1.5", "12E5", "1.", ".", "-", "NaN", "1e", "1.5.2", "1,5", "1e-05"]),
      (.double, ["0.12345678901234567", "NaN", "1E5"]),
      (.boolean, ["yes", "1", "on", "tr", ""]),
      (.date, ["01-02-2024", "today", "2024-01", "2024-01/02", "20240101", "2024-01-01 10:00"]),
      (.time, ["10:00+02", "10", "10:00 PM", "10:00:00.1234567"]),
      (
        .timestamp,
        ["2024-01-01T10:00:00Z", "2024-01-01 10:00+02", "2024-01-01", "now", "2024-01-01 10"]
      ),
      (.timestamptz, ["2024-01-01 10:00", "2024-01-01 10:00+", "2024-01-01 10:00 CET"]),
      (
        .uuid,
        [
          "d41d8cd98f00b204e9800998ecf8427e", "{c0ffee00-1234-5678-9abc-def012345678}",
          "c0ffee00-1234-5678-9abc-def01234567g",
        ]
      ),
    ])
  func changed(_ type: LogicalType, _ texts: [String]) {
    for text in texts { #expect(!fits(text, type), "\(text)") }
  }
}
