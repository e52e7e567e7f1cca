import Dispatch
import Synchronization

/// Breaks off an execution that has gone on for too long, from a thread of its own.
final class Watchdog: Sendable {
  private let hasFired = Atomic(false)

  /// Whether the last body was broken off.
  var fired: Bool { hasFired.load(ordering: .relaxed) }

  /// Runs `body`; `interrupt` is called once if it is not done at the deadline.
  func run<Result>(
    until deadline: Deadline, interrupt: @escaping @Sendable () -> Void,
    _ body: () throws(EngineFailure) -> Result
  ) throws(EngineFailure) -> Result {
    hasFired.store(false, ordering: .relaxed)
    let alarm = DispatchWorkItem { [self] in
      hasFired.store(true, ordering: .relaxed)
      interrupt()
    }
    DispatchQueue.global().asyncAfter(
      deadline: .now() + deadline.secondsToHard, execute: alarm)
    defer { alarm.cancel() }
    return try body()
  }

  /// The failure of an execution, which is a timeout if this broke it off.
  func failure(_ message: String) -> EngineFailure {
    fired ? EngineFailure(.timeout, "broken off: it took too long") : EngineFailure(.error, message)
  }
}
