/// Exact numbers kept small: where all values of a vector are finite, have equally many digits behind the
/// point and fit 64 bits, the vector may hold whole numbers and say once where their point stands.
///
/// As much as a sixteenth of the memory, and arithmetic in single instructions. Whoever does not ask for the small form gets
/// `Numeric`s: `flattened()`, `normalized()` and `values(_:)` make them.
package struct DecimalForm: Hashable, Sendable {
  /// In how many bytes each whole number stands.
  package enum Width: Int, Sendable { case two = 2, four = 4, eight = 8 }

  /// How many digits stand behind the point.
  package let scale: Int16
  package let width: Width

  package init(scale: Int16, width: Width = .eight) {
    self.scale = scale
    self.width = width
  }

  /// The bytes from one whole number to the next.
  package var stride: Int { width.rawValue }

  /// The form that the numbers of all vectors can take; nil where there is none.
  init?(ofAll vectors: [Vector]) {
    guard var form = vectors.first?.digits else { return nil }
    for vector in vectors {
      guard let wider = form.union(vector.digits) else { return nil }
      form = wider
    }
    self = form
  }

  /// The form that numbers of both can take; nil where there is none.
  package func union(_ other: DecimalForm?) -> DecimalForm? {
    guard let other, other.scale == scale else { return nil }
    return width.rawValue < other.width.rawValue ? other : self
  }

  /// What a comparison of all numbers of this form with a number comes to where that is out of their range; nil where it is not.
  func outcome(_ comparison: Comparison, _ number: Int64) -> Bool? {
    let bits = Int64(stride * 8 - 1)
    let greatest = Int64(truncatingIfNeeded: UInt64(1) << UInt64(bits) &- 1)
    if number > greatest { return comparison.holds(-1) }
    if number < -1 - greatest { return comparison.holds(1) }
    return nil
  }

  /// A number as the constant that `Vector.scaledNumbers` are compared with.
  ///
  /// - Precondition: it is in range.
  func constant(_ number: Int64, count: Int) -> Vector {
    func vector<Number: FixedWidthInteger & BitwiseCopyable>(
      _ type: LogicalType, _ number: Number
    ) -> Vector {
      Vector(
        type: type, count: count, form: .constant,
        storage: Buffer(repeating: number, count: 1).block)
    }
    switch width {
    case .two: return vector(.smallint, Int16(truncatingIfNeeded: number))
    case .four: return vector(.integer, Int32(truncatingIfNeeded: number))
    case .eight: return vector(.bigint, number)
    }
  }
}

extension Vector {
  /// A flat vector of `numeric` over whole numbers whose last `decimals` digits stand behind the point.
  package init(
    decimals: Int16, _ values: Buffer<Int64>, count: Int, validity: ValidityMask = .allValid
  ) {
    self.init(
      type: .numeric, count: count, storage: values.wholeBlock, validity: validity,
      digits: DecimalForm(scale: decimals))
  }

  /// For `numeric`: how many digits of the whole numbers in `storage` stand behind the point; nil where
  /// the values are `Numeric`s.
  package var decimals: Int16? { digits?.scale }

  /// The bytes from one value to the next.
  package var valueStride: Int { digits?.stride ?? type.physical.stride }

  /// The positions that have values.
  private var positionCount: Int { form == .flat ? count : storage.byteCount / valueStride }

  /// The whole numbers by position, of a vector with `decimals`; copied where they are narrow.
  package var scaledValues: Buffer<Int64> {
    assert(digits != nil, "the vector has no whole numbers")
    switch digits?.width {
    case .two: return Self.widen(storage.buffer(of: Int16.self), positionCount)
    case .four: return Self.widen(storage.buffer(of: Int32.self), positionCount)
    case .eight, nil: return storage.buffer(of: Int64.self)
    }
  }

