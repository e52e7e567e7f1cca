import SimulatedDisk
import Testing

@testable import Durability

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Reading a log")
struct LogReaderTests {
  private static let identity = FileIdentity(
    database: DatabaseID(low: 1, high: 2), generation: 1)

  /// A log of so many transactions of a byte, each frame of which attests the one `lag` before it.
  private static func disk(_ count: Int, lag: Int) throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    let file = try LogWriter.create("/wal.1", on: disk, identity: identity, baseSequence: 0)
    try disk.close(file)
    var bytes = try #require(disk.bytes(of: "/wal.1"))
    bytes.removeLast(bytes.count - LogHeader.byteCount)
    let seeds = ChecksumSeeds(identity)
    for sequence in 1...count {
      let frame = LogFrame(
        kind: .commit, part: 0, sequence: UInt64(sequence),
        syncedSequence: UInt64(max(0, sequence - lag)), payloadByteCount: 1)
      frame.append(to: &bytes, payload: [7].span, at: UInt64(bytes.count), seeds)
    }
    disk.place(bytes, at: "/wal.1")
    return disk
  }

  /// The processor's time in milliseconds that reading all takes, and where the log ends.
  private static func read(_ disk: SimulatedDisk) throws -> (milliseconds: Int, end: LogEnd) {
    let reader = try LogReader("/wal.1", on: disk, identity: identity)
    let start = processorTime()
    try reader.skipAll()
    return (Int(processorTime() - start) / 1_000_000, reader.end)
  }

  private static func processorTime() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  @Test("takes no longer when frames attest transactions of long ago one by one")
  func attesting() throws {
    let count = 200_000
    let usual = try Self.read(Self.disk(count, lag: 1))
    let crafted = try Self.read(Self.disk(count, lag: count / 2))
    #expect(usual.end.sequence == UInt64(count) && crafted.end.sequence == UInt64(count))
    let frame = UInt64(LogFrame.byteCount(payload: 1))
    let head = UInt64(LogHeader.byteCount)
    #expect(usual.end.attestedOffset == head + UInt64(count - 1) * frame)
    #expect(crafted.end.attestedOffset == head + UInt64(count / 2) * frame)
    #expect(
      crafted.milliseconds < 2 * usual.milliseconds + 50,
      "\(crafted.milliseconds) ms, where others take \(usual.milliseconds) ms")
  }

  @Test("knows up to where syncs had succeeded", arguments: [1, 2, 63, 64, 65, 200, 1000])
  func attested(lag: Int) throws {
    let (_, end) = try Self.read(Self.disk(700, lag: lag))
    let expected = UInt64(max(0, 700 - lag)) * UInt64(LogFrame.byteCount(payload: 1))
    #expect(end.attestedOffset == UInt64(LogHeader.byteCount) + expected)
  }
}
