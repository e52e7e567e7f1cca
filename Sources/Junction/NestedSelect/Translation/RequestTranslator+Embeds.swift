import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension RequestTranslator {
  /// An embed as a lateral query, and what the level above has of it.
  struct Embed {
    var alias: String
    var query: SelectStatement
    /// The columns that it adds to the level above.
    var outputs: [Output]
    /// What the level above sorts by, in the order of its keys.
    var related: [Expression]

    /// The name of a column that a spread hands up.
    static func columnName(_ position: Int) -> String { "c\(position)" }
  }

  /// The lateral query of a level below the outermost.
  func embed(
    _ level: ReadLevel, orderedBy requested: [ReadLevel.Order]
  ) throws(NestedSelectError) -> Embed {
    var parts = try parts(of: level, from: linkedTable(of: level), orderedBy: requested)
    parts.conditions = linkConditions(of: level) + conditions(of: level)
    let isSpread = level.embedding?.isSpread ?? false
    if level.isToOne {
      return isSpread ? spreadOfOne(level, parts) : object(level, parts)
    }
    if isSpread, parts.isGrouped {
      throw NestedSelectError(
        "PGRST127", "Feature not implemented",
        details: "Aggregates are not implemented for one-to-many or many-to-many spreads.")
    }
    return arrays(level, parts, isSpread: isSpread)
  }

  private func alias(of level: ReadLevel) -> String { "e\(level.number)" }

  private func handedUp(_ parts: Parts, from alias: String) -> [Expression] {
    parts.related.map { .column(alias, $0.name) }
  }

  // MARK: One row

  /// A row as an object; there is no row without a partner, and so NULL above.
  private func object(_ level: ReadLevel, _ parts: Parts) -> Embed {
    let alias = alias(of: level)
    var items = [SelectItem(.object(parts.members), as: "j")]
    items += parts.related.map { SelectItem($0.value, as: $0.name) }
    return Embed(
      alias: alias, query: parts.statement(items: items),
      outputs: [Output(name: level.name, base: .column(alias, "j"), isComposed: true)],
      related: handedUp(parts, from: alias))
  }

  /// A row whose columns become those of the level above; aggregates are left to that level.
  private func spreadOfOne(_ level: ReadLevel, _ parts: Parts) -> Embed {
    let alias = alias(of: level)
    var items: [SelectItem] = []
    var outputs: [Output] = []
    for (position, output) in parts.outputs.enumerated() {
      let name = Embed.columnName(position)
      // A count of rows becomes one of a mark that only rows have.
      items.append(SelectItem(output.base ?? .yes, as: name))
      var above = output
      above.base = .column(alias, name)
      outputs.append(above)
    }
    for related in parts.related where !related.name.hasPrefix("c") {
      items.append(SelectItem(related.value, as: related.name))
    }
    return Embed(
      alias: alias, query: parts.statement(items: items, isGrouped: false), outputs: outputs,
      related: handedUp(parts, from: alias))
  }

  // MARK: Many rows

  /// All rows as one array of objects, or for a spread as one array for each column.
  private func arrays(_ level: ReadLevel, _ parts: Parts, isSpread: Bool) -> Embed {
    let alias = alias(of: level)
    let values = isSpread ? parts.members.map(\.value) : [.object(parts.members)]
    let query: SelectStatement
    if level.limit == nil && level.offset == nil && !parts.isGrouped {
      query = parts.statement(
        items: values.enumerated().map {
          SelectItem(.array($1, orderBy: parts.sort), as: Embed.columnName($0))
        })
    } else {
      query = arraysOfSome(level, parts, values)
    }
    let names = isSpread ? parts.outputs.map(\.name) : [level.name]
    let outputs = names.enumerated().map { position, name in
      Output(name: name, base: .column(alias, Embed.columnName(position)), isComposed: true)
    }
    return Embed(alias: alias, query: query, outputs: outputs, related: [])
  }

  /// The same for groups, or for as many rows as the limit lets through: they are made by a query within, which
  /// hands its sort keys out, as an aggregate takes its rows in any order.
  private func arraysOfSome(
    _ level: ReadLevel, _ parts: Parts, _ values: [Expression]
  ) -> SelectStatement {
    let inner = "r\(level.number)"
    var items = values.enumerated().map { SelectItem($1, as: Embed.columnName($0)) }
    var keys: [SortItem] = []
    for (index, key) in parts.sort.enumerated() {
      items.append(SelectItem(key.expression, as: "k\(index)"))
      var outer = key
      outer.expression = .column(inner, "k\(index)")
      keys.append(outer)
    }
    let rows = parts.statement(
      items: items, isOrdered: true, limit: level.limit, offset: level.offset)
    let arrays = values.indices.map { position in
      let name = Embed.columnName(position)
      return SelectItem(.array(.column(inner, name), orderBy: keys), as: name)
    }
    return SelectStatement(
      body: .select(
        SelectCore(
          items: arrays,
          from: [
            .subquery(
              DerivedTable(
                query: rows, alias: TableAlias(Identifier(inner)), isLateral: false, range: .none))
          ])))
  }
}
