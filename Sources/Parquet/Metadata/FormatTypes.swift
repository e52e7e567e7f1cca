/// How values are stored in a file: the format's physical types.
enum StoredType: Int32, Sendable {
  case boolean, int32, int64, int96, float, double, byteArray, fixedLengthByteArray

  /// The format's name for it.
  var name: String {
    switch self {
    case .boolean: "BOOLEAN"
    case .int32: "INT32"
    case .int64: "INT64"
    case .int96: "INT96"
    case .float: "FLOAT"
    case .double: "DOUBLE"
    case .byteArray: "BYTE_ARRAY"
    case .fixedLengthByteArray: "FIXED_LEN_BYTE_ARRAY"
    }
  }
}

/// How values, levels and dictionary indexes are turned into bytes.
enum Encoding: Int32, Sendable {
  case plain = 0
  /// As `rleDictionary` in data pages, as `plain` in dictionary pages.
  case plainDictionary = 2
  case rle = 3
  case bitPacked = 4
  case deltaBinaryPacked = 5
  case deltaLengthByteArray = 6
  case deltaByteArray = 7
  case rleDictionary = 8
  case byteStreamSplit = 9

  /// The format's name for it.
  var name: String {
    switch self {
    case .plain: "PLAIN"
    case .plainDictionary: "PLAIN_DICTIONARY"
    case .rle: "RLE"
    case .bitPacked: "BIT_PACKED"
    case .deltaBinaryPacked: "DELTA_BINARY_PACKED"
    case .deltaLengthByteArray: "DELTA_LENGTH_BYTE_ARRAY"
    case .deltaByteArray: "DELTA_BYTE_ARRAY"
    case .rleDictionary: "RLE_DICTIONARY"
    case .byteStreamSplit: "BYTE_STREAM_SPLIT"
    }
  }
}

/// What has packed the pages of a column chunk.
enum Compression: Int32, Sendable {
  case uncompressed, snappy, gzip, lzo, brotli, lz4, zstandard, lz4Raw

  /// The format's name for it.
  var name: String {
    switch self {
    case .uncompressed: "UNCOMPRESSED"
    case .snappy: "SNAPPY"
    case .gzip: "GZIP"
    case .lzo: "LZO"
    case .brotli: "BROTLI"
    case .lz4: "LZ4"
    case .zstandard: "ZSTD"
    case .lz4Raw: "LZ4_RAW"
    }
  }
}

/// How often a field stands in its parent.
enum Repetition: Int32, Sendable { case required, optional, repeated }

/// The unit of times and timestamps.
enum TimeUnit: Int, Sendable { case milliseconds = 1, microseconds, nanoseconds }

/// What the values of a field mean: the format's logical types, with the converted types of older writers.
enum Annotation: Hashable, Sendable {
  case none
  case string, enumeration, json, bson, uuid, interval, date
  case map, list
  case decimal(precision: Int32, scale: Int32)
  case time(TimeUnit, isUTC: Bool)
  case timestamp(TimeUnit, isUTC: Bool)
  case integer(bitWidth: Int, isSigned: Bool)
  case float16
  /// A column in which everything is NULL.
  case null
  /// One that is newer than this reader; its values are read as they are stored.
  case unknown
}

extension Annotation {
  /// What a converted type means; `precision` and `scale` stand beside it.
  init(converted: Int32, precision: Int32, scale: Int32) {
    switch converted {
    case 0: self = .string
    case 1, 2: self = .map
    case 3: self = .list
    case 4: self = .enumeration
    case 5: self = .decimal(precision: precision, scale: scale)
    case 6: self = .date
    case 7: self = .time(.milliseconds, isUTC: true)
    case 8: self = .time(.microseconds, isUTC: true)
    case 9: self = .timestamp(.milliseconds, isUTC: true)
    case 10: self = .timestamp(.microseconds, isUTC: true)
    case 11...14: self = .integer(bitWidth: 8 << Int(converted - 11), isSigned: false)
    case 15...18: self = .integer(bitWidth: 8 << Int(converted - 15), isSigned: true)
    case 19: self = .json
    case 20: self = .bson
    case 21: self = .interval
    default: self = .unknown
    }
  }

  /// Reads the union of logical types.
  init(_ reader: inout CompactReader) throws(Damage) {
    var found = Annotation.unknown
    try reader.structure { (reader, id, type) throws(Damage) in
      guard type == .structure else { return false }
      switch id {
      case 1: found = .string
      case 2: found = .map
      case 3: found = .list
      case 4: found = .enumeration
      case 5:
        let parts = try Self.numbers(&reader)
        found = .decimal(precision: parts[1], scale: parts[0])
        return true
      case 6: found = .date
      case 7, 8:
        let (unit, isUTC) = try Self.timeParts(&reader)
        found = id == 7 ? .time(unit, isUTC: isUTC) : .timestamp(unit, isUTC: isUTC)
        return true
      case 10:
        let (bitWidth, isSigned) = try Self.integerParts(&reader)
        found = .integer(bitWidth: bitWidth, isSigned: isSigned)
        return true
      case 11: found = .null
      case 12: found = .json
      case 13: found = .bson
      case 14: found = .uuid
      case 15: found = .float16
      default: break
      }
      return false
    }
    self = found
  }

  /// The fields 1 and 2 of a structure, both numbers.
  private static func numbers(_ reader: inout CompactReader) throws(Damage) -> [Int32] {
    var parts: [Int32] = [0, 0]
    try reader.structure { (reader, id, type) throws(Damage) in
      guard type == .int32, id == 1 || id == 2 else { return false }
      parts[id - 1] = try reader.int32()
      return true
    }
    return parts
  }

  private static func timeParts(
    _ reader: inout CompactReader
  ) throws(Damage) -> (TimeUnit, Bool) {
    var unit = TimeUnit.microseconds
    var isUTC = false
    try reader.structure { (reader, id, type) throws(Damage) in
      switch id {
      case 1: isUTC = type == .yes
      case 2 where type == .structure:
        try reader.structure { (_, id, _) throws(Damage) in
          guard let known = TimeUnit(rawValue: id) else {
            throw Damage("a time has an unknown unit")
          }
          unit = known
          return false
        }
        return true
      default: break
      }
      return false
    }
    return (unit, isUTC)
  }

  private static func integerParts(
    _ reader: inout CompactReader
  ) throws(Damage) -> (Int, Bool) {
    var bitWidth = 0
    var isSigned = true
    try reader.structure { (reader, id, type) throws(Damage) in
      switch id {
      case 1 where type == .byte:
        bitWidth = Int(try reader.byte())
        return true
      case 2: isSigned = type == .yes
      default: break
      }
      return false
    }
    return (bitWidth, isSigned)
  }
}
