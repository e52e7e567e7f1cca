import Columnar
import Planning

extension PlannedOperator {
  /// So many groups stay in a cache, with what is kept for each.
  private static let cachedGroups = 16_384.0
  /// A table of fewer groups misses no cache that is far away.
  private static let manyGroups = 131_072.0
  /// Where a group has more rows on average, it takes less to merge what each worker has made of its rows.
  private static let rowsPerGroup = 8.0
  private static let partitionMax = 64.0
  /// Numbers of which so many lie between two groups on average are places in an array.
  private static let placesPerGroup = 16.0
  /// Rows that stand together and have keys from so many find their places in a cache.
  private static let nearPlaces = 262_144.0

  /// An aggregation or DISTINCT whose rows are dealt out to partitions first, where that pays.
  func partitioned(over below: RelationProfile) -> PlannedOperator {
    guard let (input, keys) = grouping, !keys.isEmpty,
      Self.arePartitioned(profile.rows, of: input.estimatedRows),
      input.outputs.allSatisfy({ ChunkPartitioner.takes($0.type) }),
      !keys.contains(where: \.callsSession), !hasNearPlaces(keys, below)
    else { return self }
    var result = self
    var count = 2
    while Double(count) < min(profile.rows / Self.cachedGroups, Self.partitionMax) { count *= 2 }
    result.plan.partitionCount = count
    return result
  }

  /// Whether so many groups of so many rows are worth it.
  static func arePartitioned(_ groups: Double, of rows: Double) -> Bool {
    groups >= manyGroups && rows <= groups * rowsPerGroup
  }

  /// What it costs to move a column of a row, beside putting a row into a group.
  static let partitionCost = 3.0

  /// Whether groups are found by their key in an array, or for DISTINCT a bitmap, without reaching far.
  private func hasNearPlaces(_ keys: [BoundExpression], _ below: RelationProfile) -> Bool {
    if case .distinct = plan.node {
      guard let places = placeCount(keys, below) else { return false }
      return places <= profile.rows * Self.placesPerGroup
    }
    guard keys.count == 1, let key = keys[0].asColumn, let stored = below.columns[key]?.stored,
      let width = placeCount(keys, below)
    else { return false }
    return width <= profile.rows * Self.placesPerGroup && stored.span * width <= Self.nearPlaces
  }

  /// How many combinations of numbers lie between the least and the greatest of each key; nil where a key is no whole number or
  /// nothing is known of its range.
  private func placeCount(_ keys: [BoundExpression], _ below: RelationProfile) -> Double? {
    if keys.count > 1 && !DistinctSet.numbersCombinations(of: keys.map(\.type)) { return nil }
    var places = 1.0
    for key in keys {
      guard [.int16, .int32, .int64].contains(key.type.physical),
        let known = key.asColumn.flatMap({ below.columns[$0] })
      else { return nil }
      if let range = known.range {
        places *= range.upperBound - range.lowerBound + 1
      } else if known.stored?.isCoded ?? false {
        places *= known.distinctCount
      } else {
        return nil
      }
    }
    return places
  }

  /// What is grouped and by which keys, if groups are of no order and made of rows as they come.
  private var grouping: (input: PhysicalPlan, keys: [BoundExpression])? {
    if case .distinct(let input, on: nil) = plan.node {
      return (input, input.outputs.map(\.reference))
    }
    guard case .aggregate(let node) = plan.node, node.clusterKey == nil, node.partial == nil,
      node.groupingSets == nil,
      !node.aggregates.contains(where: {
        $0.call.isOrderSensitive && $0.call.orderBy.isEmpty && !$0.call.isDistinct
      })
    else { return nil }
    return (node.input, node.keys.map(\.expression))
  }
}
