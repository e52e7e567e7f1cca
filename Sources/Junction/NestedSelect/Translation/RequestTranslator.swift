import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Turns the levels of a nested select into the tree of one SELECT.
///
/// Every level is a SELECT of its own. An embed is joined to its parent as a lateral query, which the optimiser
/// makes a plain join, grouped by the parent's key where the embed has many rows; a spread
/// hands its columns up one by one, any other embed its rows as JSON. `!inner` and the tests for presence
/// are EXISTS, and so semi- and anti-joins. Values from the request stand as literals in
/// the tree and never meet a parser.
struct RequestTranslator {
  let catalog: CatalogSnapshot

  /// A query of one column: each row of the outermost level as JSON, in order.
  ///
  /// - Throws: PGRST127 for an aggregate where a spread makes arrays.
  func query(for level: ReadLevel) throws(NestedSelectError) -> SelectStatement {
    let limitsEarly = canLimitEarly(level)
    let source = limitsEarly ? limitedTable(of: level) : table(of: level)
    var parts = try parts(of: level, from: source, orderedBy: [])
    if !limitsEarly {
      parts.conditions = conditions(of: level)
    }
    return parts.statement(
      items: [SelectItem(.object(parts.members), as: "row")], isOrdered: true,
      limit: limitsEarly ? nil : level.limit, offset: limitsEarly ? nil : level.offset)
  }

  // MARK: Parts of a level

  /// A level on its way to a SELECT.
  struct Parts {
    var source: TableReference
    var outputs: [Output]
    var conditions: [Expression] = []
    var sort: [SortItem] = []
    /// Values that the level above sorts by.
    var related: [Related] = []

    /// Whether rows are put together to groups.
    var isGrouped: Bool { outputs.contains { $0.aggregate != nil } }

    /// Names and values of the columns in the level's own rows.
    var members: [(name: String, value: Expression)] {
      outputs.map { ($0.name, $0.value(isGrouped: isGrouped)) }
    }

    func statement(
      items: [SelectItem], isOrdered: Bool = false, limit: Int64? = nil, offset: Int64? = nil,
      isGrouped: Bool? = nil
    ) -> SelectStatement {
      var groupBy: GroupByClause?
      if isGrouped ?? self.isGrouped {
        let keys = outputs.filter { $0.aggregate == nil }.compactMap(\.groupingKey)
        if !keys.isEmpty {
          groupBy = GroupByClause(elements: keys.map { .expression($0) })
        }
      }
      return SelectStatement(
        body: .select(
          SelectCore(
            items: items, from: [source], filter: .all(conditions), groupBy: groupBy)),
        orderBy: isOrdered ? sort : [], limit: limit.map(Expression.number),
        offset: offset.map(Expression.number))
    }
  }

  /// What a level gives under one name.
  struct Output {
    var name: String
    /// The value, or what is aggregated; nil for the rows themselves.
    var base: Expression?
    var aggregate: RequestColumn.Aggregate?
    var aggregateCast: TypeName?
    /// Whether the value is JSON that was put together below, which cannot be a key of groups as it is.
    var isComposed = false

    /// What rows are grouped by.
    var groupingKey: Expression? {
      isComposed ? base.map { .cast($0, to: "text") } : base
    }

    /// The value in the rows of the level.
    func value(isGrouped: Bool) -> Expression {
      guard let aggregate else {
        guard let base else { return .yes }
        return isGrouped && isComposed ? .cast(.cast(base, to: "text"), to: "json") : base
      }
      let result = base.map { Expression.call(aggregate.rawValue, [$0]) } ?? .rowCount
      return aggregateCast.map { Expression(.cast(result, $0)) } ?? result
    }
  }

  /// A value by which the level above sorts, under the name that the embed's query gives it.
  struct Related {
    var name: String
    var value: Expression
  }

  /// The sources, columns and order of a level.
  ///
  /// `source` is its table, and `requested` what the level above sorts by.
  ///
  /// - Throws: PGRST127 for an aggregate where a spread makes arrays.
  func parts(
    of level: ReadLevel, from source: TableReference, orderedBy requested: [ReadLevel.Order]
  ) throws(NestedSelectError) -> Parts {
    var parts = Parts(source: source, outputs: [])
    var embeds: [Int: Embed] = [:]
    for (index, child) in level.children.enumerated() {
      let related = level.order.filter { $0.child == index }
      guard child.isVisible || !related.isEmpty else { continue }
      let embed = try self.embed(child, orderedBy: related)
      parts.source = parts.source.leftJoin(lateral: embed.query, as: embed.alias)
      embeds[index] = embed
    }
    for item in level.items {
      switch item {
      case .column(let column): parts.outputs.append(output(column, of: level))
      case .embed(let child):
        if level.children[child].isVisible { parts.outputs += embeds[child]?.outputs ?? [] }
      }
    }
    var used: [Int: Int] = [:]
    for order in level.order {
      let key: Expression
      if let child = order.child {
        let position = used[child, default: 0]
        used[child] = position + 1
        guard let embed = embeds[child], position < embed.related.count else { continue }
        key = embed.related[position]
      } else {
        key = ownKey(order.field, of: level, parts)
      }
      parts.sort.append(order.sortItem(key))
    }
    if parts.isGrouped {
      // Groups that nothing else tells apart come in the order of their keys, always the same.
      let keys = parts.outputs.filter { $0.aggregate == nil }.compactMap(\.groupingKey)
      parts.sort += keys.map { SortItem($0) }
    }
    parts.related = related(requested, of: level, parts)
    return parts
  }

  private func output(_ column: ReadLevel.Column, of level: ReadLevel) -> Output {
    var base = column.field.map { value(of: $0, in: level) }
    if let type = column.cast, let value = base { base = Expression(.cast(value, type)) }
    return Output(
      name: column.name, base: base, aggregate: column.aggregate,
      aggregateCast: column.aggregateCast)
  }

  /// A key of the level's own order: a column of its table, else one of its select list.
  private func ownKey(_ field: RequestField, of level: ReadLevel, _ parts: Parts) -> Expression {
    if level.table.column(named: field.name) == nil,
      let output = parts.outputs.first(where: { $0.name == field.name })
    {
      return output.value(isGrouped: parts.isGrouped)
    }
    return value(of: field, in: level)
  }

  /// What the level above sorts by: columns of the select list, else of the table.
  private func related(
    _ requested: [ReadLevel.Order], of level: ReadLevel, _ parts: Parts
  ) -> [Related] {
    requested.enumerated().map { index, order in
      let field = order.field
      for (place, item) in level.items.enumerated() {
        guard case .column(let column) = item, column.name == field.name,
          let output = parts.outputs.first(where: { $0.name == field.name })
        else { continue }
        let isPlain = field.path.isEmpty && level.embedding?.isSpread == true
        if isPlain && output.aggregate == nil {
          let position = parts.outputs.firstIndex { $0.name == field.name } ?? place
          return Related(name: Embed.columnName(position), value: output.value(isGrouped: false))
        }
        let shown = output.value(isGrouped: parts.isGrouped)
        return Related(name: "o\(index)", value: stepping(field.path, from: shown, type: nil))
      }
      return Related(name: "o\(index)", value: value(of: field, in: level))
    }
  }
}

extension ReadLevel.Order {
  func sortItem(_ key: Expression) -> SortItem {
    SortItem(
      key, isDescending: isDescending, nulls: nulls.map { $0 == .first ? .first : .last })
  }
}
