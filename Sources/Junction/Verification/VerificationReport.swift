import Columnar
import Diagnostics

/// What VERIFY has looked at, and what it found.
struct VerificationReport {
  /// One check of one object.
  struct Entry {
    var check: String
    var object: String
    /// How many rows, entries or bytes were looked at.
    var count: Int
    /// nil if all is well.
    var error: SQLError?
  }
  private(set) var entries: [Entry] = []

  /// Whether nothing was found.
  var isClean: Bool { entries.allSatisfy { $0.error == nil } }

  mutating func add(_ check: String, _ object: String, _ count: Int, _ error: SQLError? = nil) {
    entries.append(Entry(check: check, object: object, count: count, error: error))
  }

  /// Notes what a check came to that counts what it looks at, or throws.
  ///
  /// - Throws: 57014 and 53200 only; what else is thrown is what the check found.
  mutating func add(
    _ check: String, _ object: String, _ body: () throws(SQLError) -> (count: Int, error: SQLError?)
  ) throws(SQLError) {
    do throws(SQLError) {
      let (count, error) = try body()
      add(check, object, count, error)
    } catch {
      if error.state == .queryCanceled || error.state == .outOfMemory { throw error }
      add(check, object, 0, error)
    }
  }

  /// The table that the statement gives.
  var rows: ResultSet {
    let names = ["check", "object", "rows", "sqlstate", "result"]
    let types: [LogicalType] = [.text, .text, .bigint, .text, .text]
    let columns = zip(names, types).map { ResultColumn(name: $0, columnType: ColumnType($1)) }
    let chunks = stride(from: 0, to: entries.count, by: Vector.chunkCapacity).map { start in
      let some = entries[start..<min(entries.count, start + Vector.chunkCapacity)]
      let values: [[Value]] = [
        some.map { .string($0.check) }, some.map { .string($0.object) },
        some.map { .int64(Int64($0.count)) },
        some.map { .string($0.error?.state.code ?? "00000") },
        some.map { .string($0.error.map(Self.text) ?? "ok") },
      ]
      return DataChunk(zip(types, values).map { Vector($0, $1) }, count: some.count)
    }
    return ResultSet(columns: columns, chunks: chunks)
  }

  private static func text(of error: SQLError) -> String {
    error.detail.map { "\(error.message): \($0)" } ?? error.message
  }
}
