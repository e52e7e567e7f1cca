import Catalog
import Diagnostics

/// The table that records which migrations have run.
enum MigrationLog {
  static let table = ObjectName(schema: "public", "junction_migrations")

  /// A migration that has run.
  struct Entry {
    let name: String
    /// What its text was; nil for a closure.
    let textHash: String?
    /// What a closure left of an empty database; nil where that could not be found.
    let schemaHash: String?
  }

  /// Those that have run, in the order in which they did.
  ///
  /// - Throws: 42703 and others if the table is another one of this name.
  static func entries(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> [Entry] {
    guard try CatalogView.of(db).catalog.relation(schema: table.schema, table.name) != nil else {
      return []
    }
    let rows = try db.query(
      "SELECT name, text_hash, schema_hash FROM public.junction_migrations ORDER BY position")
    var entries: [Entry] = []
    for row in rows {
      entries.append(
        Entry(
          name: try row["name", as: String.self], textHash: try row["text_hash", as: String?.self],
          schemaHash: try row["schema_hash", as: String?.self]))
    }
    return entries
  }

  /// Records that a migration has run.
  static func add(
    _ entry: Entry, at position: Int, _ db: borrowing Transaction
  ) throws(SQLError) {
    try db.execute(
      """
      INSERT INTO public.junction_migrations (name, position, text_hash, schema_hash)
      VALUES (\(entry.name), \(position), \(entry.textHash), \(entry.schemaHash))
      """)
  }

  /// Makes the table if it is not there.
  static func create(_ db: borrowing Transaction) throws(SQLError) {
    try db.execute(
      """
      CREATE TABLE IF NOT EXISTS public.junction_migrations (
        name text PRIMARY KEY, position integer NOT NULL UNIQUE, text_hash text, schema_hash text,
        run_at timestamptz NOT NULL DEFAULT now())
      """)
  }
}
