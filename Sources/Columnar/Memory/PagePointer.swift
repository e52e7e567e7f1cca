/// Where a page of elements starts: the entry of a table of pages.
///
/// Unlike a `Buffer` it does not keep its memory alive and does not know its size, so that a table of a
/// thousand pages is copied as plain bytes and read without counting references.
///
/// - Invariant: whoever reads through a page pointer holds the version of the table, index or column
///   that owns the page, and stays below the page's element count. A build with `-DCHECKED` keeps the page's bounds
///   beside the address, and checks them.
@frozen @safe
@usableFromInline
package struct PagePointer<Element: BitwiseCopyable>: BitwiseCopyable,
  @unchecked Sendable
{
  @usableFromInline let base: UnsafeMutablePointer<Element>?
  /// Takes no room unless bounds are checked.
  @usableFromInline let bounds: PageBounds

  @inlinable
  init(base: UnsafeMutablePointer<Element>?, bounds: PageBounds) {
    unsafe self.base = base
    self.bounds = bounds
  }

  /// A pointer to no page.
  @inlinable package static var none: PagePointer {
    unsafe PagePointer(base: nil, bounds: PageBounds(nil, byteCount: 0))
  }

  /// The start of `buffer`.
  @inlinable
  package init(_ buffer: Buffer<Element>) {
    unsafe self.init(
      base: buffer.base,
      bounds: PageBounds(buffer.base, byteCount: buffer.count &* MemoryLayout<Element>.stride))
  }

  /// The start of `block`.
  @inlinable
  package init(_ block: MemoryBlock) {
    // Blocks have whole words, which may be read.
    unsafe self.init(
      base: block.base.assumingMemoryBound(to: Element.self),
      bounds: PageBounds(block.base, byteCount: (block.byteCount &+ 15) & ~15))
  }

  /// Whether the page has `count` elements from `index` on; not known, and never false, unless bounds are checked.
  @inlinable
  @inline(__always)
  func holds(_ index: Int, _ count: Int = 1) -> Bool {
    guard let base = unsafe base else { return false }
    return unsafe bounds.hold(base + index, byteCount: count &* MemoryLayout<Element>.stride)
  }

  /// Whether there is no page.
  @inlinable package var isNone: Bool { unsafe base == nil }

  /// Whether two pointers are to the same place.
  @inlinable
  package static func == (left: PagePointer, right: PagePointer) -> Bool {
    unsafe left.base == right.base
  }

  /// The same page as elements of another type.
  #if DEBUG
    @_transparent
  #endif
  @inlinable
  package func bound<Other: BitwiseCopyable>(to other: Other.Type) -> PagePointer<Other> {
    guard let base = unsafe base else { return .none }
    return unsafe PagePointer<Other>(
      base: UnsafeMutableRawPointer(base).assumingMemoryBound(to: other), bounds: bounds)
  }

  // As in `Buffer`.
  #if DEBUG
    /// The element at `index` of the page.
    @inlinable
    package subscript(index: Int) -> Element {
      @_transparent get {
        checkPageBounds(holds(index), index)
        // The rule of the type says that there is a page.
        return unsafe base.unsafelyUnwrapped[index]
      }
    }

    /// The element at a position that an index holds.
    @inlinable
    package subscript(index: UInt32) -> Element {
      @_transparent get { self[Int(truncatingIfNeeded: index)] }
    }
  #else
    /// The element at `index` of the page.
    @inlinable
    package subscript(index: Int) -> Element {
      @inline(__always) get {
        checkPageBounds(holds(index), index)
        // The rule of the type says that there is a page.
        return unsafe base.unsafelyUnwrapped[index]
      }
    }

    /// The element at a position that an index holds.
    @inlinable
    package subscript(index: UInt32) -> Element {
      @inline(__always) get { self[Int(truncatingIfNeeded: index)] }
    }
  #endif

  /// Writes an element of the page.
  ///
  /// - Precondition: the caller alone holds the page.
  #if DEBUG
    @_transparent
  #else
    @inline(__always)
  #endif
  @inlinable
  package func store(_ value: Element, at index: Int) {
    checkPageBounds(holds(index), index)
    unsafe base.unsafelyUnwrapped[index] = value
  }

  /// Moves elements within the page, to a place that they may overlap.
  ///
  /// - Precondition: as of `store(_:at:)`.
  @inlinable
  @inline(__always)
  package func move(from start: Int, count: Int, to target: Int) {
    checkPageBounds(
      count >= 0 && holds(start, count) && holds(target, count), max(start, target) &+ count)
    unsafe (base.unsafelyUnwrapped + target).update(
      from: base.unsafelyUnwrapped + start, count: count)
  }

  /// Copies the first elements to a buffer, from `offset` on.
  ///
  /// - Precondition: there are so many; that they fit the buffer is looked at.
  @inlinable
  @inline(__always)
  package func copy(count: Int, to buffer: Buffer<Element>, at offset: Int) {
    checkPageBounds(holds(0, count), count)
    precondition(
      count >= 0 && offset >= 0 && offset + count <= buffer.count, "a copy must lie inside")
    unsafe (buffer.base + offset).update(from: base.unsafelyUnwrapped, count: count)
  }

  /// The page from an index on.
  #if DEBUG
    @_transparent
  #else
    @inline(__always)
  #endif
  @inlinable
  package func advanced(by count: Int) -> PagePointer {
    guard let base = unsafe base else { return self }
    return unsafe PagePointer(base: base + count, bounds: bounds)
  }

  /// The first index in `range` whose element is not below `value`.
  ///
  /// - Precondition: the elements of `range` do not fall.
  /// - Complexity: O(log *n*) in the length of the range.
  #if DEBUG
    @_transparent
  #else
    @inline(__always)
  #endif
  @inlinable
  package func lowerBound(of value: Element, in range: Range<Int>) -> Int
  where Element: Comparable {
    var lower = range.lowerBound
    var length = range.upperBound &- lower
    while length > 0 {
      let half = length &>> 1
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

  /// A buffer of `count` elements from `start` on, kept alive by `keeper`.
  ///
  /// - Precondition: `keeper` owns the page.
  @inlinable
  package func buffer(from start: Int, count: Int, keptBy keeper: MemoryBlock) -> Buffer<Element> {
    if count == 0 { return keeper.buffer(of: Element.self).slice(0..<0) }
    checkPageBounds(holds(start, count), start &+ count)
    return unsafe Buffer(block: keeper, base: base.unsafelyUnwrapped + start, count: count)
  }
}
