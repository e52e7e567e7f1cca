package import Diagnostics

/// `count(*)`, and `count(x)`, which passes over NULL; or the sum of counts of parts, none of which is NULL.
package final class CountAccumulator: WeightedAccumulator, SharedAccumulator {
  private var counts = GroupStates<Int64>()
  /// Whether the argument says how many rows each row stands for.
  private let isOfCounts: Bool

  package init(ofCounts: Bool = false) { isOfCounts = ofCounts }

  package var byteCount: Int { counts.byteCount }

  package func grow(to groupCount: Int) { counts.grow(to: groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    let counts = counts
    if isOfCounts, let parts = arguments.first?.flattened().values(Int64.self) {
      forEachPresent(.allValid, groups: groups, count: count) { row, group in
        counts[group] &+= parts[row]
      }
      return
    }
    guard let argument = arguments.first, argument.mayHaveNulls else {
      if let groups {
        countRows(groups, count)
      } else {
        counts[0] &+= Int64(count)
      }
      return
    }
    if groups == nil {
      counts[0] &+= Int64(count - argument.validity.nullCount(count))
      return
    }
    forEachPresent(argument, groups: groups, count: count) { _, group in
      counts[group] &+= 1
    }
  }

  /// Counts rows; where there are few groups in four places each, as a count has to wait for the last one of its place.
  private func countRows(_ groups: Buffer<UInt32>, _ count: Int) {
    let counts = counts
    guard counts.count <= Self.fewMax, count >= Self.fewMax * 16 else {
      for row in 0..<count { counts.values[groups[row]] &+= 1 }
      return
    }
    let places = Buffer<UInt32>(zeroed: Self.fewMax * 4)
    let whole = count & ~3
    for row in stride(from: 0, to: whole, by: 4) {
      places[groups[row] &* 4] &+= 1
      places[groups[row &+ 1] &* 4 &+ 1] &+= 1
      places[groups[row &+ 2] &* 4 &+ 2] &+= 1
      places[groups[row &+ 3] &* 4 &+ 3] &+= 1
    }
    for row in whole..<count { places[groups[row] &* 4] &+= 1 }
    for group in 0..<counts.count {
      let place = group &* 4
      counts[group] &+=
        Int64(places[place]) &+ Int64(places[place &+ 1]) &+ Int64(places[place &+ 2])
        &+ Int64(places[place &+ 3])
    }
  }

  private static let fewMax = 64

  package func update(
    groups: Buffer<UInt32>?, argument: Vector, weights: Buffer<Int64>, count: Int
  ) throws(SQLError) {
    let counts = counts
    forEachPresent(argument.flattened(), groups: groups, count: count) { row, group in
      counts[group] &+= weights[row]
    }
  }

  /// Adds to each group what was counted elsewhere.
  package func add(_ added: Buffer<Int64>, count: Int) {
    grow(to: count)
    for group in 0..<count { counts.values[group] &+= added[group] }
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? any SharedAccumulator else { return }
    let added = other.valueCounts(0..<count)
    for group in 0..<count { counts.values[groups[group]] &+= added[group] }
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    Vector(.bigint, counts.values.slice(range), count: range.count)
  }

  /// Whether it counts values, rather than adding counts.
  var countsValues: Bool { !isOfCounts }

  package func holds(_ other: any AggregateAccumulator) -> Bool {
    countsValues && (other as? CountAccumulator)?.countsValues ?? false
  }

  package func results(
    _ range: Range<Int>, of other: any AggregateAccumulator
  ) throws(SQLError) -> Vector { try results(range) }

  package func valueCounts(_ range: Range<Int>) -> Buffer<Int64> { counts.values.slice(range) }
}
