import Columnar
import Diagnostics
import Storage

/// The threads that take morsels.
enum Workers {
  /// How many threads can work at once, the calling one included.
  static var parallelism: Int { parallelWidth }

  /// Runs `body` once for each worker, with the state that belongs to it, and waits for all of them.
  static func run<State>(_ states: [State], _ body: @escaping @Sendable (State) -> Void) {
    let handed = HandedStates(states: states)
    parallelFor(tasks: states.count) { worker in body(handed.states[worker]) }
  }

  /// Does pieces of work 0 ..< `count`, each once, by whichever worker is free; one state belongs to each worker.
  ///
  /// - Throws: 57014 when cancelled between two pieces.
  static func share<State>(
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
    run(Array(states.prefix(count))) { state in
      while let piece = progress.next() {
        do throws(SQLError) {
          try context.check()
          try body(state, piece)
        } catch {
          progress.fail(error, at: piece)
        }
      }
    }
    if let error = progress.error { throw error }
  }
}

/// The states of the workers of one call.
///
/// Sendable by rule: the call waits until all workers have returned, and a state is used by its worker alone. What
/// states have in common is set before the workers start and then only read, or guards itself.
private struct HandedStates<State>: @unchecked Sendable {
  let states: [State]
}
