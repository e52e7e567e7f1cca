/// The dialect of a file of separated values.
///
/// The defaults are those of PostgreSQL's `COPY … (FORMAT csv)`, which read RFC 4180.
package struct DelimitedTextFormat: Sendable, Hashable {
  /// What ends a line.
  package enum LineEnd: Sendable, Hashable {
    /// The first line decides between LF, CRLF and CR, and the others must follow: COPY.
    case uniform
    /// LF, CRLF and CR in any mixture: files that people bring.
    case any
  }
  package var delimiter = UInt8(ascii: ",")
  /// nil where nothing quotes.
  package var quote: UInt8? = UInt8(ascii: "\"")
  /// What makes a quote or itself plain inside quotes; mostly the quote.
  package var escape = UInt8(ascii: "\"")
  /// What an unquoted field must be to mean NULL.
  package var null: [UInt8] = []
  /// Whether the first record names the columns.
  package var hasHeader = false
  package var lineEnd = LineEnd.uniform
  /// Whether lines with nothing in them are passed over; COPY takes them for records of one empty field.
  package var skipsBlankLines = false
  /// Whether a line `\.` ends the data, as in COPY.
  package var hasEndMarker = true
  /// Whether a backslash escapes what follows it, as in COPY's text format, which has no quotes.
  package var usesBackslashes = false
  /// Whether NULL stands for fields that are missing at the end of a record; it is a fault otherwise.
  package var fillsShortRecords = false
  /// Whether lines that begin with `#` are passed over.
  package var hasComments = false

  package init() {}
}
