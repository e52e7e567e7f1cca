/// What statements look like; `…` stands for more of the same.
extension StatementHelp {
  static let definitions: [(name: String, form: String)] = [
    ("ABORT", "ABORT"),
    ("ALTER INDEX", "ALTER INDEX [IF EXISTS] name RENAME TO name"),
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
    ("ALTER SCHEMA", "ALTER SCHEMA name {RENAME TO name | OWNER TO role}"),
    (
      "ALTER SEQUENCE",
      "ALTER SEQUENCE [IF EXISTS] name [RESTART [WITH value]] [INCREMENT BY value] … | RENAME TO name"
    ),
    ("ALTER TABLE", "ALTER TABLE name {ADD | DROP | ALTER | RENAME} …"),
    ("ALTER TYPE", "ALTER TYPE name ADD VALUE 'label' [BEFORE | AFTER 'label'] | RENAME TO name"),
    ("ALTER VIEW", "ALTER VIEW [IF EXISTS] name RENAME TO name"),
    ("ANALYZE", "ANALYZE [table, …]"),
    ("BACKUP", "BACKUP TO 'file'"),
    ("BEGIN", "BEGIN [ISOLATION LEVEL level] [READ ONLY]"),
    ("CHECKPOINT", "CHECKPOINT"),
    ("CLOSE", "CLOSE {cursor | ALL}"),
    (
      "COMMENT",
      "COMMENT ON {TABLE | COLUMN | VIEW | INDEX | SEQUENCE | TYPE | FUNCTION | …} name IS {'text' | NULL}"
    ),
    ("COMMIT", "COMMIT"),
    (
      "COPY",
      "COPY {table [(column, …)] | (query)} {FROM | TO} {'file' | STDIN | STDOUT} [WITH (option, …)]"
    ),
    (
      "CREATE DOMAIN",
      "CREATE DOMAIN name [AS] type [DEFAULT value] [NOT NULL] [CHECK (condition using VALUE)]"
    ),
    ("CREATE FUNCTION", "CREATE FUNCTION name (argument, …) RETURNS type LANGUAGE sql AS $$ … $$"),
    ("CREATE INDEX", "CREATE [UNIQUE] INDEX [name] ON table (column | (expression), …) [WHERE …]"),
    (
      "CREATE MATERIALIZED VIEW",
      "CREATE MATERIALIZED VIEW [IF NOT EXISTS] name [(column, …)] AS query [WITH [NO] DATA]"
    ),
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
    ("CREATE SCHEMA", "CREATE SCHEMA [IF NOT EXISTS] name"),
    (
      "CREATE SEQUENCE",
      "CREATE SEQUENCE [IF NOT EXISTS] name [START value] [INCREMENT value] [MINVALUE value] [MAXVALUE value] [CYCLE]"
    ),
    (
      "CREATE TABLE",
      """
      CREATE TABLE [IF NOT EXISTS] name (column type [constraint …], … [, table constraint, …])
      where table constraint is one of
          [CONSTRAINT name] {PRIMARY KEY | UNIQUE} (column, …)
          [CONSTRAINT name] CHECK (condition)
          [CONSTRAINT name] FOREIGN KEY (column, …) REFERENCES table [(column, …)]
              [ON {DELETE | UPDATE} action] [[NOT] DEFERRABLE] [[NOT] ENFORCED]
          [CONSTRAINT name] CARDINALITY (column, …) BETWEEN low AND high
      """
    ),
    (
      "CREATE TABLE AS",
      "CREATE [TEMPORARY] TABLE [IF NOT EXISTS] name [(column, …)] AS query [WITH [NO] DATA]"
    ),
    ("CREATE TYPE", "CREATE TYPE name AS {ENUM ('label', …) | (field type, …)}"),
    ("CREATE VIEW", "CREATE [OR REPLACE] VIEW name [(column, …)] AS query"),
  ]

