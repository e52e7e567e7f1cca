import DelimitedText
import Testing

@Suite("Sniffing a dialect")
struct SniffingTests {
  @Test(
    "finds delimiter and header",
    arguments: [
      ("id,name\n1,Ada\n", ",", true, 2),
      ("id;name\r\n1;Ada\r\n", ";", true, 2),
      ("id\tname\n1\tAda, L.\n", "\t", true, 2),
      ("1|2|3\n4|5|6\n", "|", false, 3),
      ("name\nAda\n", ",", true, 1),
      ("1,1\n2,2\n", ",", false, 2),
      ("\u{FEFF}id,name\n1,x\n", ",", true, 2),
      ("\"a,b\";c\n\"d,e\";f\n", ";", true, 2),
    ])
  func dialects(_ text: String, _ delimiter: String, _ hasHeader: Bool, _ width: Int) throws {
    let reader = BlockReader(MemorySource(Array(text.utf8)), format: DelimitedTextFormat())
    let block = try #require(try reader.next())
    let sniffed = DialectSniffer.sniff(block)
    #expect(sniffed.format.delimiter == delimiter.utf8.first)
    #expect(sniffed.format.hasHeader == hasHeader)
    #expect(sniffed.width == width)
  }
}
