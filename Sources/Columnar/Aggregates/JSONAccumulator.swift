package import Diagnostics

/// `json_agg`, `json_object_agg` and their jsonb kin: every row of a group, NULLs included.
package final class JSONAccumulator: AggregateAccumulator, @unchecked Sendable {
  private var rows: CollectedRows
  private var sorted: CollectedRows.Sorted?
  private let types: [LogicalType]
  private let resultType: LogicalType

  /// An accumulator for values of one type (an array), or for keys and values (an object).
  package init(types: [LogicalType], resultType: LogicalType) {
    self.types = types
    self.resultType = resultType
    rows = CollectedRows(types)
  }

  package var byteCount: Int { rows.byteCount }

  package func grow(to groupCount: Int) { rows.grow(to: groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    rows.append(arguments, groups: groups, count: count)
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? JSONAccumulator else { return }
    rows.append(other.rows, mapping: groups)
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    let sorted = sorted ?? rows.sorted()
    self.sorted = sorted
    var writer = JSONWriter(TextFormatter())
    var builder = VectorBuilder(resultType, capacity: range.count)
    var raw = ByteBuilder()
    var canonical = ByteBuilder()
    for group in range {
      let places = sorted.range(of: group)
      if places.isEmpty {
        builder.appendNull()
        continue
      }
      raw.removeAll()
      try write(places.map { Int(sorted.rows[$0]) }, sorted.columns, &writer, &raw)
      if resultType == .json {
        builder.append(raw.bytes)
      } else {
        canonical.removeAll()
        try JSONText.appendCanonical(raw.bytes, to: &canonical)
        builder.append(canonical.bytes)
      }
    }
    return builder.finish()
  }

  private func write(
    _ rows: [Int], _ columns: [Vector], _ writer: inout JSONWriter, _ output: inout ByteBuilder
  ) throws(SQLError) {
    let isObject = types.count == 2
    let separator: StaticString
    // Rows and arrays each stand on a line of their own.
    switch types[0] {
    case .record where !isObject, .array where !isObject: separator = ", \n "
    default: separator = ", "
    }
    output.append(isObject ? "{ " : "[")
    for (index, row) in rows.enumerated() {
      if index > 0 { output.append(separator) }
      if isObject {
        try writer.append(
          key: row, of: columns[0], nullMessage: "field name must not be null", to: &output)
        output.append(" : ")
      }
      writer.append(row, of: columns[isObject ? 1 : 0], to: &output)
      if output.count > TextLoop.byteCountMax { throw TextLoop.tooLong }
    }
    output.append(isObject ? " }" : "]")
  }
}
