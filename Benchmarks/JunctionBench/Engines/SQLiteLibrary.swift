#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// SQLite's C library, found at run time: a peer in the same process, through its own interface.
///
/// The package links nothing; where the library is missing, the peer is reported as missing.
@safe final class SQLiteLibrary: @unchecked Sendable {
  typealias Handle = OpaquePointer
  typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Handle?>) -> Int32
  typealias Prepare =
    @convention(c) (
      Handle, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<Handle?>,
      UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) -> Int32
  typealias WithHandle = @convention(c) (Handle?) -> Int32
  typealias BindInteger = @convention(c) (Handle, Int32, Int64) -> Int32
  typealias BindDouble = @convention(c) (Handle, Int32, Double) -> Int32
  typealias ColumnDouble = @convention(c) (Handle, Int32) -> Double
  typealias BindNull = @convention(c) (Handle, Int32) -> Int32
  typealias BindText =
    @convention(c) (Handle, Int32, UnsafeRawPointer?, Int32, Int) -> Int32
  typealias ColumnInteger = @convention(c) (Handle, Int32) -> Int64
  typealias ColumnText = @convention(c) (Handle, Int32) -> UnsafePointer<UInt8>?
  typealias ColumnCount = @convention(c) (Handle, Int32) -> Int32
  typealias Message = @convention(c) (Handle?) -> UnsafePointer<CChar>?
  typealias ParameterIndex = @convention(c) (Handle, UnsafePointer<CChar>) -> Int32
  typealias Interrupt = @convention(c) (Handle?) -> Void
  typealias Version = @convention(c) () -> UnsafePointer<CChar>?

  let open: Open
  let prepare: Prepare
  let step: WithHandle
  let reset: WithHandle
  let finalize: WithHandle
  let close: WithHandle
  let bindInteger: BindInteger
  let bindDouble: BindDouble
  let bindNull: BindNull
  let bindText: BindText
  let columnInteger: ColumnInteger
  let columnDouble: ColumnDouble
  let columnText: ColumnText
  let columnBytes: ColumnCount
  let columnType: ColumnCount
  let columnCount: WithHandle
  let parameterIndex: ParameterIndex
  let changes: WithHandle
  let interrupt: Interrupt
  let message: Message
  let version: String

  static let row: Int32 = 100
  static let done: Int32 = 101

  /// Looks for the library under its usual names.
  init() throws(BenchError) {
    let names = ["libsqlite3.so.0", "libsqlite3.so", "/usr/lib/libsqlite3.dylib"]
    var found: UnsafeMutableRawPointer?
    for name in names where unsafe found == nil { unsafe found = dlopen(name, RTLD_NOW) }
    guard let library = unsafe found else {
      throw BenchError("SQLite's library is missing (tried \(names.joined(separator: ", ")))")
    }
    unsafe open = try Self.symbol(library, "sqlite3_open", as: Open.self)
    unsafe prepare = try Self.symbol(library, "sqlite3_prepare_v2", as: Prepare.self)
    unsafe step = try Self.symbol(library, "sqlite3_step", as: WithHandle.self)
    unsafe reset = try Self.symbol(library, "sqlite3_reset", as: WithHandle.self)
    unsafe finalize = try Self.symbol(library, "sqlite3_finalize", as: WithHandle.self)
    unsafe close = try Self.symbol(library, "sqlite3_close", as: WithHandle.self)
    unsafe bindInteger = try Self.symbol(library, "sqlite3_bind_int64", as: BindInteger.self)
    unsafe bindDouble = try Self.symbol(library, "sqlite3_bind_double", as: BindDouble.self)
    unsafe columnDouble = try Self.symbol(library, "sqlite3_column_double", as: ColumnDouble.self)
    unsafe bindNull = try Self.symbol(library, "sqlite3_bind_null", as: BindNull.self)
    unsafe bindText = try Self.symbol(library, "sqlite3_bind_text", as: BindText.self)
    unsafe columnInteger = try Self.symbol(library, "sqlite3_column_int64", as: ColumnInteger.self)
    unsafe columnText = try Self.symbol(library, "sqlite3_column_text", as: ColumnText.self)
    unsafe columnBytes = try Self.symbol(library, "sqlite3_column_bytes", as: ColumnCount.self)
    unsafe columnType = try Self.symbol(library, "sqlite3_column_type", as: ColumnCount.self)
    unsafe columnCount = try Self.symbol(library, "sqlite3_column_count", as: WithHandle.self)
    unsafe parameterIndex = try Self.symbol(
      library, "sqlite3_bind_parameter_index", as: ParameterIndex.self)
    unsafe changes = try Self.symbol(library, "sqlite3_changes", as: WithHandle.self)
    unsafe interrupt = try Self.symbol(library, "sqlite3_interrupt", as: Interrupt.self)
    unsafe message = try Self.symbol(library, "sqlite3_errmsg", as: Message.self)
    let version = unsafe try Self.symbol(library, "sqlite3_libversion", as: Version.self)
    self.version = unsafe version().map { unsafe String(cString: $0) } ?? "unknown"
  }

  private static func symbol<Function>(
    _ library: UnsafeMutableRawPointer, _ name: String, as type: Function.Type
  ) throws(BenchError) -> Function {
    guard let address = unsafe dlsym(library, name) else {
      throw BenchError("SQLite's library has no \(name)")
    }
    return unsafe unsafeBitCast(address, to: type)
  }
}

