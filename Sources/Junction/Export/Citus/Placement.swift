import Catalog
import SQLSyntax

/// Where the rows of each table stand among several machines.
struct Placement {
  /// What becomes of one table.
  enum Place {
    /// On every machine.
    case reference
    /// By the values of a column, beside the rows of another table with the same value.
    case distributed(column: Int, with: ObjectID?)
    /// On the coordinator alone.
    case local
  }
  /// A second copy of a junction table, distributed by its other key.
  struct Copy {
    let table: TableDefinition
    let name: String
    let column: Int
    let parent: ObjectID
  }
  private(set) var places: [ObjectID: Place] = [:]
  private(set) var copies: [Copy] = []
  /// Why each table stands where it does.
  private(set) var reasons: [String] = []
  private let catalog: CatalogSnapshot
  private let rows: [ObjectID: Int]
  private let bytes: [ObjectID: Int]
  private let tables: [TableDefinition]

  /// A reference table has less than a hundredth of the rows of the largest table that refers to it, and fewer bytes than this.
  private static let referenceByteCount = 1 << 30

  init(
    _ tables: [TableDefinition], _ catalog: CatalogSnapshot, rows: [ObjectID: Int],
    bytes: [ObjectID: Int]
  ) {
    self.catalog = catalog
    self.rows = rows
    self.bytes = bytes
    self.tables = tables.filter { $0.materialized == nil }
    placeSmall()
    placeRoots()
    placeRest()
  }

  private func rowCount(_ id: ObjectID) -> Int { rows[id] ?? 0 }

  /// The tables that refer to one by a single column, with that column.
  private func children(of id: ObjectID) -> [(table: TableDefinition, column: Int)] {
    tables.flatMap { table in
      table.foreignKeys.filter { $0.parent == id && $0.columns.count == 1 && table.id != id }
        .map { (table, $0.columns[0]) }
    }
  }

  private mutating func note(_ table: TableDefinition, _ place: Place, _ reason: String) {
    places[table.id] = place
    reasons.append("table \(table.name.name): \(reason)")
  }

  private mutating func placeSmall() {
    for table in tables {
      let largest = children(of: table.id).map { rowCount($0.table.id) }.max() ?? 0
      let isSmall =
        rowCount(table.id) * 100 < largest && (bytes[table.id] ?? 0) < Self.referenceByteCount
      if !table.parents.isEmpty || tables.contains(where: { $0.parents.contains(table.id) }) {
        note(table, .local, "on the coordinator, as Citus does not distribute tables that inherit")
      } else if isSmall {
        note(
          table, .reference,
          "a reference table, \(rowCount(table.id)) rows beside \(largest) that refer to it")
      }
    }
  }

  /// Parents by whose keys tables are distributed, those first that most rows lead to.
  private mutating func placeRoots() {
    func weight(_ id: ObjectID) -> Int {
      rowCount(id) + children(of: id).reduce(0) { $0 + rowCount($1.table.id) }
    }
    let parents = tables.filter { places[$0.id] == nil && !children(of: $0.id).isEmpty }
      .sorted { (weight($1.id), $0.id) < (weight($0.id), $1.id) }
    for parent in parents where places[parent.id] == nil {
      let keys = children(of: parent.id).compactMap { child in
        child.table.foreignKeys.first { $0.parent == parent.id && $0.columns == [child.column] }?
          .parentColumns.first
      }
      guard let key = keys.first else { continue }
      note(
        parent, .distributed(column: key, with: nil),
        "distributed by \(parent.columns[key].name), as \(weight(parent.id) - rowCount(parent.id))"
          + " rows of other tables lead to it")
      for child in children(of: parent.id)
      where places[child.table.id] == nil && weight(child.table.id) <= rowCount(child.table.id) * 2
      {
        note(
          child.table, .distributed(column: child.column, with: parent.id),
          "distributed by \(child.table.columns[child.column].name), beside \(parent.name.name)")
      }
    }
    placeCopies()
  }

