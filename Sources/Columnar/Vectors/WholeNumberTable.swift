/// Flat vectors as the whole numbers in their memory: of smallint to bigint, of dates and times, or of exact numbers in their small
/// form.
///
/// - Precondition: the physical type is one of whole numbers, or the vectors have `digits`.
package enum WholeNumberTable {
  /// The least and the greatest of the numbers; nil where all are NULL.
  ///
  /// - Complexity: O(*n*).
  package static func range(of vector: Vector, count: Int) -> ClosedRange<Int64>? {
    switch vector.valueStride {
    case 2: range(vector.storage.buffer(of: Int16.self), vector.validity, count)
    case 4: range(vector.storage.buffer(of: Int32.self), vector.validity, count)
    default: range(vector.storage.buffer(of: Int64.self), vector.validity, count)
    }
  }

  private static func range<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ validity: ValidityMask, _ count: Int
  ) -> ClosedRange<Int64>? {
    var (least, greatest) = (Number.max, Number.min)
    if validity.isAllValid {
      for row in 0..<count {
        let value = values[row]
        least = value < least ? value : least
        greatest = value > greatest ? value : greatest
      }
    } else {
      for row in 0..<count where validity.isValid(row) {
        least = min(least, values[row])
        greatest = max(greatest, values[row])
      }
    }
    return least <= greatest ? Int64(least)...Int64(greatest) : nil
  }

  /// The numbers that vectors of the type could hold.
  package static func limits(of vector: Vector) -> ClosedRange<Int64> {
    limits(vector.digits == nil ? vector.valueStride : 8)
  }

  private static func limits(_ stride: Int) -> ClosedRange<Int64> {
    switch stride {
    case 2: Int64(Int16.min)...Int64(Int16.max)
    case 4: Int64(Int32.min)...Int64(Int32.max)
    default: Int64.min...Int64.max
    }
  }

  /// A flat vector of the type and scale of `vector` with the numbers from `first` on.
  ///
  /// - Precondition: they are within its limits.
  package static func numbers(from first: Int64, count: Int, like vector: Vector) -> Vector {
    let block: MemoryBlock
    if let digits = vector.digits {
      return Vector(
        type: vector.type, count: count, storage: numbers(from: first, count),
        digits: DecimalForm(scale: digits.scale))
    }
    switch vector.valueStride {
    case 2: block = numbers(from: Int16(truncatingIfNeeded: first), count)
    case 4: block = numbers(from: Int32(truncatingIfNeeded: first), count)
    default: block = numbers(from: first, count)
    }
    return Vector(type: vector.type, count: count, storage: block)
  }

  private static func numbers<Number: FixedWidthInteger & BitwiseCopyable>(
    from first: Number, _ count: Int
  ) -> MemoryBlock {
    let result = Buffer<Number>(uninitialized: max(count, 1))
    for row in 0..<count { result[row] = first &+ Number(truncatingIfNeeded: row) }
    return result.block
  }

  /// How far each number is from `first`, and `span` for NULL; nil where one is below or `span` or further away.
  ///
  /// - Precondition: the numbers from `first` on, `span` in all, are within the limits of the vector.
  /// - Complexity: O(*n*).
  package static func places(
    of vector: Vector, count: Int, from first: Int64, span: Int
  ) -> Buffer<UInt32>? {
    let limits = limits(vector.valueStride)
    guard limits.contains(first), first <= limits.upperBound - Int64(span - 1) else {
      // Small exact numbers in fewer bytes than those of other chunks.
      return places(vector.scaledValues, vector.validity, count, first, span)
    }
    switch vector.valueStride {
    case 2:
      return places(
        vector.storage.buffer(of: Int16.self), vector.validity, count,
        Int16(truncatingIfNeeded: first), span)
    case 4:
      return places(
        vector.storage.buffer(of: Int32.self), vector.validity, count,
        Int32(truncatingIfNeeded: first), span)
    default:
      return places(
        vector.storage.buffer(of: Int64.self), vector.validity, count, first, span)
    }
  }

  /// A number below `first` wraps around to one beyond the last that its type has, and so beyond the span.
  @inline(__always)
  private static func places<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ validity: ValidityMask, _ count: Int, _ first: Number, _ span: Int
  ) -> Buffer<UInt32>? {
    let places = Buffer<UInt32>(uninitialized: max(count, 1))
    var greatest: Number.Magnitude = 0
    if validity.isAllValid {
      for row in 0..<count {
        let distance = Number.Magnitude(truncatingIfNeeded: values[row] &- first)
        greatest = distance > greatest ? distance : greatest
        places[row] = UInt32(truncatingIfNeeded: distance)
      }
    } else {
      for row in 0..<count {
        let isValid = validity.isValid(row)
        let distance = Number.Magnitude(truncatingIfNeeded: values[row] &- first)
        greatest = isValid && distance > greatest ? distance : greatest
        places[row] = UInt32(truncatingIfNeeded: isValid ? Int(truncatingIfNeeded: distance) : span)
      }
    }
    return UInt64(greatest) < UInt64(span) ? places : nil
  }
}
