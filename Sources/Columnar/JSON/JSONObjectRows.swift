import Diagnostics

/// Writes `json_build_object` with constant keys for row after row, straight from the columns of the values.
struct JSONObjectRows {
  /// What stands in front of each value, one behind another, with room to read past the end by a word.
  private let marks: Buffer<UInt8>
  /// Where each of them starts; the last entry is the end.
  private let starts: [Int]
  private let shapes: [JSONShape]
  private let writer = JSONWriter(.json)
  /// Whether a value may have parts of its own.
  let isNested: Bool
  /// Whether every value is of a form that needs no more than the loop in hand.
  let isPlain: Bool

  /// - Parameters:
  ///   - keys: The keys.
  ///   - types: The types of the values.
  init(keys: [[UInt8]], types: [LogicalType]) {
    shapes = types.map { JSONShape($0) }
    var bytes = ByteBuilder()
    var starts: [Int] = []
    for (index, key) in keys.enumerated() {
      starts.append(bytes.count)
      bytes.append(index == 0 ? "{" : ", ")
      let plain = Buffer(key)
      withExtendedLifetime(plain) {
        JSONText.append(quoting: plain.bytes(0..<plain.count), to: &bytes)
      }
      bytes.append(" : ")
    }
    starts.append(bytes.count)
    bytes.reserve(8)
    marks = bytes.buffer
    self.starts = starts
    isNested = shapes.contains { $0.isNested }
    isPlain = shapes.allSatisfy { shape in
      switch shape.form {
      case .int16, .int32, .int64, .text: true
      case .boolean, .float, .double, .numeric, .date, .timestamp, .timestamptz, .plainText, .label,
        .bytes, .json, .jsonb, .array, .record:
        false
      }
    }
  }

  /// One column of a chunk: plain bytes, so that the loop over its rows counts no references.
  fileprivate struct Cell: BitwiseCopyable {
    let form: JSONShape.Form
    let values: PagePointer<UInt8>
    /// The words of the validity mask; none where no value is missing.
    let validity: PagePointer<UInt64>
    let markStart: Int
    let markEnd: Int

    @inline(__always)
    func isValid(_ row: Int) -> Bool {
      validity.isNone
        || validity[row &>> 6] &>> UInt64(truncatingIfNeeded: row & 63) & 1 != 0
    }
  }

  /// The columns of a chunk, ready to be written.
  struct Chunk {
    fileprivate let cells: Buffer<Cell>
    fileprivate let columns: [Vector]
  }

  /// Makes flat columns ready.
  func chunk(_ columns: [Vector]) -> Chunk {
    let cells = Buffer<Cell>(uninitialized: columns.count)
    for (index, column) in columns.enumerated() {
      cells[index] = Cell(
        form: shapes[index].form, values: PagePointer(column.storage.buffer(of: UInt8.self)),
        validity: column.validity.words.map { PagePointer($0) } ?? PagePointer<UInt64>.none,
        markStart: starts[index], markEnd: starts[index + 1])
    }
    return Chunk(cells: cells, columns: columns)
  }

  /// The most bytes that the object of a row takes, those past its end that may be written included.
  ///
  /// - Precondition: `isPlain`.
  @inline(__always)
  func bound(_ row: Int, _ chunk: Chunk) -> Int {
    var bytes = marks.count &+ 16
    for index in 0..<chunk.cells.count {
      let cell = chunk.cells[index]
      bytes &+=
        cell.form == .text && cell.isValid(row)
        ? 6 &* cell.values.bound(to: TextView.self)[row].count &+ 32 : 32
    }
    return bytes
  }

  /// Adds the object of a row, whatever its values are.
  ///
  /// - Throws: what writing a value throws.
  func append(_ row: Int, of chunk: Chunk, to target: inout ByteBuilder) throws(SQLError) {
    for (index, column) in chunk.columns.enumerated() {
      target.append(marks.bytes(starts[index]..<starts[index + 1]))
      try writer.append(row, of: column, shapes[index], to: &target)
    }
    target.append(UInt8(ascii: "}"))
  }