  /// Junction tables whose second parent is distributed as well stand there once more.
  private mutating func placeCopies() {
    for table in tables {
      guard case .distributed(let column, _)? = places[table.id] else { continue }
      for pair in catalog.junctionPairs(of: table) {
        for key in [pair.first, pair.second]
        where key.columns.count == 1 && key.columns[0] != column {
          guard case .distributed(let parentColumn, _)? = places[key.parent],
            key.parentColumns == [parentColumn],
            !copies.contains(where: { $0.table.id == table.id && $0.column == key.columns[0] })
          else { continue }
          var name = "\(table.name.name)_by_\(table.columns[key.columns[0]].name)"
          let taken = Set(catalog.relations.keys.map(\.name) + copies.map(\.name))
          while taken.contains(name) { name += "_" }
          copies.append(Copy(table: table, name: name, column: key.columns[0], parent: key.parent))
          let parent = catalog.tables[key.parent]?.name.name ?? ""
          reasons.append("table \(name): the same rows once more, beside \(parent)")
        }
      }
    }
  }

  private mutating func placeRest() {
    let most = tables.map { rowCount($0.id) }.max() ?? 0
    for table in tables where places[table.id] == nil {
      let key = table.primaryKey?.columns.first
      if let key, rowCount(table.id) * 100 >= most, rowCount(table.id) >= 100_000 {
        note(
          table, .distributed(column: key, with: nil),
          "distributed by \(table.columns[key].name), the first column of its key")
      } else {
        note(table, .reference, "a reference table, as it is small and stands by itself")
      }
    }
  }

  // MARK: What can be kept

  /// Why a key cannot be kept there; nil if it can.
  func objection(to key: KeyConstraint, of table: TableDefinition) -> String? {
    guard case .distributed(let column, _)? = places[table.id], !key.columns.contains(column) else {
      return nil
    }
    return "it does not contain \(table.columns[column].name), by which the table is distributed;"
      + " a reference table could keep it"
  }

  /// Why a foreign key cannot be kept there; nil if it can.
  func objection(to key: ForeignKeyConstraint, of table: TableDefinition) -> String? {
    guard let own = places[table.id], let other = places[key.parent] else { return nil }
    switch own {
    case .reference, .local:
      switch other {
      case .reference: return nil
      case .local: return nil
      case .distributed:
        return "a table that stands in one place cannot refer to a distributed one"
      }
    case .distributed(let column, let with):
      switch other {
      case .reference: return nil
      case .local: return "a distributed table cannot refer to one of the coordinator"
      case .distributed(let parentColumn, let parentWith):
        let isBeside = with == key.parent || (with != nil && with == parentWith)
        let isWithin = zip(key.columns, key.parentColumns).contains {
          $0 == column && $1 == parentColumn
        }
        return (isBeside || table.id == key.parent) && isWithin
          ? nil : "the row that it leads to may stand on another machine"
      }
    }
  }

  // MARK: Calls

  /// The statements that place the tables, those first that others stand beside.
  func statements(_ text: DefinitionText) -> [String] {
    var references: [String] = []
    var roots: [String] = []
    var others: [String] = []
    func literal(_ name: String) -> String { SQLPrinter.quotedString(name) }
    for table in tables {
      let name = literal(text.name(table.name))
      switch places[table.id] {
      case .reference: references.append("SELECT create_reference_table(\(name));")
      case .distributed(let column, nil):
        let by = literal(table.columns[column].name)
        roots.append("SELECT create_distributed_table(\(name), \(by), colocate_with => 'none');")
      case .distributed(let column, let with?):
        let by = literal(table.columns[column].name)
        let parent = catalog.tables[with].map { literal(text.name($0.name)) } ?? "'default'"
        others.append(
          "SELECT create_distributed_table(\(name), \(by), colocate_with => \(parent));")
      case .local, nil: break
      }
    }
    for copy in copies {
      let parent = catalog.tables[copy.parent].map { literal(text.name($0.name)) } ?? "'default'"
      let name = ObjectName(schema: copy.table.name.schema, copy.name)
      others.append(
        "SELECT create_distributed_table(\(literal(text.name(name))), "
          + "\(literal(copy.table.columns[copy.column].name)), colocate_with => \(parent));")
    }
    return references + roots + others
  }

  /// The copy of a table that a query reads: that by a key that it joins on and which leads to a distributed table.
  func choose(_ table: TableDefinition, _ joined: [Int], _ text: DefinitionText) -> ObjectName {
    guard case .distributed(let column, _)? = places[table.id], !joined.contains(column),
      let copy = copies.first(where: { $0.table.id == table.id && joined.contains($0.column) })
    else { return table.name }
    return ObjectName(schema: table.name.schema, copy.name)
  }
}
