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

/// The conditions of a row of edges and vertices, by what they are on.
struct SortedFilters {
  var sites: [[Expression]]
  var hops: [HopFilters]
  /// On elements that are further apart, or on none.
  var rounds: [(filter: Expression, reach: FilterReach)] = []
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
/// A condition on a vertex, or on an edge with its ends, comes to a set of rows that may be passed: an automaton forgets
/// what came before the vertex it is at. One on more is looked at where the last of its elements has been walked.
extension PathBuilder {
  /// The conditions of a repeated part, its elements' own among them.
  ///
  /// - Throws: 0A000 for one that reaches beyond the part.
  func sorted(_ repetition: PathShape.Repetition) throws(SQLError) -> SortedFilters {
    let own = repetition.sites.joined().compactMap(\.filter)
    let filters = own + repetition.edges.compactMap(\.element.filter) + repetition.filters
    return try sorted(filters, PathShape(repetition))
  }

  /// The conditions that an edge has of itself.
  func own(_ element: ElementPattern, _ hop: HopPattern) throws(SQLError) -> HopFilters {
    guard let filter = element.filter else { return HopFilters() }
    let sorted = try sorted([filter], PathShape(hop))
    var filters = sorted.hops[0]
    filters.hop += sorted.sites.flatMap { $0 }
    filters.edge += sorted.rounds.map(\.filter)
    return filters
  }

  private func sorted(
    _ filters: [Expression], _ shape: PathShape
  ) throws(SQLError) -> SortedFilters {
    var sorted = SortedFilters(
      sites: Array(repeating: [], count: shape.sites.count),
      hops: Array(repeating: HopFilters(), count: shape.links.count))
    if filters.isEmpty { return sorted }
    let names = PathScope(binding, shape)
    for filter in filters.flatMap(\.conjuncts) {
      let reach: FilterReach
      do throws(SQLError) {
        reach = try names.reach(of: filter)
      } catch  where error.state == .undefinedTable {
        throw GraphBinding.notLocal(filter)
      }
      if reach.links.isEmpty, reach.sites.count == 1, let site = reach.sites.first {
        sorted.sites[site].append(filter)
      } else if reach.sites.isEmpty, reach.links.count == 1, let link = reach.links.first {
        sorted.hops[link].edge.append(filter)
      } else if let range = reach.range, range.count == 1 {
        sorted.hops[range.lowerBound].hop.append(filter)
      } else {
        sorted.rounds.append((filter, reach))
      }
    }
    return sorted
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
      joined.edge.position)
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
  func join(
    _ hop: HopPattern, _ edge: Int, isReversed: Bool
  ) throws(SQLError) -> (
    plan: LogicalPlan, holding: [BoundExpression], scope: Scope, edge: GraphBinding.PositionedScan
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
    return (plan, holding, try scope(named), rows)
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
}
