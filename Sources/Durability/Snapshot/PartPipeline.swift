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
/// Each part goes through three steps: it is made, sealed into the checksum of its section, and written. Parts are made
/// side by side; one thread at a time seals the next part and one writes. Whoever has made a part goes on with what is
/// to be written or sealed, whosever it is, while the bytes are near. Nobody waits, unless the disk is slower than all
/// that make parts.
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
  /// What was made and is not sealed yet.
  private var made: [SectionPart?]
  /// What was sealed and is not written yet.
  private var sealed: [SealedPart?]
  /// The parts to be sealed and to be written next.
  private var (nextSealed, nextWritten) = (0, 0)
  private var (isSealing, isWriting) = (false, false)
  private var hasFailed = false

  init(_ parts: [PlannedPart], _ appender: SectionAppender, _ memory: SectionMemory) {
    self.parts = parts
    self.appender = appender
    self.memory = memory
    made = Array(repeating: nil, count: parts.count)
    sealed = Array(repeating: nil, count: parts.count)
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
    while !hasFailed, index - nextWritten >= Self.lead { monitor.wait() }
    return !hasFailed
  }

  /// Keeps a part that was made, and writes and seals as long as there is something that no other thread is at.
  private func take(_ part: SectionPart, _ index: Int) {
    monitor.lock()
    defer { monitor.unlock() }
    made[index] = part
    while !hasFailed {
      if !isWriting, nextWritten < parts.count, let part = sealed[nextWritten] {
        write(part)
      } else if !isSealing, nextSealed < parts.count, let part = made[nextSealed] {
        seal(part)
      } else {
        return
      }
    }
  }

  /// Seals the next part; under the monitor, which is left meanwhile.
  private func seal(_ part: SectionPart) {
    let index = nextSealed
    made[index] = nil
    isSealing = true
    monitor.unlock()
    let done = appender.seal(part, parts[index])
    monitor.lock()
    sealed[index] = done
    nextSealed += 1
    isSealing = false
  }

  /// Writes the next part; under the monitor, which is left meanwhile.
  private func write(_ part: SealedPart) {
    let index = nextWritten
    sealed[index] = nil
    isWriting = true
    monitor.unlock()
    var failure: SQLError?
    do throws(SQLError) { try appender.write(part) } catch { failure = error }
    if let free = part.memory { memory.give(free) }
    monitor.lock()
    nextWritten += 1
    isWriting = false
    if let failure { fail(failure, index) } else { monitor.broadcast() }
  }

  /// Has all threads stop; under the monitor.
  private func fail(_ error: SQLError, _ index: Int) {
    fault.note(error, at: index)
    hasFailed = true
    monitor.broadcast()
  }
}
