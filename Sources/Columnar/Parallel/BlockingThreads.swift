import Dispatch
import Synchronization

/// Threads for work that may block or take long, which neither tasks nor those who ask for it are to wait for.
///
/// Threads are made as they are needed, up to a limit; work beyond it waits for its turn. Those of tasks and of dispatch queues are
/// about as many as there are cores: some long statements would keep every task of the program from going on.
package enum BlockingThreads {
  private struct State {
    /// What nobody has begun, in order of arrival from `first` on.
    var work: [@Sendable () -> Void] = []
    var first = 0
    /// Threads that wait for work, or are on their way to it.
    var idleCount = 0
    var threadCount = 0

    var waitingCount: Int { work.count - first }

    mutating func takeFirst() -> @Sendable () -> Void {
      defer {
        first += 1
        if first == work.count {
          work = []
          first = 0
        }
        idleCount -= 1
      }
      return work[first]
    }
  }

  private static let state = Mutex(State())
  private static let arrived = DispatchSemaphore(value: 0)
  private static let threadMax = 64

  /// Runs `work` on one of the threads, soon.
  package static func run(_ work: @escaping @Sendable () -> Void) {
    let needsThread = state.withLock { state in
      state.work.append(work)
      guard state.waitingCount > state.idleCount, state.threadCount < threadMax else {
        return false
      }
      state.threadCount += 1
      state.idleCount += 1
      return true
    }
    if needsThread, !SystemThread.start({ runAll() }) {
      let isAlone = state.withLock { state in
        state.threadCount -= 1
        state.idleCount -= 1
        return state.threadCount == 0
      }
      // Should the system refuse even one, a queue's thread does the work.
      if isAlone {
        state.withLock { $0.idleCount += 1 }
        DispatchQueue.global().async { runOne() }
      }
    }
    arrived.signal()
  }

  private static func runOne() {
    arrived.wait()
    let work = state.withLock { $0.takeFirst() }
    work()
  }

  private static func runAll() {
    while true {
      runOne()
      state.withLock { $0.idleCount += 1 }
    }
  }
}
