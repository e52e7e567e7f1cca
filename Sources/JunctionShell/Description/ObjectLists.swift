import Catalog
import Columnar
import Junction
import SQLSyntax

/// The tables that `\dt` and its kin show.
struct ObjectLists {
  let catalog: CatalogSnapshot
  let pattern: NamePattern?
  let isVerbose: Bool
  /// Whether objects of the system are asked for.
  var showsSystem = false
  /// Rows and bytes of tables, for lists that show them.
  var sizes: (ObjectID) -> TableSize? = { _ in nil }
  /// The one owner of everything.
  static let owner = "junction"

  func isMeant(_ name: ObjectName) -> Bool {
    // A temporary table is searched first, so it is listed with the others.
    pattern.map { $0.matches(name) } ?? (name.schema == "public" || name.schema == "pg_temp")
  }

  /// One line of a list of relations.
  private struct Entry {
    let name: ObjectName
    let kind: String
    var table: ObjectID?
    var isIndex = false
    var isTemporary = false
    var comment = ""
  }

  /// Tables, views, materialised views, indices, sequences and property graphs, as the letters t, v, m, i, s, g ask for.
  func relations(_ kinds: String) -> TextTable {
    let listed = entries(kinds).filter { isMeant($0.name) }
      .sorted { ($0.name.schema, $0.name.name) < ($1.name.schema, $1.name.name) }
    let hasTables = kinds.contains("i")
    let hasRows = kinds.contains { "tmi".contains($0) }
    var names = ["Schema", "Name", "Type", "Owner"] + (hasTables ? ["Table"] : [])
    if isVerbose {
      names += ["Persistence"] + (hasRows ? ["Rows", "Size"] : []) + ["Description"]
    }
    let rows = listed.map { entry in
      var row = [entry.name.schema, entry.name.name, entry.kind, Self.owner]
      if hasTables {
        row.append(entry.isIndex ? entry.table.flatMap { catalog.tables[$0]?.name.name } ?? "" : "")
      }
      if isVerbose {
        row.append(entry.isTemporary ? "temporary" : "permanent")
        if hasRows {
          let size = entry.table.flatMap(sizes)
          let bytes = entry.isIndex ? size?.indexBytes : size?.bytes
          row += [size.map { String($0.rowCount) } ?? "", bytes.map(TableSize.text) ?? ""]
        }
        row.append(entry.comment)
      }
      return row
    }
    return TextTable(
      title: "List of relations", names: names, isNumeric: names.map { $0 == "Rows" }, rows: rows)
  }

  private func entries(_ kinds: String) -> [Entry] {
    var entries: [Entry] = []
    for table in catalog.tables.values {
      let isView = table.materialized != nil
      guard kinds.contains(isView ? "m" : "t") else { continue }
      entries.append(
        Entry(
          name: table.name, kind: isView ? "materialized view" : "table", table: table.id,
          isTemporary: table.isTemporary, comment: table.comment ?? ""))
    }
    if kinds.contains("v") {
      entries += catalog.views.values.map {
        Entry(
          name: $0.name, kind: "view", isTemporary: $0.isTemporary, comment: $0.comment ?? "")
      }
    }
    if kinds.contains("s") {
      entries += catalog.sequences.values.map {
        Entry(name: $0.name, kind: "sequence", comment: comment("SEQUENCE", $0.name))
      }
    }
    if kinds.contains("g") {
      entries += catalog.graphs.values.map {
        Entry(
          name: $0.name, kind: "property graph", isTemporary: $0.isTemporary,
          comment: $0.comment ?? "")
      }
    }
    if kinds.contains("i") {
      entries += catalog.indexTables.map {
        Entry(
          name: $0, kind: "index", table: $1, isIndex: true,
          isTemporary: catalog.tables[$1]?.isTemporary ?? false, comment: comment("INDEX", $0))
      }
    }
    return entries
  }

  func comment(_ kind: String, _ name: ObjectName) -> String {
    catalog.comments[CommentKey(kind: kind, name: name)] ?? ""
  }

  func schemas() -> TextTable {
    let names = catalog.schemas.filter { name in
      pattern.map { $0.matches(name) }
        ?? (showsSystem || !name.hasPrefix("pg_") && name != "information_schema")
    }
    return TextTable(
      title: "List of schemas", names: ["Name", "Owner"] + (isVerbose ? ["Description"] : []),
      rows: names.sorted().map {
        [$0, Self.owner]
          + (isVerbose ? [comment("SCHEMA", ObjectName(schema: "", $0))] : [])
      })
  }

