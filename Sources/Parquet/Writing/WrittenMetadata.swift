import Columnar

/// A column as it is written.
struct WrittenColumn {
  let name: String
  /// The form of the values, those of the elements for a list.
  let form: WrittenForm
  let isNullable: Bool
  let levels: LevelWriter.Kind

  init(name: String, type: ColumnType, isNullable: Bool) {
    self.name = name
    self.isNullable = isNullable
    if case .array(let element) = type.type {
      let form = WrittenForm(ColumnType(element, type.modifier))
      if form.isScalar {
        self.form = form
        levels = .list(isOptional: isNullable)
        return
      }
    }
    form = WrittenForm(type)
    levels = isNullable ? .optional : .required
  }

  /// The way from the root to the leaf.
  var path: [String] {
    if case .list = levels { return [name, "list", "element"] }
    return [name]
  }
}

/// A column chunk that was written.
struct WrittenChunk {
  let column: WrittenColumn
  let offset: Int
  /// The bytes of the dictionary page, which is the first; 0 where there is none.
  var dictionarySize = 0
  var encodings: [Encoding] = []
  var compression = Compression.uncompressed
  var valueCount = 0
  var nullCount = 0
  var packedByteCount = 0
  var unpackedByteCount = 0
  var bounds: (least: [UInt8], greatest: [UInt8])?

  init(column: WrittenColumn, offset: Int) {
    self.column = column
    self.offset = offset
  }
}

/// A row group that was written.
struct WrittenRowGroup {
  let rowCount: Int
  let chunks: [WrittenChunk]
}

extension CompactWriter {
  /// Writes the footer of a file.
  mutating func footer(_ columns: [WrittenColumn], _ groups: [WrittenRowGroup], rowCount: Int) {
    var elements: [(inout CompactWriter) -> Void] = [
      { writer in
        writer.text(4, "schema")
        writer.int32(5, columns.count)
      }
    ]
    for column in columns { elements += Self.elements(of: column) }
    structure { writer in
      // Version 2 of the format has the types of numbers that are narrower than 32 bits.
      writer.int32(1, 2)
      writer.list(2, elements) { $1(&$0) }
      writer.int64(3, rowCount)
      writer.list(4, groups) { $0.rowGroup($1) }
      writer.text(6, "Junction")
      // Bounds are in the order that the format defines.
      writer.list(7, columns) { writer, _ in writer.structure(1) { _ in } }
    }
  }

  private static func elements(of column: WrittenColumn) -> [(inout CompactWriter) -> Void] {
    guard case .list(let isOptional) = column.levels else {
      let repetition = column.isNullable ? Repetition.optional : .required
      return [{ $0.leaf(column.name, column.form, repetition) }]
    }
    return [
      { writer in
        writer.int32(3, (isOptional ? Repetition.optional : .required).rawValue)
        writer.text(4, column.name)
        writer.int32(5, 1)
        writer.annotation(.list)
      },
      { writer in
        writer.int32(3, Repetition.repeated.rawValue)
        writer.text(4, "list")
        writer.int32(5, 1)
      },
      { $0.leaf("element", column.form, .optional) },
    ]
  }

  private mutating func leaf(_ name: String, _ form: WrittenForm, _ repetition: Repetition) {
    int32(1, form.stored.rawValue)
    if form.stored == .fixedLengthByteArray { int32(2, 16) }
    int32(3, repetition.rawValue)
    text(4, name)
    annotation(form.annotation)
  }

  private mutating func rowGroup(_ group: WrittenRowGroup) {
    list(1, group.chunks) { writer, chunk in
      writer.int64(2, 0)
      writer.structure(3) { $0.chunk(chunk) }
    }
    int64(2, group.chunks.reduce(0) { $0 + $1.unpackedByteCount })
    int64(3, group.rowCount)
    if let first = group.chunks.first { int64(5, first.offset) }
    int64(6, group.chunks.reduce(0) { $0 + $1.packedByteCount })
  }

  private mutating func chunk(_ chunk: WrittenChunk) {
    int32(1, chunk.column.form.stored.rawValue)
    numbers(2, chunk.encodings.map(\.rawValue))
    texts(3, chunk.column.path)
    int32(4, chunk.compression.rawValue)
    int64(5, chunk.valueCount)
    int64(6, chunk.unpackedByteCount)
    int64(7, chunk.packedByteCount)
    int64(9, chunk.offset + chunk.dictionarySize)
    if chunk.dictionarySize > 0 { int64(11, chunk.offset) }
    structure(12) { writer in
      writer.int64(3, chunk.nullCount)
      guard let bounds = chunk.bounds else { return }
      writer.binary(5, bounds.greatest)
      writer.binary(6, bounds.least)
      writer.bool(7, true)
      writer.bool(8, true)
    }
  }
}
