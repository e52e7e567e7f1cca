#if canImport(Glibc)
  public import Glibc
#elseif canImport(Darwin)
  public import Darwin
#endif

/// A text (or bytea, json) value: 16 bytes that hold it, or point to it.
///
/// ```
/// byte  0        4        8                16
///       | length | prefix | bytes 4 to 12  |   up to 12 bytes: all inline, unused bytes zero
///       | length | prefix | address        |   longer: the whole text stands at the address
/// ```
///
/// - Invariant: the bytes at the address live as long as the vector, table version or heap from which
///   the view was taken. Views of text type hold valid UTF-8 without NUL.
@usableFromInline @frozen @safe package struct TextView: BitwiseCopyable, @unchecked Sendable {
  /// Length in the low half, the first four bytes in the high half.
  @usableFromInline var head: UInt64
  @usableFromInline var tail: UInt64

  /// The most bytes that a view holds itself.
  @usableFromInline package static let inlineCapacity = 12

  @inlinable
  init(head: UInt64, tail: UInt64) {
    self.head = head
    self.tail = tail
  }

  /// The empty text.
  @inlinable package init() { self.init(head: 0, tail: 0) }

  /// A view of bytes that stay where they are.
  ///
  /// - Precondition: unless they fit inline, `bytes` outlive the view.
  @inlinable
  package init(referring bytes: TextBytes) {
    let length = UInt64(UInt32(truncatingIfNeeded: bytes.count))
    if bytes.count > Self.inlineCapacity {
      var prefix: UInt32 = 0
      unsafe memcpy(&prefix, bytes.base, 4)
      head = length | UInt64(prefix) << 32
      tail = unsafe UInt64(UInt(bitPattern: bytes.base))
    } else {
      var word: (UInt64, UInt64) = (length, 0)
      if bytes.count > 0 {
        unsafe withUnsafeMutableBytes(of: &word) { target in
          if let start = target.baseAddress {
            unsafe memcpy(start + 4, bytes.base, bytes.count)
          }
        }
      }
      head = word.0
      tail = word.1
    }
  }

  /// The number of bytes.
  @inlinable package var count: Int { Int(truncatingIfNeeded: head & 0xFFFF_FFFF) }

  /// The first byte, which every view holds itself; 0 for the empty text.
  @inlinable package var firstByte: UInt8 { UInt8(truncatingIfNeeded: head >> 32) }

  /// The length and the first four bytes.
  @inlinable package var headWord: UInt64 { head }

  /// The other bytes of a view that is inline.
  @inlinable package var tailWord: UInt64 { tail }

  /// Whether the view holds its bytes itself.
  @inlinable package var isInline: Bool { count <= Self.inlineCapacity }

  /// Whether the view holds its bytes itself, and all of them are ASCII.
  @inlinable var isInlineASCII: Bool {
    isInline && (head &>> 32 | tail) & 0x8080_8080_8080_8080 == 0
  }

  /// An inline view of as many bytes, each made of that at its place; zeros have to stay as they are.
  @inlinable @inline(__always)
  func mapped(_ words: (UInt64) -> UInt64) -> TextView {
    TextView(head: head & 0xFFFF_FFFF | words(head &>> 32) &<< 32, tail: words(tail))
  }

  /// The first eight bytes and the four others of a view that is inline.
  @inlinable @inline(__always)
  var words: (low: UInt64, high: UInt64) { (head >> 32 | tail << 32, tail >> 32) }

  /// An inline view of `count` bytes, those behind which are zero.
  @inlinable @inline(__always)
  init(words: (low: UInt64, high: UInt64), count: Int) {
    head = UInt64(UInt32(truncatingIfNeeded: count)) | words.low << 32
    tail = words.low >> 32 | words.high << 32
  }

  /// Some of the bytes of a view that is inline.
  @inlinable
  package func part(_ range: Range<Int>) -> TextView {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a part must lie inside")
    let (first, last) = words
    let skipped = range.lowerBound * 8
    var low = skipped < 64 ? first >> skipped | last << (64 - skipped) : last >> (skipped - 64)
    var high = skipped < 64 ? last >> skipped : 0
    let bits = range.count * 8
    if bits < 64 {
      low &= 1 << bits - 1
      high = 0
    } else {
      high &= 1 << (bits - 64) - 1
    }
    return TextView(words: (low, high), count: range.count)
  }

  /// The bytes of two views that are inline, one after the other; nil where they do not fit a view.
  @inlinable
  func joined(_ other: TextView) -> TextView? {
    guard isInline && other.isInline, count + other.count <= Self.inlineCapacity else { return nil }
    var (low, high) = words
    let (first, last) = other.words
    let skipped = count * 8
    if skipped < 64 {
      low |= first << skipped
      high |= last << skipped | first >> (64 - skipped)
    } else {
      high |= first << (skipped - 64)
    }
    return TextView(words: (low, high), count: count + other.count)
  }

  /// The bytes and the length plus one of a text of up to seven bytes, as one number; senseless for others.
  @inlinable package var shortWord: UInt64 {
    (head &+ 1) & 0xFF | (head &>> 32) &<< 8 | (tail & 0xFF_FFFF) &<< 40
  }

  /// The first four bytes in an order that compares as the bytes do; missing bytes are zero.
  @inlinable package var orderPrefix: UInt32 { UInt32(truncatingIfNeeded: head >> 32).byteSwapped }

  /// The address of the bytes of a view that is not inline.
  @inlinable var address: UnsafePointer<UInt8>? { unsafe UnsafePointer(bitPattern: UInt(tail)) }

  /// Whether two views are of the same bytes at the same place, or of the same few.
  @inlinable
  static func === (left: TextView, right: TextView) -> Bool {
    left.head == right.head && left.tail == right.tail
  }

  /// Whether two views hold the same bytes.
  @inlinable
  package static func == (left: TextView, right: TextView) -> Bool {
    if left.head != right.head { return false }
    if left.tail == right.tail { return true }
    if left.isInline { return false }
    guard let a = unsafe left.address, let b = unsafe right.address else { return false }
    return unsafe memcmp(a, b, left.count) == 0
  }

  /// Whether two views hold different bytes.
  @inlinable
  package static func != (left: TextView, right: TextView) -> Bool { !(left == right) }

  /// Negative, zero or positive as `left` sorts before, with or after `right`, byte by byte.
  @inlinable
  package static func order(_ left: TextView, _ right: TextView) -> Int {
    let a = left.orderPrefix
    let b = right.orderPrefix
    if a != b { return a < b ? -1 : 1 }
    let shared = min(left.count, right.count)
    if shared > 4 {
      let order = unsafe withBytes(left) { l in
        unsafe withBytes(right) { r in unsafe memcmp(l, r, shared) }
      }
      if order != 0 { return Int(order) }
    }
    return left.count &- right.count
  }

  @inlinable
  static func withBytes<Result>(
    _ view: TextView, _ body: (UnsafePointer<UInt8>) -> Result
  ) -> Result {
    if !view.isInline, let address = unsafe view.address { return unsafe body(address) }
    var copy = view
    return unsafe withUnsafeBytes(of: &copy) { bytes in
      // The struct is not empty, so its base address is there.
      let start = unsafe bytes.baseAddress.unsafelyUnwrapped
      return unsafe body((start + 4).assumingMemoryBound(to: UInt8.self))
    }
  }

  /// The bytes as an array; for edges.
  package var bytes: [UInt8] {
    let length = count
    return unsafe TextView.withBytes(self) {
      unsafe [UInt8](UnsafeBufferPointer(start: $0, count: length))
    }
  }

  /// The text as a String; for edges such as messages.
  package var string: String { String(decoding: bytes, as: UTF8.self) }
}

