package import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The statement that the calling thread works for.
///
/// Loops deep in kernels and indexes ask here whether to go on, so that not every function between them and the
/// statement has to hand its context down. `parallelFor` hands it to the threads that take part.
package enum RunningStatement {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    unsafe pthread_key_create(&key, nil)
    return key
  }()

  /// The statement's context; nil outside of a statement.
  package static var current: EvaluationContext? {
    guard let context = unsafe pthread_getspecific(key) else { return nil }
    // Whoever has set it holds it until it is taken back.
    return unsafe Unmanaged<EvaluationContext>.fromOpaque(context).takeUnretainedValue()
  }

  /// Runs `body` as work for a statement.
  package static func within<Result, Failure: Error>(
    _ context: EvaluationContext?, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outer = unsafe pthread_getspecific(key)
    unsafe _ = pthread_setspecific(
      key, context.map { unsafe UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
    defer {
      unsafe _ = pthread_setspecific(key, outer)
      withExtendedLifetime(context) {}
    }
    return try body()
  }

  /// Ends the statement if it has to end.
  ///
  /// - Throws: 57014, 53200.
  package static func check() throws(SQLError) { try current?.checkCancellation() }

  /// Whether the statement has to end.
  package static var isInterrupted: Bool { current?.isInterrupted ?? false }

  /// Asks for `byteCount` bytes that are about to be taken for one value or one table, before they are.
  ///
  /// - Throws: 53200 where they are more than the statement may hold, 57014.
  package static func reserve(_ byteCount: Int) throws(SQLError) {
    guard let current else { return }
    try current.checkCancellation()
    try current.memory.checkRoom(for: byteCount)
  }
}

/// What one chunk's worth of values takes while it is made, counted where it is much.
///
/// Texts and arrays of one chunk may take gigabytes before any operator is handed them and counts them itself.
struct GrowingMemory {
  /// Less is not counted, as operators count what they keep once more.
  private static let leastByteCount = 1 << 22
  private var held: HeldMemory?

  /// Notes that the values take `byteCount` bytes by now.
  ///
  /// - Throws: 53200 where they are more than there is room for, 57014.
  mutating func grow(to byteCount: Int) throws(SQLError) {
    try RunningStatement.reserve(byteCount)
    guard byteCount >= Self.leastByteCount, let current = RunningStatement.current else { return }
    held = nil
    held = try current.memory.hold(byteCount)
  }
}

extension Range<Int> {
  /// How many rows a long loop goes through between two looks at whether the statement has to end: a tenth of a
  /// millisecond's to a millisecond's work.
  package static var sliceLength: Int { 1 << 16 }

  /// Hands over the range in slices, and looks between them whether the statement has to end.
  ///
  /// The loop over the rows stands within `body`, and is compiled as if there were no slices.
  ///
  /// - Throws: 57014, 53200; and what `body` throws.
  @inline(__always)
  package func inSlices(
    of length: Int = Self.sliceLength, _ body: (Range<Int>) throws(SQLError) -> Void
  ) throws(SQLError) {
    var start = lowerBound
    while upperBound &- start > length {
      try RunningStatement.check()
      try body(start..<(start &+ length))
      start &+= length
    }
    try body(start..<upperBound)
  }
}
