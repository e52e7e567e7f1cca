/// The keywords that are completed and coloured.
enum KeywordList {
  /// What may only follow the last of these words; nil where much may.
  static func following(_ tokens: [StatementTokens.Token]) -> [String]? {
    guard case .word(let last)? = tokens.last else { return nil }
    if tokens.count == 1, let objects = afterFirst[last] { return objects }
    if tokens.count == 3, tokens[1] == .word("table"), tokens[0] == .word("alter") {
      return ["add column", "alter column", "drop column", "rename column", "rename to"]
    }
    if tokens.count > 2, tokens[1] == .word("property"), let words = inGraph[last] { return words }
    if tokens.count == 2, last == "property" { return ["graph"] }
    return afterAny[last]
  }

  /// In definitions of property graphs.
  private static let inGraph = [
    "vertex": ["table", "tables"], "edge": ["table", "tables"], "default": ["label"],
    "no": ["properties"],
  ]

  private static let afterFirst = [
    "create": [
      "function", "index", "materialized view", "or replace", "property graph", "schema",
      "sequence",
      "table", "temporary table", "type", "unique index", "view",
    ],
    "alter": ["index", "property graph", "schema", "sequence", "table", "type", "view"],
    "drop": [
      "function", "index", "materialized view", "property graph", "schema", "sequence", "table",
      "type", "view",
    ],
    "insert": ["into"], "delete": ["from"], "merge": ["into"],
    "explain": ["analyze", "delete", "insert", "select", "update"],
    "begin": ["isolation level", "read only", "read write"], "rollback": ["to"],
    "start": ["transaction"], "backup": ["to"], "export": ["to"],
  ]

  private static let afterAny = [
    "group": ["by"], "order": ["by"], "partition": ["by"], "primary": ["key"], "foreign": ["key"],
    "inner": ["join"], "cross": ["join"], "left": ["anti join", "join", "outer join", "semi join"],
    "right": ["join", "outer join"], "full": ["join", "outer join"],
    "natural": ["anti join", "join", "left join", "semi join"],
    "is": ["distinct from", "false", "not", "null", "true"],
    "nulls": ["first", "last"],
  ]

  static let words: Set<String> = [
    "select", "from", "where", "group", "by", "order", "having", "limit", "offset", "join", "left",
    "right", "full", "inner", "outer", "cross", "natural", "lateral", "on", "using", "as", "and",
    "or", "not", "in", "exists", "between", "like", "ilike", "is", "null", "true", "false", "case",
    "when", "then", "else", "end", "union", "intersect", "except", "all", "any", "distinct",
    "insert", "into", "values", "update", "set", "delete", "returning", "conflict", "do",
    "nothing", "create", "table", "view", "index", "unique", "primary", "foreign", "key",
    "references", "check", "constraint", "default", "alter", "add", "drop", "column", "rename",
    "to", "begin", "commit", "rollback", "savepoint", "release", "with", "recursive", "explain",
    "analyze", "copy", "asc", "desc", "nulls", "first", "last", "over", "partition", "function",
    "returns", "language", "if", "cascade", "restrict", "generated", "always", "identity",
    "cardinality", "enforced", "truncate", "checkpoint", "backup", "verify", "export", "describe",
    "summarize", "serial",
    "integer", "bigint", "text",
    "varchar", "boolean", "numeric", "date",
    "timestamp", "interval", "uuid", "jsonb", "json",
  ]

  /// What is coloured as well, but completed only where it must be meant.
  static let graphWords: Set<String> = [
    "property", "graph", "graph_table", "match", "columns", "semi", "anti",
  ]

  /// Words of GRAPH_TABLE.
  static let matchWords = [
    "match", "columns", "where", "any shortest", "all shortest", "shortest", "any cheapest",
    "all cheapest", "cheapest", "cost", "trail", "acyclic", "simple", "walk", "keep",
  ]
}
