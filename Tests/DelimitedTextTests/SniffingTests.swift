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
      // Names that are missing or repeated make it no less a header.
      ("id,,id\n1,x,2\n", ",", true, 3),
      (",a\n0,x\n", ",", true, 2),
      (" , \n1,2\n", ",", false, 2),
      // Years and names that begin with a digit.
      ("name,2010,2011,2012\na,1.5,2,3\nb,4,5,7\n", ",", true, 4),
      ("a,1,2,3\nb,4,5,6\n", ",", false, 4),
      ("Id,1stFlrSF\n1,856\n2,1262\n", ",", true, 2),
      ("Id,1st floor\n1,2nd floor\n", ",", false, 2),
      // Comments, of which one alone may be the header.
      ("# a\n# b, c\nid;name\n1;x\n", ";", true, 2),
      ("#id,name\n1,x\n", ",", true, 2),
      // A header that lacks the name of the row names, or one for nothing behind a last comma.
      ("\"w\",\"f\"\n\"1\",26.5,NA\n\"2\",3,1\n", ",", true, 3),
      ("a,b\n1,2,\n3,4,\n", ",", true, 3),
      // One ragged record does not change what all others say.
      ("id;name\n1;Ada\n2;Bob;odd\n3;Eve, PhD\n", ";", true, 2),
      ("note\nplain\nwith, comma\nplain\n", ",", true, 1),
    ])
  func dialects(_ text: String, _ delimiter: String, _ hasHeader: Bool, _ width: Int) throws {
    let sniffed = try sniff(text)
    #expect(sniffed.format.delimiter == delimiter.utf8.first)
    #expect(sniffed.format.hasHeader == hasHeader)
    #expect(sniffed.width == width)
  }

  @Test(
    "believes the line in which Excel names the delimiter",
    arguments: [
      ("sep=;\na;b\n1;2\n", ";", "a;b\n".utf8.count + 6, ["a", "b"]),
      ("SEP=|\r\na|b\r\n1,5|2\r\n", "|", 12, ["a", "b"]),
      ("\u{FEFF}sep=\t\n1\t2\n", "\t", 9, ["1", "2"]),
      // Names and values that only look like it.
      ("sep=;a;b\n1;2;3\n", ";", 9, ["sep=", "a", "b"]),
      ("sep=\n1\n", ",", 5, ["sep="]),
    ])
  func separatorLine(
    _ text: String, _ delimiter: String, _ dataStart: Int, _ first: [String]
  ) throws {
    let sniffed = try sniff(text)
    #expect(sniffed.format.delimiter == delimiter.utf8.first)
    #expect(sniffed.dataStart == dataStart)
    #expect(sniffed.sample.first == first)
  }

  private func sniff(_ text: String) throws -> SniffedDialect {
    let reader = BlockReader(MemorySource(Array(text.utf8)), format: DelimitedTextFormat())
    return DialectSniffer.sniff(try #require(try reader.next()))
  }
}
