import Synchronization

/// Somebody who wants to know when the answer to a question may be another.
final class Watcher: Sendable {
  private struct State {
    /// The newest commit that may have changed the answer, seen or not.
    var marked: UInt64 = 0
    /// None before this one has changed the answer since it was given.
    var firstMarked = UInt64.max
    /// The newest marked one that can be seen.
    var announced: UInt64 = 0
    /// The version that was asked last; nil for none.
    var answered: UInt64?
    var waiting: CheckedContinuation<Void, Never>?
    var isCancelled = false

    var isBehind: Bool { answered.map { announced > $0 } ?? true }
  }
  private let state = Mutex(State())
  /// Called at each sign, on the thread of whoever has committed.
  private let wake: @Sendable () -> Void
  /// Called with the first mark since the answer was given, before anybody may see the commit.
  private let noteMark: @Sendable (Watcher) -> Void

  init(
    _ wake: @escaping @Sendable () -> Void = {},
    noteMark: @escaping @Sendable (Watcher) -> Void = { _ in }
  ) {
    self.wake = wake
    self.noteMark = noteMark
  }

  /// Notes that a commit that nobody may see yet may change the answer.
  func mark(_ number: UInt64) {
    let isFirst = state.withLock { state in
      defer { state.firstMarked = min(state.firstMarked, number) }
      state.marked = max(state.marked, number)
      return state.firstMarked == .max
    }
    if isFirst { noteMark(self) }
  }

  /// Tells of such a commit that can be seen now.
  func announce(_ number: UInt64) {
    let waiting = state.withLock { state in
      state.announced = max(state.announced, number)
      return state.isBehind ? state.waiting.take() : nil
    }
    waiting?.resume()
    wake()
  }

  /// Notes which version was asked.
  func answer(_ number: UInt64) {
    state.withLock { state in
      state.answered = number
      state.firstMarked = state.marked > number ? number + 1 : .max
    }
  }

  /// Whether there is something to ask for.
  var isBehind: Bool { state.withLock { $0.isBehind } }

  /// Whether a commit may have changed the answer, in a version that was not asked yet.
  var isMarked: Bool { state.withLock { $0.firstMarked < .max } }

  /// Whether the answer of a version may be another than the one there is.
  func needsAnswer(of number: UInt64) -> Bool {
    state.withLock { $0.answered == nil || $0.firstMarked <= number }
  }

  /// Returns when there is something to ask for, and says whether: false if the task is cancelled.
  func wait() async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if state.isCancelled || state.isBehind { return true }
          state.waiting = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.isCancelled = true
        return state.waiting.take()
      }
      waiting?.resume()
    }
    return !Task.isCancelled
  }
}
