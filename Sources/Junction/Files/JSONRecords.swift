import Columnar
import DelimitedText
import Diagnostics

/// The objects of files of JSON, where they stand: one array of them, or one behind another, each on a line or not.
///
/// Nothing is copied: a value is a stretch of its file's bytes until its column is made. A value that is no object is
/// one of a column `value`. Where one object wraps all records (`JSONWrapping`), they are taken out of it, which is remarked.
struct JSONRecords {
  /// Where a value stands; `count` is 0 for NULL and for what is not there.
  struct Cell: BitwiseCopyable {
    var start = 0
    var count: Int32 = 0
    var file: Int32 = 0
  }
  /// The values of one key, in the order of the records.
  struct Column {
    let name: String
    var cells: [Cell] = []
    var kinds: Set<JSONKind> = []
  }
  private var files: [Buffer<UInt8>] = []
  /// The number of the file that is being read.
  private var file: Int32 = -1
  var columns: [Column] = []
  /// What there is to say of how the records stand in their files.
  var remarks: [String] = []
  private(set) var count = 0
  /// The file that is being read.
  private var bytes = Buffer<UInt8>(uninitialized: 0)
  private var byteCount = 0
  private var name = ""
  private let isWanted: (String) -> Bool
  /// The column of each key that was met; nil for one that is not wanted.
  private var places: [[UInt8]: Int?] = [:]
  /// All names, wanted or not, as they were met.
  private(set) var names: [String] = []
  /// The keys of the last record: the next one has mostly the same, in the same order.
  private var lastKeys: [(start: Int, count: Int, place: Int?)] = []

  /// Room for where the members of a record stand.
  private var room: [(key: Range<Int>, value: Range<Int>)] = []

  private static let valueKey = Array("\"value\"".utf8)

  /// Records of which only some keys are wanted.
  init(isWanted: @escaping (String) -> Bool) { self.isWanted = isWanted }

  /// Records that are parts of the values of others.
  init(within others: JSONRecords) {
    self.init { _ in true }
    files = others.files
    name = others.name
  }

  /// Adds a record that is a part of a value: `range` of its text.
  mutating func add(partOf cell: Cell, _ range: Range<Int>) throws(SQLError) {
    if cell.file != file {
      file = cell.file
      (bytes, byteCount) = (files[Int(file)], cell.start + Int(cell.count))
      lastKeys = []
    }
    byteCount = max(byteCount, cell.start + Int(cell.count))
    let text = bytes.bytes(0..<byteCount)
    try add(text, (cell.start + range.lowerBound)..<(cell.start + range.upperBound))
  }

  /// Puts a column of whole numbers before all others.
  mutating func insertNumbers(_ numbers: [Int], named name: String) throws(SQLError) {
    var text = ByteBuilder()
    var cells: [Cell] = []
    cells.reserveCapacity(numbers.count)
    for number in numbers {
      let digits = String(number).utf8
      cells.append(Cell(start: text.count, count: Int32(digits.count), file: Int32(files.count)))
      for digit in digits { text.append(digit) }
    }
    files.append(text.buffer)
    columns.insert(Column(name: name, cells: cells, kinds: [.number]), at: 0)
  }

  /// Puts values of another table's column before all others.
  mutating func insertValues(
    _ cells: [Cell], of column: Column, in others: JSONRecords, named name: String
  ) {
    // The files of others are the first ones here, but those that were added to them since.
    var own: [Int32: Int32] = [:]
    let moved = cells.map { cell in
      var moved = cell
      if let known = own[cell.file] {
        moved.file = known
        return moved
      }
      let number = Int32(files.count)
      files.append(others.files[Int(cell.file)])
      own[cell.file] = number
      moved.file = number
      return moved
    }
    columns.insert(Column(name: name, cells: moved, kinds: column.kinds), at: 0)
  }

