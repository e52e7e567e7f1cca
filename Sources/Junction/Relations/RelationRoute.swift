import Catalog
import Diagnostics
import SQLSyntax
import Synchronization

/// A relation as the catalog has it.
///
/// It is an object, so that handing it on counts one reference.
final class RelationRoute: Sendable {
  let relationship: Relationship
  let from: RecordLayout
  let to: RecordLayout
  /// The junction table, if there is one.
  let junction: TableDefinition?
  /// The places of `fromColumns` among the columns of the record that it leads from, and of `toColumns` among those of the
  /// other one; nil where the record lacks one of them.
  let fromPlaces: [Int]?
  let toPlaces: [Int]?
  /// The column that keeps the order, as it is written in SQL; nil for a relation without.
  let orderColumn: String?
  /// The catalog in which it was found.
  fileprivate let catalogVersion: UInt64
  fileprivate let searchPath: [String]
  private let texts = Mutex([String?](repeating: nil, count: KeptStatement.allCases.count))

  /// Texts of questions with an order or a limit, and how often the values of the row stand in them.
  private let ordered = Mutex<[RelatedForm: (text: String, times: Int)]>([:])
  /// A program that asks for one page after another has a text for each of them.
  private static let orderedMax = 64

  /// The statements about one row, or two, that differ in their values only.
  enum KeptStatement: Int, CaseIterable {
    /// What belongs to a row, how many, and whether a row does.
    case list, count, contains
    /// What does not.
    case others
    case add, remove
  }

  /// The text of a statement, made by `render` the first time.
  func text(
    _ statement: KeptStatement, _ render: () throws(SQLError) -> String
  ) throws(SQLError) -> String {
    if let known = texts.withLock({ $0[statement.rawValue] }) { return known }
    let text = try render()
    texts.withLock { $0[statement.rawValue] = text }
    return text
  }

  /// A question with an order or a limit about the row that has these values; made by `render` the first time.
  func statement(
    _ form: RelatedForm, _ values: [SQLValue], _ render: () throws(SQLError) -> SQL
  ) throws(SQLError) -> SQL {
    if let (text, times) = ordered.withLock({ $0[form] }) {
      return SQL(
        raw: text, times == 1 ? values : Array(repeatElement(values, count: times).joined()))
    }
    let sql = try render()
    let times = values.isEmpty ? 0 : sql.arguments.count / values.count
    // A text with other values in it is good for this question alone.
    if sql.arguments == Array(repeatElement(values, count: times).joined()) {
      ordered.withLock { ordered in
        if ordered.count >= Self.orderedMax { ordered = [:] }
        ordered[form] = (sql.text, times)
      }
    }
    return sql
  }

  /// The one relationship of the catalog that a declaration means, found again only in another catalog.
  ///
  /// - Throws: 42703 if there is none, 42725 if there are several, 42830 for a junction table without a key.
  static func of(
    _ declaration: RelationDeclaration, _ view: CatalogView
  ) throws(SQLError) -> RelationRoute {
    if let known = declaration.known.route(in: view) { return known }
    let found = try RelationRoute(finding: declaration, view)
    declaration.known.keep(found)
    return found
  }

  private init(finding declaration: RelationDeclaration, _ view: CatalogView) throws(SQLError) {
    (catalogVersion, searchPath) = (view.catalog.version, view.searchPath)
    let from = try declaration.from.layout(view)
    let to = try declaration.to.layout(view)
    (self.from, self.to) = (from, to)
    let through = try declaration.link?.layout(view).definition.id
    let named = try declaration.through.map { (name) throws(SQLError) in try view.table(name).id }
    let candidates = Self.candidates(
      for: declaration, from: from.definition, to: to.definition, through: through ?? named,
      view.catalog)
    guard let found = candidates.first else {
      throw Self.nothingFits(declaration, from, to, view.catalog)
    }
    if candidates.count > 1 {
      throw Self.severalFit(
        candidates, declaration, (from.definition.name.name, from.typeName),
        (to.definition.name.name, to.typeName), view.catalog)
    }
    relationship = found
    if case .throughJunction(let near, _) = found.route {
      junction = view.catalog.tables[near.child]
    } else {
      junction = nil
    }
    orderColumn = try Self.orderColumn(declaration, junction ?? to.definition, view)
    let (near, far) = Self.ends(of: found)
    fromPlaces = from.places(ofColumns: near)
    toPlaces = to.places(ofColumns: far)
  }

  /// The relationships between two tables that a declaration may mean; `through` is the junction or child table, if one is named.
  static func candidates(
    for declaration: RelationDeclaration, from: TableDefinition, to: TableDefinition,
    through: ObjectID?, _ catalog: CatalogSnapshot
  ) -> [Relationship] {
    catalog.relationships(of: from.id).filter { candidate in
      candidate.target == to.id && candidate.fits(declaration, table: through, catalog)
    }
  }

  /// The columns of the table that it leads from by which rows are linked.
  var fromColumns: [Int] { Self.ends(of: relationship).from }

  /// The columns of the table that it leads to by which rows are linked.
  var toColumns: [Int] { Self.ends(of: relationship).to }

  private static func ends(of relationship: Relationship) -> (from: [Int], to: [Int]) {
    switch relationship.route {
    case .toParent(let key): (key.columns, key.parentColumns)
    case .toChildren(let key): (key.parentColumns, key.columns)
    case .throughJunction(let near, let far): (near.parentColumns, far.parentColumns)
    }
  }

