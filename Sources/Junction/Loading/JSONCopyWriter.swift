import Columnar
import Diagnostics

/// Writes the rows of a result as JSON: an object for each, on a line of its own.
struct JSONCopyWriter {
  private let type: LogicalType
  /// Whether the lines are the elements of one array.
  private let isArray: Bool
  private let kernel: ScalarKernel
  private let evaluation: EvaluationContext
  private var isFirst = true

  init(_ columns: [ResultColumn], isArray: Bool, _ evaluation: EvaluationContext) {
    type = .record(
      RecordType(name: nil, fields: columns.map { RecordType.Field($0.name, $0.type) }))
    self.isArray = isArray
    self.evaluation = evaluation
    kernel = JSONBuilding.convert(type, .json)
  }

  /// The lines of a chunk.
  mutating func lines(_ chunk: DataChunk) throws(SQLError) -> [UInt8] {
    let record = Vector(
      type: type, count: chunk.count, storage: Buffer<UInt8>(uninitialized: 0).block,
      children: chunk.columns.map { $0.normalized().flattened() })
    let texts = try kernel([record], chunk.count, evaluation).normalized()
    let values = texts.values(TextView.self)
    var lines: [UInt8] = []
    for row in 0..<chunk.count {
      if isArray { lines += (isFirst ? "[" : ",\n").utf8 }
      isFirst = false
      lines += values.bytes(at: row).array
      if !isArray { lines.append(UInt8(ascii: "\n")) }
    }
    return lines
  }

  /// What stands behind the last row.
  var end: [UInt8] { isArray ? Array((isFirst ? "[]\n" : "]\n").utf8) : [] }
}
