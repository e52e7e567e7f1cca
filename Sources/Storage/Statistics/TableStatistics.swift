package import Columnar

/// What the optimiser may know of a column.
package struct ColumnStatistics: Sendable {
  /// A bound from below, for whole numbers, dates, times and floating point numbers.
  package var minimum: Value?
  /// A bound from above.
  package var maximum: Value?
  /// About how many rows are NULL; 0 only if none is.
  package var nullCount: Int
  /// About how many different values there are; nil if nobody has counted them.
  package var distinctCount: Double?
  /// Which share of all between the bounds lies between those of a group of rows that stand together, on average: small where values
  /// come in about the order of the rows, 1 where nothing is known.
  package var span = 1.0

  package init(minimum: Value?, maximum: Value?, nullCount: Int, distinctCount: Double?) {
    self.minimum = minimum
    self.maximum = maximum
    self.nullCount = nullCount
    self.distinctCount = distinctCount
  }
}

extension TableStore {
  /// Statistics of a column, right as of this version; bounds and counts may be too wide after updates.
  ///
  /// - Complexity: O(row groups + rows of the last page).
  package func statistics(ofColumn index: Int) -> ColumnStatistics {
    if let streamed { return streamed.statistics(ofColumn: index) }
    let column = columns[index]
    let sketch = DistinctSketch()
    var zone = Zone()
    var nulls = 0
    var isCounted = true
    for summary in column.summaries {
      if let part = summary.sketch { sketch.merge(part) } else { isCounted = false }
      if let part = summary.zone {
        zone.minimum = min(zone.minimum, part.minimum)
        zone.maximum = max(zone.maximum, part.maximum)
        zone.valueCount = zone.valueCount | part.valueCount
        nulls += Int(part.nullCount)
      }
    }
    let last = pageCount - 1
    if last >= 0, rowCount(ofPage: last) < Self.pageCapacity {
      let count = rowCount(ofPage: last)
      let vector = column.vector(page: last, count: count)
      sketch.insert(vector, count: count)
      if let part = ZoneKey.zone(of: vector, 0..<count) {
        zone.minimum = min(zone.minimum, part.minimum)
        zone.maximum = max(zone.maximum, part.maximum)
        zone.valueCount = zone.valueCount | part.valueCount
        nulls += Int(part.nullCount)
      } else {
        nulls += vector.validity.nullCount(count)
      }
    }
    let hasBounds = zone.valueCount > 0 && ZoneKey.precision(column.type) == .exact
    var result = ColumnStatistics(
      minimum: hasBounds ? ZoneKey.value(zone.minimum, column.type) : nil,
      maximum: hasBounds ? ZoneKey.value(zone.maximum, column.type) : nil,
      nullCount: min(nulls, liveRowCount),
      distinctCount: isCounted ? distinctCount(ofColumn: index, sketch: sketch) : nil)
    if hasBounds { result.span = column.span }
    return result
  }

  private func distinctCount(ofColumn index: Int, sketch: DistinctSketch) -> Double {
    for key in keys where key.key.columns == [index] { return Double(key.distinctCount) }
    return min(sketch.estimate, Double(liveRowCount))
  }
}

extension ColumnStore {
  /// Which share of all between the bounds of its full row groups lies between those of one of them, on average.
  var span: Double {
    var all = Zone()
    var (sum, count) = (0.0, 0.0)
    for summary in summaries {
      guard let zone = summary.zone, zone.valueCount > 0 else { continue }
      all.minimum = min(all.minimum, zone.minimum)
      all.maximum = max(all.maximum, zone.maximum)
      sum += Double(zone.maximum &- zone.minimum)
      count += 1
    }
    return all.minimum < all.maximum ? sum / count / Double(all.maximum &- all.minimum) : 1
  }
}

extension AdjacencyIndex {
  /// The edges of a source on average, over the sources that may have some.
  package var averageDegree: Double {
    sourceLimit == 0 ? 0 : Double(edgeCount) / Double(sourceLimit)
  }

  /// How many times as many edges the source of an edge has as a source that has some, on average.
  ///
  /// - Complexity: O(sources), of which a part is asked where they are many.
  var skew: Double {
    let stretch = 1024
    let step = max(1, sourceLimit / Self.askedSources) * stretch
    var sources = 0.0
    var edges = 0.0
    var squares = 0.0
    for start in Swift.stride(from: 0, to: sourceLimit, by: step) {
      let degrees = likelyDegrees(start..<min(start + stretch, sourceLimit))
      for index in 0..<degrees.count where degrees[index] > 0 {
        let degree = Double(degrees[index])
        sources += 1
        edges += degree
        squares += degree * degree
      }
    }
    return edges == 0 ? 1 : squares * sources / (edges * edges)
  }

  private static let askedSources = 100_000
}
