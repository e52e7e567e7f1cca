import Diagnostics
import SimulatedDisk
import Testing

@testable import Durability

@Suite("Files whose checksums match and whose contents lie:")
struct MutantTests {
  private static let identity = FileIdentity(
    database: DatabaseID(low: 1, high: 2), generation: 3)

  /// A frame of a log that is being made up.
  private struct Draft {
    var frame: LogFrame
    var payload: [UInt8]
    /// Changes made to its bytes after they were put together.
    var patches: [(offset: Int, byte: UInt8)] = []
    var hasRightChecksum = true
  }

  private static func drafts(_ random: inout SimulationRandom) -> [Draft] {
    var drafts: [Draft] = []
    var sequence: UInt64 = 5
    for _ in 0..<(1 + random.below(5)) {
      sequence += 1
      let parts = 1 + random.below(3)
      for part in 0..<parts {
        let payload = (0..<random.below(60)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let frame = LogFrame(
          kind: part == parts - 1 ? .commit : .record, part: UInt32(part), sequence: sequence,
          syncedSequence: sequence - 1, payloadByteCount: payload.count)
        drafts.append(Draft(frame: frame, payload: payload))
      }
    }
    return drafts
  }

  private static let nasty: [UInt64] = [
    0, 1, 5, 6, 7, 1 << 20, 1 << 20 + 1, 1 << 31, 1 << 32 - 1, 1 << 62, 1 << 63 - 1, 1 << 63, .max,
  ]

  private static func mutate(_ drafts: inout [Draft], _ random: inout SimulationRandom) {
    let index = random.below(drafts.count)
    let value = nasty[random.below(nasty.count)]
    switch random.below(9) {
    case 0: drafts[index].frame.sequence = value
    case 1: drafts[index].frame.syncedSequence = value
    case 2: drafts[index].frame.part = UInt32(truncatingIfNeeded: value)
    case 3: drafts[index].frame.kind = [.record, .commit, .mark][random.below(3)]
    case 4: drafts.swapAt(index, random.below(drafts.count))
    case 5: drafts.remove(at: index)
    case 6: drafts.insert(drafts[index], at: random.below(drafts.count))
    case 7: drafts[index].hasRightChecksum = false
    default:
      // Any byte of the header, or of the frame, with the checksum over it fixed again.
      let offset = random.below(drafts[index].frame.byteCount)
      drafts[index].patches.append((offset, UInt8(truncatingIfNeeded: random.next())))
    }
    if drafts.isEmpty { drafts = Self.drafts(&random) }
  }

  private static func bytes(_ drafts: [Draft]) -> [UInt8] {
    let seeds = ChecksumSeeds(identity)
    var bytes = LogHeader(identity: identity, baseSequence: 5).bytes
    for draft in drafts {
      let start = bytes.count
      draft.frame.append(
        to: &bytes, payload: draft.payload.span, at: UInt64(start), seeds)
      for patch in draft.patches where start + patch.offset < bytes.count {
        bytes[start + patch.offset] = patch.byte
      }
      let checksum = LogFrame.checksum(
        bytes.span, start..<bytes.count, at: UInt64(start), seeds)
      bytes.store(word: draft.hasRightChecksum ? checksum : ~checksum, at: start + 32)
    }
    return bytes
  }

  @Test("a log gives whole transactions in order or is refused, and never more than it holds")
  func logs() throws {
    let start = ContinuousClock.now
    let count = DurabilityCases.count(usually: 2000)
    var random = SimulationRandom(seed: DurabilityCases.seed ?? 7)
    let disk = SimulatedDisk()
    for case let number in 0..<count {
      var drafts = Self.drafts(&random)
      for _ in 0...random.below(3) { Self.mutate(&drafts, &random) }
      var bytes = Self.bytes(drafts)
      if random.chance(10) { bytes.removeLast(random.below(bytes.count - 64 + 1)) }
      if random.chance(10) { bytes += [UInt8](repeating: 0, count: random.below(100)) }
      disk.place(bytes, at: "/wal.3")
      do throws(SQLError) {
        let reader = try LogReader("/wal.3", on: disk, identity: Self.identity)
        var (sequence, byteCount) = (UInt64(5), 0)
        while let transaction = try reader.next() {
          sequence += 1
          byteCount += transaction.payload.count
          #expect(transaction.sequence == sequence)
        }
        #expect(byteCount <= bytes.count && reader.end.offset <= UInt64(bytes.count))
        #expect(reader.end.sequence == sequence)
      } catch {
        #expect(error.state == .dataCorrupted, "mutant \(number): \(error)")
      }
    }
    DurabilityCases.report("mutants of logs", count, since: start)
  }

  @Test("a log that is all beginnings of frames is refused in bounded time")
  func endlessFrames() throws {
    // Headers that overlap, each of which claims as much as a frame may hold.
    let limit = UInt64(LogFrame.payloadLimit)
    let length = limit | ~limit << 32
    var bytes = LogHeader(identity: Self.identity, baseSequence: 5).bytes
    let count = DurabilityCases.isLong ? 400_000 : 33_000
    for _ in 0..<count {
      bytes.append(word: length)
      bytes.append(word: 2)
      bytes.append(word: 6)
      bytes.append(word: 5)
    }
    let disk = SimulatedDisk()
    disk.place(bytes, at: "/wal.3")
    let reader = try LogReader("/wal.3", on: disk, identity: Self.identity)
    let error = #expect(throws: SQLError.self) { try reader.next() }
    #expect(error?.state == .dataCorrupted)
  }

  @Test("manifests and headers with impossible numbers are refused")
  func headers() throws {
    let good = Manifest(
      database: DatabaseID(low: 1, high: 2), generation: 3, hasSnapshot: true,
      previousGeneration: 2, baseSequence: 9)
    for offset in stride(from: 40, to: 72, by: 8) {
      for value in Self.nasty {
        var bytes = good.bytes
        bytes.store(word: value, at: offset)
        bytes.store(word: XXH64.hash(bytes.span.extracting(0..<72)), at: 72)
        do throws(SQLError) {
          let manifest = try Manifest(bytes.span, path: "manifest")
          #expect(manifest.generation > manifest.previousGeneration)
        } catch {
          #expect(error.state == .dataCorrupted)
        }
      }
    }
    var header = LogHeader(identity: Self.identity, baseSequence: 5).bytes
    header.store(word: .max, at: 48)
    header.store(word: XXH64.hash(header.span.extracting(0..<56)), at: 56)
    #expect(throws: SQLError.self) { try LogHeader(header.span, path: "wal") }
  }
}
