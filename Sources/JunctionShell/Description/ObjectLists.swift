import Catalog
import Columnar

/// The tables that `\dt` and its kin show.
struct ObjectLists {
  let catalog: CatalogSnapshot
  let pattern: NamePattern?
  let isVerbose: Bool
  /// The one owner of everything.
  static let owner = "junction"

  private func isMeant(_ name: ObjectName) -> Bool {
    // A temporary table is searched first, so it is listed with the others.
    pattern.map { $0.matches(name) } ?? (name.schema == "public" || name.schema == "pg_temp")
  }

  /// Tables, views, indices, sequences and property graphs, as the letters t, v, i, s, g ask for.
  func relations(_ kinds: String) -> TextTable {
    var entries: [(name: ObjectName, kind: String, table: String, comment: String)] = []
    if kinds.contains("t") {
      entries += catalog.tables.values.map { ($0.name, "table", "", $0.comment ?? "") }
    }
    if kinds.contains("v") {
      entries += catalog.views.values.map { ($0.name, "view", "", $0.comment ?? "") }
    }
    if kinds.contains("s") {
      entries += catalog.sequences.values.map { sequence in
        let key = CommentKey(kind: "SEQUENCE", name: sequence.name)
        return (sequence.name, "sequence", "", catalog.comments[key] ?? "")
      }
    }
    if kinds.contains("g") {
      entries += catalog.graphs.values.map { ($0.name, "property graph", "", $0.comment ?? "") }
    }
    if kinds.contains("i") {
      entries += catalog.indexTables.map { name, table in
        (name, "index", catalog.tables[table]?.name.name ?? "", "")
      }
    }
    let listed = entries.filter { isMeant($0.name) }
      .sorted { ($0.name.schema, $0.name.name) < ($1.name.schema, $1.name.name) }
    let hasTables = kinds.contains("i")
    return TextTable(
      title: "List of relations",
      names: ["Schema", "Name", "Type", "Owner"] + (hasTables ? ["Table"] : [])
        + (isVerbose ? ["Description"] : []),
      rows: listed.map { entry in
        [entry.name.schema, entry.name.name, entry.kind, Self.owner]
          + (hasTables ? [entry.table] : []) + (isVerbose ? [entry.comment] : [])
      })
  }

  func schemas() -> TextTable {
    let names = catalog.schemas.filter { name in
      pattern.map { $0.matches(name) } ?? (!name.hasPrefix("pg_") && name != "information_schema")
    }
    return TextTable(
      title: "List of schemas", names: ["Name", "Owner"],
      rows: names.sorted().map { [$0, Self.owner] })
  }

  func functions() -> TextTable {
    let functions = catalog.functions.values.filter { isMeant($0.name) }
      .sorted { ($0.name.schema, $0.name.name, $0.id) < ($1.name.schema, $1.name.name, $1.id) }
    return TextTable(
      title: "List of functions",
      names: ["Schema", "Name", "Result data type", "Argument data types", "Type"]
        + (isVerbose ? ["Volatility", "Language", "Description"] : []),
      rows: functions.map { function in
        [
          function.name.schema, function.name.name, ObjectDescription.resultText(function),
          ObjectDescription.parameterText(function), "func",
        ]
          + (isVerbose
            ? [
              function.isVolatile ? "volatile" : "stable", function.language,
              function.comment ?? "",
            ] : [])
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
        let comment = catalog.comments[CommentKey(kind: "TYPE", name: type.name)] ?? ""
        return [type.name.schema, type.name.name] + (isVerbose ? [elements] : []) + [comment]
      })
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
