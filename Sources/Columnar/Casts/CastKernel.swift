package import Diagnostics

/// The kernel that casts vectors of `source` to `target`, or nil where PostgreSQL has no such cast.
///
/// `context` says how the cast came to be: an explicit one cuts strings that are too long, others refuse
/// them (22001). Whether the cast is allowed there is `castContext`'s matter.
package func castKernel(
  from source: LogicalType, to target: ColumnType, context: CastContext = .explicit
) throws(SQLError) -> ScalarKernel? {
  guard castContext(from: source, to: target.type) != nil else { return nil }
  let isExplicit = context == .explicit
  let modifier = target.modifier
  guard let convert = conversion(from: source, to: target) else { return nil }
  return { (arguments, count, context) throws(SQLError) in
    let argument = arguments[0].normalized()
    let result = try convert(argument, context)
    return try LengthCast.apply(modifier, to: result, isExplicit: isExplicit)
  }
}

/// Casts one vector; its length is the argument's.
typealias VectorCast =
  @Sendable (_ argument: Vector, _ context: EvaluationContext) throws(SQLError) -> Vector

/// The cast without the modifier.
private func conversion(from source: LogicalType, to column: ColumnType) -> VectorCast? {
  let target = column.type
  if source == target { return { (vector, _) in vector } }
  switch (source, target) {
  case (.array(let from), .array(let to)):
    guard let inner = conversion(from: from, to: ColumnType(to)) else { return nil }
    return { (vector, context) throws(SQLError) in
      try LengthCast.mapElements(vector, from) { elements throws(SQLError) in
        try inner(elements, context)
      }
    }
  case (.record(let from), .record(let to)): return recordConversion(from, to)
  case (.character, .text), (.character, .varchar), (.character, .name):
    return { (vector, _) in LengthCast.unpadded(vector, as: target) }
  case (.boolean, .name):
    return { (vector, _) throws(SQLError) in try LengthCast.letters(vector) }
  case (.bit, .varbit), (.varbit, .bit): return { (vector, _) in vector.retyped(target) }
  case (.integer, .bit), (.bigint, .bit):
    var length = 1
    if case .length(let wanted) = column.modifier { length = Int(wanted) }
    let bits = length
    return { (vector, _) throws(SQLError) in try BitStrings.fromNumbers(vector, length: bits) }
  case (.bit, .integer):
    return { (vector, _) throws(SQLError) in try BitStrings.numbers(vector, target, Int32.self) }
  case (.bit, .bigint):
    return { (vector, _) throws(SQLError) in try BitStrings.numbers(vector, target, Int64.self) }
  case (.boolean, _), (.smallint, _), (.integer, _), (.bigint, _), (.real, _), (.double, _),
    (.numeric, _), (.text, _), (.varchar, _), (.character, _), (.name, _), (.bytea, _), (.date, _),
    (.time, _), (.timetz, _), (.timestamp, _), (.timestamptz, _), (.interval, _), (.bit, _),
    (.varbit, _), (.uuid, _), (.json, _), (.jsonb, _), (.oid, _), (.array, _), (.record, _),
    (.enumeration, _), (.unknown, _), (.void, _):
    break
  }
  if source.isString || source == .unknown {
    let plain = ColumnType(target)
    return { (vector, context) throws(SQLError) in
      try TextParser(context).parse(vector, as: plain)
    }
  }
  if target.isString {
    return { (vector, context) throws(SQLError) in
      let texts = try TextFormatter(context).texts(of: vector, as: target)
      return target == .name ? try LengthCast.name(texts) : texts
    }
  }
  return NumberCast.conversion(from: source, to: target)
    ?? TemporalCast.conversion(from: source, to: target)
    ?? JSONCast.conversion(from: source, to: target)
}

private func recordConversion(_ source: RecordType, _ target: RecordType) -> VectorCast? {
  var casts: [VectorCast] = []
  for (from, to) in zip(source.fields, target.fields) {
    guard let cast = conversion(from: from.type, to: ColumnType(to.type)) else { return nil }
    casts.append(cast)
  }
  let fields = casts
  return { (vector, context) throws(SQLError) in
    let flat = vector.flattened()
    var children: [Vector] = []
    for (child, cast) in zip(flat.children, fields) {
      children.append(try cast(child, context).flattened())
    }
    return Vector(
      type: .record(target), count: flat.count, storage: flat.storage, validity: flat.validity,
      children: children, heaps: flat.heaps)
  }
}

