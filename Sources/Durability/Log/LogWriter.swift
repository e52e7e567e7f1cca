import Columnar
package import Diagnostics
import Synchronization

/// When a commit may be told that it is done.
package enum LogMode: Hashable, Sendable {
  /// When its bytes survive the loss of power.
  case synchronous
  /// When the system has its bytes; they become durable within the window, or at `flush` alone if
  /// that is nil.
  case deferred(windowMilliseconds: Int?)
}

/// The end of a log: transactions are appended and made durable.
///
/// A commit takes two steps, so that many can share one sync:
/// 1. `append`, in the order of the transactions, says whether the transaction can be logged at all;
/// 2. `wait(for:)`, outside the lock that orders them, returns when it is durable.
///
/// In synchronous mode whoever waits first syncs for all who have appended by then; the others wait,
/// and the next of them syncs for all who came meanwhile. There is never more than one sync at a time.
///
/// A failure is final: after a write that could not be taken back, or any sync that failed, the log
/// takes nothing more, since the system may have dropped what it could not write. Waiting commits
/// learn that nobody knows (40003), later ones are refused (58030).
///
/// Sendable by rule: all that changes is touched under `monitor`, and the file is closed only when
/// no sync is under way.
package final class LogWriter: @unchecked Sendable {
  private let disk: any Disk
  private let mode: LogMode
  /// How many zeros are written at a time: Linux keeps what is written at once in one piece of memory, and with each frame
  /// that is then written there goes through the blocks of all of it.
  private static let fillByteCount: UInt64 = 1 << 14

  /// By how much the file grows ahead of its frames at most, zero for not at all.
  private let growthLimit: Int
  private let monitor = Monitor()

  private var file: DiskFile
  private var seeds: ChecksumSeeds
  /// Where the next frame goes.
  private var end: UInt64 { didSet { publicEnd.store(end, ordering: .relaxed) } }
  /// The same, for who only wants to know how long the log has become: whoever appends has the lock while the
  /// system writes.
  private let publicEnd: Atomic<UInt64>
  /// Up to where the file was filled with zeros, so that a sync need not bring its new size to the disk.
  private var filledEnd: UInt64
  private var appendedSequence: UInt64
  private var syncedSequence: UInt64
  private var isSyncing = false
  /// Whether somebody needs the end of the log to stay where it is.
  private var isHeld = false
  private var isFlusherRunning = false
  private var isClosed = false
  private var failure: DiskError?
  /// The bytes of the frame that is being written.
  private var scratch: [UInt8] = []

  /// The writer for a log whose durable frames end at `end`, with a transaction of number `sequence`.
  ///
  /// From there to `filledEnd`, if that is given, the file holds zeros.
  package init(
    file: DiskFile, on disk: any Disk, identity: FileIdentity, end: UInt64, sequence: UInt64,
    mode: LogMode, growthLimit: Int = 1 << 20, filledEnd: UInt64 = 0
  ) {
    self.file = file
    self.disk = disk
    self.mode = mode
    self.growthLimit = growthLimit
    self.end = end
    publicEnd = Atomic(end)
    self.filledEnd = max(end, filledEnd)
    seeds = ChecksumSeeds(identity)
    appendedSequence = sequence
    syncedSequence = sequence
  }

  deinit { if !isClosed { try? disk.close(file) } }

  /// Makes a log without transactions, durable but for its name.
  package static func create(
    _ path: String, on disk: any Disk, identity: FileIdentity, baseSequence: UInt64
  ) throws(DiskError) -> DiskFile {
    let file = try disk.open(path, .create)
    do throws(DiskError) {
      let header = LogHeader(identity: identity, baseSequence: baseSequence).bytes
      try disk.writeAll(file, at: 0, header.span)
      try disk.sync(file, .all)
      return file
    } catch {
      try? disk.close(file)
      throw error
    }
  }

  /// How many bytes of frames and header the current file has.
  package var byteCount: UInt64 { publicEnd.load(ordering: .relaxed) }
  /// The number of the last transaction that was appended.
  package var lastSequence: UInt64 { locked { appendedSequence } }
  /// The number of the last transaction that is known to be durable.
  package var durableSequence: UInt64 { locked { syncedSequence } }
  /// Whether a failure has ended all writing.
  package var isReadOnly: Bool { locked { failure != nil || isClosed } }

  private func locked<Result>(_ body: () -> Result) -> Result {
    monitor.lock()
    defer { monitor.unlock() }
    return body()
  }

  // MARK: Commits

  /// Appends the bytes of a transaction, and gives its sequence number, the next after the last.
  ///
  /// After an error nothing of it is in the log, unless the error is 40003.
  ///
  /// - Throws: 53100 if the disk is full, and later transactions may succeed; 58030 if the log takes
  ///   nothing more; 40003 if that is so and the transaction may be in the log or not.
  package func append(_ payload: Span<UInt8>) throws(SQLError) -> UInt64 {
    monitor.lock()
    defer { monitor.unlock() }
    while isHeld { monitor.wait() }
    try checkWritable()
    let sequence = appendedSequence + 1
    do throws(DiskError) { try write(payload, sequence) } catch {
      throw takeBack(after: error)
    }
    appendedSequence = sequence
    if case .deferred(let window?) = mode, !isFlusherRunning { startFlusher(window) }
    return sequence
  }

  /// Returns when the transaction may be told that it is done.
  ///
  /// - Throws: 40003 if that will never be known.
  package func wait(for sequence: UInt64) throws(SQLError) {
    if mode != .synchronous { return }
    monitor.lock()
    defer { monitor.unlock() }
    precondition(sequence <= appendedSequence, "only what was appended becomes durable")
    while syncedSequence < sequence {
      if let failure { throw Self.unknown(failure) }
      if isSyncing { monitor.wait() } else { sync() }
    }
  }

  /// Makes all transactions durable that were appended so far.
  ///
  /// - Throws: 58030 if that cannot be.
  package func flush() throws(SQLError) {
    monitor.lock()
    defer { monitor.unlock() }
    try flushAll()
  }

  /// Writes the frames of one transaction, and zeros behind them where the file has grown.
  private func write(_ payload: Span<UInt8>, _ sequence: UInt64) throws(DiskError) {
    var place = end
    var start = 0
    var part: UInt32 = 0
    repeat {
      let next = min(start + LogFrame.payloadLimit, payload.count)
      let frame = LogFrame(
        kind: next == payload.count ? .commit : .record, part: part, sequence: sequence,
        syncedSequence: syncedSequence, payloadByteCount: next - start)
      try write(frame, payload.extracting(start..<next), at: place)
      place += UInt64(frame.byteCount)
      start = next
      part &+= 1
    } while start < payload.count
    end = place
    fillAhead()
  }

  private func write(
    _ frame: LogFrame, _ payload: Span<UInt8>, at place: UInt64
  ) throws(DiskError) {
    // Out of the object while it is lent to the disk.
    var bytes: [UInt8] = []
    swap(&bytes, &scratch)
    defer { swap(&bytes, &scratch) }
    bytes.removeAll(keepingCapacity: true)
    frame.append(to: &bytes, payload: payload, at: place, seeds)
    try disk.writeAll(file, at: place, bytes.span)
  }

  /// Fills the file with zeros behind its end, so that most syncs need not write its new size.
  ///
  /// A disk that has no room for them may have enough for the frames.
  private func fillAhead() {
    guard end > filledEnd, growthLimit > 0 else { return }
    let step = UInt64(min(max(end, 1 << 16), UInt64(growthLimit)))
    filledEnd = (end / step + 1) * step
    let zeros = [UInt8](repeating: 0, count: Int(Self.fillByteCount))
    var place = end
    do throws(DiskError) {
      while place < filledEnd {
        let next = min(filledEnd, (place / Self.fillByteCount + 1) * Self.fillByteCount)
        try disk.writeAll(file, at: place, zeros.span.extracting(0..<Int(next - place)))
        place = next
      }
    } catch {
      filledEnd = end
    }
  }

  // MARK: Syncing, under the lock

  /// Syncs what was appended by now; others may append meanwhile.
  private func sync() {
    isSyncing = true
    let target = appendedSequence
    let file = self.file
    monitor.unlock()
    var error: DiskError?
    do throws(DiskError) { try disk.sync(file, .data) } catch let caught { error = caught }
    monitor.lock()
    isSyncing = false
    if let error {
      if failure == nil { failure = error }
    } else {
      syncedSequence = max(syncedSequence, target)
    }
    monitor.broadcast()
  }

  private func flushAll() throws(SQLError) {
    let target = appendedSequence
    while syncedSequence < target {
      if let failure { throw Self.readOnly(failure) }
      if isSyncing { monitor.wait() } else { sync() }
    }
  }

  private func checkWritable() throws(SQLError) {
    if let failure { throw Self.readOnly(failure) }
    if isClosed { throw SQLError.internal("a transaction came after the log was closed") }
  }

  /// Keeps others from appending and waits for a sync to end.
  private func hold() {
    while isHeld { monitor.wait() }
    isHeld = true
    while isSyncing { monitor.wait() }
  }

  private func release() {
    isHeld = false
    monitor.broadcast()
  }

  /// Takes back what a failed write may have left behind the end, and says how the commit ends.
  private func takeBack(after error: DiskError) -> SQLError {
    hold()
    defer { release() }
    if let failure { return Self.unknown(failure) }
    do throws(DiskError) {
      try disk.truncate(file, to: end)
      filledEnd = end
    } catch {
      failure = error
      monitor.broadcast()
      return Self.unknown(error)
    }
    // Frames that were cut off must not come back behind those that take their place.
    sync()
    if let failure { return Self.unknown(failure) }
    if error.reason == .diskFull { return error.sqlError }
    failure = error
    monitor.broadcast()
    return Self.readOnly(error)
  }

  private static func readOnly(_ error: DiskError) -> SQLError {
    SQLError(
      .ioError, "the database is read-only, since its log could not be written",
      detail: "\(error.sqlError.message).",
      hint: "Close the database, and open it again when the disk works.")
  }

  private static func unknown(_ error: DiskError) -> SQLError {
    SQLError(
      .statementCompletionUnknown, "it is not known whether the transaction was committed",
      detail: "\(error.sqlError.message).",
      hint: "Close the database, and open it again to see; then it is there wholly or not at all.")
  }

  // MARK: The flusher

  /// Starts the thread that syncs within the window; it ends when there is nothing left to sync.
  private func startFlusher(_ windowMilliseconds: Int) {
    isFlusherRunning = SystemThread.start { [self] in runFlusher(windowMilliseconds) }
    // Without a thread the window cannot be kept otherwise.
    if !isFlusherRunning && !isSyncing { sync() }
  }

  private func runFlusher(_ windowMilliseconds: Int) {
    monitor.lock()
    defer { monitor.unlock() }
    while !isClosed && failure == nil && syncedSequence < appendedSequence {
      let deadline = monotonicMilliseconds() + windowMilliseconds
      while !isClosed {
        let rest = deadline - monotonicMilliseconds()
        if rest <= 0 { break }
        monitor.wait(milliseconds: rest)
      }
      while isSyncing { monitor.wait() }
      if !isClosed && failure == nil && syncedSequence < appendedSequence { sync() }
    }
    isFlusherRunning = false
    monitor.broadcast()
  }

  // MARK: Ends

  /// Goes on in a new file, which `makeFile` makes for the number of the last transaction.
  ///
  /// All transactions of the old file are durable before the new one is made. After an error the old
  /// one stays in use.
  ///
  /// - Throws: as `flush`, and what `makeFile` throws.
  package func rotate(
    to identity: FileIdentity, _ makeFile: (_ baseSequence: UInt64) throws(DiskError) -> DiskFile
  ) throws(SQLError) {
    monitor.lock()
    defer { monitor.unlock() }
    hold()
    defer { release() }
    try checkWritable()
    try flushAll()
    while isSyncing { monitor.wait() }
    let next = try reportingDiskErrors { () throws(DiskError) in try makeFile(appendedSequence) }
    try? disk.close(file)
    file = next
    seeds = ChecksumSeeds(identity)
    end = UInt64(LogHeader.byteCount)
    filledEnd = end
  }

  /// Ends the log: all is durable, and a mark says so, by which later damage is told from a tail
  /// that was never whole.
  ///
  /// - Throws: 58030 if transactions that were not durable yet will not be.
  package func close() throws(SQLError) {
    monitor.lock()
    defer { monitor.unlock() }
    hold()
    defer { release() }
    if isClosed { return }
    defer {
      while isSyncing { monitor.wait() }
      isClosed = true
      monitor.broadcast()
      while isFlusherRunning { monitor.wait() }
      try? disk.close(file)
    }
    try flushAll()
    if failure != nil || end == UInt64(LogHeader.byteCount) { return }
    let mark = LogFrame(
      kind: .mark, part: 0, sequence: appendedSequence, syncedSequence: appendedSequence,
      payloadByteCount: 0)
    // Should this fail, nothing is missing but the mark.
    do throws(DiskError) {
      try write(mark, [UInt8]().span, at: end)
      end += UInt64(mark.byteCount)
      try disk.sync(file, .data)
    } catch { return }
  }
}
