package import Columnar
import Synchronization

/// Everything the database knows about its objects, as a value: part of a database version.
///
/// Copies share what they do not change. Tables, views, sequences and types of one schema share one name
/// space per PostgreSQL's rules (relations together, types apart); functions are overloaded by arguments.
package struct CatalogSnapshot: Sendable {
  /// Another number after every change, which no other catalog of the process has.
  ///
  /// Plans are cached under it. A catalog that was rolled back takes its number with it.
  package internal(set) var version: UInt64 = 0
  package internal(set) var schemas: Set<String> = ["public", "pg_catalog", "information_schema"]
  package internal(set) var tables: [ObjectID: TableDefinition] = [:]
  package internal(set) var views: [ObjectID: ViewDefinition] = [:]
  package internal(set) var sequences: [ObjectID: SequenceDefinition] = [:]
  package internal(set) var graphs: [ObjectID: PropertyGraphDefinition] = [:]
  package internal(set) var functions: [ObjectID: FunctionDefinition] = [:]
  package internal(set) var types: [ObjectID: TypeDefinition] = [:]
  /// Tables, views, sequences and property graphs by name.
  package internal(set) var relations: [ObjectName: ObjectID] = [:]
  package internal(set) var functionNames: [ObjectName: [ObjectID]] = [:]
  package internal(set) var typeNames: [ObjectName: ObjectID] = [:]
  /// The tables of indices and keys by the index's name: they share the relations' name space.
  package internal(set) var indexTables: [ObjectName: ObjectID] = [:]
  /// Remarks on schemas, sequences, functions and other objects that keep none themselves.
  package internal(set) var comments: [CommentKey: String] = [:]
  /// Foreign keys by the parent they refer to: the child tables and the constraint's index there.
  package internal(set) var referencing: [ObjectID: [(child: ObjectID, constraint: Int)]] = [:]
  /// Whether any table was ever made to inherit: mostly nobody has to look.
  private(set) var hasInheritance = false
  /// The tables with cardinality constraints, so that a commit finds them.
  package internal(set) var countingTables: Set<ObjectID> = []
  /// What orders texts where nothing else is said; nil for the order of bytes.
  package private(set) var defaultCollation: Collation?
  /// The greatest number that was given to an object.
  var nextNumber: UInt32 = 16384

  private static let lastVersion = Atomic<UInt64>(0)

  /// A version that no catalog has had.
  static func nextVersion() -> UInt64 {
    lastVersion.wrappingAdd(1, ordering: .relaxed).newValue
  }

  package init() {}

  /// A catalog whose objects are numbered from `number` on.
  package init(idsFrom number: UInt32) { nextNumber = number }

  /// The catalog with further tables, found by their identity alone.
  package func including(_ definitions: [TableDefinition]) -> CatalogSnapshot {
    if definitions.isEmpty { return self }
    var copy = self
    copy.version = Self.nextVersion()
    for definition in definitions { copy.tables[definition.id] = definition }
    return copy
  }

  /// Whether nothing was made yet.
  package var isEmpty: Bool { relations.isEmpty && types.isEmpty && functions.isEmpty }

  /// The collation that is said of a column itself, and not of its domain.
  package func ownCollation(of column: TableColumn) -> Collation? {
    let domain = column.domain.flatMap { types[$0] }.flatMap(Domain.init)
    let collation = column.columnType.collation
    return collation == domain?.type.collation ? nil : collation
  }

  /// Orders texts by a collation where nothing else is said.
  package mutating func setDefaultCollation(_ collation: Collation?) {
    version = Self.nextVersion()
    defaultCollation = collation == .standard || collation == .bytes ? nil : collation
  }

  mutating func noteInheritance(_ table: TableDefinition) {
    if !table.parents.isEmpty { hasInheritance = true }
  }

  mutating func noteCardinalities(_ table: TableDefinition) {
    if !table.cardinalities.isEmpty {
      countingTables.insert(table.id)
    } else if !countingTables.isEmpty {
      countingTables.remove(table.id)
    }
  }

  /// Whether a new row of a table needs rows that refer to it.
  package func needsRows(_ table: TableDefinition) -> Bool {
    if countingTables.isEmpty { return false }
    return foreignKeys(to: table.id).contains { child, index, _ in
      child.cardinalities.contains {
        $0.bounds.lowerBound > 0 && child.foreignKey(of: $0) == index
      }
    }
  }

  /// An identity that nothing has had.
  package mutating func makeID() -> ObjectID {
    nextNumber += 1
    return ObjectID(nextNumber)
  }

  /// A table, view, sequence or property graph found by name.
  package enum Relation: Sendable {
    case table(TableDefinition)
    case view(ViewDefinition)
    case sequence(SequenceDefinition)
    case graph(PropertyGraphDefinition)
  }

  /// The relation of this name, looked for in `schema` or else along the search path.
  ///
  /// - Complexity: O(1) for each schema of the path.
  package func relation(
    schema: String?, _ name: String, searchPath: [String] = ["pg_temp", "public", "pg_catalog"]
  ) -> Relation? {
    for candidate in schema.map({ [$0] }) ?? searchPath {
      guard let id = relations[ObjectName(schema: candidate, name)] else { continue }
      if let table = tables[id] { return .table(table) }
      if let view = views[id] { return .view(view) }
      if let sequence = sequences[id] { return .sequence(sequence) }
      if let graph = graphs[id] { return .graph(graph) }
    }
    return nil
  }

  /// The functions of this name.
  package func functions(
    schema: String?, named name: String, searchPath: [String] = ["pg_temp", "public"]
  ) -> [FunctionDefinition] {
    for candidate in schema.map({ [$0] }) ?? searchPath {
      if let ids = functionNames[ObjectName(schema: candidate, name)], !ids.isEmpty {
        return ids.compactMap { functions[$0] }
      }
    }
    return []
  }

  /// The type of this name.
  package func type(
    schema: String?, named name: String, searchPath: [String] = ["pg_temp", "public"]
  ) -> TypeDefinition? {
    for candidate in schema.map({ [$0] }) ?? searchPath {
      if let id = typeNames[ObjectName(schema: candidate, name)] { return types[id] }
    }
    return nil
  }

  /// The tables that inherit directly from one.
  package func children(of id: ObjectID) -> [TableDefinition] {
    tables.values.filter { $0.parents.contains(id) }.sorted { $0.id < $1.id }
  }

  /// The tables that inherit from one, also by way of others; each once.
  package func descendants(of id: ObjectID) -> [TableDefinition] {
    guard hasInheritance else { return [] }
    var found: [TableDefinition] = []
    var next = [id]
    while let parent = next.popLast() {
      for child in children(of: parent) where !found.contains(where: { $0.id == child.id }) {
        found.append(child)
        next.append(child.id)
      }
    }
    return found.sorted { $0.id < $1.id }
  }

  /// Every name of a relation, for did-you-mean.
  package var relationNames: [String] { relations.keys.map(\.name) }
}
