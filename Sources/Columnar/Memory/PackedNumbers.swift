/// Numbers that stand one behind another, in as few bytes as they take.
///
/// Number *i* is a base, *i* times a slope, and what stands in the bytes of number *i*, all added up. Numbers that rise about
/// evenly are so kept as how far they are from a straight line: the rows of a table's edges, where the table was loaded
/// source by source, take one byte and not four.
///
/// As a `PagePointer` it does not keep its memory alive.
///
/// - Invariant: four bytes may be read wherever a number begins. Numbers of four bytes have neither base nor slope, and
///   stand as they are at an address that fits them.
@frozen
@usableFromInline
package struct PackedNumbers: BitwiseCopyable, Equatable, Sendable {
  @usableFromInline let bytes: PagePointer<UInt8>
  @usableFromInline let base: UInt32
  @usableFromInline let form: PackedForm

  @inlinable
  init(bytes: PagePointer<UInt8>, base: UInt32, form: PackedForm) {
    self.bytes = bytes
    self.base = base
    self.form = form
  }

  /// Numbers as they are.
  @inlinable @inline(__always)
  package init(_ plain: PagePointer<UInt32>) {
    self.init(bytes: plain.bound(to: UInt8.self), base: 0, form: .plain)
  }

  /// Whether the numbers stand as they are.
  @inlinable package var isPlain: Bool { form.isPlain }

  /// The numbers where they stand.
  ///
  /// - Precondition: they stand as they are.
  @inlinable package var plain: PagePointer<UInt32> { bytes.bound(to: UInt32.self) }

  /// The number at a place.
  @inlinable
  package subscript(place: Int) -> UInt32 {
    @inline(__always) get {
      base &+ UInt32(truncatingIfNeeded: place) &* form.slope
        &+ bytes.half(at: place &* form.width) & form.mask
    }
  }

  /// The numbers from a place on.
  @inlinable @inline(__always)
  package func advanced(by count: Int) -> PackedNumbers {
    PackedNumbers(
      bytes: bytes.advanced(by: count &* form.width),
      base: base &+ UInt32(truncatingIfNeeded: count) &* form.slope, form: form)
  }

  /// Whether two are the same numbers in the same memory.
  @inlinable
  package static func == (left: PackedNumbers, right: PackedNumbers) -> Bool {
    left.bytes == right.bytes && left.base == right.base && left.form.code == right.form.code
  }

  /// Copies numbers from a place on to `offset` on.
  ///
  /// - Precondition: there are so many; that they fit the buffer is looked at.
  package func copy(from start: Int = 0, count: Int, to buffer: Buffer<UInt32>, at offset: Int) {
    precondition(
      count >= 0 && offset >= 0 && offset + count <= buffer.count, "a copy must lie inside")
    if isPlain {
      let numbers = plain.advanced(by: start)
      for place in 0..<count { buffer[offset &+ place] = numbers[place] }
    } else if form.width == 1 {
      let first = advanced(by: start)
      let slope = form.slope
      for place in 0..<count {
        buffer[offset &+ place] =
          first.base &+ UInt32(truncatingIfNeeded: place) &* slope
          &+ UInt32(truncatingIfNeeded: first.bytes[place])
      }
    } else {
      for place in 0..<count { buffer[offset &+ place] = self[start &+ place] }
    }
  }
}

/// How numbers are packed: the bytes of each, and how much each is expected to be greater than the one before.
@frozen
@usableFromInline
package struct PackedForm: BitwiseCopyable, Sendable {
  /// The width in the lowest three bits, the slope in the others.
  @usableFromInline let code: UInt16

  static let slopeMax = UInt32(UInt16.max >> 3)

  @inlinable
  init(slope: UInt16, width: Int) { code = slope &<< 3 | UInt16(truncatingIfNeeded: width) }

  /// That of numbers as they are.
  @inlinable static var plain: PackedForm { PackedForm(slope: 0, width: 4) }

  @inlinable @inline(__always)
  var isPlain: Bool { code == 4 }

  /// The bytes that a number takes.
  @inlinable @inline(__always)
  var width: Int { Int(truncatingIfNeeded: code & 7) }

  @inlinable @inline(__always)
  var slope: UInt32 { UInt32(truncatingIfNeeded: code &>> 3) }

  /// The bits of four bytes that are a number's.
  @inlinable @inline(__always)
  var mask: UInt32 {
    UInt32(truncatingIfNeeded: (1 as UInt64) &<< UInt64(truncatingIfNeeded: width &* 8) &- 1)
  }
}

