import Catalog
import SQLSyntax
import Translation

/// How the tables of a database stand in Spark: which are copied, by what they are in buckets, and which are small.
struct SparkTables: Sendable {
  /// One table of Spark.
  struct Copy: Sendable {
    let name: String
    /// The columns that its rows are in buckets by; none for one that is small, or that nothing is joined with by a key.
    let buckets: [String]
  }
  private let copies: [ObjectID: [Copy]]
  private let columns: [ObjectID: [Int]]
  private let smallTables: Set<ObjectID>
  private let parents: Set<ObjectID>
  /// The number of buckets of all tables, so that those of two fit each other.
  let bucketCount: Int

  /// A table of fewer bytes goes to each machine.
  private static let smallByteCount = 10 << 20
  /// A bucket has about so many rows.
  private static let bucketRowCount = 4 << 20

  init(_ tables: [ExportedTable], _ catalog: CatalogSnapshot) {
    var copies: [ObjectID: [Copy]] = [:]
    var leads: [ObjectID: [Int]] = [:]
    var most = 1
    // Keys that junction tables lead to: their tables are in buckets by them, too.
    var parentKeys: [ObjectID: [Int]] = [:]
    var small: Set<ObjectID> = []
    // Two schemas may make one name, and a copy that of another table.
    var names: [ObjectID: String] = [:]
    var taken: Set<String> = []
    func free(_ wanted: String) -> String {
      var name = wanted
      while !taken.insert(name).inserted { name += "_" }
      return name
    }
    for exported in tables { names[exported.table.id] = free(exported.sparkName) }
    for exported in tables where exported.byteCount < Self.smallByteCount {
      small.insert(exported.table.id)
    }
    for exported in tables {
      let table = exported.table
      let keys = Self.junctionKeys(of: table, catalog)
      let name = names[table.id] ?? exported.sparkName
      if keys.count < 2 { continue }
      most = max(most, exported.rowCount)
      for key in keys where parentKeys[key.parent] == nil {
        parentKeys[key.parent] = key.parentColumns
      }
      leads[table.id] = keys.map { $0.columns[0] }
      copies[table.id] = keys.enumerated().map { index, key in
        let column = table.columns[key.columns[0]].name
        return Copy(
          name: index == 0 ? name : free("\(name)_by_\(column)"), buckets: [column])
      }
    }
    for exported in tables where copies[exported.table.id] == nil {
      let id = exported.table.id
      let key = small.contains(id) ? nil : parentKeys[id]
      copies[id] = [
        Copy(
          name: names[id] ?? exported.sparkName,
          buckets: (key ?? []).map { exported.table.columns[$0].name })
      ]
    }
    self.copies = copies
    columns = leads
    smallTables = small
    parents = Set(tables.flatMap(\.table.foreignKeys).map(\.parent))
    var count = 1
    while count * Self.bucketRowCount < most { count *= 2 }
    bucketCount = count
  }

  /// The foreign keys of one column that make a table a junction, each column once.
  private static func junctionKeys(
    of table: TableDefinition, _ catalog: CatalogSnapshot
  ) -> [ForeignKeyLink] {
    var found: [ForeignKeyLink] = []
    for pair in catalog.junctionPairs(of: table) {
      for key in [pair.first, pair.second]
      where key.columns.count == 1 && !found.contains(where: { $0.columns == key.columns }) {
        found.append(key)
      }
    }
    return found
  }

  func copies(of table: TableDefinition) -> [Copy] { copies[table.id] ?? [] }

  /// The copy for a query that joins a table on some of its columns: that by a key that leads to a large table, if there is one.
  func choose(_ table: TableDefinition, _ joined: [Int]) -> TableChoice {
    let all = copies(of: table)
    let isSmall = smallTables.contains(table.id) && parents.contains(table.id) && all.count == 1
    guard all.count > 1, let leads = columns[table.id] else {
      return TableChoice(Self.name(all.first?.name ?? table.name.name), isSmall: isSmall)
    }
    let candidates = leads.indices.filter { joined.contains(leads[$0]) }
    let best = candidates.first { index in
      let parents = table.foreignKeys.filter { $0.columns == [leads[index]] }.map(\.parent)
      return !parents.contains(where: smallTables.contains)
    }
    return TableChoice(Self.name(all[best ?? candidates.first ?? 0].name))
  }

  private static func name(_ name: String) -> QualifiedName { QualifiedName(Identifier(name)) }
}

extension ExportedTable {
  /// What the table is called in Spark, which has one schema for all.
  var sparkName: String {
    table.name.schema == "public" ? table.name.name : "\(table.name.schema)_\(table.name.name)"
  }
}
