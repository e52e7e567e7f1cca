import Columnar
import DelimitedText
import Diagnostics

/// Writes the rows of a result as COPY does, in its csv or text format.
struct CopyWriter {
  private let options: CopyOptions
  private let forced: [Bool]
  private let formatter: TextFormatter

  /// A writer for these columns.
  init(
    _ options: CopyOptions, _ columns: [ResultColumn],
    _ formatter: TextFormatter = TextFormatter()
  ) {
    self.options = options
    self.formatter = formatter
    switch options.forceQuote {
    case .none: forced = columns.map { _ in false }
    case .all: forced = columns.map { _ in true }
    case .columns(let names): forced = columns.map { names.contains($0.name) }
    }
  }

  /// The header's line.
  func header(_ columns: [ResultColumn]) -> [UInt8] {
    var line = ByteBuilder()
    for (index, column) in columns.enumerated() {
      if index > 0 { line.append(options.format.delimiter) }
      let start = line.count
      line.append(column.name)
      finish(from: start, isForced: false, in: &line)
    }
    line.append(UInt8(ascii: "\n"))
    return line.bytes.array
  }

  /// The lines of a chunk.
  ///
  /// - Complexity: O(bytes); nothing is allocated for a value that needs no quotes.
  func lines(_ chunk: DataChunk) -> [UInt8] {
    var fields = FieldTexts(rowCount: chunk.count, columnCount: chunk.columns.count)
    for (index, column) in chunk.columns.enumerated() {
      add(column.normalized(), isForced: forced[index], to: &fields)
    }
    let delimiter = [options.format.delimiter]
    return fields.records(
      before: chunk.columns.indices.map { $0 == 0 ? [] : delimiter }, end: [UInt8(ascii: "\n")])
  }

  private func add(_ vector: Vector, isForced: Bool, to fields: inout FieldTexts) {
    let null = Buffer(options.format.null)
    let views =
      vector.type.physical == .text && vector.type != .bytea
      ? vector.values(TextView.self) : nil
    fields.addColumn { row, text in
      guard vector.isValid(row) else {
        text.append(null.bytes(0..<null.count))
        return
      }
      if let views {
        append(views.bytes(at: vector.position(row)), isForced: isForced, to: &text)
      } else {
        let start = text.count
        formatter.append(row, of: vector, to: &text)
        finish(from: start, isForced: isForced, in: &text)
      }
    }
  }

  private func append(_ field: TextBytes, isForced: Bool, to line: inout ByteBuilder) {
    if options.isText {
      appendEscaped(field, to: &line)
    } else {
      DelimitedTextWriter.append(
        field, format: options.format, forcingQuotes: isForced, isAlone: forced.count == 1,
        to: &line)
    }
  }

  /// Brings the field that was added from `start` on into the form that is read back.
  private func finish(from start: Int, isForced: Bool, in line: inout ByteBuilder) {
    if options.isText {
      let field = line.buffer.bytes(start..<line.count)
      if field.mayHold(bytesBelow: 14, UInt8(ascii: "\\"), options.format.delimiter) {
        let copy = Buffer(field.array)
        // Text bytes do not keep the buffer alive that they point into.
        defer { withExtendedLifetime(copy) {} }
        line.truncate(to: start)
        appendEscaped(copy.bytes(0..<copy.count), to: &line)
      }
    } else {
      DelimitedTextWriter.quote(
        from: start, format: options.format, forcingQuotes: isForced, isAlone: forced.count == 1,
        in: &line)
    }
  }

  /// The text format: control characters, backslashes and delimiters behind a backslash.
  private func appendEscaped(_ field: TextBytes, to line: inout ByteBuilder) {
    let backslash = UInt8(ascii: "\\")
    if !field.mayHold(bytesBelow: 14, backslash, options.format.delimiter) {
      line.append(field)
      return
    }
    for index in 0..<field.count {
      let byte = field[index]
      let letter: UInt8? =
        switch byte {
        case 8: UInt8(ascii: "b")
        case 9: UInt8(ascii: "t")
        case 10: UInt8(ascii: "n")
        case 11: UInt8(ascii: "v")
        case 12: UInt8(ascii: "f")
        case 13: UInt8(ascii: "r")
        case backslash: backslash
        case options.format.delimiter: options.format.delimiter
        default: nil
        }
      if let letter {
        line.append(backslash)
        line.append(letter)
      } else {
        line.append(byte)
      }
    }
  }
}
