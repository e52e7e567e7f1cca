import Catalog
import Columnar
import Diagnostics
import Parquet
import Storage

/// A table as an export writes it.
struct ExportedTable {
  let table: TableDefinition
  /// The name of its file or folder, without an ending.
  let fileName: String
  /// The types of its columns as they are written: of a numeric without a scale, with that of its values.
  let types: [ColumnType]
  let rowCount: Int
  /// The size of its files.
  var byteCount = 0
}

/// Writes the rows of tables as parquet files.
struct TableFiles {
  let version: DatabaseVersion
  /// Whether values of a type are written as texts.
  var isText: (LogicalType) -> Bool = { _ in false }
  /// Looks whether the statement is to end.
  let check: () throws(SQLError) -> Void

  /// A file has no more rows: those of a larger table are in several, in a folder of its name.
  static let rowsMax = 1 << 22

  /// What a table's file is called: names that no file can have are spelled with percent signs.
  static func fileName(of table: TableDefinition) -> String {
    let name =
      table.name.schema == "public"
      ? table.name.name : table.name.schema + "." + table.name.name
    var text = ""
    for byte in name.utf8 {
      let character = Character(UnicodeScalar(byte))
      let isPlain =
        byte < 0x80 && (character.isLetter || character.isNumber || "_-.".contains(character))
      let digits = String(byte, radix: 16, uppercase: true)
      text += isPlain ? String(character) : "%" + (digits.count < 2 ? "0" : "") + digits
    }
    return text.hasPrefix(".") || text.hasPrefix("_") ? "%" + text : text
  }

  /// Writes a table as `NAME.parquet`, a file or a folder of several.
  ///
  /// - Throws: 22003 and 22008 with table, column and row for values that parquet has not, and the disk's errors.
  func write(
    _ table: TableDefinition, to folder: NewFolder, under place: String
  ) throws(SQLError) -> ExportedTable {
    let name = Self.fileName(of: table)
    let store = version.tables[table.id]
    let types = try writtenTypes(of: table, store)
    let path = place + name + ".parquet"
    var exported = ExportedTable(
      table: table, fileName: name, types: types, rowCount: store?.liveRowCount ?? 0)
    let pages = store?.pageCount ?? 0
    do throws(SQLError) {
      if exported.rowCount <= Self.rowsMax {
        exported.byteCount = try write(
          exported, store, 0..<pages, to: try folder.makeFile(path))
        return exported
      }
      try folder.makeFolder(path)
      let step = max(1, pages * Self.rowsMax / exported.rowCount)
      for (part, start) in stride(from: 0, to: pages, by: step).enumerated() {
        let digits = String(part)
        let number = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
        let file = try folder.makeFile("\(path)/part-\(number).parquet")
        exported.byteCount += try write(
          exported, store, start..<min(pages, start + step), to: file)
      }
      return exported
    } catch {
      var error = error
      error.message = "table \"\(table.name.name)\": \(error.message)"
      throw error
    }
  }

  /// Writes some pages of a table to a file.
  ///
  /// - Returns: the size of the file.
  private func write(
    _ exported: ExportedTable, _ store: TableStore?, _ pages: Range<Int>, to file: FileSink
  ) throws(SQLError) -> Int {
    var byteCount = 0
    var options = ParquetWriter.Options()
    options.isSnappy = true
    let columns = zip(exported.table.columns, exported.types).map {
      ParquetWriter.Column($0.name, $1, isNullable: !$0.isNotNull)
    }
    let writer = try ParquetWriter(columns, options) { (bytes, count) throws(SQLError) in
      byteCount += count
      try file.write(bytes.bytes(0..<count).array)
    }
    if let store {
      let places = Array(exported.table.columns.indices)
      for page in pages {
        try check()
        let chunk = store.scan(page: page, columns: places)
        if chunk.count > 0 { try writer.append(try texts(chunk, exported.table)) }
      }
    }
    try writer.finish()
    try file.close()
    return byteCount
  }

  /// The rows with texts in the place of values that are to be.
  private func texts(_ chunk: DataChunk, _ table: TableDefinition) throws(SQLError) -> DataChunk {
    if !table.columns.contains(where: { isText($0.type) }) { return chunk }
    var vectors: [Vector] = []
    for (column, vector) in zip(table.columns, chunk.columns) {
      vectors.append(
        isText(column.type) ? try TextFormatter().texts(of: vector.normalized()) : vector)
    }
    return DataChunk(vectors, count: chunk.count)
  }

  /// The types of the columns, with a scale for each numeric: the greatest of its values where none was declared.
  ///
  /// So all files of a table have one type, and whoever reads them can be told which.
  private func writtenTypes(
    of table: TableDefinition, _ store: TableStore?
  ) throws(SQLError) -> [ColumnType] {
    var types = table.columns.map { isText($0.type) ? ColumnType(.text) : $0.columnType }
    let open = types.indices.filter { types[$0].type == .numeric && types[$0].modifier == .none }
    if open.isEmpty { return types }
    var scales = open.map { _ in Int32(0) }
    if let store {
      for page in 0..<store.pageCount {
        try check()
        let chunk = store.scan(page: page, columns: open)
        for (place, vector) in chunk.columns.enumerated() {
          for row in 0..<chunk.count {
            guard case .numeric(let number) = vector.value(at: row) else { continue }
            scales[place] = max(scales[place], Int32(number.scale))
          }
        }
      }
    }
    for (place, column) in open.enumerated() {
      types[column].modifier = .numeric(precision: 38, scale: scales[place])
    }
    return types
  }
}
