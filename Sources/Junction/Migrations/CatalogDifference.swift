import Catalog
import SQLSyntax

/// What has to be done to make one catalog another one.
///
/// The statements can be run in their order: what rests on others goes first and comes last. A table is taken for the same one by its
/// identity, so that a new name is told as such; whatever else has a new name is another object. The order of columns is none of it.
struct CatalogDifference {
  let old: CatalogPieces
  let new: CatalogPieces
  private(set) var differences: [SchemaDifference] = []
  /// Tables that are in both, as they were and as they are.
  private let kept: [(old: TableDefinition, new: TableDefinition)]
  private let added: [TableDefinition]
  private let dropped: [TableDefinition]

  init(from old: CatalogSnapshot, to new: CatalogSnapshot) {
    var renamed = old
    var renames: [SchemaDifference] = []
    for table in new.tables.values.sorted(by: { $0.id < $1.id }) {
      guard var before = old.tables[table.id], before.name != table.name else { continue }
      renames.append(
        Self.rename(before.name, table.name, DefinitionText(new, leavingOutSchemas: true)))
      // Its sequences go along into another schema.
      for var sequence in old.sequences.values
      where sequence.owner?.table == table.id && before.name.schema != table.name.schema {
        sequence.name = ObjectName(schema: table.name.schema, sequence.name.name)
        renamed.put(sequence)
      }
      before.name = table.name
      renamed.put(before)
    }
    self.old = CatalogPieces(renamed)
    self.new = CatalogPieces(new)
    let names = Set(self.new.tables.map(\.name))
    let oldTables = Dictionary(
      self.old.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    kept = self.new.tables.compactMap { table in oldTables[table.name].map { ($0, table) } }
    added = self.new.tables.filter { oldTables[$0.name] == nil }
    dropped = self.old.tables.filter { !names.contains($0.name) }
    create(self.old.schemas, self.new.schemas)
    differences += renames
    compare()
  }

  private static func rename(
    _ old: ObjectName, _ new: ObjectName, _ text: DefinitionText
  ) -> SchemaDifference {
    var statements: [String] = []
    var now = old
    if old.name != new.name {
      statements.append("ALTER TABLE \(text.name(old)) RENAME TO \(SQLPrinter.quoted(new.name));")
      now = ObjectName(schema: old.schema, new.name)
    }
    if old.schema != new.schema {
      statements.append(
        "ALTER TABLE \(text.name(now)) SET SCHEMA \(SQLPrinter.quoted(new.schema));")
    }
    return SchemaDifference("table \(old.spoken) becomes \(new.spoken)", statements)
  }

  private mutating func compare() {
    drop(old.graphs, new.graphs)
    drop(old.late, new.late)
    dropParts()
    compareTypes()
    createSequences()
    drop(old.functions, new.functions, changedOnly: true)
    create(old.functions, new.functions)
    for table in added { createTable(table) }
    for (before, after) in kept { compareColumns(before, after) }
    compareOwnerships()
    dropTables()
    dropSequences()
    drop(old.functions, new.functions, changedOnly: false)
    drop(old.types, new.types, changedOnly: false)
    drop(old.schemas, new.schemas)
    createParts()
    create(old.late, new.late)
    create(old.graphs, new.graphs)
    drop(old.comments.filter { !isGone($0) }, new.comments, changedOnly: false)
    create(old.comments, new.comments)
  }

  mutating func note(_ words: String, _ statements: [String]) {
    differences.append(SchemaDifference(words, statements))
  }

  // MARK: Pieces

  typealias Piece = CatalogPieces.Piece

  /// Drops the pieces that are no more, or are others now; if `changedOnly` is said, only one of both.
  private mutating func drop(_ old: [Piece], _ new: [Piece], changedOnly: Bool? = nil) {
    for piece in old.reversed() {
      let now = new.first { $0.words == piece.words }
      if let now {
        if now.create != piece.create, changedOnly != false {
          note("\(piece.words) is dropped, to be made anew", piece.drop)
        }
      } else if changedOnly != true {
        note("\(piece.words) is dropped", piece.drop)
      }
    }
  }

  private mutating func create(_ old: [Piece], _ new: [Piece]) {
    for piece in new {
      let before = old.first { $0.words == piece.words }
      if let before, before.create == piece.create { continue }
      note("\(piece.words) is \(before == nil ? "added" : "changed")", piece.create)
    }
  }

  private mutating func compareTypes() {
    for (piece, type) in zip(new.types, ExportOrder(new.catalog, new.text).types) {
      guard let before = old.types.first(where: { $0.words == piece.words }) else {
        note("\(piece.words) is added", piece.create)
        continue
      }
      if before.create == piece.create { continue }
      let id = old.catalog.typeNames[type.name]
      if case .enumeration(let labels)? = id.flatMap({ old.catalog.types[$0] })?.kind,
        case .enumeration(let now) = type.kind,
        let statements = CatalogStatements.addLabels(
          labels, now, to: new.text.name(type.name))
      {
        note("\(piece.words) gets labels", statements)
      } else {
        note("\(piece.words) is changed", before.drop + piece.create)
      }
    }
  }

  // MARK: Sequences

  /// The table and column that own a sequence, by name.
  private func owner(_ words: String, _ pieces: CatalogPieces) -> (TableDefinition, String)? {
    let sequence = pieces.catalog.sequences.values.first { "sequence \($0.name.spoken)" == words }
    guard let owner = sequence?.owner, let table = pieces.catalog.tables[owner.table],
      owner.column < table.columns.count
    else { return nil }
    return (table, table.columns[owner.column].name)
  }

  private func isAdded(_ table: TableDefinition) -> Bool { added.contains { $0.id == table.id } }

  /// Those of new tables are made with them.
  private mutating func createSequences() {
    drop(old.sequences, new.sequences, changedOnly: true)
    create(
      old.sequences,
      new.sequences.filter { piece in !(owner(piece.words, new).map { isAdded($0.0) } ?? false) })
  }

  private mutating func compareOwnerships() {
    let own = new.ownerships.filter { piece in
      let words = String(piece.words.dropFirst("owner of ".count))
      return !(owner(words, new).map { isAdded($0.0) } ?? false)
    }
    create(old.ownerships, own)
  }

  /// A sequence goes with the column that owns it.
  private mutating func dropSequences() {
    let left = old.sequences.filter { piece in
      guard let (table, column) = owner(piece.words, old) else { return true }
      return kept.contains { $0.new.name == table.name && $0.new.column(named: column) != nil }
    }
    drop(left, new.sequences, changedOnly: false)
  }

  // MARK: Tables

  private mutating func createTable(_ table: TableDefinition) {
    let sequences = zip(new.sequences, ExportOrder(new.catalog, new.text).freeSequences)
      .filter { $1.owner?.table == table.id }
    let owned = sequences.compactMap { new.text.ownership(of: $1) }
    note(
      "table \(table.name.spoken) is added",
      sequences.flatMap { $0.0.create } + [new.text.statement(of: table)] + owned
        + new.keys(of: table).flatMap(\.create))
  }

  private mutating func dropTables() {
    for table in dropped.reversed() {
      note("table \(table.name.spoken) is dropped", ["DROP TABLE \(old.text.name(table.name));"])
    }
  }

  private mutating func compareColumns(_ before: TableDefinition, _ after: TableDefinition) {
    let name = new.text.name(after.name)
    for parent in after.parents {
      let parentName = new.catalog.tables[parent]?.name
      let isKnown = before.parents.contains { old.catalog.tables[$0]?.name == parentName }
      if !isKnown, let parentName {
        note(
          "table \(after.name.spoken) inherits from \(parentName.spoken)",
          ["ALTER TABLE \(name) INHERIT \(new.text.name(parentName));"])
      }
    }
    let inherited = Set(
      after.parents.compactMap { new.catalog.tables[$0] }.flatMap(\.columns).map(\.name))
    for column in after.columns where !inherited.contains(column.name) {
      let text = new.text.definition(of: column)
      guard let index = before.column(named: column.name) else {
        note(
          "column \"\(column.name)\" of table \(after.name.spoken) is added",
          ["ALTER TABLE \(name) ADD COLUMN \(text);"])
        continue
      }
      let was = before.columns[index]
      if old.text.definition(of: was) == text { continue }
      note(
        "column \"\(column.name)\" of table \(after.name.spoken) is changed: it was \(old.text.definition(of: was))",
        CatalogStatements.change(was, old.text, column, new.text, name))
    }
    let gone = Set(
      before.parents.compactMap { old.catalog.tables[$0] }.flatMap(\.columns).map(\.name))
    for column in before.columns
    where after.column(named: column.name) == nil && !gone.contains(column.name) {
      note(
        "column \"\(column.name)\" of table \(after.name.spoken) is dropped",
        ["ALTER TABLE \(name) DROP COLUMN \(SQLPrinter.quoted(column.name));"])
    }
  }

  // MARK: Keys and constraints

  /// Those of tables that stay, and the foreign keys that dropped tables have to each other.
  private mutating func dropParts() {
    func parts(_ pieces: CatalogPieces, _ table: TableDefinition) -> [Piece] {
      pieces.checks(of: table) + pieces.keys(of: table) + pieces.foreignKeys(of: table)
        + pieces.cardinalities(of: table)
    }
    for table in dropped {
      let keys = zip(table.foreignKeys, old.foreignKeys(of: table)).filter { key, _ in
        key.parent != table.id && dropped.contains { $0.id == key.parent }
      }
      drop(keys.map(\.1), [])
    }
    // Foreign keys of all tables go before the keys that they refer to.
    let olds = kept.map { ($0.old, parts(old, $0.old)) }
    let news = kept.map { parts(new, $0.new) }
    for kind in ["cardinality", "foreign", "check", "index", "key"] {
      for (place, pieces) in olds.enumerated() {
        drop(pieces.1.filter { $0.words.hasPrefix(kind) }, news[place])
      }
    }
  }

  private mutating func createParts() {
    for (before, after) in kept { create(old.keys(of: before), new.keys(of: after)) }
    for (before, after) in kept { create(old.checks(of: before), new.checks(of: after)) }
    let all = kept.map { (Optional($0.old), $0.new) } + added.map { (nil, $0) }
    for (before, after) in all {
      create(before.map { old.foreignKeys(of: $0) } ?? [], new.foreignKeys(of: after))
    }
    for (before, after) in all {
      create(before.map { old.cardinalities(of: $0) } ?? [], new.cardinalities(of: after))
    }
  }

  /// Whether a remark went with what it was on.
  private func isGone(_ comment: Piece) -> Bool {
    let gone = dropped.map { old.text.name($0.name) }
    if gone.contains(where: {
      comment.words.hasSuffix(" TABLE \($0)") || comment.words.contains(" COLUMN \($0).")
        || comment.words.hasSuffix(" ON \($0)")
    }) {
      return true
    }
    let columns = kept.flatMap { before, after in
      before.columns.filter { after.column(named: $0.name) == nil }.map {
        " COLUMN \(old.text.name(after.name)).\(SQLPrinter.quoted($0.name))"
      }
    }
    if columns.contains(where: { comment.words.hasSuffix($0) }) { return true }
    let others = old.late + old.functions + old.types + old.sequences + old.graphs + old.schemas
    let left = Set(
      (new.late + new.functions + new.types + new.sequences + new.graphs + new.schemas).map(\.words)
    )
    return others.contains { piece in
      guard !left.contains(piece.words) else { return false }
      // DROP kind name; and COMMENT ON kind name are of the same words.
      return piece.drop.contains { "comment on" + $0.dropFirst(4).dropLast() == comment.words }
    }
  }
}
