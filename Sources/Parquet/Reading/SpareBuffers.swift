import Columnar
import Synchronization

/// Memory that was read into and is of no use any more, for who reads next: memory from the system has to be cleared first.
final class SpareBuffers: Sendable {
  private let kept = Mutex<[Buffer<UInt8>]>([])

  /// So many are kept: two for each of a few threads.
  private static let most = 16
  /// Larger ones are rare, and given back.
  private static let byteCountMax = 8 << 20

  /// A buffer of at least so many bytes; nil if none is kept.
  func take(_ byteCount: Int) -> Buffer<UInt8>? {
    kept.withLock { kept in
      guard let index = kept.lastIndex(where: { $0.count >= byteCount }) else { return nil }
      return kept.remove(at: index)
    }
  }

  /// Keeps a buffer.
  ///
  /// - Precondition: nobody uses it any more.
  func give(_ buffer: Buffer<UInt8>) {
    guard buffer.count > 0, buffer.count <= Self.byteCountMax else { return }
    kept.withLock { kept in
      if kept.count < Self.most { kept.append(buffer) }
    }
  }
}
