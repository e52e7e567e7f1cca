import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// DuckDB's C interface, out of the library inside PyPI's `duckdb` wheel.
///
/// The wheel's extension module exports the whole interface, but needs Python's own library in the process first.
@safe final class DuckDBLibrary: @unchecked Sendable {
  typealias Handle = OpaquePointer
  /// A `duckdb_result`: six words, of which only the last is used from here.
  ///
  /// Some functions take it by value. Swift can pass only structures that it imports from C; glibc's
  /// `passwd` has the same size, alignment and class in the calling conventions (48 bytes, passed in memory).
  typealias Result = passwd
  typealias Open =
    @convention(c) (UnsafePointer<CChar>?, UnsafeMutablePointer<Handle?>) -> Int32
  typealias Connect = @convention(c) (Handle, UnsafeMutablePointer<Handle?>) -> Int32
  typealias Run =
    @convention(c) (Handle, UnsafePointer<CChar>, UnsafeMutablePointer<Result>?) -> Int32
  typealias Prepare =
    @convention(c) (Handle, UnsafePointer<CChar>, UnsafeMutablePointer<Handle?>) -> Int32
  typealias BindInteger = @convention(c) (Handle, UInt64, Int64) -> Int32
  typealias BindText = @convention(c) (Handle, UInt64, UnsafePointer<CChar>) -> Int32
  typealias Execute = @convention(c) (Handle, UnsafeMutablePointer<Result>?) -> Int32
  typealias WithResult = @convention(c) (UnsafeMutablePointer<Result>) -> Void
  typealias Fetch = @convention(c) (Result) -> Handle?
  typealias ResultMessage =
    @convention(c) (UnsafeMutablePointer<Result>) -> UnsafePointer<CChar>?
  typealias ResultNumber = @convention(c) (UnsafeMutablePointer<Result>) -> UInt64
  typealias ColumnType = @convention(c) (UnsafeMutablePointer<Result>, UInt64) -> Int32
  typealias Message = @convention(c) (Handle?) -> UnsafePointer<CChar>?
  typealias Destroy = @convention(c) (UnsafeMutablePointer<Handle?>) -> Void
  typealias Size = @convention(c) (Handle) -> UInt64
  typealias VectorOf = @convention(c) (Handle, UInt64) -> Handle?
  typealias Data = @convention(c) (Handle) -> UnsafeMutableRawPointer?
  typealias Validity = @convention(c) (Handle) -> UnsafeMutablePointer<UInt64>?
  typealias Interrupt = @convention(c) (Handle) -> Void
  typealias Version = @convention(c) () -> UnsafePointer<CChar>?

  let open: Open
  let connect: Connect
  let query: Run
  let prepare: Prepare
  let prepareError: Message
  let bindInteger: BindInteger
  let bindText: BindText
  let execute: Execute
  let destroyResult: WithResult
  let fetch: Fetch
  let resultError: ResultMessage
  let columnCount: ResultNumber
  let columnType: ColumnType
  let destroyChunk: Destroy
  let destroyPrepared: Destroy
  let disconnect: Destroy
  let close: Destroy
  let chunkSize: Size
  let vector: VectorOf
  let data: Data
  let validity: Validity
  let interrupt: Interrupt
  let version: String

  /// Finds the wheel in the folder of a Python environment.
  init(environment: String) throws(BenchError) {
    let library = unsafe try Self.find(environment)
    unsafe open = try Self.symbol(library, "duckdb_open", as: Open.self)
    unsafe connect = try Self.symbol(library, "duckdb_connect", as: Connect.self)
    unsafe query = try Self.symbol(library, "duckdb_query", as: Run.self)
    unsafe prepare = try Self.symbol(library, "duckdb_prepare", as: Prepare.self)
    unsafe prepareError = try Self.symbol(library, "duckdb_prepare_error", as: Message.self)
    unsafe bindInteger = try Self.symbol(library, "duckdb_bind_int64", as: BindInteger.self)
    unsafe bindText = try Self.symbol(library, "duckdb_bind_varchar", as: BindText.self)
    unsafe execute = try Self.symbol(library, "duckdb_execute_prepared", as: Execute.self)
    unsafe destroyResult = try Self.symbol(library, "duckdb_destroy_result", as: WithResult.self)
    unsafe fetch = try Self.symbol(library, "duckdb_fetch_chunk", as: Fetch.self)
    unsafe resultError = try Self.symbol(library, "duckdb_result_error", as: ResultMessage.self)
    unsafe columnCount = try Self.symbol(library, "duckdb_column_count", as: ResultNumber.self)
    unsafe columnType = try Self.symbol(library, "duckdb_column_type", as: ColumnType.self)
    unsafe destroyChunk = try Self.symbol(library, "duckdb_destroy_data_chunk", as: Destroy.self)
    unsafe destroyPrepared = try Self.symbol(library, "duckdb_destroy_prepare", as: Destroy.self)
    unsafe disconnect = try Self.symbol(library, "duckdb_disconnect", as: Destroy.self)
    unsafe close = try Self.symbol(library, "duckdb_close", as: Destroy.self)
    unsafe chunkSize = try Self.symbol(library, "duckdb_data_chunk_get_size", as: Size.self)
    unsafe vector = try Self.symbol(library, "duckdb_data_chunk_get_vector", as: VectorOf.self)
    unsafe data = try Self.symbol(library, "duckdb_vector_get_data", as: Data.self)
    unsafe validity = try Self.symbol(library, "duckdb_vector_get_validity", as: Validity.self)
    unsafe interrupt = try Self.symbol(library, "duckdb_interrupt", as: Interrupt.self)
    let version = unsafe try Self.symbol(library, "duckdb_library_version", as: Version.self)
    self.version = unsafe version().map { unsafe String(cString: $0) } ?? "unknown"
  }

  /// Opens `lib/python3.N/site-packages/_duckdb.cpython-3N-….so`, after Python's library of the same version.
  private static func find(_ environment: String) throws(BenchError) -> UnsafeMutableRawPointer {
    let files = FileManager.default
    let versions = (try? files.contentsOfDirectory(atPath: "\(environment)/lib")) ?? []
    for python in versions where python.hasPrefix("python3") {
      let packages = "\(environment)/lib/\(python)/site-packages"
      let names = (try? files.contentsOfDirectory(atPath: packages)) ?? []
      guard let module = names.first(where: { $0.hasPrefix("_duckdb.") && $0.hasSuffix(".so") })
      else { continue }
      let runtimes = ["lib\(python).so.1.0", "lib\(python).so", "lib\(python).dylib"]
      var isThere = false
      for name in runtimes where !isThere {
        isThere = unsafe dlopen(name, RTLD_NOW | RTLD_GLOBAL) != nil
      }
      guard isThere else {
        throw BenchError("\(runtimes[0]) is missing, which DuckDB's wheel needs")
      }
      guard let library = unsafe dlopen("\(packages)/\(module)", RTLD_LAZY) else {
        throw BenchError("could not open \(module): \(unsafe String(cString: dlerror()))")
      }
      return unsafe library
    }
    throw BenchError("there is no duckdb wheel in \(environment)")
  }

  private static func symbol<Function>(
    _ library: UnsafeMutableRawPointer, _ name: String, as type: Function.Type
  ) throws(BenchError) -> Function {
    guard let address = unsafe dlsym(library, name) else {
      throw BenchError("DuckDB's library has no \(name)")
    }
    return unsafe unsafeBitCast(address, to: type)
  }
}
