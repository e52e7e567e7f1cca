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

  /// A scanned table, and all columns that follow from its row, computed ones among them.
  private struct Source {
    var scan: ScanPlan
    var columns: ColumnSet
  }

  /// The keys that follow from others, none of which follows from another.
  static func found(in aggregate: AggregatePlan) -> [KeyDependency] {
    guard aggregate.keys.count > 1 else { return [] }
    var places: ColumnMap<Int> = [:]
    for (place, key) in aggregate.keys.enumerated() {
      if let id = key.expression.asColumn { places[id] = places[id] ?? place }
    }
    guard !places.isEmpty else { return [] }
    var equal = places
    let sources = sources(aggregate.input, &equal)
    var found: [KeyDependency] = []
    for source in sources {
      guard let determinants = determinants(source.scan, equal) else { continue }
      var following = Set(source.columns.compactMap { places[$0] })
      for (place, key) in aggregate.keys.enumerated()
      where key.expression.asColumn == nil && key.expression.isComputed(from: source.columns) {
        following.insert(place)
      }
      for place in following.sorted() {
        guard !determinants.contains(place),
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
  private static func determinants(_ scan: ScanPlan, _ places: ColumnMap<Int>) -> Set<Int>? {
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
  private static func sources(_ plan: LogicalPlan, _ places: inout ColumnMap<Int>) -> [Source] {
    switch plan {
    case .scan(let scan):
      return [Source(scan: scan, columns: ColumnSet(scan.columns.map(\.column.id)))]
    case .filter(let input, _), .sort(let input, _), .limit(let input, _), .window(let input, _):
      return sources(input, &places)
    case .project(let input, let list):
      for item in list {
        if let id = item.expression.asColumn, let place = places[item.column.id] {
          places[id] = places[id] ?? place
        }
      }
      var found = sources(input, &places)
      for index in found.indices {
        let computed = list.filter { $0.expression.isComputed(from: found[index].columns) }
        found[index].columns.formUnion(computed.map(\.column.id))
      }
      return found
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
      let found = sources(join.left, &places)
      switch join.kind {
      case .inner, .left, .right, .full, .single: return found + sources(join.right, &places)
      case .semi, .anti, .mark: return found
      }
    case .join, .values, .projectSet, .path, .aggregate, .distinct, .setOperation,
      .recursive, .workingTable, .withCommon, .commonReference, .tableFunction, .modify:
      return []
    }
  }
}

extension BoundExpression {
  /// Whether the value follows from some columns alone.
  fileprivate func isComputed(from columns: ColumnSet) -> Bool {
    let own = self.columns
    return !own.isEmpty && own.isSubset(of: columns) && isRepeatable
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
