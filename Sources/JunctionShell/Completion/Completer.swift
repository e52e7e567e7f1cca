import Catalog
import Junction

/// Finds what may stand at the cursor: a pure function of the text before it and the catalog.
struct Completer {
  typealias Completion = LineEditor.Completion

  let catalog: CatalogSnapshot
  /// The names of variables, for `\set` and `\unset`.
  var variables: [String] = []
  /// The names of the relationships of the current row, for `\into`.
  var relationships: [String] = []
  /// What COMP_KEYWORD_CASE is set to.
  var keywordCase = "preserve-upper"

  /// The words for the text before the cursor; what stands behind it may name the tables.
  func complete(_ text: String, before rest: String = "") -> Completion {
    if let command = Self.command(at: text) { return completeCommand(command) }
    if let command = Self.dotCommand(text) { return completeDotCommand(command) }
    let tokens = StatementTokens(text)
    switch tokens.opening {
    case .none, .name: break
    case .string(let typed): return completeString(typed, tokens.before)
    case .other: return Completion(replaced: 0, words: [])
    }
    var scope = TablesInScope(tokens.before, catalog: catalog)
    if scope.isEmpty, !rest.isEmpty {
      scope = TablesInScope(tokens.before + StatementTokens(firstOf: rest).before, catalog: catalog)
    }
    if case .mark(".")? = tokens.before.last { return completeQualified(tokens, scope) }
    if tokens.before.last == .mark(":"), tokens.before.dropLast().last != .mark(":"),
      GraphInScope(tokens.before, catalog: catalog) == nil
    {
      return matching(tokens.word, variables)
    }
    if let found = completeSetting(tokens) { return found }
    if tokens.word.isEmpty, case .mark("(")? = tokens.before.last, let notes = arguments(tokens) {
      return notes
    }
    return completeStatement(tokens, scope, isCalled: rest.first == "(")
  }

  /// The command that the cursor stands in: from the last backslash outside of quotes in its line.
  private static func command(at text: String) -> String? {
    var pieces = TextPieces(text)
    var command: Int?
    while let piece = pieces.next() {
      let first = pieces.bytes[piece.range.lowerBound]
      if piece.kind == .mark, first == UInt8(ascii: "\\") {
        command = piece.range.lowerBound
      } else if piece.kind == .space, pieces.bytes[piece.range].contains(0x0A) {
        command = nil
      }
    }
    return command.map { String(decoding: pieces.bytes[$0...], as: UTF8.self) }
  }

  // Statements.

  private func completeQualified(_ tokens: StatementTokens, _ scope: TablesInScope) -> Completion {
    guard tokens.before.count >= 2,
      case .word(let qualifier) = tokens.before[tokens.before.count - 2]
    else { return Completion(replaced: 0, words: []) }
    if let graph = GraphInScope(Array(tokens.before.dropLast(2)), catalog: catalog),
      let properties = graph.properties(of: qualifier)
    {
      return matching(tokens.word, properties.map(quotedName))
    }
    if let columns = scope.columns(of: qualifier) {
      return matching(tokens.word, columns.map(quotedName))
    }
    let names = catalog.relations.keys.filter { $0.schema == qualifier }.map(\.name)
    return matching(tokens.word, names.sorted().map(quotedName))
  }

  private func completeStatement(
    _ tokens: StatementTokens, _ scope: TablesInScope, isCalled: Bool
  ) -> Completion {
    if let graph = GraphInScope(tokens.before, catalog: catalog) {
      if graph.wantsName { return matching(tokens.word, graphNames + ["*"]) }
      if graph.wantsLabel.now { return matching(tokens.word, graph.labels.map(quotedName)) }
    }
    let isQuoted = tokens.opening == .name
    if !isQuoted, let following = KeywordList.following(tokens.before) {
      let found = matching(tokens.word, following.map { keyword($0, like: tokens.word) })
      if !found.words.isEmpty { return found }
    }
    switch tokens.before.last {
    case .word("join"):
      let related = scope.relatedTables(catalog)
      return matching(tokens.word, related + relationNames.filter { !related.contains($0) })
    case .word("from"), .word("into"), .word("update"), .word("table"), .word("references"),
      .word("truncate"), .word("copy"), .word("only"), .word("view"):
      let graphs = tokens.word.isEmpty ? [] : [keyword("graph_table", like: tokens.word)]
      return matching(tokens.word, relationNames + schemaNames + graphs)
    case .word("on") where scope.entries.count > 1:
      // The condition is whole, as long as ON has only just been typed.
      var reopened = tokens.before
      reopened.removeLast()
      let conditions = TablesInScope(reopened, catalog: catalog).joinConditions
      return matching(tokens.word, conditions + names(scope))
    case .word("graph") where tokens.before.first != .word("create"):
      return matching(tokens.word, graphNames)
    case .word("column") where !scope.isEmpty:
      return matching(tokens.word, scope.columns.map(quotedName))
    case .word("schema"): return matching(tokens.word, schemaNames)
    case .word("set") where !scope.entries.isEmpty:
      return matching(tokens.word, scope.columns.map(quotedName))
    case .word, .mark, .constant, nil:
      return completeFreely(tokens, scope, isCalled: isCalled)
    }
  }

