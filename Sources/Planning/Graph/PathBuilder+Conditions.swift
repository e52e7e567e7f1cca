import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// An edge of a pattern with the vertices at its ends.
struct HopPattern {
  var start: PathShape.Site
  var edge: ElementPattern
  var direction: EdgeDirection
  var end: PathShape.Site
}

/// Conditions that hold for an edge of a path.
struct HopFilters {
  /// On the edge alone.
  var edge: [Expression] = []
  /// On the edge and the vertices at its ends.
  var hop: [Expression] = []
}

extension PathShape.Repetition {
  var hops: [HopPattern] {
    edges.enumerated().map { index, edge in
      HopPattern(
        start: sites[index], edge: edge.element, direction: edge.direction, end: sites[index + 1])
    }
  }
}

extension PathShape.Site {
  /// The same vertex with all conditions left out.
  var withoutFilters: PathShape.Site {
    map { element in
      var element = element
      element.filter = nil
      return element
    }
  }
}

/// Conditions on elements within a path that is searched.
///
/// An automaton forgets what came before the vertex it is at, so a condition must be one on a vertex, or on an edge
/// with its ends. These are given by the edge, so that both kinds come to a set of rows that may be passed.
extension PathBuilder {
  /// The conditions of a repeated part, its elements' own among them, by what they are on; nil if one is on elements
  /// that are further apart.
  func sorted(
    _ repetition: PathShape.Repetition
  ) throws(SQLError) -> (sites: [[Expression]], hops: [HopFilters])? {
    var sites: [[Expression]] = Array(repeating: [], count: repetition.sites.count)
    let patterns = repetition.hops
    var hops = Array(repeating: HopFilters(), count: patterns.count)
    var others: [Expression] = []
    for (index, site) in repetition.sites.enumerated() {
      for filter in site.compactMap(\.filter).flatMap(\.conjuncts) {
        if try isOwn(filter, of: site, isEdge: false) {
          sites[index].append(filter)
        } else {
          others.append(filter)
        }
      }
    }
    for (index, hop) in patterns.enumerated() {
      for filter in hop.edge.filter?.conjuncts ?? [] {
        if try isOwn(filter, of: [hop.edge], isEdge: true) {
          hops[index].edge.append(filter)
        } else {
          others.append(filter)
        }
      }
    }
    for filter in others + repetition.filters.flatMap(\.conjuncts) {
      let site = try firstIndex(of: repetition.sites) { (site) throws(SQLError) in
        try isLocal(filter, to: site, isEdge: false)
      }
      let edge = try firstIndex(of: patterns) { (hop) throws(SQLError) in
        try isLocal(filter, to: [hop.edge], isEdge: true)
      }
      let hop = try firstIndex(of: patterns) { (hop) throws(SQLError) in
        try isLocal(filter, to: hop)
      }
      switch (site, edge, hop) {
      case (let site?, _, _): sites[site].append(filter)
      case (_, let edge?, _): hops[edge].edge.append(filter)
      case (_, _, let hop?): hops[hop].hop.append(filter)
      case (nil, nil, nil): return nil
      }
    }
    return (sites, hops)
  }

  private func firstIndex<Element>(
    of list: [Element], where body: (Element) throws(SQLError) -> Bool
  ) throws(SQLError) -> Int? {
    for (index, element) in list.enumerated() where try body(element) { return index }
    return nil
  }

  /// The conditions that an edge has of itself.
  func own(_ element: ElementPattern, _ hop: HopPattern) throws(SQLError) -> HopFilters {
    var filters = HopFilters()
    for filter in element.filter?.conjuncts ?? [] {
      if try isOwn(filter, of: [element], isEdge: true) {
        filters.edge.append(filter)
      } else if try isLocal(filter, to: hop) {
        filters.hop.append(filter)
      } else {
        throw GraphBinding.notLocal(filter)
      }
    }
    return filters
  }

  // MARK: Sets of rows

  /// The rows of a table that meet the conditions on an element; nil for all of them.
  mutating func condition(
    on element: PropertyGraphDefinition.Element, _ patterns: [ElementPattern],
    _ filters: [Expression], isEdge: Bool
  ) throws(SQLError) -> Int? {
    let all = patterns.compactMap(\.filter) + filters
    if all.isEmpty { return nil }
    let rows = try binding.scan(of: element)
    let scope = try scope([(patterns, element, rows.columns, isEdge)])
    return try addCondition(.scan(rows.scan), [], all, scope, rows.position)
  }

  /// The edges of a table that meet the conditions on a hop in one direction; nil for all of them.
  mutating func condition(
    on hop: HopPattern, _ filters: HopFilters, _ edge: Int, isReversed: Bool
  ) throws(SQLError) -> Int? {
    var pattern = hop.edge
    pattern.filter = nil
    let element = graph.edges[edge]
    if filters.hop.isEmpty {
      return try condition(on: element, [pattern], filters.edge, isEdge: true)
    }
    let joined = try join(hop, edge, isReversed: isReversed)
    return try addCondition(
      joined.plan, joined.holding, filters.edge + filters.hop, joined.scope,
      joined.position)
  }

  private mutating func addCondition(
    _ rows: LogicalPlan, _ holding: [BoundExpression], _ filters: [Expression], _ scope: Scope,
    _ position: PlanColumn
  ) throws(SQLError) -> Int {
    let bound = holding + (try self.bound(filters, in: scope))
    let plan = LogicalPlan.project(
      .filter(rows, bound), [ProjectedColumn(position, position.reference)])
    conditions.append(plan)
    return conditions.count - 1
  }

