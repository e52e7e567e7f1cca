import Diagnostics
import Storage

/// The threads that take morsels.
enum Workers {
  /// How many threads can work at once, the calling one included.
  static var parallelism: Int { parallelWidth }

  /// Runs `body` once for each worker number and waits for all of them.
  static func run(_ workerCount: Int, _ body: @escaping @Sendable (Int) -> Void) {
    parallelFor(tasks: workerCount, body)
  }

  /// Does pieces of work 0 ..< `count`, each once, by whichever worker is free; one state belongs to each worker.
  ///
  /// - Throws: 57014 when cancelled between two pieces.
  static func share<State: Sendable>(
    _ count: Int, among states: [State], _ context: ExecutionContext,
    _ body: @escaping @Sendable (State, Int) throws(SQLError) -> Void
  ) throws(SQLError) {
    if states.count == 1 || count < 2 {
      for piece in 0..<count {
        try context.check()
        try body(states[0], piece)
      }
      return
    }
    let progress = MorselProgress(0..<count)
    run(min(count, states.count)) { worker in
      while let piece = progress.next() {
        do throws(SQLError) {
          try context.check()
          try body(states[worker], piece)
        } catch {
          progress.fail(error, at: piece)
        }
      }
    }
    if let error = progress.error { throw error }
  }
}
