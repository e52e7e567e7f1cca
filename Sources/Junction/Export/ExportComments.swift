import Catalog
import SQLSyntax

/// The remarks on objects.
struct ExportComments {
  private let catalog: CatalogSnapshot
  private let text: DefinitionText
  private let order: ExportOrder

  init(_ catalog: CatalogSnapshot, _ text: DefinitionText, _ order: ExportOrder) {
    self.catalog = catalog
    self.text = text
    self.order = order
  }

  /// Remarks on all that PostgreSQL has, too.
  var statements: [String] {
    var lines: [String] = []
    for table in order.tables where table.materialized == nil {
      lines += self.lines("TABLE", table)
    }
    for function in order.earlyFunctions { lines += self.lines(function) }
    return lines + order.late.flatMap { self.lines($0) } + others { !isOwn($0) }
  }

  /// Remarks on graphs and what is made of them, and on constraints that PostgreSQL does not have.
  var ownStatements: [String] {
    let graphs = catalog.graphs.values.filter { !$0.isTemporary }.sorted { $0.id < $1.id }
    return graphs.flatMap { line("PROPERTY GRAPH \(text.name($0.name))", $0.comment) }
      + order.own.flatMap { self.lines($0) } + others(where: isOwn)
  }

  /// Whether a remark is on a constraint that PostgreSQL does not have.
  private func isOwn(_ key: CommentKey) -> Bool {
    guard key.kind == "CONSTRAINT", let id = catalog.relations[key.name],
      let table = catalog.tables[id]
    else { return false }
    return table.cardinalities.contains { $0.name == key.part }
      || table.foreignKeys.contains { $0.name == key.part && !$0.isEnforced }
  }

  private func line(_ object: String, _ comment: String?) -> [String] {
    comment.map { ["COMMENT ON \(object) IS \(SQLPrinter.quotedString($0));"] } ?? []
  }

  private func lines(_ kind: String, _ table: TableDefinition) -> [String] {
    line("\(kind) \(text.name(table.name))", table.comment)
      + table.columns.flatMap {
        line("COLUMN \(text.name(table.name)).\(SQLPrinter.quoted($0.name))", $0.comment)
      }
  }

  private func lines(_ function: FunctionDefinition) -> [String] {
    line("FUNCTION \(text.signature(of: function))", function.comment)
  }

  private func lines(_ object: LateObject) -> [String] {
    switch object {
    case .view(let view): line("VIEW \(text.name(view.name))", view.comment)
    case .materialized(let table): lines("MATERIALIZED VIEW", table)
    case .function(let function): lines(function)
    }
  }

  /// Those that stand in a list of their own, by kind and name.
  private func others(where isWanted: (CommentKey) -> Bool) -> [String] {
    let all = catalog.comments.keys.filter { $0.name.schema != "pg_temp" && isWanted($0) }
    let keys = all.sorted { a, b in
      (a.kind, a.name.schema, a.name.name, a.part ?? "")
        < (b.kind, b.name.schema, b.name.name, b.part ?? "")
    }
    return keys.compactMap { key in
      guard let comment = catalog.comments[key], let object = object(key) else { return nil }
      return "COMMENT ON \(object) IS \(SQLPrinter.quotedString(comment));"
    }
  }

  /// What a remark is on; nil if that is no longer there.
  private func object(_ key: CommentKey) -> String? {
    let part = key.part.map(SQLPrinter.quoted) ?? ""
    switch key.kind {
    case "SCHEMA":
      return catalog.schemas.contains(key.name.name)
        ? "SCHEMA \(SQLPrinter.quoted(key.name.name))" : nil
    case "CONSTRAINT":
      guard let id = catalog.relations[key.name], let table = catalog.tables[id],
        table.constraintNames.contains(key.part ?? "")
      else { return nil }
      return "CONSTRAINT \(part) ON \(text.name(key.name))"
    case "COLUMN":
      return catalog.relations[key.name] == nil ? nil : "COLUMN \(text.name(key.name)).\(part)"
    case "TYPE": return catalog.typeNames[key.name] == nil ? nil : "TYPE \(text.name(key.name))"
    case "INDEX": return catalog.indexTables[key.name] == nil ? nil : "INDEX \(text.name(key.name))"
    default:
      return catalog.relations[key.name] == nil ? nil : "\(key.kind) \(text.name(key.name))"
    }
  }
}
