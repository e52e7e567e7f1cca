import Catalog
import SQLSyntax

/// A relationship that leads on from one row, and the SQL that asks for the rows at its other end.
///
/// Rows are found by constants of unknown type in plain equalities, so that keys, foreign keys and adjacency are used
/// as for any other statement.
struct RelatedRows {
  let relationship: Relationship
  let target: TableDefinition
  /// The names that it may be called by, as they are written: first the table's, then the junction's, then those of
  /// columns and constraints.
  let nameRanks: [[String]]
  /// What it goes by, after the name: `via enrols_in`.
  let description: String
  private let source: Source

  /// Where the related rows are found.
  private enum Source {
    /// In the target itself, by these columns.
    case target([(column: String, value: String?)])
    /// By way of a junction table whose near columns have these values.
    case junction(
      TableDefinition, near: [(column: String, value: String?)],
      far: [(column: String, parent: String)], isKey: Bool)
  }

  /// The relationship from a row with these values; nil if its tables are gone.
  init?(_ relationship: Relationship, _ catalog: CatalogSnapshot, row: [String?]) {
    guard let origin = catalog.tables[relationship.origin],
      let target = catalog.tables[relationship.target]
    else { return nil }
    self.relationship = relationship
    self.target = target
    let table = displayName(target.name)
    func names(_ table: TableDefinition, _ columns: [Int]) -> [String] {
      columns.map { table.columns[$0].name }
    }
    func spelled(_ names: [String]) -> String {
      names.map(quotedName).joined(separator: ", ")
    }
    switch relationship.route {
    case .toParent(let link):
      let columns = names(origin, link.columns)
      nameRanks = [[table], columns.map(quotedName), [quotedName(link.name)]]
      description = "by \(spelled(columns))"
      source = .target(
        zip(names(target, link.parentColumns), link.columns).map { ($0, row[$1]) })
    case .toChildren(let link):
      let columns = names(target, link.columns)
      nameRanks = [
        [table], columns.map { "\(table).\(quotedName($0))" }, [quotedName(link.name)],
      ]
      description = "by \(displayName(target.name)).\(spelled(columns))"
      source = .target(zip(columns, link.parentColumns).map { ($0, row[$1]) })
    case .throughJunction(let near, let far):
      guard let junction = catalog.tables[near.child] else { return nil }
      let columns = names(junction, far.columns)
      let own = displayName(junction.name)
      let spelledColumns = columns.map(quotedName)
      nameRanks = [
        [table], [own], spelledColumns + spelledColumns.map { "\(own).\($0)" },
        [quotedName(far.name)],
      ]
      let isAmbiguous = relationship.isSelfRelation
      description =
        "via \(displayName(junction.name))" + (isAmbiguous ? " to \(spelled(columns))" : "")
      source = .junction(
        junction,
        near: zip(names(junction, near.columns), near.parentColumns).map { ($0, row[$1]) },
        far: Array(zip(columns, names(target, far.parentColumns))),
        isKey: junction.isKey(Array(Set(near.columns + far.columns))))
    }
  }

  /// All relationships that lead on from a row, in the order in which they are shown.
  ///
  /// A table that is nothing but a junction is no end of its own: it is what leads to the tables behind it.
  static func all(
    from table: TableDefinition, row: [String?], _ catalog: CatalogSnapshot
  ) -> [RelatedRows] {
    catalog.relationships(of: table.id).filter { relationship in
      guard case .toChildren = relationship.route,
        let child = catalog.tables[relationship.target]
      else { return true }
      return catalog.plainJunction(child) == nil
    }.compactMap { RelatedRows($0, catalog, row: row) }
  }

  // SQL.

  private static func conditions(
    _ pairs: [(column: String, value: String?)], alias: String
  ) -> String {
    // A NULL refers to nothing, so nothing is related by it.
    pairs.contains { $0.value == nil } ? "false" : RowPlace.condition(pairs, alias: alias)
  }

  /// FROM and WHERE of the related rows, which are called `t`.
  private var clauses: String {
    switch source {
    case .target(let pairs):
      return "FROM \(target.qualifiedName) AS t WHERE \(Self.conditions(pairs, alias: "t"))"
    case .junction(let junction, let near, let far, let isKey):
      let links = far.map { "j.\(quotedName($0.column)) = t.\(quotedName($0.parent))" }
        .joined(separator: " AND ")
      let condition = Self.conditions(near, alias: "j")
      guard !isKey else {
        return "FROM \(junction.qualifiedName) AS j JOIN \(target.qualifiedName) AS t ON \(links) "
          + "WHERE \(condition)"
      }
      // Two rows may be linked more than once.
      return "FROM \(target.qualifiedName) AS t WHERE EXISTS (SELECT 1 FROM "
        + "\(junction.qualifiedName) AS j WHERE \(links) AND \(condition))"
    }
  }

  /// The statement that counts the related rows.
  var count: String {
    guard case .junction(let junction, let near, let far, let isKey) = source else {
      return "SELECT count(*) \(clauses)"
    }
    // Every link has its row, so that the links alone tell.
    let columns = far.map { "j.\(quotedName($0.column))" }
    let rest =
      "FROM \(junction.qualifiedName) AS j WHERE \(Self.conditions(near, alias: "j"))"
      + columns.map { " AND \($0) IS NOT NULL" }.joined()
    guard !isKey else { return "SELECT count(*) \(rest)" }
    return "SELECT count(*) FROM (SELECT DISTINCT \(columns.joined(separator: ", ")) \(rest)) AS l"
  }

  /// The statement that gives the first of the related rows in the order of their keys, with what the junction
  /// says of each link behind the columns of the table.
  func list(limit: Int) -> String {
    var columns = ["t.*"]
    if case .junction(let junction, let near, let far, true) = source {
      let own = Set(near.map(\.column) + far.map(\.column))
      columns += junction.columns.map(\.name).filter { !own.contains($0) }
        .map { "j.\(quotedName($0))" }
    }
    let order = target.identity.map { "t.\(quotedName(target.columns[$0].name))" }
    return "SELECT \(columns.joined(separator: ", ")) \(clauses)"
      + (order.isEmpty ? "" : " ORDER BY \(order.joined(separator: ", "))") + " LIMIT \(limit)"
  }

  /// The statement that gives a related row by its key.
  func row(at place: RowPlace) -> String {
    "SELECT t.* \(clauses) AND \(place.condition(alias: "t")) LIMIT 1"
  }
}
