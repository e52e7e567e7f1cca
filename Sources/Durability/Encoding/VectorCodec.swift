package import Columnar
package import Diagnostics

/// The values of vectors as bytes; their type and number are known from elsewhere.
///
/// ```
/// validity   a flag, and the words of the mask if some value is NULL or there are more than 16,777,216
/// values     by physical type:
///   bool             a byte each, 0 or 1
///   whole numbers    `PackedNumbers`, as are dates, times and the codes of enumerations
///   float, double    4 or 8 bytes each
///   numeric          a flag; if set, the digits behind the point (2 bytes) and packed numbers,
///                    otherwise 19 bytes each: low and high word of the coefficient, scale, kind
///   interval, uuid   16 bytes each
///   text             packed lengths, then the bytes of all texts
///   list             packed lengths, then the elements of all lists as a vector
///   record           each field as a vector
/// ```
///
/// What stands for a NULL is not kept: zeros and empty texts come back.
package enum VectorCodec {
  // MARK: Writing

  /// Writes the values of a vector in any form.
  package static func write(_ vector: Vector, into writer: inout ByteWriter) {
    let flat = vector.compactFlattened()
    let count = flat.count
    let hasNulls = flat.validity.nullCount(count) > 0
    let hasMask = hasNulls || count > unmaskedLimit
    writer.append(flag: hasMask)
    if hasMask {
      let words = flat.validity.words ?? ValidityMask.writable(count: count).words
      if let words { writer.append(clean(words, count), count: ValidityMask.wordCount(count)) }
    }
    let validity = hasNulls ? flat.validity : .allValid
    switch flat.type.physical {
    case .bool:
      let values = flat.values(UInt8.self)
      for row in 0..<count { writer.append(byte: validity.isValid(row) ? values[row] : 0) }
    case .int16: writeNumbers(flat.values(Int16.self), count, validity, &writer)
    case .int32: writeNumbers(flat.values(Int32.self), count, validity, &writer)
    case .int64: writeNumbers(flat.values(Int64.self), count, validity, &writer)
    case .float: writePlain(flat.values(UInt32.self), count, validity, zero: 0, &writer)
    case .double: writePlain(flat.values(UInt64.self), count, validity, zero: 0, &writer)
    case .numeric: writeNumeric(flat, validity, &writer)
    case .interval:
      let zero = Interval(months: 0, days: 0, microseconds: 0)
      writePlain(flat.values(Interval.self), count, validity, zero: zero, &writer)
    case .uuid:
      let zero = UUIDValue(high: 0, low: 0)
      writePlain(flat.values(UUIDValue.self), count, validity, zero: zero, &writer)
    case .text: writeTexts(flat, validity, &writer)
    case .list: writeLists(flat, validity, &writer)
    case .record: for child in flat.children { write(child.resized(to: count), into: &writer) }
    }
  }

  /// The words of a mask with nothing behind the last value.
  private static func clean(_ words: Buffer<UInt64>, _ count: Int) -> Buffer<UInt64> {
    let length = ValidityMask.wordCount(count)
    let cleaned = Buffer<UInt64>(uninitialized: max(1, length))
    cleaned.copy(words, count: length, to: 0)
    if count & 63 != 0 { cleaned[length - 1] &= 1 &<< UInt64(count & 63) &- 1 }
    return cleaned
  }

  private static func writeNumbers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ count: Int, _ validity: ValidityMask, _ writer: inout ByteWriter
  ) {
    let numbers = Buffer<Int64>(uninitialized: max(1, count))
    // A NULL takes the value before it, which costs no bits.
    var last: Int64 = 0
    for row in 0..<count {
      if validity.isValid(row) { last = Int64(truncatingIfNeeded: values[row]) }
      numbers[row] = last
    }
    PackedNumbers.write(numbers, count: count, into: &writer)
  }

  private static func writePlain<Value: BitwiseCopyable>(
    _ values: Buffer<Value>, _ count: Int, _ validity: ValidityMask, zero: Value,
    _ writer: inout ByteWriter
  ) {
    if validity.isAllValid {
      writer.append(values, count: count)
      return
    }
    let cleaned = Buffer<Value>(uninitialized: max(1, count))
    for row in 0..<count { cleaned[row] = validity.isValid(row) ? values[row] : zero }
    writer.append(cleaned, count: count)
  }

  private static func writeNumeric(
    _ flat: Vector, _ validity: ValidityMask, _ writer: inout ByteWriter
  ) {
    writer.append(flag: flat.decimals != nil)
    if let decimals = flat.decimals {
      writer.append(half: UInt32(UInt16(bitPattern: decimals)))
      writeNumbers(flat.scaledValues, flat.count, validity, &writer)
      return
    }
    let values = flat.values(Numeric.self)
    let zero = Numeric(coefficient: 0, scale: 0)
    for row in 0..<flat.count {
      let value = validity.isValid(row) ? values[row] : zero
      let coefficient = UInt128(truncatingIfNeeded: value.coefficient)
      writer.append(word: UInt64(truncatingIfNeeded: coefficient))
      writer.append(word: UInt64(truncatingIfNeeded: coefficient >> 64))
      writer.append(byte: UInt8(truncatingIfNeeded: value.scale))
      writer.append(byte: UInt8(truncatingIfNeeded: value.scale >> 8))
      writer.append(byte: value.kind.rawValue)
    }
  }

  private static func writeTexts(
    _ flat: Vector, _ validity: ValidityMask, _ writer: inout ByteWriter
  ) {
    let (views, count) = (flat.values(TextView.self), flat.count)
    let lengths = Buffer<Int64>(uninitialized: max(1, count))
    var total = 0
    for row in 0..<count {
      let length = validity.isValid(row) ? views[row].count : 0
      lengths[row] = Int64(length)
      total += length
    }
    PackedNumbers.write(lengths, count: count, into: &writer)
    let bytes = Buffer<UInt8>(uninitialized: max(1, total))
    var next = 0
    for row in 0..<count where lengths[row] > 0 {
      bytes.copy(views.bytes(at: row), to: next)
      next += Int(lengths[row])
    }
    writer.append(bytes, count: total)
  }

  private static func writeLists(
    _ flat: Vector, _ validity: ValidityMask, _ writer: inout ByteWriter
  ) {
    let (slices, count) = (flat.values(ListSlice.self), flat.count)
    let lengths = Buffer<Int64>(uninitialized: max(1, count))
    var total = 0
    for row in 0..<count {
      lengths[row] = validity.isValid(row) ? Int64(slices[row].count) : 0
      total += Int(lengths[row])
    }
    PackedNumbers.write(lengths, count: count, into: &writer)
    let positions = Buffer<UInt32>(uninitialized: max(1, total))
    var next = 0
    for row in 0..<count {
      for element in 0..<UInt32(truncatingIfNeeded: lengths[row]) {
        positions[next] = slices[row].offset &+ element
        next += 1
      }
    }
    guard let element = flat.type.element else { return }
    let elements = flat.children.first ?? VectorBuilder(element, capacity: 0).finish()
    write(elements.gathered(positions, count: total), into: &writer)
  }

  // MARK: Reading

  /// The most values that may come without a mask: equal ones may take no other bytes, so that nothing else bounds the
  /// memory that a damaged count asks for.
  private static let unmaskedLimit = 1 << 24

  /// A flat vector of `count` values of a type.
  ///
  /// No values at the end of the bytes need not be there: the parts of none were left out once.
  ///
  /// - Throws: XX001 for values that no vector of the type has.
  package static func read(
    _ type: LogicalType, count: Int, from reader: inout ByteReader
  ) throws(SQLError) -> Vector {
    guard count >= 0, count <= Int(Int32.max) else {
      throw reader.damage("a vector cannot have \(count) values")
    }
    if count == 0, reader.isAtEnd { return VectorBuilder(type, capacity: 0).finish() }
    let validity = try readValidity(count, &reader)
    guard count <= unmaskedLimit || !validity.isAllValid else {
      throw reader.damage("\(count) values without a mask")
    }
    func flat<Value: BitwiseCopyable>(_ values: Buffer<Value>) -> Vector {
      Vector(type, values, count: count, validity: validity)
    }
    switch type.physical {
    case .bool:
      let values = try reader.buffer(of: UInt8.self, count: count)
      var all: UInt8 = 0
      for row in 0..<count { all |= values[row] }
      if all > 1 { throw reader.damage("a boolean is neither true nor false") }
      return flat(values)
    case .int16: return flat(try readNumbers(Int16.self, count, &reader))
    case .int32:
      let values = try readNumbers(Int32.self, count, &reader)
      if case .enumeration(let enumeration) = type {
        for row in 0..<count where validity.isValid(row) {
          guard values[row] >= 0, Int(values[row]) < enumeration.labels.count else {
            throw reader.damage("\(enumeration.name) has no label \(values[row])")
          }
        }
      }
      return flat(values)
    case .int64: return flat(try PackedNumbers.read(count, from: &reader))
    case .float: return flat(try reader.buffer(of: UInt32.self, count: count))
    case .double: return flat(try reader.buffer(of: UInt64.self, count: count))
    case .numeric: return try readNumeric(count, validity, &reader)
    case .interval: return flat(try reader.buffer(of: Interval.self, count: count))
    case .uuid: return flat(try reader.buffer(of: UUIDValue.self, count: count))
    case .text: return try readTexts(type, count, validity, &reader)
    case .list: return try readLists(type, count, validity, &reader)
    case .record:
      var fields: [Vector] = []
      if case .record(let record) = type {
        for field in record.fields {
          fields.append(try read(field.type, count: count, from: &reader))
        }
      }
      return Vector(
        type: type, count: count, storage: MemoryBlock(byteCount: 0), validity: validity,
        children: fields)
    }
  }

  private static func readValidity(
    _ count: Int, _ reader: inout ByteReader
  ) throws(SQLError) -> ValidityMask {
    guard try reader.flag() else { return .allValid }
    let words = try reader.buffer(of: UInt64.self, count: ValidityMask.wordCount(count))
    return ValidityMask(words: words)
  }

  private static func readNumbers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: Number.Type, _ count: Int, _ reader: inout ByteReader
  ) throws(SQLError) -> Buffer<Number> {
    let numbers = try PackedNumbers.read(count, from: &reader)
    let values = Buffer<Number>(uninitialized: max(1, count))
    var lost: Int64 = 0
    for row in 0..<count {
      let value = Number(truncatingIfNeeded: numbers[row])
      lost |= Int64(truncatingIfNeeded: value) ^ numbers[row]
      values[row] = value
    }
    if lost != 0 { throw reader.damage("a number is out of the range of its type") }
    return values
  }

  private static func readNumeric(
    _ count: Int, _ validity: ValidityMask, _ reader: inout ByteReader
  ) throws(SQLError) -> Vector {
    if try reader.flag() {
      let decimals = try reader.half()
      guard decimals <= 38 else { throw reader.damage("\(decimals) digits behind the point") }
      return Vector(
        decimals: Int16(decimals), try PackedNumbers.read(count, from: &reader), count: count,
        validity: validity)
    }
    guard count <= reader.rest / 19 else { throw reader.damage("numbers are missing") }
    let values = Buffer<Numeric>(uninitialized: max(1, count))
    for row in 0..<count {
      let low = try reader.word()
      let high = try reader.word()
      let first = try reader.byte()
      let scale = Int16(bitPattern: UInt16(first) | UInt16(try reader.byte()) << 8)
      guard let kind = Numeric.Kind(rawValue: try reader.byte()), (0...38).contains(scale) else {
        throw reader.damage("there is no such number")
      }
      let coefficient = Int128(truncatingIfNeeded: UInt128(high) << 64 | UInt128(low))
      values[row] =
        kind == .finite ? Numeric(coefficient: coefficient, scale: scale) : Numeric(kind)
    }
    return Vector(.numeric, values, count: count, validity: validity)
  }

  private static func readTexts(
    _ type: LogicalType, _ count: Int, _ validity: ValidityMask, _ reader: inout ByteReader
  ) throws(SQLError) -> Vector {
    let (lengths, total) = try readLengths(count, &reader)
    let source = try reader.raw(total)
    let heap = TextHeap(capacity: total)
    let views = Buffer<TextView>(uninitialized: max(1, count))
    let isText = type != .bytea
    var next = 0
    for row in 0..<count {
      let length = Int(lengths[row])
      let bytes = source.bytes(next..<(next + length))
      if isText, bytes.firstInvalidUTF8 != nil { throw reader.damage("a text is no UTF-8") }
      views[row] = heap.append(bytes)
      next += length
    }
    return Vector(type, views, count: count, validity: validity, heaps: [heap])
  }

  private static func readLists(
    _ type: LogicalType, _ count: Int, _ validity: ValidityMask, _ reader: inout ByteReader
  ) throws(SQLError) -> Vector {
    guard let element = type.element else { throw reader.damage("a list has no elements' type") }
    let (lengths, total) = try readLengths(count, &reader)
    guard total <= unmaskedLimit || total / 8 <= reader.rest else {
      throw reader.damage("lists of \(total) elements")
    }
    let slices = Buffer<ListSlice>(uninitialized: max(1, count))
    var next: UInt32 = 0
    for row in 0..<count {
      slices[row] = ListSlice(offset: next, count: UInt32(lengths[row]))
      next &+= UInt32(lengths[row])
    }
    let elements = try read(element, count: total, from: &reader)
    return Vector(
      type: type, count: count, storage: slices.block, validity: validity, children: [elements],
      heaps: elements.heaps)
  }

  /// Lengths that are not negative, and their sum, which is no more than there are bytes.
  private static func readLengths(
    _ count: Int, _ reader: inout ByteReader
  ) throws(SQLError) -> (lengths: Buffer<Int64>, total: Int) {
    let lengths = try PackedNumbers.read(count, from: &reader)
    var total = 0
    for row in 0..<count {
      guard lengths[row] >= 0, lengths[row] <= Int64(Int32.max) else {
        throw reader.damage("a length is \(lengths[row])")
      }
      total += Int(lengths[row])
      guard total <= Int(Int32.max) else { throw reader.damage("the lengths are too great") }
    }
    return (lengths, total)
  }
}
