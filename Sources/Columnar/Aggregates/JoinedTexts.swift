import Diagnostics

/// The texts of few groups, each put together as its parts come: no part is kept by itself.
///
/// A part comes with the separator before it, which the first one of a group does without; that is kept for a text that comes to
/// stand behind another.
struct JoinedTexts {
  private var texts: [Text] = []

  /// What there is of one group.
  private struct Text {
    var bytes = Buffer<UInt8>(uninitialized: 0)
    /// The bytes that are written; nil before the first part.
    var count: Int?
    var separator: [UInt8]?
  }

  /// Some parts: rows of flat columns, by position.
  private struct Parts {
    let texts: Buffer<TextView>
    let areThere: ValidityMask
    let separators: Buffer<TextView>
    let areSeparated: ValidityMask
    /// The rows, group after group.
    let rows: Buffer<UInt32>

    init(_ columns: [Vector], rows: Buffer<UInt32>) {
      texts = columns[0].values(TextView.self)
      areThere = columns[0].validity
      separators = columns[1].values(TextView.self)
      areSeparated = columns[1].validity
      self.rows = rows
    }
  }

  /// The bytes held, for memory accounting.
  var byteCount: Int { texts.reduce(0) { $0 + $1.bytes.count } }

  static var tooLong: SQLError {
    SQLError(
      .programLimitExceeded, "string_agg result of more than 256 MB",
      hint: "Aggregate fewer rows into one text.")
  }

  /// Adds parts, of which part *i* is of group `groups[i]`, or of group 0: a column of texts, and one of separators.
  ///
  /// - Complexity: O(*n*) in the rows and their bytes, and in the groups.
  /// - Throws: 54000 for a text of more than 256 MB; 57014, 53200.
  mutating func append(
    _ columns: [Vector], _ groups: Buffer<UInt32>?, count: Int, groupCount: Int
  ) throws(SQLError) {
    let flat = columns.map { $0.flattened() }
    guard let groups else {
      return try append(Parts(flat, rows: try Buffer(rising: count)), 0..<count, to: 0)
    }
    let slices = try GroupSlices(groups, count: count, groupCount: groupCount) {
      UInt32(truncatingIfNeeded: $0)
    }
    let parts = Parts(flat, rows: slices.items)
    for group in 0..<groupCount { try append(parts, slices.range(of: group), to: group) }
  }

  /// Adds rows that have been collected.
  ///
  /// - Throws: as for others.
  mutating func append(_ rows: CollectedRows) throws(SQLError) {
    let sorted = try rows.sorted()
    let parts = Parts(sorted.columns, rows: sorted.rows)
    for group in 0..<rows.groupCount { try append(parts, sorted.range(of: group), to: group) }
  }

  private mutating func append(
    _ parts: Parts, _ places: Range<Int>, to group: Int
  ) throws(SQLError) {
    if places.isEmpty { return }
    while texts.count <= group { texts.append(Text()) }
    var length = 0
    var first: Int?
    for place in places {
      let row = Int(parts.rows[place])
      guard parts.areThere.isValid(row) else { continue }
      if first == nil { first = row }
      length &+= parts.texts[row].count
      if parts.areSeparated.isValid(row) { length &+= parts.separators[row].count }
    }
    guard let first else { return }
    if length > 1 << 16 { try RunningStatement.check() }
    try makeRoom(for: length, in: group)
    let bytes = texts[group].bytes
    var end = texts[group].count ?? 0
    var isFirst = texts[group].count == nil
    if isFirst, parts.areSeparated.isValid(first) {
      texts[group].separator = parts.separators.bytes(at: first).array
    }
    for place in places {
      let row = Int(parts.rows[place])
      guard parts.areThere.isValid(row) else { continue }
      if !isFirst, parts.areSeparated.isValid(row) {
        bytes.copy(parts.separators.bytes(at: row), to: end)
        end &+= parts.separators[row].count
      }
      isFirst = false
      bytes.copy(parts.texts.bytes(at: row), to: end)
      end &+= parts.texts[row].count
    }
    guard end < TextLoop.byteCountMax else { throw Self.tooLong }
    texts[group].count = end
  }

  private mutating func makeRoom(for length: Int, in group: Int) throws(SQLError) {
    let (known, room) = (texts[group].count ?? 0, texts[group].bytes.count)
    if known + length <= room { return }
    // A first separator that is not written may be counted.
    guard known + length < 2 * TextLoop.byteCountMax else { throw Self.tooLong }
    let size = max(2 * room, known + length, 64)
    try RunningStatement.reserve(size)
    let grown = Buffer<UInt8>(uninitialized: size)
    try grown.copyInSlices(texts[group].bytes, from: 0, count: known, to: 0)
    texts[group].bytes = grown
  }

  /// The text of a group; nil if it has no part.
  func text(of group: Int) -> Buffer<UInt8>? {
    guard group < texts.count, let count = texts[group].count else { return nil }
    return texts[group].bytes.slice(0..<count)
  }

  /// The texts as parts themselves, each with the separator of its first part.
  ///
  /// - Throws: 57014, 53200.
  func parts(
    _ type: LogicalType
  ) throws(SQLError) -> (columns: [Vector], groups: Buffer<UInt32>, count: Int) {
    let there = texts.indices.filter { texts[$0].count != nil }
    let groups = Buffer<UInt32>(uninitialized: max(1, there.count))
    let views = Buffer<TextView>(zeroed: max(1, there.count))
    let separators = Buffer<TextView>(zeroed: max(1, there.count))
    let heap = TextHeap()
    var areSeparated = ValidityMask.allValid
    for (row, group) in there.enumerated() {
      groups[row] = UInt32(truncatingIfNeeded: group)
      if let text = text(of: group) {
        try RunningStatement.reserve(text.count)
        views[row] = try heap.append(count: text.count) { (target) throws(SQLError) in
          try target.copyInSlices(text, from: 0, count: text.count, to: 0)
        }
      }
      if let separator = texts[group].separator {
        separators[row] = heap.append(separator)
      } else {
        areSeparated.setNull(row, count: there.count)
      }
    }
    return (
      [
        Vector(type, views, count: there.count, heaps: [heap]),
        Vector(type, separators, count: there.count, validity: areSeparated, heaps: [heap]),
      ], groups, there.count
    )
  }
}
