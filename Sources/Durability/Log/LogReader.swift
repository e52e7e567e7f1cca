import Columnar
package import Diagnostics

/// One transaction as a log holds it.
package struct LogTransaction: Hashable, Sendable {
  package let sequence: UInt64
  package let payload: [UInt8]
}

/// Where a log ends, known once all of its transactions were read.
package struct LogEnd: Hashable, Sendable {
  /// Where the next frame goes: behind the last whole transaction.
  package var offset: UInt64
  /// The number of the last whole transaction.
  package var sequence: UInt64
  /// How many bytes behind it belong to nothing that was committed.
  package var tornByteCount: UInt64 = 0
  /// How many whole frames are among them, of transactions that were never acknowledged.
  package var tornFrameCount = 0
  /// Up to where a later frame says that a sync had succeeded.
  package var attestedOffset: UInt64 = 0
  /// Up to where nothing but zeros follows: the file's end unless a tail is to be cut.
  package var filledOffset: UInt64 = 0
}

/// Reads a log from its beginning: whole transactions, in order, each checked.
///
/// Nothing that the file says is trusted before its checksum matches, and nothing is believed
/// afterwards that does not fit the file: memory is bounded by the frames that were found good.
package final class LogReader {
  /// What is read at a time; a frame fits.
  private static let windowByteCount = LogFrame.byteCount(payload: LogFrame.payloadLimit)

  package let header: LogHeader
  package private(set) var end: LogEnd
  private let disk: any Disk
  private let file: DiskFile
  private let byteCount: UInt64
  private let seeds: ChecksumSeeds
  private var isFinished = false
  /// The transactions that no frame has said to be durable so far, and where they end.
  private var unattested: [(sequence: UInt64, offset: UInt64)] = []
  /// How many at the beginning of `unattested` have been since: they are taken away many at a time.
  private var attestedCount = 0
  /// A part of the file, and where it begins.
  private var window: [UInt8] = []
  private var windowStart: UInt64 = 0

  /// Opens the log of a database's generation.
  ///
  /// - Throws: XX001 if it is damaged or another's, 0A000 if it is of a newer format, else the disk's error.
  package init(_ path: String, on disk: any Disk, identity: FileIdentity) throws(SQLError) {
    self.disk = disk
    let file = try reportingDiskErrors { () throws(DiskError) in try disk.open(path, .read) }
    self.file = file
    do throws(SQLError) {
      byteCount = try reportingDiskErrors { () throws(DiskError) in try disk.size(file) }
      let head = try reportingDiskErrors { () throws(DiskError) in
        try disk.contents(of: file, limit: LogHeader.byteCount)
      }
      header = try LogHeader(head.span, path: path)
      try header.check(identity, path: path)
    } catch {
      try? disk.close(file)
      throw error
    }
    seeds = ChecksumSeeds(identity)
    end = LogEnd(offset: UInt64(LogHeader.byteCount), sequence: header.baseSequence)
  }

  deinit { try? disk.close(file) }

  /// Whether a log whose header cannot be read holds anything but zeros behind it.
  ///
  /// One that was being made when the power went does not, and nothing is lost with it.
  package static func hasContents(
    _ path: String, on disk: any Disk
  ) throws(SQLError) -> Bool {
    let file = try reportingDiskErrors { () throws(DiskError) in try disk.open(path, .read) }
    defer { try? disk.close(file) }
    return try reportingDiskErrors { () throws(DiskError) in
      // What was made durable with a header is longer than the header alone.
      try disk.size(file) > UInt64(LogHeader.byteCount)
    }
  }

  /// The next transaction; nil at the end, which `end` then describes.
  ///
  /// - Throws: XX001 if the log is damaged before its end.
  package func next() throws(SQLError) -> LogTransaction? {
    if isFinished { return nil }
    var payload: [UInt8] = []
    var part: UInt32 = 0
    var place = end.offset
    while true {
      guard let frame = try frame(at: place) else {
        try finish(at: place)
        return nil
      }
      let isInOrder =
        frame.kind == .mark
        ? part == 0 && frame.sequence == end.sequence
        : frame.part == part && frame.sequence == end.sequence + 1
          && frame.syncedSequence <= end.sequence
      guard isInOrder else {
        throw damage(at: place, "The frame there is out of order.")
      }
      attest(frame.syncedSequence)
      let start = Int(place - windowStart) + LogFrame.headerByteCount
      place += UInt64(frame.byteCount)
      switch frame.kind {
      case .mark: end.offset = place
      case .record:
        payload.append(bytes: window.span.extracting(start..<start + frame.payloadByteCount))
        part &+= 1
      case .commit:
        payload.append(bytes: window.span.extracting(start..<start + frame.payloadByteCount))
        end.offset = place
        end.sequence = frame.sequence
        unattested.append((end.sequence, place))
        return LogTransaction(sequence: frame.sequence, payload: payload)
      }
    }
  }

  /// Notes that all up to a transaction was durable when a frame was written.
  ///
  /// - Complexity: amortised O(1), whatever the frames say.
  private func attest(_ sequence: UInt64) {
    // Nothing is written to a log whose header is not durable.
    end.attestedOffset = max(end.attestedOffset, UInt64(LogHeader.byteCount))
    while attestedCount < unattested.count, unattested[attestedCount].sequence <= sequence {
      end.attestedOffset = unattested[attestedCount].offset
      attestedCount += 1
    }
    if attestedCount >= 64, attestedCount * 2 >= unattested.count {
      unattested.removeFirst(attestedCount)
      attestedCount = 0
    }
  }

  /// Reads what is left without keeping it.
  package func skipAll() throws(SQLError) { while try next() != nil {} }

  // MARK: Frames

  /// The frame at `place` if one stands there whole; its bytes are then in the window.
  private func frame(at place: UInt64) throws(SQLError) -> LogFrame? {
    guard try load(LogFrame.headerByteCount, at: place) else { return nil }
    guard let frame = LogFrame(headerAt: Int(place - windowStart), of: window.span) else {
      return nil
    }
    guard try load(frame.byteCount, at: place) else { return nil }
    return isWhole(frame, at: Int(place - windowStart)) ? frame : nil
  }

  /// Whether the frame whose header stands at `start` of the window matches its checksum.
  private func isWhole(_ frame: LogFrame, at start: Int) -> Bool {
    let range = start..<start + frame.byteCount
    let checksum = LogFrame.checksum(
      window.span, range, at: windowStart + UInt64(start), seeds)
    guard checksum == window.span.word(at: start + 32) else { return false }
    // Who makes a checksum match can also fill the padding.
    for index in start + LogFrame.headerByteCount + frame.payloadByteCount..<range.upperBound
    where window[index] != 0 { return false }
    return true
  }

  /// Brings `count` bytes at `place` into the window; false if the file has fewer.
  private func load(_ count: Int, at place: UInt64) throws(SQLError) -> Bool {
    guard place <= byteCount, UInt64(count) <= byteCount - place else { return false }
    if place >= windowStart, place - windowStart <= UInt64(window.count),
      count <= window.count - Int(place - windowStart)
    {
      return true
    }
    let size = Int(min(UInt64(max(Self.windowByteCount, count)), byteCount - place))
    if window.count != size { window = [UInt8](repeating: 0, count: size) }
    let read: Int
    do throws(DiskError) { read = try disk.readAll(file, at: place, into: &window) } catch {
      throw error.sqlError
    }
    windowStart = place
    // Another process may have cut the file since its size was asked for.
    if read < size { window.removeLast(size - read) }
    return count <= read
  }

  // MARK: The end

  /// Tells an end from a tail that was never whole, and both from damage.
  ///
  /// Frames behind the first one that is not whole are what is left of transactions written without a
  /// sync between them, which may reach the disk in any order; none of them was acknowledged, and all
  /// of the tail is cut. Unless one of them says that the missing transaction had been durable before:
  /// then it was damaged since, and cutting would lose commits.
  ///
  /// - Complexity: O(*n*) in the bytes that follow, and a bounded number of checksums.
  private func finish(at place: UInt64) throws(SQLError) {
    isFinished = true
    let tailEnd = try lastNonzeroEnd(from: end.offset)
    end.filledOffset = tailEnd <= end.offset ? byteCount : end.offset
    if tailEnd <= end.offset { return }
    end.tornByteCount = tailEnd - end.offset
    let missing = end.sequence + 1
    // What a hostile file can make us hash is limited, too.
    var budget = 4 << 20 + 4 * min(byteCount, 1 << 40)
    var isAttested = false
    var next = place + 8
    while try load(LogFrame.headerByteCount, at: next) {
      let start = Int(next - windowStart)
      guard let frame = LogFrame(headerAt: start, of: window.span),
        try load(frame.byteCount, at: next)
      else {
        next += 8
        continue
      }
      if UInt64(frame.byteCount) > budget {
        throw damage(at: place, "What follows looks like frames, but nearly none is whole.")
      }
      budget -= UInt64(frame.byteCount)
      if isWhole(frame, at: Int(next - windowStart)) {
        end.tornFrameCount += 1
        isAttested = isAttested || frame.syncedSequence >= missing
        next += UInt64(frame.byteCount)
      } else {
        next += 8
      }
    }
    if isAttested {
      throw damage(
        at: place,
        "Transaction \(missing) stood there and was durable; \(end.tornFrameCount) frames after it "
          + "are whole.")
    }
  }

  /// Where the last byte from `start` on that is not zero ends; `start` if there is none.
  private func lastNonzeroEnd(from start: UInt64) throws(SQLError) -> UInt64 {
    var last = start
    var place = start
    while place < byteCount {
      let count = Int(min(UInt64(Self.windowByteCount), byteCount - place))
      guard try load(count, at: place) else { break }
      let first = Int(place - windowStart)
      var index = first
      while index < first + count {
        index = window.span.firstNonzeroWord(from: index)
        if index >= first + count { break }
        last = windowStart + UInt64(min(index + 8, first + count))
        index += 8
      }
      place += UInt64(count)
    }
    return last
  }

  private func damage(at place: UInt64, _ reason: String) -> SQLError {
    .damaged("log file", path: file.path, "At byte \(place): \(reason)")
  }
}
