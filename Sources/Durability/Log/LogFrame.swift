import Columnar

/// One checked piece of a log, aligned to eight bytes.
///
/// | offset | bytes | field |
/// | --- | --- | --- |
/// | 0 | 4 | length of the payload |
/// | 4 | 4 | the length's complement |
/// | 8 | 4 | kind |
/// | 12 | 4 | part: the number of the frame within its transaction, from 0 |
/// | 16 | 8 | sequence number of the transaction |
/// | 24 | 8 | synced: the last transaction known to be durable when the frame was written |
/// | 32 | 8 | checksum of the 32 bytes before it and of all that follows, seeded by the offset |
/// | 40 | … | payload, then zeros up to a multiple of eight bytes |
struct LogFrame: Hashable {
  enum Kind: UInt32 {
    /// A part of a transaction of which more follows.
    case record = 1
    /// The last part of a transaction, which counts from here on.
    case commit = 2
    /// No transaction: the log was closed when everything up to `sequence` was durable.
    case mark = 3
  }

  var kind: Kind
  var part: UInt32
  var sequence: UInt64
  var syncedSequence: UInt64
  var payloadByteCount: Int

  static let headerByteCount = 40
  /// What one frame holds at most, which bounds the memory that reading a log takes.
  static let payloadLimit = 1 << 20

  /// The bytes of a frame with its padding.
  static func byteCount(payload: Int) -> Int { headerByteCount + (payload + 7) & ~7 }
  var byteCount: Int { Self.byteCount(payload: payloadByteCount) }

  /// Appends the frame that goes to `offset` of its file.
  func append(
    to bytes: inout [UInt8], payload: Span<UInt8>, at offset: UInt64, _ seeds: ChecksumSeeds
  ) {
    precondition(payload.count == payloadByteCount && payload.count <= Self.payloadLimit)
    let start = bytes.count
    let length = UInt32(truncatingIfNeeded: payload.count)
    bytes.append(half: length)
    bytes.append(half: ~length)
    bytes.append(half: kind.rawValue)
    bytes.append(half: part)
    bytes.append(word: sequence)
    bytes.append(word: syncedSequence)
    bytes.append(word: 0)
    bytes.append(bytes: payload)
    while (bytes.count - start) & 7 != 0 { bytes.append(0) }
    let checksum = Self.checksum(bytes.span, start..<bytes.count, at: offset, seeds)
    bytes.store(word: checksum, at: start + 32)
  }

  /// The header at `start` of `bytes` if its numbers make sense; its checksum is another matter.
  ///
  /// - Precondition: a header's bytes stand there.
  init?(headerAt start: Int, of bytes: Span<UInt8>) {
    let length = bytes.half(at: start)
    guard length == ~bytes.half(at: start + 4), length <= UInt32(Self.payloadLimit),
      let kind = Kind(rawValue: bytes.half(at: start + 8))
    else { return nil }
    self.kind = kind
    part = bytes.half(at: start + 12)
    sequence = bytes.word(at: start + 16)
    syncedSequence = bytes.word(at: start + 24)
    payloadByteCount = Int(length)
    guard sequence < UInt64.max >> 1, syncedSequence <= sequence,
      kind != .mark || (length == 0 && part == 0)
    else { return nil }
  }

  init(kind: Kind, part: UInt32, sequence: UInt64, syncedSequence: UInt64, payloadByteCount: Int) {
    self.kind = kind
    self.part = part
    self.sequence = sequence
    self.syncedSequence = syncedSequence
    self.payloadByteCount = payloadByteCount
  }

  /// The checksum of the frame in `range`, which stands at `offset` of its file.
  static func checksum(
    _ bytes: Span<UInt8>, _ range: Range<Int>, at offset: UInt64, _ seeds: ChecksumSeeds
  ) -> UInt64 {
    let start = range.lowerBound
    let head = XXH64.hash(
      bytes.extracting(start..<start + 32), seed: seeds.seed(at: offset))
    return XXH64.hash(bytes.extracting(start + headerByteCount..<range.upperBound), seed: head)
  }
}