  /// Conditions bound in a scope of elements.
  ///
  /// - Throws: 0A000 for names of elements beyond these.
  func bound(
    _ filters: [Expression], in scope: Scope
  ) throws(SQLError) -> [BoundExpression] {
    var bound: [BoundExpression] = []
    for filter in filters {
      do throws(SQLError) {
        bound += session.conjuncts(try session.bindBoolean(filter, for: "WHERE", in: scope))
      } catch  where error.state == .undefinedTable {
        throw GraphBinding.notLocal(filter)
      }
    }
    return bound
  }

  /// The rows of an edge's table with those of its ends, and the names of all three.
  private func join(
    _ hop: HopPattern, _ edge: Int, isReversed: Bool
  ) throws(SQLError) -> (
    plan: LogicalPlan, holding: [BoundExpression], scope: Scope, position: PlanColumn
  ) {
    let element = graph.edges[edge]
    guard let ends = element.ends else { throw SQLError.internal("an edge without ends") }
    let rows = try binding.scan(of: element)
    var plan = LogicalPlan.scan(rows.scan)
    var holding: [BoundExpression] = []
    var named: [NamedRows] = [([hop.edge], element, rows.columns, true)]
    let sites = isReversed ? [hop.end, hop.start] : [hop.start, hop.end]
    for (end, site) in zip([ends.source, ends.destination], sites) {
      let vertex = try binding.scan(of: graph.vertices[end.vertex])
      plan = .join(JoinPlan(.inner, plan, .scan(vertex.scan), on: []))
      holding += try binding.conditions(holding: rows, at: end, vertex)
      named.append((site, graph.vertices[end.vertex], vertex.columns, false))
    }
    return (plan, holding, try scope(named), rows.position)
  }

  // MARK: Names

  /// The patterns that an element meets, and the columns of its row.
  typealias NamedRows = (
    patterns: [ElementPattern], element: PropertyGraphDefinition.Element, columns: [PlanColumn],
    isEdge: Bool
  )

  /// The names that a condition on some elements can use.
  func scope(_ rows: [NamedRows]) throws(SQLError) -> Scope {
    let scope = Scope(parent: binding.outer)
    scope.clause = .filter
    for (patterns, element, columns, isEdge) in rows {
      var properties: [RangeColumn] = []
      for property in binding.properties(of: patterns, isEdge: isEdge) {
        let value = try binding.value(property, of: element, columns)
        properties.append(
          RangeColumn(
            name: property.name, expression: value ?? .constant(.null, property.type.type)))
      }
      for name in patterns.compactMap(\.variable)
      where !scope.entries.contains(where: { $0.name == name.name }) {
        scope.entries.append(
          RangeEntry(
            name: name.name, columns: properties, areColumnsVisible: false,
            source: RangeSource(outputs: columns.map(\.id))))
      }
    }
    scope.registered = scope.entries
    return scope
  }

  /// Whether a condition that stands at an element uses no other one.
  private func isOwn(
    _ filter: Expression, of patterns: [ElementPattern], isEdge: Bool
  ) throws(SQLError) -> Bool {
    let tables = isEdge ? graph.edges : graph.vertices
    for candidate in try binding.candidates(for: patterns, isEdge: isEdge) {
      let columns = try binding.scan(of: tables[candidate]).columns
      let scope = try scope([(patterns, tables[candidate], columns, isEdge)])
      if try uses(filter, columns, in: scope) == nil { return false }
    }
    return true
  }

  /// Whether a condition uses this element, and no other one.
  private func isLocal(
    _ filter: Expression, to patterns: [ElementPattern], isEdge: Bool
  ) throws(SQLError) -> Bool {
    guard patterns.contains(where: { $0.variable != nil }) else { return false }
    let tables = isEdge ? graph.edges : graph.vertices
    // Of a property that only some of the tables have there is a column for these only.
    for candidate in try binding.candidates(for: patterns, isEdge: isEdge) {
      let columns = try binding.scan(of: tables[candidate]).columns
      let scope = try scope([(patterns, tables[candidate], columns, isEdge)])
      guard let uses = try uses(filter, columns, in: scope) else { return false }
      if uses { return true }
    }
    return false
  }

  /// Whether a condition uses no elements but an edge and the vertices at its ends.
  private func isLocal(_ filter: Expression, to hop: HopPattern) throws(SQLError) -> Bool {
    for way in try binding.ways(hop.edge, hop.direction) {
      guard graph.edges[way.edge].ends != nil else { continue }
      let joined = try join(hop, way.edge, isReversed: way.isReversed)
      let columns = joined.plan.outputs
      guard let uses = try uses(filter, columns, in: joined.scope) else { return false }
      if uses { return true }
    }
    return false
  }

  /// Whether a condition uses some of these columns; nil if it uses names that are not in the scope.
  private func uses(
    _ filter: Expression, _ columns: [PlanColumn], in scope: Scope
  ) throws(SQLError) -> Bool? {
    do throws(SQLError) {
      let bound = try session.bindBoolean(filter, for: "WHERE", in: scope)
      return !bound.columns.isDisjoint(with: columns.map(\.id))
    } catch  where error.state == .undefinedTable {
      return nil
    }
  }
}
