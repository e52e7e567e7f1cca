import Columnar
import Diagnostics

/// Values on their way into pages: those that are there, one behind another, as they are stored.
struct ValueLane {
  let count: Int
  let block: MemoryBlock
  /// The vector that texts refer to.
  let keeper: Vector

  func buffer<Element: BitwiseCopyable>(of type: Element.Type) -> Buffer<Element> {
    block.buffer(of: type)
  }
}

/// Turns vectors into lanes.
struct LaneBuilder {
  let form: WrittenForm
  let name: String

  /// The values of a flat vector that are not NULL; `row` is the number of its first row, for messages.
  ///
  /// - Throws: 22008 for infinite dates, 22003 for numbers that the column's type does not hold.
  func lane(_ vector: Vector, present: Int, row: Int) throws(SQLError) -> ValueLane {
    let moved = { (block: MemoryBlock) in ValueLane(count: present, block: block, keeper: vector) }
    switch form {
    case .boolean: return moved(kept(vector, UInt8.self, present))
    case .integer, .real: return moved(kept(vector, UInt32.self, present))
    case .bigint, .double, .time: return moved(kept(vector, UInt64.self, present))
    case .smallint:
      let source = kept(vector, Int16.self, present).buffer(of: Int16.self)
      let target = Buffer<Int32>(uninitialized: present)
      for index in 0..<present { target[index] = Int32(source[index]) }
      return moved(target.block)
    case .date:
      let source = kept(vector, Int32.self, present).buffer(of: Int32.self)
      let target = Buffer<Int32>(uninitialized: present)
      var misfits = 0
      let shift = Int32(Calendar.unixEpochDay)
      for index in 0..<present {
        misfits |= bit(!Calendar.isFinite(date: source[index]))
        target[index] = source[index] &- shift
      }
      if misfits != 0 { throw infinite(vector, row) }
      return moved(target.block)
    case .timestamp:
      let source = kept(vector, Int64.self, present).buffer(of: Int64.self)
      let target = Buffer<Int64>(uninitialized: present)
      var misfits = 0
      for index in 0..<present {
        let (time, overflow) = source[index].subtractingReportingOverflow(Calendar.unixEpoch)
        misfits |= bit(!Calendar.isFinite(timestamp: source[index])) | bit(overflow)
        target[index] = time
      }
      if misfits != 0 { throw infinite(vector, row) }
      return moved(target.block)
    case .decimal(let precision, let scale):
      return moved(try decimals(vector, present, row, precision, scale))
    case .text, .json, .bytes: return moved(kept(vector, TextView.self, present))
    case .enumeration(let type): return labels(vector, present, type)
    case .uuid:
      let source = kept(vector, UUIDValue.self, present).buffer(of: UUIDValue.self)
      let target = Buffer<SIMD2<UInt64>>(uninitialized: present)
      for index in 0..<present {
        target[index] = SIMD2(source[index].high.byteSwapped, source[index].low.byteSwapped)
      }
      return moved(target.block)
    case .formatted, .formattedJSON:
      let texts = try formatted(vector)
      return ValueLane(
        count: present, block: kept(texts, TextView.self, present), keeper: texts)
    }
  }

  /// The values that are there; the vector's own memory where all of them are.
  private func kept<Element: BitwiseCopyable>(
    _ vector: Vector, _ type: Element.Type, _ present: Int
  ) -> MemoryBlock {
    if present == vector.count { return vector.storage }
    let source = vector.values(type)
    let target = Buffer<Element>(uninitialized: present + 1)
    var count = 0
    for row in 0..<vector.count {
      target[count] = source[row]
      count &+= bit(vector.validity.isValid(row))
    }
    return target.block
  }

