import Columnar
import Diagnostics
import Durability
import SQLSyntax
import Testing

@testable import Catalog

@Suite("A catalog read from bytes")
struct CatalogConsistencyTests {
  /// Two tables, one of which refers to the other, with a sequence, a view, a graph and a function.
  private static func sound() throws -> (CatalogSnapshot, [ObjectID]) {
    var catalog = CatalogSnapshot()
    let ids = (0..<7).map { _ in catalog.makeID() }
    let mood = EnumerationType(name: "mood", labels: ["sad", "ok"])
    catalog.put(TypeDefinition(id: ids[0], name: ObjectName("mood"), kind: .enumeration(mood)))
    catalog.put(
      SequenceDefinition(id: ids[1], name: ObjectName("numbers"), owner: (ids[2], 0)))
    catalog.put(
      TableDefinition(
        id: ids[2], name: ObjectName("parent"),
        columns: [
          TableColumn(
            name: "id", columnType: ColumnType(.integer), isNotNull: true,
            defaultValue: .sequence(ids[1])),
          TableColumn(name: "state", columnType: ColumnType(.array(.enumeration(mood)))),
        ], keys: [KeyConstraint(name: "parent_pkey", columns: [0], isPrimary: true)]))
    catalog.put(
      TableDefinition(
        id: ids[3], name: ObjectName("child"),
        columns: [
          TableColumn(name: "parent", columnType: ColumnType(.bigint)),
          TableColumn(name: "note", columnType: ColumnType(.varchar, .length(10))),
        ],
        foreignKeys: [
          ForeignKeyConstraint(
            name: "child_parent_fkey", columns: [0], parent: ids[2], parentColumns: [0])
        ],
        checks: [CheckConstraint(name: "c", expression: try parseExpression("note <> ''"))],
        indexes: [IndexDefinition(name: "i", keys: [.column(1, isDescending: true)])]))
    guard case .select(let query) = try parseStatement("SELECT id FROM parent").statement else {
      throw SQLError.internal("no query")
    }
    catalog.put(
      ViewDefinition(
        id: ids[4], name: ObjectName("v"), columnNames: ["id"], columnTypes: [ColumnType(.integer)],
        query: query, dependencies: [ids[2]]))
    catalog.put(Self.graph(ids[5], vertex: ids[2], edge: ids[3]))
    catalog.put(
      FunctionDefinition(
        id: ids[6], name: ObjectName("f"), parameters: [],
        result: .table(
          RecordType(name: nil, fields: [RecordType.Field("m", .enumeration(mood))]), isSet: true),
        body: [.select(query)], isStrict: false, isVolatile: true, language: "sql", source: ""))
    return (catalog, ids)
  }

  private static func graph(
    _ id: ObjectID, vertex: ObjectID, edge: ObjectID, end: Int = 0
  ) -> PropertyGraphDefinition {
    PropertyGraphDefinition(
      id: id, name: ObjectName("g"),
      vertices: [
        PropertyGraphDefinition.Element(name: "parent", table: vertex, key: [0], labels: [])
      ],
      edges: [
        PropertyGraphDefinition.Element(
          name: "child", table: edge, key: [0, 1], labels: [],
          ends: (
            source: PropertyGraphDefinition.End(vertex: 0, columns: [0], vertexColumns: [0]),
            destination: PropertyGraphDefinition.End(vertex: end, columns: [0], vertexColumns: [0])
          ))
      ])
  }

  private static func bytes(of catalog: CatalogSnapshot) -> [UInt8] {
    var writer = ByteWriter()
    catalog.encode(into: &writer)
    return writer.bytes
  }

  private static func catalog(from bytes: [UInt8]) throws(SQLError) -> CatalogSnapshot {
    var reader = ByteReader(bytes)
    return try CatalogSnapshot(decoding: &reader)
  }

  @Test("gives the same bytes again, with each type as one object")
  func roundTrip() throws {
    let (catalog, ids) = try Self.sound()
    try catalog.checkConsistency()
    let copy = try Self.catalog(from: Self.bytes(of: catalog))
    #expect(Self.bytes(of: copy) == Self.bytes(of: catalog))
    #expect(copy.nextNumber == catalog.nextNumber && copy.version > catalog.version)
    guard case .enumeration(let mood)? = copy.types[ids[0]]?.kind,
      case .array(.enumeration(let ofColumn))? = copy.tables[ids[2]]?.columns[1].type,
      case .table(let record, true)? = copy.functions[ids[6]]?.result,
      case .enumeration(let ofField) = record.fields[0].type
    else {
      Issue.record("a type is missing")
      return
    }
    #expect(mood === ofColumn && mood === ofField)
  }

  @Test("keeps the order in which overloads and foreign keys are looked at")
  func orders() throws {
    var (catalog, ids) = try Self.sound()
    guard var function = catalog.functions[ids[6]], let table = catalog.tables[ids[3]] else {
      Issue.record("an object is missing")
      return
    }
    function.id = catalog.makeID()
    function.parameters = [.init(name: nil, type: ColumnType(.text))]
    catalog.put(function)
    if let first = catalog.functions[ids[6]] { catalog.put(first) }
    var other = table
    other.id = catalog.makeID()
    other.name = ObjectName("other")
    other.indexes = []
    catalog.put(other)
    catalog.put(table)
    let copy = try Self.catalog(from: Self.bytes(of: catalog))
    #expect(copy.functionNames[ObjectName("f")] == [function.id, ids[6]])
    #expect(copy.referencing[ids[2]]?.map(\.child) == [other.id, ids[3]])
  }

