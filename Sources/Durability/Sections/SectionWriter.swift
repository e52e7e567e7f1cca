package import Columnar
import Synchronization

/// Puts a section together in memory of its own.
///
/// Sendable by rule: who hands it over does not touch it any more.
package struct SectionWriter: @unchecked Sendable {
  private var buffer: Buffer<UInt8>
  package private(set) var count = 0

  package init(capacity: Int = 4096) { buffer = Buffer(uninitialized: max(64, capacity)) }

  /// A writer in memory that is to be given back.
  init(capacity: Int, from memory: SectionMemory) { buffer = memory.take(capacity) }

  /// All of the memory.
  var memory: Buffer<UInt8> { buffer }

  /// The bytes so far.
  package var bytes: Buffer<UInt8> { buffer.slice(0..<count) }

  /// Makes room for more bytes and counts them; says where they begin.
  mutating func take(_ byteCount: Int) -> Int {
    if count + byteCount > buffer.count {
      let grown = Buffer<UInt8>(uninitialized: max(buffer.count * 2, count + byteCount))
      grown.copy(buffer, count: count, to: 0)
      buffer = grown
    }
    defer { count += byteCount }
    return count
  }

  /// Adds zeros up to a multiple of `alignment`, a power of two.
  package mutating func align(_ alignment: Int) {
    let rest = -count & (alignment - 1)
    let start = take(rest)
    if rest > 0 { buffer.fill(start..<(start + rest), with: 0) }
  }

  mutating func zeros(_ byteCount: Int) {
    let start = take(byteCount)
    buffer.fill(start..<(start + byteCount), with: 0)
  }

  mutating func append(_ bytes: [UInt8]) {
    let start = take(bytes.count)
    for index in bytes.indices { buffer[start + index] = bytes[index] }
  }

  mutating func append(byte: UInt8) {
    let start = take(1)
    buffer[start] = byte
  }

  mutating func append(half: UInt32) {
    let start = take(4)
    set(half: half, at: start)
  }

  mutating func append(word: UInt64) {
    // First the room: it may be in other memory than before.
    let start = take(8)
    set(word: word, at: start)
  }

  /// Adds elements as they stand in memory.
  mutating func append<Element: BitwiseCopyable>(_ elements: Buffer<Element>, count: Int) {
    let bytes = count * MemoryLayout<Element>.stride
    let start = take(bytes)
    buffer.copyBytes(of: elements, count: count, to: start)
  }

  /// Adds numbers, whose room is to be filled before anything else is added.
  ///
  /// - Precondition: the bytes so far are a multiple of 4.
  mutating func halves(_ numberCount: Int) -> Buffer<UInt32> {
    let start = take(numberCount * 4)
    return buffer.block(start..<count).buffer(of: UInt32.self)
  }

  mutating func append(_ text: TextBytes) {
    let start = take(text.count)
    buffer.copy(text, to: start)
  }

  func set(word: UInt64, at place: Int) { buffer.store(word: word, at: place) }

  func set(half: UInt32, at place: Int) {
    for index in 0..<4 {
      buffer[place + index] = UInt8(truncatingIfNeeded: half >> UInt32(8 * index))
    }
  }

  /// Adds numbers of which each fits `width` bits, at most 32, as `BitPacking` packs them.
  ///
  /// - Complexity: O(*n*), about a third of a nanosecond each.
  mutating func pack(_ numbers: Buffer<UInt32>, count numberCount: Int, width: Int) {
    let start = take((numberCount * width + 7) / 8 + BitPacking.slack)
    count -= BitPacking.slack
    BitPacking.pack(numbers, count: numberCount, width: width, to: buffer, at: start)
  }

  /// Adds numbers of which each fits `width` bits, from the lowest bit on, and ends at a whole byte.
  ///
  /// - Complexity: O(*n*), about a nanosecond each.
  @inline(__always)
  mutating func pack(count numberCount: Int, width: Int, _ number: (Int) -> UInt64) {
    if width == 0 || numberCount == 0 { return }
    let byteCount = (numberCount * width + 7) / 8
    // Whole words are stored, the last of which may reach past the end.
    let start = take(byteCount + 16)
    count -= 16
    let (target, width) = (buffer, UInt64(width))
    var (word, filled): (UInt64, UInt64) = (0, 0)
    var place = start
    if width <= 56 {
      // Without a branch: each number is stored with the bits of a byte that the one before has left.
      for index in 0..<numberCount {
        word |= number(index) &<< filled
        target.store(word: word, at: place)
        let bits = filled &+ width
        place &+= Int(truncatingIfNeeded: bits &>> 3)
        word = word &>> (bits & ~7)
        filled = bits & 7
      }
      return
    }
    for index in 0..<numberCount {
      let number = number(index)
      word |= number &<< filled
      filled &+= width
      if filled >= 64 {
        target.store(word: word, at: place)
        place &+= 8
        filled &-= 64
        word = filled == 0 ? 0 : number &>> (width &- filled)
      }
    }
    if filled > 0 { target.store(word: word, at: place) }
  }
}

/// The bits that packed numbers of up to `greatest` take.
@inline(__always)
func bitWidth(_ greatest: UInt64) -> Int { 64 - greatest.leadingZeroBitCount }

/// Memory for sections that was used before: its pages need not be taken from the system and cleared again.
final class SectionMemory: Sendable {
  /// What is taken at least, so that most of what is given back fits what is asked for next.
  private static let leastByteCount = 320 << 10

  private let spare = Mutex<[Buffer<UInt8>]>([])

  /// Memory of at least so many bytes, which are any.
  func take(_ byteCount: Int) -> Buffer<UInt8> {
    let found = spare.withLock { spare -> Buffer<UInt8>? in
      guard let last = spare.last, last.count >= byteCount else { return nil }
      return spare.removeLast()
    }
    return found ?? Buffer(uninitialized: max(byteCount, Self.leastByteCount))
  }

  /// - Precondition: nobody uses the memory any more.
  func give(_ buffer: Buffer<UInt8>) { spare.withLock { $0.append(buffer) } }
}
