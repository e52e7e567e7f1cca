import Catalog
import Diagnostics
import SQLSyntax

/// Finds the graph that a text names.
///
/// It is the name of a property graph, of a junction table or of another table with one foreign key, of a foreign key, or `*`
/// for the graph of all relationships. `friend(a, b)` names the foreign keys of a table by a column of each, where there
/// are several; `employee(manager_id)` is the graph from children to parents along one, and `employee(manager_id, id)`, which names
/// the row itself by a column of its key, that from parents to children.
struct GraphNameResolver {
  let session: BindingSession

  /// - Throws: 42P01, 42809, 42703, 22023.
  func graph(
    _ text: String, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> PropertyGraphDefinition {
    let all = session.catalog.relationshipGraph
    if text == "*" { return all.pruned(to: all.edges.indices.map { $0 }) }
    var name = text
    var ends: [String]?
    if let open = text.firstIndex(of: "("), text.last == ")" {
      name = String(text[..<open])
      let list = text[text.index(after: open)..<text.index(before: text.endIndex)]
      ends = list.split(separator: ",").map {
        CatalogSnapshot.nameParts(of: String($0.trimming())).last ?? ""
      }
    }
    name = name.trimming()
    switch session.catalog.relation(spelled: name, searchPath: session.settings.searchPath) {
    case .graph(let graph):
      session.dependencies.insert(graph.id)
      return graph
    case .table(let table):
      return try graph(of: table, ends, all, at: range)
    case .view, .sequence:
      throw SQLError(
        .wrongObjectType, "\"\(name)\" is neither a table nor a property graph", at: range,
        hint: "Write a query that gives pairs, as in (SELECT a, b FROM \(name)).")
    case nil:
      let labelled = all.edges.indices.filter { index in
        all.edges[index].labels.contains { $0.name == name }
      }
      if !labelled.isEmpty { return all.pruned(to: labelled) }
      let parts = QualifiedName(Identifier(name, at: range))
      throw session.missingRelation(parts, in: scope)
    }
  }

  /// The graph whose edges a table's rows are.
  private func graph(
    of table: TableDefinition, _ ends: [String]?, _ all: PropertyGraphDefinition,
    at range: SourceRange
  ) throws(SQLError) -> PropertyGraphDefinition {
    let own = all.edges.indices.filter { all.edges[$0].table == table.id }
    let junctions = own.filter { all.edges[$0].ends?.source.columns.isEmpty == false }
    let keys = table.foreignKeys
    guard let ends else {
      if junctions.count == 1 { return all.pruned(to: junctions) }
      if keys.count == 1 || keys.count == 2, junctions.isEmpty {
        return try graph(of: table, keys.map { .key($0) }, all, at: range)
      }
      throw unclear(table, at: range)
    }
    var named: [EdgeEnd] = []
    for name in ends {
      guard let place = table.columns.firstIndex(where: { $0.name == name }) else {
        throw SQLError(
          .undefinedColumn,
          "column \"\(name)\" of relation \"\(table.name.name)\" does not exist", at: range,
          hint: session.nearest(to: name, among: table.columns.map(\.name)).map {
            "Perhaps you meant \"\($0)\"."
          })
      }
      let own = keys.filter { $0.columns.contains(place) }
      if own.count == 1 {
        named.append(.key(own[0]))
      } else if own.isEmpty, ends.count == 2,
        all.vertices.contains(where: { $0.table == table.id && $0.key.contains(place) })
      {
        named.append(.row)
      } else {
        throw unclear(table, at: range)
      }
    }
    return try graph(of: table, named, all, at: range)
  }

  /// Which vertex an edge leads from or to: the parent of a foreign key of its row, or the row itself.
  private enum EdgeEnd {
    case key(ForeignKeyConstraint)
    case row
  }

  /// The graph along one foreign key, from child to parent, or two, from the one's parent to the other's.
  private func graph(
    of table: TableDefinition, _ ends: [EdgeEnd], _ all: PropertyGraphDefinition,
    at range: SourceRange
  ) throws(SQLError) -> PropertyGraphDefinition {
    guard let own = all.vertices.firstIndex(where: { $0.table == table.id }) else {
      throw unclear(table, at: range)
    }
    let row = PropertyGraphDefinition.End(vertex: own, columns: [], vertexColumns: [])
    func end(_ end: EdgeEnd) -> PropertyGraphDefinition.End? {
      guard case .key(let key) = end else { return row }
      guard let vertex = all.vertices.firstIndex(where: { $0.table == key.parent }) else {
        return nil
      }
      return PropertyGraphDefinition.End(
        vertex: vertex, columns: key.columns, vertexColumns: key.parentColumns)
    }
    guard let place = all.edges.firstIndex(where: { $0.table == table.id }),
      let first = ends.first.flatMap(end), let last = ends.last.flatMap(end), ends.count <= 2
    else { throw unclear(table, at: range) }
    var graph = all
    graph.edges[place].ends = ends.count == 1 ? (row, last) : (first, last)
    return graph.pruned(to: [place])
  }

  private func unclear(_ table: TableDefinition, at range: SourceRange) -> SQLError {
    let name = table.name.name
    if table.foreignKeys.isEmpty {
      return SQLError(
        .invalidParameterValue, "table \"\(name)\" has no foreign key, so its rows link nothing",
        at: range,
        hint: "Name a junction table, or write a query that gives pairs: (SELECT a, b FROM …).")
    }
    let columns = table.foreignKeys.map { key in table.columns[key.columns[0]].name }
    return SQLError(
      .invalidParameterValue, "it is not clear which rows those of \"\(name)\" link", at: range,
      hint:
        "Name one foreign key by a column of its own, as in \(name)(\(columns[0])), or the two whose"
        + " rows are linked, as in \(name)(\(columns.suffix(2).joined(separator: ", "))).")
  }
}

extension PropertyGraphDefinition {
  /// Some of the edges, and the vertices that they lead from and to.
  fileprivate func pruned(to kept: [Int]) -> PropertyGraphDefinition {
    var graph = self
    var places: [Int: Int] = [:]
    graph.vertices = []
    func moved(_ end: End) -> End {
      var copy = end
      if let place = places[end.vertex] {
        copy.vertex = place
      } else {
        copy.vertex = graph.vertices.count
        places[end.vertex] = graph.vertices.count
        graph.vertices.append(vertices[end.vertex])
      }
      return copy
    }
    graph.edges = kept.map { index in
      var edge = edges[index]
      if let ends = edge.ends { edge.ends = (moved(ends.source), moved(ends.destination)) }
      return edge
    }
    return graph
  }
}

extension StringProtocol {
  /// The text without spaces around it.
  fileprivate func trimming() -> String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed() as [Character])
  }
}
