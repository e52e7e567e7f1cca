package import Columnar

/// Writes records in the dialect of a format.
package enum DelimitedTextWriter {
  /// Adds a field, in quotes where its bytes would otherwise be read as something else; `isAlone` says that it is the
  /// only one of its record.
  package static func append(
    _ field: TextBytes, format: DelimitedTextFormat, forcingQuotes: Bool = false,
    isAlone: Bool = true, to record: inout ByteBuilder
  ) {
    guard let quote = format.quote,
      forcingQuotes || needsQuotes(field, format: format, isAlone: isAlone)
    else {
      record.append(field)
      return
    }
    append(quoting: field, quote, format, to: &record)
  }

  /// Puts what was added from `start` on into quotes where it needs them.
  package static func quote(
    from start: Int, format: DelimitedTextFormat, forcingQuotes: Bool, isAlone: Bool,
    in record: inout ByteBuilder
  ) {
    let field = record.buffer.bytes(start..<record.count)
    guard let quote = format.quote,
      forcingQuotes || needsQuotes(field, format: format, isAlone: isAlone)
    else { return }
    let copy = Buffer(field.array)
    // Text bytes do not keep the buffer alive that they point into.
    defer { withExtendedLifetime(copy) {} }
    record.truncate(to: start)
    append(quoting: copy.bytes(0..<copy.count), quote, format, to: &record)
  }

  private static func append(
    quoting field: TextBytes, _ quote: UInt8, _ format: DelimitedTextFormat,
    to record: inout ByteBuilder
  ) {
    record.append(quote)
    for index in 0..<field.count {
      if field[index] == quote || field[index] == format.escape { record.append(format.escape) }
      record.append(field[index])
    }
    record.append(quote)
  }

  /// Whether a plain spelling of the field would be read back as another value.
  package static func needsQuotes(
    _ field: TextBytes, format: DelimitedTextFormat, isAlone: Bool = true
  ) -> Bool {
    if field.count == format.null.count && field.array == format.null { return true }
    // The end of data is a line of its own.
    if isAlone && field.count == 2 && field[0] == UInt8(ascii: "\\")
      && field[1] == UInt8(ascii: ".")
    {
      return true
    }
    let quote = format.quote ?? format.delimiter
    if !field.mayHold(bytesBelow: .carriageReturn + 1, format.delimiter, quote) { return false }
    for index in 0..<field.count {
      let byte = field[index]
      if byte == format.delimiter || byte == format.quote || byte == .newline
        || byte == .carriageReturn
      {
        return true
      }
    }
    return false
  }
}
