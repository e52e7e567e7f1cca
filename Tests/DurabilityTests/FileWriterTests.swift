import Columnar
import Diagnostics
import Foundation
import SimulatedDisk
import Testing

@testable import Durability

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("A file written in pieces")
struct FileWriterTests {
  /// A piece of bytes that tell where they stand in it.
  private static func piece(_ seed: Int, _ count: Int) -> Buffer<UInt8> {
    Buffer((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ seed) })
  }

  private static func write(
    _ pieces: [[Buffer<UInt8>]], _ path: String, stretchByteCount: UInt64 = 1 << 16,
    on disk: any Disk
  ) throws {
    let writer = try FileWriter(creating: path, on: disk, stretchByteCount: stretchByteCount)
    for group in pieces { try writer.output.append(group) }
    try writer.finish()
  }

  private static func joined(_ pieces: [[Buffer<UInt8>]]) -> [UInt8] {
    pieces.flatMap { $0.flatMap { $0.array($0.count) } }
  }

  @Test("has all of them, however short the disk's steps are", arguments: 0..<60)
  func shortWrites(_ seed: Int) throws {
    var random = SimulationRandom(seed: UInt64(seed))
    let pieces = (0..<3).map { group in
      (0..<random.below(9)).map { Self.piece(group * 10 + $0, random.below(40)) }
    }
    let disk = SimulatedDisk(
      SimulatedState(), SimulatedFaultPlan(at: random.below(6), .short, forEver: random.chance(50)))
    // A piece a write, and stretches that hold less or more than a piece.
    let stretch: UInt64 = [1, 16, 128][seed % 3]
    try Self.write(pieces, "/file", stretchByteCount: stretch, on: RetryingDisk(disk))
    #expect(disk.durableBytes(of: "/file") == Self.joined(pieces))
  }

  @Test("has all of them where they are more than the system takes at once")
  func manyPieces() throws {
    let folder = try TemporaryFolder()
    let pieces = [(0..<3000).map { Self.piece($0, $0 % 5) }, [], [Self.piece(1, 70_000)]]
    try Self.write(pieces, folder.path + "/file", on: PosixDisk())
    let found = try #require(FileManager.default.contents(atPath: folder.path + "/file"))
    #expect(Array(found) == Self.joined(pieces))
  }

  @Test("takes no more space than it needs, be it set aside or not", arguments: [1, 7, 9, 26])
  func space(_ megabytes: Int) throws {
    let folder = try TemporaryFolder()
    let piece = Self.piece(megabytes, 1 << 20)
    try Self.write(
      Array(repeating: [piece], count: megabytes), folder.path + "/file", on: PosixDisk())
    var status = stat()
    try #require(unsafe stat(folder.path + "/file", &status) == 0)
    #expect(Int(status.st_size) == megabytes << 20)
    #expect(Int(status.st_blocks) * 512 <= (megabytes << 20) + (1 << 16))
  }

  @Test("is synced once, be it before its end or then, and again if something was appended")
  func syncs() throws {
    for (whileOpen, later) in [(0, 0), (1, 0), (2, 0), (1, 5)] {
      let disk = SimulatedDisk()
      var writer = try FileWriter(creating: "/file", on: disk)
      try writer.output.append([Self.piece(1, 100)])
      let sync = try writer.handOver()
      for _ in 0..<whileOpen {
        try sync()
        #expect(disk.durableBytes(of: "/file") == Self.piece(1, 100).array(100))
      }
      if later > 0 { try writer.output.append([Self.piece(2, later)]) }
      try writer.finish()
      #expect(disk.syncCount == (later > 0 ? 2 : 1))
      #expect(disk.durableBytes(of: "/file")?.count == 100 + later)
    }
  }

  @Test("does not become durable by a second sync where the first has failed")
  func failedSync() throws {
    // The file is opened, written, and synced.
    let disk = SimulatedDisk(
      SimulatedState(), SimulatedFaultPlan(at: 2, .error(DiskError.ioError), forEver: false))
    var writer = try FileWriter(creating: "/file", on: disk)
    try writer.output.append([Self.piece(1, 100)])
    let sync = try writer.handOver()
    #expect(throws: SQLError.self) { try sync() }
    #expect(throws: SQLError.self) { try sync() }
    #expect(disk.syncCount == 0)
  }

  @Test("has its space set aside before it is written, in a few steps")
  func reservations() throws {
    let disk = SimulatedDisk()
    for (path, count) in [("/small", 1), ("/file", 4)] {
      let writer = try FileWriter(
        creating: path, on: disk, reservedByteCount: 800, stretchByteCount: 1)
      for _ in 0..<count { try writer.output.append([Self.piece(count, 600)]) }
      try writer.finish()
      #expect(disk.durableBytes(of: path)?.count == 600 * count)
      #expect(disk.reservations == (count == 1 ? [] : [600..<2000, 2000..<3200]))
    }
  }
}
