extension Vector {
  /// The vector with value *i* at position *i*; itself if it is flat.
  ///
  /// Exact numbers are `Numeric`s in it.
  ///
  /// - Complexity: O(*n*).
  package func flattened() -> Vector {
    if decimals != nil { return compactFlattened().widened() }
    switch form {
    case .flat: return self
    case .constant:
      let positions = Buffer<UInt32>(zeroed: count)
      return moved(to: positions)
    case .indirect:
      guard let indices else { return self }
      return moved(to: indices)
    }
  }

  /// The vector in flat or constant form, as kernels take it.
  package func normalized() -> Vector {
    if decimals != nil { return widened() }
    return form == .indirect ? flattened() : self
  }

  /// Which rows have a value, a bit for each, whatever the vector's form.
  var rowValidity: ValidityMask {
    switch form {
    case .flat: validity
    case .constant: validity.isValid(0) ? .allValid : .noneValid(count: count)
    case .indirect: indices.map { validity.gathered($0, count: count) } ?? validity
    }
  }

  /// Moves the value at `positions[i]` to position *i*.
  func moved(to positions: Buffer<UInt32>) -> Vector {
    let block: MemoryBlock
    switch valueStride {
    case 0: block = storage
    case 1: block = Self.gather(storage.buffer(of: UInt8.self), positions, count)
    case 2: block = Self.gather(storage.buffer(of: UInt16.self), positions, count)
    case 4: block = Self.gather(storage.buffer(of: UInt32.self), positions, count)
    case 8: block = Self.gather(storage.buffer(of: UInt64.self), positions, count)
    case 16: block = Self.gather(storage.buffer(of: SIMD2<UInt64>.self), positions, count)
    default: block = Self.gather(storage.buffer(of: Numeric.self), positions, count)
    }
    // A list's slices move and its elements stay; a record's fields move with it.
    let isRecord = type.physical == .record
    let moved =
      isRecord ? children.map { $0.gathered(positions, count: count).flattened() } : children
    return Vector(
      type: type, count: count, storage: block,
      validity: validity.gathered(positions, count: count), children: moved, heaps: heaps,
      digits: digits)
  }

  private static func gather<Element: BitwiseCopyable>(
    _ source: Buffer<Element>, _ positions: Buffer<UInt32>, _ count: Int
  ) -> MemoryBlock {
    let result = Buffer<Element>(uninitialized: count)
    for row in 0..<count { result[row] = source[positions[row]] }
    return result.block
  }
}
