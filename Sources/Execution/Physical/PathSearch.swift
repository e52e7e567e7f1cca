package import Planning

/// A join by paths: for each row of the input the paths that lead from its vertex to one of the target's rows.
///
/// Outputs: the columns of both sides and those of `outputs`, in the order of the plan node.
package struct PathSearch: Sendable {
  package var input: PhysicalPlan
  /// The column of the input that is the position of the first vertex.
  package var start: ColumnID
  package var target: PhysicalPlan
  /// The column of the target that is the position of the last vertex.
  package var end: ColumnID
  package var pattern: PathSearchPattern
  package var conditions: [PhysicalPlan]
  package var links: [PhysicalPlan]
  package var costs: [PhysicalPlan]
  package var outputs: [PathOutput]
  /// Whether paths are walked from what the statement calls their end.
  package var isReversed: Bool

  /// Whether paths may end at any row of a table, which is then not read beforehand.
  var readsWholeTarget: Bool {
    guard case .scan(let scan) = target.node, scan.filters.isEmpty else { return false }
    return scan.columns.map(\.column) == target.outputs
  }

  /// What comes out.
  var columns: [PlanColumn] {
    let sides =
      isReversed ? target.outputs + input.outputs : input.outputs + target.outputs
    return sides + outputs.map(\.column)
  }

  /// The same paths, walked from the other side.
  func reversed() -> PathSearch {
    var search = self
    (search.input, search.target) = (target, input)
    (search.start, search.end) = (end, start)
    search.pattern = pattern.reversed()
    search.isReversed.toggle()
    return search
  }
}

extension PathSearchPattern {
  /// The pattern of the same paths, each walked from its last vertex to its first.
  func reversed() -> PathSearchPattern {
    var pattern = self
    (pattern.startTable, pattern.endTable) = (endTable, startTable)
    pattern.gates = gates.reversed()
    pattern.segments = segments.reversed().map { segment in
      var reversed = segment
      reversed.sites = segment.sites.reversed()
      reversed.hops = segment.hops.reversed().map { $0.map { $0.reversed() } }
      reversed.modes = segment.modes.map { ModeRange(segment.reversed($0.range), $0.mode) }
      reversed.conditions = segment.conditions.map { $0.reversed(in: segment) }
      return reversed
    }
    pattern.parts = parts.map { ModeRange(reversed($0.range), $0.mode) }
    return pattern
  }

  /// Where in this pattern segments are of the pattern that it is the reverse of.
  func reversed(_ segments: Range<Int>) -> Range<Int> {
    let count = self.segments.count
    return (count - segments.upperBound)..<(count - segments.lowerBound)
  }

  /// Where in this pattern a place is of the pattern that it is the reverse of.
  func reversed(_ place: PathPlace) -> PathPlace {
    func mirrored(_ segment: Int) -> Int { segments.count - 1 - segment }
    switch place {
    case .vertex(let segment, let index):
      let own = mirrored(segment)
      return .vertex(segment: own, index: segments[own].hops.count - index)
    case .edge(let segment, let index):
      let own = mirrored(segment)
      return .edge(segment: own, index: segments[own].hops.count - 1 - index)
    case .gate(let index): return .gate(gates.count - 1 - index)
    }
  }
}

extension PathSegment {
  fileprivate func reversed(_ hops: Range<Int>) -> Range<Int> {
    let count = self.hops.count
    return (count - hops.upperBound)..<(count - hops.lowerBound)
  }

  fileprivate func reversed(_ place: RoundPlace) -> RoundPlace {
    switch place {
    case .vertex(let index): .vertex(hops.count - index)
    case .edge(let index): .edge(hops.count - 1 - index)
    }
  }
}

extension RoundCondition {
  fileprivate func reversed(in segment: PathSegment) -> RoundCondition {
    var condition = self
    for variant in variants.indices {
      for index in variants[variant].elements.indices {
        let place = variants[variant].elements[index].place
        condition.variants[variant].elements[index].place = segment.reversed(place)
      }
    }
    return condition
  }
}

extension PathHop {
  fileprivate func reversed() -> PathHop {
    var hop = self
    (hop.from, hop.to) = (to, from)
    switch access {
    case .junction(let from, let to): hop.access = .junction(from: to, to: from)
    case .toParent(let key): hop.access = .toChildren(key)
    case .toChildren(let key): hop.access = .toParent(key)
    case .link(let link, let isReversed): hop.access = .link(link, isReversed: !isReversed)
    }
    return hop
  }
}