  /// Writes the object of a row where there is room for it, and gives its end.
  ///
  /// - Precondition: `isPlain`, and there is room for `bound`.
  @inline(__always)
  func write(
    _ row: Int, _ chunk: Chunk, to bytes: Buffer<UInt8>, at start: Int
  ) -> Int {
    var place = start
    let marks = PagePointer(self.marks)
    for index in 0..<chunk.cells.count {
      let cell = chunk.cells[index]
      var mark = cell.markStart
      while mark < cell.markEnd {
        bytes.store(word: marks.word(at: mark), at: place)
        place &+= 8
        mark &+= 8
      }
      place &-= mark &- cell.markEnd
      guard cell.isValid(row) else {
        bytes.store(word: Self.null, at: place)
        place &+= 4
        continue
      }
      switch cell.form {
      case .text: place = Self.write(cell.values.bound(to: TextView.self)[row], bytes, place)
      case .int16:
        place = Self.write(Int64(cell.values.bound(to: Int16.self)[row]), bytes, place)
      case .int32:
        place = Self.write(Int64(cell.values.bound(to: Int32.self)[row]), bytes, place)
      case .boolean, .int64, .float, .double, .numeric, .date, .timestamp, .timestamptz, .plainText,
        .label, .bytes, .json, .jsonb, .array, .record:
        place = Self.write(cell.values.bound(to: Int64.self)[row], bytes, place)
      }
    }
    bytes[place] = UInt8(ascii: "}")
    return place &+ 1
  }

  /// "null" as a word.
  private static let null: UInt64 = 0x6C6C_756E

  @inline(__always)
  private static func write(_ number: Int64, _ bytes: Buffer<UInt8>, _ start: Int) -> Int {
    var place = start
    if number < 0 {
      bytes[place] = UInt8(ascii: "-")
      place &+= 1
    }
    return place &+ bytes.write(digits: number.magnitude, at: place)
  }

  /// Writes a text between quotes.
  @inline(__always)
  private static func write(_ text: TextView, _ bytes: Buffer<UInt8>, _ start: Int) -> Int {
    let count = text.count
    bytes[start] = UInt8(ascii: "\"")
    guard text.isInline else { return writeLong(text, bytes, start) }
    let head = text.inlineHead
    let rest = text.inlineRest
    // Bytes behind the end are zeros, which would have to be escaped: they count as blanks.
    let gap = count < 8 ? blanks &<< UInt64(truncatingIfNeeded: 8 &* count) : 0
    let tailGap = count < 8 ? blanks : blanks &<< UInt64(truncatingIfNeeded: 8 &* (count &- 8))
    if special(head | gap) | special(rest | tailGap) != 0 {
      return writeEscaped(text, bytes, start)
    }
    bytes.store(word: head, at: start &+ 1)
    bytes.store(word: rest, at: start &+ 9)
    bytes[start &+ 1 &+ count] = UInt8(ascii: "\"")
    return start &+ count &+ 2
  }

  private static let blanks: UInt64 = 0x2020_2020_2020_2020

  /// Not zero if some byte of a word is a control character, a quote or a backslash.
  @inline(__always)
  private static func special(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* 0x22)
    let slashes = word ^ (ones &* 0x5C)
    let controls = (word &- ones &* 0x20) & ~word
    return (controls | ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes))
      & (ones &* 0x80)
  }

  private static func writeLong(_ text: TextView, _ bytes: Buffer<UInt8>, _ start: Int) -> Int {
    let count = text.count
    let source = text.longBytes
    var found: UInt64 = 0
    var index = 0
    while index &+ 8 <= count {
      found |= special(source.word(at: index))
      index &+= 8
    }
    found |= special(source.word(at: count &- 8))
    if found != 0 { return writeEscaped(text, bytes, start) }
    bytes.copy(source, to: start &+ 1)
    bytes[start &+ 1 &+ count] = UInt8(ascii: "\"")
    return start &+ count &+ 2
  }

  private static func writeEscaped(_ text: TextView, _ bytes: Buffer<UInt8>, _ start: Int) -> Int {
    let one = Buffer(repeating: text, count: 1)
    var quoted = ByteBuilder(capacity: 6 &* text.count &+ 2)
    withExtendedLifetime(one) { JSONText.append(quoting: one.bytes(at: 0), to: &quoted) }
    bytes.copy(quoted.bytes, to: start)
    return start &+ quoted.count
  }
}
