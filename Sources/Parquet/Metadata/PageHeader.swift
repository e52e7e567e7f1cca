import Columnar

/// What stands in front of a page.
struct PageHeader {
  /// What a page holds.
  enum Kind: Int32 { case data, index, dictionary, dataV2 }

  var kind = Kind.data
  var unpackedSize = 0
  var packedSize = 0
  var checksum: UInt32?
  var valueCount = 0
  var encoding = Encoding.plain
  /// How the levels of a page of version 1 are encoded.
  var definitionEncoding = Encoding.rle
  var repetitionEncoding = Encoding.rle
  /// How many bytes the levels of a page of version 2 take.
  var definitionSize = 0
  var repetitionSize = 0
  /// Whether the values of a page of version 2 are packed.
  var isPacked = true

  /// The most bytes of a header: bounds of long texts stand in some.
  static let sizeMax = 1 << 24

  init(_ reader: inout CompactReader) throws(Damage) {
    var result = PageHeader()
    var hasBody = false
    try reader.structure { (reader, id, type) throws(Damage) in
      switch id {
      case 1 where type == .int32:
        let code = try reader.int32()
        guard let kind = Kind(rawValue: code) else {
          throw Damage("it is of the unknown kind \(code)")
        }
        result.kind = kind
      case 2 where type == .int32: result.unpackedSize = try Self.size(&reader)
      case 3 where type == .int32: result.packedSize = try Self.size(&reader)
      case 4 where type == .int32: result.checksum = UInt32(bitPattern: try reader.int32())
      // A dictionary's header begins as that of data, and has no levels.
      case 5 where type == .structure, 7 where type == .structure:
        hasBody = true
        try result.readData(&reader)
      case 8 where type == .structure:
        hasBody = true
        try result.readDataV2(&reader)
      default: return false
      }
      return true
    }
    guard hasBody || result.kind == .index else {
      throw Damage("a page's header is incomplete")
    }
    self = result
  }

  private init() {}

  private static func size(_ reader: inout CompactReader) throws(Damage) -> Int {
    let size = try reader.int32()
    guard size >= 0 else { throw Damage("a page has the size \(size)") }
    return Int(size)
  }

  private static func encoding(_ reader: inout CompactReader) throws(Damage) -> Encoding {
    let code = try reader.int32()
    guard let encoding = Encoding(rawValue: code) else {
      throw Damage(unsupported: "the encoding with the number \(code)")
    }
    return encoding
  }

  private mutating func readData(_ reader: inout CompactReader) throws(Damage) {
    var result = self
    try reader.structure { (reader, id, type) throws(Damage) in
      guard type == .int32 else { return false }
      switch id {
      case 1: result.valueCount = try Self.size(&reader)
      case 2: result.encoding = try Self.encoding(&reader)
      case 3: result.definitionEncoding = try Self.encoding(&reader)
      case 4: result.repetitionEncoding = try Self.encoding(&reader)
      default: return false
      }
      return true
    }
    self = result
  }

  private mutating func readDataV2(_ reader: inout CompactReader) throws(Damage) {
    var result = self
    try reader.structure { (reader, id, type) throws(Damage) in
      switch id {
      case 1 where type == .int32: result.valueCount = try Self.size(&reader)
      case 4 where type == .int32: result.encoding = try Self.encoding(&reader)
      case 5 where type == .int32: result.definitionSize = try Self.size(&reader)
      case 6 where type == .int32: result.repetitionSize = try Self.size(&reader)
      case 7:
        // Its value is its type.
        result.isPacked = type == .yes
        return false
      default: return false
      }
      return true
    }
    self = result
  }
}
