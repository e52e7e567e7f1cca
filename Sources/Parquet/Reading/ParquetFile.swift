package import Columnar
package import Diagnostics

/// A parquet file: its columns as those of a table, and what reads them.
///
/// ```
/// let file = try ParquetFile(path: "people.parquet")
/// for group in 0..<file.rowGroups.count {
///   let reader = try file.reader(ofColumn: 0, inRowGroup: group)   // one a task
///   while reader.rowsLeft > 0 {
///     let values = try reader.read(min(reader.rowsLeft, 2048))
///   }
/// }
/// ```
///
/// A file is a value that any number of threads may use; each reader belongs to one at a time.
///
/// Source: github.com/apache/parquet-format.
package struct ParquetFile: Sendable {
  /// What the file is called in messages.
  package var name: String { bytes.name }
  /// The rows of all row groups.
  package let rowCount: Int
  package let columns: [ParquetColumn]
  package let rowGroups: [ParquetRowGroup]
  /// The program that has written the file, as it says.
  package var createdBy: String? { metadata.createdBy }

  let bytes: FileBytes
  let metadata: FileMetadata
  /// The leaves of all columns, in the order of column chunks.
  let leaves: [SchemaNode]
  /// The footer, to which statistics refer.
  let footer: Buffer<UInt8>
  /// Where column chunks end at the latest.
  let dataEnd: Int

  /// Opens a file and reads what it says of itself.
  ///
  /// - Throws: 58P01, 42809 and 58030 with the system's reason, 22P04 for what is no parquet file, 0A000 for one that is encrypted.
  package init(path: String) throws(SQLError) { try self.init(FileBytes(path: path)) }

  /// A file that is in memory.
  ///
  /// - Throws: as `init(path:)`.
  package init(_ bytes: Buffer<UInt8>, count: Int, name: String) throws(SQLError) {
    try self.init(FileBytes(bytes, count: count, name: name))
  }

  /// Whether data that begins with these bytes is a parquet file.
  package static func isParquet(_ head: [UInt8]) -> Bool {
    head.starts(with: Array("PAR1".utf8)) || head.starts(with: Array("PARE".utf8))
  }

  init(_ bytes: FileBytes) throws(SQLError) {
    self.bytes = bytes
    var place = Place(file: bytes.name)
    let range = try Self.footerRange(bytes, place)
    place.start = range.lowerBound
    // What the footer says takes several times the memory of its bytes.
    try RunningStatement.reserve(range.count * 16)
    footer = try bytes.bytes(range)
    dataEnd = range.lowerBound
    do throws(Damage) {
      var reader = CompactReader(footer, 0..<range.count)
      metadata = try FileMetadata(&reader)
      if metadata.isEncrypted {
        throw Damage(unsupported: "encryption", hint: "Write the file without it.")
      }
      let nodes = try SchemaBuilder.columns(metadata.schema)
      var leaves: [SchemaNode] = []
      for node in nodes { node.forEachLeaf { leaves.append($0) } }
      self.leaves = leaves
      var columns: [ParquetColumn] = []
      for node in nodes { columns.append(try ParquetColumn(node)) }
      self.columns = columns
      rowGroups = try Self.rowGroups(metadata, leafCount: leaves.count)
    } catch { throw place.error(error) }
    rowCount = rowGroups.reduce(0) { $0 + $1.rowCount }
  }

  /// Where the footer stands.
  private static func footerRange(
    _ bytes: FileBytes, _ place: Place
  ) throws(SQLError) -> Range<Int> {
    func refused(_ reason: String) -> SQLError {
      SQLError(
        .badCopyFileFormat, "\"\(bytes.name)\" is not a parquet file: \(reason)",
        hint: "It may have been cut off while it was written or copied.")
    }
    guard bytes.count >= 12 else { throw refused("it has only \(bytes.count) bytes") }
    let tail = try bytes.bytes((bytes.count - 8)..<bytes.count)
    let mark = tail.bytes(4..<8).string
    if mark == "PARE" {
      throw place.error(Damage(unsupported: "encryption", hint: "Write the file without it."))
    }
    guard mark == "PAR1" else { throw refused("it does not end in PAR1") }
    guard try bytes.bytes(0..<4).bytes(0..<4).string == "PAR1" else {
      throw refused("it does not begin with PAR1")
    }
    let length = Int(PagePointer(tail).word(at: 0) & 0xFFFF_FFFF)
    guard length <= bytes.count - 12 else {
      throw refused("its footer of \(length) bytes does not fit its \(bytes.count) bytes")
    }
    return (bytes.count - 8 - length)..<(bytes.count - 8)
  }

  private static func rowGroups(
    _ metadata: FileMetadata, leafCount: Int
  ) throws(Damage) -> [ParquetRowGroup] {
    var groups: [ParquetRowGroup] = []
    var total: Int64 = 0
    for (index, group) in metadata.rowGroups.enumerated() {
      guard group.chunks.count == leafCount else {
        throw Damage(
          "row group \(index) has \(group.chunks.count) column chunks for \(leafCount) columns")
      }
      let (sum, overflow) = total.addingReportingOverflow(group.rowCount)
      guard group.rowCount >= 0, !overflow else {
        throw Damage("row group \(index) has \(group.rowCount) rows")
      }
      total = sum
      groups.append(
        ParquetRowGroup(
          rowCount: Int(group.rowCount),
          packedByteCount: group.chunks.reduce(0) { $0 &+ max(0, Int($1.compressedSize)) }))
    }
    // The number of rows that a file says in all is wrong in some, and of no use.
    return groups
  }

  /// What reads a column of a row group from its first row on.
  ///
  /// - Throws: 22P04 and 0A000 where the column chunk cannot be read.
  package func reader(
    ofColumn column: Int, inRowGroup group: Int
  ) throws(SQLError) -> ParquetColumnReader {
    precondition(
      columns.indices.contains(column) && rowGroups.indices.contains(group),
      "the column and the row group must be the file's")
    return try ParquetColumnReader(self, column, group)
  }
}

