import Columnar
import Diagnostics

/// Vertices as bits.
struct VertexSet: Sendable {
  let words: Buffer<UInt64>

  /// No vertices of `count`.
  ///
  /// - Throws: 53200.
  init(_ count: Int, _ work: GraphWork) throws(SQLError) {
    words = try work.buffer(0, count: count / 64 + 1)
  }

  init(_ words: Buffer<UInt64>) { self.words = words }

  @inline(__always)
  func contains(_ vertex: UInt32) -> Bool {
    words[Int(truncatingIfNeeded: vertex &>> 6)] &>> UInt64(truncatingIfNeeded: vertex & 63) & 1
      != 0
  }

  @inline(__always)
  func insert(_ vertex: UInt32) {
    words[Int(truncatingIfNeeded: vertex &>> 6)] |= 1 &<< UInt64(truncatingIfNeeded: vertex & 63)
  }

  @inline(__always)
  func remove(_ vertex: UInt32) {
    words[Int(truncatingIfNeeded: vertex &>> 6)] &= ~(1 &<< UInt64(truncatingIfNeeded: vertex & 63))
  }
}
