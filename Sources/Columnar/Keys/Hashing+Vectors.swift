extension Hashing {
  /// The hash of each row over all columns.
  ///
  /// `seed` is given by those whose hashes must be the same in each process.
  ///
  /// - Complexity: O(*n*) for each column.
  package static func hash(
    _ columns: [Vector], count: Int, seed: UInt64 = Self.seed
  ) -> Buffer<UInt64> {
    let result = Buffer<UInt64>(uninitialized: count)
    guard let first = columns.first else {
      result.fill(0..<count, with: seed)
      return result
    }
    hash(first, into: result, count: count, seed: seed)
    guard columns.count > 1 else { return result }
    let scratch = Buffer<UInt64>(uninitialized: count)
    for column in columns.dropFirst() {
      hash(column, into: scratch, count: count, seed: seed)
      for row in 0..<count { result[row] = combine(result[row], scratch[row]) }
    }
    return result
  }

  /// The hash of each row of one column.
  package static func hash(
    _ column: Vector, into result: Buffer<UInt64>, count: Int, seed: UInt64 = Self.seed
  ) {
    if column.form == .constant {
      if count > 0 {
        hash(flat: column.resized(to: 1), into: result, count: 1, seed)
        result.fill(0..<count, with: result[0])
      }
      return
    }
    hash(flat: column.flattened(), into: result, count: count, seed)
  }

  /// Takes a flat vector, or a constant one for one row.
  private static func hash(
    flat column: Vector, into result: Buffer<UInt64>, count: Int, _ seed: UInt64
  ) {
    switch column.type.physical {
    case .bool: hashIntegers(column.values(UInt8.self), result, count, seed)
    case .int16: hashIntegers(column.values(Int16.self), result, count, seed)
    case .int32: hashIntegers(column.values(Int32.self), result, count, seed)
    case .int64: hashIntegers(column.values(Int64.self), result, count, seed)
    case .float:
      let values = column.values(Float.self)
      for row in 0..<count { result[row] = mix(canonicalBits(Double(values[row])), seed) }
    case .double:
      let values = column.values(Double.self)
      for row in 0..<count { result[row] = mix(canonicalBits(values[row]), seed) }
    case .numeric:
      let values = column.values(Numeric.self)
      for row in 0..<count where column.validity.isValid(row) {
        result[row] = hash(numeric: values[row], seed)
      }
    case .interval:
      let values = column.values(Interval.self)
      for row in 0..<count { result[row] = hash(interval: values[row], seed) }
    case .uuid:
      let values = column.values(UUIDValue.self)
      for row in 0..<count { result[row] = hash(uuid: values[row], seed) }
    case .text: hashTexts(column, result, count, seed)
    case .list: hashLists(column, result, count, seed)
    case .record: hashRecords(column, result, count, seed)
    }
    guard let words = column.validity.words else { return }
    let null = null(seed)
    for row in 0..<count where words[row &>> 6] &>> UInt64(row & 63) & 1 == 0 {
      result[row] = null
    }
  }

  @inline(__always)
  private static func hashIntegers<Element: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Element>, _ result: Buffer<UInt64>, _ count: Int, _ seed: UInt64
  ) {
    for row in 0..<count {
      result[row] = mix(UInt64(bitPattern: Int64(truncatingIfNeeded: values[row])), seed)
    }
  }

  private static func hashTexts(
    _ column: Vector, _ result: Buffer<UInt64>, _ count: Int, _ seed: UInt64
  ) {
    let values = column.values(TextView.self)
    let validity = column.validity
    if column.type == .character {
      for row in 0..<count where validity.isValid(row) {
        result[row] = hash(bytes: values.bytes(at: row).withoutTrailingSpaces, seed)
      }
      return
    }
    if column.type == .jsonb {
      for row in 0..<count where validity.isValid(row) {
        result[row] = JSONOrder.hash(values.bytes(at: row), seed)
      }
      return
    }
    for row in 0..<count where validity.isValid(row) {
      let view = values[row]
      result[row] =
        view.isInline ? hash(inline: view, seed) : hash(long: values.bytes(at: row), seed)
    }
  }

  private static func hashLists(
    _ column: Vector, _ result: Buffer<UInt64>, _ count: Int, _ seed: UInt64
  ) {
    let slices = column.values(ListSlice.self)
    let elements = column.children[0]
    let hashes = hash([elements], count: elements.count, seed: seed)
    for row in 0..<count where column.validity.isValid(row) {
      let slice = slices[row]
      var hash = UInt64(slice.count)
      for index in 0..<Int(slice.count) { hash = combine(hash, hashes[Int(slice.offset) &+ index]) }
      result[row] = hash
    }
  }

  private static func hashRecords(
    _ column: Vector, _ result: Buffer<UInt64>, _ count: Int, _ seed: UInt64
  ) {
    let hashes = hash(column.children.map { $0.resized(to: count) }, count: count, seed: seed)
    result.copy(hashes, count: count, to: 0)
  }
}
