import Columnar
import Diagnostics
import Storage

/// A part of a section that is to be made.
struct PlannedPart: Sendable {
  let plan: SectionPlan
  let index: Int
  let kind: SnapshotSection.Kind
  let table: UInt32
  /// Whether the section ends with it.
  let isLast: Bool
}

/// Makes parts of sections on all cores and appends them in their order.
///
/// Whoever has made the part that is next appends it, while its bytes are near, and after it those that others have made
/// meanwhile; so one thread at a time writes and none waits for it, unless the disk is slower than all that make parts.
///
/// Sendable by rule: what changes does so under the monitor.
final class PartPipeline: @unchecked Sendable {
  /// How far parts may be made before those that are to be written first: as many are in memory at most.
  private static let lead = 32

  private let parts: [PlannedPart]
  private let appender: SectionAppender
  private let memory: SectionMemory
  private let fault = SharedFault()
  private let monitor = Monitor()
  /// What was made and is not written yet.
  private var made: [SectionPart?]
  /// The part to be written next.
  private var next = 0
  private var isWriting = false
  private var hasFailed = false

  init(_ parts: [PlannedPart], _ appender: SectionAppender, _ memory: SectionMemory) {
    self.parts = parts
    self.appender = appender
    self.memory = memory
    made = Array(repeating: nil, count: parts.count)
  }

  /// Makes and appends all parts; once.
  ///
  /// - Throws: the error of the first part that cannot be made, or the disk's.
  func run() throws(SQLError) {
    parallelFor(tasks: parts.count) { index in
      guard self.mayBegin(index) else { return }
      let planned = self.parts[index]
      do throws(SQLError) {
        self.take(try planned.plan.make(planned.index, self.memory), index)
      } catch {
        self.monitor.lock()
        self.fail(error, index)
        self.monitor.unlock()
      }
    }
    try fault.check()
  }

  /// Waits until a part is not too far ahead; false if it is not wanted any more.
  ///
  /// Parts are begun in order, so whoever makes the next one does not wait.
  private func mayBegin(_ index: Int) -> Bool {
    monitor.lock()
    defer { monitor.unlock() }
    while !hasFailed, index - next >= Self.lead { monitor.wait() }
    return !hasFailed
  }

  /// Keeps a part, and writes all that can be written unless another thread does.
  private func take(_ part: SectionPart, _ index: Int) {
    monitor.lock()
    defer { monitor.unlock() }
    made[index] = part
    if isWriting { return }
    isWriting = true
    while !hasFailed, next < parts.count, let part = made[next] {
      made[next] = nil
      let number = next
      monitor.unlock()
      var failure: SQLError?
      do throws(SQLError) { try appender.write(part, parts[number], memory) } catch {
        failure = error
      }
      monitor.lock()
      next += 1
      if let failure { fail(failure, number) } else { monitor.broadcast() }
    }
    isWriting = false
  }

  /// Has all threads stop; under the monitor.
  private func fail(_ error: SQLError, _ index: Int) {
    fault.note(error, at: index)
    hasFailed = true
    monitor.broadcast()
  }
}
