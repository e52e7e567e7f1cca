import Dispatch

/// Runs the same work for each of a number of threads, and returns when all are done.
enum Threads {
  /// Calls `body` with the number of each thread, from 0.
  static func run(_ count: Int, _ body: @Sendable (Int) -> Void) {
    if count <= 1 { return body(0) }
    DispatchQueue.concurrentPerform(iterations: count, execute: body)
  }

  /// The part of `0 ..< count` that a thread takes, its bounds multiples of `step`.
  static func share(_ count: Int, thread: Int, of threads: Int, step: Int = 1) -> Range<Int> {
    let steps = (count + step - 1) / step
    let lower = min(count, steps * thread / threads * step)
    let upper = min(count, steps * (thread + 1) / threads * step)
    return lower..<upper
  }
}
