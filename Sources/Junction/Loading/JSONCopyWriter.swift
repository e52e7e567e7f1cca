import Columnar
import Diagnostics

/// Writes the rows of a result as JSON: an object for each, on a line of its own, or the elements of one array.
struct JSONCopyWriter: Sendable {
  private let fields: [JSONFieldWriter]
  private let prefixes: [[UInt8]]
  private let end: [UInt8]
  private let isArray: Bool

  /// A writer for these columns.
  init(_ columns: [ResultColumn], isArray: Bool, _ evaluation: EvaluationContext) {
    self.isArray = isArray
    let begin = isArray ? ",\n{" : "{"
    fields = columns.map { JSONFieldWriter($0.type, evaluation) }
    prefixes = columns.enumerated().map { index, column in
      Array(((index == 0 ? begin : ",") + JSONText.quoted(column.name) + ":").utf8)
    }
    end = Array(((columns.isEmpty ? begin : "") + (isArray ? "}" : "}\n")).utf8)
  }

  /// The lines of a chunk.
  ///
  /// - Throws: what values say that have no JSON.
  func lines(_ chunk: DataChunk) throws(SQLError) -> [UInt8] {
    var texts = FieldTexts(rowCount: chunk.count, columnCount: fields.count)
    for (vector, field) in zip(chunk.columns, fields) {
      let vector = vector.normalized().flattened()
      try texts.addColumn { (row, text) throws(SQLError) in
        try field.append(row, of: vector, to: &text)
      }
    }
    return texts.records(before: prefixes, end: end)
  }

  /// The lines of the first rows: what parts them from rows before becomes the array's begin.
  func opened(_ lines: [UInt8]) -> [UInt8] {
    isArray ? [UInt8(ascii: "[")] + lines.dropFirst(2) : lines
  }

  /// What stands behind the last row.
  func closing(isEmpty: Bool) -> [UInt8] { isArray ? Array((isEmpty ? "[]\n" : "]\n").utf8) : [] }
}
