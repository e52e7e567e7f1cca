#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A fixed number of plain values in memory of its own: what the hand-written loops run over.
///
/// Reads and writes are unchecked, as the loops are to show what the machine can do; every index in
/// them comes from the arrays themselves, which the loader has checked. A value of this type refers to its memory and
/// does not own it: whoever made it frees it.
@safe struct Cells<Element: BitwiseCopyable>: @unchecked Sendable {
  let count: Int
  private let base: UnsafeMutablePointer<Element>

  /// Memory of zeros, which takes up room only where it is touched, in large pages where it is large.
  init(count: Int) {
    self.count = count
    let bytes = Self.size(count)
    let flags = MAP_PRIVATE | Self.anonymous
    guard let memory = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, flags, -1, 0),
      unsafe memory != MAP_FAILED
    else { preconditionFailure("no address space for \(bytes) bytes") }
    #if canImport(Glibc)
      if bytes >= 1 << 22 { unsafe _ = madvise(memory, bytes, MADV_HUGEPAGE) }
    #endif
    unsafe base = memory.bindMemory(to: Element.self, capacity: max(1, count))
  }

  #if canImport(Glibc)
    private static var anonymous: Int32 { Int32(MAP_ANONYMOUS | MAP_NORESERVE) }
  #else
    private static var anonymous: Int32 { MAP_ANON }
  #endif

  /// The bytes of a file, mapped; zeros follow its end.
  init(mapping path: String) throws(BenchError) where Element == UInt8 {
    let descriptor = unsafe open(path, O_RDONLY)
    guard descriptor >= 0 else { throw BenchError("could not read \"\(path)\"") }
    defer { _ = close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw BenchError("could not read \"\(path)\"")
    }
    self.init(count: Int(status.st_size))
    guard count > 0 else { return }
    // The zeros behind the end stay where the file's last page ends short of them.
    let mapped = unsafe mmap(base, count, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor, 0)
    guard unsafe mapped != MAP_FAILED else {
      free()
      throw BenchError("could not map \"\(path)\"")
    }
  }

  /// The bytes of a file, copied into memory of large pages.
  init(reading path: String) throws(BenchError) where Element == UInt8 {
    let file = try Cells(mapping: path)
    self.init(count: file.count)
    copy(from: file, at: 0, count: count, to: 0)
    file.free()
  }

  /// Loads of a word may begin at the last value and reach past it.
  private static func size(_ count: Int) -> Int { count * MemoryLayout<Element>.stride + 64 }

  func free() { unsafe _ = munmap(base, Self.size(count)) }

  @inline(__always)
  subscript(index: Int) -> Element {
    get { unsafe base[index] }
    nonmutating set { unsafe base[index] = newValue }
  }

  @inline(__always)
  subscript(index: Int32) -> Element {
    get { unsafe base[Int(truncatingIfNeeded: index)] }
    nonmutating set { unsafe base[Int(truncatingIfNeeded: index)] = newValue }
  }

  /// The bytes of `count` values from `start` on, for digests.
  @unsafe func bytes(from start: Int, count: Int) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(
      start: base + start, count: count * MemoryLayout<Element>.stride)
  }

  /// Copies values from another place; the two do not overlap.
  @inline(__always)
  func copy(from source: Cells, at start: Int, count: Int, to target: Int) {
    unsafe memcpy(
      base + target, source.base + start, count &* MemoryLayout<Element>.stride)
  }

  /// Fills the first `count` values with zeros.
  @inline(__always)
  func clear(_ count: Int) {
    unsafe _ = memset(base, 0, count &* MemoryLayout<Element>.stride)
  }

  /// The memory, for system calls.
  @unsafe var pointer: UnsafeMutablePointer<Element> { unsafe base }
}

extension Cells<UInt8> {
  /// Eight bytes from `index` on, the first the lowest.
  @inline(__always)
  func word(at index: Int) -> UInt64 {
    unsafe UInt64(
      littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
  }

  /// Writes eight bytes, the lowest first.
  @inline(__always)
  func setWord(_ value: UInt64, at index: Int) {
    unsafe UnsafeMutableRawPointer(base + index)
      .storeBytes(of: value.littleEndian, as: UInt64.self)
  }
}

/// A set of small numbers, one bit for each.
@safe struct Bits: Sendable {
  let words: Cells<UInt64>
  let count: Int

  init(count: Int) {
    self.count = count
    words = Cells(count: (count + 63) / 64)
  }

  func free() { words.free() }

  @inline(__always) func clear() { words.clear(words.count) }

  @inline(__always) func insert(_ index: Int32) {
    let place = Int(truncatingIfNeeded: index)
    words[place &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: place & 63)
  }

  @inline(__always) func contains(_ index: Int) -> Bool {
    words[index &>> 6] &>> UInt64(truncatingIfNeeded: index & 63) & 1 != 0
  }

  /// The number of members among words `from ..< to`.
  @inline(__always) func population(from: Int, to: Int) -> Int {
    var sum = 0
    for index in from..<to { sum &+= words[index].nonzeroBitCount }
    return sum
  }
}
