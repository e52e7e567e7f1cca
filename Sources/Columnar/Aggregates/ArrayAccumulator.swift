package import Diagnostics

/// `array_agg`: all values of a group, NULLs included, in the order in which they came.
package final class ArrayAccumulator: AggregateAccumulator {
  private var rows: CollectedRows
  private var sorted: CollectedRows.Sorted?
  private let elementType: LogicalType

  package init(elementType: LogicalType) {
    self.elementType = elementType
    rows = CollectedRows([elementType])
  }

  package var byteCount: Int { rows.byteCount }

  package func grow(to groupCount: Int) { rows.grow(to: groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    try rows.append([arguments[0]], groups: groups, count: count)
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? ArrayAccumulator else { return }
    try rows.append(other.rows, mapping: groups)
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    let sorted: CollectedRows.Sorted
    if let known = self.sorted { sorted = known } else { sorted = try rows.sorted() }
    self.sorted = sorted
    let slices = Buffer<ListSlice>(uninitialized: range.count)
    var validity = ValidityMask.allValid
    let first = Int(sorted.starts[range.lowerBound])
    for (row, group) in range.enumerated() {
      let places = sorted.range(of: group)
      slices[row] = ListSlice(
        offset: UInt32(places.lowerBound - first), count: UInt32(places.count))
      if places.isEmpty { validity.setNull(row, count: range.count) }
    }
    let last = Int(sorted.starts[range.upperBound])
    let elements = try sorted.columns[0].gathered(
      sorted.rows.slice(first..<last), count: last - first
    ).flattenedInSlices()
    return Vector(
      type: .array(elementType), count: range.count, storage: slices.block, validity: validity,
      children: [elements], heaps: elements.heaps)
  }
}

/// `string_agg(text, separator)`, also of bytea: NULL texts are passed over, the first separator too.
package final class StringAccumulator: AggregateAccumulator {
  private var rows: CollectedRows
  private var sorted: CollectedRows.Sorted?
  private let resultType: LogicalType

  package init(resultType: LogicalType) {
    self.resultType = resultType
    rows = CollectedRows([resultType, resultType])
  }

  package var byteCount: Int { rows.byteCount }

  package func grow(to groupCount: Int) { rows.grow(to: groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    try rows.append(
      arguments.map { $0.retyped(resultType) }, groups: groups, count: count)
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? StringAccumulator else { return }
    try rows.append(other.rows, mapping: groups)
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    let sorted: CollectedRows.Sorted
    if let known = self.sorted { sorted = known } else { sorted = try rows.sorted() }
    self.sorted = sorted
    let views = Buffer<TextView>(zeroed: range.count)
    var validity = ValidityMask.allValid
    let heap = TextHeap()
    for (row, group) in range.enumerated() {
      guard let length = try joinedLength(group, sorted) else {
        validity.setNull(row, count: range.count)
        continue
      }
      views[row] = try heap.append(count: length) { (target) throws(SQLError) in
        try join(group, sorted, into: target)
      }
      if row & 63 == 0 || length > 1 << 16 { try heap.count() }
    }
    return Vector(resultType, views, count: range.count, validity: validity, heaps: [heap])
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
      guard total < TextLoop.byteCountMax else {
        throw SQLError(
          .programLimitExceeded, "string_agg result of more than 256 MB",
          hint: "Aggregate fewer rows into one text.")
      }
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
