#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Threads of the system that nobody waits for.
package enum SystemThread {
  /// What a new thread is to do.
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Deep trees of plans and values are let go of by recursion; memory is taken only for as much of a stack as is used.
  private static let stackSize = 64 << 20

  /// Runs `body` on a thread of its own; false if the system has none to give.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    var status: Int32 = -1
    let argument = unsafe Unmanaged.passRetained(Body(body))
    unsafe withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { room in
      guard let attributes = room.baseAddress else { return }
      unsafe pthread_attr_init(attributes)
      unsafe pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
      unsafe pthread_attr_setstacksize(attributes, stackSize)
      unsafe status = pthread_create(
        &thread, attributes,
        { argument in
          #if canImport(Glibc)
            guard let argument = unsafe argument else { return nil }
          #endif
          unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
          return nil
        }, argument.toOpaque())
      unsafe pthread_attr_destroy(attributes)
    }
    if status != 0 { unsafe argument.release() }
    return status == 0
  }
}
