import Catalog
import Columnar
import SQLSyntax

/// The objects of a catalog as the statements that make them, to be compared with those of another one.
struct CatalogPieces {
  /// An object, or a part of a table.
  struct Piece {
    /// What it is called, which tells it from others: `key "x" of table "y"`.
    let words: String
    let create: [String]
    let drop: [String]
  }

  let catalog: CatalogSnapshot
  let text: DefinitionText
  let schemas: [Piece]
  let types: [Piece]
  let sequences: [Piece]
  let ownerships: [Piece]
  let functions: [Piece]
  let tables: [TableDefinition]
  /// Views, and what else is made of tables.
  let late: [Piece]
  let graphs: [Piece]
  let comments: [Piece]

  /// What is temporary, and the record of migrations, is left out.
  init(_ catalog: CatalogSnapshot) {
    self.catalog = catalog
    let text = DefinitionText(catalog, leavingOutSchemas: true)
    self.text = text
    let order = ExportOrder(catalog, text)
    schemas = order.schemas.map {
      let name = SQLPrinter.quoted($0)
      return Piece(
        words: "schema \"\($0)\"", create: ["CREATE SCHEMA \(name);"],
        drop: ["DROP SCHEMA \(name);"])
    }
    types = order.types.map { type in
      let isDomain = Domain(type) != nil
      return Piece(
        words: "\(isDomain ? "domain" : "type") \(type.name.spoken)",
        create: [text.statement(of: type)],
        drop: ["DROP \(isDomain ? "DOMAIN" : "TYPE") \(text.name(type.name));"])
    }
    sequences = order.freeSequences.map { sequence in
      Piece(
        words: "sequence \(sequence.name.spoken)", create: [text.statement(of: sequence)],
        drop: ["DROP SEQUENCE \(text.name(sequence.name));"])
    }
    ownerships = order.freeSequences.compactMap { sequence in
      text.ownership(of: sequence).map {
        Piece(
          words: "owner of sequence \(sequence.name.spoken)", create: [$0],
          drop: ["ALTER SEQUENCE \(text.name(sequence.name)) OWNED BY NONE;"])
      }
    }
    functions = order.earlyFunctions.map { Self.piece(of: $0, text) }
    tables = order.tables.filter { $0.materialized == nil && $0.name != MigrationLog.table }
    late = (order.late + order.own).map { Self.piece(of: $0, text) }
    graphs = catalog.graphs.values.sorted { $0.id < $1.id }
      .filter { !$0.isTemporary && $0.name.schema != "pg_temp" }
      .map { graph in
        Piece(
          words: "property graph \(graph.name.spoken)", create: [text.source(of: graph) + ";"],
          drop: ["DROP PROPERTY GRAPH \(text.name(graph.name));"])
      }
    let remarks = ExportComments(catalog, text, order)
    comments = (remarks.statements + remarks.ownStatements).map { Self.piece(ofComment: $0) }
  }

  private static func piece(of function: FunctionDefinition, _ text: DefinitionText) -> Piece {
    let signature = text.signature(of: function)
    return Piece(
      words: "function \(signature)", create: [text.statement(of: function)],
      drop: ["DROP FUNCTION \(signature);"])
  }

  private static func piece(of object: LateObject, _ text: DefinitionText) -> Piece {
    switch object {
    case .function(let function): return piece(of: function, text)
    case .view(let view):
      return Piece(
        words: "view \(view.name.spoken)", create: [text.statement(of: object)],
        drop: ["DROP VIEW \(text.name(view.name));"])
    case .materialized(let table):
      var create = [text.statement(of: object)]
      create += table.keys.map { text.statement(of: $0, table) }
      create += table.indexes.map { text.statement(of: $0, table) }
      if table.materialized?.isPopulated == true {
        create.append("REFRESH MATERIALIZED VIEW \(text.name(table.name));")
      }
      return Piece(
        words: "materialized view \(table.name.spoken)", create: create,
        drop: ["DROP MATERIALIZED VIEW \(text.name(table.name));"])
    }
  }

  /// `COMMENT ON what IS 'text';`.
  private static func piece(ofComment statement: String) -> Piece {
    let end = statement.firstRange(of: " IS '")?.lowerBound ?? statement.endIndex
    let start = String(statement[..<end])
    return Piece(
      words: "comment on" + start.dropFirst("COMMENT ON".count), create: [statement],
      drop: [start + " IS NULL;"])
  }

  // MARK: Parts of tables

  /// CHECK constraints that are neither of a domain nor of a parent.
  func checks(of table: TableDefinition) -> [Piece] {
    let inherited = Set(
      table.parents.compactMap { catalog.tables[$0] }.flatMap(\.checks).map(\.name))
    return table.checks.filter { !inherited.contains($0.name) && !text.isOfDomain($0, table) }
      .map { check in
        constraint(
          "check", check.name, table,
          "ALTER TABLE \(text.name(table.name)) ADD \(text.constraint(check));")
      }
  }

  func keys(of table: TableDefinition) -> [Piece] {
    table.keys.map { key in
      let create = text.statement(of: key, table)
      return key.isIndexOnly
        ? index(key.name, table, create) : constraint("key", key.name, table, create)
    } + table.indexes.map { index($0.name, table, text.statement(of: $0, table)) }
  }

  func foreignKeys(of table: TableDefinition) -> [Piece] {
    table.foreignKeys.map {
      constraint("foreign key", $0.name, table, text.statement(of: $0, table))
    }
  }

  func cardinalities(of table: TableDefinition) -> [Piece] {
    table.cardinalities.map {
      constraint("cardinality constraint", $0.name, table, text.statement(of: $0, table))
    }
  }

  private func constraint(
    _ kind: String, _ name: String, _ table: TableDefinition, _ create: String
  ) -> Piece {
    Piece(
      words: "\(kind) \"\(name)\" of table \(table.name.spoken)", create: [create],
      drop: ["ALTER TABLE \(text.name(table.name)) DROP CONSTRAINT \(SQLPrinter.quoted(name));"])
  }

  private func index(_ name: String, _ table: TableDefinition, _ create: String) -> Piece {
    let name = ObjectName(schema: table.name.schema, name)
    return Piece(
      words: "index \"\(name.name)\" of table \(table.name.spoken)", create: [create],
      drop: ["DROP INDEX \(text.name(name));"])
  }

  // MARK: All of it

  /// Everything as a text that equal catalogs have alike, whatever was made first.
  var description: String {
    let pieces =
      schemas + types + sequences + ownerships + functions + late + graphs + comments
      + tables.flatMap {
        checks(of: $0) + keys(of: $0) + foreignKeys(of: $0) + cardinalities(of: $0)
      }
    let statements = pieces.flatMap(\.create) + tables.map(text.statement)
    return statements.sorted().joined(separator: "\n")
  }
}

extension ObjectName {
  /// The name in quotes, with its schema unless that is `public`.
  var spoken: String { schema == "public" ? "\"\(name)\"" : "\"\(schema).\(name)\"" }
}
