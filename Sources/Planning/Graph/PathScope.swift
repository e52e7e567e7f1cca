import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// What elements of a path a condition uses.
struct FilterReach {
  var sites: Set<Int> = []
  var links: Set<Int> = []
  /// Whether it uses the vertex that is both the first and the last, which `sites` has as the first.
  var usesCircle = false
  /// Whether it uses elements of other paths.
  var isElsewhere = false

  /// Whether it uses no elements but the first and the last vertex, and those of other paths.
  func isOfEnds(of shape: PathShape) -> Bool {
    links.isEmpty && sites.allSatisfy { $0 == 0 || $0 == shape.links.count }
  }

  /// The same condition, with a vertex that is both the first and the last taken as the last.
  func fromEnd(of shape: PathShape) -> FilterReach {
    var reach = self
    reach.sites.remove(0)
    reach.sites.insert(shape.links.count)
    return reach
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

/// The names of a path's elements, each with columns of its own, by which a condition shows what it uses.
struct PathScope {
  private let session: BindingSession
  private let scope: Scope
  private var reaches: ColumnMap<FilterReach> = [:]

  init(_ binding: GraphBinding, _ shape: PathShape, beside others: [PathShape] = []) {
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
        edges: column(.array(.text), reach), cost: column(.double, reach))
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
        for column in known.columns { noteCircle(column.expression) }
        if let identity = names.identities[variable.name] { noteCircle(identity) }
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

  private mutating func noteCircle(_ expression: BoundExpression) {
    guard let column = expression.asColumn else { return }
    reaches[column]?.usesCircle = true
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
  mutating func add(_ other: FilterReach) {
    sites.formUnion(other.sites)
    links.formUnion(other.links)
    usesCircle = usesCircle || other.usesCircle
    isElsewhere = isElsewhere || other.isElsewhere
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