  static let others: [(name: String, form: String)] = [
    ("DEALLOCATE", "DEALLOCATE {name | ALL}"),
    ("DECLARE", "DECLARE name [NO] SCROLL CURSOR [WITH HOLD] FOR query"),
    ("DELETE", "DELETE FROM table [[AS] alias] [USING …] [WHERE condition] [RETURNING …]"),
    ("DESCRIBE", "DESCRIBE [table | 'file' | query]"),
    ("DISCARD", "DISCARD {ALL | PLANS | SEQUENCES | TEMPORARY}"),
    ("DROP DOMAIN", "DROP DOMAIN [IF EXISTS] name, … [CASCADE | RESTRICT]"),
    ("DROP FUNCTION", "DROP FUNCTION [IF EXISTS] name [(type, …)], … [CASCADE | RESTRICT]"),
    ("DROP INDEX", "DROP INDEX [IF EXISTS] name, … [CASCADE | RESTRICT]"),
    ("DROP MATERIALIZED VIEW", "DROP MATERIALIZED VIEW [IF EXISTS] name, … [CASCADE | RESTRICT]"),
    ("DROP PROPERTY GRAPH", "DROP PROPERTY GRAPH [IF EXISTS] name, … [CASCADE | RESTRICT]"),
    ("DROP SCHEMA", "DROP SCHEMA [IF EXISTS] name, … [CASCADE | RESTRICT]"),
    ("DROP SEQUENCE", "DROP SEQUENCE [IF EXISTS] name, … [CASCADE | RESTRICT]"),
    ("DROP TABLE", "DROP TABLE [IF EXISTS] name, … [CASCADE | RESTRICT]"),
    ("DROP TYPE", "DROP TYPE [IF EXISTS] name, … [CASCADE | RESTRICT]"),
    ("DROP VIEW", "DROP VIEW [IF EXISTS] name, … [CASCADE | RESTRICT]"),
    ("END", "END"),
    ("EXECUTE", "EXECUTE name [(value, …)]"),
    ("EXPLAIN", "EXPLAIN [ANALYZE] statement"),
    ("EXPORT", "EXPORT [TO 'file']"),
    (
      "FETCH",
      "FETCH [NEXT | PRIOR | FIRST | LAST | ABSOLUTE n | RELATIVE n | n | ALL | FORWARD … | BACKWARD …] FROM cursor"
    ),
    ("FROM", "FROM {table | 'file'}, … [SELECT …] [WHERE …] …"),
    (
      "GRAPH_TABLE",
      """
      GRAPH_TABLE ({graph | *} MATCH [variable =] [{ALL | ANY} [SHORTEST | CHEAPEST]] path, …
          [WHERE condition] COLUMNS (expression [AS name], …)) [AS alias]
      where path is
          (variable IS label WHERE condition)-[variable IS label COST expression]->{m,n}(…)…
      """
    ),
    (
      "INSERT",
      "INSERT INTO table [(column, …)] {VALUES (…), … | query} [ON CONFLICT …] [RETURNING …]"
    ),
    ("LOCK", "LOCK [TABLE] table, … [IN mode MODE] [NOWAIT]"),
    ("MERGE", "MERGE INTO table USING source ON condition WHEN [NOT] MATCHED THEN …"),
    ("MOVE", "MOVE [direction] FROM cursor"),
    ("PREPARE", "PREPARE name [(type, …)] AS statement"),
    ("REFRESH MATERIALIZED VIEW", "REFRESH MATERIALIZED VIEW name [WITH [NO] DATA]"),
    ("RELEASE SAVEPOINT", "RELEASE [SAVEPOINT] name"),
    ("RESET", "RESET {name | ALL}"),
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
    ("SET", "SET [SESSION | LOCAL] name {TO | =} {value | DEFAULT}"),
    ("SET CONSTRAINTS", "SET CONSTRAINTS {ALL | name, …} {DEFERRED | IMMEDIATE}"),
    ("SET TRANSACTION", "SET TRANSACTION [ISOLATION LEVEL level] [READ WRITE | READ ONLY]"),
    ("SHOW", "SHOW {name | ALL | TABLES}"),
    ("START TRANSACTION", "START TRANSACTION [ISOLATION LEVEL level] [READ ONLY]"),
    ("SUMMARIZE", "SUMMARIZE {table | 'file' | query}"),
    ("TABLE", "TABLE {[ONLY] table | 'file'}"),
    ("TRUNCATE", "TRUNCATE table, … [RESTART IDENTITY] [CASCADE]"),
    ("UPDATE", "UPDATE table SET column = value, … [FROM …] [WHERE condition] [RETURNING …]"),
    ("VACUUM", "VACUUM [table, …]"),
    ("VALUES", "VALUES (value, …), … [ORDER BY …] [LIMIT n]"),
    ("VERIFY", "VERIFY"),
    ("WITH", "WITH [RECURSIVE] name [(column, …)] AS (query), … statement"),
  ]
}
