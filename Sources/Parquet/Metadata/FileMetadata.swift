import Columnar

/// What the footer of a file says, checked only so far as it can be without the data.
struct FileMetadata: Sendable {
  var schema: [SchemaElement] = []
  var rowGroups: [RowGroupMetadata] = []
  var createdBy: String?
  /// Whether the bounds in statistics are ordered as the format says.
  var hasColumnOrders = false
  var isEncrypted = false

  /// One element of the schema, which is the tree in preorder.
  struct SchemaElement: Sendable {
    var stored: StoredType?
    var typeLength: Int32 = 0
    var repetition = Repetition.required
    var name = ""
    var childCount: Int32 = 0
    var annotation = Annotation.none
  }

  /// A run of rows, of each column a chunk.
  struct RowGroupMetadata: Sendable {
    var rowCount: Int64 = 0
    var chunks: [ChunkMetadata] = []
  }

  /// Where the values of a column in a row group stand.
  struct ChunkMetadata: Sendable {
    var stored: StoredType?
    var compression = Compression.uncompressed
    var valueCount: Int64 = 0
    var compressedSize: Int64 = 0
    var dataOffset: Int64 = 0
    var dictionaryOffset: Int64?
    var statistics = StoredStatistics()
    var isEncrypted = false
    /// Whether the data stand in another file.
    var isElsewhere = false
  }

  /// Bounds as a file has them: ranges of bytes in the footer.
  struct StoredStatistics: Sendable {
    var minimum: Range<Int>?
    var maximum: Range<Int>?
    /// What older writers wrote, always in the order of signed numbers or bytes.
    var oldMinimum: Range<Int>?
    var oldMaximum: Range<Int>?
    /// Whether the bounds are values of the column, rather than some that are cut off.
    var isMinimumExact = false
    var isMaximumExact = false
    var nullCount: Int64?
  }

  /// Elements of a schema; a table has at most 1,600 columns.
  static let elementsMax = 1 << 16
  static let rowGroupsMax = 1 << 24
}

extension FileMetadata {
  /// Reads a footer.
  init(_ reader: inout CompactReader) throws(Damage) {
    var result = FileMetadata()
    try reader.structure { (reader, id, type) throws(Damage) in
      switch id {
      case 2 where type == .list:
        result.schema = try reader.list(atMost: Self.elementsMax) { (reader) throws(Damage) in
          try SchemaElement(&reader)
        }
      case 4 where type == .list:
        result.rowGroups = try reader.list(atMost: Self.rowGroupsMax) { (reader) throws(Damage) in
          try RowGroupMetadata(&reader)
        }
      case 6 where type == .binary: result.createdBy = try reader.text()
      case 7 where type == .list:
        result.hasColumnOrders = true
        return false
      case 8 where type == .structure:
        result.isEncrypted = true
        return false
      default: return false
      }
      return true
    }
    self = result
  }
}

extension FileMetadata.SchemaElement {
  fileprivate init(_ reader: inout CompactReader) throws(Damage) {
    var result = FileMetadata.SchemaElement()
    var converted: Int32?
    var precision: Int32 = 0
    var scale: Int32 = 0
    var logical: Annotation?
    try reader.structure { (reader, id, type) throws(Damage) in
      switch id {
      case 1 where type == .int32:
        let code = try reader.int32()
        guard let stored = StoredType(rawValue: code) else {
          throw Damage("a column has the unknown physical type \(code)")
        }
        result.stored = stored
      case 2 where type == .int32: result.typeLength = try reader.int32()
      case 3 where type == .int32:
        let code = try reader.int32()
        guard let repetition = Repetition(rawValue: code) else {
          throw Damage("a column has the unknown repetition \(code)")
        }
        result.repetition = repetition
      case 4 where type == .binary: result.name = try reader.text()
      case 5 where type == .int32: result.childCount = try reader.int32()
      case 6 where type == .int32: converted = try reader.int32()
      case 7 where type == .int32: scale = try reader.int32()
      case 8 where type == .int32: precision = try reader.int32()
      case 10 where type == .structure: logical = try Annotation(&reader)
      default: return false
      }
      return true
    }
    let old = converted.map { Annotation(converted: $0, precision: precision, scale: scale) }
    // A logical type that is not known here may have a converted type that is.
    if let logical, logical != .unknown {
      result.annotation = logical
    } else {
      result.annotation = old ?? logical ?? .none
    }
    self = result
  }
}