/// An SQLite database, in memory or in a file.
///
/// Sendable by rule: one thread at a time uses it; only `interrupt()` may come from any other.
@safe final class SQLiteDatabase: @unchecked Sendable {
  let library: SQLiteLibrary
  fileprivate let handle: SQLiteLibrary.Handle

  init(_ library: SQLiteLibrary, path: String = ":memory:") throws(BenchError) {
    self.library = library
    var opened: SQLiteLibrary.Handle?
    guard unsafe library.open(path, &opened) == 0, let opened = unsafe opened else {
      throw BenchError("SQLite could not open \(path)")
    }
    unsafe handle = opened
  }

  deinit { unsafe _ = library.close(handle) }

  /// Runs a statement without parameters to its end.
  func execute(_ sql: String) throws(BenchError) {
    let statement = try SQLiteStatement(self, sql)
    while try statement.step() {}
  }

  /// Breaks off what is running; from any thread.
  func interrupt() { unsafe library.interrupt(handle) }

  /// The rows that the last statement changed.
  var changes: Int { Int(unsafe library.changes(handle)) }

  fileprivate func error() -> BenchError {
    let text = unsafe library.message(handle).map { unsafe String(cString: $0) } ?? "unknown error"
    return BenchError("SQLite: \(text)")
  }
}

/// A prepared statement of SQLite.
@safe final class SQLiteStatement {
  private let database: SQLiteDatabase
  private let library: SQLiteLibrary
  private let handle: SQLiteLibrary.Handle

  init(_ database: SQLiteDatabase, _ sql: String) throws(BenchError) {
    self.database = database
    library = database.library
    var prepared: SQLiteLibrary.Handle?
    guard unsafe library.prepare(database.handle, sql, -1, &prepared, nil) == 0,
      let prepared = unsafe prepared
    else { throw database.error() }
    unsafe handle = prepared
  }

  deinit { unsafe _ = library.finalize(handle) }

  /// Puts a number in place of parameter `index`, counted from 1.
  func bind(_ index: Int32, _ value: Int64) { unsafe _ = library.bindInteger(handle, index, value) }

  /// Puts a number in place of parameter `index`.
  func bind(_ index: Int32, number value: Double) {
    unsafe _ = library.bindDouble(handle, index, value)
  }

  /// Puts NULL in place of parameter `index`.
  func bindNull(_ index: Int32) { unsafe _ = library.bindNull(handle, index) }

  /// Puts a text in place of parameter `index`; SQLite makes a copy.
  func bind(_ index: Int32, _ value: String) {
    unsafe _ = library.bindText(handle, index, value, -1, -1)
  }

  /// Puts bytes in place of parameter `index`, which must stay where they are while the statement runs.
  func bind(_ index: Int32, _ bytes: UnsafeRawBufferPointer) {
    unsafe _ = library.bindText(handle, index, bytes.baseAddress, Int32(bytes.count), 0)
  }

  /// The index of the parameter `$1`, `$2`, …, or 0 where the text has none of that number.
  func parameterIndex(_ number: Int) -> Int32 {
    unsafe library.parameterIndex(handle, "$\(number)")
  }

  var columnCount: Int32 { unsafe library.columnCount(handle) }

  /// What the row that stands has in a column.
  func isNumber(_ column: Int32) -> Bool { unsafe library.columnType(handle, column) <= 2 }
  func isNull(_ column: Int32) -> Bool { unsafe library.columnType(handle, column) == 5 }

  /// The bytes of a text of the row that stands, good until the next step.
  @unsafe func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let text = unsafe library.columnText(handle, column)
    return unsafe UnsafeRawBufferPointer(
      start: text, count: Int(library.columnBytes(handle, column)))
  }

  /// Goes to the next row; false at the end.
  func step() throws(BenchError) -> Bool {
    switch unsafe library.step(handle) {
    case SQLiteLibrary.row: return true
    case SQLiteLibrary.done: return false
    default: throw database.error()
    }
  }

  /// Makes the statement ready to run again.
  func reset() { unsafe _ = library.reset(handle) }

  func integer(_ column: Int32) -> Int64 { unsafe library.columnInteger(handle, column) }

  func double(_ column: Int32) -> Double { unsafe library.columnDouble(handle, column) }

  /// A text of the row that stands, nil for NULL.
  func text(_ column: Int32) -> String? {
    guard let text = unsafe library.columnText(handle, column) else { return nil }
    let bytes = unsafe UnsafeBufferPointer(
      start: text, count: Int(library.columnBytes(handle, column)))
    return unsafe String(decoding: bytes, as: UTF8.self)
  }

  /// Touches a text as a reader of it would: its length and its first byte.
  func textDigest(_ column: Int32) -> Int {
    guard let text = unsafe library.columnText(handle, column) else { return 0 }
    return Int(unsafe library.columnBytes(handle, column)) &+ Int(unsafe text.pointee)
  }
}
