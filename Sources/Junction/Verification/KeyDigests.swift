import Catalog
import Columnar
import Diagnostics
import Durability
import Storage

/// The keys of all rows of a table as one number each, read from the columns.
///
/// For VERIFY: neither index nor kernel that enforces a constraint has a part in it. Equal keys have equal numbers;
/// rows with equal numbers are compared by `bytes`.
struct KeyDigests {
  /// What stands at a position.
  enum Row: UInt8 {
    /// A row that was deleted.
    case deleted
    /// Some column of the key is NULL, but not all.
    case partlyNull
    case null
    case present
  }
  private(set) var digests: [UInt64]
  private(set) var rows: [Row]
  /// Whether the number is the key, so that nothing needs to be compared.
  let isExact: Bool
  private let table: TableStore
  private let columns: [Int]

  /// Reads the columns of a key, in the key's order.
  ///
  /// `isExact` says whether the key is one whole number; of two keys that are compared both are, or neither.
  ///
  /// - Throws: 57014.
  init(
    _ table: TableStore, _ columns: [Int], isExact: Bool, _ evaluation: EvaluationContext
  ) throws(SQLError) {
    self.table = table
    self.columns = columns
    self.isExact = isExact
    digests = [UInt64](repeating: 0, count: table.rowCount)
    rows = [Row](repeating: .deleted, count: table.rowCount)
    var key: [UInt8] = []
    for page in 0..<table.pageCount {
      try evaluation.checkCancellation()
      let positions = table.positions(ofPage: page)
      let chunk = table.scan(page: page, columns: columns)
      let vectors = chunk.columns.map { $0.normalized() }
      for row in 0..<chunk.count {
        let position = Int(positions.positions[row])
        let nullCount = vectors.count { !$0.isValid(row) }
        rows[position] =
          nullCount == 0 ? .present : nullCount == columns.count ? .null : .partlyNull
        if isExact {
          if nullCount == 0 { digests[position] = Self.number(vectors[0], row) }
          continue
        }
        key.removeAll(keepingCapacity: true)
        for (column, vector) in vectors.enumerated() {
          Self.append(vector.value(at: row), table.types[columns[column]], to: &key)
        }
        digests[position] = XXH64.hash(key.span)
      }
    }
  }

  /// Whether a key of one column is a whole number.
  static func isWhole(_ types: [LogicalType], _ columns: [Int]) -> Bool {
    guard columns.count == 1 else { return false }
    switch types[columns[0]] {
    case .smallint, .integer, .bigint: return true
    default: return false
    }
  }

  /// Whether two keys can be compared by their bytes.
  static func areComparable(_ a: LogicalType, _ b: LogicalType) -> Bool {
    func kind(_ type: LogicalType) -> Int? {
      switch type {
      case .smallint, .integer, .bigint, .numeric: 1
      case .real, .double: 2
      case .text, .varchar, .character, .name: 3
      case .json, .jsonb, .array, .record: nil
      default: 4
      }
    }
    guard let first = kind(a), let second = kind(b) else { return false }
    return first == second && (first < 4 || a == b)
  }

  /// The canonical bytes of the key at a position.
  func bytes(at position: Int) -> [UInt8] {
    var key: [UInt8] = []
    for column in columns {
      Self.append(
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

  // MARK: Bytes

  private static func number(_ vector: Vector, _ row: Int) -> UInt64 {
    let place = vector.position(row)
    switch vector.type.physical {
    case .int16: return UInt64(bitPattern: Int64(vector.values(Int16.self)[place]))
    case .int32: return UInt64(bitPattern: Int64(vector.values(Int32.self)[place]))
    default: return UInt64(bitPattern: vector.values(Int64.self)[place])
    }
  }

  /// Appends a value such that equal values, also of other types that can be compared, have equal bytes.
  private static func append(_ value: Value, _ type: LogicalType, to key: inout [UInt8]) {
    switch value {
    case .null: key.append(0)
    case .boolean(let value): append(whole: value ? 1 : 0, to: &key)
    case .int16(let value): append(whole: Int64(value), to: &key)
    case .int32(let value): append(whole: Int64(value), to: &key)
    case .int64(let value): append(whole: value, to: &key)
    case .float(let value): append(double: Double(value), to: &key)
    case .double(let value): append(double: value, to: &key)
    case .numeric(let value): append(value, to: &key)
    case .interval(let value):
      let days = Int128(value.months) * 30 + Int128(value.days)
      append(wide: days * 86_400_000_000 + Int128(value.microseconds), tag: 5, to: &key)
    case .uuid(let value):
      key.append(6)
      key.append(word: value.high)
      key.append(word: value.low)
    case .text(let bytes):
      // Blanks at the end of a `character` do not count.
      let end =
        type == .character ? (bytes.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? 0) : bytes.count
      key.append(7)
      key.append(word: UInt64(end))
      key += bytes[..<end]
    case .list(let elements), .record(let elements):
      key.append(8)
      key.append(word: UInt64(elements.count))
      for element in elements { append(element, .text, to: &key) }
    }
  }

  private static func append(whole: Int64, to key: inout [UInt8]) {
    key.append(1)
    key.append(word: UInt64(bitPattern: whole))
  }

  private static func append(double: Double, to key: inout [UInt8]) {
    key.append(2)
    let value = double == 0 ? 0 : double.isNaN ? .nan : double
    key.append(word: value.bitPattern)
  }

  private static func append(wide: Int128, tag: UInt8, to key: inout [UInt8]) {
    key.append(tag)
    key.append(word: UInt64(truncatingIfNeeded: wide))
    key.append(word: UInt64(truncatingIfNeeded: wide >> 64))
  }

  private static func append(_ value: Numeric, to key: inout [UInt8]) {
    guard value.kind == .finite else {
      key.append(4)
      key.append(value.kind.rawValue)
      return
    }
    var coefficient = value.coefficient
    var scale = value.scale
    while scale > 0, coefficient % 10 == 0 {
      coefficient /= 10
      scale -= 1
    }
    if scale == 0, let whole = Int64(exactly: coefficient) {
      append(whole: whole, to: &key)
    } else {
      append(wide: coefficient, tag: 3, to: &key)
      key.append(UInt8(truncatingIfNeeded: scale))
    }
  }
}