extension FileMetadata.RowGroupMetadata {
  fileprivate init(_ reader: inout CompactReader) throws(Damage) {
    var result = FileMetadata.RowGroupMetadata()
    try reader.structure { (reader, id, type) throws(Damage) in
      switch id {
      case 1 where type == .list:
        result.chunks = try reader.list(atMost: FileMetadata.elementsMax) {
          (reader) throws(Damage) in try FileMetadata.ChunkMetadata(&reader)
        }
      case 3 where type == .int64: result.rowCount = try reader.int64()
      default: return false
      }
      return true
    }
    self = result
  }
}

extension FileMetadata.ChunkMetadata {
  fileprivate init(_ reader: inout CompactReader) throws(Damage) {
    var result = FileMetadata.ChunkMetadata()
    try reader.structure { (reader, id, type) throws(Damage) in
      switch id {
      case 1 where type == .binary: result.isElsewhere = !(try reader.binary().isEmpty)
      case 3 where type == .structure: try result.readBody(&reader)
      case 8 where type == .structure:
        result.isEncrypted = true
        return false
      default: return false
      }
      return true
    }
    guard result.stored != nil || result.isEncrypted else {
      throw Damage("a column chunk has no metadata", at: reader.position)
    }
    self = result
  }

  private mutating func readBody(_ reader: inout CompactReader) throws(Damage) {
    var result = self
    // A bit for each field; a set would cost as much as all the rest, for each of thousands of chunks.
    let required: UInt16 = 1 << 4 | 1 << 5 | 1 << 7 | 1 << 9
    var missing = required
    try reader.structure { (reader, id, type) throws(Damage) in
      if 0..<16 ~= id { missing &= ~(1 << UInt16(id)) }
      switch id {
      case 1 where type == .int32:
        let code = try reader.int32()
        guard let stored = StoredType(rawValue: code) else {
          throw Damage("a column chunk has the unknown physical type \(code)")
        }
        result.stored = stored
      case 4 where type == .int32:
        let code = try reader.int32()
        guard let compression = Compression(rawValue: code) else {
          throw Damage(unsupported: "the compression with the number \(code)")
        }
        result.compression = compression
      case 5 where type == .int64: result.valueCount = try reader.int64()
      case 7 where type == .int64: result.compressedSize = try reader.int64()
      case 9 where type == .int64: result.dataOffset = try reader.int64()
      case 11 where type == .int64: result.dictionaryOffset = try reader.int64()
      case 12 where type == .structure:
        result.statistics = try FileMetadata.StoredStatistics(&reader)
      default: return false
      }
      return true
    }
    // Without them nothing could be read; and nobody may have millions of chunks made of a byte each.
    guard missing == 0, result.stored != nil else {
      throw Damage("the metadata of a column chunk is incomplete", at: reader.position)
    }
    self = result
  }
}

extension FileMetadata.StoredStatistics {
  fileprivate init(_ reader: inout CompactReader) throws(Damage) {
    var result = FileMetadata.StoredStatistics()
    try reader.structure { (reader, id, type) throws(Damage) in
      switch id {
      case 1 where type == .binary: result.oldMaximum = try reader.binary()
      case 2 where type == .binary: result.oldMinimum = try reader.binary()
      case 3 where type == .int64: result.nullCount = try reader.int64()
      case 5 where type == .binary: result.maximum = try reader.binary()
      case 6 where type == .binary: result.minimum = try reader.binary()
      case 7 where type == .yes || type == .no: result.isMaximumExact = type == .yes
      case 8 where type == .yes || type == .no: result.isMinimumExact = type == .yes
      default: return false
      }
      return true
    }
    self = result
  }
}
