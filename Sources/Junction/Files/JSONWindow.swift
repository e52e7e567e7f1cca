import Columnar
import DelimitedText
import Diagnostics

/// A stretch of a source of JSON in memory, which moves on over it.
struct JSONWindow {
  private let source: any ByteSource
  private(set) var bytes: Buffer<UInt8>
  /// How many bytes are there.
  private(set) var count = 0
  /// Whether nothing follows.
  private(set) var isAtEnd = false
  private(set) var bytesRead = 0

  private let sizes: Sizes

  struct Sizes {
    /// The bytes of a window that need not hold longer records.
    var window = 1 << 24
    /// About so many bytes are read by one task.
    var part = 1 << 20
  }

  /// A window over the beginning of a source.
  ///
  /// - Throws: 58030 if it cannot be read.
  init(_ source: any ByteSource, _ sizes: Sizes) throws(SQLError) {
    self.source = source
    self.sizes = sizes
    bytes = Buffer(uninitialized: min(sizes.window, (source.byteCount ?? sizes.window) + 1))
    try fill()
  }

  var text: TextBytes { bytes.bytes(0..<count) }

  /// Reads on, keeping what stands from `place` on, which is at the beginning then.
  ///
  /// - Returns: false if there is no room for it.
  /// - Throws: 58030 if the source cannot be read, 53200.
  mutating func advance(keeping place: Int) throws(SQLError) -> Bool {
    let kept = count - place
    var target = bytes
    if kept > bytes.count / 2 {
      let size = max(bytes.count, sizes.window / 2) * 2
      guard size <= JSONRecordScanner.textMax else { return false }
      try RunningStatement.reserve(size)
      target = Buffer(uninitialized: size)
    }
    target.copy(bytes, from: place, count: kept, to: 0)
    bytes = target
    count = kept
    try fill()
    return true
  }

  private mutating func fill() throws(SQLError) {
    while count < bytes.count {
      try RunningStatement.check()
      let got = try source.read(into: bytes, at: count, count: bytes.count - count)
      if got == 0 {
        isAtEnd = true
        return
      }
      count += got
      bytesRead += got
    }
  }

  // MARK: Parts

  /// Where records seem to begin, about as far from each other as a task reads, and the first at `place`.
  ///
  /// Whether one does begin there is told by who reads up to it.
  func starts(from place: Int, isArray: Bool, firstKey: [UInt8]) -> [Int] {
    let text = text
    let key = Buffer(firstKey)
    let keyBytes = key.bytes(0..<key.count)
    var starts = [place]
    var target = place + sizes.part
    while target + sizes.part / 2 < count {
      let area = text.slice(0..<min(count, target + sizes.part))
      let found =
        isArray
        ? Self.elementStart(area, from: target, keyBytes) : Self.lineStart(area, from: target)
      if let found { starts.append(found) }
      target = (found ?? target) + sizes.part
    }
    return starts
  }

  /// The first object from `place` on that begins a line.
  private static func lineStart(_ text: TextBytes, from place: Int) -> Int? {
    var place = place
    while let lineEnd = text.firstIndex(of: UInt8(ascii: "\n"), from: place) {
      place = JSONRecordScanner.skipSpace(text, from: lineEnd + 1)
      if place < text.count && text[place] == UInt8(ascii: "{") { return place }
    }
    return nil
  }

  /// The first object from `place` on that stands behind another and a comma and begins with a key.
  private static func elementStart(
    _ text: TextBytes, from place: Int, _ key: TextBytes
  ) -> Int? {
    var place = place
    while let found = text.firstIndex(of: UInt8(ascii: "{"), from: place) {
      place = found + 1
      let inner = JSONRecordScanner.skipSpace(text, from: place)
      guard inner < text.count, text.slice(inner..<text.count).starts(with: key) else { continue }
      var before = found - 1
      while before > 0 && text[before] <= 0x20 { before -= 1 }
      guard before > 0, text[before] == UInt8(ascii: ",") else { continue }
      before -= 1
      while before > 0 && text[before] <= 0x20 { before -= 1 }
      if before >= 0 && text[before] == UInt8(ascii: "}") { return found }
    }
    return nil
  }
}