  @Test("of a newer format is refused by name")
  func newerFormat() throws {
    var bytes = Self.bytes(of: try Self.sound().0)
    bytes[0] = UInt8(CatalogFormat.number) + 1
    let error = #expect(throws: SQLError.self) { try Self.catalog(from: bytes) }
    #expect(error?.state == .featureNotSupported)
  }

  /// A way to break a catalog.
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let damage: @Sendable (inout CatalogSnapshot, [ObjectID]) throws -> Void
  }

  private static func changing(
    _ name: String, table place: Int, _ change: @escaping @Sendable (inout TableDefinition) -> Void
  ) -> Fault {
    Fault(testDescription: name) { catalog, ids in
      guard var table = catalog.tables[ids[place]] else { return }
      change(&table)
      catalog.put(table)
    }
  }

  private static let faults: [Fault] = [
    changing("a key over no columns", table: 2) { $0.keys[0].columns = [] },
    changing("a key over a column twice", table: 2) { $0.keys[0].columns = [0, 0] },
    changing("a key over a column that is not there", table: 2) { $0.keys[0].columns = [2] },
    changing("two columns of one name", table: 2) { $0.columns[1].name = "id" },
    changing("a column without a type", table: 2) { $0.columns[1].columnType = .init(.void) },
    changing("an identity that is no number", table: 3) { $0.columns[1].identity = .always },
    changing("a domain that is none", table: 3) { $0.columns[1].domain = $0.id },
    changing("a foreign key to no key", table: 3) { $0.foreignKeys[0].parentColumns = [1] },
    changing("a foreign key to no table", table: 3) {
      $0.foreignKeys[0].parent = ObjectID(1)
    },
    changing("a foreign key of another type", table: 3) { $0.foreignKeys[0].columns = [1] },
    changing("a foreign key over too many columns", table: 3) {
      $0.foreignKeys[0].columns = [0, 1]
    },
    changing("an action on a column that is not there", table: 3) {
      $0.foreignKeys[0].onDelete = .setNull([7])
    },
    changing("an index over a column that is not there", table: 3) {
      $0.indexes[0].keys = [.column(2, isDescending: false)]
    },
    changing("a table that inherits from itself", table: 3) { $0.parents = [$0.id] },
    changing("a table in no schema", table: 3) { $0.name.schema = "nowhere" },
    changing("an index with a table's name", table: 3) { $0.indexes[0].name = "parent" },
    Fault(testDescription: "a sequence that is gone") { $0.removeSequence($1[1]) },
    Fault(testDescription: "a view of a table that is gone") { catalog, ids in
      catalog.removeGraph(ids[5])
      catalog.removeSequence(ids[1])
      catalog.removeTable(ids[3])
      catalog.removeTable(ids[2])
    },
    Fault(testDescription: "a graph whose edges lead nowhere") {
      $0.put(graph($1[5], vertex: $1[2], edge: $1[3], end: 1))
    },
    Fault(testDescription: "a graph over a table that is not there") {
      $0.put(graph($1[5], vertex: $1[2], edge: $1[4]))
    },
    Fault(testDescription: "an enumeration with a label twice") {
      $0.put(
        TypeDefinition(
          id: $1[0], name: ObjectName("mood"),
          kind: .enumeration(EnumerationType(name: "mood", labels: ["a", "a"]))))
    },
    Fault(testDescription: "a number that is still to be given") { catalog, _ in
      catalog.nextNumber -= 1
    },
  ]

  @Test("is refused if it has", arguments: faults)
  func refused(_ fault: Fault) throws {
    var (catalog, ids) = try Self.sound()
    try fault.damage(&catalog, ids)
    let inMemory = #expect(throws: SQLError.self) { try catalog.checkConsistency() }
    #expect(inMemory?.state == .dataCorrupted)
    let bytes = Self.bytes(of: catalog)
    let read = #expect(throws: SQLError.self) { try Self.catalog(from: bytes) }
    #expect(read?.state == .dataCorrupted)
  }

  @Test("is refused with types that are deep, rather than followed down")
  func deepTypes() throws {
    var (catalog, _) = try Self.sound()
    var type = LogicalType.integer
    for _ in 0...CatalogFormat.typeHeightMax {
      type = .record(RecordType(name: "r", fields: [RecordType.Field("a", type)]))
    }
    guard case .record(let record) = type else { return }
    let id = catalog.makeID()
    catalog.put(TypeDefinition(id: id, name: ObjectName("r"), kind: .composite(record)))
    let bytes = Self.bytes(of: catalog)
    #expect(throws: SQLError.self) { try Self.catalog(from: bytes) }
  }

  @Test("is refused or sound wherever a byte is another or the rest is missing")
  func everyByte() throws {
    let bytes = Self.bytes(of: try Self.sound().0)
    for place in bytes.indices {
      #expect(throws: SQLError.self) { try Self.catalog(from: Array(bytes[..<place])) }
      for change: UInt8 in [1, 0x80, 0xFF] {
        var changed = bytes
        changed[place] ^= change
        guard let copy = try? Self.catalog(from: changed) else { continue }
        let again = Self.bytes(of: copy)
        let second = try Self.catalog(from: again)
        #expect(Self.bytes(of: second) == again)
      }
    }
  }
}
