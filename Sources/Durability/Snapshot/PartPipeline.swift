import Columnar
import Diagnostics
import Storage

/// A part of a section that is to be made.
struct PlannedPart: Sendable {
  /// The number of the section's task.
  let section: Int
  let task: SectionTask
  let plan: SectionPlan
  /// Its place among the section's parts.
  let index: Int

  /// Whether the section ends with it.
  var isLast: Bool { index == plan.partCount - 1 }
}

/// Makes sections on all cores and appends them in their order.
///
/// A section is planned first, which tells its parts. Each part goes through three steps: it is made, sealed into the
/// checksum of its section, and written. Sections are planned and parts are made side by side; one thread at a time
/// seals the next part and one writes. Whoever has made a part goes on with what is to be written or sealed, whosever it
/// is, while the bytes are near. Nobody waits, unless the disk is slower than all that make parts.
///
/// Several parts are written at once: a system keeps a file in stretches of pages, and does most of its work anew for
/// each piece that it is given, where that ends within one.
///
/// Sendable by rule: what changes does so under the monitor.
final class PartPipeline: @unchecked Sendable {
  /// How far parts may be made before those that are to be written first: as many are in memory at most.
  private static let lead = max(32, 2 * parallelWidth)
  /// How many sections may be planned before the one of which the next part is.
  private static let planLead = 64
  /// From how many bytes or parts on they are written.
  private static let writtenByteCount = 1 << 20
  private static let writtenPartCount = lead / 2

  /// What a thread may do next.
  private enum Work {
    case plan(section: Int)
    case make(PlannedPart, number: Int)
  }

  private let tasks: [SectionTask]
  private let appender: SectionAppender
  private let memory: SectionMemory
  private let fault = SharedFault()
  private let monitor = Monitor()
  /// The plans of sections that were not begun, or not to the end.
  private var plans: [Int: SectionPlan] = [:]
  private var nextPlanned = 0
  /// The section of which the next part is, and that part's place in it.
  private var (section, place) = (0, 0)
  /// What was made and is not sealed yet: part *n* at *n* modulo `lead`.
  private var made: [(planned: PlannedPart, part: SectionPart)?]
  /// What was sealed and is not written yet, in its order, and its bytes.
  private var sealed: [SealedPart] = []
  private var sealedByteCount = 0
  /// How many parts were begun, sealed and written.
  private var (begunCount, sealedCount, writtenCount) = (0, 0, 0)
  private var (isSealing, isWriting) = (false, false)
  private var hasFailed = false

  init(_ tasks: [SectionTask], _ appender: SectionAppender, _ memory: SectionMemory) {
    self.tasks = tasks
    self.appender = appender
    self.memory = memory
    made = Array(repeating: nil, count: Self.lead)
  }

  /// Makes and appends all sections; once.
  ///
  /// - Throws: the error of the first section that cannot be made, or the disk's.
  func run() throws(SQLError) {
    parallelFor(tasks: min(tasks.count, parallelWidth)) { _ in
      self.monitor.lock()
      while let work = self.next() { self.perform(work) }
      self.monitor.unlock()
    }
    try fault.check()
  }

  /// What to do next, once there is something; nil if nothing is left, or wanted any more.
  ///
  /// Under the monitor.
  /// Who waits does so for a part that another thread is at, since one that is to be sealed or written is never left.
  private func next() -> Work? {
    while !hasFailed, section < tasks.count {
      if begunCount - writtenCount < Self.lead, let plan = plans[section] {
        return .make(begin(plan), number: begunCount - 1)
      }
      if nextPlanned < min(tasks.count, section + Self.planLead) {
        nextPlanned += 1
        return .plan(section: nextPlanned - 1)
      }
      monitor.wait()
    }
    return nil
  }

  /// Takes the next part of the next section; under the monitor.
  private func begin(_ plan: SectionPlan) -> PlannedPart {
    let planned = PlannedPart(section: section, task: tasks[section], plan: plan, index: place)
    begunCount += 1
    place += 1
    if planned.isLast {
      plans[section] = nil
      (section, place) = (section + 1, 0)
      // Who waits for more may have come to the end.
      if section == tasks.count { monitor.broadcast() }
    }
    return planned
  }

  /// Under the monitor, which is left meanwhile.
  private func perform(_ work: Work) {
    monitor.unlock()
    var failure: (error: SQLError, section: Int)?
    switch work {
    case .plan(let section):
      do throws(SQLError) {
        let plan = try tasks[section].plan()
        monitor.lock()
        plans[section] = plan
        return monitor.broadcast()
      } catch { failure = (error, section) }
    case .make(let planned, let number):
      do throws(SQLError) {
        let part = try planned.plan.make(planned.index, memory)
        monitor.lock()
        made[number % Self.lead] = (planned, part)
        return goOn()
      } catch { failure = (error, planned.section) }
    }
    monitor.lock()
    if let failure { fail(failure.error, failure.section) }
  }

  /// Writes and seals as long as there is something that no other thread is at; under the monitor.
  private func goOn() {
    while !hasFailed {
      if !isWriting, isWorthWriting {
        write()
      } else if !isSealing, let next = made[sealedCount % Self.lead] {
        seal(next.planned, next.part)
      } else {
        return
      }
    }
  }

  /// Seals the next part; under the monitor, which is left meanwhile.
  private func seal(_ planned: PlannedPart, _ part: SectionPart) {
    made[sealedCount % Self.lead] = nil
    isSealing = true
    monitor.unlock()
    let done = appender.seal(part, planned)
    monitor.lock()
    sealed.append(done)
    sealedByteCount += done.byteCount
    sealedCount += 1
    isSealing = false
  }

  /// Whether there are enough parts to be written, or no more to come; under the monitor.
  private var isWorthWriting: Bool {
    sealed.count >= Self.writtenPartCount || sealedByteCount >= Self.writtenByteCount
      || !sealed.isEmpty && section == tasks.count && sealedCount == begunCount
  }

  /// Writes all parts that are sealed; under the monitor, which is left meanwhile.
  private func write() {
    var parts: [SealedPart] = []
    swap(&parts, &sealed)
    sealedByteCount = 0
    isWriting = true
    monitor.unlock()
    var failure: SQLError?
    do throws(SQLError) { try appender.write(parts) } catch { failure = error }
    for part in parts {
      if let free = part.memory { memory.give(free) }
    }
    monitor.lock()
    writtenCount += parts.count
    isWriting = false
    if let failure { fail(failure, parts[0].section) } else { monitor.broadcast() }
  }

  /// Has all threads stop; under the monitor.
  private func fail(_ error: SQLError, _ section: Int) {
    fault.note(error, at: section)
    hasFailed = true
    monitor.broadcast()
  }
}
