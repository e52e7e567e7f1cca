import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// What elements of a path a condition uses.
private struct FilterReach {
  var sites: Set<Int> = []
  var links: Set<Int> = []
  /// Whether it uses elements of other paths.
  var isElsewhere = false

  /// Whether it uses no elements but the first and the last vertex, and those of other paths.
  func isOfEnds(of shape: PathShape) -> Bool {
    links.isEmpty && sites.allSatisfy { $0 == 0 || $0 == shape.links.count }
  }

  /// The links that it is on, with all between them.
  var range: ClosedRange<Int>? {
    var lower = links
    var upper = links
    for site in sites {
      lower.insert(site)
      upper.insert(site - 1)
    }
    guard let first = lower.min(), let last = upper.max(), first <= last else { return nil }
    return first...last
  }
}

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
    settled.filters = []
    let names = PathScope(self, shape, beside: others)
    var open = shape.filters.flatMap(\.conjuncts)
    for site in shape.sites.indices {
      open += try names.taken(
        from: &settled.sites[site],
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
      settled.links[index] = .edge(element, direction)
    }
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
      guard let range = reach.range, !shape.links[range].contains(where: \.isRepeated) else {
        throw Self.notLocal(filter)
      }
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

/// The names of a path's elements, each with columns of its own, by which a condition shows what it uses.
private struct PathScope {
  private let session: BindingSession
  private let scope: Scope
  private var reaches: [ColumnID: FilterReach] = [:]

  init(_ binding: GraphBinding, _ shape: PathShape, beside others: [PathShape]) {
    session = binding.session
    scope = Scope(parent: binding.outer)
    scope.clause = .filter
    let names = GraphNames()
    scope.graph = names
    for part in shape.parts {
      guard let variable = part.variable else { continue }
      let reach = FilterReach(links: Set(part.links))
      names.paths[variable.name] = GraphNames.Path(
        length: column(.integer, reach), vertices: column(.array(.text), reach),
        edges: column(.array(.text), reach))
    }
    for (index, site) in shape.sites.enumerated() {
      add(site, binding, names, FilterReach(sites: [index]), isEdge: false)
    }
    for (index, link) in shape.links.enumerated() {
      add(link, binding, names, FilterReach(links: [index]))
    }
    for other in others {
      let elsewhere = FilterReach(isElsewhere: true)
      for site in other.sites { add(site, binding, names, elsewhere, isEdge: false) }
      for link in other.links { add(link, binding, names, elsewhere) }
    }
    scope.registered = scope.entries
  }

  private mutating func add(
    _ link: PathShape.Link, _ binding: GraphBinding, _ names: GraphNames, _ reach: FilterReach
  ) {
    switch link {
    case .edge(let element, _): add([element], binding, names, reach, isEdge: true)
    case .repeated(let repetition):
      let isGroup = !repetition.namesAreSingle
      for site in repetition.sites {
        add(site, binding, names, reach, isEdge: false, isGroup: isGroup)
      }
      for edge in repetition.edges {
        add([edge.element], binding, names, reach, isEdge: true, isGroup: isGroup)
      }
    }
  }

  private mutating func add(
    _ elements: [ElementPattern], _ binding: GraphBinding, _ names: GraphNames,
    _ reach: FilterReach, isEdge: Bool, isGroup: Bool = false
  ) {
    for variable in elements.compactMap(\.variable) {
      // A name that comes again is that of the same element: the first and the last vertex may be one.
      if let known = scope.entries.first(where: { $0.name == variable.name }) {
        for column in known.columns { note(column.expression, reach) }
        if let identity = names.identities[variable.name] { note(identity, reach) }
        continue
      }
      var columns: [RangeColumn] = []
      for property in binding.properties(of: elements, isEdge: isEdge) {
        let type = property.type.type
        if isGroup, type.element != nil { continue }
        columns.append(
          RangeColumn(
            name: property.name, expression: column(isGroup ? .array(type) : type, reach)))
      }
      scope.entries.append(
        RangeEntry(
          name: variable.name, columns: columns, areColumnsVisible: false,
          source: RangeSource(outputs: [])))
      let candidates = (try? binding.candidates(for: elements, isEdge: isEdge)) ?? []
      let type = binding.identityType(of: Set(candidates), isEdge: isEdge)
      let identity = column(isGroup ? .array(type) : type, reach)
      if isGroup {
        names.groups[variable.name] = GraphNames.Group(
          part: 0, lists: columns, identities: identity)
      } else {
        names.identities[variable.name] = identity
      }
    }
  }

  private mutating func column(_ type: LogicalType, _ reach: FilterReach) -> BoundExpression {
    let column = session.makeColumn("element", type)
    reaches[column.id] = reach
    return column.reference
  }

  private mutating func note(_ expression: BoundExpression, _ reach: FilterReach) {
    guard let column = expression.asColumn, var known = reaches[column] else { return }
    known.add(reach)
    reaches[column] = known
  }

  /// What a condition uses.
  ///
  /// - Throws: what binding it throws.
  func reach(of filter: Expression) throws(SQLError) -> FilterReach {
    let bound = try session.bindBoolean(filter, for: "WHERE", in: scope)
    var reach = FilterReach()
    for column in bound.columnsWithSubqueries {
      if let own = reaches[column] { reach.add(own) }
    }
    return reach
  }

  /// Takes those conditions out of a vertex of which `whileKept` does not hold.
  func taken(
    from site: inout PathShape.Site, whileKept: (FilterReach) -> Bool
  ) throws(SQLError) -> [Expression] {
    var taken: [Expression] = []
    for index in site.indices { taken += try self.taken(from: &site[index], whileKept: whileKept) }
    return taken
  }

  func taken(
    from element: inout ElementPattern, whileKept: (FilterReach) -> Bool
  ) throws(SQLError) -> [Expression] {
    guard let filter = element.filter else { return [] }
    var kept: [Expression] = []
    var taken: [Expression] = []
    for conjunct in filter.conjuncts {
      if whileKept(try reach(of: conjunct)) {
        kept.append(conjunct)
      } else {
        taken.append(conjunct)
      }
    }
    if !taken.isEmpty { element.filter = Expression(all: kept) }
    return taken
  }
}

extension FilterReach {
  fileprivate mutating func add(_ other: FilterReach) {
    sites.formUnion(other.sites)
    links.formUnion(other.links)
    isElsewhere = isElsewhere || other.isElsewhere
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

extension Expression {
  /// The conditions that AND joins.
  var conjuncts: [Expression] {
    if case .and(let list) = kind { return list.flatMap(\.conjuncts) }
    return [self]
  }

  /// All of some conditions; nil for none.
  init?(all conditions: [Expression]) {
    guard let first = conditions.first else { return nil }
    self = conditions.count == 1 ? first : Expression(.and(conditions), at: first.range)
  }
}