/// The memory of numbers that stand one behind another, packed or as they are.
@usableFromInline
package struct NumberStretch: Sendable {
  /// What the numbers stand in, and what may be read behind the last.
  @usableFromInline package let memory: Buffer<UInt8>
  @usableFromInline let base: UInt32
  @usableFromInline let form: PackedForm

  @inlinable
  init(_ memory: Buffer<UInt8>, base: UInt32, form: PackedForm) {
    self.memory = memory
    self.base = base
    self.form = form
  }

  /// Numbers as they are.
  @inlinable
  package init(_ plain: Buffer<UInt32>) {
    self.init(plain.bytes, base: 0, form: .plain)
  }

  /// The numbers for who holds the stretch.
  @inlinable package var numbers: PackedNumbers {
    PackedNumbers(bytes: PagePointer(memory), base: base, form: form)
  }

  /// The number at a place.
  @inlinable
  package subscript(place: Int) -> UInt32 {
    @inline(__always) get { numbers[place] }
  }

  /// Some of the numbers, in the same memory.
  @inlinable
  package func slice(_ range: Range<Int>) -> NumberStretch {
    let bytes =
      (range.lowerBound * form.width)..<(range.upperBound * form.width + 4 - form.width)
    return NumberStretch(
      memory.slice(bytes), base: numbers.advanced(by: range.lowerBound).base, form: form)
  }

  /// The first numbers, in place where they stand as they are.
  package func buffer(_ count: Int) -> Buffer<UInt32> {
    if form.isPlain { return memory.halves.slice(0..<count) }
    let result = Buffer<UInt32>(uninitialized: max(1, count))
    copy(count: count, to: result, at: 0)
    return result
  }

  /// Copies numbers from a place on to `offset` on.
  package func copy(from start: Int = 0, count: Int, to buffer: Buffer<UInt32>, at offset: Int) {
    numbers.copy(from: start, count: count, to: buffer, at: offset)
    withExtendedLifetime(memory) {}
  }

  /// The first numbers as an array; for tests.
  package func array(_ count: Int) -> [UInt32] { (0..<count).map { self[$0] } }
}

extension NumberStretch {
  /// Copies numbers to memory of their own, packed stretch by stretch.
  ///
  /// - Complexity: O(*n*) in the numbers of the stretches.
  package static func packing(
    _ numbers: Buffer<UInt32>, _ stretches: [Range<Int>]
  ) -> [NumberStretch] {
    let lines = stretches.map { FittedLine(numbers, $0) }
    var places = [0]
    places.reserveCapacity(stretches.count + 1)
    for (line, stretch) in zip(lines, stretches) {
      // Each begins where a number of four bytes may stand.
      places.append((places[places.count - 1] + line.byteCount(stretch.count) + 3) & ~3)
    }
    let memory = Buffer<UInt8>(uninitialized: places[places.count - 1])
    return lines.indices.map { index in
      let (line, stretch) = (lines[index], stretches[index])
      let own = memory.slice(places[index]..<(places[index] + line.byteCount(stretch.count)))
      line.pack(numbers, stretch, to: own)
      return NumberStretch(own, base: line.base, form: line.form)
    }
  }

  /// About how many bytes a number takes of those that are packed by so many.
  ///
  /// - Complexity: O(`count`) for each stretch that is looked at, of which there are at most 256.
  package static func likelyWidth(_ numbers: Buffer<UInt32>, packedBy count: Int) -> Double {
    let step = max(count, numbers.count / 256)
    var (width, seen) = (0, 0)
    for start in stride(from: 0, to: numbers.count - count + 1, by: step) {
      width += FittedLine(numbers, start..<(start + count)).form.width
      seen += 1
    }
    return seen == 0 ? 4 : Double(width) / Double(seen)
  }
}

/// The line along which some numbers are packed.
private struct FittedLine {
  let base: UInt32
  let form: PackedForm

  /// The line from the first number to the last.
  init(_ numbers: Buffer<UInt32>, _ range: Range<Int>) {
    guard let last = range.last else {
      (base, form) = (0, PackedForm(slope: 0, width: 0))
      return
    }
    let first = numbers[range.lowerBound]
    let steps = UInt32(truncatingIfNeeded: max(1, range.count - 1))
    let rise = numbers[last] > first ? numbers[last] - first : 0
    let slope = min((rise &+ steps / 2) / steps, PackedForm.slopeMax)
    // How far numbers are from the line; nothing is lost where that wraps round.
    var (least, greatest): (Int32, Int32) = (0, 0)
    var line = first
    for place in range {
      let distance = Int32(bitPattern: numbers[place] &- line)
      least = min(least, distance)
      greatest = max(greatest, distance)
      line &+= slope
    }
    let span = UInt32(bitPattern: greatest &- least)
    let width = (UInt32.bitWidth - span.leadingZeroBitCount + 7) / 8
    let isPlain = width == 4
    base = isPlain ? 0 : first &+ UInt32(bitPattern: least)
    form = isPlain ? .plain : PackedForm(slope: UInt16(slope), width: width)
  }

  /// The bytes of `count` numbers, and of what may be read behind the last.
  func byteCount(_ count: Int) -> Int { count * form.width + 4 - form.width }

  /// Writes numbers along the line.
  func pack(_ numbers: Buffer<UInt32>, _ range: Range<Int>, to bytes: Buffer<UInt8>) {
    if form.isPlain {
      return bytes.copyBytes(of: numbers.slice(range), count: range.count, to: 0)
    }
    let (width, slope) = (form.width, form.slope)
    var line = base
    var next = 0
    for place in range {
      // What that writes beyond the width is the next number's, or is read by nobody.
      bytes.store(half: numbers[place] &- line, at: next)
      next &+= width
      line &+= slope
    }
  }
}
