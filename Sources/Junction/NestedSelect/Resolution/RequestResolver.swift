import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Finds in a catalog what a request names: tables, columns, relationships, and the level that each filter, order and
/// limit is about.
struct RequestResolver {
  let catalog: CatalogSnapshot
  let searchPath: [String]
  private var levelCount = 0

  init(catalog: CatalogSnapshot, searchPath: [String]) {
    self.catalog = catalog
    self.searchPath = searchPath
  }

  /// The request as a tree of levels.
  ///
  /// - Throws: PGRST205, 204, 200, 201, 108, 118, 120 for what is not there or not clear; the SQLSTATE of a type that
  ///   is none.
  mutating func resolve(_ request: ReadRequest) throws(NestedSelectError) -> ReadLevel {
    try resolve(request, from: try table(named: request.table))
  }

  /// The request as a tree of levels, of which the outermost has the rows of a table.
  ///
  /// - Throws: as the other form, but for PGRST205.
  mutating func resolve(
    _ request: ReadRequest, from table: ReadTable
  ) throws(NestedSelectError) -> ReadLevel {
    var root = try level(of: table, name: "", embedding: nil, items: request.items)
    // A condition may ask for the presence of an embed, so all embeds have to stand.
    for filter in request.filters {
      try root.place(at: filter.path) { level throws(NestedSelectError) in
        level.filters.append(try condition(filter.content, in: level))
      }
    }
    for order in request.orders {
      try root.place(at: order.path) { level throws(NestedSelectError) in
        level.order = []
        for key in order.content { level.order.append(try self.order(key, in: level)) }
      }
    }
    for limit in request.limits {
      try root.place(at: limit.path) { $0.limit = limit.content }
    }
    for offset in request.offsets {
      try root.place(at: offset.path) { $0.offset = offset.content }
    }
    return root
  }

  // MARK: Tables

  private func table(named name: String) throws(NestedSelectError) -> ReadTable {
    if let found = relation(schema: nil, name) { return found }
    if let dot = name.firstIndex(of: "."),
      let found = relation(schema: String(name[..<dot]), String(name[name.index(after: dot)...]))
    {
      return found
    }
    let schema = searchPath.first { $0 != "pg_temp" && $0 != "pg_catalog" } ?? "public"
    let nearest = nearestNames(to: name, among: catalog.relationNames, limit: 1).first
    throw NestedSelectError(
      "PGRST205", "Could not find the table '\(schema).\(name)' in the schema cache",
      hint: nearest.map { "Perhaps you meant the table '\(schema).\($0)'" })
  }

  private func relation(schema: String?, _ name: String) -> ReadTable? {
    switch catalog.relation(schema: schema, name, searchPath: searchPath) {
    case .table(let table): ReadTable(table)
    case .view(let view): ReadTable(view)
    case .sequence, .graph, nil: nil
    }
  }

  // MARK: Levels

  private mutating func level(
    of table: ReadTable, name: String, embedding: ReadLevel.Embedding?, items: [RequestItem]
  ) throws(NestedSelectError) -> ReadLevel {
    var level = ReadLevel(table: table, number: levelCount, name: name, embedding: embedding)
    levelCount += 1
    for item in items {
      switch item {
      case .column(let column) where column.isStar && column.aggregate == nil:
        level.items += table.columns.map {
          .column(ReadLevel.Column(name: $0.name, field: RequestField(name: $0.name)))
        }
      case .column(let column): level.items.append(.column(try self.column(column, of: table)))
      case .embed(let embed):
        level.items.append(.embed(level.children.count))
        level.children.append(try child(embed, of: table, level.number))
      }
    }
    return level
  }

  private mutating func child(
    _ embed: RequestEmbed, of table: ReadTable, _ parent: Int
  ) throws(NestedSelectError) -> ReadLevel {
    let relationship = try RelationshipSearch(catalog: catalog, origin: table).find(embed)
    guard let target = catalog.tables[relationship.target] else {
      throw NestedSelectError(.internal("a relationship leads to no table"))
    }
    let embedding = ReadLevel.Embedding(
      relationship: relationship, parent: parent, alias: embed.alias, target: embed.name,
      isInner: embed.join == .inner, isSpread: embed.isSpread)
    return try level(
      of: ReadTable(target), name: embed.alias ?? embed.name, embedding: embedding,
      items: embed.items)
  }

  // MARK: Columns

  private func column(
    _ request: RequestColumn, of table: ReadTable
  ) throws(NestedSelectError) -> ReadLevel.Column {
    var request = request
    // `count` without parentheses counts rows too, unless it is a column.
    if let field = request.field, field.name == "count", field.path.isEmpty,
      request.aggregate == nil, request.cast == nil, table.column(named: "count") == nil
    {
      request.field = nil
      request.aggregate = .count
    }
    if request.isStar, request.aggregate == .count { request.field = nil }
    if let field = request.field { try check(field, of: table) }
    return ReadLevel.Column(
      name: request.alias ?? request.aggregate?.rawValue ?? request.field?.lastName ?? "",
      field: request.field, cast: try typeName(request.cast), aggregate: request.aggregate,
      aggregateCast: try typeName(request.aggregateCast))
  }

