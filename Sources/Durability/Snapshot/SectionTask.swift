import Columnar
import Diagnostics
import Synchronization

/// A section to be written, which any thread can put together.
package struct SectionTask: Sendable {
  let kind: SnapshotSection.Kind
  /// The number of the table.
  let table: UInt32
  let make: @Sendable () throws(SQLError) -> SectionBytes
}

/// The bytes of a section, and zeros up to a multiple of 64 behind them.
package struct SectionBytes: Sendable {
  let padded: Buffer<UInt8>
  let byteCount: Int

  /// - Precondition: the padding belongs to the section's own.
  init(padded: Buffer<UInt8>, byteCount: Int) {
    self.padded = padded
    self.byteCount = byteCount
  }

  init(_ writer: SectionWriter) {
    var writer = writer
    byteCount = writer.count
    writer.align(SnapshotLayout.alignment)
    padded = writer.bytes
  }
}

/// Sections that several threads make.
final class MadeSections: Sendable {
  private let sections: Mutex<[SectionBytes?]>
  let fault = SharedFault()

  init(count: Int) { sections = Mutex(Array(repeating: nil, count: count)) }

  func set(_ section: SectionBytes, at index: Int) { sections.withLock { $0[index] = section } }

  var all: [SectionBytes] { sections.withLock { $0.compactMap { $0 } } }
}
