import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Where the conditions that stand within a searched path are met.
///
/// Such a condition counts before paths are chosen among those between the same ends. One on these ends alone can be met
/// behind the search as well, since all paths between them share it; one on a vertex, or on an edge with its ends, is met
/// on the way; and single edges that have one in common are joined to a part of their own.
extension GraphBinding {
  /// A path that is to be searched, with every condition where it can be met; those that can be met behind the search
  /// are added to `filters`.
  ///
  /// - Throws: 0A000 for a condition on a repeated part and what is beyond it, where paths are chosen.
  func settled(
    _ shape: PathShape, _ prefix: PathPrefix, beside others: [PathShape]
  ) throws(SQLError) -> PathShape {
    var settled = shape
    let names = PathScope(self, shape, beside: others)
    let open = try taken(from: &settled, names)
    // All paths are wanted: it is the same before and behind.
    if prefix.selector == .all {
      filters += open
      return settled
    }
    var joined: [(links: ClosedRange<Int>, filters: [Expression])] = []
    for filter in open {
      let reach = try names.reach(of: filter)
      if reach.isOfEnds(of: shape) {
        filters.append(filter)
        continue
      }
      guard !reach.isElsewhere else { throw Self.notLocal(filter) }
      if reach.links.isEmpty, reach.sites.count == 1, let site = reach.sites.first {
        settled.sites[site].add(filter)
        continue
      }
      let ranges = reach.usesCircle ? [reach, reach.fromEnd(of: shape)] : [reach]
      guard
        let range = ranges.compactMap(\.range).first(where: { range in
          !shape.links[range].contains(where: \.isRepeated)
        })
      else { throw Self.notLocal(filter) }
      if range.count == 1, case .edge(var element, let direction) = settled.links[range.lowerBound]
      {
        element.filter = Expression(all: (element.filter.map { [$0] } ?? []) + [filter])
        settled.links[range.lowerBound] = .edge(element, direction)
        continue
      }
      // Ranges that have edges in common become one.
      let touching = joined.filter { $0.links.overlaps(range) }
      joined.removeAll { $0.links.overlaps(range) }
      let lower = touching.map(\.links.lowerBound).min() ?? range.lowerBound
      let upper = touching.map(\.links.upperBound).max() ?? range.upperBound
      joined.append(
        (
          min(lower, range.lowerBound)...max(upper, range.upperBound),
          touching.flatMap(\.filters) + [filter]
        ))
    }
    // From the last to the first, so that the numbers of links before stay.
    for (links, filters) in joined.sorted(by: { $0.links.lowerBound > $1.links.lowerBound }) {
      try settled.join(links, filters)
    }
    return settled
  }

  /// The conditions in parentheses of a path, and those of its elements that are on others, which are taken out of it.
  private func taken(
    from shape: inout PathShape, _ names: PathScope
  ) throws(SQLError) -> [Expression] {
    var open = shape.filters.flatMap(\.conjuncts)
    shape.filters = []
    for site in shape.sites.indices {
      open += try names.taken(
        from: &shape.sites[site],
        whileKept: { $0.sites.isSubset(of: [site]) && $0.links.isEmpty && !$0.isElsewhere })
    }
    for (index, link) in shape.links.enumerated() {
      guard case .edge(var element, let direction) = link else { continue }
      open += try names.taken(
        from: &element,
        whileKept: {
          $0.links.isSubset(of: [index]) && $0.sites.isSubset(of: [index, index + 1])
            && !$0.isElsewhere
        })
      shape.links[index] = .edge(element, direction)
    }
    return open
  }

  static func notLocal(_ filter: Expression) -> SQLError {
    SQLError.unsupported(
      "a condition on several elements of a path that is searched", at: filter.range
    )
    .hinted(
      "A condition within a repeated part can be on the elements of that part only, and where paths are chosen one on"
        + " several elements cannot be on a repeated part and what is beyond it; conditions on the ends of the path"
        + " can stand in WHERE behind the pattern.")
  }
}

extension PathShape {
  /// Makes one part of single edges that have conditions in common.
  fileprivate mutating func join(
    _ range: ClosedRange<Int>, _ filters: [Expression]
  ) throws(SQLError) {
    let (first, end) = (range.lowerBound, range.upperBound + 1)
    let once = PathQuantifier(minimum: 1, maximum: 1, range: filters[0].range)
    var joined = Repetition(
      quantifier: once, sites: Array(sites[first...end]), edges: [], filters: filters,
      isJoined: true, range: filters[0].range)
    for case .edge(let element, let direction) in links[range] {
      joined.edges.append((element, direction))
    }
    var outer: [Part] = []
    for var part in parts {
      let (lower, upper) = (part.links.lowerBound, part.links.upperBound)
      if lower >= first, upper <= end, !part.links.isEmpty, part.variable == nil {
        joined.modes.append(((lower - first)..<(upper - first), part.mode))
        continue
      }
      // It holds the whole of the joined edges, or none of them.
      let isAround = lower <= first && upper >= end
      guard isAround || upper <= first || lower >= end else {
        throw GraphBinding.notLocal(filters[0])
      }
      let less = end - first - 1
      part.links = (lower >= end ? lower - less : lower)..<(upper >= end ? upper - less : upper)
      outer.append(part)
    }
    parts = outer
    links.replaceSubrange(range, with: [.repeated(joined)])
    sites.removeSubrange((first + 1)..<end)
  }
}

extension PathShape.Site {
  /// Adds a condition on the vertex.
  fileprivate mutating func add(_ filter: Expression) {
    guard let index = firstIndex(where: { $0.variable != nil }) else { return }
    self[index].filter = Expression(all: (self[index].filter.map { [$0] } ?? []) + [filter])
  }
}
