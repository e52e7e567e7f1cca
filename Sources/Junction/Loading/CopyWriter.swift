import Columnar
import DelimitedText
import Diagnostics

/// Writes the rows of a result as COPY does, in its csv or text format.
struct CopyWriter {
  private let options: CopyOptions
  private let forced: [Bool]
  private let isText: [Bool]
  private let formatter: TextFormatter

  /// A writer for these columns.
  init(
    _ options: CopyOptions, _ columns: [ResultColumn],
    _ formatter: TextFormatter = TextFormatter()
  ) {
    self.options = options
    self.formatter = formatter
    isText = columns.map { $0.type.physical == .text }
    switch options.forceQuote {
    case .none: forced = columns.map { _ in false }
    case .all: forced = columns.map { _ in true }
    case .columns(let names): forced = columns.map { names.contains($0.name) }
    }
  }

  /// The header's line.
  func header(_ columns: [ResultColumn]) -> [UInt8] {
    var line: [UInt8] = []
    for (index, column) in columns.enumerated() {
      if index > 0 { line.append(options.format.delimiter) }
      let name = Buffer(Array(column.name.utf8))
      append(name.bytes(0..<name.count), isForced: false, to: &line)
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  /// The lines of a chunk.
  ///
  /// - Complexity: O(bytes); nothing is allocated for a value.
  func lines(_ chunk: DataChunk) -> [UInt8] {
    var lines: [UInt8] = []
    lines.reserveCapacity(chunk.count * chunk.columns.count * 8)
    var field = ByteBuilder()
    let columns = chunk.columns.map { $0.normalized() }
    for row in 0..<chunk.count {
      for (index, vector) in columns.enumerated() {
        if index > 0 { lines.append(options.format.delimiter) }
        guard vector.isValid(row) else {
          lines += options.format.null
          continue
        }
        field.removeAll()
        formatter.append(row, of: vector, to: &field)
        append(field.bytes, isForced: forced[index], to: &lines)
      }
      lines.append(UInt8(ascii: "\n"))
    }
    return lines
  }

  private func append(_ field: TextBytes, isForced: Bool, to line: inout [UInt8]) {
    if options.isText {
      appendEscaped(field, to: &line)
    } else {
      DelimitedTextWriter.append(
        field, format: options.format, forcingQuotes: isForced, isAlone: forced.count == 1,
        to: &line)
    }
  }

  /// The text format: control characters, backslashes and delimiters behind a backslash.
  private func appendEscaped(_ field: TextBytes, to line: inout [UInt8]) {
    let backslash = UInt8(ascii: "\\")
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
