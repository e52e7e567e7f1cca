import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// What the conditions and columns of a GRAPH_TABLE can ask for beside properties.
final class GraphNames {
  /// What functions of a path give.
  struct Path {
    var length: BoundExpression
    var vertices: BoundExpression
    var edges: BoundExpression
    /// nil where nothing is said of what edges cost.
    var cost: BoundExpression?
  }

  /// An element of a repeated part, of which each match has a list.
  struct Group {
    /// The part that it belongs to: lists of one part are of one length.
    var part: Int
    /// Arrays by the names of properties.
    var lists: [RangeColumn]
    /// The identities of the elements.
    var identities: BoundExpression
  }

  var paths: [String: Path] = [:]
  var groups: [String: Group] = [:]
  /// The values of `element_id` for elements that come once.
  var identities: [String: BoundExpression] = [:]

  /// The same names for what stands within an aggregate, where elements come one by one.
  fileprivate var withoutGroups: GraphNames {
    let names = GraphNames()
    names.paths = paths
    names.identities = identities
    return names
  }
}

extension BindingSession {
  /// A function of a path, or an aggregate over the elements of a repeated part; nil for any other call.
  ///
  /// - Throws: 42803 for an aggregate over elements of two parts.
  func bindGraphCall(
    _ call: FunctionCall, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression? {
    guard let names = scope.nearestGraph, call.name.parts.count == 1 else { return nil }
    if call.over == nil, isAggregate(call) {
      return try bindGroup(call, names, at: range, in: scope)
    }
    guard call.arguments.count == 1, case .column(let name) = call.arguments[0].value.kind,
      name.parts.count == 1
    else { return nil }
    switch call.name.name {
    case "path_length": return try path(name, names).length
    case "path_cost":
      if let cost = try path(name, names).cost { return cost }
      throw SQLError(
        .wrongObjectType, "path \"\(name.name)\" is not one of the cheapest", at: name.range,
        hint: "Write ANY CHEAPEST before it, and what its edges cost: -[e COST e.weight]->.")
    case "vertices", "nodes": return names.paths[name.name]?.vertices
    case "edges", "relationships": return names.paths[name.name]?.edges
    case "element_id", "vertex_id", "edge_id":
      return names.identities[name.name] ?? names.groups[name.name]?.identities
    default: return nil
    }
  }

  private func path(
    _ name: QualifiedName, _ names: GraphNames
  ) throws(SQLError) -> GraphNames.Path {
    if let path = names.paths[name.name] { return path }
    throw SQLError(
      .undefinedColumn, "path variable \"\(name.name)\" does not exist", at: name.range,
      hint: nearest(to: name.name, among: names.paths.keys).map {
        "Perhaps you meant the path \"\($0)\"."
      })
  }

  /// An aggregate over the elements of a repeated part of each match: over the elements of arrays.
  private func bindGroup(
    _ call: FunctionCall, _ names: GraphNames, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression? {
    guard !names.groups.isEmpty else { return nil }
    let inner = Scope(parent: scope)
    inner.clause = .selectList
    inner.graph = names.withoutGroups
    // Each list is a column of elements within the aggregate.
    var columns: [(column: PlanColumn, list: BoundExpression, part: Int)] = []
    for (name, group) in names.groups.sorted(by: { $0.key < $1.key }) {
      var own: [RangeColumn] = []
      for list in group.lists + [RangeColumn(name: "", expression: group.identities)] {
        let type = list.expression.type.element ?? list.expression.type
        let column = makeColumn(list.name, type)
        columns.append((column, list.expression, group.part))
        own.append(RangeColumn(name: list.name, expression: .column(column.id, type)))
      }
      let identity = own.removeLast()
      // A whole element is its identity, which is never NULL.
      inner.entries.append(
        RangeEntry(
          name: name, columns: own, areColumnsVisible: false,
          source: RangeSource(outputs: own.compactMap { $0.expression.asColumn })))
      inner.entries.append(
        RangeEntry(name: nil, columns: [RangeColumn(name: name, expression: identity.expression)]))
    }
    let value = try bindCall(call, at: range, in: inner)
    if inner.aggregates.isEmpty { return nil }
    var used: ColumnSet = []
    for item in inner.aggregates {
      for child in BoundExpression.aggregate(item.call).children {
        used.formUnion(child.columnsWithSubqueries)
      }
    }
    let kept = columns.filter { used.contains($0.column.id) }
    guard Set(kept.map(\.part)).count == 1 else {
      throw SQLError(
        .groupingError, "an aggregate must be over elements of one repeated part", at: range)
    }
    var calls: [TableFunctionCall] = []
    for (column, list, _) in kept { calls.append(try unnest(list, as: column, at: range)) }
    let aggregate = LogicalPlan.aggregate(
      AggregatePlan(
        input: .tableFunction(TableFunctionPlan(calls: calls)), keys: [],
        aggregates: inner.aggregates))
    let output = makeColumn(call.name.name, for: value)
    return .subquery(
      BoundSubquery(
        kind: .scalar, plan: .project(aggregate, [ProjectedColumn(output, value)]),
        type: value.type))
  }

  private func unnest(
    _ list: BoundExpression, as column: PlanColumn, at range: SourceRange
  ) throws(SQLError) -> TableFunctionCall {
    let call = FunctionCall(QualifiedName(Identifier("unnest")))
    let arguments = CallArguments(values: [(list, range)], names: [nil], isVariadic: false)
    guard var made = try resolveSetReturning(call, arguments, columns: nil, at: range) else {
      throw SQLError.internal("arrays cannot be unnested")
    }
    made.columns = [column]
    return made
  }
}

extension Scope {
  /// The names of the GRAPH_TABLE that the query stands in, if it does.
  fileprivate var nearestGraph: GraphNames? {
    var next: Scope? = self
    while let current = next {
      if let graph = current.graph { return graph }
      next = current.parent
    }
    return nil
  }
}

extension GraphBinding {
  /// What tells an element from others: its key where that is one column and it can be of one table only, else the
  /// table with the key in text.
  func identity(
    of element: PropertyGraphDefinition.Element, _ columns: [PlanColumn], isOfOneTable: Bool
  ) throws(SQLError) -> BoundExpression {
    let keys = element.key.map { BoundExpression.column(columns[$0].id, columns[$0].type) }
    if keys.count == 1, isOfOneTable { return keys[0] }
    var text = BoundExpression.constant(.text(Array((element.name + "(").utf8)), .text)
    for (index, key) in keys.enumerated() {
      if index > 0 { text = try joined(text, .constant(.text([0x2C]), .text)) }
      let part = try session.coerce(key, to: ColumnType(.text), .explicit, at: .none)
      text = try joined(text, part ?? key)
    }
    return try joined(text, .constant(.text([0x29]), .text))
  }

  private func joined(
    _ left: BoundExpression, _ right: BoundExpression
  ) throws(SQLError) -> BoundExpression {
    try session.resolveOperator(
      Operator("||"), left: (left, .none), right: (right, .none), at: .none)
  }

  /// The type of the identities of elements that may be of some tables.
  func identityType(of candidates: Set<Int>, isEdge: Bool) -> LogicalType {
    guard candidates.count == 1, let only = candidates.first else { return .text }
    let element = isEdge ? graph.edges[only] : graph.vertices[only]
    guard element.key.count == 1, let table = session.catalog.tables[element.table] else {
      return .text
    }
    return table.columns[element.key[0]].type
  }
}

extension GraphBinding {
  /// The names of elements within searches, all of whose values are NULL, for a pattern that fits no tables.
  func emptyEntries(_ names: GraphNames) -> [RangeEntry] {
    var entries: [RangeEntry] = []
    let ids = BoundExpression.constant(.null, .array(.text))
    let path = GraphNames.Path(
      length: .constant(.null, .integer), vertices: ids, edges: ids,
      cost: .constant(.null, .double))
    for slot in vertices { note(slot.elements, names) }
    for slot in edges { note(slot.elements, names) }
    for variable in plainPaths.compactMap(\.variable) { names.paths[variable.name] = path }
    for (part, search) in searches.enumerated() {
      let parts = search.shape.parts.compactMap(\.variable)
      for variable in parts + (search.variable.map { [$0] } ?? []) {
        names.paths[variable.name] = path
      }
      for link in search.shape.links {
        switch link {
        case .edge(let element, _): entries += emptyEntries([element], isEdge: true, names)
        case .repeated(let repetition) where repetition.namesAreSingle:
          for site in repetition.sites[repetition.ownSites] {
            entries += emptyEntries(site, isEdge: false, names)
          }
          for edge in repetition.edges {
            entries += emptyEntries([edge.element], isEdge: true, names)
          }
        case .repeated(let repetition):
          for site in repetition.sites {
            entries += emptyGroup(site, part, isEdge: false, names)
          }
          for edge in repetition.edges {
            entries += emptyGroup([edge.element], part, isEdge: true, names)
          }
        }
      }
      for site in search.shape.sites.dropFirst().dropLast() {
        entries += emptyEntries(site, isEdge: false, names)
      }
    }
    return entries
  }

  private func emptyEntries(
    _ elements: [ElementPattern], isEdge: Bool, _ names: GraphNames
  ) -> [RangeEntry] {
    note(elements, names)
    return elements.compactMap(\.variable).flatMap { entry($0, elements, isEdge: isEdge) }
  }

  private func note(_ elements: [ElementPattern], _ names: GraphNames) {
    for name in elements.compactMap(\.variable) {
      names.identities[name.name] = .constant(.null, .text)
    }
  }

  private func emptyGroup(
    _ elements: [ElementPattern], _ part: Int, isEdge: Bool, _ names: GraphNames
  ) -> [RangeEntry] {
    let lists = properties(of: elements, isEdge: isEdge).filter { $0.type.type.element == nil }.map
    {
      RangeColumn(name: $0.name, expression: .constant(.null, .array($0.type.type)))
    }
    return elements.compactMap(\.variable).map { name in
      names.groups[name.name] = GraphNames.Group(
        part: part, lists: lists, identities: .constant(.null, .array(.text)))
      return RangeEntry(name: name.name, columns: lists, areColumnsVisible: false)
    }
  }
}
