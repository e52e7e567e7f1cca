#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Typed elements in a block of memory: the one way in which kernels touch data.
///
/// A buffer is a reference: copies of it see the same elements, and writing through one writes for
/// all. Kernels write only into buffers that they have just made.
///
/// - Invariant: an index below `count` is in bounds. It is checked in debug builds and in those with `-DCHECKED`, and
///   trusted in other release builds, so every loop takes its bounds from a count checked once a chunk.
@usableFromInline @safe package struct Buffer<Element: BitwiseCopyable>: @unchecked Sendable {
  /// What keeps the elements alive.
  @usableFromInline package let block: MemoryBlock
  @usableFromInline let base: UnsafeMutablePointer<Element>
  /// How many elements fit.
  @usableFromInline package let count: Int

  @inlinable
  init(block: MemoryBlock, base: UnsafeMutablePointer<Element>, count: Int) {
    self.block = block
    unsafe self.base = base
    self.count = count
  }

  /// Room for `count` elements, not initialised.
  @inlinable
  package init(uninitialized count: Int, pages: MemoryBlock.PageSize = .huge) {
    self = MemoryBlock(byteCount: count &* MemoryLayout<Element>.stride, pages: pages)
      .buffer(of: Element.self)
  }

  /// `count` elements of zero bits.
  @inlinable
  package init(zeroed count: Int) {
    self = MemoryBlock(byteCount: count &* MemoryLayout<Element>.stride, zeroed: true)
      .buffer(of: Element.self)
  }

  /// `count` copies of `value`.
  @inlinable
  package init(repeating value: Element, count: Int) {
    self.init(uninitialized: count)
    unsafe base.initialize(repeating: value, count: count)
  }

  /// The elements of `array`.
  @inlinable
  package init(_ array: [Element]) {
    self.init(uninitialized: array.count)
    for index in array.indices { self[index] = array[index] }
  }

  // Transparent functions are inlined in debug builds too, which makes those twice as fast; the optimiser does better by
  // the others.
  #if DEBUG
    /// The element at `index`.
    @inlinable
    package subscript(index: Int) -> Element {
      @_transparent get {
        checkBounds(index, "a buffer", count)
        return unsafe base[index]
      }
      @_transparent nonmutating set {
        checkBounds(index, "a buffer", count)
        unsafe base[index] = newValue
      }
    }

    /// The element at a position that a selection or an index holds.
    @inlinable
    package subscript(position: UInt32) -> Element {
      @_transparent get { self[Int(truncatingIfNeeded: position)] }
      @_transparent nonmutating set { self[Int(truncatingIfNeeded: position)] = newValue }
    }
  #else
    /// The element at `index`.
    @inlinable
    package subscript(index: Int) -> Element {
      @inline(__always) get {
        checkBounds(index, "a buffer", count)
        return unsafe base[index]
      }
      @inline(__always) nonmutating set {
        checkBounds(index, "a buffer", count)
        unsafe base[index] = newValue
      }
    }

    /// The element at a position that a selection or an index holds.
    @inlinable
    package subscript(position: UInt32) -> Element {
      @inline(__always) get { self[Int(truncatingIfNeeded: position)] }
      @inline(__always) nonmutating set { self[Int(truncatingIfNeeded: position)] = newValue }
    }
  #endif

  /// The part of the buffer in `range`, sharing its memory.
  @inlinable
  package func slice(_ range: Range<Int>) -> Buffer<Element> {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a slice must lie inside")
    return unsafe Buffer(block: block, base: base + range.lowerBound, count: range.count)
  }

  /// Copies `length` elements of `source` from `start` on to `offset` on.
  @inlinable
  package func copy(
    _ source: Buffer<Element>, from start: Int = 0, count length: Int, to offset: Int
  ) {
    precondition(
      length >= 0 && start >= 0 && offset >= 0 && start + length <= source.count
        && offset + length <= count, "a copy must lie inside both buffers")
    if length > 0 { unsafe (base + offset).update(from: source.base + start, count: length) }
  }

  /// Sets `range` to `value`.
  @inlinable
  package func fill(_ range: Range<Int>, with value: Element) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range must lie inside")
    unsafe (base + range.lowerBound).update(repeating: value, count: range.count)
  }

  /// Sets `range` to zero bits.
  @inlinable
  package func zero(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range must lie inside")
    let bytes = unsafe UnsafeMutableRawPointer(base + range.lowerBound)
    unsafe bytes.initializeMemory(
      as: UInt8.self, repeating: 0, count: range.count * MemoryLayout<Element>.stride)
  }

  /// Lets a system call write `length` elements from `offset` on, and gives what it says.
  package func fill<Result>(
    at offset: Int, count length: Int, _ body: (UnsafeMutableRawPointer) -> Result
  ) -> Result {
    precondition(offset >= 0 && length >= 0 && offset + length <= count, "a write must lie inside")
    return unsafe body(UnsafeMutableRawPointer(base + offset))
  }

  /// The first `length` elements as an array; for edges and tests.
  package func array(_ length: Int) -> [Element] { (0..<length).map { self[$0] } }
}

extension Buffer where Element == UInt32 {
  /// Writes eight elements from `offset` on.
  @inlinable @inline(__always)
  func setEight(_ elements: SIMD8<UInt32>, at offset: Int) {
    checkBounds(offset, "a buffer", count, length: 8)
    unsafe UnsafeMutableRawPointer(base + offset).storeBytes(
      of: elements, as: SIMD8<UInt32>.self)
  }
}

extension Buffer where Element: Comparable {
  /// The first index in `range` whose element is not below `value`.
  ///
  /// - Precondition: the elements of `range` do not fall.
  /// - Complexity: O(log *n*) in the length of the range.
  @inlinable
  package func lowerBound(of value: Element, in range: Range<Int>) -> Int {
    var lower = range.lowerBound
    var length = range.count
    while length > 0 {
      let half = length >> 1
      let middle = lower &+ half
      if self[middle] < value {
        lower = middle &+ 1
        length = length &- half &- 1
      } else {
        length = half
      }
    }
    return lower
  }
}

/// A Bool as 0 or 1, without the branch that a conditional expression becomes.
@inlinable @inline(__always)
package func bit(_ condition: Bool) -> Int {
  unsafe Int(truncatingIfNeeded: unsafeBitCast(condition, to: UInt8.self))
}

extension Buffer {
  /// How far into its block the buffer starts, in bytes.
  var byteOffset: Int {
    unsafe UnsafeRawPointer(base) - UnsafeRawPointer(block.base)
  }

  /// Whether two buffers start at the same place in memory.
  func isSame(as other: Buffer) -> Bool { unsafe base == other.base }

  /// The part of the buffer in `range`, which gives its memory back to the system when nobody holds it any more.
  ///
  /// - Precondition: from now on nobody uses the range but through the part; the buffer's block is no part itself.
  package func part(_ range: Range<Int>) -> Buffer {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a part must lie inside")
    let stride = MemoryLayout<Element>.stride
    return MemoryBlock(
      parting: block, from: byteOffset + range.lowerBound * stride, byteCount: range.count * stride
    ).buffer(of: Element.self)
  }

  /// A part of the buffer as a block that shares its memory.
  package func block(_ range: Range<Int>) -> MemoryBlock {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a block must lie inside")
    let stride = MemoryLayout<Element>.stride
    return MemoryBlock(
      slicing: block, from: byteOffset + range.lowerBound * stride, byteCount: range.count * stride)
  }
}