  func types() -> TextTable {
    let types = catalog.types.values.filter { isMeant($0.name) }
      .sorted { ($0.name.schema, $0.name.name) < ($1.name.schema, $1.name.name) }
    return TextTable(
      title: "List of data types",
      names: ["Schema", "Name"] + (isVerbose ? ["Elements"] : []) + ["Description"],
      rows: types.map { type in
        var elements = ""
        if case .enumeration(let enumeration) = type.kind {
          elements = enumeration.labels.joined(separator: "\n")
        }
        return [type.name.schema, type.name.name] + (isVerbose ? [elements] : [])
          + [comment("TYPE", type.name)]
      })
  }

  /// `\dD`.
  func domains() -> TextTable {
    let domains = catalog.types.values.filter { isMeant($0.name) }
      .compactMap { type in Domain(type).map { (name: type.name, domain: $0) } }
      .sorted { ($0.name.schema, $0.name.name) < ($1.name.schema, $1.name.name) }
    return TextTable(
      title: "List of domains",
      names: ["Schema", "Name", "Type", "Collation", "Nullable", "Default", "Check"]
        + (isVerbose ? ["Description"] : []),
      rows: domains.map { name, domain in
        [
          name.schema, name.name, domain.type.name, domain.type.collation?.name ?? "",
          domain.isNotNull ? "not null" : "",
          domain.defaultValue.map { SQLPrinter.text(of: $0) } ?? "",
          domain.checks.map { "CHECK (\(SQLPrinter.text(of: $0.expression)))" }
            .joined(separator: " "),
        ] + (isVerbose ? [comment("TYPE", name)] : [])
      })
  }

  /// `\dd`: the comments that other lists do not show.
  func comments() -> TextTable {
    let found = catalog.comments.filter { $0.key.part != nil && isMeant($0.key.name) }
      .sorted {
        ($0.key.name.schema, $0.key.name.name, $0.key.part ?? "")
          < ($1.key.name.schema, $1.key.name.name, $1.key.part ?? "")
      }
    return TextTable(
      title: "Object descriptions", names: ["Schema", "Name", "Object", "Description"],
      rows: found.map { key, text in
        [
          key.name.schema, key.part ?? key.name.name,
          key.kind == "CONSTRAINT" ? "table constraint" : key.kind.lowercased(), text,
        ]
      })
  }

  /// `\dL`.
  func languages() -> TextTable {
    let languages = [
      ("plpgsql", "functions of the form RETURN QUERY"), ("sql", "functions made of statements"),
    ].filter { language in pattern.map { $0.matches(language.0) } ?? true }
    return TextTable(
      title: "List of languages", names: ["Name", "Owner", "Trusted", "Description"],
      rows: languages.map { [$0.0, Self.owner, "t", $0.1] })
  }

  func graphs() -> TextTable {
    let graphs = catalog.graphs.values.filter { isMeant($0.name) }
      .sorted { ($0.name.schema, $0.name.name) < ($1.name.schema, $1.name.name) }
    return TextTable(
      title: "List of property graphs",
      names: ["Schema", "Name", "Owner"] + (isVerbose ? ["Vertices", "Edges", "Description"] : []),
      rows: graphs.map { graph in
        [graph.name.schema, graph.name.name, Self.owner]
          + (isVerbose
            ? [
              graph.vertices.map(\.name).joined(separator: "\n"),
              graph.edges.map(\.name).joined(separator: "\n"), graph.comment ?? "",
            ] : [])
      })
  }

  /// The many-to-many relationships of the schema, by their junction tables.
  func relationships() -> TextTable {
    let relationships = Relationships(catalog: catalog)
    let tables = catalog.tables.values.filter { isMeant($0.name) }.sorted {
      ($0.name.schema, $0.name.name) < ($1.name.schema, $1.name.name)
    }
    return TextTable(
      title: "List of relationships", names: ["Schema", "Junction", "Relationship"],
      rows: tables.flatMap { table in
        relationships.junctionLines(table).map { [table.name.schema, table.name.name, $0] }
      })
  }
}
