#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A DuckDB database, in memory or in a file, with one connection.
///
/// Sendable by rule: one thread at a time uses it; only `interrupt()` may come from any other.
@safe final class DuckDBDatabase: @unchecked Sendable {
  let library: DuckDBLibrary
  private var database: DuckDBLibrary.Handle?
  private var connection: DuckDBLibrary.Handle?

  init(_ library: DuckDBLibrary, path: String? = nil) throws(BenchError) {
    self.library = library
    let status =
      if let path { unsafe library.open(path, &database) } else {
        unsafe library.open(nil, &database)
      }
    guard status == 0, let opened = unsafe database,
      unsafe library.connect(opened, &connection) == 0
    else { throw BenchError("DuckDB could not open \(path ?? "a database in memory")") }
  }

  deinit {
    unsafe library.disconnect(&connection)
    unsafe library.close(&database)
  }

  /// Breaks off what is running; from any thread.
  func interrupt() {
    if let connection = unsafe connection { unsafe library.interrupt(connection) }
  }

  func query(_ sql: String) throws(BenchError) -> DuckDBResult {
    let result = DuckDBResult(library)
    guard let connection = unsafe connection,
      unsafe library.query(connection, sql, &result.result) == 0
    else { throw result.error() }
    return result
  }

  func prepare(_ sql: String) throws(BenchError) -> DuckDBStatement {
    var statement: DuckDBLibrary.Handle?
    guard let connection = unsafe connection else { throw BenchError("DuckDB is closed") }
    if unsafe library.prepare(connection, sql, &statement) == 0, let statement = unsafe statement {
      return unsafe DuckDBStatement(library, statement)
    }
    let text = unsafe library.prepareError(statement).map { unsafe String(cString: $0) }
    unsafe library.destroyPrepared(&statement)
    throw BenchError("DuckDB: \(text ?? "could not prepare")")
  }
}

/// A prepared statement of DuckDB.
@safe final class DuckDBStatement {
  private let library: DuckDBLibrary
  private var statement: DuckDBLibrary.Handle?

  fileprivate init(_ library: DuckDBLibrary, _ statement: DuckDBLibrary.Handle) {
    self.library = library
    unsafe self.statement = statement
  }

  deinit { unsafe library.destroyPrepared(&statement) }

  func execute(_ parameters: [ParameterValue]) throws(BenchError) -> DuckDBResult {
    guard let statement = unsafe statement else { throw BenchError("DuckDB: no statement") }
    for (place, value) in parameters.enumerated() {
      switch value {
      case .integer(let number):
        unsafe _ = library.bindInteger(statement, UInt64(place + 1), number)
      case .text(let text): unsafe _ = library.bindText(statement, UInt64(place + 1), text)
      }
    }
    let result = DuckDBResult(library)
    guard unsafe library.execute(statement, &result.result) == 0 else { throw result.error() }
    return result
  }
}

/// The rows of a DuckDB statement, fetched chunk by chunk.
@safe final class DuckDBResult {
  private let library: DuckDBLibrary
  fileprivate var result = unsafe DuckDBLibrary.Result()

  fileprivate init(_ library: DuckDBLibrary) { self.library = library }

  deinit { unsafe library.destroyResult(&result) }

  fileprivate func error() -> BenchError {
    let text = unsafe library.resultError(&result).map { unsafe String(cString: $0) }
    return BenchError("DuckDB: \(text ?? "unknown error")")
  }

  private var kinds: [DuckDBColumn.Kind] {
    let count = unsafe library.columnCount(&result)
    return (0..<count).map { DuckDBColumn.Kind(unsafe library.columnType(&result, $0)) }
  }

  /// Calls `body` with each chunk's number of rows and its columns.
  private func forEachChunk(_ body: (Int, [DuckDBColumn]) -> Void) throws(BenchError) {
    let kinds = kinds
    var columns: [DuckDBColumn] = []
    while true {
      var chunk = unsafe library.fetch(result)
      guard let open = unsafe chunk else { return }
      defer { unsafe library.destroyChunk(&chunk) }
      columns.removeAll(keepingCapacity: true)
      for (place, kind) in kinds.enumerated() {
        guard let vector = unsafe library.vector(open, UInt64(place)),
          let data = unsafe library.data(vector)
        else { throw BenchError("a chunk of DuckDB's lacks a column") }
        let validity = unsafe library.validity(vector)
        unsafe columns.append(DuckDBColumn(kind: kind, data: data, validity: validity))
      }
      body(Int(unsafe library.chunkSize(open)), columns)
    }
  }

