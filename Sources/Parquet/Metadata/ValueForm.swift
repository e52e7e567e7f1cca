import Columnar

/// What stored values become: a column's type in SQL, and the way there.
enum ValueForm: Hashable, Sendable {
  case boolean
  /// Whole numbers out of INT32.
  case smallint, integer
  /// Whole numbers without a sign.
  case unsigned32, unsigned64
  case bigint
  case real, double, half
  case date
  case time(TimeUnit)
  case timestamp(TimeUnit, isUTC: Bool)
  /// A day and the nanoseconds into it, in twelve bytes.
  case dayTimestamp
  case decimal32(precision: Int32, scale: Int32)
  case decimal64(precision: Int32, scale: Int32)
  /// A whole number of any length, its highest byte first.
  case decimalBytes(precision: Int32, scale: Int32)
  case text, json, bytes
  case uuid, interval
  /// Whatever the file has, all of it is NULL.
  case null
}

extension ValueForm {
  /// How the values of a leaf are read; an annotation that does not fit the stored type is passed over.
  init(_ leaf: SchemaNode) throws(Damage) {
    if leaf.annotation == .null {
      self = .null
      return
    }
    switch leaf.stored ?? .byteArray {
    case .boolean: self = .boolean
    case .int32: self = try Self.ofInt32(leaf)
    case .int64: self = try Self.ofInt64(leaf)
    case .int96: self = .dayTimestamp
    case .float: self = .real
    case .double: self = .double
    case .byteArray:
      switch leaf.annotation {
      case .string, .enumeration: self = .text
      case .json: self = .json
      case .decimal(let precision, let scale): self = try Self.decimalBytes(precision, scale, leaf)
      case .none, .bson, .uuid, .interval, .date, .map, .list, .time, .timestamp, .integer,
        .float16, .null, .unknown:
        self = .bytes
      }
    case .fixedLengthByteArray:
      if case .decimal(let precision, let scale) = leaf.annotation {
        self = try Self.decimalBytes(precision, scale, leaf)
      } else if leaf.annotation == .uuid && leaf.typeLength == 16 {
        self = .uuid
      } else if leaf.annotation == .interval && leaf.typeLength == 12 {
        self = .interval
      } else if leaf.annotation == .float16 && leaf.typeLength == 2 {
        self = .half
      } else {
        self = .bytes
      }
    }
  }

  private static func ofInt32(_ leaf: SchemaNode) throws(Damage) -> ValueForm {
    switch leaf.annotation {
    case .integer(let bitWidth, let isSigned):
      if bitWidth < 16 || bitWidth == 16 && isSigned { return .smallint }
      return isSigned || bitWidth < 32 ? .integer : .unsigned32
    case .date: return .date
    case .time(.milliseconds, _): return .time(.milliseconds)
    case .decimal(let precision, let scale):
      try check(precision, scale, leaf)
      return .decimal32(precision: precision, scale: scale)
    case .none, .string, .enumeration, .json, .bson, .uuid, .interval, .map, .list, .time,
      .timestamp, .float16, .null, .unknown:
      return .integer
    }
  }

  private static func ofInt64(_ leaf: SchemaNode) throws(Damage) -> ValueForm {
    switch leaf.annotation {
    case .integer(_, let isSigned): return isSigned ? .bigint : .unsigned64
    case .time(let unit, _) where unit != .milliseconds: return .time(unit)
    case .timestamp(let unit, let isUTC): return .timestamp(unit, isUTC: isUTC)
    case .decimal(let precision, let scale):
      try check(precision, scale, leaf)
      return .decimal64(precision: precision, scale: scale)
    case .none, .string, .enumeration, .json, .bson, .uuid, .interval, .date, .map, .list, .time,
      .float16, .null, .unknown:
      return .bigint
    }
  }

  private static func decimalBytes(
    _ precision: Int32, _ scale: Int32, _ leaf: SchemaNode
  ) throws(Damage) -> ValueForm {
    try check(precision, scale, leaf)
    return .decimalBytes(precision: precision, scale: scale)
  }

  private static func check(
    _ precision: Int32, _ scale: Int32, _ leaf: SchemaNode
  ) throws(Damage) {
    guard precision >= 1, scale >= 0, scale <= precision else {
      throw Damage(
        "\"\(leaf.name)\" is a decimal of \(precision) digits, \(scale) behind the point")
    }
    guard scale <= Numeric.digitCountMax else {
      throw Damage(
        unsupported: "a decimal with \(scale) digits behind the point, as \"\(leaf.name)\" is,",
        hint: "Write it with at most \(Numeric.digitCountMax), or as a double.")
    }
  }

  /// The type in SQL.
  var columnType: ColumnType {
    switch self {
    case .boolean: ColumnType(.boolean)
    case .smallint: ColumnType(.smallint)
    case .integer: ColumnType(.integer)
    case .unsigned32, .bigint: ColumnType(.bigint)
    case .unsigned64: ColumnType(.numeric, .numeric(precision: 20, scale: 0))
    case .real, .half: ColumnType(.real)
    case .double: ColumnType(.double)
    case .date: ColumnType(.date)
    case .time: ColumnType(.time)
    case .timestamp(_, let isUTC): ColumnType(isUTC ? .timestamptz : .timestamp)
    case .dayTimestamp: ColumnType(.timestamp)
    case .decimal32(let precision, let scale), .decimal64(let precision, let scale),
      .decimalBytes(let precision, let scale):
      precision > Numeric.digitCountMax
        ? ColumnType(.numeric)
        : ColumnType(.numeric, .numeric(precision: precision, scale: scale))
    case .text, .null: ColumnType(.text)
    case .json: ColumnType(.json)
    case .bytes: ColumnType(.bytea)
    case .uuid: ColumnType(.uuid)
    case .interval: ColumnType(.interval)
    }
  }

  /// The digits behind the point of exact numbers that are kept as 64-bit numbers.
  var smallDecimals: Int16? {
    switch self {
    case .decimal32(_, let scale), .decimal64(_, let scale): Int16(scale)
    case .decimalBytes(let precision, let scale): precision <= 18 ? Int16(scale) : nil
    case .boolean, .smallint, .integer, .unsigned32, .unsigned64, .bigint, .real, .double, .half,
      .date, .time, .timestamp, .dayTimestamp, .text, .json, .bytes, .uuid, .interval, .null:
      nil
    }
  }

  /// The bytes of a value in a vector.
  var stride: Int { smallDecimals == nil ? columnType.type.physical.stride : 8 }
}
