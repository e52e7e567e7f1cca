import Columnar

/// How a column's values are written.
enum WrittenForm {
  case boolean
  case smallint, integer, bigint
  case real, double
  case date, time
  case timestamp(isUTC: Bool)
  case decimal(precision: Int, scale: Int)
  case text, json, bytes
  case enumeration(EnumerationType)
  case uuid
  /// Values of other types become their text; nested ones that of JSON.
  case formatted, formattedJSON

  /// How values lie in memory before they are encoded.
  enum Lane {
    /// A byte each, 0 or 1.
    case bits
    case word32, word64
    /// Sixteen bytes, the first of them highest.
    case wide
    case views
  }

  init(_ type: ColumnType) {
    switch type.type {
    case .boolean: self = .boolean
    case .smallint: self = .smallint
    case .integer: self = .integer
    case .bigint, .oid: self = .bigint
    case .real: self = .real
    case .double: self = .double
    case .numeric:
      if case .numeric(let precision, let scale) = type.modifier, scale >= 0,
        scale <= Numeric.digitCountMax
      {
        let digits = min(max(Int(precision), Int(scale), 1), Numeric.digitCountMax)
        self = .decimal(precision: digits, scale: Int(scale))
      } else {
        self = .decimal(precision: Numeric.digitCountMax, scale: 0)
      }
    case .text, .varchar, .character, .name: self = .text
    case .bytea: self = .bytes
    case .date: self = .date
    case .time: self = .time
    case .timestamp: self = .timestamp(isUTC: false)
    case .timestamptz: self = .timestamp(isUTC: true)
    case .uuid: self = .uuid
    case .json, .jsonb: self = .json
    case .enumeration(let type): self = .enumeration(type)
    case .timetz, .interval, .bit, .varbit, .unknown, .void: self = .formatted
    case .array, .record: self = .formattedJSON
    }
  }

  /// Whether values of the type are written each by itself, so that arrays of them are lists.
  var isScalar: Bool {
    if case .formattedJSON = self { return false }
    return true
  }

  var stored: StoredType {
    switch self {
    case .boolean: .boolean
    case .smallint, .integer, .date: .int32
    case .bigint, .time, .timestamp: .int64
    case .real: .float
    case .double: .double
    case .decimal(let precision, _):
      precision <= 9 ? .int32 : precision <= 18 ? .int64 : .fixedLengthByteArray
    case .text, .json, .bytes, .enumeration, .formatted, .formattedJSON: .byteArray
    case .uuid: .fixedLengthByteArray
    }
  }

  var lane: Lane {
    switch stored {
    case .boolean: .bits
    case .int32, .float: .word32
    case .int64, .double: .word64
    case .fixedLengthByteArray: .wide
    case .byteArray, .int96: .views
    }
  }

  var annotation: Annotation {
    switch self {
    case .boolean, .integer, .bigint, .real, .double, .bytes: .none
    case .smallint: .integer(bitWidth: 16, isSigned: true)
    case .date: .date
    case .time: .time(.microseconds, isUTC: false)
    case .timestamp(let isUTC): .timestamp(.microseconds, isUTC: isUTC)
    case .decimal(let precision, let scale):
      .decimal(precision: Int32(precision), scale: Int32(scale))
    case .text, .formatted: .string
    case .json, .formattedJSON: .json
    case .enumeration: .string
    case .uuid: .uuid
    }
  }
}

extension CompactWriter {
  /// Writes what values mean: the converted type and, beside it, the logical one.
  mutating func annotation(_ annotation: Annotation) {
    if let converted = annotation.converted { int32(6, converted) }
    if case .decimal(let precision, let scale) = annotation {
      int32(7, scale)
      int32(8, precision)
    }
    guard let (id, body) = annotation.logical else { return }
    structure(10) { $0.structure(id, body) }
  }
}

extension Annotation {
  /// The number of the converted type.
  fileprivate var converted: Int32? {
    switch self {
    case .string: 0
    case .list: 3
    case .enumeration: 4
    case .decimal: 5
    case .date: 6
    case .time(let unit, _):
      unit == .milliseconds ? 7 : unit == .microseconds ? 8 : nil
    case .timestamp(let unit, _):
      unit == .milliseconds ? 9 : unit == .microseconds ? 10 : nil
    case .integer(let bitWidth, let isSigned):
      Int32((isSigned ? 15 : 11) + (bitWidth / 8).trailingZeroBitCount)
    case .json: 19
    case .bson: 20
    case .none, .uuid, .interval, .map, .float16, .null, .unknown: nil
    }
  }

  /// The field of the union of logical types, and what is in it.
  fileprivate var logical: (Int, (inout CompactWriter) -> Void)? {
    switch self {
    case .string: return (1, { _ in })
    case .list: return (3, { _ in })
    case .enumeration: return (4, { _ in })
    case .decimal(let precision, let scale):
      return (
        5,
        {
          $0.int32(1, scale)
          $0.int32(2, precision)
        }
      )
    case .date: return (6, { _ in })
    case .time(let unit, let isUTC), .timestamp(let unit, let isUTC):
      var id = 7
      if case .timestamp = self { id = 8 }
      return (
        id,
        {
          $0.bool(1, isUTC)
          $0.structure(2) { $0.structure(unit.rawValue) { _ in } }
        }
      )
    case .integer(let bitWidth, let isSigned):
      return (
        10,
        {
          $0.int8(1, Int8(bitWidth))
          $0.bool(2, isSigned)
        }
      )
    case .json: return (12, { _ in })
    case .bson: return (13, { _ in })
    case .uuid: return (14, { _ in })
    case .none, .interval, .map, .float16, .null, .unknown: return nil
    }
  }
}
