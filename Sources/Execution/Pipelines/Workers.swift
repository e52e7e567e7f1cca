import Storage

/// The threads that take morsels.
enum Workers {
  /// How many threads can work at once, the calling one included.
  static var parallelism: Int { parallelWidth }

  /// Runs `body` once for each worker number and waits for all of them.
  static func run(_ workerCount: Int, _ body: @escaping @Sendable (Int) -> Void) {
    parallelFor(tasks: workerCount, body)
  }
}
