package import Columnar
package import Diagnostics

/// Bytes that can be had only once, kept as they are read so that they can be read again.
///
/// The first of them stay in memory, what comes behind goes into a temporary file.
package final class SpooledSource: ByteSource {
  private let source: any ByteSource
  private let memoryLimit: Int
  /// The first bytes, `memoryCount` of them, in room that grows.
  private var memory = Buffer<UInt8>(uninitialized: 0)
  private var memoryCount = 0
  /// The bytes behind those in memory.
  private var file: TemporaryFile?
  private var position = 0

  /// Keeps what `source` gives, up to `memoryLimit` bytes of it in memory.
  package init(_ source: any ByteSource, memoryLimit: Int = 1 << 24) {
    self.source = source
    self.memoryLimit = memoryLimit
  }

  package var byteCount: Int? { source.byteCount }
  package var isRepeatable: Bool { true }

  package func rewind() { position = 0 }

  package func read(
    into buffer: Buffer<UInt8>, at offset: Int, count: Int
  ) throws(SQLError) -> Int {
    let got: Int
    if position < memoryCount {
      got = min(count, memoryCount - position)
      buffer.copy(memory, from: position, count: got, to: offset)
    } else if let file, position < memoryCount + file.count {
      got = try file.read(into: buffer, at: offset, count: count, from: position - memoryCount)
    } else {
      got = try source.read(into: buffer, at: offset, count: count)
      try keep(buffer, from: offset, count: got)
    }
    position += got
    return got
  }

  private func keep(_ buffer: Buffer<UInt8>, from start: Int, count: Int) throws(SQLError) {
    if file == nil && count <= memoryLimit - memoryCount {
      reserve(memoryCount + count)
      memory.copy(buffer, from: start, count: count, to: memoryCount)
      memoryCount += count
      return
    }
    let target: TemporaryFile
    if let file { target = file } else { target = try TemporaryFile() }
    file = target
    try target.append(buffer, from: start, count: count)
  }

  private func reserve(_ wanted: Int) {
    if wanted <= memory.count { return }
    let grown = Buffer<UInt8>(uninitialized: min(max(wanted, memory.count * 2), memoryLimit))
    grown.copy(memory, count: memoryCount, to: 0)
    memory = grown
  }
}

extension ByteSource {
  /// The source itself if it can be read again, or else one that keeps what it gives.
  package var repeatable: any ByteSource { isRepeatable ? self : SpooledSource(self) }
}
