import Columnar

/// The first records of a block, cut by one delimiter.
struct SampleSplit {
  private(set) var records: [[String?]] = []
  /// Just past the line end of the first record.
  var firstRecordEnd: Int { recordEnds.first ?? 0 }
  /// Just past the line end of each record.
  private var recordEnds: [Int] = []
  /// The number of fields that most records have, and how many do.
  private var width = 0
  private var agreeing = 0

  /// What is kept of a field, which may be of any length.
  private static let bytesKept = 1 << 12

  init(
    _ block: TextBlock, from start: Int, delimiter: UInt8, quote: UInt8? = UInt8(ascii: "\""),
    limit: Int, hasComments: Bool = false
  ) {
    var record: [String?] = []
    var field: [UInt8] = []
    var isInside = false
    var wasQuoted = false
    var index = start
    func finished() -> String? {
      field.isEmpty && !wasQuoted ? nil : String(decoding: field, as: UTF8.self)
    }
    while index < block.count && records.count < limit {
      let byte = block.bytes[index]
      index += 1
      if byte == quote {
        if isInside, index < block.count, block.bytes[index] == quote {
          field.append(byte)
          index += 1
        } else {
          isInside.toggle()
          wasQuoted = true
        }
        continue
      }
      let isEnd = byte == .newline || byte == .carriageReturn
      if isInside || (byte != delimiter && !isEnd) {
        if field.count < Self.bytesKept { field.append(byte) }
        continue
      }
      record.append(finished())
      field.removeAll()
      wasQuoted = false
      if isEnd {
        if byte == .carriageReturn, index < block.count, block.bytes[index] == .newline {
          index += 1
        }
        if hasComments, record.first??.first == "#" { record = [] }
        end(&record, at: index)
      }
    }
    if index >= block.count && records.count < limit && (!record.isEmpty || !field.isEmpty) {
      record.append(finished())
      end(&record, at: index)
    }
    var counts: [Int: Int] = [:]
    for record in records { counts[record.count, default: 0] += 1 }
    let common = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }
    (width, agreeing) = (common?.key ?? 0, common?.value ?? 0)
  }

  /// Adds a record unless it is a blank line.
  private mutating func end(_ record: inout [String?], at place: Int) {
    if record != [nil] && !record.isEmpty {
      records.append(record)
      recordEnds.append(place)
    }
    record = []
  }

  /// Whether most records agree on a number of fields above one.
  private var isBelieved: Bool { width > 1 && agreeing * 2 > records.count }

  /// At most so many records tell of a table before it begins, and at least so many have to follow.
  private static let preambleMax = 12
  private static let bodyMin = 10

  /// Records before the table, and where they end: the first few, if they have half as many fields as all others, or fewer.
  var preamble: (records: [[String?]], end: Int?) {
    let before = records.prefix { $0.count * 2 <= width }
    let body = records.dropFirst(before.count)
    guard !before.isEmpty, before.count <= Self.preambleMax, body.count >= Self.bodyMin,
      body.allSatisfy({ $0.count == width })
    else { return ([], nil) }
    return (Array(before), recordEnds[before.count - 1])
  }

  /// The fields of a header that has one less than all records: without a name for those of the rows, as R writes it, or for
  /// nothing behind a last delimiter; nil for others.
  var wholeHeader: [String?]? {
    let body = records.dropFirst()
    guard let header = records.first, !body.isEmpty,
      body.allSatisfy({ $0.count == header.count + 1 })
    else { return nil }
    let endsInNothing = body.allSatisfy { $0[header.count] == nil }
    return endsInNothing ? header + [nil] : [nil] + header
  }

  /// So many records have to end early before that is taken for a habit, and this part of all.
  private static let shortCountMin = 5
  private static let shortPartMin = 10

  /// The width of a file whose records leave out what is missing at their end, as the header tells it if there is one, and how
  /// many of these do; nil where it is rather a fault.
  func habitOfEndingEarly(hasHeader: Bool) -> (width: Int, count: Int)? {
    let body = records.dropFirst(hasHeader ? 1 : 0)
    let widest = body.map(\.count).max() ?? 0
    let full = hasHeader ? records.first?.count ?? 0 : widest
    let shortCount = body.count { $0.count < full }
    let isHabit =
      shortCount >= Self.shortCountMin && shortCount * Self.shortPartMin >= body.count
      && body.allSatisfy { $0.count > 1 }
    return isHabit && widest <= full ? (full, shortCount) : nil
  }

  /// Whether this cuts the records more evenly, or as evenly into more fields.
  func isBetter(than other: SampleSplit) -> Bool {
    guard isBelieved, other.isBelieved else { return isBelieved }
    let isEven = agreeing == records.count
    let isOtherEven = other.agreeing == other.records.count
    if isEven != isOtherEven { return isEven }
    if isEven { return width > other.width }
    return (agreeing, width) > (other.agreeing, other.width)
  }
}