  /// A name that no column has.
  func unusedName(_ name: String) -> String {
    HeaderNames(columns.map(\.name) + [name]).names.last ?? name
  }

  /// Adds the records of a file.
  ///
  /// - Throws: 22P02 with the line of the first thing that is no JSON, 22021 for bytes that are no UTF-8.
  mutating func read(_ source: any ByteSource, name: String) throws(SQLError) {
    self.name = name
    (bytes, byteCount) = try Self.readAll(source)
    files.append(bytes)
    file = Int32(files.count - 1)
    lastKeys = []
    do throws(SQLError) {
      try EncodingCheck.check(TextBlock(all: bytes, count: byteCount), 0..<byteCount)
    } catch {
      var located = error
      located.context = "reading \(name)"
      throw located
    }
    try readRecords()
  }

  /// The text of a value.
  func text(_ cell: Cell) -> TextBytes {
    files[Int(cell.file)].bytes(cell.start..<(cell.start + Int(cell.count)))
  }

  private static func readAll(
    _ source: any ByteSource
  ) throws(SQLError) -> (Buffer<UInt8>, Int) {
    let expected = max(1 << 16, (source.byteCount ?? 0) + 1)
    try RunningStatement.reserve(expected)
    var buffer = Buffer<UInt8>(uninitialized: expected)
    var count = 0
    while true {
      try RunningStatement.check()
      if count == buffer.count {
        try RunningStatement.reserve(buffer.count * 2)
        let grown = Buffer<UInt8>(uninitialized: buffer.count * 2)
        grown.copy(buffer, count: count, to: 0)
        buffer = grown
      }
      let got = try source.read(into: buffer, at: count, count: buffer.count - count)
      if got == 0 { return (buffer, count) }
      count += got
    }
  }

  private mutating func readRecords() throws(SQLError) {
    // A mark of the byte order, as some editors write it.
    let hasMark = byteCount >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    let text = bytes.bytes(0..<byteCount)
    var position = JSONCursor.skipSpace(text, hasMark ? 3 : 0)
    let isArray = position < byteCount && bytes[position] == UInt8(ascii: "[")
    if let wrapping = JSONWrapping(text, from: position) {
      try add(wrapping, text)
      return
    }
    if isArray { position = JSONCursor.skipSpace(text, position + 1) }
    var isFirst = true
    while position < byteCount {
      if isArray {
        if bytes[position] == UInt8(ascii: "]") {
          let rest = JSONCursor.skipSpace(text, position + 1)
          if rest < byteCount { throw fault("there is something behind the array", at: rest) }
          return
        }
        if !isFirst {
          guard bytes[position] == UInt8(ascii: ",") else {
            throw fault("a comma is missing between elements of the array", at: position)
          }
          position = JSONCursor.skipSpace(text, position + 1)
        }
      } else if !isFirst && position < byteCount && bytes[position] == UInt8(ascii: ",") {
        throw fault("a comma stands between records that are in no array", at: position)
      }
      isFirst = false
      let end = JSONCursor.endOfValue(text, position)
      if count & 0xFFF == 0 { try RunningStatement.check() }
      do throws(SQLError) { try JSONText.validate(text.slice(position..<end)) } catch {
        throw located(error, at: position)
      }
      try add(text, position..<end)
      position = JSONCursor.skipSpace(text, end)
    }
    if isArray { throw fault("the array has no end", at: byteCount) }
  }

  // MARK: Records

  /// Adds the records that an object wraps.
  private mutating func add(_ wrapping: JSONWrapping, _ text: TextBytes) throws(SQLError) {
    for (index, record) in wrapping.records.enumerated() {
      if index & 0xFFF == 0 { try RunningStatement.check() }
      do throws(SQLError) { try JSONText.validate(text.slice(record.value)) } catch {
        throw located(error, at: record.value.lowerBound)
      }
      if let key = record.key, let place = try place(of: wrapping.keyName) { try set(place, key) }
      try add(text, record.value)
    }
    remarks.append("\(name): \(wrapping.remark)")
  }

