/// Exact numbers kept small: where all values of a vector are finite, have equally many digits behind the
/// point and fit 64 bits, the vector may hold whole numbers and say once where their point stands.
///
/// A third of the memory, and arithmetic in single instructions. Whoever does not ask for the small form gets
/// `Numeric`s: `flattened()`, `normalized()` and `values(_:)` make them.
extension Vector {
  /// A flat vector of `numeric` over whole numbers whose last `decimals` digits stand behind the point.
  package init(
    decimals: Int16, _ values: Buffer<Int64>, count: Int, validity: ValidityMask = .allValid
  ) {
    self.init(
      type: .numeric, count: count, storage: values.wholeBlock, validity: validity,
      decimals: decimals)
  }

  /// The whole numbers by position, of a vector with `decimals`.
  package var scaledValues: Buffer<Int64> {
    assert(decimals != nil, "the vector has no whole numbers")
    return storage.buffer(of: Int64.self)
  }

  /// The number at a position, in either form.
  @inline(__always)
  package func numeric(at position: Int) -> Numeric {
    if let decimals {
      return Numeric(coefficient: Int128(scaledValues[position]), scale: decimals)
    }
    return storage.buffer(of: Numeric.self)[position]
  }

  /// The same whole numbers as a vector of bigint, in whatever form.
  var scaledNumbers: Vector {
    Vector(
      type: .bigint, count: count, form: form, storage: storage, validity: validity,
      indices: indices)
  }

  /// The vector in flat form, its numbers small if they were.
  ///
  /// - Complexity: O(*n*).
  package func compactFlattened() -> Vector {
    guard decimals != nil else { return flattened() }
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
    Self.widen(scaledValues, decimals ?? 0, storage.byteCount / 8).block
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
    if decimals != nil { return self }
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

extension Buffer where Element == Int64 {
  fileprivate var wholeBlock: MemoryBlock { count == 0 ? block : block(0..<count) }
}
