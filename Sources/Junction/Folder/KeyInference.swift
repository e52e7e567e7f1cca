import Catalog
import Diagnostics
import SQLSyntax

/// A table whose rows came from a file.
struct LoadedTable {
  let name: String
  let columns: [String]
  /// Whether it was made for the file.
  let isInferred: Bool
}

/// Finds keys and foreign keys in what was loaded, by names and by values.
///
/// Names propose, and the rows decide: a key or foreign key stands only if its constraint could be added. Where the rows
/// speak against what a name proposes, it is said how many do.
struct KeyInference {
  let session: Session
  let tables: [LoadedTable]

  /// Adds the keys and foreign keys that the rows bear out, and says which, and what was not borne out.
  func inferKeys() throws(SQLError) -> [Notice] {
    var notices: [String] = []
    let inferred = tables.filter(\.isInferred)
    for loaded in inferred { notices += try inferPrimaryKey(of: loaded) }
    for loaded in inferred { notices += try inferForeignKeys(of: loaded) }
    return notices.map { Notice($0, severity: .info) }
  }

  // MARK: Keys

  private func inferPrimaryKey(of loaded: LoadedTable) throws(SQLError) -> [String] {
    let table = loaded.name
    let singular = Self.singular(table.lowercased())
    let own = ["id", "\(table.lowercased())_id", "\(singular)_id", "\(singular)id"]
    let named = own.compactMap { name in loaded.columns.first { $0.lowercased() == name } }
    let others = loaded.columns.prefix(1).filter {
      !named.contains($0) && parent(of: $0, child: table) == nil
    }
    var rejections: [String] = []
    for key in named + others {
      if add("PRIMARY KEY (\(SQLPrinter.quoted(key)))", to: table) {
        return rejections + ["\(table): primary key (\(key)), inferred"]
      }
      // A first column of any name is no key mostly, which is nothing to talk about.
      if named.contains(key) { rejections += try rejection(ofKey: key, in: table) }
    }
    return rejections
  }

  private func rejection(ofKey key: String, in table: String) throws(SQLError) -> [String] {
    let column = SQLPrinter.quoted(key)
    let counts = try numbers(
      "SELECT count(\(column)) - count(DISTINCT \(column)), count(*) - count(\(column)) "
        + "FROM \(SQLPrinter.quoted(table))")
    guard counts.count == 2 else { return [] }
    let reasons = [
      counts[0] > 0 ? "\(counts[0]) of its values stand there already" : nil,
      counts[1] > 0 ? "\(counts[1]) of them are missing" : nil,
    ].compactMap { $0 }
    return ["\(table): \(key) is no key: \(reasons.joined(separator: ", "))"]
  }

  // MARK: Foreign keys

  private func inferForeignKeys(of loaded: LoadedTable) throws(SQLError) -> [String] {
    var notices: [String] = []
    var linked: [String] = []
    let table = loaded.name
    for column in loaded.columns {
      guard let parent = parent(of: column, child: table) else { continue }
      guard let key = primaryKey(of: parent) else {
        notices.append("\(table): \(column) names \(parent), which has no key of one column")
        continue
      }
      // A key refers to itself only where it is the table's own.
      if parent == table && key == column { continue }
      if add(
        "FOREIGN KEY (\(SQLPrinter.quoted(column))) REFERENCES "
          + "\(SQLPrinter.quoted(parent)) (\(SQLPrinter.quoted(key)))", to: table)
      {
        linked.append(column)
        notices.append("\(table): \(column) references \(parent) (\(key)), inferred")
      } else {
        notices.append(rejection(of: column, in: table, parent, key))
      }
    }
    if linked.count >= 2, primaryKey(of: table) == nil {
      let columns = linked.map(SQLPrinter.quoted).joined(separator: ", ")
      if add("PRIMARY KEY (\(columns))", to: table) {
        notices.append(
          "\(table): primary key (\(linked.joined(separator: ", "))), inferred; a junction table")
      }
    }
    return notices
  }

  private func rejection(
    of column: String, in table: String, _ parent: String, _ key: String
  ) -> String {
    let (child, value) = (SQLPrinter.quoted(table), SQLPrinter.quoted(column))
    let arrow = "\(table): \(column) → \(parent).\(key)"
    let counts = try? numbers(
      "SELECT count(\(value)), count(\(value)) FILTER (WHERE NOT EXISTS (SELECT FROM "
        + "\(SQLPrinter.quoted(parent)) p WHERE p.\(SQLPrinter.quoted(key)) = c.\(value))) "
        + "FROM \(child) c")
    guard let counts, counts.count == 2, counts[1] > 0 else {
      return "\(arrow): the types differ, so it is no foreign key"
    }
    return "\(arrow): \(counts[1]) of \(counts[0]) values missing, so it is no foreign key"
  }

  // MARK: Names

  /// The table that a column speaks of: `student_id` and `studentId` of students, `home_city_id` of cities, `parent_id` of
  /// the table itself.
  private func parent(of column: String, child: String) -> String? {
    let lowered = Self.withUnderscores(column)
    guard lowered.hasSuffix("id"), lowered.count > 2 else { return nil }
    var stem = String(lowered.dropLast(2))
    if stem.last == "_" { stem.removeLast() }
    guard !stem.isEmpty else { return nil }
    if stem == "parent" { return child }
    let names = tables.map { (name: $0.name, singular: Self.singular($0.name.lowercased())) }
    let wanted = Self.singular(stem)
    if let exact = names.first(where: { $0.name != child && $0.singular == wanted }) {
      return exact.name
    }
    // Of several the longest says most.
    let alike = names.filter { wanted.hasSuffix("_\($0.singular)") }
    return alike.max { $0.singular.count < $1.singular.count }?.name
  }

  /// `home_city_id` for `homeCityId`.
  private static func withUnderscores(_ name: String) -> String {
    var words = ""
    var wasSmall = false
    for character in name {
      if wasSmall && character.isUppercase { words += "_" }
      words += character.lowercased()
      wasSmall = character.isLowercase
    }
    return words
  }

  /// An English noun without its plural ending, as far as names of tables go.
  static func singular(_ word: String) -> String {
    if word.hasSuffix("ies"), word.count > 4 { return word.dropLast(3) + "y" }
    for ending in ["sses", "ches", "shes", "xes"] where word.hasSuffix(ending) {
      return String(word.dropLast(2))
    }
    if word.hasSuffix("s"), !word.hasSuffix("ss"), word.count > 2 { return String(word.dropLast()) }
    return word
  }

  // MARK: The database

  /// Adds a constraint if all rows meet it.
  private func add(_ constraint: String, to table: String) -> Bool {
    guard
      let statements = try? parseStatements(
        "ALTER TABLE \(SQLPrinter.quoted(table)) ADD \(constraint)")
    else { return false }
    return statements.allSatisfy { (try? session.run($0)) != nil }
  }

  private func primaryKey(of table: String) -> String? {
    guard
      case .table(let definition)? = session.state.current.catalog.relation(
        schema: nil, table), let key = definition.primaryKey, key.columns.count == 1
    else { return nil }
    return definition.columns[key.columns[0]].name
  }

  /// The numbers in the one row that a query gives.
  private func numbers(_ query: String) throws(SQLError) -> [Int64] {
    guard let statement = try parseStatements(query).first,
      let rows = try session.run(statement).rows, rows.count == 1
    else { return [] }
    return rows.columns.indices.compactMap { column in
      if case .integer(let number) = rows.value(row: 0, column: column) { return number }
      return nil
    }
  }
}
