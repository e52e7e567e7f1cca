package import Diagnostics

/// `string_agg(text, separator)`, also of bytea: NULL texts are passed over, the first separator too.
///
/// Texts are collected and joined at the end, those of many rows in few groups as they come.
package final class StringAccumulator: AggregateAccumulator {
  private var rows: CollectedRows
  private var sorted: CollectedRows.Sorted?
  /// The texts that take the place of collected rows; nil where there are few rows or many groups.
  private var joined: JoinedTexts?
  private let resultType: LogicalType

  /// Fewer rows are collected.
  private static let joinedMin = 4096
  /// More groups, or groups of fewer rows, would be put together in too many small pieces.
  private static let groupMax = 1024
  private static let groupRowMin = 16

  package init(resultType: LogicalType) {
    self.resultType = resultType
    rows = CollectedRows([resultType, resultType])
  }

  package var byteCount: Int { rows.byteCount + (joined?.byteCount ?? 0) }

  package func grow(to groupCount: Int) { rows.grow(to: groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    try add(arguments.map { $0.retyped(resultType) }, groups, count)
  }

  private func add(
    _ columns: [Vector], _ groups: Buffer<UInt32>?, _ count: Int
  ) throws(SQLError) {
    if joined != nil, rows.groupCount > Self.groupMax { try collect() }
    if joined == nil {
      try rows.append(columns, groups: groups, count: count)
      let isJoined =
        rows.count >= Self.joinedMin && rows.groupCount <= Self.groupMax
        && rows.groupCount * Self.groupRowMin <= rows.count
      if isJoined { try join() }
      return
    }
    try joined?.append(columns, groups, count: count, groupCount: rows.groupCount)
  }

  /// Joins the texts that have been collected.
  private func join() throws(SQLError) {
    var texts = JoinedTexts()
    try texts.append(rows)
    joined = texts
    let groupCount = rows.groupCount
    rows = CollectedRows([resultType, resultType])
    rows.grow(to: groupCount)
  }

  /// Goes on collecting: what is joined of a group is its first text then.
  private func collect() throws(SQLError) {
    guard let texts = joined else { return }
    joined = nil
    let parts = try texts.parts(resultType)
    try rows.append(parts.columns, groups: parts.groups, count: parts.count)
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? StringAccumulator else { return }
    try collect()
    try other.collect()
    try rows.append(other.rows, mapping: groups)
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    let views = Buffer<TextView>(zeroed: range.count)
    var validity = ValidityMask.allValid
    let heap = TextHeap()
    for (row, group) in range.enumerated() {
      guard let view = try text(of: group, in: heap) else {
        validity.setNull(row, count: range.count)
        continue
      }
      views[row] = view
      if row & 63 == 0 || view.count > 1 << 16 { try heap.count() }
    }
    return Vector(resultType, views, count: range.count, validity: validity, heaps: [heap])
  }

  /// The result of a group; nil if it has no text.
  private func text(of group: Int, in heap: TextHeap) throws(SQLError) -> TextView? {
    if let joined {
      guard let bytes = joined.text(of: group) else { return nil }
      try RunningStatement.reserve(bytes.count)
      return try heap.append(count: bytes.count) { (target) throws(SQLError) in
        try target.copyInSlices(bytes, from: 0, count: bytes.count, to: 0)
      }
    }
    let sorted: CollectedRows.Sorted
    if let known = self.sorted { sorted = known } else { sorted = try rows.sorted() }
    self.sorted = sorted
    guard let length = try joinedLength(group, sorted) else { return nil }
    return try heap.append(count: length) { (target) throws(SQLError) in
      try join(group, sorted, into: target)
    }
  }

  /// The bytes of a group's result; nil if it has no text.
  ///
  /// They are counted first, so that a long result is written once, to where it stays.
  private func joinedLength(
    _ group: Int, _ sorted: CollectedRows.Sorted
  ) throws(SQLError) -> Int? {
    var length: Int?
    try forEachText(group, sorted) { (text, separator) throws(SQLError) in
      let total = (length.map { $0 + (separator?.count ?? 0) } ?? 0) + text.count
      guard total < TextLoop.byteCountMax else { throw JoinedTexts.tooLong }
      length = total
    }
    if let length { try RunningStatement.reserve(length) }
    return length
  }

  private func join(
    _ group: Int, _ sorted: CollectedRows.Sorted, into target: Buffer<UInt8>
  ) throws(SQLError) {
    var end: Int?
    try forEachText(group, sorted) { (text, separator) throws(SQLError) in
      var place = end ?? 0
      if end != nil, let separator {
        target.copy(separator, to: place)
        place += separator.count
      }
      target.copy(text, to: place)
      end = place + text.count
    }
  }

  /// The texts of a group that are there, each with the separator before it, which counts from the second on.
  @inline(__always)
  private func forEachText(
    _ group: Int, _ sorted: CollectedRows.Sorted,
    _ body: (_ text: TextBytes, _ separator: TextBytes?) throws(SQLError) -> Void
  ) throws(SQLError) {
    let texts = sorted.columns[0].values(TextView.self)
    let separators = sorted.columns[1].values(TextView.self)
    let isThere = sorted.columns[0].validity
    let hasSeparator = sorted.columns[1].validity
    try sorted.range(of: group).inSlices(of: 1 << 12) { (slice) throws(SQLError) in
      for place in slice {
        let row = Int(sorted.rows[place])
        guard isThere.isValid(row) else { continue }
        try body(
          texts.bytes(at: row), hasSeparator.isValid(row) ? separators.bytes(at: row) : nil)
      }
    }
  }
}
