import Catalog
import Columnar
import SQLSyntax

/// An object that is made from others, of whatever kind.
enum LateObject {
  case view(ViewDefinition)
  case materialized(TableDefinition)
  case function(FunctionDefinition)

  var id: ObjectID {
    switch self {
    case .view(let view): view.id
    case .materialized(let table): table.id
    case .function(let function): function.id
    }
  }

  var dependencies: Set<ObjectID> {
    switch self {
    case .view(let view): view.dependencies
    case .materialized(let table): table.materialized?.dependencies ?? []
    case .function: []
    }
  }

  /// The table that keeps its rows.
  var table: TableDefinition? { if case .materialized(let table) = self { table } else { nil } }
}

/// The objects of a catalog in an order in which each can be made.
///
/// Where nothing else decides they are in the order in which they were made, and so again when a script is loaded
/// and written anew.
struct ExportOrder {
  /// All but `public` and those of the system.
  let schemas: [String]
  let types: [TypeDefinition]
  /// Those that do not come with an identity column.
  let freeSequences: [SequenceDefinition]
  let allSequences: [SequenceDefinition]
  /// Functions that tables may call.
  let earlyFunctions: [FunctionDefinition]
  /// Materialized views among them.
  let tables: [TableDefinition]
  /// Views, and functions over tables and views.
  let late: [LateObject]
  /// Those that PostgreSQL does not have: over property graphs, or with joins of Junction's own.
  let own: [LateObject]

  init(_ catalog: CatalogSnapshot, _ text: DefinitionText) {
    schemas = catalog.schemas.subtracting(["public", "pg_catalog", "information_schema", "pg_temp"])
      .sorted()
    types = Self.sorted(Array(catalog.types.values), id: \.id) { type in
      catalog.types.values.filter { Self.uses(type, $0) }.map(\.id)
    }
    tables = Self.sorted(
      catalog.tables.values.filter { !$0.isTemporary && $0.name.schema != "pg_temp" }, id: \.id
    ) { table in
      table.parents
        + table.columns.flatMap { column in
          Self.recordNames(of: column.type).compactMap { name in
            catalog.tables.values.first { $0.name.name == name && $0.id != table.id }?.id
          }
        }
    }
    let places = Dictionary(
      tables.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    let temporary = Set(
      catalog.tables.values.filter { $0.isTemporary || $0.name.schema == "pg_temp" }.map(\.id))
    let sequences = catalog.sequences.values.filter { sequence in
      sequence.name.schema != "pg_temp"
        && !(sequence.owner.map { temporary.contains($0.table) } ?? false)
    }
    let identities = Set(
      tables.flatMap(\.columns).compactMap { column -> ObjectID? in
        guard column.identity != nil, case .sequence(let id) = column.defaultValue else {
          return nil
        }
        return id
      })
    freeSequences = sequences.filter { !identities.contains($0.id) }.sorted { $0.id < $1.id }
    // An identity's sequence is made with its table, so its own number says nothing.
    allSequences =
      freeSequences
      + sequences.filter { identities.contains($0.id) }.sorted { a, b in
        (places[a.owner?.table ?? a.id] ?? 0, a.owner?.column ?? 0)
          < (places[b.owner?.table ?? b.id] ?? 0, b.owner?.column ?? 0)
      }
    let functions = catalog.functions.values.filter { $0.name.schema != "pg_temp" }
      .sorted { $0.id < $1.id }
    let definitions =
      tables.map(text.statement).joined()
      + tables.flatMap { table in
        table.indexes.map { text.statement(of: $0, table) }
      }.joined()
    let rowNames = Set(tables.map(\.name.name)).union(catalog.views.values.map(\.name.name))
    func isLate(_ function: FunctionDefinition) -> Bool {
      if Self.signatureRecords(function).contains(where: rowNames.contains) { return true }
      return function.source.isEmpty && !definitions.contains(function.name.name)
    }
    earlyFunctions = functions.filter { !isLate($0) }
    let all = Self.late(catalog, text, tables, functions.filter(isLate))
    var foreign = Set(catalog.graphs.keys)
    for object in all where !foreign.isDisjoint(with: object.dependencies) || text.isOwn(object) {
      foreign.insert(object.id)
    }
    late = all.filter { !foreign.contains($0.id) }
    own = all.filter { foreign.contains($0.id) }
  }

  private static func late(
    _ catalog: CatalogSnapshot, _ text: DefinitionText, _ tables: [TableDefinition],
    _ functions: [FunctionDefinition]
  ) -> [LateObject] {
    let views = catalog.views.values.filter { !$0.isTemporary && $0.name.schema != "pg_temp" }
    let objects =
      functions.map(LateObject.function) + views.map(LateObject.view)
      + tables.filter { $0.materialized != nil }.map(LateObject.materialized)
    return sorted(objects, id: \.id) { object in
      switch object {
      case .view, .materialized: return Array(object.dependencies)
      case .function(let function):
        // The names that stand in its body or its signature.
        let body = text.statement(of: function)
        return objects.compactMap { other in
          switch other {
          case .view(let view): body.contains(view.name.name) ? view.id : nil
          case .materialized(let table): body.contains(table.name.name) ? table.id : nil
          case .function: nil
          }
        }
      }
    }
  }

  /// The objects, each behind those that it needs; among those that could come next the one made first.
  private static func sorted<Object>(
    _ objects: [Object], id: (Object) -> ObjectID, needs: (Object) -> [ObjectID]
  ) -> [Object] {
    var left = objects.sorted { id($0) < id($1) }.map { (object: $0, needs: Set(needs($0))) }
    var result: [Object] = []
    var open = Set(left.map { id($0.object) })
    while !left.isEmpty {
      // Should they need each other in a circle, the first comes first.
      let next =
        left.firstIndex { $0.needs.isDisjoint(with: open.subtracting([id($0.object)])) } ?? 0
      let object = left.remove(at: next).object
      open.remove(id(object))
      result.append(object)
    }
    return result
  }

  private static func uses(_ type: TypeDefinition, _ other: TypeDefinition) -> Bool {
    guard type.id != other.id else { return false }
    switch type.kind {
    case .enumeration: return false
    case .composite(let record): return record.fields.contains { other.isUsed(by: $0.type) }
    case .domain(let base, _, _, _): return other.isUsed(by: base.type)
    }
  }

  private static func recordNames(of type: LogicalType) -> [String] {
    if case .array(let element) = type {
      recordNames(of: element)
    } else if case .record(let record) = type {
      record.name.map { [$0] } ?? []
    } else {
      []
    }
  }

  private static func signatureRecords(_ function: FunctionDefinition) -> [String] {
    var names = function.parameters.flatMap { recordNames(of: $0.type.type) }
    switch function.result {
    case .scalar(let type), .set(let type): names += recordNames(of: type.type)
    case .table(let record, _):
      names += record.name.map { [$0] } ?? record.fields.flatMap { recordNames(of: $0.type) }
    case .void: break
    }
    return names
  }
}
