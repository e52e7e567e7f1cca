import Columnar
import Testing

@testable import Catalog

@Suite("Relationships follow from keys and foreign keys:")
struct RelationshipTests {
  /// A table of integer columns.
  private struct Sketch {
    var name: String
    var columns: [String]
    var keys: [[Int]] = []
    /// Columns, parent and the parent's columns.
    var references: [([Int], String, [Int])] = []
  }

  private static func catalog(_ sketches: [Sketch]) -> CatalogSnapshot {
    var catalog = CatalogSnapshot()
    var ids: [String: ObjectID] = [:]
    for sketch in sketches { ids[sketch.name] = catalog.makeID() }
    for sketch in sketches {
      guard let id = ids[sketch.name] else { continue }
      let keys = sketch.references.compactMap { columns, parent, parentColumns in
        ids[parent].map {
          ForeignKeyConstraint(
            name: "\(sketch.name)_\(columns.map { sketch.columns[$0] }.joined(separator: "_"))",
            columns: columns, parent: $0, parentColumns: parentColumns)
        }
      }
      catalog.put(
        TableDefinition(
          id: id, name: ObjectName(sketch.name),
          columns: sketch.columns.map { TableColumn(name: $0, columnType: .init(.integer)) },
          keys: sketch.keys.enumerated().map { index, columns in
            KeyConstraint(
              name: "\(sketch.name)_key\(index)", columns: columns, isPrimary: index == 0)
          }, foreignKeys: keys))
    }
    return catalog
  }

  /// Each relationship of a table as `cardinality target via constraints`.
  private static func described(_ name: String, _ catalog: CatalogSnapshot) -> [String] {
    guard case .table(let table)? = catalog.relation(schema: nil, name) else { return [] }
    return catalog.relationships(of: table.id).map { relationship in
      let target = catalog.tables[relationship.target]?.name.name ?? "?"
      let way =
        switch relationship.route {
        case .toParent(let link): "up \(link.name)"
        case .toChildren(let link): "down \(link.name)"
        case .throughJunction(let near, let far): "\(near.name) and \(far.name)"
        }
      return "\(relationship.cardinality.rawValue) \(target): \(way)"
    }
  }

  private static let ends = [
    Sketch(name: "a", columns: ["id"], keys: [[0]]),
    Sketch(name: "b", columns: ["id"], keys: [[0]]),
  ]

  @Test("a foreign key is many-to-one, and one-to-one if a key lies within its columns")
  func cardinalities() {
    let catalog = Self.catalog(
      Self.ends + [
        Sketch(
          name: "c", columns: ["id", "x", "y"], keys: [[0], [1]],
          references: [([1], "a", [0]), ([2], "b", [0])])
      ])
    #expect(Self.described("c", catalog) == ["one-to-one a: up c_x", "many-to-one b: up c_y"])
    #expect(Self.described("a", catalog) == ["one-to-one c: down c_x"])
    #expect(Self.described("b", catalog) == ["one-to-many c: down c_y"])
  }

  @Test(
    "a table links its parents if two foreign keys lie within one key",
    arguments: [
      ([[0, 1]], true), ([[0, 1, 2]], true), ([[2], [1, 0]], true), ([[2]], false),
      ([[0, 2]], false),
      ([[0], [1]], false), ([], false),
    ])
  func junctions(keys: [[Int]], isJunction: Bool) {
    let catalog = Self.catalog(
      Self.ends + [
        Sketch(
          name: "j", columns: ["a", "b", "c"], keys: keys,
          references: [([0], "a", [0]), ([1], "b", [0])])
      ])
    let wanted = ["many-to-many b: j_a and j_b"]
    #expect(
      Self.described("a", catalog).filter { $0.hasPrefix("many-to-many") }
        == (isJunction ? wanted : []))
    guard case .table(let table)? = catalog.relation(schema: nil, "j") else { return }
    #expect(catalog.junctionPairs(of: table).count == (isJunction ? 1 : 0))
  }

  @Test("several junctions between the same tables are several relationships")
  func severalJunctions() {
    func junction(_ name: String) -> Sketch {
      Sketch(
        name: name, columns: ["a", "b"], keys: [[0, 1]],
        references: [([0], "a", [0]), ([1], "b", [0])])
    }
    let catalog = Self.catalog(Self.ends + [junction("j"), junction("k")])
    #expect(
      Self.described("b", catalog) == [
        "one-to-many j: down j_b", "one-to-many k: down k_b", "many-to-many a: j_b and j_a",
        "many-to-many a: k_b and k_a",
      ])
  }

  @Test("a junction of three parents links each pair of them")
  func threeParents() {
    let catalog = Self.catalog(
      Self.ends + [
        Sketch(
          name: "j", columns: ["a", "b", "b2"], keys: [[0, 1, 2]],
          references: [([0], "a", [0]), ([1], "b", [0]), ([2], "b", [0])])
      ])
    #expect(
      Self.described("b", catalog).filter { $0.hasPrefix("many-to-many") } == [
        "many-to-many a: j_b and j_a", "many-to-many b: j_b and j_b2",
        "many-to-many a: j_b2 and j_a", "many-to-many b: j_b2 and j_b",
      ])
  }

  @Test("a table related to itself has both directions")
  func selfRelations() {
    let catalog = Self.catalog([
      Sketch(name: "a", columns: ["id", "up"], keys: [[0]], references: [([1], "a", [0])]),
      Sketch(
        name: "f", columns: ["x", "y"], keys: [[0, 1]],
        references: [([0], "a", [0]), ([1], "a", [0])]),
    ])
    #expect(
      Self.described("a", catalog) == [
        "many-to-one a: up a_up", "one-to-many a: down a_up", "one-to-many f: down f_x",
        "one-to-many f: down f_y", "many-to-many a: f_x and f_y", "many-to-many a: f_y and f_x",
      ])
  }

  @Test("a foreign key whose columns are among another's makes no junction with it")
  func overlappingKeys() {
    let catalog = Self.catalog([
      Sketch(name: "a", columns: ["id"], keys: [[0]]),
      Sketch(name: "b", columns: ["x", "y"], keys: [[0, 1]]),
      Sketch(
        name: "j", columns: ["x", "y", "z"], keys: [[0, 1, 2]],
        references: [([0], "a", [0]), ([0, 1], "b", [0, 1])]),
    ])
    #expect(Self.described("a", catalog) == ["one-to-many j: down j_x"])
  }
}