  /// Fetches every chunk, whatever its columns are; gives the number of rows.
  func drain() -> Int {
    var total = 0
    while true {
      var chunk = unsafe library.fetch(result)
      guard let open = unsafe chunk else { return total }
      total += Int(unsafe library.chunkSize(open))
      unsafe library.destroyChunk(&chunk)
    }
  }

  /// The rows of a result whose columns are all texts.
  func texts() throws(BenchError) -> [[String?]] {
    var rows: [[String?]] = []
    try forEachChunk { count, columns in
      for row in 0..<count {
        rows.append(
          columns.map { column in
            unsafe column.isValid(row) ? String(decoding: column.bytes(row), as: UTF8.self) : nil
          })
      }
    }
    return rows
  }

  /// Reads every value; gives the number of rows.
  func read(_ sum: inout Int) throws(BenchError) -> Int {
    var total = 0
    var found = 0
    try forEachChunk { count, columns in
      total += count
      for column in columns {
        for row in 0..<count where column.isValid(row) { found &+= column.touch(row) }
      }
    }
    sum &+= found
    return total
  }

  /// What the rows say, of a result whose columns are all texts.
  func answer(_ query: Query) throws(BenchError) -> Answer {
    var digest = AnswerDigest(isOrdered: query.isOrdered)
    try forEachChunk { count, columns in
      for row in 0..<count {
        for (place, column) in columns.enumerated() {
          if column.isValid(row) {
            unsafe digest.add(column.bytes(row), query.form(of: place))
          } else {
            digest.addNull()
          }
        }
        digest.endRow()
      }
    }
    return digest.answer
  }
}

/// One column of a chunk, which must not outlive it.
@safe struct DuckDBColumn {
  /// The types whose values are read, by DuckDB's numbers; of others only whether they are NULL.
  enum Kind {
    case int32, int64, int128, text, other

    init(_ number: Int32) {
      switch number {
      // Days are kept as numbers, and so are doubles as far as reading them goes.
      case 4, 13: self = .int32
      case 5, 11: self = .int64
      case 16: self = .int128
      case 17: self = .text
      default: self = .other
      }
    }
  }

  let kind: Kind
  private let data: UnsafeMutableRawPointer
  private let validity: UnsafeMutablePointer<UInt64>?

  init(
    kind: Kind, data: UnsafeMutableRawPointer, validity: UnsafeMutablePointer<UInt64>?
  ) {
    self.kind = kind
    unsafe self.data = data
    unsafe self.validity = validity
  }

  @inline(__always)
  func isValid(_ row: Int) -> Bool {
    guard let validity = unsafe validity else { return true }
    return unsafe validity[row >> 6] >> UInt64(row & 63) & 1 != 0
  }

  @inline(__always)
  func touch(_ row: Int) -> Int {
    switch kind {
    case .int32: return Int(unsafe data.load(fromByteOffset: row * 4, as: Int32.self))
    case .int64: return Int(unsafe data.load(fromByteOffset: row * 8, as: Int64.self))
    case .int128:
      return Int(truncatingIfNeeded: unsafe data.load(fromByteOffset: row * 16, as: Int64.self))
    case .text:
      let text = unsafe bytes(row)
      return unsafe text.count &+ (text.isEmpty ? 0 : Int(text[0]))
    case .other: return 0
    }
  }

  /// A `duckdb_string_t`: a length, then up to 12 bytes in place or 4 of them and a pointer.
  @unsafe @inline(__always)
  func bytes(_ row: Int) -> UnsafeRawBufferPointer {
    let cell = unsafe data + row * 16
    let count = Int(unsafe cell.load(as: UInt32.self))
    if count <= 12 { return unsafe UnsafeRawBufferPointer(start: cell + 4, count: count) }
    return unsafe UnsafeRawBufferPointer(
      start: cell.load(fromByteOffset: 8, as: UnsafeRawPointer.self), count: count)
  }
}