  private func typeName(_ text: String?) throws(NestedSelectError) -> TypeName? {
    guard let text else { return nil }
    do throws(SQLError) {
      return try parseTypeName(text)
    } catch {
      throw NestedSelectError(error)
    }
  }

  /// - Throws: PGRST204 for a field that is neither a column nor computed by a function.
  private func check(_ field: RequestField, of table: ReadTable) throws(NestedSelectError) {
    if table.column(named: field.name) != nil || isComputed(field.name, of: table) { return }
    throw .noColumn(field.name, of: table)
  }

  /// Whether a function takes a row of the table and nothing else, so that it counts as a column.
  private func isComputed(_ name: String, of table: ReadTable) -> Bool {
    catalog.functions(schema: nil, named: name, searchPath: searchPath).contains { function in
      guard function.parameters.count == 1,
        case .record(let record) = function.parameters[0].type.type
      else { return false }
      return record.name == table.name.name
    }
  }

  // MARK: Conditions and orders

  private func condition(
    _ condition: RequestCondition, in level: ReadLevel
  ) throws(NestedSelectError) -> ReadLevel.Condition {
    switch condition {
    case .all(let list, let isNegated):
      return .all(try conditions(list, in: level), isNegated: isNegated)
    case .any(let list, let isNegated):
      return .any(try conditions(list, in: level), isNegated: isNegated)
    case .test(let test): return try self.test(test, in: level)
    }
  }

  private func conditions(
    _ list: [RequestCondition], in level: ReadLevel
  ) throws(NestedSelectError) -> [ReadLevel.Condition] {
    var result: [ReadLevel.Condition] = []
    for condition in list { result.append(try self.condition(condition, in: level)) }
    return result
  }

  private func test(
    _ test: RequestTest, in level: ReadLevel
  ) throws(NestedSelectError) -> ReadLevel.Condition {
    if test.field.path.isEmpty, let child = level.child(named: test.field.name) {
      switch test.operation {
      case .isTruth(.null): return .presence(child: child, isPresent: test.isNegated)
      case .isTruth(.notNull): return .presence(child: child, isPresent: !test.isNegated)
      case .compare, .compareEach, .symbol, .isIn, .isTruth, .isDistinct, .textSearch:
        // A column of the same name, such as the foreign key that the embed follows, is meant.
        if level.table.column(named: test.field.name) == nil {
          throw NestedSelectError(
            "PGRST120", "Bad operator on the '\(test.field.name)' embedded resource",
            details: "Only is null or not is null filters are allowed on embedded resources")
        }
      }
    }
    if case .textSearch = test.operation {
      throw NestedSelectError(.unsupported("text search"))
    }
    try check(test.field, of: level.table)
    return .test(test)
  }

  private func order(
    _ order: RequestOrder, in level: ReadLevel
  ) throws(NestedSelectError) -> ReadLevel.Order {
    var result = ReadLevel.Order(
      field: order.field, isDescending: order.isDescending, nulls: order.nulls)
    guard let name = order.embed else {
      let isShown = order.field.path.isEmpty && level.shows(order.field.name)
      if !isShown { try check(order.field, of: level.table) }
      return result
    }
    guard let index = level.child(named: name) else { throw .notEmbedded(name) }
    let child = level.children[index]
    guard child.isToOne else {
      let origin = level.table.name.name
      throw NestedSelectError(
        "PGRST118", "A related order on '\(name)' is not possible",
        details:
          "'\(origin)' and '\(name)' do not form a many-to-one or one-to-one relationship")
    }
    if !child.shows(order.field.name) { try check(order.field, of: child.table) }
    result.child = index
    return result
  }
}

extension ReadLevel {
  /// Whether a column of the select list has this name.
  func shows(_ name: String) -> Bool {
    items.contains { item in
      if case .column(let column) = item { return column.name == name }
      return false
    }
  }

  /// Does something to the level that a path of embeds leads to.
  ///
  /// - Throws: PGRST108 if there is none.
  mutating func place(
    at path: [String], _ body: (inout ReadLevel) throws(NestedSelectError) -> Void
  ) throws(NestedSelectError) {
    guard let first = path.first else { return try body(&self) }
    guard let index = child(named: first) else { throw .notEmbedded(first) }
    try children[index].place(at: Array(path.dropFirst()), body)
  }
}

extension RequestField {
  /// What a column is called without an alias: the last key of its path, else its own name.
  var lastName: String {
    for step in path.reversed() {
      if case .name(let key) = step.key { return key }
    }
    return name
  }
}
