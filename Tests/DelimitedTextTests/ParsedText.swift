import Columnar
import DelimitedText
import Diagnostics

/// What a loader makes of a text whose columns are all text: rows of strings, nil for NULL.
struct ParsedText: Equatable {
  var rows: [[String?]] = []
  /// Lines of rejected records.
  var rejectedLines: [Int] = []
  var rejectedStates: [SQLState] = []
  var rejectedDetails: [String?] = []

  init(rows: [[String?]]) { self.rows = rows }

  /// Parses `bytes` in blocks of about `blockSize` bytes.
  init(
    _ bytes: [UInt8], width: Int, types: [LogicalType]? = nil,
    format: DelimitedTextFormat = DelimitedTextFormat(), blockSize: Int = 1 << 16
  ) throws {
    let reader = BlockReader(MemorySource(bytes), format: format, blockSize: blockSize)
    let context = EvaluationContext(transactionTime: 0, statementTime: 0)
    let rules = (0..<width).map {
      ColumnRule(name: "c\($0)", type: types?[$0] ?? .text, kernel: nil)
    }
    var parser: BlockParser?
    while let block = try reader.next() {
      let current =
        parser
        ?? BlockParser(
          format: format, rules: rules, names: rules.map(\.name),
          lineEnd: LineEnding(of: block, format: format), context: context)
      parser = current
      let parsed = try current.parse(block)
      for chunk in parsed.chunks {
        for row in 0..<chunk.count { rows.append(chunk.columns.map { Self.text($0, row) }) }
      }
      rejectedLines += parsed.rejects.map(\.line)
      rejectedStates += parsed.rejects.map(\.error.state)
      rejectedDetails += parsed.rejects.map(\.error.detail)
      if parsed.isEnd { break }
    }
  }

  private static func text(_ vector: Vector, _ row: Int) -> String? {
    switch vector.value(at: row) {
    case .text(let bytes): String(decoding: bytes, as: UTF8.self)
    case .int16(let number): String(number)
    case .int32(let number): String(number)
    case .int64(let number): String(number)
    default: nil
    }
  }
}