/// Bytes that stand somewhere for a while: an address and a count.
///
/// - Invariant: valid only while what it was taken from lives; never stored.
@usableFromInline @frozen @safe package struct TextBytes {
  @usableFromInline let base: UnsafePointer<UInt8>
  /// How many bytes.
  @usableFromInline package let count: Int

  @inlinable
  init(base: UnsafePointer<UInt8>, count: Int) {
    unsafe self.base = base
    self.count = count
  }

  /// The byte at `index`.
  @inlinable
  package subscript(index: Int) -> UInt8 {
    @inline(__always) get {
      checkBounds(index, "a text", count)
      return unsafe base[index]
    }
  }

  /// The bytes in `range`, still where they are.
  @inlinable
  package func slice(_ range: Range<Int>) -> TextBytes {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a slice must lie inside")
    return unsafe TextBytes(base: base + range.lowerBound, count: range.count)
  }

  /// Where a part that was cut out of these bytes begins.
  package func offset(of part: TextBytes) -> Int { unsafe part.base - base }

  /// Whether both hold the same bytes.
  @inlinable
  package static func == (left: TextBytes, right: TextBytes) -> Bool {
    unsafe left.count == right.count && memcmp(left.base, right.base, left.count) == 0
  }

  /// The bytes as an array; for edges.
  package var array: [UInt8] {
    unsafe [UInt8](UnsafeBufferPointer(start: base, count: count))
  }

  /// The bytes as a String; for edges.
  package var string: String {
    unsafe String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self)
  }
}

extension Buffer where Element == TextView {
  /// The bytes of the text at `index`, wherever they stand; valid while the buffer and its heaps live.
  @inlinable
  package func bytes(at index: Int) -> TextBytes {
    checkBounds(index, "a buffer", count)
    let view = unsafe base[index]
    if !view.isInline, let address = unsafe view.address {
      return unsafe TextBytes(base: address, count: view.count)
    }
    let start = unsafe UnsafeRawPointer(base + index) + 4
    return unsafe TextBytes(base: start.assumingMemoryBound(to: UInt8.self), count: view.count)
  }
}

extension Buffer where Element == UInt8 {
  /// The bytes in `range` as text bytes; valid while the buffer lives.
  @inlinable
  package func bytes(_ range: Range<Int>) -> TextBytes {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range must lie inside")
    return unsafe TextBytes(base: UnsafePointer(base + range.lowerBound), count: range.count)
  }

  /// Copies `bytes` to `offset` on.
  @inlinable
  package func copy(_ bytes: TextBytes, to offset: Int) {
    precondition(offset >= 0 && offset + bytes.count <= count, "a copy must lie inside")
    unsafe (base + offset).update(from: bytes.base, count: bytes.count)
  }
}
