import Catalog

/// The tables that a statement names, with the names they go by.
struct TablesInScope {
  /// A table and how the statement calls it.
  struct Entry {
    let table: TableDefinition
    /// The alias, or else the table's own name.
    let name: String
    /// Whether its ON is still to be written: the last of the joined tables.
    var isOpen = false
  }
  private(set) var entries: [Entry] = []
  /// Columns of views that the statement names.
  private(set) var viewColumns: [(name: String, columns: [String])] = []

  /// Words that cannot be an alias, since they go on with the statement.
  private static let clauseWords: Set<String> = [
    "on", "using", "where", "join", "left", "right", "full", "inner", "cross", "natural", "group",
    "order", "having", "limit", "offset", "union", "intersect", "except", "set", "values", "select",
    "returning", "lateral", "window", "fetch", "for", "default", "when", "do", "add", "alter",
    "drop",
    "rename",
  ]

  /// Finds `FROM t`, `JOIN t AS a`, `UPDATE t`, `INTO t` and what follows FROM's commas.
  init(_ tokens: [StatementTokens.Token], catalog: CatalogSnapshot) {
    var index = 0
    var isInFrom = false
    let makesIndex = tokens.first == .word("create") && tokens.prefix(3).contains(.word("index"))
    while index < tokens.count {
      switch tokens[index] {
      case .word("from"), .word("join"), .word("update"), .word("into"), .word("table"),
        .word("references"),
        .word("on") where tokens[index] != .word("on") || makesIndex:
        isInFrom = true
        index += 1
        take(tokens, &index, catalog)
      case .mark(",") where isInFrom:
        index += 1
        take(tokens, &index, catalog)
      case .word("where"), .word("group"), .word("order"), .word("set"), .word("select"),
        .word("values"), .mark("("), .mark(")"):
        isInFrom = false
        index += 1
      case .word("on"), .word("using"):
        if !entries.isEmpty { entries[entries.count - 1].isOpen = false }
        index += 1
      case .word, .mark, .constant: index += 1
      }
    }
  }

  /// Reads `[schema .] name [[AS] alias]`.
  private mutating func take(
    _ tokens: [StatementTokens.Token], _ index: inout Int, _ catalog: CatalogSnapshot
  ) {
    while index < tokens.count, tokens[index] == .word("only") || tokens[index] == .word("lateral")
    {
      index += 1
    }
    guard index < tokens.count, case .word(var name) = tokens[index] else { return }
    index += 1
    var schema: String?
    if index + 1 < tokens.count, tokens[index] == .mark("."),
      case .word(let inner) = tokens[index + 1]
    {
      schema = name
      name = inner
      index += 2
    }
    var alias = name
    if index < tokens.count, tokens[index] == .word("as") { index += 1 }
    if index < tokens.count, case .word(let word) = tokens[index],
      !Self.clauseWords.contains(word)
    {
      alias = word
      index += 1
    }
    switch catalog.relation(schema: schema, name) {
    case .table(let table):
      for place in entries.indices { entries[place].isOpen = false }
      entries.append(Entry(table: table, name: alias, isOpen: true))
    case .view(let view): viewColumns.append((alias, view.columnNames))
    case .sequence, .graph, nil: break
    }
  }

  /// Whether no table or view is named.
  var isEmpty: Bool { entries.isEmpty && viewColumns.isEmpty }

  /// The columns of everything in scope.
  var columns: [String] {
    entries.flatMap { $0.table.columns.map(\.name) } + viewColumns.flatMap(\.columns)
  }

  /// The columns of the table that goes by `name`.
  func columns(of name: String) -> [String]? {
    entries.first { $0.name == name }?.table.columns.map(\.name)
      ?? viewColumns.first { $0.name == name }?.columns
  }

  /// The conditions that tie the table joined last to those before it, by the foreign keys between them.
  ///
  /// Each is whole, such as `e.student_id = s.id`; nearer tables come first.
  var joinConditions: [String] {
    guard let last = entries.last, last.isOpen else { return [] }
    var conditions: [String] = []
    for other in entries.dropLast().reversed() {
      for key in last.table.foreignKeys where key.parent == other.table.id {
        conditions.append(Self.condition(key, child: last, parent: other, childFirst: true))
      }
      for key in other.table.foreignKeys where key.parent == last.table.id {
        conditions.append(Self.condition(key, child: other, parent: last, childFirst: false))
      }
    }
    return conditions
  }

  private static func condition(
    _ key: ForeignKeyConstraint, child: Entry, parent: Entry, childFirst: Bool
  ) -> String {
    zip(key.columns, key.parentColumns).map { column, target in
      let left = "\(quotedName(child.name)).\(quotedName(child.table.columns[column].name))"
      let right = "\(quotedName(parent.name)).\(quotedName(parent.table.columns[target].name))"
      return childFirst ? "\(left) = \(right)" : "\(right) = \(left)"
    }.joined(separator: " AND ")
  }

  /// The names of tables that a foreign key ties to one in scope.
  func relatedTables(_ catalog: CatalogSnapshot) -> [String] {
    var names: [String] = []
    for entry in entries {
      let parents = entry.table.foreignKeys.compactMap { catalog.tables[$0.parent]?.name }
      let children = catalog.foreignKeys(to: entry.table.id).map(\.child.name)
      for name in (parents + children).map(displayName).sorted() where !names.contains(name) {
        names.append(name)
      }
    }
    return names
  }
}