/// Casts among numbers and booleans.
private enum NumberCast {
  static func conversion(from source: LogicalType, to target: LogicalType) -> VectorCast? {
    switch source {
    case .smallint: whole(Int16.self, to: target)
    case .integer: whole(Int32.self, to: target)
    case .bigint, .oid: whole(Int64.self, to: target)
    case .real: floating(Float.self, to: target)
    case .double: floating(Double.self, to: target)
    case .numeric: numeric(to: target)
    case .boolean:
      target == .integer
        ? { @Sendable (vector, _) in
          RowLoop.map([vector], vector.count, .integer, UInt8.self) { Int32($0) }
        } : nil
    case .text, .varchar, .character, .name, .bytea, .date, .time, .timetz, .timestamp,
      .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb, .array, .record, .enumeration,
      .unknown, .void:
      nil
    }
  }

  static func outOfRange(_ type: LogicalType) -> SQLError {
    SQLError(
      .numericOutOfRange, type == .oid ? "OID out of range" : "\(type.name) out of range")
  }

  /// From whole numbers, written out for each width so that every loop is compiled for its types.
  @inline(__always)
  private static func whole<Source: FixedWidthInteger & SignedInteger & BitwiseCopyable & Sendable>(
    _ type: Source.Type, to target: LogicalType
  ) -> VectorCast? {
    switch target {
    case .smallint: narrowed(type, Int16.self, target)
    case .integer: narrowed(type, Int32.self, target)
    case .bigint: narrowed(type, Int64.self, target)
    case .oid:
      { (vector, _) throws(SQLError) in
        try RowLoop.mapValid([vector], vector.count, .oid, type) {
          value throws(SQLError) -> Int64 in
          let wide = Int64(truncatingIfNeeded: value)
          // A negative integer is the OID with the same 32 bits; a bigint must fit.
          if Source.bitWidth <= 32 { return wide & 0xFFFF_FFFF }
          guard wide >= 0 && wide <= 0xFFFF_FFFF else { throw outOfRange(.oid) }
          return wide
        }
      }
    case .real:
      { (vector, _) in
        RowLoop.map([vector], vector.count, .real, type) { Float($0) }
      }
    case .double:
      { (vector, _) in
        RowLoop.map([vector], vector.count, .double, type) { Double($0) }
      }
    case .numeric:
      { (vector, _) in
        RowLoop.map([vector], vector.count, .numeric, type) {
          Numeric(coefficient: Int128(truncatingIfNeeded: $0), scale: 0)
        }
      }
    case .boolean:
      { (vector, _) in
        RowLoop.map([vector], vector.count, .boolean, type) { UInt8(bit($0 != 0)) }
      }
    case .text, .varchar, .character, .name, .bytea, .date, .time, .timetz, .timestamp,
      .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb, .array, .record, .enumeration,
      .unknown, .void:
      nil
    }
  }

  @inline(__always)
  private static func narrowed<
    Source: FixedWidthInteger & BitwiseCopyable & Sendable,
    Target: FixedWidthInteger & BitwiseCopyable & Sendable
  >(_ source: Source.Type, _ type: Target.Type, _ target: LogicalType) -> VectorCast {
    { (vector, _) throws(SQLError) in
      if Target.bitWidth >= Source.bitWidth {
        return RowLoop.map([vector], vector.count, target, source) {
          Target(truncatingIfNeeded: $0)
        }
      }
      return try RowLoop.mapValid([vector], vector.count, target, source) {
        value throws(SQLError) -> Target in
        guard let narrow = Target(exactly: value) else { throw outOfRange(target) }
        return narrow
      }
    }
  }

