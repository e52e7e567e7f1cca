import Columnar
import Diagnostics
import Foundation

@testable import Parquet

/// Files that other programs have written, and what is done with them.
enum Files {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Files").path

  static func open(_ name: String) throws -> ParquetFile {
    try ParquetFile(path: "\(folder)/\(name).parquet")
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name).parquet")))
  }
}

extension ParquetFile {
  /// A file in memory.
  init(_ bytes: [UInt8]) throws(SQLError) {
    try self.init(Buffer(bytes), count: bytes.count, name: "memory")
  }

  /// The texts of a column, nil for NULL, read `step` rows at a time.
  func texts(_ column: Int, step: Int = 7) throws(SQLError) -> [String?] {
    let formatter = TextFormatter()
    var texts: [String?] = []
    for group in rowGroups.indices {
      let reader = try reader(ofColumn: column, inRowGroup: group)
      while reader.rowsLeft > 0 {
        let vector = try reader.read(min(step, reader.rowsLeft))
        for row in 0..<vector.count {
          guard vector.isValid(row) else {
            texts.append(nil)
            continue
          }
          var text = ByteBuilder()
          formatter.append(row, of: vector, to: &text)
          texts.append(text.bytes.string)
        }
      }
    }
    return texts
  }

  func texts(_ name: String, step: Int = 7) throws(SQLError) -> [String?] {
    guard let index = columns.firstIndex(where: { $0.name == name }) else { return [] }
    return try texts(index, step: step)
  }
}

/// The bytes of a file with these chunks.
func written(
  _ columns: [ParquetWriter.Column], _ chunks: [DataChunk],
  _ options: ParquetWriter.Options = ParquetWriter.Options()
) throws(SQLError) -> [UInt8] {
  let collected = Collected()
  let writer = try ParquetWriter(columns, options) { (bytes, count) throws(SQLError) in
    collected.bytes += bytes.bytes(0..<count).array
  }
  for chunk in chunks { try writer.append(chunk) }
  try writer.finish()
  return collected.bytes
}

private final class Collected {
  var bytes: [UInt8] = []
}

/// Numbers that are the same in each run.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