/// A run of a file's rows.
package struct ParquetRowGroup: Sendable {
  package let rowCount: Int
  /// The bytes of its columns in the file, as it says: for progress and for planning, not to be trusted.
  package let packedByteCount: Int
}

/// A column of a file, as that of a table.
package struct ParquetColumn: Sendable {
  package let name: String
  package let type: ColumnType
  package let isNullable: Bool

  /// How the column's rows are made of its leaves.
  enum Shape: Sendable {
    /// One leaf, a value or NULL for each row.
    case flat(ValueForm)
    /// One leaf, an array for each row.
    case list(ListLevels, ValueForm)
    /// The text of a JSON value for each row.
    case json([ValueForm])
  }
  let shape: Shape
  let node: SchemaNode

  /// Whether each row has one value or none, so that rows can be passed over.
  package var isFlat: Bool {
    if case .flat = shape { return true }
    return false
  }

  init(_ node: SchemaNode) throws(Damage) {
    self.node = node
    name = node.name
    isNullable = node.repetition == .optional
    if node.stored != nil, node.repetition != .repeated {
      let form = try ValueForm(node)
      type = form.columnType
      shape = .flat(form)
    } else if let (leaf, levels) = Self.plainList(node) {
      let form = try ValueForm(leaf)
      type = ColumnType(.array(form.columnType.type), form.columnType.modifier)
      shape = .list(levels, form)
    } else {
      type = ColumnType(.json)
      var leaves: [SchemaNode] = []
      node.forEachLeaf { leaves.append($0) }
      var forms: [ValueForm] = []
      for leaf in leaves { forms.append(try ValueForm(leaf)) }
      shape = .json(forms)
    }
  }

  /// The leaf of a list of scalars, and what its levels mean.
  private static func plainList(_ node: SchemaNode) -> (SchemaNode, ListLevels)? {
    if node.stored != nil {
      // A field that repeats without a list around it is never NULL.
      return (node, ListLevels(list: node.definitionLevel - 1, element: node.definitionLevel))
    }
    guard node.repetition != .repeated, let element = node.listElement, element.stored != nil,
      element.repetitionLevel == 1
    else {
      return nil
    }
    let middle = node.children[0]
    return (element, ListLevels(list: node.definitionLevel, element: middle.definitionLevel))
  }
}

/// From which definition levels on the parts of a list are there.
struct ListLevels: Sendable {
  /// The list itself, however empty.
  let list: Int
  /// An element, be it NULL.
  let element: Int
}