  private static func widen<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ count: Int
  ) -> Buffer<Int64> {
    let result = Buffer<Int64>(uninitialized: max(count, 1))
    for row in 0..<count { result[row] = Int64(truncatingIfNeeded: values[row]) }
    return result
  }

  /// The number at a position, in either form.
  @inline(__always)
  package func numeric(at position: Int) -> Numeric {
    guard let digits else { return storage.buffer(of: Numeric.self)[position] }
    let number =
      switch digits.width {
      case .two: Int64(storage.buffer(of: Int16.self)[position])
      case .four: Int64(storage.buffer(of: Int32.self)[position])
      case .eight: storage.buffer(of: Int64.self)[position]
      }
    return Numeric(coefficient: Int128(number), scale: digits.scale)
  }

  /// The same whole numbers as a vector of smallint, integer or bigint, in whatever form.
  var scaledNumbers: Vector {
    let type: LogicalType =
      switch digits?.width {
      case .two: .smallint
      case .four: .integer
      case .eight, nil: .bigint
      }
    return Vector(
      type: type, count: count, form: form, storage: storage, validity: validity,
      indices: indices)
  }

  /// The same small numbers, in wider whole ones where the form asks for that.
  func compact(as wanted: DecimalForm) -> Vector {
    if digits == wanted { return self }
    // The rows may be few of many values.
    if form == .indirect { return compactFlattened().compact(as: wanted) }
    return Vector(
      type: type, count: count, form: form,
      storage: Self.narrowed(scaledValues, positionCount, to: wanted), validity: validity,
      indices: indices, digits: wanted)
  }

  /// The vector in flat form: with whole numbers as `wanted`, or without.
  ///
  /// - Precondition: the form is one that the vector's numbers can take.
  package func flattened(as wanted: DecimalForm?) -> Vector {
    guard let wanted else { return flattened() }
    return compactFlattened().compact(as: wanted)
  }

  /// The same numbers of a flat vector with more digits behind the point; nil where 64 bits do not hold them.
  ///
  /// - Complexity: O(*n*).
  func rescaled(to scale: Int16) -> Vector? {
    guard let digits, scale >= digits.scale, scale - digits.scale < 19 else { return nil }
    if scale == digits.scale { return self }
    let (power, values) = (Int64(powerOfTen(Int(scale - digits.scale))), scaledValues)
    let limit = UInt64(Int64.max / power)
    let result = Buffer<Int64>(uninitialized: max(count, 1))
    var isLarge = false
    for row in 0..<count {
      isLarge = isLarge || values[row].magnitude > limit && validity.isValid(row)
      result[row] = values[row] &* power
    }
    return isLarge ? nil : Vector(decimals: scale, result, count: count, validity: validity)
  }

  /// The form with the fewest bytes that has room for all numbers of a flat vector; nil without whole numbers.
  ///
  /// - Complexity: O(*n*).
  package var narrowestForm: DecimalForm? {
    guard let digits, digits.width == .eight, form == .flat else { return digits }
    let values = storage.buffer(of: Int64.self)
    // What a number has beside its sign.
    var bits: UInt64 = 0
    if validity.isAllValid {
      for row in 0..<count { bits |= UInt64(bitPattern: values[row] ^ (values[row] &>> 63)) }
    } else {
      for row in 0..<count where validity.isValid(row) {
        bits |= UInt64(bitPattern: values[row] ^ (values[row] &>> 63))
      }
    }
    let width: DecimalForm.Width =
      bits &>> 15 == 0 ? .two : bits &>> 31 == 0 ? .four : .eight
    return DecimalForm(scale: digits.scale, width: width)
  }

  /// The same numbers in as few bytes as they need; itself where it is not flat.
  ///
  /// - Complexity: O(*n*).
  package func narrowest() -> Vector {
    guard let wanted = narrowestForm, wanted != digits else { return self }
    return Vector(
      type: type, count: count, storage: Self.narrowed(scaledValues, count, to: wanted),
      validity: validity, digits: wanted)
  }

  /// Whole numbers in fewer bytes, which have room for them.
  private static func narrowed(
    _ values: Buffer<Int64>, _ count: Int, to form: DecimalForm
  ) -> MemoryBlock {
    let block = MemoryBlock(byteCount: max(count, 1) * form.stride)
    switch form.width {
    case .two: narrow(values, count, to: block.buffer(of: Int16.self))
    case .four: narrow(values, count, to: block.buffer(of: Int32.self))
    case .eight: narrow(values, count, to: block.buffer(of: Int64.self))
    }
    return block
  }

  private static func narrow<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Int64>, _ count: Int, to target: Buffer<Number>
  ) {
    for row in 0..<count { target[row] = Number(truncatingIfNeeded: values[row]) }
  }

  /// The vector in flat form, its numbers small if they were.
  ///
  /// - Complexity: O(*n*).
  package func compactFlattened() -> Vector {
    guard digits != nil else { return flattened() }
    switch form {
    case .flat: return self
    case .constant: return moved(to: Buffer(zeroed: count))
    case .indirect: return indices.map { moved(to: $0) } ?? self
    }
  }

  /// The vector in flat or constant form, its numbers small if they were.
  package func compactNormalized() -> Vector { form == .indirect ? compactFlattened() : self }

  /// The values by position as `Numeric`s, for those that know no other form.
  @usableFromInline func wideStorage() -> MemoryBlock {
    Self.widen(scaledValues, decimals ?? 0, positionCount).block
  }

  /// The vector with `Numeric`s, flat or constant.
  func widened() -> Vector {
    guard let decimals else { return self }
    if form == .indirect { return compactFlattened().widened() }
    let stored = form == .constant ? 1 : count
    return Vector(
      type: type, count: count, form: form,
      storage: Self.widen(scaledValues, decimals, stored).block, validity: validity)
  }

  private static func widen(
    _ values: Buffer<Int64>, _ decimals: Int16, _ count: Int
  ) -> Buffer<Numeric> {
    let result = Buffer<Numeric>(uninitialized: max(count, 1))
    for row in 0..<count {
      result[row] = Numeric(coefficient: Int128(values[row]), scale: decimals)
    }
    return result
  }

  /// A flat vector of `numeric` in the small form, if all of its numbers fit; itself if it has it.
  ///
  /// NULLs become zeros. Without any number `otherwise` is where the point stands.
  ///
  /// - Complexity: O(*n*).
  package func narrowed(count: Int, otherwise: Int16 = 0) -> Vector? {
    if digits != nil { return self }
    let values = storage.buffer(of: Numeric.self)
    let result = Buffer<Int64>(uninitialized: max(count, 1))
    var scale: Int16?
    var misfits = 0
    for row in 0..<count {
      guard validity.isValid(row) else {
        result[row] = 0
        continue
      }
      let value = values[row]
      let expected = scale ?? value.scale
      scale = expected
      let low = Int64(truncatingIfNeeded: value.coefficient)
      result[row] = low
      misfits |= bit(value.scale != expected) | bit(value.kind != .finite)
      misfits |= bit(Int128(low) != value.coefficient)
      if misfits != 0 { return nil }
    }
    return Vector(decimals: scale ?? otherwise, result, count: count, validity: validity)
  }
}

extension Vector {
  /// A flat vector of `numeric` in the small form with `scale` digits behind the point, of which its numbers may have fewer; nil
  /// where some has more or does not fit.
  ///
  /// - Complexity: O(*n*).
  func narrowed(toScale scale: Int16, count: Int) -> Vector? {
    guard form == .flat, digits == nil, (0...18).contains(scale) else { return nil }
    let values = storage.buffer(of: Numeric.self)
    let result = Buffer<Int64>(uninitialized: max(count, 1))
    for row in 0..<count {
      guard validity.isValid(row) else {
        result[row] = 0
        continue
      }
      let value = values[row]
      guard value.kind == .finite, (0...scale).contains(value.scale),
        let number = Int64(exactly: value.coefficient)
      else { return nil }
      let (scaled, overflow) = number.multipliedReportingOverflow(
        by: Int64(truncatingIfNeeded: DecimalPowers.table[Int(scale - value.scale)]))
      if overflow { return nil }
      result[row] = scaled
    }
    return Vector(decimals: scale, result, count: count, validity: validity)
  }
}

extension Buffer where Element == Int64 {
  fileprivate var wholeBlock: MemoryBlock { count == 0 ? block : block(0..<count) }
}
