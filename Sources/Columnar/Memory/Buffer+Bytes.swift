#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Buffer where Element == UInt8 {
  /// Room for `count` bytes: spare memory if that is enough, or new one.
  package static func room(_ count: Int, in spare: Buffer?) -> Buffer {
    if let spare, spare.count >= count { return spare }
    return Buffer(uninitialized: count, pages: .small)
  }

  /// Copies the first `count` elements of another buffer, as they stand in memory, to `offset` on.
  package func copyBytes<Other: BitwiseCopyable>(
    of elements: Buffer<Other>, count length: Int, to offset: Int
  ) {
    let byteCount = length * MemoryLayout<Other>.stride
    precondition(
      length >= 0 && length <= elements.count && offset >= 0 && offset + byteCount <= count,
      "a copy must lie inside both buffers")
    if byteCount > 0 { unsafe memcpy(base + offset, elements.base, byteCount) }
  }

  /// Writes four bytes from `index` on, those of a little-endian number.
  ///
  /// - Precondition: four bytes have room there.
  @inlinable @inline(__always)
  package func store(half: UInt32, at index: Int) {
    checkBounds(index, "a buffer", count, length: 4)
    unsafe UnsafeMutableRawPointer(base + index).storeBytes(
      of: half.littleEndian, as: UInt32.self)
  }

  /// Writes eight bytes from `index` on, those of a little-endian number.
  ///
  /// - Precondition: eight bytes have room there.
  @inlinable @inline(__always)
  package func store(word: UInt64, at index: Int) {
    checkBounds(index, "a buffer", count, length: 8)
    unsafe UnsafeMutableRawPointer(base + index).storeBytes(
      of: word.littleEndian, as: UInt64.self)
  }
}

extension TextView {
  /// The first eight bytes of a text that the view holds itself, zeros behind its end.
  ///
  /// - Precondition: the view is inline.
  @inlinable @inline(__always)
  package var inlineHead: UInt64 { head >> 32 | tail << 32 }

  /// Bytes 8 to 11 of a text that the view holds itself, zeros behind its end.
  ///
  /// - Precondition: the view is inline.
  @inlinable @inline(__always)
  package var inlineRest: UInt64 { tail >> 32 }
}

extension TextView {
  /// The bytes of a text that stands elsewhere; valid as long as what keeps it alive.
  ///
  /// - Precondition: the view is not inline.
  @inlinable
  package var longBytes: TextBytes {
    guard let address = unsafe address else {
      preconditionFailure("a text that is not inline has an address")
    }
    return unsafe TextBytes(base: address, count: count)
  }
}

extension Buffer {
  /// The bytes that the elements stand in.
  @inlinable package var bytes: Buffer<UInt8> {
    unsafe Buffer<UInt8>(
      block: block, base: UnsafeMutableRawPointer(base).assumingMemoryBound(to: UInt8.self),
      count: count * MemoryLayout<Element>.stride)
  }
}

extension Buffer where Element == UInt8 {
  /// The bytes as whole numbers of four.
  ///
  /// - Precondition: they stand where such numbers may.
  package var halves: Buffer<UInt32> {
    precondition(
      unsafe UInt(bitPattern: base) % UInt(MemoryLayout<UInt32>.alignment) == 0,
      "numbers of four bytes are aligned")
    return unsafe Buffer<UInt32>(
      block: block, base: UnsafeMutableRawPointer(base).assumingMemoryBound(to: UInt32.self),
      count: count / MemoryLayout<UInt32>.stride)
  }
}

extension PagePointer where Element == UInt8 {
  /// The four bytes from `index` on as one little-endian number.
  ///
  /// - Precondition: four bytes stand there.
  @inlinable @inline(__always)
  package func half(at index: Int) -> UInt32 {
    checkPageBounds(holds(index, 4), index)
    return unsafe UInt32(
      littleEndian: UnsafeRawPointer(base.unsafelyUnwrapped + index)
        .loadUnaligned(as: UInt32.self))
  }

  /// The eight bytes from `index` on as one little-endian number.
  ///
  /// - Precondition: eight bytes stand there.
  @inlinable @inline(__always)
  package func word(at index: Int) -> UInt64 {
    checkPageBounds(holds(index, 8), index)
    return unsafe UInt64(
      littleEndian: UnsafeRawPointer(base.unsafelyUnwrapped + index)
        .loadUnaligned(as: UInt64.self))
  }
}

extension TextView {
  /// A view of `count` bytes of a page from `offset` on, which stay where they are.
  ///
  /// - Precondition: so many bytes, and sixteen, may be read from there; the page outlives the view.
  @inlinable @inline(__always)
  package init(_ page: PagePointer<UInt8>, at offset: Int, count: Int) {
    let first = page.word(at: offset)
    let length = UInt64(UInt32(truncatingIfNeeded: count))
    if count > Self.inlineCapacity {
      let start = page.advanced(by: offset)
      self.init(
        head: length | first << 32,
        tail: unsafe UInt64(UInt(bitPattern: start.base)))
    } else {
      let second = page.word(at: offset &+ 8)
      // A shift by the whole width gives zero.
      let kept = first & ~(UInt64.max << UInt64(truncatingIfNeeded: count &* 8))
      let rest = second & ~(UInt64.max << UInt64(truncatingIfNeeded: max(0, count &- 8) &* 8))
      self.init(head: length | kept << 32, tail: kept >> 32 | rest << 32)
    }
  }
}
