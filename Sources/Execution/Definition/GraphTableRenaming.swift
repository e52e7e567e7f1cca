import Catalog
import Diagnostics
import SQLSyntax

/// Lets views over `GRAPH_TABLE (* …)` follow renames: its labels are names of tables and foreign keys, its properties
/// those of columns. What other graphs call their parts is theirs.
extension DefinitionExecutor {
  func renameLabelInViews(_ old: String, to new: String, of table: ObjectID) {
    if old == new { return }
    rewriteGraphTables(on: table) { graphTable in
      graphTable.mappingElements { element in
        var copy = element
        copy.label = element.label.map { $0.renaming(old, to: new) }
        return copy
      }
    }
  }

  func renamePropertyInViews(_ old: String, to new: String, of table: TableDefinition) {
    let labels = Set([table.name.name] + table.foreignKeys.map(\.name))
    rewriteGraphTables(on: table.id) { $0.renamingProperty(old, to: new, of: labels) }
  }

  private func rewriteGraphTables(
    on table: ObjectID, _ change: @escaping (GraphTable) -> GraphTable
  ) {
    let mapper = TreeMapper(graph: { $0.graph == nil ? change($0) : $0 })
    rewriteViews(on: table) { $0.readsAllRelationships ? mapper.map($0) : $0 }
  }

  /// Those of some tables without which a query over every relationship would be another, or none.
  ///
  /// - Complexity: binds the query once for each table.
  func needed(_ tables: Set<ObjectID>, by query: SelectStatement) -> Set<ObjectID> {
    guard let now = try? environment.describe(.select(query), in: catalog) else { return tables }
    return tables.filter { table in
      var trial = catalog
      trial.removeTable(table)
      guard let then = try? environment.describe(.select(query), in: trial) else { return true }
      return now.names != then.names || now.types != then.types
    }
  }
}

extension GraphTable {
  /// The variables of its elements and paths.
  var variables: Set<String> {
    var names = Set(
      paths.compactMap(\.variable?.name) + paths.flatMap(\.terms).flatMap(\.variables))
    _ = mappingElements { element in
      if let name = element.variable?.name { names.insert(name) }
      return element
    }
    return names
  }

  /// The pattern with each vertex and edge replaced.
  func mappingElements(_ change: (ElementPattern) -> ElementPattern) -> GraphTable {
    var copy = self
    for index in copy.paths.indices {
      copy.paths[index].terms = copy.paths[index].terms.map { Self.map($0, change) }
    }
    return copy
  }

  private static func map(
    _ term: PathTerm, _ change: (ElementPattern) -> ElementPattern
  ) -> PathTerm {
    var copy = term
    switch copy.kind {
    case .vertex(let element): copy.kind = .vertex(change(element))
    case .edge(let element, let direction): copy.kind = .edge(change(element), direction)
    case .group(var group):
      group.terms = group.terms.map { map($0, change) }
      copy.kind = .group(group)
    }
    return copy
  }

  /// Renames a property of the variables whose label is one of some; columns keep their names.
  fileprivate func renamingProperty(
    _ old: String, to new: String, of labels: Set<String>
  ) -> GraphTable {
    var owners: Set<String> = []
    _ = mappingElements { element in
      if let name = element.variable?.name, element.label?.names(anyOf: labels) == true {
        owners.insert(name)
      }
      return element
    }
    if owners.isEmpty { return self }
    let mapper = TreeMapper(column: { name in
      guard let qualifier = name.qualifier, owners.contains(qualifier) else { return name }
      return DefinitionExecutor.renaming(name, old, to: new)
    })
    var copy = self
    for index in copy.columns.indices where copy.columns[index].alias == nil {
      if case .expression(let expression) = copy.columns[index].kind,
        case .column(let name) = expression.kind, name.name == old,
        owners.contains(name.qualifier ?? "")
      {
        copy.columns[index].alias = Identifier(old)
      }
    }
    return mapper.mapParts(of: copy)
  }
}

extension LabelExpression {
  fileprivate func renaming(_ old: String, to new: String) -> LabelExpression {
    var copy = self
    switch kind {
    case .name(let name):
      if name.name == old { copy.kind = .name(Identifier(new, at: name.range)) }
    case .any: break
    case .not(let inner): copy.kind = .not(inner.renaming(old, to: new))
    case .and(let left, let right):
      copy.kind = .and(left.renaming(old, to: new), right.renaming(old, to: new))
    case .or(let left, let right):
      copy.kind = .or(left.renaming(old, to: new), right.renaming(old, to: new))
    }
    return copy
  }

  /// Whether one of some labels is asked for.
  fileprivate func names(anyOf labels: Set<String>) -> Bool {
    switch kind {
    case .name(let name): labels.contains(name.name)
    case .any, .not: false
    case .and(let left, let right), .or(let left, let right):
      left.names(anyOf: labels) || right.names(anyOf: labels)
    }
  }
}

extension PathTerm {
  /// The variables of parts in parentheses.
  fileprivate var variables: [String] {
    guard case .group(let group) = kind else { return [] }
    return (group.variable.map { [$0.name] } ?? []) + group.terms.flatMap(\.variables)
  }
}
