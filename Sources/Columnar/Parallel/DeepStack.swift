package import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Work that recurses deeper than a caller's stack may allow, on a thread with a large one.
package enum DeepStack {
  /// Memory is taken only for as much of the stack as is used.
  private static let byteCount = 512 << 20

  /// Runs `body`, where it `isDeep` on a thread of its own for which the calling one waits.
  ///
  /// - Throws: what `body` throws, and 54001 should the system refuse a thread.
  package static func run<Result>(
    if isDeep: Bool, _ body: () throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    isDeep ? try runDeep(body) : try body()
  }

  private static func runDeep<Result>(
    _ body: () throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    var outcome: Swift.Result<Result, SQLError>?
    let statement = RunningStatement.current
    let hasRun = withoutActuallyEscaping(body) { body in
      runThread(
        DeepWork {
          RunningStatement.within(statement) {
            do throws(SQLError) { outcome = .success(try body()) } catch {
              outcome = .failure(error)
            }
          }
        })
    }
    guard hasRun, let outcome else {
      throw SQLError(
        .statementTooComplex, "stack depth limit exceeded",
        detail: "The system has no room for a stack of \(byteCount >> 20) MB.")
    }
    return try outcome.get()
  }

  private static func runThread(_ work: DeepWork) -> Bool {
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    var status: Int32 = -1
    let argument = unsafe Unmanaged.passRetained(work).toOpaque()
    unsafe withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { room in
      guard let attributes = room.baseAddress else { return }
      unsafe pthread_attr_init(attributes)
      unsafe pthread_attr_setstacksize(attributes, byteCount)
      unsafe status = pthread_create(
        &thread, attributes,
        { argument in
          #if canImport(Glibc)
            guard let argument = unsafe argument else { return nil }
          #endif
          unsafe Unmanaged<DeepWork>.fromOpaque(argument).takeUnretainedValue().body()
          return nil
        }, argument)
      unsafe pthread_attr_destroy(attributes)
    }
    if status == 0 {
      #if canImport(Glibc)
        pthread_join(thread, nil)
      #else
        if let thread { unsafe pthread_join(thread, nil) }
      #endif
    }
    unsafe Unmanaged<DeepWork>.fromOpaque(argument).release()
    return status == 0
  }
}

/// Sendable by rule: the thread that made it waits until the one that runs it has ended.
private final class DeepWork: @unchecked Sendable {
  let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }
}
