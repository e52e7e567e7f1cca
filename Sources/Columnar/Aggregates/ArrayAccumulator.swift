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