  /// From floating-point numbers: a half goes to the even neighbour.
  @inline(__always)
  private static func floating<Source: BinaryFloatingPoint & BitwiseCopyable & Sendable>(
    _ type: Source.Type, to target: LogicalType
  ) -> VectorCast? {
    switch target {
    case .smallint: rounded(type, Int16.self, target)
    case .integer: rounded(type, Int32.self, target)
    case .bigint: rounded(type, Int64.self, target)
    case .double:
      { (vector, _) in
        RowLoop.map([vector], vector.count, .double, type) { Double($0) }
      }
    case .real:
      { (vector, _) throws(SQLError) in
        try RowLoop.mapValid([vector], vector.count, .real, type) {
          value throws(SQLError) -> Float in
          let narrow = Float(value)
          if narrow.isInfinite && !value.isInfinite {
            throw SQLError(.numericOutOfRange, "value out of range: overflow")
          }
          if narrow == 0 && value != 0 {
            throw SQLError(.numericOutOfRange, "value out of range: underflow")
          }
          return narrow
        }
      }
    case .numeric:
      { (vector, _) throws(SQLError) in
        try RowLoop.mapValid([vector], vector.count, .numeric, type) {
          value throws(SQLError) -> Numeric in
          if let float = value as? Float { return try Numeric(float) }
          return try Numeric(Double(value))
        }
      }
    case .boolean, .text, .varchar, .character, .name, .bytea, .date, .time, .timetz, .timestamp,
      .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb, .oid, .array, .record,
      .enumeration, .unknown, .void:
      nil
    }
  }

  @inline(__always)
  private static func rounded<
    Source: BinaryFloatingPoint & BitwiseCopyable & Sendable,
    Target: FixedWidthInteger & BitwiseCopyable & Sendable
  >(_ source: Source.Type, _ type: Target.Type, _ target: LogicalType) -> VectorCast {
    { (vector, _) throws(SQLError) in
      try RowLoop.mapValid([vector], vector.count, target, source) {
        value throws(SQLError) -> Target in
        guard let whole = Target(exactly: value.rounded(.toNearestOrEven)) else {
          throw outOfRange(target)
        }
        return whole
      }
    }
  }

  /// Exact numbers that are kept as whole ones, as doubles; nil for others.
  private static func smallDoubles(_ vector: Vector) -> Vector? {
    let flat = vector.compactFlattened()
    guard let digits = flat.digits, digits.scale <= 22 else { return nil }
    let whole = flat.scaledNumbers
    let result = Buffer<Double>(uninitialized: max(1, flat.count))
    // Both numbers are exact, so that the division rounds once.
    let unit = exactPowersOfTen[Int(digits.scale)]
    switch whole.type.physical {
    case .int16:
      let values = whole.values(Int16.self)
      for row in 0..<flat.count { result[row] = Double(values[row]) / unit }
    case .int32:
      let values = whole.values(Int32.self)
      for row in 0..<flat.count { result[row] = Double(values[row]) / unit }
    case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      let values = whole.values(Int64.self)
      var greatest: UInt64 = 0
      for row in 0..<flat.count {
        greatest = max(greatest, values[row].magnitude)
        result[row] = Double(values[row]) / unit
      }
      if greatest > 1 << 53 { return nil }
    }
    return Vector(.double, result, count: flat.count, validity: flat.validity)
  }

  private static func numeric(to target: LogicalType) -> VectorCast? {
    switch target {
    case .smallint:
      { (vector, _) throws(SQLError) in
        try RowLoop.mapValid([vector], vector.count, target, Numeric.self) {
          value throws(SQLError) in try value.int16()
        }
      }
    case .integer:
      { (vector, _) throws(SQLError) in
        try RowLoop.mapValid([vector], vector.count, target, Numeric.self) {
          value throws(SQLError) in try value.int32()
        }
      }
    case .bigint:
      { (vector, _) throws(SQLError) in
        try RowLoop.mapValid([vector], vector.count, target, Numeric.self) {
          value throws(SQLError) in try value.int64()
        }
      }
    case .double:
      { (vector, _) throws(SQLError) in
        if let small = smallDoubles(vector) { return small }
        return try RowLoop.mapValid([vector.normalized()], vector.count, target, Numeric.self) {
          value throws(SQLError) in value.double
        }
      }
    case .real:
      { (vector, _) throws(SQLError) in
        try RowLoop.mapValid([vector], vector.count, target, Numeric.self) {
          value throws(SQLError) -> Float in
          let float = value.float
          if float.isInfinite && value.isFinite {
            throw SQLError(.numericOutOfRange, "\"\(value)\" is out of range for type real")
          }
          return float
        }
      }
    case .boolean, .numeric, .text, .varchar, .character, .name, .bytea, .date, .time, .timetz,
      .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb, .oid, .array,
      .record, .enumeration, .unknown, .void:
      nil
    }
  }
}