  private func completeFreely(
    _ tokens: StatementTokens, _ scope: TablesInScope, isCalled: Bool
  ) -> Completion {
    let conditions = scope.joinConditions.map { keyword("on", like: tokens.word) + " " + $0 }
    let offersCondition =
      scope.entries.count > 1 && joinIsOpen(tokens.before)
      && (tokens.word.isEmpty || "on".hasPrefix(tokens.word.lowercased()))
    if offersCondition, !conditions.isEmpty {
      return Completion(replaced: tokens.word.count, words: conditions)
    }
    let graph = GraphInScope(tokens.before, catalog: catalog)
    let elements = graph?.names ?? []
    guard !tokens.word.isEmpty else {
      if wantsNames(tokens.before), !elements.isEmpty { return matching("", elements) }
      let wanted = wantsNames(tokens.before) && !scope.isEmpty
      return Completion(replaced: 0, words: wanted ? names(scope) : [])
    }
    let words = graph == nil ? [] : KeywordList.matchWords
    let own = elements.map(quotedName) + words.map { keyword($0, like: tokens.word) }
    let keywords = KeywordList.words.sorted().map { keyword($0, like: tokens.word) }
    if tokens.opening == .name { return matching(tokens.word, elements + names(scope)) }
    // A function is followed by its arguments.
    let functions = isCalled ? functionNames : functionNames.map { $0 + "(" }
    return matching(tokens.word, own + names(scope) + functions + keywords)
  }

  /// Whether the last clause is a JOIN without its ON.
  private func joinIsOpen(_ tokens: [StatementTokens.Token]) -> Bool {
    for token in tokens.reversed() {
      switch token {
      case .word("join"): return true
      case .word("on"), .word("using"), .word("where"), .word("cross"), .word("natural"):
        return false
      case .word, .mark, .constant: continue
      }
    }
    return false
  }

  /// Whether columns may follow without a letter typed.
  private func wantsNames(_ tokens: [StatementTokens.Token]) -> Bool {
    switch tokens.last {
    case .word(let word):
      [
        "select", "where", "on", "by", "having", "and", "or", "not", "distinct", "returning",
        "column",
      ]
      .contains(word)
    case .mark(let mark): mark != ")"
    case .constant, nil: false
    }
  }

  private func names(_ scope: TablesInScope) -> [String] {
    var seen: Set<String> = []
    let aliases =
      scope.entries.count + scope.viewColumns.count > 1
      ? scope.entries.map(\.name) + scope.viewColumns.map(\.name) : []
    // Before FROM is written any table's column may be meant.
    let columns = scope.isEmpty ? allColumns : scope.columns
    return (columns + aliases).filter { seen.insert($0).inserted }.map(quotedName)
  }

  private var allColumns: [String] {
    catalog.tables.values.flatMap { $0.columns.map(\.name) }.sorted()
  }

  func keyword(_ word: String, like typed: String) -> String {
    let isLower: Bool
    switch keywordCase {
    case "lower": isLower = true
    case "upper": isLower = false
    case "preserve-lower": isLower = typed.first?.isLowercase ?? true
    default: isLower = typed.first?.isLowercase ?? false
    }
    return isLower ? word : word.uppercased()
  }

  private var relationNames: [String] {
    catalog.relations.filter {
      catalog.sequences[$0.value] == nil && catalog.graphs[$0.value] == nil
    }
    .map { displayName($0.key) }.sorted()
  }

  private var graphNames: [String] {
    catalog.graphs.values.map { displayName($0.name) }.sorted()
  }

  private var schemaNames: [String] { catalog.schemas.sorted() }

  private var functionNames: [String] {
    var seen: Set<String> = []
    let names = catalog.functionNames.keys.map(\.name) + Builtins.shared.names
    return names.filter { seen.insert($0).inserted }.sorted()
  }

  /// Those of `words` that begin with what was typed, in their order.
  func matching(_ typed: String, _ words: [String]) -> Completion {
    var words = words
    if typed.hasPrefix("\"") {
      // Behind a quote everything stands in quotes.
      words = words.filter { !$0.hasSuffix("(") }
        .map { $0.hasPrefix("\"") ? $0 : "\"" + $0 + "\"" }
    }
    let folded = typed.lowercased()
    var seen: Set<String> = []
    let found = words.filter { $0.lowercased().hasPrefix(folded) && seen.insert($0).inserted }
    return Completion(replaced: typed.count, words: found)
  }
}
