import Catalog
import Columnar
import Diagnostics
import Durability
import Storage

/// The keys of all rows of a table as one number each, read from the columns a page at a time.
///
/// For VERIFY: neither index nor kernel that enforces a constraint has a part in it. Equal keys have equal numbers;
/// rows with equal numbers are compared by `bytes` where that decides whether a constraint holds.
struct KeyDigests: Sendable {
  /// What stands at a position.
  enum Row: UInt8 {
    /// A row that was deleted.
    case deleted
    /// Some column of the key is NULL, but not all.
    case partlyNull
    case null
    case present
  }

  /// How a key becomes a number; of two keys that are compared both do so in the same way.
  enum Form {
    /// The key is one whole number.
    case whole
    /// The key is two whole numbers, each of at most 32 bits.
    case pair
    /// The number is a hash of the key.
    case hash
  }
  let digests: Buffer<UInt64>
  private let states: Buffer<UInt8>
  private let form: Form
  private let table: TableStore
  private let columns: [Int]

  /// Whether the number is the key, so that nothing needs to be compared.
  var isExact: Bool { form != .hash }

  /// The bytes of memory for each row.
  static let byteCountOfRow = 9

  /// Reads the columns of a key, in the key's order.
  ///
  /// - Complexity: O(*n*) in the values, on all cores.
  /// - Throws: 57014.
  init(
    _ table: TableStore, _ columns: [Int], _ form: Form, _ evaluation: EvaluationContext
  ) throws(SQLError) {
    self.table = table
    self.columns = columns
    self.form = form
    let digests = Buffer<UInt64>(uninitialized: table.rowCount)
    let states = Buffer<UInt8>(zeroed: table.rowCount)
    self.digests = digests
    self.states = states
    let pagesATask = 32
    for first in stride(from: 0, to: table.pageCount, by: 64 * pagesATask) {
      try evaluation.checkCancellation()
      let end = min(table.pageCount, first + 64 * pagesATask)
      parallelFor(tasks: (end - first + pagesATask - 1) / pagesATask) { task in
        let start = first + task * pagesATask
        let cells = Buffer<UInt64>(uninitialized: TableStore.pageCapacity)
        for page in start..<min(end, start + pagesATask) where !RunningStatement.isInterrupted {
          Self.read(table, page, columns, form, cells, digests, states)
        }
      }
    }
    try evaluation.checkCancellation()
  }

  private static func read(
    _ table: TableStore, _ page: Int, _ columns: [Int], _ form: Form, _ cells: Buffer<UInt64>,
    _ digests: Buffer<UInt64>, _ states: Buffer<UInt8>
  ) {
    let chunk = table.scan(page: page, columns: columns)
    let count = chunk.count
    let vectors = chunk.columns.map { $0.flattened() }
    switch form {
    case .whole: KeyCells.wholes(vectors[0], count) { row, value in cells[row] = value }
    case .pair:
      KeyCells.wholes(vectors[0], count) { row, value in cells[row] = value &<< 32 }
      KeyCells.wholes(vectors[1], count) { row, value in cells[row] |= value & 0xFFFF_FFFF }
    case .hash:
      for row in 0..<count { cells[row] = 0 }
      let values = Buffer<UInt64>(uninitialized: max(1, count))
      for (column, vector) in zip(columns, vectors) {
        KeyCells.fill(values, vector, table.types[column], count)
        KeyCells.add(values, vector, count, to: cells)
      }
    }
    let base = page * TableStore.pageCapacity
    let positions = table.liveRows(ofPage: page)?.positions
    let mayHaveNulls = vectors.contains { $0.mayHaveNulls }
    for row in 0..<count {
      let position = base &+ (positions.map { Int(truncatingIfNeeded: $0[row]) } ?? row)
      digests[position] = cells[row]
      states[position] = Row.present.rawValue
      guard mayHaveNulls else { continue }
      let nullCount = vectors.count { !$0.validity.isValid(row) }
      if nullCount > 0 {
        states[position] = (nullCount == columns.count ? Row.null : Row.partlyNull).rawValue
      }
    }
  }

  /// The number of positions.
  var count: Int { states.count }

  /// What stands at a position.
  @inline(__always)
  func row(_ position: Int) -> Row { Row(rawValue: states[position]) ?? .deleted }

  /// How keys of some columns become numbers.
  static func form(_ types: [LogicalType], _ columns: [Int]) -> Form {
    func width(_ type: LogicalType) -> Int? {
      switch type {
      case .smallint, .integer: 32
      case .bigint: 64
      case .boolean, .real, .double, .numeric, .text, .varchar, .character, .name, .bytea, .date,
        .time, .timetz, .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb,
        .oid, .array, .record, .enumeration, .unknown, .void:
        nil
      }
    }
    let widths = columns.map { width(types[$0]) }
    if widths.count == 1, widths[0] != nil { return .whole }
    return widths == [32, 32] ? .pair : .hash
  }

  /// Whether two keys can be compared by their bytes.
  static func areComparable(_ a: LogicalType, _ b: LogicalType) -> Bool {
    func kind(_ type: LogicalType) -> Int? {
      switch type {
      case .smallint, .integer, .bigint, .numeric: 1
      case .real, .double: 2
      case .text, .varchar, .character, .name: 3
      case .json, .jsonb, .array, .record: nil
      case .boolean, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
        .varbit, .uuid, .oid, .enumeration, .unknown, .void:
        4
      }
    }
    guard let first = kind(a), let second = kind(b) else { return false }
    return first == second && (first < 4 || a == b)
  }

  /// The canonical bytes of the key at a position.
  func bytes(at position: Int) -> [UInt8] {
    var key: [UInt8] = []
    for column in columns {
      KeyCells.append(
        table.value(at: UInt32(position), column: column), table.types[column], to: &key)
    }
    return key
  }

  /// The key at a position as a message shows it.
  func text(at position: Int, _ names: [String]) -> String {
    let values = columns.map { column in
      let value = Vector(table.types[column], [table.value(at: UInt32(position), column: column)])
      if !value.isValid(0) { return "null" }
      var text = ByteBuilder()
      TextFormatter().append(0, of: value, to: &text)
      return text.bytes.string
    }
    return "(\(names.joined(separator: ", ")))=(\(values.joined(separator: ", ")))"
  }
}
