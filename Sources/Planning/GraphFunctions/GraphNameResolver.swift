import Catalog
import Diagnostics
import SQLSyntax

/// Finds the graph that a text names.
///
/// It is the name of a property graph, of a junction table or of another table with one foreign key, of a foreign key, or `*`
/// for the graph of all relationships. `friend(a, b)` names the foreign keys of a table by a column of each, where there
/// are several; `employee(manager_id)` is the graph from children to parents along one.
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
      return all.pruned(to: try edges(of: table, ends, all, at: range))
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

  /// The edges that a table's rows are.
  private func edges(
    of table: TableDefinition, _ ends: [String]?, _ all: PropertyGraphDefinition,
    at range: SourceRange
  ) throws(SQLError) -> [Int] {
    let own = all.edges.indices.filter { all.edges[$0].table == table.id }
    let junctions = own.filter { all.edges[$0].ends?.source.columns.isEmpty == false }
    let keys = own.filter { all.edges[$0].ends?.source.columns.isEmpty == true }
    guard let ends else {
      if junctions.count == 1 { return junctions }
      if junctions.isEmpty && keys.count == 1 { return keys }
      throw unclear(table, junctions.isEmpty && keys.isEmpty, at: range)
    }
    var places: [Int] = []
    for name in ends {
      guard let place = table.columns.firstIndex(where: { $0.name == name }) else {
        throw SQLError(
          .undefinedColumn,
          "column \"\(name)\" of relation \"\(table.name.name)\" does not exist", at: range,
          hint: session.nearest(to: name, among: table.columns.map(\.name)).map {
            "Perhaps you meant \"\($0)\"."
          })
      }
      places.append(place)
    }
    let found: [Int]
    if places.count == 1 {
      found = keys.filter { all.edges[$0].ends?.destination.columns.contains(places[0]) ?? false }
    } else {
      found = junctions.filter { index in
        guard places.count == 2, let edge = all.edges[index].ends else { return false }
        return edge.source.columns.contains(places[0])
          && edge.destination.columns.contains(places[1])
      }
    }
    if found.count == 1 { return found }
    throw unclear(table, false, at: range)
  }

  private func unclear(
    _ table: TableDefinition, _ isPlain: Bool, at range: SourceRange
  ) -> SQLError {
    let name = table.name.name
    if isPlain {
      return SQLError(
        .invalidParameterValue, "table \"\(name)\" has no foreign key, so its rows link nothing",
        at: range,
        hint: "Name a junction table, or write a query that gives pairs: (SELECT a, b FROM …).")
    }
    let columns = table.foreignKeys.map { key in table.columns[key.columns[0]].name }
    return SQLError(
      .invalidParameterValue, "it is not clear which rows those of \"\(name)\" link", at: range,
      hint: "Name one foreign key by its column, as in \(name)(\(columns[0])), or the two of a"
        + " junction table, as in \(name)(\(columns.prefix(2).joined(separator: ", "))).")
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
