import Catalog
import Diagnostics
import SQLSyntax

extension RequestTranslator {
  /// The alias of a level's table.
  func alias(ofTable level: ReadLevel) -> String { "t\(level.number)" }

  /// The alias of the junction on the way to a level.
  private func alias(ofJunction level: ReadLevel) -> String { "j\(level.number)" }

  private func reference(_ name: ObjectName, as alias: String) -> TableReference {
    .table(
      NamedTable(
        QualifiedName([Identifier(name.schema), Identifier(name.name)]),
        alias: TableAlias(Identifier(alias))))
  }

  /// The table of a level.
  func table(of level: ReadLevel) -> TableReference {
    let alias = alias(ofTable: level)
    switch level.source {
    case .table: return reference(level.table.name, as: alias)
    case .query(let name):
      return .table(
        NamedTable(QualifiedName(Identifier(name)), alias: TableAlias(Identifier(alias))))
    case .function(let call):
      return .call(call, as: alias, columns: level.table.columns.map(\.name))
    }
  }

  /// The table of a level with the junction that leads to it.
  func linkedTable(of level: ReadLevel) -> TableReference {
    guard case .throughJunction(_, let far)? = level.embedding?.relationship.route,
      let junction = catalog.tables[far.child]
    else { return table(of: level) }
    let link = equalities(
      far, child: alias(ofJunction: level), parent: alias(ofTable: level))
    return reference(junction.name, as: alias(ofJunction: level))
      .joined(.inner, table(of: level), on: .all(link) ?? .yes)
  }

  /// What ties a level's rows to a row of the level above.
  func linkConditions(of level: ReadLevel) -> [Expression] {
    guard let embedding = level.embedding else { return [] }
    let own = alias(ofTable: level)
    let above = "t\(embedding.parent)"
    switch embedding.relationship.route {
    case .toParent(let link): return equalities(link, child: above, parent: own)
    case .toChildren(let link): return equalities(link, child: own, parent: above)
    case .throughJunction(let near, _):
      return equalities(near, child: alias(ofJunction: level), parent: above)
    }
  }

  private func equalities(
    _ link: ForeignKeyLink, child: String, parent: String
  ) -> [Expression] {
    guard let from = catalog.tables[link.child], let to = catalog.tables[link.parent] else {
      return []
    }
    return zip(link.columns, link.parentColumns).map { column, parentColumn in
      .infix(
        .column(child, from.columns[column].name), "=",
        .column(parent, to.columns[parentColumn].name))
    }
  }

  // MARK: A limit of the outermost level

  /// Whether a limit can take effect before embeds are joined, so that only few of them are put together.
  func canLimitEarly(_ level: ReadLevel) -> Bool {
    guard level.limit != nil || level.offset != nil,
      level.children.contains(where: \.isVisible),
      level.order.allSatisfy({ $0.child == nil && level.table.column(named: $0.field.name) != nil })
    else { return false }
    return !level.isGrouped
  }

  /// The rows of the outermost level that its filters, order and limit leave, under its alias.
  func limitedTable(of level: ReadLevel) -> TableReference {
    let parts = Parts(
      source: table(of: level), outputs: [], conditions: conditions(of: level),
      sort: level.order.map { $0.sortItem(value(of: $0.field, in: level)) })
    let rows = parts.statement(
      items: [SelectItem(.all)], isOrdered: true, limit: level.limit, offset: level.offset)
    return .subquery(
      DerivedTable(
        query: rows, alias: TableAlias(Identifier(alias(ofTable: level))), isLateral: false,
        range: .none))
  }
}

extension ReadLevel {
  /// Whether the level's rows are groups: it has an aggregate, or takes one over from a spread.
  var isGrouped: Bool {
    items.contains { item in
      switch item {
      case .column(let column): return column.aggregate != nil
      case .embed(let index):
        let child = children[index]
        return child.embedding?.isSpread == true && child.isToOne && child.isGrouped
      }
    }
  }
}