  /// The columns of the junction, or of the table that it leads to, that name the row that it leads from.
  var nearColumns: [Int] {
    switch relationship.route {
    case .toParent(let key): key.parentColumns
    case .toChildren(let key): key.columns
    case .throughJunction(let near, _): near.columns
    }
  }

  /// The columns of the junction that name the row that it leads to.
  var farColumns: [Int] {
    if case .throughJunction(_, let far) = relationship.route { return far.columns }
    return []
  }

  /// The columns of the junction that name both.
  var linkColumns: [Int] { nearColumns + farColumns }

  private static func orderColumn(
    _ declaration: RelationDeclaration, _ table: TableDefinition, _ view: CatalogView
  ) throws(SQLError) -> String? {
    switch declaration.order {
    case nil: return nil
    case .named(let name):
      let names = table.columns.map(\.name)
      guard let index = try ColumnNames.index(of: name, in: names) else {
        throw .noColumn(name, among: names)
      }
      return SQLPrinter.quoted(names[index])
    case .property(let property):
      guard let layout = try declaration.link?.layout(view) else { return nil }
      return layout.columns[try property.place(in: layout)].name
    }
  }

  // MARK: What is wrong

  private static func nothingFits(
    _ declaration: RelationDeclaration, _ from: RecordLayout, _ to: RecordLayout,
    _ catalog: CatalogSnapshot
  ) -> SQLError {
    if let table = keylessJunction(from, to, catalog) {
      let columns = table.foreignKeys.flatMap(\.columns).map {
        SQLPrinter.quoted(table.columns[$0].name)
      }
      return SQLError(
        .invalidForeignKey,
        "table \"\(table.name.name)\" links \(from.typeName) and \(to.typeName), but has no key over both foreign keys",
        hint: "ALTER TABLE \(SQLPrinter.quoted(table.name.name)) ADD PRIMARY KEY "
          + "(\(columns.joined(separator: ", ")));")
    }
    let all = catalog.relationships(of: from.definition.id).filter {
      $0.target == to.definition.id
    }
    return SQLError(
      .undefinedColumn,
      "no relationship from \"\(from.definition.name.name)\" to \"\(to.definition.name.name)\" fits the relation of record \(from.typeName)",
      detail: all.isEmpty
        ? nil : "There are: \(all.map { $0.words(catalog) }.joined(separator: "; ")).",
      hint: "Relations are foreign keys, or junction tables with two of them and a key over both.")
  }

  /// A table that would be the junction if it had a key.
  private static func keylessJunction(
    _ from: RecordLayout, _ to: RecordLayout, _ catalog: CatalogSnapshot
  ) -> TableDefinition? {
    catalog.foreignKeys(to: from.definition.id).map(\.child).first { child in
      child.id != from.definition.id && child.id != to.definition.id
        && child.foreignKeys.count == 2
        && child.foreignKeys.contains { $0.parent == to.definition.id }
        && catalog.junctionPairs(of: child).isEmpty
    }
  }

  static func severalFit(
    _ candidates: [Relationship], _ declaration: RelationDeclaration,
    _ from: (table: String, record: String), _ to: (table: String, record: String),
    _ catalog: CatalogSnapshot
  ) -> SQLError {
    SQLError(
      .ambiguousFunction,
      "more than one relationship from \"\(from.table)\" to \"\(to.table)\" fits the relation of record \(from.record)",
      detail: "Candidates: \(candidates.map { $0.words(catalog) }.joined(separator: "; ")).",
      hint: declaration.kind == .one
        ? "Say which: One<\(to.record)>(column: \"…\")."
        : "Say which: Many<\(to.record)>(through: \"…\"), or by from: \"…\" the column that leads here."
    )
  }
}

/// What a relation was in the catalog in which it was last asked for.
final class KnownRoute: Sendable {
  private let last = Mutex<RelationRoute?>(nil)
  func route(in view: CatalogView) -> RelationRoute? {
    guard let route = last.withLock({ $0 }), route.catalogVersion == view.catalog.version,
      route.searchPath == view.searchPath
    else { return nil }
    return route
  }

  func keep(_ route: RelationRoute) { last.withLock { $0 = route } }
}

extension Relationship {
  /// Whether it is what a declaration asks for; `table` is the junction or child table, if one is named.
  fileprivate func fits(
    _ declaration: RelationDeclaration, table: ObjectID?, _ catalog: CatalogSnapshot
  ) -> Bool {
    let isOfKind: Bool
    let key: ForeignKeyLink
    switch route {
    case .toParent(let link):
      (isOfKind, key) = (declaration.kind == .one, link)
    case .toChildren(let link):
      isOfKind =
        declaration.kind == .many || (declaration.kind == .one && cardinality == .oneToOne)
      key = link
    case .throughJunction(let near, _):
      (isOfKind, key) = (declaration.kind != .one, near)
    }
    guard isOfKind, table == nil || table == key.child else { return false }
    guard let column = declaration.column else { return true }
    return key.columns.contains { catalog.tables[key.child]?.columns[$0].name == column }
  }

  /// It in words, for messages.
  fileprivate func words(_ catalog: CatalogSnapshot) -> String {
    func name(_ key: ForeignKeyLink) -> String {
      let table = catalog.tables[key.child]
      let columns = key.columns.compactMap { table?.columns[$0].name }
      return "\(table?.name.name ?? "")(\(columns.joined(separator: ", ")))"
    }
    switch route {
    case .toParent(let key): return "along \(name(key))"
    case .toChildren(let key): return "against \(name(key))"
    case .throughJunction(let near, let far):
      return "through \(name(near)) and \(name(far))"
    }
  }
}
