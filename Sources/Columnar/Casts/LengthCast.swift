import Diagnostics

/// What a type's modifier does to values: lengths of strings, digits of numbers and of seconds.
enum LengthCast {
  /// - Throws: 22001, 22003.
  static func apply(_ modifier: TypeModifier, to vector: Vector, isExplicit: Bool)
    throws(SQLError) -> Vector
  {
    switch modifier {
    case .none: return vector
    case .length(let length):
      if case .array(let element) = vector.type {
        return try mapElements(vector, element) { elements throws(SQLError) in
          try apply(modifier, to: elements, isExplicit: isExplicit)
        }
      }
      if vector.type.isBitString {
        return try BitStrings.resized(vector, to: Int(length), isExplicit: isExplicit)
      }
      return try strings(vector, Int(length), isExplicit)
    case .numeric(let precision, let scale):
      if case .array(let element) = vector.type {
        return try mapElements(vector, element) { elements throws(SQLError) in
          try apply(modifier, to: elements, isExplicit: isExplicit)
        }
      }
      guard vector.type == .numeric else { return vector }
      return try RowLoop.mapValid([vector], vector.count, .numeric, Numeric.self) {
        value throws(SQLError) in
        try Numeric.apply(precision: Int(precision), scale: Int(scale), to: value)
      }
    case .precision(let digits): return try seconds(vector, nil, Int(digits))
    case .interval(let range, let digits): return try seconds(vector, range, Int(digits ?? 6))
    }
  }

  /// Casts the elements of an array and keeps its shape.
  static func mapElements(
    _ vector: Vector, _ element: LogicalType,
    _ body: (Vector) throws(SQLError) -> Vector
  ) throws(SQLError) -> Vector {
    let cast = try body(vector.children[0].flattened()).flattened()
    return Vector(
      type: .array(cast.type), count: vector.count, form: vector.form, storage: vector.storage,
      validity: vector.validity, indices: vector.indices, children: [cast], heaps: vector.heaps)
  }

  /// Rounds the fraction of seconds to so many digits, and cuts an interval to its range.
  private static func seconds(
    _ vector: Vector, _ range: IntervalRange?, _ digits: Int
  ) throws(SQLError) -> Vector {
    if case .array(let element) = vector.type {
      return try mapElements(vector, element) { elements throws(SQLError) in
        try seconds(elements, range, digits)
      }
    }
    guard digits < 6 || range != nil else { return vector }
    let unit = Int64(powersOfTen[6 - min(max(digits, 0), 6)])
    // The time of an interval may be so long that half a unit more is not; it then turns its sign, as in PostgreSQL.
    func round(_ value: Int64) -> Int64 {
      value < 0
        ? 0 &- (((0 &- value) &+ unit / 2) / unit &* unit) : (value &+ unit / 2) / unit &* unit
    }
    switch vector.type {
    case .timetz:
      return RowLoop.map([vector], vector.count, vector.type, Int64.self) {
        let value = TimeWithZone(rawValue: $0)
        return TimeWithZone(time: round(value.time), offset: value.offset).rawValue
      }
    case .time, .timestamp, .timestamptz:
      return RowLoop.map([vector], vector.count, vector.type, Int64.self) {
        Calendar.isFinite(timestamp: $0) ? round($0) : $0
      }
    case .interval:
      return RowLoop.map([vector], vector.count, vector.type, Interval.self) {
        let value = range?.apply($0) ?? $0
        return Interval(
          months: value.months, days: value.days, microseconds: round(value.microseconds))
      }
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .bit, .varbit, .uuid, .json, .jsonb, .oid, .array, .record,
      .enumeration, .unknown, .void:
      return vector
    }
  }

  private static func tooLong(_ type: LogicalType, _ length: Int) -> SQLError {
    SQLError(.stringTooLong, "value too long for type \(type.name)(\(length))")
  }

  /// Cuts texts to `length` characters, and for `character` fills them up to it.
  private static func strings(_ vector: Vector, _ length: Int, _ isExplicit: Bool)
    throws(SQLError) -> Vector
  {
    let isPadded = vector.type == .character
    guard isPadded || vector.type == .varchar else { return vector }
    let rows = vector.form == .constant ? min(vector.count, 1) : vector.count
    let source = vector.values(TextView.self)
    let result = Buffer<TextView>(zeroed: rows)
    let heap = TextHeap()
    var scratch = ByteBuilder()
    for row in 0..<rows where vector.validity.isValid(row) {
      let bytes = source.bytes(at: row)
      if bytes.count <= length && !isPadded {
        result[row] = source[row]
        continue
      }
      let characters = bytes.characterCount
      if characters > length {
        let end = bytes.offset(of: length)
        if !isExplicit {
          for index in end..<bytes.count where bytes[index] != 32 {
            throw tooLong(vector.type, length)
          }
        }
        result[row] = TextView(referring: bytes.slice(0..<end))
      } else if isPadded && characters < length {
        scratch.removeAll()
        scratch.append(bytes)
        scratch.append(repeating: 32, count: length - characters)
        result[row] = heap.append(scratch.bytes)
      } else {
        result[row] = source[row]
      }
    }
    return Vector(
      type: vector.type, count: vector.count, form: vector.form, storage: result.block,
      validity: vector.validity, heaps: vector.heaps + [heap])
  }

  /// Booleans as names, which are letters where texts are words.
  static func letters(_ vector: Vector) throws(SQLError) -> Vector {
    let values = Operand(vector, UInt8.self)
    return try TextLoop.build([vector], vector.count, .name) { row, output in
      output.append(values[row] != 0 ? UInt8(ascii: "t") : UInt8(ascii: "f"))
    }
  }

  /// Cuts texts to the 63 bytes of a name.
  static func name(_ vector: Vector) throws(SQLError) -> Vector {
    let rows = vector.form == .constant ? min(vector.count, 1) : vector.count
    let source = vector.values(TextView.self)
    let result = Buffer<TextView>(zeroed: rows)
    for row in 0..<rows where vector.validity.isValid(row) {
      let bytes = source.bytes(at: row)
      var end = min(bytes.count, 63)
      while end > 0 && end < bytes.count && bytes[end] & 0xC0 == 0x80 { end -= 1 }
      result[row] = end == bytes.count ? source[row] : TextView(referring: bytes.slice(0..<end))
    }
    return Vector(
      type: .name, count: vector.count, form: vector.form, storage: result.block,
      validity: vector.validity, heaps: vector.heaps)
  }

  /// `character` becoming another string loses the blanks at its end.
  static func unpadded(_ vector: Vector, as type: LogicalType) -> Vector {
    let rows = vector.form == .constant ? min(vector.count, 1) : vector.count
    let source = vector.values(TextView.self)
    let result = Buffer<TextView>(zeroed: rows)
    for row in 0..<rows where vector.validity.isValid(row) {
      let bytes = source.bytes(at: row)
      let shorter = bytes.withoutTrailingSpaces
      result[row] = shorter.count == bytes.count ? source[row] : TextView(referring: shorter)
    }
    return Vector(
      type: type, count: vector.count, form: vector.form, storage: result.block,
      validity: vector.validity, heaps: vector.heaps)
  }
}
