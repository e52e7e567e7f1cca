import Columnar
import Diagnostics

/// Goes over the chunks of a result, whose columns are made ready to be read.
private struct ChunkCursor {
  private let chunks: [DataChunk]
  private let formatter: TextFormatter
  private var next = 0
  /// The number of the first row of the chunk at hand, and of the first one behind it.
  private(set) var start = 0
  private(set) var end = 0

  init(_ result: borrowing ResultSet) {
    chunks = result.chunks
    formatter = result.formatter
  }

  /// Goes on to the chunk of a row that is not before the one at hand.
  mutating func columns(of row: Int) -> [CellColumn] {
    while row >= end && next < chunks.count {
      start = end
      end += chunks[next].count
      next += 1
    }
    let columns = chunks[next - 1].columns
    return columns.indices.map { CellColumn(columns, $0, formatter) }
  }
}

/// Makes values that read the columns of a row in their order.
struct OrderedRowMaker<Element: RowDecodable>: ElementMaker, ~Copyable {
  private var cursor: ChunkCursor
  private var reader: RowReader

  init(_ result: borrowing ResultSet) {
    cursor = ChunkCursor(result)
    reader = RowReader(result.columns)
  }

  mutating func make(_ row: Int) throws(SQLError) -> Element {
    if row >= cursor.end { reader.open(cursor.columns(of: row)) }
    reader.begin(row - cursor.start)
    do throws(SQLError) { return try Element(row: &reader) } catch {
      throw error.inside("[\(row)]")
    }
  }

  func finish() {}
}

/// The rows of a result whose columns are found by their names.
struct NamedRows {
  let result: ResultSet
  let known: KnownFields
  /// The order in which properties are asked for, if an earlier result has said it.
  let order: FieldOrder?
}

/// Makes values whose properties are found by the names of columns.
struct NamedRowMaker<Element: Decodable>: ElementMaker {
  private var cursor: ChunkCursor
  private let fields: NamedFields
  private let decoder: FieldsDecoder
  /// What keeps the order of properties, unless it was known.
  private let unknown: KnownFields?

  init(_ rows: borrowing NamedRows) {
    cursor = ChunkCursor(rows.result)
    fields = NamedFields(rows.result.columns, in: rows.order)
    decoder = FieldsDecoder(fields)
    unknown = rows.order == nil ? rows.known : nil
  }

  mutating func make(_ row: Int) throws(SQLError) -> Element {
    if row >= cursor.end { fields.replace(cursor.columns(of: row)) }
    do {
      return try decoder.decode(Element.self, row: row - cursor.start)
    } catch {
      throw SQLError(decoding: error).inside("[\(row)]")
    }
  }

  func finish() { unknown?.keep(fields.order) }
}

extension ResultSet {
  /// How many rows a thread takes at a time where threads share them, of which there are several as one may begin late.
  func partSize(_ rowCount: Int) -> Int {
    // Fewer take no longer than to wake a thread.
    let leastSize = 2048
    if rowCount < 2 * leastSize { return rowCount }
    let workers = Swift.min(workerLimit, parallelWidth)
    return workers == 1 ? rowCount : Swift.max(leastSize, rowCount / (workers * 4))
  }
}
