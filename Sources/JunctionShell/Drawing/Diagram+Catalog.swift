import Catalog
import Columnar

extension Diagram {
  /// What of a catalog is drawn.
  struct Selection {
    /// Whether junction tables are boxes too, rather than edges.
    var showsJunctions = false
    /// The tables that are drawn; all of them if there is no pattern.
    var patterns: [NamePattern] = []

    /// Whether a table is drawn.
    func includes(_ table: TableDefinition) -> Bool {
      patterns.isEmpty || patterns.contains { $0.matches(table.name) }
    }

    /// Whether a table was asked for by its own name, so that it is a box whatever it is.
    func names(_ table: TableDefinition) -> Bool {
      patterns.contains { !$0.hasWildcard && $0.matches(table.name) }
    }
  }

  /// The tables of every schema with what their foreign keys say.
  ///
  /// Views are left out, and so are materialized ones: they have no keys and so no relationships.
  init(_ catalog: CatalogSnapshot, _ selection: Selection = Selection()) {
    let tables = Self.drawableTables(catalog)
    let included = tables.filter(selection.includes)
    var drawn = Set(included.map(\.id))
    var links: [(first: ForeignKeyLink, second: ForeignKeyLink, table: TableDefinition)] = []
    if !selection.showsJunctions {
      for table in tables where !selection.names(table) {
        guard let (first, second) = catalog.plainJunction(table) else { continue }
        // Without its parents a junction table is a table like any other.
        guard
          [first.parent, second.parent].allSatisfy({ id in included.contains { $0.id == id } })
        else { continue }
        links.append((first, second, table))
      }
      drawn.subtract(links.map(\.table.id))
    }
    var places: [ObjectID: Int] = [:]
    let titles = Dictionary(grouping: included) { Self.title(of: $0) }
    for table in included where drawn.contains(table.id) {
      places[table.id] = boxes.count
      let title = Self.title(of: table)
      // A temporary table may hide one of the same name.
      let isOnly = titles[title]?.count == 1
      boxes.append(
        Box(
          title: isOnly ? title : "\(table.name.schema).\(table.name.name)",
          columns: Self.columns(of: table)))
    }
    for table in included {
      guard let child = places[table.id] else { continue }
      for key in table.foreignKeys {
        guard let parent = places[key.parent] else { continue }
        edges.append(Self.edge(of: key, in: table, from: parent, to: child))
      }
    }
    for (first, second, table) in links {
      guard let left = places[first.parent], let right = places[second.parent] else { continue }
      let own = Set(first.columns + second.columns)
      let columns = Self.columns(of: table).enumerated().filter { !own.contains($0.offset) }
      let title = Self.title(of: table)
      edges.append(
        Edge(
          first: End(box: left, columns: [], multiplicity: .zeroOrMany),
          second: End(box: right, columns: [], multiplicity: .zeroOrMany), name: title,
          junction: Junction(title: title, columns: columns.map(\.element))))
    }
  }

  /// The tables that can be drawn, by schema and name.
  static func drawableTables(_ catalog: CatalogSnapshot) -> [TableDefinition] {
    catalog.tables.values.filter {
      $0.materialized == nil && $0.name.schema != "pg_catalog"
        && $0.name.schema != "information_schema"
    }.sorted { ($0.name.schema, $0.name.name) < ($1.name.schema, $1.name.name) }
  }

  private static func edge(
    of key: ForeignKeyConstraint, in table: TableDefinition, from parent: Int, to child: Int
  ) -> Edge {
    let primary = table.primaryKey?.columns ?? []
    let isOptional = key.columns.contains {
      !table.columns[$0].isNotNull && !primary.contains($0)
    }
    return Edge(
      first: End(
        box: parent, columns: key.parentColumns,
        multiplicity: isOptional ? .zeroOrOne : .exactlyOne),
      second: End(
        box: child, columns: key.columns,
        multiplicity: table.isUnique(key.columns) ? .zeroOrOne : .zeroOrMany),
      name: key.name)
  }

  /// The name as people say it, with its schema unless that is searched anyway.
  static func title(of table: TableDefinition) -> String {
    let name = table.name
    return ["public", "pg_temp"].contains(name.schema) ? name.name : "\(name.schema).\(name.name)"
  }

  private static func columns(of table: TableDefinition) -> [Column] {
    let numbers =
      table.foreignKeys.count > 1 && table.foreignKeys.contains { $0.columns.count > 1 }
    return table.columns.enumerated().map { index, column in
      Column(
        name: column.name, type: shortName(ofType: column.columnType.name),
        isPrimary: table.primaryKey?.columns.contains(index) ?? false,
        isUnique: table.keys.contains { !$0.isPrimary && $0.columns == [index] },
        foreignKeys: table.foreignKeys.indices.filter {
          table.foreignKeys[$0].columns.contains(index)
        },
        numbersForeignKeys: numbers)
    }
  }

  /// A type in PostgreSQL's shorter words, as a drawing has little room.
  static func shortName(ofType name: String) -> String {
    let short = [
      ("character varying", "varchar"), ("timestamp with time zone", "timestamptz"),
      ("time with time zone", "timetz"), ("timestamp without time zone", "timestamp"),
      ("time without time zone", "time"), ("character", "char"), ("bit varying", "varbit"),
      ("double precision", "float8"),
    ]
    for (long, brief) in short where name.hasPrefix(long) {
      return brief + name.dropFirst(long.count)
    }
    // `timestamp(3) with time zone` has its precision in between.
    for kind in ["timestamp", "time"] where name.hasPrefix(kind + "(") {
      if name.hasSuffix(" with time zone") {
        return kind + "tz" + name.dropFirst(kind.count).dropLast(" with time zone".count)
      }
      if name.hasSuffix(" without time zone") {
        return String(name.dropLast(" without time zone".count))
      }
    }
    return name
  }
}

extension CatalogSnapshot {
  /// The two foreign keys of a table that is nothing but a junction, so that an edge can stand for it.
  ///
  /// nil for a table that links three or more others, or that others refer to: those have a life of their own.
  func plainJunction(
    _ table: TableDefinition
  ) -> (first: ForeignKeyLink, second: ForeignKeyLink)? {
    guard table.foreignKeys.count == 2, table.materialized == nil,
      foreignKeys(to: table.id).isEmpty
    else { return nil }
    return junctionPairs(of: table).first
  }
}
