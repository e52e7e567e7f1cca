import Catalog
import Columnar
import Planning

/// A key of an aggregation that follows from others: a column of a table of which a whole key is among them.
///
/// `GROUP BY w.id, w.name` makes a group for each `w.id`; the name is kept for each group, and neither hashed nor compared.
package struct KeyDependency: Sendable {
  /// The key that follows, by place.
  package var key: Int
  /// The keys that it follows from.
  package var determinants: Set<Int>

  /// The keys that follow from others, none of which follows from another.
  static func found(in aggregate: AggregatePlan) -> [KeyDependency] {
    guard aggregate.keys.count > 1 else { return [] }
    var places: [ColumnID: Int] = [:]
    for (place, key) in aggregate.keys.enumerated() {
      if let id = key.expression.asColumn { places[id] = places[id] ?? place }
    }
    guard places.count > 1 else { return [] }
    var scans: [ScanPlan] = []
    var equal = places
    collect(aggregate.input, &scans, &equal)
    var found: [KeyDependency] = []
    for scan in scans {
      guard let determinants = determinants(scan, equal) else { continue }
      for column in scan.columns {
        guard let place = places[column.column.id], !determinants.contains(place),
          !found.contains(where: { $0.key == place || $0.determinants.contains(place) }),
          !found.contains(where: { determinants.contains($0.key) })
        else { continue }
        found.append(KeyDependency(key: place, determinants: determinants))
      }
    }
    return found
  }

  /// The keys that are, or are equal to, all columns of a key of the scanned table.
  ///
  /// None of these may be NULL in the table: where an outer join makes them NULL, it does so with all columns of the row.
  private static func determinants(_ scan: ScanPlan, _ places: [ColumnID: Int]) -> Set<Int>? {
    for key in scan.table.immediateKeys where !key.columns.isEmpty {
      var found: Set<Int> = []
      let isKnown = key.columns.allSatisfy { index in
        guard scan.table.columns.indices.contains(index), scan.table.columns[index].isNotNull,
          let column = scan.columns.first(where: { $0.index == index }),
          let place = places[column.column.id]
        else { return false }
        found.insert(place)
        return true
      }
      if isKnown { return found }
    }
    return nil
  }

  /// The scans whose rows are handed on one by one, and columns that are equal to keys in each row.
  private static func collect(
    _ plan: LogicalPlan, _ scans: inout [ScanPlan], _ places: inout [ColumnID: Int]
  ) {
    switch plan {
    case .scan(let scan): scans.append(scan)
    case .filter(let input, _), .sort(let input, _), .limit(let input, _), .window(let input, _):
      collect(input, &scans, &places)
    case .join(let join) where !join.isLateral:
      if join.kind.isInner {
        for condition in join.conditions {
          guard case .comparison(.equal, let left, let right) = condition,
            let one = left.asColumn, let two = right.asColumn, left.type == right.type,
            left.type.isInteger
          else { continue }
          if let place = places[one], places[two] == nil { places[two] = place }
          if let place = places[two], places[one] == nil { places[one] = place }
        }
      }
      collect(join.left, &scans, &places)
      switch join.kind {
      case .inner, .left, .right, .full, .single: collect(join.right, &scans, &places)
      case .semi, .anti, .mark: break
      }
    case .join, .values, .project, .projectSet, .path, .aggregate, .distinct, .setOperation,
      .recursive, .workingTable, .withCommon, .commonReference, .tableFunction, .modify:
      break
    }
  }
}

extension AggregateNode {
  /// The places in a grouping set of keys that others in it determine.
  func determined(in set: [Int]) -> Set<Int> {
    var found: Set<Int> = []
    for dependency in dependencies where dependency.determinants.isSubset(of: set) {
      if let place = set.firstIndex(of: dependency.key) { found.insert(place) }
    }
    return found
  }
}