  private func infinite(_ vector: Vector, _ row: Int) -> SQLError {
    var place = row
    for index in 0..<vector.count where vector.isValid(index) {
      let isFinite: Bool
      if vector.type.physical == .int32 {
        isFinite = Calendar.isFinite(date: vector.values(Int32.self)[index])
      } else {
        let time = vector.values(Int64.self)[index]
        isFinite = Calendar.isFinite(timestamp: time) && time < .max + Calendar.unixEpoch
      }
      if !isFinite {
        place += index
        break
      }
    }
    return SQLError(
      .datetimeOverflow,
      "the \(vector.type.name) of column \"\(name)\" in row \(place + 1) has no place in a parquet file",
      hint: "Leave infinite ones out, or make them NULL or text.")
  }

  private func decimals(
    _ vector: Vector, _ present: Int, _ row: Int, _ precision: Int, _ scale: Int
  ) throws(SQLError) -> MemoryBlock {
    let limit = Self.powerOfTen(precision)
    let small = Buffer<Int64>(uninitialized: present)
    let narrow = Buffer<Int32>(uninitialized: present)
    let wide = Buffer<SIMD2<UInt64>>(uninitialized: precision > 18 ? present : 0)
    var count = 0
    for index in 0..<vector.count where vector.validity.isValid(index) {
      let value = vector.numeric(at: index)
      guard let digits = Self.rescaled(value, to: scale), digits.magnitude < limit else {
        var text = ByteBuilder()
        value.append(to: &text)
        throw SQLError(
          .numericOutOfRange,
          "\(text.bytes.string) of column \"\(name)\" in row \(row + index + 1) does not fit numeric(\(precision),\(scale))",
          hint: "Cast the column to a numeric with more digits, or to double precision.")
      }
      if precision > 18 {
        let bits = UInt128(bitPattern: digits)
        wide[count] = SIMD2(
          UInt64(truncatingIfNeeded: bits >> 64).byteSwapped,
          UInt64(truncatingIfNeeded: bits).byteSwapped)
      } else {
        small[count] = Int64(truncatingIfNeeded: digits)
        narrow[count] = Int32(truncatingIfNeeded: digits)
      }
      count += 1
    }
    return precision <= 9 ? narrow.block : precision <= 18 ? small.block : wide.block
  }

  /// The digits of a number with `scale` of them behind the point; nil where that is not exact.
  static func rescaled(_ value: Numeric, to scale: Int) -> Int128? {
    guard value.isFinite else { return nil }
    let step = scale - Int(value.scale)
    if step == 0 { return value.coefficient }
    if value.coefficient == 0 { return 0 }
    guard abs(step) <= Numeric.digitCountMax else { return nil }
    let power = Int128(powerOfTen(abs(step)))
    if step > 0 {
      let (product, overflow) = value.coefficient.multipliedReportingOverflow(by: power)
      return overflow ? nil : product
    }
    let (quotient, rest) = value.coefficient.quotientAndRemainder(dividingBy: power)
    return rest == 0 ? quotient : nil
  }

  static func powerOfTen(_ exponent: Int) -> UInt128 {
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  private func labels(_ vector: Vector, _ present: Int, _ type: EnumerationType) -> ValueLane {
    let heap = TextHeap()
    let known = Buffer(type.labels.map { heap.append(Array($0.utf8)) })
    let source = kept(vector, Int32.self, present).buffer(of: Int32.self)
    let target = Buffer<TextView>(uninitialized: present)
    for index in 0..<present {
      let label = Int(source[index])
      target[index] = label >= 0 && label < known.count ? known[label] : TextView()
    }
    return ValueLane(
      count: present, block: target.block,
      keeper: Vector(.text, target, count: present, heaps: [heap]))
  }

  private func formatted(_ vector: Vector) throws(SQLError) -> Vector {
    if case .formatted = form { return try TextFormatter().texts(of: vector).flattened() }
    let context = EvaluationContext(transactionTime: 0, statementTime: 0)
    let kernel = JSONBuilding.convert(vector.type, .json)
    let texts = try kernel([vector], vector.count, context).flattened()
    // A missing value stays missing: it does not become the null of JSON.
    return Vector(
      .json, texts.values(TextView.self), count: texts.count, validity: vector.validity,
      heaps: texts.heaps)
  }
}
