/// The keywords that are completed and coloured.
enum KeywordList {
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
    "truncate", "serial", "integer", "bigint", "text", "varchar", "boolean", "numeric", "date",
    "timestamp", "interval", "uuid", "jsonb", "json",
  ]
}
