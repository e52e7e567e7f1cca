import Diagnostics

/// The texts of `\h` and of the word `help`.
enum StatementHelp {
  /// What the word `help` prints.
  static let introduction = """
    This is junction, a relational engine that speaks PostgreSQL's SQL.
    Type:  \\h for help with SQL statements
           \\? for help with the commands of the shell
           \\g or terminate with semicolon to execute a statement
           \\q to quit

    """

  /// The forms of the statements that people look up.
  static let forms: [(name: String, form: String)] = [
    ("ALTER TABLE", "ALTER TABLE name {ADD | DROP | ALTER | RENAME} …"),
    (
      "ALTER PROPERTY GRAPH",
      """
      ALTER PROPERTY GRAPH [IF EXISTS] name action
      where action is one of
          ADD [VERTEX TABLES (…)] [EDGE TABLES (…)]
          DROP {VERTEX | EDGE} TABLES (alias, …) [CASCADE | RESTRICT]
          ALTER {VERTEX | EDGE} TABLE alias {ADD LABEL name [properties] … | DROP LABEL name}
          ALTER {VERTEX | EDGE} TABLE alias ALTER LABEL name {ADD | DROP} PROPERTIES (…)
          {RENAME TO name | SET SCHEMA schema | OWNER TO role}
      """
    ),
    ("BACKUP", "BACKUP TO 'file'"),
    ("BEGIN", "BEGIN [ISOLATION LEVEL level] [READ ONLY]"),
    ("CHECKPOINT", "CHECKPOINT"),
    ("COMMIT", "COMMIT"),
    (
      "COPY",
      "COPY {table [(column, …)] | (query)} {FROM | TO} {'file' | STDIN | STDOUT} [WITH (option, …)]"
    ),
    ("CREATE FUNCTION", "CREATE FUNCTION name (argument, …) RETURNS type LANGUAGE sql AS $$ … $$"),
    ("CREATE INDEX", "CREATE [UNIQUE] INDEX [name] ON table (column | (expression), …) [WHERE …]"),
    (
      "CREATE PROPERTY GRAPH",
      """
      CREATE [TEMPORARY] PROPERTY GRAPH name
          [VERTEX TABLES (table [AS alias] [KEY (column, …)] [label and properties], …)]
          [EDGE TABLES (table [AS alias] [KEY (column, …)]
              SOURCE [KEY (column, …) REFERENCES] vertex [(column, …)]
              DESTINATION [KEY (column, …) REFERENCES] vertex [(column, …)]
              [label and properties], …)]
      where label and properties is
          {LABEL name | DEFAULT LABEL} [PROPERTIES ({column | expression AS name}, …) |
              PROPERTIES ALL COLUMNS [EXCEPT (column, …)] | NO PROPERTIES] …
      """
    ),
    (
      "CREATE TABLE",
      "CREATE TABLE [IF NOT EXISTS] name (column type [constraint …], … [, table constraint, …])"
    ),
    ("CREATE VIEW", "CREATE [OR REPLACE] VIEW name [(column, …)] AS query"),
    ("DELETE", "DELETE FROM table [[AS] alias] [USING …] [WHERE condition] [RETURNING …]"),
    ("DROP PROPERTY GRAPH", "DROP PROPERTY GRAPH [IF EXISTS] name, … [CASCADE | RESTRICT]"),
    ("DROP TABLE", "DROP TABLE [IF EXISTS] name, … [CASCADE | RESTRICT]"),
    ("EXPLAIN", "EXPLAIN [ANALYZE] statement"),
    ("EXPORT", "EXPORT [TO 'file']"),
    (
      "GRAPH_TABLE",
      """
      GRAPH_TABLE ({graph | *} MATCH [variable =] [{ALL | ANY} [SHORTEST]] path, … [WHERE condition]
          COLUMNS (expression [AS name], …)) [AS alias]
      where path is
          (variable IS label WHERE condition)-[variable IS label]->{m,n}(…)…
      """
    ),
    (
      "INSERT",
      "INSERT INTO table [(column, …)] {VALUES (…), … | query} [ON CONFLICT …] [RETURNING …]"
    ),
    ("MERGE", "MERGE INTO table USING source ON condition WHEN [NOT] MATCHED THEN …"),
    ("ROLLBACK", "ROLLBACK [TO savepoint]"),
    ("SAVEPOINT", "SAVEPOINT name"),
    (
      "SELECT",
      """
      [WITH …] SELECT [DISTINCT] … FROM … [WHERE …] [GROUP BY …] [HAVING …] [ORDER BY …] [LIMIT n]
      where tables of FROM are joined by
          [NATURAL] [LEFT | RIGHT | FULL | LEFT SEMI | LEFT ANTI] JOIN
              {ON condition | USING (column, …)}
      """
    ),
    ("TRUNCATE", "TRUNCATE table, … [RESTART IDENTITY] [CASCADE]"),
    ("UPDATE", "UPDATE table SET column = value, … [FROM …] [WHERE condition] [RETURNING …]"),
    ("VERIFY", "VERIFY"),
  ]

  /// What `\h NAME` prints; without a name, what there is help on.
  static func text(_ name: String) -> String {
    let wanted = name.split { $0.isWhitespace || $0 == ";" }.joined(separator: " ").uppercased()
    if wanted.isEmpty || wanted == "*" {
      return "Available help:\n" + forms.map { "  \($0.name)\n" }.joined()
    }
    let found = forms.filter { $0.name.hasPrefix(wanted) }
    guard !found.isEmpty else {
      return
        "No help available for \"\(name)\".\nTry \\h with no arguments to see available help.\n"
    }
    return found.map { "Command: \($0.name)\nSyntax:\n\($0.form)\n\n" }.joined()
  }
}
