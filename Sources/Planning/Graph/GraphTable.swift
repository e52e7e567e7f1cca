import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// The rows of GRAPH_TABLE: those of its matches.
  ///
  /// Every way to choose tables for the elements of the pattern is a query of its own, of joins and path searches; the
  /// result is all of their rows.
  ///
  /// - Throws: 42P01, 42704, 42703 and what binding expressions throws.
  func bindGraphTable(_ table: GraphTable, in scope: Scope) throws(SQLError) -> FromItem {
    let (graph, name) = try findGraph(table.graph, in: scope)
    let binding = GraphBinding(self, graph, named: name, in: scope)
    if let filter = table.filter { binding.filters.append(filter) }
    try binding.gather(table.paths)
    let assignments = try binding.assignments()
    var query: BoundQuery?
    for assignment in assignments {
      let own = try binding.query(assignment, columns: table.columns)
      if let before = query {
        query = try combine(.union, isAll: true, before, own)
      } else {
        query = own
      }
    }
    // Names and types are settled also where no tables fit.
    let result: BoundQuery
    if let query {
      result = query
    } else {
      result = try binding.emptyQuery(columns: table.columns)
    }
    for element in graph.vertices + graph.edges { dependencies.insert(element.table) }
    let alias = table.alias?.name.name
    let entry = RangeEntry(
      name: alias,
      columns: try renamed(
        rangeColumns(result.columns), table.alias, table: alias ?? "", at: table.range),
      isRelationVisible: alias != nil, source: RangeSource(outputs: result.columns.map(\.id)))
    return FromItem(plan: result.plan, entries: [register(entry, in: scope)])
  }

  private func findGraph(
    _ name: QualifiedName?, in scope: Scope
  ) throws(SQLError) -> (PropertyGraphDefinition, String?) {
    guard let name else { return (catalog.relationshipGraph, nil) }
    switch catalog.relation(schema: name.qualifier, name.name, searchPath: settings.searchPath) {
    case .graph(let graph):
      dependencies.insert(graph.id)
      return (graph, graph.name.name)
    case nil: throw missingRelation(name, in: scope)
    case .table, .view, .sequence:
      throw SQLError(
        .wrongObjectType, "\"\(name.name)\" is not a property graph", at: name.range,
        hint: "Make one with CREATE PROPERTY GRAPH, or write * for the graph of all relationships.")
    }
  }
}

extension GraphBinding {
  /// The rows of all matches in which elements are of certain tables.
  func query(
    _ assignment: GraphAssignment, columns: [SelectItem]
  ) throws(SQLError) -> BoundQuery {
    var match = try GraphMatch(self, assignment)
    let plan = try match.plan()
    let scope = Scope(parent: outer)
    scope.entries = match.entries
    scope.registered = match.entries
    scope.graph = match.names
    var conditions = match.conditions
    scope.clause = .filter
    for element in vertices.flatMap(\.elements) + edges.flatMap(\.elements) {
      guard let filter = element.filter else { continue }
      conditions.append(try session.bindBoolean(filter, for: "WHERE", in: scope))
    }
    for filter in filters {
      conditions.append(try session.bindBoolean(filter, for: "WHERE", in: scope))
    }
    return try project(plan, conditions.flatMap(session.conjuncts), columns, in: scope)
  }

  /// No rows, with the columns that matches would have.
  func emptyQuery(columns: [SelectItem]) throws(SQLError) -> BoundQuery {
    let scope = Scope(parent: outer)
    var entries: [RangeEntry] = []
    for slot in vertices {
      entries += slot.name.map { entry($0, slot.elements, isEdge: false) } ?? []
    }
    for slot in edges { entries += slot.name.map { entry($0, slot.elements, isEdge: true) } ?? [] }
    let names = GraphNames()
    entries += emptyEntries(names)
    scope.graph = names
    scope.entries = entries
    scope.registered = entries
    var query = try project(.values(rows: [], columns: []), [], columns, in: scope)
    query.plan = .values(rows: [], columns: query.columns)
    return query
  }

  private func project(
    _ input: LogicalPlan, _ conditions: [BoundExpression], _ columns: [SelectItem], in scope: Scope
  ) throws(SQLError) -> BoundQuery {
    scope.clause = .graphColumns
    for column in columns {
      if case .all = column.kind {
        throw SQLError(
          .syntaxError, "\"*\" is not allowed in COLUMNS", at: column.range,
          hint: "Write the variable before it, as in v.*, or name the columns.")
      }
    }
    let items = try session.bindItems(columns, in: scope, keepsUnknown: false)
    try session.requireNoLeftovers(of: scope)
    let filtered = conditions.isEmpty ? input : .filter(input, conditions)
    let projected = session.project(items, over: filtered)
    return BoundQuery(
      plan: .project(filtered, projected), columns: projected.map(\.column),
      ranges: items.map(\.range))
  }

  // MARK: Properties

  /// The properties that an element variable offers, of all tables that it may be of, in their order.
  func properties(
    of elements: [ElementPattern], isEdge: Bool
  ) -> [PropertyGraphDefinition.Property] {
    let tables = isEdge ? graph.edges : graph.vertices
    let candidates = (try? candidates(for: elements, isEdge: isEdge)) ?? []
    let named = namedLabels(of: elements)
    var names: Set<String> = []
    var list: [PropertyGraphDefinition.Property] = []
    for index in candidates {
      for label in tables[index].labels where named?.contains(label.name) ?? true {
        for property in label.properties where names.insert(property.name).inserted {
          list.append(property)
        }
      }
    }
    return list
  }

  private func namedLabels(of elements: [ElementPattern]) -> Set<String>? {
    var all: Set<String>?
    for label in elements.compactMap(\.label) {
      guard let names = label.namedLabels else { return nil }
      all = (all ?? []).union(names)
    }
    return all
  }

  /// The value of a property of an element of one table, over the table's columns; nil where the table lacks it.
  func value(
    _ property: PropertyGraphDefinition.Property, of element: PropertyGraphDefinition.Element,
    _ columns: [PlanColumn]
  ) throws(SQLError) -> BoundExpression? {
    guard let own = element.properties.first(where: { $0.name == property.name }) else {
      return nil
    }
    switch own.value {
    case .column(let index): return .column(columns[index].id, columns[index].type)
    case .expression(let syntax):
      let scope = Scope(parent: nil)
      scope.entries = [RangeEntry(name: nil, columns: session.rangeColumns(columns))]
      return try session.settled(try session.bind(syntax, in: scope), at: .none)
    }
  }

  /// An entry all of whose columns are NULL.
  func entry(_ name: Identifier, _ elements: [ElementPattern], isEdge: Bool) -> [RangeEntry] {
    let columns = properties(of: elements, isEdge: isEdge).map {
      RangeColumn(name: $0.name, expression: .constant(.null, $0.type.type))
    }
    return [RangeEntry(name: name.name, columns: columns, areColumnsVisible: false)]
  }
}
