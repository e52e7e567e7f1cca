import SimulatedDisk
import Testing

@testable import Durability

/// The bytes of files as released versions wrote them, which all later versions read.
@Suite("Files of format 1.0:")
struct GoldenFileTests {
  private static let identity = FileIdentity(
    database: DatabaseID(low: 0x0102_0304_0506_0708, high: 0x090A_0B0C_0D0E_0F10), generation: 3)

  private static let manifest = """
    4a4e43544d414eff010000000000000000000000000000000807060504030201
    100f0e0d0c0b0a09030000000000000001000000000000000200000000000000
    2800000000000000bb552dd8e1d4b20b
    """

  private static let log = """
    4a4e43544c4f47ff010000000000000000000000000000000807060504030201
    100f0e0d0c0b0a0903000000000000002800000000000000f9a023d661e69db2
    00000000ffffffff020000000000000029000000000000002800000000000000
    ca04846dc9b7c4e401000000feffffff02000000000000002a00000000000000
    29000000000000004888a887c5042408010000000000000008000000f7ffffff
    02000000000000002b000000000000002a000000000000008f8908229f403b56
    616263646566676800000000ffffffff03000000000000002b00000000000000
    2b00000000000000e43e99081360f1ac
    """

  private static func bytes(_ text: String) -> [UInt8] {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test("a manifest is read, and is what is written")
  func manifest() throws {
    let expected = Manifest(
      database: Self.identity.database, generation: 3, hasSnapshot: true, previousGeneration: 2,
      baseSequence: 40)
    let bytes = Self.bytes(Self.manifest)
    #expect(try Manifest(bytes.span, path: "manifest") == expected)
    #expect(expected.bytes == bytes, "\(Self.text(expected.bytes))")
  }

  @Test("a log is read, and is what is written")
  func log() throws {
    let disk = SimulatedDisk()
    let file = try LogWriter.create(
      "/wal.3", on: disk, identity: Self.identity, baseSequence: 40)
    let writer = LogWriter(
      file: file, on: disk, identity: Self.identity, end: 64, sequence: 40, mode: .synchronous,
      growthLimit: 0)
    for payload in [[], [1], Array("abcdefgh".utf8)] as [[UInt8]] {
      try writer.wait(for: writer.append(payload.span))
    }
    try writer.close()
    let written = try #require(disk.bytes(of: "/wal.3"))
    let bytes = Self.bytes(Self.log)
    #expect(written == bytes, "\(Self.text(written))")
    disk.place(bytes, at: "/wal.3")
    let reader = try LogReader("/wal.3", on: disk, identity: Self.identity)
    var payloads: [[UInt8]] = []
    while let transaction = try reader.next() { payloads.append(transaction.payload) }
    #expect(payloads == [[], [1], Array("abcdefgh".utf8)])
    #expect(reader.end.sequence == 43)
  }
}