  private mutating func add(_ text: TextBytes, _ range: Range<Int>) throws(SQLError) {
    let record = text.slice(range)
    var members = room
    members.removeAll(keepingCapacity: true)
    room = []
    defer { room = members }
    let isObject = JSONCursor.forEachMember(record) { key, value in
      let start = range.lowerBound + record.offset(of: key)
      let valueStart = range.lowerBound + record.offset(of: value)
      members.append((start..<(start + key.count), valueStart..<(valueStart + value.count)))
      return true
    }
    if isObject {
      for (index, member) in members.enumerated() {
        if let place = try place(of: member.key, text, index) { try set(place, member.value) }
      }
      lastKeys.removeLast(max(0, lastKeys.count - members.count))
    } else {
      lastKeys = []
      if let place = try place(of: Self.valueKey) { try set(place, range) }
    }
    count += 1
  }

  /// The column of the key that is the `index`th of its record.
  private mutating func place(
    of key: Range<Int>, _ text: TextBytes, _ index: Int
  ) throws(SQLError) -> Int? {
    if index < lastKeys.count {
      let last = lastKeys[index]
      if last.count == key.count,
        text.slice(last.start..<(last.start + last.count)) == text.slice(key)
      {
        return last.place
      }
    }
    let found = try place(of: text.slice(key).array)
    let known = (key.lowerBound, key.count, found)
    if index < lastKeys.count { lastKeys[index] = known } else { lastKeys.append(known) }
    return found
  }

  private mutating func place(of key: [UInt8]) throws(SQLError) -> Int? {
    if let known = places[key] { return known }
    guard names.count < Self.columnsMax else {
      throw SQLError(
        .tooManyColumns, "\"\(name)\" has more than \(Self.columnsMax) keys",
        hint: "Objects whose keys are data are better read as one value each, by jsonb functions.")
    }
    let quoted = Buffer(key)
    var decoded = ByteBuilder()
    try JSONText.decodeString(quoted.bytes(0..<quoted.count), to: &decoded)
    let text = decoded.buffer.bytes(0..<decoded.count).string
    names.append(text)
    if !isWanted(HeaderNames.cut(text)) {
      places[key] = .some(nil)
      return nil
    }
    // Two spellings may stand for one name.
    let place = columns.firstIndex { $0.name == text } ?? columns.count
    if place == columns.count { columns.append(Column(name: text)) }
    places[key] = place
    return place
  }

  /// The most columns that a table has in PostgreSQL.
  private static let columnsMax = 1600

  private mutating func set(_ place: Int, _ value: Range<Int>) throws(SQLError) {
    let kind = JSONKind(bytes[value.lowerBound])
    guard let length = Int32(exactly: value.count) else {
      throw fault("a value is longer than 2 GB", at: value.lowerBound)
    }
    while columns[place].cells.count < count { columns[place].cells.append(Cell()) }
    // Of members with one key the last one counts.
    if columns[place].cells.count > count { columns[place].cells.removeLast() }
    if kind == .null {
      columns[place].cells.append(Cell())
      return
    }
    if !columns[place].kinds.contains(kind) { columns[place].kinds.insert(kind) }
    columns[place].cells.append(
      Cell(start: value.lowerBound, count: length, file: file))
  }

  // MARK: Errors

  private func fault(_ what: String, at position: Int) -> SQLError {
    located(
      SQLError(
        .invalidTextRepresentation, "invalid input syntax for type json", detail: what + "."),
      at: position)
  }

  /// The same error with the line on which the record stands.
  private func located(_ error: SQLError, at position: Int) -> SQLError {
    var line = 1
    for index in 0..<min(position, byteCount) where bytes[index] == UInt8(ascii: "\n") { line += 1 }
    var located = error
    located.context = "reading \(name), record \(count + 1), which begins on line \(line)"
    return located
  }
}
